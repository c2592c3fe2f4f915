"""Tolerances of the tests, each with its reason. Nothing else in the tests may invent one."""

from __future__ import annotations

IDENTITY = 1e-40
"""Exact identities evaluated with `tests.groups.numeric.DIGITS` = 50 digits: ten digits for rounding and for the
conditioning of log at angles up to 3 and of T⁻¹ (pole at 2π)."""

DIFFERENCE_STEP = 1e-12
"""Step of central differences; exact as a power of ten is not needed, the same number is divided by."""

DIFFERENCE = 1e-21
"""Central differences in 50 digits with `DIFFERENCE_STEP` h: truncation h²/6 = 1.7e-25 times a third derivative (below
1e3 for angles up to 3), rounding 1e-50/h = 1e-38 times the conditioning."""

NEWTON_DIFFERENCE = 1e-8
"""Central differences in doubles with a step of 1e-5 against Newton matrices, relative to the largest entry: truncation
h²/6 = 2e-11 times a third derivative, rounding ε/h = 2e-11 times forces; measured 1e-9."""

EQUILIBRIUM_OF_A_ROD = 1e-8
"""Two searches for the same equilibrium of a rod: corrections of 1e-9 times a contraction below one half, and round-off
of axial forces amplified by their ratio 1e4 to bending."""

STATIC_ORDER = 0.1
"""Observed order of errors of discretisation at 8 to 64 elements."""

FREQUENCY = 1e-8
"""Frequencies at an equilibrium that is known to 1e-9."""

SPECTRUM = 1e-10
"""Eigenvalues and transfer functions of small matrices, of which all entries are known to round-off."""

PUBLISHED_EIGENVALUES = 1e-10
"""Eigenvalues of the bicycle against equations that are printed with 14 digits; found to agree to 4e-13."""

ROLLING = 1e-9
"""Velocities of a bicycle that follow from one of them, relative to its speed; found to agree to 3e-14."""

GROWTH = 1e-4
"""Growth of disturbances of size 1e-6 by a factor e, of motions known to 1e-12: quadratic terms, assembly."""

KEPT_ENERGY = 1e-10
"""Energy of motions that keep it, with a relative tolerance of 1e-12, over the time of a growth by a factor e."""

LINEAR_PREDICTION = 2e-5
"""Motions of size 1e-5 against linear ones, relative to their size: quadratic terms."""

REDUCED = 1e-12
"""Corrected initial values of size one: constraints are closed to 1e-13 times them."""

NEAREST = 1e-8
"""First variation of the length of a correction, whose steps end at 1e-9."""

CLOSED_FORM = 1e-32
"""Printed closed forms evaluated with 80 digits against derived ones evaluated with 50; more than the 30 digits asked
for, less than 50 because primitives' values are rounded to 50 digits before they are multiplied."""

PRIMITIVE = 1e-36
"""Values of primitives evaluated with 40 digits, relative to the value; spot values use the printed digits."""

NORMALIZE_FACTOR = 10.0
"""Residual of the relations after one normalising step over the square of the residual before: 3/4 |D|² for a
quaternion and for the polar factor in the 2-norm; the largest entry and the cofactor relations cost up to 10."""

SPOT_VALUE = 1e-20
"""Tabulated spot values have 21 significant digits, the first of which may be 1."""

EPSILON = 2.0**-52
"""Spacing of doubles at one."""

BY_HAND = 16 * EPSILON
"""Sums and products of a few numbers, done here and by kernels: a rounding for each, relative to the largest."""

SCHEME = 4 * EPSILON
"""Relative error of a shipped scheme in plain Horner form without contraction; ball arithmetic proves 3.3 ε for the
worst function without a pole on [0, π²], and c₀, c₁ are judged with respect to f(0)."""

SCHEME_UNPROVED = 8 * EPSILON
"""Schemes outside of the shipped family: Taylor polynomials, and a pole of fifth order that is divided out (a rounding
for each factor and product of 4π² - z)."""

INSTRUCTIONS = 20 * EPSILON
"""A dozen operations of doubles on numbers of order one and library functions, against 40 digits."""

VARIATION_STEP = 1e-16
SECOND_VARIATION_STEP = 1e-12
"""Steps of central differences in 50 digits; first and second derivatives."""

VARIATION = 1e-25
"""Central differences with `VARIATION_STEP` h, relative to the largest entry: rounding 1e-50/h = 1e-34 and truncation
h²/6 = 1.7e-33 times a third derivative, below 1e7 relative to the value for angles up to 3 and rates of 150 rad/s."""

SECOND_VARIATION = 1e-17
"""Second central differences with `SECOND_VARIATION_STEP` h, relative to the largest entry: rounding 1e-50/h² = 1e-26
and truncation h²/12 = 8e-26 times a fourth derivative, below 1e8 relative to the value at 150 rad/s."""

EXACT = 1e-44
"""The same quantity by two exact formulas in 50 digits, relative to the largest entry: six digits for cancellation."""

RUNNING_ERROR = 4.0
"""Factor on bounds of rounding by running error analysis, which is first order and takes group elements to be exact."""

VARIATION_OF_RANDOM = 1e-15
"""Second central differences with `SECOND_VARIATION_STEP` on states in doubles, which are off the group by 1e-16."""

RANDOM_RUN = 1e-9
"""C and NumPy after a few steps of random models, whose linear systems may have a condition of 1e6."""

HEAVY_TOP_RUN = 1e-6
"""Error of fifth order methods on the heavy top with h = 2⁻¹¹ s up to t = 1 s: 1.9e-7 in the rotation at the end, by
convergence studies with halved steps; the rest is room for other processors' rounding and for other groups."""

HELD_CONSTRAINT = 1e-12
"""Φ of a spherical joint on SE(3), which half-explicit methods keep to rounding: some ε of each of 2000 steps."""

ORDER_SLACK = 0.15
"""Largest shortfall of the observed order of the finest halving from the order of the method: the next term of the
error still counts at these steps."""

ELIMINATION = 64 * EPSILON
"""Backward error of an elimination of up to ten unknowns without pivoting: a few roundings per unknown; multiplied
by the condition number."""

OBSERVED = 1e-12
"""Values of states on two backends, and of two eliminations of one saddle point matrix with condition below 1000."""

LIBRARY = 16 * EPSILON
"""Two mathematical libraries differ by a unit or two in the last place, and a few operations follow."""

KERNEL = 64 * EPSILON
"""A kernel of a hundred operations in doubles against 40 digits, relative to its largest entry."""

REWRITTEN = 1e-42
"""Expressions expanded, collected or written as closed forms against the original ones, in 50 digits: values of order
one to a hundred, eight digits for rounding and cancellation."""

QUATERNION_OF_ROTATION = 100 * EPSILON
"""Quaternion of a rotation matrix that was computed from a quaternion whose length is one up to a few ε; the
eigenvector of a 4 × 4 matrix with a gap of 4 costs a few tens of ε."""

TABLE = 0.05
"""Measured errors of another implementation of the same method: four digits are known, the rest is rounding."""

TABLE_RESOLUTION = 1e-11
"""Below this a measured error is mostly rounding; only its order of magnitude is compared."""

DRIFT_OF_ROUNDING = 5e-14
"""Largest |Φ| of a few thousand steps where the method itself does not drift: measured 1e-14."""

LONG_DRIFT = 1e-12
"""The same after ten thousand steps; quaternions that are not renormalised reach 2e-12."""

HIDDEN_CONSTRAINT = 1e-14
"""Largest |B v + b|: every stage solves for it with numbers of order ten; measured 3e-15."""

ORDER = 0.15
"""Observed orders at finite steps; the smallest seen on the finest halvings is p - 0.12."""

INVARIANT = 1e-9
"""Relative change of energy and spin at h = 2⁻¹², where the errors of the states are below 1e-8."""

BACKENDS = 1e-12
"""C and NumPy after twenty steps, or a stage evaluated anew: rounding of linear algebra in another order, relative to
the largest entry."""

FROZEN = 1e-11
"""The same run of up to twenty steps with parameters as constants and as data, relative to one and the largest entry:
products are rounded in another order, and multipliers come from velocities divided by a step of 1e-4; measured
9e-13."""

IMPLICIT_BACKENDS = 256 * EPSILON
"""C and NumPy by generalized-α, in units of what the rounding of a configuration makes of each part: q itself, q/h in
v, and m q/(β h²) in λ with 1/β = 4. Index 3 damps rounding by ρ = 0.9 a step, so it adds up to ten times that. Measured
15 ε in q, 13 ε in v, 65 ε in λ of a machine; on the velocity level of index 2 0.2 ε in v and 0.04 ε in λ."""

IMPLICIT_STATES = 1e-12
"""C and NumPy by adaptive generalized-α, q: step sizes that differ by 1e-7 of themselves, times errors of a step below
1e-5 of q, which has size 1; measured 5e-14."""

DISCRETE_FLOOR = 1e-12
DISCRETE_FLOOR_RATES = 1e-10
DISCRETE = 1e-10
DISCRETE_RATES = 1e-8
"""q and v of a rod against solutions of the same equations by others, with residuals at their rounding, and at the
default tolerances. Demanded by the statement of these methods, and not to be measured; found 9e-15 and 2e-12 in C, the
same in NumPy, 5e-12 and 2e-11 at the tolerances."""

NEWTON_COUNT = 0.02
"""Iterations per step against printed means of two decimals, as the statement of these methods demands it; measured
0.005, half a unit of the last decimal."""

IMPLICIT_ORDER = 0.1
"""Orders of generalized-α in q, v and λ, and of λ alone with the plain start, as the statement of these methods demands
it: 2.0 ± 0.1. Measured 0.009 on tops with steps of 2⁻¹⁰ s and shorter, 0.02 with cuts."""

STABILITY_INTERVAL = 0.02
"""Lengths of intervals of stability that are looked up on a grid of 0.01, against ones printed with three digits:
0.01 and half a unit of 0.01; measured 0.01."""

IMPLICIT_ERROR = 0.1
"""Error of generalized-α over h² for cos t at t = 1: the trapezoidal rule's t sin t/12 = 0.070, and what ρ = 0.9 adds;
measured 0.071."""

BDF_ORDER = 0.1
"""Of largest errors over a run, of BDF: 0.076 is reached, by the fifth order."""

BDF_START = 1e-11
"""Of Φ of the top after the first steps of a BDF, by half_explicit_5, of 2⁻¹⁰ s: 2.8e-12; of B v, rounding over h:
2e-12."""

BDF_STEPS = 1e-5
"""Of lengths of steps of both backends: estimates of short steps are differences of high order, in which rounding shows
relative to errors that are a hundredth of the tolerance; 6e-6 is reached, 3e-7 but for steps that are cut."""

BDF_STATES = 1e-10
"""Of states of both backends where steps differ by that: 1.4e-12 is reached."""

SPRING_LENGTH = 2e-5
"""Length of a stiff spring less its rest: m g and m v² of the swing over 10⁷ N/m are 3e-6."""

SLOW_ORDER = 0.005
"""Orders of generalized-α at h = 2⁻⁵ … 2⁻⁷ for a motion of rates 1/s: the next term is relative c h², which changes the
observed order by c h²/log 2 = 1.4e-3 c; measured 4e-4."""

NEWTON_END = 4e-14
"""Two ways to solve for one step: Newton ends where the residual is 1e-8 of forces of 500 N, which moves 15 kg by
1e-8 · 500/15 · β h² = 2e-14 m at h = 2⁻¹¹ s; measured 1.4e-15."""

HELD_ROW = EPSILON
"""|B v| of a row that is one component of velocity of size 1.5: a rounding of it. Another correction leaves a rounding
of that one, so 1e-32 was measured."""

LOCAL_ERROR = 0.05
"""Relative difference between the estimate of generalized-α and the local error, and of their orders: the next term is
Ω h = 0.15 times the estimate, with a coefficient below 1/3. Measured 0.009, and 0.046 in the order for ρ = 0 with index
3."""

FALL_FACTOR = 2.5
"""Deviation of errors at the end from the rate rtol^(2/3), as a factor: errors of steps add up with signs, which differ
by a factor of two between the first and the later tolerances. Measured 1.9."""

ADDED_ERRORS = 1e-5
"""Error of q, of size 1, at rtol 1e-8: 800 steps, each with 1e-8 at most, add up to 8e-6; measured 1e-6."""

SWING = 5e-5
"""Time and force where a pendulum passes its lowest point, at rtol 1e-6: 200 steps add up to 2e-4 if all errors were of
this size and one sign. Measured 5e-6 s, and 2e-6 of the force."""

ON_EVENT = 16 * EPSILON
"""An event function of size one with a rate of 2/s where adaptive steps end: roundings of t and q; measured 1e-16."""

OFF_VELOCITY = 0.05
"""Change of velocities over a step of almost no length: index 3 goes from velocities off the hidden constraints by h²
to ones on them, a share of h² Ω³ l/12 = 0.3 at h = 1 ms; index 2 moves by 655 rad/s² times the length. Measured 0.016
with index 3, 0.001 with index 2."""

CLOSED = 32 * EPSILON
"""|Φ| that Newton leaves, relative to the largest coordinate: differences of two nodes' coordinates, each of some
roundings; measured 14 ε for a cable of 2000 links, 1 ε for rods."""

STEP_ENERGY = 2e-4
"""Energy of order two of 1 kg that falls with g in J: h² m g²/12 at h = 1/200 s; measured 1.2e-5."""

LATE_MULTIPLIERS = 1e-11
"""The same for λ after two hundred steps: stages divide velocities of 150 rad/s by h, so λ amplifies their rounding
by 1/h = 2e3; measured 1e-12."""

RESIDUAL = 256 * EPSILON
"""Backward error of a pivoted solve of nine equations, relative to the largest right-hand side."""

OFF_GRID = 1e-6
"""Order five at h = 2⁻¹¹ has errors of 2e-7 at t = 1 and of 1e-8 at t = 0.05; missing a step would show as 0.07."""

RESTART = 1e-9
"""λ of a restart solves the index-1 system, λ of later steps comes from the method; they differ by 1e-8 relative."""

ENERGY_ORDER = 0.25
"""Observed orders of the largest error of an invariant along a solution: the maximum is not at the same time for each
step."""

ENERGY = 1e-11
"""Energies of order ten after ten seconds at h = 1e-3 with a method of order five, (ω h)⁵ = 1e-12 per unit of time."""

MOMENTUM = 1e-10
"""Order five at h = 0.01 over ten seconds with rates of 2/s: 20 (ω h)⁵ = 6e-8 times an error constant below 1e-3."""

ROUNDING_OF_INCREMENTS = 1e-14
"""Products, inverses and logarithms of elements of size one to three: some tens of roundings; measured 2e-15."""

SECANT = 1e-14
"""Limit of affine corrections by one secant: a quotient and some products of numbers up to two, each rounded."""

ROUNDING_OF_PRIMITIVES = 1e-15
"""Of functions of `primitives.h`: a reciprocal, a polynomial and two products, each within half a unit of 2.2e-16."""

ATTEMPTS = 1e-6
"""Sizes and relative errors of adaptive steps in C and in NumPy: rounding of 1e-15 relative to a tolerance of 1e-5,
which accumulates over a hundred steps, and Newton iterations that take the same corrections."""

ATTEMPTS_AT_REST = 1e-12
"""Residuals of these steps that consist of rounding."""

ROUNDING_OF_LONG_RUNS = 1e-13
"""Errors that tell an order must be above the rounding of a few hundred steps."""

PRESCRIBED_AGAINST_CONSTRAINED = 1e-8
"""Order-5 discretisation errors of two formulations at h = 1/400 over 0.25 s, and multipliers that differ by them."""

ROD_REFERENCE = 1e-9
"""Error of fifth order on the rods' benchmarks up to the last reference time (30 s and 15 s), at the coarsest steps
that reach it; energies relative. Measured 2.2e-10 and 5.7e-10 in q."""

ROD_REFERENCE_FINE = 1e-11
"""The same three halvings later; measured 5e-12 and 1.5e-12, the reference itself is good to 4e-13."""

ROD_MOMENTUM = 2e-9
"""Momenta of about 100 N s and 1000 N m s in the same runs; conserved or driven, they are better than the states."""

ROD_MULTIPLIERS = 3e-8
"""Internal forces relative to the largest one at that time, with the step of `ROD_REFERENCE`: measured 1.1e-8; λ is
less accurate than q by the square of the highest frequencies."""

ROD_ORDER_SLACK = 0.2
"""Largest shortfall of an order observed over two halvings on rods, whose stiff axial waves still contribute to the
error at affordable steps."""

ROD_HIDDEN = 1e-13
"""|B v| after each step: a dozen roundings of velocities of a few m/s, solved for by a band matrix of condition 3;
measured 1e-14."""

ROD_CONSTRAINT = 1e-11
"""|Φ| = Δs |Γ| in metres that half_explicit_5 drifts to with h = 2⁻⁹ s up to 15 s; measured 1.2e-12."""

EQUILIBRIUM = 1e-10
EQUILIBRIUM_FINE = 1e-8
"""|v'| at the exact circle with few and with 64 segments: stresses of 1e4 N and 314 N m cancel to round-off and are
divided by masses of Δs/2."""

EQUILIBRIUM_FORCE = 1e-9
"""Internal forces there, zero up to the same round-off before the division."""

EQUILIBRIUM_ENERGY = 1e-12
"""Energy of the circle, relative; a sum over 64 segments of squares of strains that are exact to a few ε."""

CLOSED_RING = 1e-6
"""Distance of the ends of the damped roll-up after 100 s."""

POWER_BALANCE = 1e-10
"""Power of kinetic and potential energy against the power of loads and damping, relative to the largest part; the
potential part is a difference of eighth order with a step of 0.01 s, exact to 1e-13."""

MOMENTUM_RATE = 1e-12
"""Sum of the nodes' momentum rates relative to the sum of their sizes, at rates of 1e4 N."""

FOUND_ORDER = 1e-8
"""Orders that are found by bisection down to an interval of 1e-9, from errors that are exact up to rounding."""

CLASSICAL_ROD = 1e-9
"""Rods in classical coordinates against those on S³ × R³ after 51 steps of order five with 1/1024 s: errors of both."""

ROD_BACKENDS = 1e-12
ROD_BACKENDS_MULTIPLIERS = 1e-11
"""C against NumPy after 20 steps, relative to the largest entry: sums in another order, amplified by stiffness.
Multipliers come from velocities divided by the step of 2 ms; measured 1.4e-12."""

TOPOLOGY_CONSTRAINT = 1e-10
"""|Φ| after 20 steps of 2 ms of half_explicit_5 on rods of a metre; measured 3e-12."""

ELIMINATIONS = 1e-12
"""Banded elimination of the Schur complement against a dense solution of the saddle point system, relative: ε times
the condition of the dense matrix, in which entries of M of 1e-3 and of B of one meet; measured 7e-15. Residuals of
random saddle point systems, for which the bar is demanded; measured 1.5e-14."""

SADDLES_AFTER_STEPS = 1e-9
"""Two formulations of the same motion with steps of order five, h⁵ = 64⁻⁵ = 9e-10 times constants below one; found
5e-10."""

CONDITIONED = 16 * EPSILON
"""Solutions of random saddle point systems against SuperLU, relative, over their condition number, which is up to 1e4:
two backward errors of a few roundings each. Measured 2.5 ε."""

STIFF = 1e-7
"""The same with springs of 1e8, as such: stored springs are rounded by 1e8 ε = 2e-8, which rigid motions with masses of
size one feel. Measured 4e-9."""

LINEAR_COST = 0.1
"""Costs per node at 64 and at 512 nodes, relative: at the ends of a graph some nodes have less fill, a few in 64.
Measured 0.03."""

TOPOLOGY_INVARIANT = 1e-10
"""Drift of invariants over a few hundred steps of order 5 on vibrating systems, relative to their size; measured
2e-12 of the energy."""

GROUPS_OF_A_ROD = 1e-12
"""The same motion with quaternions and with rotation matrices; methods act on the Lie algebra, which is the same, so
only rounding differs."""

ROD_AT_REST = 1e-11
"""A rod that moves as a rigid body for a hundred steps: rounding of its directions, amplified by a stiffness of 1e4."""

WHOLE_TURNS = 64 * EPSILON
"""Angles up to 15 less whole turns and back again: a few roundings of numbers of this size."""

PAGE_EVENT = 2e-6
"""Times of events of the README's pendulum in s, between runs with rtol 1e-6 and 1e-10, ten swings; measured 4e-7."""

PAGE_GYROSCOPE = 0.05
"""Relative; a gyroscope that spins eight times as fast as it nutates precesses as in the fast limit, up to 3 %."""

PAGE_GYROSCOPE_ENERGY = 1e-6
"""In J; 2.4e-7 over 3 s at rtol = 1e-8, where the wheel has 113 J."""

PAGE_BEAD = 1e-5
"""Relative; a motion that reaches infinity, at half the way to there and rtol = 1e-6."""

PAGE_DOUBLE_PENDULUM = 5e-12
"""In m; the tip of a double pendulum after 2 s at the tolerances of `docs/coming_from.md`; measured 7e-13."""

PAGE_DOUBLE_PENDULUM_OF_EXUDYN = 2e-6
"""In m; the same by a method of order two with steps of 0.1 ms; measured 1.1e-6."""

PAGE_DRIFT = 2e-8
"""Drift of invariants of the rods and springs of `docs/rods.md` over 500 steps of order 5, in J and N s, of energies
a few joules; measured 4e-9."""

WAY_DIFFERENCE = 1e-7
"""Central differences of 2⁻¹⁴ of increments below one: a sixth of the square is 6e-10, third derivatives are tens."""

ROD_DIFFERENCE = 1e-10
"""Central differences of fourth order with a step of 1e-4 of constraints of size one: rounding ε/1e-4; measured
3e-12."""

COMPOSED = 16 * EPSILON
"""Product of two half-angle quaternions and its rotation vector: a dozen roundings of numbers up to one, times angles
up to 2π; absolute, because the storage itself is rounded."""

STAGE_DIFFERENCE = 1e-8
"""Central differences of 1e-5 of stages of a step, solved with their matrix: rounding ε/1e-5 = 2e-11 and truncation
1e-10/6, both times a condition of tens; measured 3e-10. Without the slopes of loads between the ends it is 1e-2."""

PIECE_DIFFERENCE = 1e-8
"""Central differences of pieces of size one with a step of 2⁻²⁰: truncation 1e-12 times a third derivative below 1e2,
rounding 2e-10."""

FRICTION = 1e-7
"""A block with regularised friction: order five at a hundredth of the time scale of the friction law, apart from a stop
whose second derivative jumps, where a step is not ended; against Radau IIA with relative tolerance 1e-10."""

TWO_DIGITS = 0.04
"""Values printed with two digits, the first of which may be 1; half a unit of the second is 5 %, of 1.5 it is 3.3 %."""

THREE_DIGITS = 0.01
"""Values printed with three digits."""

TABLE_FACTOR = 1.1
"""Factor by which tabulated drift with one or two digits may differ: half a unit of 1.2 is 4 %, of 9.4 0.5 %; the
largest value over all stages' sampling differs by a few per cent more."""

OBSERVED_ORDER = 0.25
"""An observed order over one halving of the step, before the asymptotic range is quite reached."""

ADAPTIVE_STEPS = 1e-6
"""Step sizes of adaptive runs in C and NumPy: the estimate is a difference of nearly equal numbers, 1e-10 of them with
the tolerances of the tests, and the step size feels its fifth root."""

LOOSE_STEPS = 3e-11
"""The same where estimates are as large as 1e-3 of a state: roundings of v̇, a difference of terms of v/h, over some
twenty steps; measured 1.2e-12."""

ADAPTIVE_STATES = 1e-6
"""States of the same runs: the local error, 1e-4, times the relative difference of the step sizes, accumulated."""

SINGULAR_TIME = 1e-6
"""How close adaptive steps come to a pole of the solution before they underflow."""

EVENT_TIME = 1e-12
"""Times of events of motions that the methods integrate exactly: rounding of t, and of the event function."""

SETTLED = 1e-8
"""Remainder of an initial motion that a controller has brought to rest, relative to its forces or in mrad: ten seconds
of the integral's decay, then the tolerance of the steps. Measured 2e-11, and 1.2e-9 mrad."""

LAST_LAP = 1e-6
"""Relative difference of the last laps of a motor that runs up, of which the last part decays with its time constant:
the page says that they agree to this. Measured 3.7e-7."""

PROJECTED = 2e-15
"""Largest |Φ| after projection, for lengths of one metre: a few roundings of q and of Φ itself."""

PROJECTED_VELOCITY = 1e-12
"""Largest |B v + b| after projection, for velocities of 150 m/s: a few roundings times a lever of one metre."""

DENSE_CONSTRAINT = 1e-9
"""|Φ| between steps of 2⁻¹¹ at 150 rad/s: the error of a quintic, (h ω)⁶/46080 = 3e-12, times what T adds."""

DENSE_CHAIN = 1e-7
"""Error of a step of 2⁻⁸ for a chain that swings with a few rad/s."""

ADAPTIVE_ENERGY = 1e-9
"""Energies and integrals of the motion relative to their size, after adaptive runs of ten turns with rtol 1e-10."""

GENERAL_FUNCTION = 1e-13
"""Groups without closed forms, whose series are cut at 2⁻⁵³ relative to matrices of norm one, in 50 digits; products
of several elements and their inverses multiply it by up to a thousand."""

OPERATOR = 8 * EPSILON
"""exp, log, T, T⁻¹ and Ad in doubles, relative error in the Frobenius norm, angles up to π and translations up to 10;
measured 3.6 ε."""

OPERATOR_DERIVATIVE = 16 * EPSILON
"""∂(T w)/∂θ and ∂(T⁻¹ w)/∂θ in the same way."""

LOOPS = 24 * EPSILON
"""exp, T and their like by loops over matrices in doubles, norms of ad up to 4, relative to the norm of the value times
|T| |T⁻¹|/n; measured 9 ε."""

LOOPED_LOGARITHM = 16 * EPSILON
"""log by loops where T⁻¹ is of size one, up to 1e-12 from rotations by π, absolute; measured 6 ε."""

LOOPS_IN_C = 64 * EPSILON
"""The same loops in C and NumPy, which sum in other orders: relative to the norm, times |T| |T⁻¹|/n."""

SPACES = 1e-12
"""Fields that follow from vector fields at points of size ten, in doubles: an elimination of 6 to 21 unknowns."""

SPACES_REFERENCE = 1e-10
"""Adaptive runs over 1 to 2 s at tolerances of 1e-11 and 1e-12 of motions with rates of up to 10: errors of many steps
add up; the references are good to 1e-12."""

TANGENT = 1e-14
"""|q| = 1 and q·ω = 0 after normalisation, ω of size 5."""

BACKENDS_OF_SPACES = 1e-12
"""The same run of 20 to 50 steps in C and in NumPy: rounding in another order."""

FLOOR_FACTOR = 10.0
"""Errors against references of many digits, relative to a double precision code with a tolerance of 1e-13."""

SERIES_OF_T = 1e-13
"""T⁻¹ by its series of 36 terms, for angles below 0.9 rad, where they converge as (0.9/2π)^k: rounding is left."""

LINEAR_STAGE = 1e-12
"""Residual of a linear system of 30 unknowns after one Newton step, over that before."""

LINEAR_DECAY = 5e-3
"""Decay of an error of 1e-3 in a quarter of a second, relative to the linear law: faster roots, products."""

ATTITUDE_FLOOR = 1e-10
"""Errors of attitudes after they have decayed, where angles are of size one: the error of the method in 4,000 steps."""

QUADRATURE = 1e-6
"""Work by Simpson's rule in 512 steps, relative to the energy gained."""

CASIMIR = 1e-14
"""A norm of size one that each step keeps exactly, over a thousand steps."""

COORDINATES = 1e-9
"""A motion of half a second by order five with steps of 2⁻⁸ in different local coordinates; measured 2e-11."""

SYMPLECTIC = 1e-7
"""Central differences of one step with differences of 1e-4."""

NEWTON_BY_DIFFERENCES = 1e-8
"""Central differences with differences of 1e-6, relative."""

THETA_MOMENTUM = 2e-12
"""Momenta of size 70 after a hundred implicit steps."""

ADJOINT = 1e-13
"""Round-off of some implicit steps, at size 3."""

COMPOSED_STEPS = 1e-5
"""Times in s and angles in rad of a pendulum after two seconds with steps of 2⁻⁶ s and order four: off by 1.2e-6 s, and
at up to 7 rad/s by seven times that in rad."""

DENSE_SOLVE = 2e-11
"""Relative; the dense system of a random chain of 100 links, whose condition grows with the number of links. Another
implementation saw 5e-13 for 100 links."""

PAGE_SPACES = 1e-6
"""Energies and angles of the examples of `docs/manifolds.md`, run with tolerances of 1e-8 and 1e-9 or steps of 0.05."""

PAGE_STEADY = 1e-11
"""Lengths in m of a steady rotation of the tutorial of a custom group, and components of its state from C and NumPy
code, after five steps; measured 3e-12."""

PAGE_ROLL_UP = 1e-12
"""In m; a rod of 1 m that an end moment bends to a quarter of a circle, without discretisation error."""

PAGE_ELASTICA = 3e-3
"""Relative; the deflection of ten segments, whose error of order two is 2.2e-3."""

PAGE_CANTILEVER = 5e-3
"""Relative; the first frequency of ten segments, whose error of order two is 2.9e-3, and its decay in a run with steps
of an eightieth of the period, off by 2.5e-3."""

PAGE_LINKAGE = 1e-9
"""Relative; eigenvalues of a linkage with one degree of freedom, without discretisation error."""

PAGE_LINKAGE_POSITION = 1e-8
"""In m; a driven slider after fifty steps of order five; measured 2.2e-9."""

PAGE_LINKAGE_WORK = 1e-4
"""Relative; power of a drive by Simpson's rule with a step of 0.2 rad of the crank; measured 1.7e-5."""

PAGE_SAMPLED_TORQUE = 5e-5
"""In N m; a drive through 81 samples of two seconds, of order four in the accelerations; measured 1.5e-5 of 6 N m."""

PAGE_QUESTIONS = 1e-10
"""Relative, or in rad/s: parabolas, cubics, equilibria and eigenvalues, which methods and splines reproduce but for
rounding and the tolerance of Newton's method."""

PAGE_FIT = 1e-6
"""Relative; parameters fitted to exact samples with rtol = 1e-9 of the runs and 1e-8 of the fit."""

PAGE_IMPULSE = 5e-7
"""Impulses over 0.02 s of a force of 40 N that changes with 10/s, in N s, by Simpson's rule: 40 · 0.01⁵ · 10⁴/90 = 4e-7
at most; measured 3e-8."""

PAGE_TURN = 1e-12
"""Velocity that turns by 0.23 rad in a hundred steps of order five: 0.23 · 0.0023⁵ = 1e-14, and roundings; measured
2e-16."""

STATED_FUNCTION = 4e-15
"""Functions of ad from power series, relative to their largest component or to the terms of the series."""

RECORDED_ERROR = 0.06
"""Relative: errors on record have two digits, half a unit of which is up to 4.5 % (1.1e-12), from other samples."""

RECORDED_SWITCH = 0.15
"""Relative: on record are switches of least measured error, ours are of least proved error, up to 2.5 times as large.
Errors that grow like ω⁶ and fall like ω⁻² cross elsewhere by 2.5^(1/8) - 1 = 12 %; records have two digits."""

BOTH_FORMS = 1e-9
"""Two formulations of up to seven links over at most a second, each at a tolerance from 1e-11 to 1e-10: errors of many
steps, a hundred at 1e-11 or ten at 1e-10 if they added up."""

COUNTED_ANGLE = 1e-6
"""Angles of rotations at constant or linearly growing rates, which all methods follow but for their tolerance; a turn
too many or too few is 6.3."""

GRAZING_TIME = 1e-8
"""Places where a function of size one touches zero: a change of 1e-8 changes it by the rounding of doubles."""

ROTATION = 1e-12
"""Rotations of at most a few radians, or of 90°, that are converted from one form to another: a few dozen roundings."""

ROUNDING_OF_UNITS = 1e-14
"""Relative: numbers that were multiplied and divided by the sizes of a few units, or rotated by an angle once."""

TRAJECTORY = 2e-8
"""Adaptive runs at a tolerance of 1e-9 over half a second, some tens of steps whose errors add up and grow by less than
a factor, against ones at 1e-11; relative to one and the largest entry. Models that differ by more are run a second time
at 1e-12 and 1e-13, which no wrong equation survives."""

SHORTER_STEPS = 1e-10
"""Differences of one step taken twice, and what a projection leaves of constraints, for states of size 1."""

SINGLE_STEPS = 5e-6
SINGLE_STEPS_OF_RODS = 1e-3
SINGLE_IMPLICIT_STEPS = 1e-4
"""Relative to the largest entry, in floats: 20 steps of a top, each of which rounds by 6e-8 a few times, and of a
rod, whose axial waves turn rounding errors of positions into velocities, by c/Δs = 200/s and more. Newton's method
ends where residuals are rounding, which forces of 1e4 N amplify. Measured 3e-7 of the top, 2.4e-4 in v of the rod,
2e-5 of implicit steps."""

SINGLE_ON_BOARDS = 2e-5
"""The same after 1,000 steps of a top that turns by 150 rad, on a board: rounding of angles accumulates."""

ADVANCED = 8.0
"""Roundings, in the compiled precision, of one exp and one product of poses with entries of one; measured 1.5 in
floats."""

PAGE_SPRING = 2e-6
"""Largest stretch of the spring of `docs/implicit.md`, in m: it bears 9.81 (3 - 2 · 0.8) N = 14 N at the lowest point
of the pendulum, over 1e7 N/m; measured 1.38e-6."""

FIFTY_DIGITS = 1e-45
"""Derived momenta and those written by hand, evaluated in fifty digits, relative to the largest; measured 1e-49."""

ON_BOTH_CONSTRAINTS = 1e-11
"""Φ and B v after steps of variational methods, of the size of q or v; demanded by the statement of these methods."""

VARIATIONAL_ORDER = 0.1
"""Largest difference of the observed order from two, for the largest error of a run; demanded likewise, found within
0.02."""

KEPT_MOMENTUM = 1e-11
"""Momenta of two linked bodies over 20,480 steps, relative to their magnitude or to the distance travelled; demanded
likewise."""

NO_TREND = 3.7
"""Standard errors of the slope of a line through mean energies of eight parts of a run: without a trend one slope in a
hundred is above that, by Student's distribution of six degrees of freedom."""

SYMPLECTIC_FORM = 1e-10
"""Its defect over a step of variational methods, of a momentum of 7 kg m²/s: rounding of 1e-15 over differences at
5e-4, times 15 kg m²; measured 6e-12."""

TIME_REVERSAL = 1e-10
"""q and v after 512 steps there and back; demanded likewise."""

PAGE_VARIATIONAL = 1e-14
"""Residuals of the pendulum of `docs/variational.md`, in m and m/s; measured 4.4e-16."""

PAGE_SLOT = 1e-12
"""Energy in J and horizontal position of the centre of mass in m, both constant, after 1000 steps of order five;
measured 2e-14 and 0."""

PAGE_VARIATIONAL_ENERGY = 1e-3
"""By how much its energy oscillates with steps of 0.01 s, in J: a part of 8 J that falls as h²; measured 5.3e-4."""

DIFFERENCE_OF_RUNS = 2e-8
"""Derivatives of a few steps against differences of runs at a distance of 1e-5, relative to the largest entry: rounding
of velocities up to 150 by 2e-14, over 2e-5; measured up to 3e-9."""

PERIODIC = 1e-7
"""Derivatives of motions over a period of 64 to 128 steps of fifth order, whose errors are below 2e-8."""

BEFORE_A_POLE = 1e-6
"""Positions of up to 99 before a pole, in a run with rtol 1e-8: 1e-8 of them for each of the last steps; measured
8e-8."""

DOUBLE_ZERO = 1e-7
"""Eigenvalues of a matrix of size 10 of which zero is a double one: rounding splits it by √ε times that size. Measured
2e-15, where the zeros are exact."""

BEAM = 1e-3
"""Frequencies of a beam of 64 segments, relative: (β/64)²/12 for the wave number times length β = 7.85 of the third
mode; measured 1.4e-4."""

SHAPES = 1e-6
"""Shapes of modes by sparse and dense matrices: `FREQUENCY` over the relative gaps of eigenvalues; measured 4e-8."""

DECIMAL_CONDITIONS = 1e-38
"""Order conditions with coefficients of 40 digits, sums of some tens of products; measured 3e-40."""

SIXTEEN_DIGITS = 1e-15
"""Order conditions with coefficients of 16 digits, sums of a dozen that are rounded by 5e-17; measured 7e-17."""

CHAIN_ENERGY = 1e-8
"""Energy of a chain over 1 s in J, of rates of up to 10: some 50 steps of tolerance 1e-10 times forces; measured
7e-10."""

FORMULATION_RATES = 5e-8
"""Energies and momenta of two formulations at a tolerance of 1e-9, for rates of up to 10: some 20 steps, times masses
and rates; measured 3e-9."""

FAST_FILTER = 1e-4
"""Lag of a filter of τ = 10⁻⁶ s, relative to its input: τ times the logarithmic rate of the input, some 10/s, with a
margin for the initial transient. Measured 1.3e-5."""

SPRING_SHARES = 3e-2
"""Shares of springs that replace constraints and give way by 1e-4 of the lengths, relative: change of the levers."""

SHARES = 1e-8
"""Shares of redundant supports in a force: rounding of combinations of rows. Measured 1e-10."""

WITHOUT_REDUNDANT_ROWS = 1e-9
"""Configurations of runs with and without redundant rows: rounding of Newton's method or, of half-explicit methods,
errors of two methods of order five; measured 2e-13 and 3e-10."""

RATES_WITHOUT_REDUNDANT_ROWS = 1e-9
"""Their velocities, relative: rounding of Φ times 2/h."""

FORCES_WITHOUT_REDUNDANT_ROWS = 1e-6
"""Their constraint forces, relative: with index 3 rounding of Φ over h²."""

ACROSS_NULL_SPACE = 1e-12
"""Multipliers of minimal norm along combinations of rows that vanish, relative: rounding; measured 1e-14."""

NEAR_DEPENDENCE = 1e-4
"""Steps of 1/32 over a turn of one row against another one: errors of steps over their angle, 1/2; measured 4e-5."""

MINIMAL_MULTIPLIERS = 1e-9
"""Multipliers of size one of two equal rows, in runs of a few steps: rounding of Φ over h², or between two methods;
measured 3e-13."""

MASSLESS_AND_TWICE = 1e-4
"""Vibrations of frequency 2 with steps of 1/64 and order two over 1 s: (2/64)²/12 · 0.1 times two; measured 2e-5."""

PINNED_TWICE = 1e-7
"""Positions of adaptive runs with a tolerance of 1e-9 over some 50 steps; measured 2e-9."""

LOOSE_RUNS = 1e-2
"""Positions of adaptive runs with a tolerance of 1e-3 over some ten steps; measured 2e-3."""

BETWEEN_STEPS = 1e-5
"""Multipliers of interpolated states, or of the acceleration-level system, relative to forces of some tens: errors of
steps of fifth order of 1/128."""

SQUARED_HEADING = 1e-5
"""Velocities of a wheel on a heading of 1e-3 rad against those on none, relative: its square; measured 7e-7."""

DENSE_ENERGY = 1e-6
"""Energy in J, of 5000 J, between steps of 2⁻¹¹ at 150 rad/s: of a quintic, (h ω)⁶/46080 of it; measured 1e-8."""

ELASTICA = 1.0
"""Error of the tip of a bent rod of one metre times the squared number of segments: the arc of a segment of curvature κ
exceeds its chord by κ²/24, with κ up to some 3 at the clamp; measured 0.17."""

CATENARY = 1e-3
"""Pull of a chain of 64 links relative to a catenary: order two, 1/64² = 2e-4; measured 4e-5."""

PAIR_ENERGY = 1e-6
"""Energy in J of two bodies over 2 s with methods of order four and steps of 2⁻⁷: h⁴ = 4e-9 times rates of some units
to the fifth power; measured 6e-8."""

DRIVEN_BALANCE = 1e-9
"""Energy balance in J over 10 s by Simpson's rule with steps of 0.005: h⁴/180 = 3e-12 times the length and a fourth
derivative of some units; measured 5e-11."""

BETWEEN_STEPS_OF_FOUR = 1e-7
"""Rotations between steps of order four of 1/256 at 3 rad/s: (h ω)⁴ = 2e-8 times error constants below one; measured
6e-9."""

SAME_MOTION_CUT = 1e-12
"""A hundred steps of three bodies whose equations are solved by two eliminations: rounding of 1e-16, times the growth
of differences over 0.1 s (about 10) and the condition of the saddle matrix (about 100)."""

SAME_ANGLE_OVER_TURNS = 1e-11
"""Angles of up to 40 rad from stored rotations and from a coordinate: rounding of some 100 steps; measured 1e-13."""

ROTOR = 5e-12
"""Position in m of a bearing of the rotor at its third second with h = 1e-5 s: in 3e5 steps ε of a phase of 0.2 rad
adds up, which deflections of 1e-4 m follow, and 10,000 turns; found to be 1.6e-12."""

SLIDER_CRANK = 1e-10
"""Slider in m and crank angle in rad after 5 s with h = 2⁻¹¹ s, by differences of h = 2⁻¹⁰ s and 2⁻¹¹ s: 1.7e-9/2⁵;
found to be 2e-12 and 3.4e-11."""

EXTRAPOLATED_SLIDER_CRANK = 1e-6
"""The same by Richardson's extrapolation of order two from h = 2⁻¹¹ s and 2⁻¹² s: terms h⁴ remain, by the difference of
observed orders from two, 3.4e-3, half a hundredth of the error 1.8e-4; found to be 5.8e-7."""

ORDER_OF_SLIDER_CRANK = 0.1
"""Observed order two between these steps; found to be 2.000 to 2.013."""

PRINTED_TORQUES = 5e-9
"""Torques of the literature in N m, printed with eight decimals."""

EFFORTS = 1e-10
"""Torques in N m of drives against the minimal form: Φ of 1e-12 by order five with h = 1e-3 s turns gravity and inertia
of 60 N m by as much; found to be 2.5e-11."""

SAGGING_ITERATIONS = 20
"""Of angles under weight: 37 N m/rad over gains of 4e4 N m/rad are a factor of 1e-3."""

DIFFERENCED_WEIGHT_STEP = 1e-5
"""In rad: central differences lose a sixth of its square, and ε over it."""

FREQUENCIES_OF_PUMA = 1e-7
"""Eigenvalues from differenced weights: 1e-10 of 37 N m/rad against stiffnesses of 10 N m/rad and more."""

ANGLES_OF_PUMA = 5e-11
"""In rad, of half_explicit_5 with h = 2⁻¹² s, by differences of h = 2⁻¹⁰ s and 2⁻¹¹ s: 2.3e-10/2⁵; found to be
4.4e-12."""

ORDER_OF_PUMA = 0.1
"""Observed orders two between h = 2⁻⁹ s and 2⁻¹² s, and five, which terms of sixth order raise."""

MECHANISM_OF_A_PAGE = 1e-7
"""Energies, momenta and angles of pages in SI units, after a hundred steps or so of order five with h ω of a tenth:
(h ω)⁵/120 of size one; found to be at most 1.6e-8."""

GOVERNOR = 2e-3
"""Cosine of the angle of arms of 0.1 m and 0.2 m whose bushings give way by 3e-4 m; found to be 3.4e-4."""

SPIN_OF_BARS = 1e-6
"""In m: the inertia of bars about their axes, 1e-6 of the transverse one, and the error of order five; found to be
1.2e-7."""

SQUEEZER = 2e-8
"""In rad, after 16 rad in 600 steps of order five; found to be 5e-9."""

MECHANISM = 1e-11
"""Kernels of random mechanisms in doubles against 50 digits, relative to the largest entry: rotations that are off the
group by ε, cancellation of lengths up to 3 m in rows, and second derivatives of an angle near its pole; found to be
2e-13."""

MECHANISM_ENERGY = 1e-9
"""Energy of random mechanisms over 20 steps of 1 ms of order five: local errors of (ω h)⁶ with ω up to 30/s, and what
projection does to velocities; found to be 7e-11."""

LINEAR_CONTINUUM = 1e-9
"""Relative, of frequencies of eigenvalues ω² whose largest is (4K/π)² times the smallest."""

SPACE_ORDER = 0.15
"""Observed order two of continua between grids of 8 to 20 segments; of a rod between 4 and 256, demanded likewise."""

CANTILEVER_GRID = 3e-3
"""Relative to the length, of a cantilever of 20 segments that turns by 1.2 rad; a quarter of what 10 segments leave."""

ROLL_UP_RESIDUAL = 1e-11
"""Forces in N and moments in N m at the exact circle of a rod, of 314 N m rounded a few times."""

CANTILEVER_OF_SEGMENTS = 0.6
"""Times 1/K², relative: curvatures in the middle of K segments miss 1/(2K²) of the deflection of a cantilever."""

SMOOTH_IDENTITY = 1e-12
"""Relative, of identities of smooth functions and their derivatives in doubles."""

RECURRENCE = 2**10 * EPSILON
"""Means and deviations of forty members by a recurrence and by sums: a few roundings of the largest value for each
member."""

FOUND_EQUILIBRIUM = 1e-9
"""An equilibrium by Newton's method compared with its formula, in m: the last correction is below this, and the
remaining error is its square."""

JETS = 1e-50
"""Coefficients of jets in 60 digits against numerical differentiation of compositions in as many."""

FUNCTION_SERIES = 1e-12
"""Coefficients of functions up to order 60, relative to the largest within two radians of ω: of c_{k,m} a phase ω has
ω/2 units of rounding; measured 2e-14 up to ω = 140 for k below 8; c_16 loses more where orders are above 40. Relative
to themselves: of g_m and a_p, measured 1e-14."""

STATED_SERIES = 1e-14
"""Coefficients of known series up to order 60, times the same power of a third of the distance to the nearest
singularity or of one, relative to the largest of these: measured below 1e-15, since sums of their terms do not
cancel."""

ROD_SERIES = 1e-10
"""Rods by series compared with other methods, both with a tolerance of 1e-12."""

SERIES = 1e-10
"""A second of the fast top by series with a tolerance of 1e-12, through some 150 rad; multipliers of 1e4 N."""

SERIES_OF_MODELS = 2e-9
"""Series with a tolerance of 1e-10 compared with half-explicit steps with 1e-11, over half a second."""

SERIES_ORDER = 0.3
"""Of orders that are seen at two lengths of steps, of which the longer one turns by 1.2 rad at most: the next term of
the series is up to a twelfth of the last one, which is an eighth in the order; measured 0.1."""

SERIES_BEHAVIOUR = 20.0
"""Global errors of the fast top over half a second, relative to the tolerance of each step."""

SERIES_IN_PIECES = 1e-10
"""Piecewise motions that are known in closed form, by series with a tolerance of 1e-12 and by equal steps of order
twenty."""

SERIES_BETWEEN_PIECES = 1e-9
"""Their velocities between steps; equal steps continue across ends of pieces."""

EVENTS_OF_SERIES = 1e-13
"""Event functions of the size of one, in fifty digits, at times of events by series with a tolerance of 1e-14."""

NEAREST_TANGENCY = 3e-12
"""Distance from tangency, relative to the largest value, from which touching is distinguished from crossing and from
missing: three times what counts as zero."""

SERIES_FLOOR = 1e-14
"""Error of a step by series that is rounding, in units of q and of v over its size."""

ROUNDED_SERIES = 5e-15
"""Rotation of the fast top after a second, 150 rad, by series with tolerances near the least: 23 units of rounding.
Measured 1e-15 to 3e-15 for the least of some on all groups, and 2e-15 with eighty equal steps: the rounding of terms of
as many steps."""

ROUNDED_SERIES_MEDIAN = 1e-14
"""The median of such errors over neighbouring tolerances. Measured of forty: 6e-15 on S³, 2e-15 to 4e-15 on others."""

PASSED_POLE = 1e-12
"""Velocities by series past a pole near the time axis, with a tolerance of 1e-14: an error of a step that may be
mistaken for rounding; measured 4e-14."""

DIVERGED_MOTION = 0.05
"""Errors of quaternions up to which runs of equal steps are of use: from here on no shorter step may be refused."""

RADIUS = 0.35
"""Relative: the radius of convergence from terms up to order eight, where x and v have factors k + 1 and (k + 1)(k + 2)
in addition to the powers: (2/9)^(1/7) of it, 0.81, and (6/90)^(1/7), 0.68."""

DRAWN_LINES = 0.005
"""Distance of two curves, relative to the height of their axes: half the width of a line, which is one in a hundred."""

DRAWN_POSITION = 2.0**-20 * 2
"""Positions of a page over the extent of the motion: rounding to the next power of two, and single precision."""

DRAWN_ROTATION = 4 * 2.0**-20
"""Entries of rotation matrices of a page: twice what components of quaternions are rounded to, and their sum."""

PRINCIPAL_BOX = 1e-9
"""Inertia of a box against the body that it stands for, relative to the largest entry: eigenvectors of doubles, and
rates of classical coordinates by differences of 1e-6."""

SEEN_THINNED = 1e-4
"""Distance of omitted states from the drawn ones, over the extent: a tenth of a pixel."""

PIXELS = 1.5
"""Distance of visible objects from their projected positions, in pixels: the centre of a small ball in perspective is
not the centre of its image, whose edge is found to half a pixel."""

DRAWN_STRAINS = 2.0**-23
"""Strains that are the same everywhere, so that only single precision rounds them."""

POINTER = 2.0
"""Distance of a click on the time bar from where it is meant, in pixels: the bar begins between two, and rounding."""

SAME_DIGITS = 0.05
"""Relative, for errors given with two or three digits: half of the last digit."""

STRAIGHT_MOTION = 1e-7
"""Velocities by differences over 0.05 s of bodies that move straight on, in m/s: errors of steps alone."""

PUSHED = 1e-13
"""Positions and velocities of size one under constant forces, which methods follow exactly: rounding of some hundred
steps and of differences over short ones."""

NEAR_A_JUMP = 1e-11
"""The same where another table ends at 2000 s, so that steps begin 7e-12 s after a jump."""

ACROSS_KINKS = 1e-6
"""Adaptive steps with tolerances of 1e-9, of up to eight kinks and jumps with some tens of steps each; steps of one
length of order three and more are exact where forces are linear in time."""
MOORING_LINE = 1e-3
"""Tension of a mooring line at its fairlead with 50 elements and more, relative to the elastic catenary on a rigid bed;
measured 6e-4 with 50, 4e-4 with 100, 2e-5 with 800."""

CABLE = 1.0
"""Sag of a cable of length one: it hangs as a polygon, in squares of the longest element over the radius a of the
catenary, and stretches by its tension of some (1 + a) weights over EA, which a flat cable multiplies by 1 + a."""
TIME_UNIT = 10
"""Differences of runs by series whose rates are multiplied by numbers that are no powers of two, relative to the
tolerance of their steps or to 1e-13, and to the largest component: other rounding, and steps whose lengths differ by
one in 64. Measured 0.3."""

PERICENTRE = 1e-9
"""Three orbits of eccentricity 0.9999 with a relative tolerance of 1e-12: rounding of the angular momentum near the
pericentre decides; measured 2e-11."""
TIME_AT_START = 1e-13
"""Of events within 2.5 s of the start, in s: zeros of polynomials are found to a few units of rounding."""

TIMES_OF_IMPACTS = 1e-12
"""Of the last of ninety impacts, in s: each is found to a few units of rounding of 2.5 s."""

MATRIX_LOGARITHM = 1e-25
"""Logarithms of matrices with rotations within 1e-6 of π, in 40 digits: differences of matrices lose twelve there, and
constants of series have forty."""
OTHER_BRANCH = 0.1
"""Distance from the smooth branch of a linkage with links of length one, or a difference of angles in rad: drift at
rtol = 1e-3 is below 0.05, the other branch is 1 away soon after the singular configuration."""

BACKENDS_BEHIND_SINGULARITY = 1e-6
"""C against NumPy after a configuration where rounding is amplified by the inverse of a small singular value, 1e3, and
by its square in multipliers."""

PATH = 1e-8
"""Parameter along a path of equilibria compared with its formula, for numbers of size one: the tolerance of corrections
times the stiffness."""

LOCATED_ON_PATH = 1e-6
"""Configuration at limit and bifurcation points: the zero of a rate of the path, with tangents from differences;
measured 1e-8."""

BUCKLING = 2e-2
"""Euler's load of a column of 8 segments: order two, π²/(96·8²)·12; measured 4e-3."""

DEEP_ARCH = 0.5
"""Limit load in N of the deep arch, extrapolated from 20 and 40 segments, compared with the three printed digits."""
SAMPLED_EFFORT = 2e-5
"""Effort of an arm, at most 5 N m, from 61 samples of its motion in three seconds by a quintic spline, whose second
derivative is off by 4e-6 rad/s² at its ends. Measured 5e-6 N m with all methods of order four and more."""

SAMPLED_EFFORT_OF_LOW_ORDER = 2e-3
"""The same by cubic splines, by `generalized_alpha` with steps of 0.01 s, and by `bdf` with a tolerance of 1e-6.
Measured 1e-3, 1.4e-5 and 1.2e-4 N m."""

SPLINES_OF_SCIPY = 1e-9
"""Second derivatives of cubic splines through 17 random points, some of them near to each other, relative to the
largest of value and derivatives: rounding of two ways to solve for them."""

DERIVATIVES_AT_KNOTS = 1e-7
"""Derivatives of a quintic spline up to the fourth, of size 1e2, on both sides of a knot: rounding by the fourth
power of the inverse spacing 4. Measured 1e-11."""

REPEATED_TABLE = 1e-12
"""A periodic table some periods later: rounding of the argument, times a second derivative of 10."""

SPLINE_OF_A_POLYNOMIAL = 1e-9
"""Motion on a curve by a quintic spline of 81 points against its formula: rounding of the spline, whose second
derivatives are off by 1e-12, over two seconds; multipliers and Newton matrices a hundred times as much. Measured
1e-11."""

STEPS_ACROSS_A_SPLINE = 1e-9
"""A motion on a spline by series, tolerance 1e-12, against 50,000 steps of order five, which cross its knots: kinks
of the third derivative within steps of 6e-5 s cost 1e-12."""

PROFILE_OF_PARABOLAS = 1e-5
"""Effort after a jump of acceleration, by stages of order five with steps of 0.01 s. Measured 2.4e-6 N m."""
FORCES_OF_FRAME = 1e-6
"""Forces of joints of a frame of 98.1 N at rest, solved for with condition numbers below 1e4."""

METAMORPHIC = 1e-8
"""One mechanism in two writings with the same fixed steps, relative to the size of each quantity: rounding of units and
frames in constraint forces, which 32 steps and the conditioning of random mechanisms amplify; measured 1e-10."""

METAMORPHIC_LIMIT = 1e-5
"""The same with steps, coordinates or equilibria that agree within a tolerance of 1e-10 alone, whose local errors
accelerations of random mechanisms amplify."""

JOINED_RODS = 1e-10
"""Forces, energies and constraints of rods joined at angles against the same rods disconnected, relative to the
largest: rounding of two frames, with stiffnesses over squared lengths of 1e3."""
SEPARATE_EIGENVALUES = 1e-6
"""Reported accuracy of eigenvalues, relative to them, where no entry of the equations is a sum with faster parts; it is
worse than the rounding of entries near multiple eigenvalues."""

CRAFT = 3e-3
"""Frequencies of beams with 20 segments on a free hub, of order two in the segments; measured 2.7e-3."""
BACKENDS_OF_NONLINEAR_ROWS = 1e-11
"""C and NumPy with constraints that are nonlinear in the velocities: rounding that Newton's iterations in ten steps
leave in the multipliers, where it is divided by the step size; measured 3e-13."""

FORMS_OF_ROWS = 1e-9
"""One constraint on velocities in several forms whose derivatives agree where it holds: rounding of ψ, and Newton's
tolerance of implicit steps."""

FORCE_OF_BALANCES = 1e-4
"""Multipliers of balances of forces, in N where springs bear 8 N: what methods leave of Φ in a run, largest for order
three with steps of 5 ms; zero for implicit methods."""
MULTIPLIERS_OF_SWITCHES = 1e-6
"""Multipliers of up to 151 N m of both backends, whose iterations end at residuals of 1e-8 times the first ones."""

SWITCHED = 1e-6
"""Velocities after forces of 1 and 3 that jump within steps of 0.05, of methods that are exact for constant forces:
steps end at the jump but for 1e-9 of them. Without that they are off by 0.05."""

HIDDEN_DIRECTION = 1e-6
"""Cosine of the angle between a motion and the axis of a hidden stiffness, less one: rounding of K over K, squared."""

RIGID_MODES = 4e-7
"""Accuracy of rigid-body modes relative to the fastest eigenvalue: √(64 ε) = 1.2e-7 for each rounded
entry of K, of which several add up. Measured 2.1e-7."""

STRONG_DAMPING = 1e-4
"""Configurations of hinged bodies with a strong damper after 50 steps of 1 ms with order two, against a tolerance of
1e-5: h² times accelerations of 10 1/s²."""

NOISE_OF_SHORT_STEPS = 1e-9
"""Error of velocities over short steps on groups that are stored as full matrices: ε/h of increments for 1/4096 s is
1e-12, times the steps of a run and the weights of five increments."""

UNRESOLVED_WAVES = 1e-3
"""Positions of up to 1 m of both backends at the relative tolerance 1e-3, where rounding decides the phase of waves
that steps do not resolve, and with it the steps."""

ROTATION_ROUNDING = 2e-15
"""Entries of rotation matrices from stored parameters by two formulas; measured 1.1e-16."""

PINOCCHIO = 1e-12
"""Terms of trees of at most six bodies against another program in doubles, relative to one plus the largest entry:
rounding of M⁻¹ with condition numbers up to 1e3."""

PINOCCHIO_LOOPS = 1e-9
"""Accelerations of closed loops against a proximal solver with the parameter 1e-14."""

LEAST_CHANGE = 1e-6
"""Direction of the smallest change: distances are compared in doubles, which resolve it to the square root of rounding
times its curvature."""

DERIVATIVE_OF_RUN = 1e-9
"""Derivatives of outputs of runs by central differences of order six with steps ε of 2⁻⁹ relative to the values,
relative to the largest derivative, which is at least 1e-2: rounding of outputs of size one, 2e-16 / ε = 1e-13 times
the growth of rounding in a run below 1e2, and truncation, ε⁶/140 = 4e-19 times a seventh derivative below 1e7."""

DERIVATIVE_OF_START = 1e-12
"""Derivatives of initial states of size one by differences with ε = 2⁻⁹, relative to the largest one: rounding, 2e-16
/ ε = 1e-13, times the condition of the constraints, about ten; measured 7e-14."""

FORWARD_AND_REVERSE = 1e-12
"""Derivatives by products of the same matrices from the left and from the right: some hundred roundings of products
whose size may exceed that of the result by ten."""

EVENT_TANGENTS = 1e-10
"""Derivatives of runs with events, relative to those of closed forms: rounding of 2e-16 per operation over a thousand
steps and the conditioning of impacts, and errors of steps of order five below 1e-12. Measured 5e-13."""

DIFFERENCES_BETWEEN_EVENTS = 2e-9
"""The same by differences with ε = 2⁻¹⁵ relative to the values, for which events remain in their steps: rounding and
remainders of Newton's method, 1e-14 / ε = 3e-10, times their growth. Measured 2e-10."""

SYMMETRY_OF_HESSIANS = 1e-11
"""Difference of a Hessian and its transpose, relative to its largest entry: gradients agree with forward derivatives to
1e-12, and second derivatives of the start are differences with errors of up to 1e-11. Measured 5e-14."""

DIFFERENCES_OF_GRADIENTS = 1e-9
"""Central differences of order six of gradients, relative to the largest second derivative: rounding of 1e-13 divided
by the change of 2^-11, and derivatives of order seven. Measured 4e-10."""

SECOND_DIFFERENCES = 1e-9
"""Central second differences of order ten of values of runs, relative to the largest second derivative: rounding of
1e-14 of the value divided by the square of the change, 2^-12."""

HESSIAN_OF_LINEAR_SYSTEM = 1e-12
"""Second derivatives of the same discrete map from matrix powers: rounding of 2e-16 per operation over 50 steps."""

TWO_FORMS_OF_TANGENTS = 1e-11
"""Tangents of q, v and outputs of the same steps from two derivations, relative to the largest one: rounding of 2e-16
per operation over a hundred steps and the conditioning of stages. Measured 7e-13."""

MULTIPLIERS_OF_TWO_FORMS = 1e-10
"""The same for λ, which differs by the rounding of tangents of v, 2e-13, divided by products of h = 1/128 and rates of
one to ten per second. Measured 1.2e-11 with Baumgarte's stabilisation."""

DERIVATIVE_OF_ADAPTIVE_RUN = 1e-7
"""Derivatives of a run with a relative tolerance of 1e-9 per step against those of a run with errors far below,
relative to the largest derivative: errors of tangents are ten times those of states, over tens of steps."""

TWO_BACKENDS_OF_DERIVATIVES = 1e-11
"""Derivatives of runs whose states differ by roundings, 2e-16 per operation of some hundred steps, relative to the
largest derivative."""

FITTED = 1e-6
"""Fitted values of exact data, and equal fits in other units: the optimiser stops at changes of 1e-10 relative to the
values, and derivatives with constant steps are those of adaptive runs up to the tolerance 1e-6 of the steps."""

CONTACT = 1e-10
"""States and times of motions with contacts at a relative tolerance of 1e-12, or references with twelve digits; found
to agree to 3e-12 where references have more digits."""

FALLING_STONES = 1e-6
"""Increase of the energy of stones that fall against each other, relative to the energy at first. Without optimization
of the code, one contact closes with a gap of -3e-8 m, whose cause is not known: removing it changes the potential
energy of one of six stones by 2e-7 of the whole; measured 4e-7, and 1e-12 with optimization."""

FRICTION_LOSS = 1e-9
"""Energy of up to 100 J with the work of friction, in J: a few hundred steps with a relative tolerance of 1e-10, whose
errors are mostly random, or roundings of steps that are exact for constant forces."""

TURNING_ENERGY = 1e-11
"""Sum of all increases of the energy of a tippe top, relative to its energy: roundings of 4e-17 of sums of its terms in
some ten thousand steps, of which half are increases."""

JELLETT = 1e-9
"""Relative change of Jellett's integral of a tippe top over 25 s: errors of 1e-9 per step that are mostly random."""

ROLLING_BOWL = 1e-9
"""Place of a ball in a bowl, in m, and energy of a point on a curve, in J, after steps with a relative tolerance of
1e-11 or 1e-12; the surface has residuals of that size, which drift."""

SLOW_TURN = 1e-7
"""Slip that turns, in m/s, as the difference of speeds of 50 m/s with a relative tolerance of 1e-10, and its times, in
s; found to be up to 2e-8 away from the least slip."""

VANISHED_SLIP = 1e-7
"""Slip at the end of sliding, in m/s: the part 1e-8 of speeds of 5 m/s, and rounding."""

PENETRATION = 1e-14
"""Gap in time stepping, in m: rounding of positions of about 1 m."""

EVENT_DRIVEN_PENETRATION = 1e-10
"""Gaps of closed contacts drift by local errors for rtol=1e-8, measured 6e-12; a missed contact penetrates by 5e-7."""

HEAP_PENETRATION = 1e-9
"""The same with nearly redundant contacts, whose residual of gaps is accepted up to 1e-9 of the largest coordinate, 1 m
(CONE_ACCEPTED); the largest one of 500 heaps is 2.6e-10 m."""

CONTACT_LAWS = 1e-9
"""Laws of contacts in time stepping relative to the largest velocity and force: the accepted residual of the solver."""

STEPPED_ROLLING = 1e-12
"""Time stepping with much friction relative to rolling constraints: rounding of Newton's method."""

STEPPED_CONSTRAINTS = 1e-13
"""Constraints of positions and velocities in time stepping: rounding of Newton's method."""

STEPPED_SLOPE = 1.0
"""Mean order over eight halvings of the step after impacts, whose places in their steps change: one on average."""

STEPPED_EVENT = 1e-12
"""Times of events, and states after them, of a motion under constant forces, which steps represent exactly: rounding of
a sum of 50 steps, and of the search, which is 1e-15 of the time."""

STEPPED_ORDER = 0.02
"""Order two of a constrained motion without impact."""

MOREAU_SLOPE = 0.8
"""Slope of a least-squares line through nine errors of order one after impacts; the place of an impact in its step
changes errors by about three, which is 0.2 in the slope."""

MOREAU_ORDER = 0.05
"""Order one before an impact, for steps of 1.5e-3 s and two halvings."""

STEPPED_ENERGY = 1e-9
"""Increase of the energy in a step beyond the derived bound, relative to the energy at first: the accepted residual of
the solver with nearly redundant contacts. Of 500 heaps one has 5e-12, all others have 3e-16."""

STEPPED_RISE = 1e-7
"""Increase of the energy in a step, in J, of a body that touches down: friction of the first stage acts along rows of
the start of the step, and slip is measured along the mean ones."""

RISE_ORDER = 0.1
"""Order three of the largest rise of the energy in a step: 6e-9 and 8e-10 of the energy, far above rounding."""

WOODPECKER = 1e-8
"""Times and heights of eleven hits at a relative tolerance of 1e-10 and half of it, in s and m; found to be 3e-11."""

WOODPECKER_CYCLE = 2e-4
"""Last digits of the period in s and of the drop in m of a time-stepping method of order one."""

STEPPED_MOMENTUM = 1e-9
"""Impulses of contacts in a step relative to the change of momentum, in N s."""

CONTACT_ORDER = 0.3
"""Order of the error of a pendulum after five impacts, with 1 to 4 steps in the part of a period between impacts."""

BEAD = 1e-11
"""Angle of a bead with friction after 330 steps at a relative tolerance of 1e-11; found to be 2e-13."""

TURN_ORDER = 0.4
"""Order of errors of friction that follows a reaction, from steps with errors of 1e-6 to 1e-9."""

PIN = 1e-8
"""States of a pendulum with friction in its pin, which are of the order one, at a relative tolerance of 1e-10, and
reactions relative to its weight; found to be 5e-11 and 1e-9."""

CLUTCH_FIXED = 1e-9
"""Locking of a clutch at a linear torque with steps of an implicit method, which Newton's method solves to 1e-10."""

IMPACT = 1e-12
"""Times of twenty impacts on a parabola, which methods of order two integrate exactly, and parts of the energy of free
bodies relative to the largest kinetic energy: rounding of a few hundred steps."""

OPTIMAL_COST = 1e-9
"""Relative deviation of a cost from its minimum, which is quadratic in the deviation of the inputs."""

OPTIMAL_INPUTS = 1e-4
"""Deviation of optimal inputs, relative to the largest one: the root of the tolerance of the optimiser, 1e-8."""

OPTIMAL_LOSS = 1e-6
"""Deviation of the minimum of a loss with a tolerance of the optimiser of 1e-14: its root, times ten."""

OPTIMAL_END = 1e-6
"""Deviation from a target, the tolerance of `optimal_control`, and of a finer run with fifth-order steps of 0.05 s."""

OPTIMAL_JACOBIAN = 1e-8
"""Relative error of central differences of defects with steps of 1e-5: their square, 1e-10, and rounding divided by the
step, 1e-11, times a hundred for third derivatives and sums of steps."""

ROUNDING_OF_COSTS = 1e-12
"""Relative rounding of costs that are polynomials in time, which the method integrates exactly, in a few steps."""

ORDER_OF_COST = 0.15
"""Deviation of the observed order of a running cost from three, with steps of 1/128 and 1/256: h times a constant."""

SAME_COST = 1e-9
"""Relative difference of costs in two sets of coordinates: errors of fifth-order steps of 1/128, times a constant."""

EXTENDED_DIFFERENCES = 1e-11
"""Tangents of 100 steps against differences in extended precision, relative to the largest value: rounding of the
steps and of the differences; found to be at most 2.6e-12."""

IMPORTED_TREE = 1e-12
"""Accelerations of random trees of up to 7 links against Pinocchio and MuJoCo, relative to the largest one; found to
agree to 6e-15."""

IMPORTED_LARGE_TREE = 1e-10
"""Accelerations of random trees of up to 30 links and of foreign files, relative to the largest one: rounding grows
with the condition of M; found to agree to 1e-12."""

IMPORTED_LOOP = 1e-9
"""Accelerations of mechanisms with loops against Pinocchio's proximal iteration, relative to the largest one."""

IMPORTED_RESIDUAL = 1e-11
"""Largest |Φ| of imported loops over ten seconds at order five, in m: the error of steps of 1 to 2 ms; found to be
3e-13 to 3e-12."""

IMPORTED_DRIFT = 1e-10
"""Drift of energy and momenta of a free tree over ten seconds, relative to their size, with a tolerance of 1e-13."""

IMPORTED_GAP = 1e-12
"""Gaps of imported contacts against MuJoCo's distances, in m, of bodies at distances of one metre: rounding."""

EXPORTED_TERMS = 1e-13
"""Of terms of the equations of motion from exported C, relative to their largest value: other orders of sums, measured
2e-15."""

EXPORTED_SERIES = 1e-12
"""Of runs with Taylor series without fused products and sums, relative to the largest entry: a fast top multiplies
rounding in 0.25 s by ten, measured 4e-15, and a slider-crank by more, measured 7e-14."""

EXCHANGED_IMPACTS = 1e-6
"""Of states after two impacts that FMPy locates by CVode's root finder, with 1e-10 in relative tolerance of states:
errors of times are multiplied by jumps of velocity of 8 m/s."""

EXCHANGED_ACCUMULATION = 3e-6
"""Of a ball whose impacts accumulate in a program with the tolerance ε ≤ 1e-10: flights below ε are omitted, and with
them a change of velocity by friction of at most μ √(2 g ε) = 4.4e-6 m/s, for 0.65 s; measured 6e-7."""

DERIVATIVES_OF_UNITS = 1e-9
"""Relative to the largest derivative, of differences of order four with steps of 2^-16: rounding of 1e-16 divided by
the step, with terms of the equations of size 100."""

EXPORTED_RESTARTS = 1e-9
"""Of an exported run that continues with other parameters, after 64 steps of a top that turns with 150 rad/s:
multipliers at the change are solved by another elimination, measured 2e-11."""

EXCHANGED = 1e-7
"""Of states that CVode integrates for one second with a relative tolerance of 1e-10, for sizes of 1, measured 5e-8
for the slider-crank and less for others."""

EXCHANGED_TURNS = 2e-9
"""The same for each radian of a rotation, relative to the speed, if configurations and velocities are the states: CVode
takes 40 to 70 steps per radian, whose errors, up to 1e-10, damp the rotating components and add up; measured 6e-10 to
1.7e-9 for tops, also for equations of motion without a unit."""

COROTATION = 2e-8
"""Of states of a top that rotate with it, and their rates: the unit finds the axis by differences over δ = 1.2e-4 rad,
which lose δ²/6 of 4.6 rad/s across the axis, 1e-8; rates are compared with differences of order four; measured 7e-9."""

EXCHANGED_REST = 4e-6
"""Last flights of a ball in s that a solver does not resolve: below the height ε = 1e-12 of its absolute tolerance,
they take √(8 ε/g) = 9e-7, and all of them 1/(1 - 0.5) times as long; measured 2e-6."""

EXCHANGED_CONSTRAINTS = 1e-9
"""Largest |Φ| of these states: the unit asks for a projection above 5e-10, after the step that reaches it; measured
8e-10."""

CONTROLLED = 1e-6
"""Angles that a controller holds, in rad: the default tolerance of runs; transients have decayed to below 1e-7."""

SHORT_STEPS = 1e-12
"""Multipliers up to 30 N, and velocities up to 5 m/s, after steps of any length: 100 units of rounding."""

STATIC_DERIVATIVE = 1e-12
"""Derivatives of equilibria of size one, whose linear systems have a condition of some hundreds, and refinement leaves
a few roundings; differences of order six of prescribed places lose ε/2⁻⁹ = 1e-13."""

STATIC_REVERSE = 1e-13
"""Derivatives of equilibria of rods forward and in reverse, relative to the largest one: both solutions are exact to
rounding, and products of them have some hundred terms; measured 1e-15. In double precision, the ratio 1e4 of axial to
bending stiffness leaves 1e-12."""

STATIC_DIFFERENCE = 1e-9
"""Differences of order six of equilibria that are found to 1e-13, with relative steps of 1e-2: rounding 1e-11,
truncation 1e-12 times a seventh derivative of hundreds. Backends: rounding of forces of 1e4 N times the compliance of
1/6; measured 3e-13."""

COARSE_ROD = 1e-2
"""Of deflections of rods of 8 and 16 segments: relative errors of order two, 1/8² times 1/4, measured 4e-3."""

PERIOD = 1e-12
"""Period and state of a periodic motion with 2,048 steps of order five, whose errors are (2π/2048)⁵ = 3e-13 times an
error constant below one; measured 5e-14."""

COARSE_PERIOD = 1e-6
"""The same with 128 steps: (2π/128)⁵ = 3e-7."""

FINE_PERIOD = 1e-10
"""The same with 512 and 1,024 steps, relative: (2π/512)⁵ = 3e-10 times an error constant below 1/3; measured 4e-12."""

FORCED_MOTION = 1e-7
"""State and multipliers of a motion of size ten with 256 steps of order five, (2π/256)⁵ = 1e-8; measured 4e-9."""

DOUBLE_MULTIPLIER = 1e-4
"""Double Floquet multipliers of one, which are the root of the error of the matrix, 1e-10."""

SECOND_ORDER_MULTIPLIER = 2e-3
"""Multipliers of methods of order two with 256 steps: (2π/256)² = 6e-4 times the period over six to two."""

LIOUVILLE = 1e-4
"""Exponential of the integral of the divergence by the trapezoidal rule with 1,024 steps: (6.7/1024)² = 4e-5 of it."""

SMALL_DAMPING = 1e-6
"""Series of a period to the fourth power of 0.2: the next term is 0.2⁶/500 = 1e-7."""
