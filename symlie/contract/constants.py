"""Numbers and status codes that the time loops in C and NumPy share; printed here as ``constants.h`` for C."""

from __future__ import annotations

import enum
import math


class Status(enum.IntEnum):
    """Status codes of a time loop; ``SYMLIE_DONE`` … in C."""

    DONE = 0
    BUFFER_FULL = 1
    BUDGET = 2
    NOT_FINITE = 3
    SINGULAR = 4
    OUTSIDE_CHART = 5
    EVENT = 6
    STEP_UNDERFLOW = 7
    NOT_CONVERGED = 8
    INDEFINITE_MASS = 9
    CONSTRAINT_DRIFT = 10
    EVENT_NOT_A_NUMBER = 11
    TOO_MANY_STEPS = 12
    TURNED_TOO_FAR = 13
    CHATTERING = 14
    DIVERGING = 15
    ACCUMULATION = 16
    INCONSISTENT_RESET = 17
    NO_CONTACT_MODE = 18
    CONTACT_PARADOX = 19
    TOO_MANY_IMPACTS = 20


WHOLE_TURN = 2 * math.pi
"""2π rad."""

LARGEST_TURN = 3.0
"""Largest change of an unwrapped angle in one step, in rad: below π, so that all stages are on the same turn."""

CHART_LIMIT = 39.4
"""Just below (2π)² = 39.478…, where T⁻¹ is singular: limit on the squared rotation angle of one step."""

LOST_PIVOT = 1e-13
"""Pivot relative to its row below which it is round-off."""

PIVOT_LOSS = 1e-10
"""Pivot relative to its original diagonal entry below which the elimination is rejected: ten digits would be lost."""

LANES = 4
"""Numbers of a matrix row that eliminations process at a time."""

LARGEST_NARROW_BANDWIDTH = 11
"""Largest odd bandwidth of a complement with unrolled loops: chains with six constraint equations per joint."""

ON_GROUP = 1e-6
"""Largest distance of specified elements from their group."""

POSITION_TOLERANCE = 1e-9
"""Largest |Φ(q₀)|, relative to max(1, |q₀|), that counts as round-off of the specified values."""

VELOCITY_TOLERANCE = 1e-9
"""Largest |B v₀ + b|, relative to max(1, |B| |v₀|), that counts as round-off."""

SURELY_MASS = 1e-13
"""Eigenvalue of M, scaled to a unit diagonal, above which M is regular without the full check: ten times its limit."""

SURELY_INDEPENDENT = 1e-11
"""Eigenvalue of B Bᵀ, with unit rows, above which constraints are independent: a hundred times the square of the limit
on lengths."""

SURELY_COMPLETED = 1e-8
"""The same for unspecified velocity components: above it the normal equations with one refinement determine them."""

SMALL_STEP = 1e-6
"""First step size if the sizes of state and rate give no scale, in s."""

TELLING_SIZE = 1e-5
"""Size of a state and of its rate, in units of the tolerances, above which they determine the first step size."""

RESTING_SIZE = 1e-15
"""Size of rates and of their change below which the system is at rest."""

PROJECTION_STEPS = 5
"""Maximum number of Newton steps of the projection."""

SETTLED = 1e-9
"""Correction relative to the velocity after which Newton's method for constraints nonlinear in v has converged to
rounding."""

VELOCITY_STEPS = 12
"""Maximum number of Newton steps for such constraints."""

NEWTON_STEPS = 50
"""Maximum number of Newton steps of an implicit step."""

TANGENT_STEPS = 50
"""Maximum number of corrections of the tangents of an implicit step."""

TANGENT_ENOUGH = 1e-13
"""Relative size of the last correction of these tangents: rounding of the residual."""

TANGENT_ENOUGH_OF_DIFFERENCES = 1e-16
"""The same if v and v' are differences over several steps, which amplify the remainders of increments."""

TANGENT_RATIO = 1e-3
"""Smallest ratio of successive corrections that is assumed: the first one may be much smaller than the next."""

TANGENT_ROUNDING = 1e-11
"""Relative size below which corrections that hardly decrease are rounding."""

TANGENT_UNRESOLVED = 1e-8
"""The same for increments after `TANGENT_STEPS` corrections in reverse: multipliers near zero have no accurate
digits."""

REFINED_ROUNDING = 64 * 2.0**-52
"""Residual of the constraints of derivatives of a stage, relative to accelerations, from which they are refined: it is
at most 43 roundings for single bodies and short chains, and 1e5 to 1e8 for a robot with heavy and light links."""

TANGENT_STALLED = 0.9
"""Ratio of successive corrections from which small ones are rounding: Newton's method with the factors of a step
converges faster."""

NEWTON_SLOW = 3
"""Number of corrections with a reused factorisation above which the next step factorises anew."""

NEWTON_PATIENCE = 8
"""Maximum number of corrections with a reused factorisation in modified Newton."""

DIVERGED = 2.0
"""Growth of the residual in one correction of modified Newton above which the step is repeated."""

NEWTON_HALVINGS = 10
"""Maximum number of halvings of a Newton step that does not reduce the residual."""

NEWTON_ENOUGH = 1e-10
"""Correction relative to the state after which quadratic convergence leaves only round-off."""

ROUNDING = 2.0**-52
"""Unit round-off of a double."""

NEWTON_FLOOR = 10.0
"""Multiple of the rounding of its terms below which a residual that no longer decreases counts as rounding."""

NEGLIGIBLE = 1e-150
"""Velocities and accelerations, in units of the model, that a damping method sets to zero: they and their squares would
decay to subnormal numbers, which slow processors down."""

DERIVATIVE_STEP = 2.0**-13
"""Distance, in steps, of the points of the difference quotient for the derivative of the first acceleration."""

START_TOLERANCE = 1e-7
"""Change of velocities, relative to the largest, below which the substeps of a starting method are short enough."""

MOST_PARTS = 2**14
"""Maximum number of substeps of a starting method."""

ROUGH_PARTS = 2**6
"""Number of substeps of a starting method above which a step over a switch may be inaccurate."""

ROUGH_START = 1e-3
"""Change of velocities, relative to the largest, accepted in that case: it reveals the switch and the step that ends at
it."""

ORDER_GROWTH = 2.0
"""Largest growth of the step size at order three or higher: consecutive steps that grow faster are unstable."""

SHORTENED_STEP = 0.1
"""Ratio of step sizes below which the error estimates of BDF are meaningless."""

UNRESOLVED = 0.5
"""Phase of an oscillation per step, in rad, above which BDF does not resolve it: where it limits the step size, its
amplitude is at most a hundred times the tolerance."""

FIRST_ERRORS = 4.0
"""Factor on errors of order one at the start of BDF: the errors of several consecutive steps have one sign."""

LENGTH_ROOTS = 24
"""Halvings of the interval that contains the logarithm of a step size."""

NEAR_POINTS = 1.25
"""Minimum distance, in steps, of two points of the method history if a step between them was shortened."""

CHART_PART = 0.9
"""Part of the largest rotation of a step up to which the next step size is chosen."""

RANK_LIMIT = 1e-3
"""Singular value of B, rows scaled to length one, below which constraints are dependent during a run: steps leave a
residual of Φ, and constraints that are dependent on Φ = 0 appear independent to that order."""

RANK_SHIFT = 1e-10
"""Square of a singular value that barely exceeds rounding."""

REGULARISATION = 1e-6
"""Part of the complement B M⁻¹ Bᵀ that regularises the matrix of implicit steps if constraints are dependent: with a
hundredth of it rounding enters λ."""

ELASTIC_PART = 1e-6
"""Elastic length √(yᵀ W y) of a combination y of unit rows, relative to the largest √W, above which compliances
determine it; smaller ones are rounding."""

PROBE_ANGLE = 0.7548776662466927
"""Angle of the probe vectors sin(angle i j) that reveal vanishing combinations of constraints: from the plastic number,
1/ρ."""

REVEALED = 1e-3
"""Part of the growth of such a combination that is visible in a probe vector with a small component of it."""

SAME_LENGTH = 1e-6
"""Relative difference below which lengths count as equal, so that rounding does not decide."""

SHORT_PART = 1e-3
"""Part of a step below which index-3 methods take velocities from accelerations instead of from increments, since these
are divided by its length."""

DRIFT_LIMIT = 0.1
"""Limit on the correction back to the constraints, relative to the configuration, and on Φ after it."""

DRIFT_ROUND_OFF = 1e-6
"""Correction, relative to the configuration, below which Φ may be round-off."""

RANK_NEAR = 0.15
"""Relative resultant of the forces of a nearly cancelling combination of constraint equations below which these may
become dependent. Mechanisms far from a singular configuration keep a quarter, chains of n links 1/n."""

RANK_CHANGE = 0.2
"""Relative change of that resultant within a step above which a singular configuration is at most a few steps away."""

RANK_PARALLEL = 0.8
"""Square of the cosine of the angle above which a row of the constraint Jacobian keeps its direction within a step."""

RANK_SHRUNK = 2.0
"""Ratio of the lengths of such a row before and after a step above which it is about to vanish."""

RANK_ITERATIONS = 3
"""Number of inverse iterations for that combination."""

BRANCH_CONTRACTION = 0.04
"""Contraction of the first step of a projection onto the constraints above which their residual is not small compared
with the distance to a singular configuration. Where two branches of Φ = x y cross, the motion on Φ = c passes through
1/4 from one to the other; it is (1/5)² where the distance from the smooth branch is a fifth of the distance to the
crossing. Without a singular configuration, it is about half of the drift relative to the size of the mechanism."""

ABRUPT_CONTRACTION = 0.02
"""The same at the end of a step of fixed size with an abrupt change of velocity: (1/7)²."""

SURPRISE = 10.0
"""Error of a rejected step, relative to the tolerance, that is unexpected from the preceding step sizes."""

SHORT_STEP = 0.1
"""Step size, relative to the longest recent one, below which the constraints are checked. Between two branches of a
motion, steps become shorter by more than 30, on the smooth branch by less than 5."""

STEP_MEMORY = 0.9
"""Factor by which the length of the longest recent step decreases with each step."""

WATCH_EVERY = 16
"""Number of fixed steps after which residuals of constraints are compared with the distance to a singular
configuration. Within fewer steps, velocities change abruptly from one branch to the other."""

ABRUPT = 0.1
"""Relative change of velocities within a step of fixed size above which the constraints are checked."""

ABRUPT_GROWTH = 1.5
"""Ratio of that change to the reference, the changes of preceding steps, that is required in addition; the reference
grows by no more than this ratio per step."""

TIME_RESOLUTION = 16 * 2.0**-52
"""Smallest step size relative to the times of an integration: sixteen units of rounding."""

KINK = 1
"""Mark of segments that start at a kink of a function of time, where multistep methods restart."""

JUMP = 2
"""Mark of segments that start after a jump, where all methods restart."""

SWITCH_HALVINGS = 30
"""Halvings of a step in the search for a switch: the rounding of its function is much smaller than what remains."""

SHORTEST_SWITCH = 2.0**-6
"""Distance of a switch from an end of the step, relative to the step size, below which no step ends there: very short
steps lose digits of λ."""

JUMP_OF_RATES = 1e-6
"""Difference of accelerations on both sides of a switch, relative to the largest ones there and at the end of the step,
above which they jump."""

SLOW_RATE = 1e-3
"""Acceleration, in units of velocity over step size, that is the least scale of accelerations."""

STRETCH = 1.01
"""Length of the rest of an interval, in steps, up to which one step covers it."""

FAILED_STEP = 0.2
"""Factor on the step size after a step without a result."""

REJECTED_STEP = 0.9
"""Largest factor on the step size after a rejected step."""

STIFFNESS_EVERY = 1000
"""Number of steps between two stiffness checks."""

STIFF_STEPS = 15
"""Number of suspicious steps after which a problem counts as stiff."""

UNNOTICED = 1e-3
"""Change of a velocity, relative to its absolute tolerance, up to which it may be rounding and its sign is ignored:
under a chattering force, errors are as large as the tolerances."""

CALM_STEPS = 6
"""Number of consecutive unsuspicious steps that reset the counter."""

SMALLEST_PART = 2.0**-10
"""Smallest part of a step over which a prescribed rotation is followed."""

CLEAR_ANGLE = 0.5
"""Difference of angles, in rad, below which a part of a step is short enough to determine its rotation."""

INTERPOLATION_DEGREE = 5
"""Degree of the polynomials of the dense output."""

INCREMENT_STEPS = 3
"""Number of corrections of an increment towards the result of its step."""

INCREMENT_ENOUGH = 1e-9
"""Error of an increment below which it is not corrected: it moves no event across a margin."""

SMALLEST_PANEL = 2.0**-6
"""Smallest part of a step that the event search samples separately."""

EVENT_RESOLVED = 0.05
"""Last two Chebyshev coefficients, relative to the variation, below which a part may be resolved."""

EVENT_SURE = 1e-3
"""Last two Chebyshev coefficients, relative to the variation, below which a part is resolved without a comparison."""

EVENT_MARGIN = 0.02
"""Distance from zero, relative to the variation, above which the sign of a function is certain."""

EVENT_FAR = 8
"""Distance from zero, in variations, above which a function is not examined further."""

EVENT_FAR_CUBIC = 0.02
"""Largest cubic part of such a function, relative to the variation."""

RELEASED = -1
"""Result of a change of the state at an event that releases a constraint: its activity becomes 0."""

ENGAGED = -2
"""The same for a constraint that is engaged: its activity becomes 1."""

SURELY_FAR = 1e6
"""Distance of an event function of a contact from zero, relative to its change in a step, from which it is far although
rounding makes it rough."""

ROUGH_OFFSET = 2.0
"""Distance of an event function beyond zero, relative to the one after the event at the start, that counts as zero: the
rounding error of the function."""

CONE_TOLERANCE = 1e-14
"""Residual of the natural map of a contact problem, relative to its data, that is round-off."""

CONE_STEPS = 50
"""Maximum number of semismooth Newton steps of a contact problem."""

CONE_SWEEPS = 2_000
"""Number of Gauss–Seidel sweeps of a contact problem before each restart of the Newton method."""

CONE_FIRST_SWEEPS = 200
"""Number of these sweeps before the first start in time stepping: impulses of redundant contacts then remain small."""

GROWN_DRIFT = 1.01
"""Growth of the residual that ends the extrapolation of sweeps whose changes are constant."""

LONGEST_DRIFT = 1e12
"""Maximum number of sweeps that are extrapolated."""

CONE_RESTARTS = 30
"""Maximum number of these restarts: with redundant contacts, active sets can change for 20,000 sweeps."""

CONE_ACCEPTED = 1e-9
"""Residual of the natural map, relative to its data, with which a result of the sweeps counts as a solution."""

CONE_BLOCKED = 1e-24
"""Mobility along the tangents of a contact, relative to the one along its normal, below which constraints prevent slip:
the square of 1e-12, far above rounding."""

FIXED_GAP = 1e-12
"""Part of the force along a gap, relative to its terms, that constraints do not balance, up to which they fix this gap:
far above rounding."""

CONTACT_STEPS = 25
"""Number of semismooth Newton steps of a stage of time stepping with contacts, after which it starts again from the
result of sweeps."""

SECANT_STEPS = 50
"""The same after sweeps and for linearised contact problems: after CONTACT_STEPS corrections, secants accelerate the
others."""

GROWN_ERROR = 10.0
"""Growth of the natural map from which contacts are nearly redundant, and the steps start again with soft contacts."""

CONTACT_SWEEPS = 5
"""Number of Gauss–Seidel sweeps before the first of these starts; each further start has four times as many."""

SWEEP_ROUNDS = 6
"""Maximum number of these starts."""

SLOW_IMPACT = 1e-6
"""Approach speed, relative to the largest velocity or 1, up to which impacts of time stepping have no restitution:
contacts at rest approach with rounding, and jammed bodies cannot separate."""

LARGEST_CONE = 300
"""Maximum number of equations of the contact problem of a linearised stage, which is solved with a dense matrix."""

CONE_SLACK = 1e-14
"""Penetration of contacts that are not part of this problem, relative to the unknowns, that is rounding."""

CONE_ROUNDS = 20
"""Number of times that penetrating contacts become candidates of this problem."""

LARGEST_COMPLIANCE = 0.1
"""Compliance of closed contacts in the matrix of the first of these steps, relative to the inverse mass along them, if
contacts are redundant. It decreases with the error."""

LEAST_COMPLIANCE = 1e-8
"""Least compliance: redundant contacts have a regular matrix, and rounding hardly changes their impulses."""

CONTACT_ROUNDING = 1e-12
"""Speeds, gaps and forces of contacts, relative to the terms from which they are computed, that count as zero."""

LIFTED = 1e-9
"""Acceleration into a contact, relative to those of free motion, that is round-off when its force reaches zero."""

APPROACH = 1e-8
"""Length of the step that ends when slip in two directions vanishes, relative to the steps before: near this instant,
stages know the direction of slip only roughly."""

APPROACHED = 0.5
"""Part of the time until then that the steps before cover."""

TURNED_SLIP = 0.01
"""Tangent of the angle between slip in two directions and the direction of sliding from which the latter follows: slip
that then passes through zero reverses along it."""

SLOW_SLIP = 1e-3
"""Slip in two directions, relative to its terms, up to which the angle by which it turns limits adaptive steps."""

LARGEST_SLIP_TURN = 0.1
"""Tangent of the largest such angle. Slow slip turns towards the force within a time of the order |γ|/a; in longer
steps it would oscillate about this direction, and friction with its mean direction could keep it slow."""

LARGEST_TURN_ERROR = 16.0
"""Largest error, relative to the tolerances, that stands for such an angle."""

REACTION_STEPS = 50
"""Maximum number of Newton steps for the directions of reactions with friction."""

SETTLED_REACTION = 1e-8
"""Change of the direction of a reaction, a unit vector, whose square is round-off: the size of the reaction is then
known to rounding."""

DEPENDENT_CONTACT = 1e-10
"""Part of an equation of a contact, in the metric M⁻¹, that others do not imply, from which it is dependent."""

RESTING_SLIP = 1e-8
"""Slip velocity across the direction of sliding, relative to its terms, that is neglected when a contact sticks."""

LAST_IMPACT = 1e-3
"""Speed after an impact, relative to the largest speed of approach in a sequence of impacts, from which the rest of the
sequence can be one step."""

LAST_IMPACTS = 1e-3
"""Speed of a fall for the time of the rest of a sequence of impacts, relative to the largest speed of approach, up to
which this rest is one step: its error is the third power of its time, while an error of rounding of the configuration
changes the end of the sequence by its ratio to the speed."""

LOWEST_FLIGHT = 1e-13
"""Largest gap between two impacts, relative to the configuration, that rounding hides soon; the rest of the sequence is
then one step."""

UNRESOLVED_IMPACT = 1e-2
"""Speed at which a contact separates although its gap vanishes, relative to the largest speed of approach in a sequence
of impacts, up to which it closes: another program that integrates does not resolve its flights. The first step after an
impact, of the length √(2ε/a) for the tolerance ε, gives this speed for ε up to 1e-4 and a fall from 1 m."""

LONGEST_REST = 1e-8
"""Height of a fall for the time of the rest of a sequence of impacts, relative to the configuration or to the largest
height of the sequence, up to which this rest is one step; a longer rest is omitted."""

GAP_STEPS = 3
"""Newton steps that close gaps after the rest of a sequence of impacts."""

MOST_IMPACTS = 10_000
"""Maximum number of impacts of single contacts at one time, if they are treated sequentially."""

MOST_TIMES_OF_IMPACTS = 1_000_000
"""Maximum number of impacts of a run; impacts at one time count as one."""

NEWTON_IMPACTS, POISSON_IMPACTS, SEQUENTIAL_IMPACTS = range(3)
"""Numbers of treatments of impacts."""

FLIGHTS = 2.0
"""Length of the first step after a change of the state at an event, in times between the last two changes: an event in
a much shorter part of a step could be missed."""

BEGINS_RUN = 2
"""Mark of values of event functions at the start of a run."""

EVENT_TOUCH = 1e-12
"""Value, relative to the largest one within the step, below which a function counts as zero."""

EVENT_STEEP = 1e-5
"""Change of an event function over a step by its slope at a zero, relative to its largest value there, below which it
touches zero: times of such events, which are known to the square root of `EVENT_TOUCH`, have no derivatives."""

EVENT_EXACT = 1e-13
"""Last terms of the series of an event function, relative to the sum of all, that are negligible: it may converge more
slowly than the motion."""

EVENT_PARTS = 16
"""Maximum number of parts of a piece of a step with separate series."""

EVENT_POLE = 1e6
"""Value at a sign change, relative to the largest one within the step, that only a pole reaches."""

EVENT_GRID = 32
"""Number of intervals of a part such that its polynomial has at most one extremum in each."""

ZERO_WIDTH = 4.5e-16
"""Width of the final interval around a zero, relative to the time: two units of rounding."""

EVENT_ITERATIONS = 200
"""Maximum number of iterations for one zero."""

EXTREMUM_STEPS = 8
"""Number of refinements of an extremum."""

EXTREMUM_ENOUGH = 1e-9
"""Shift of an extremum, relative to the step, below which it is not refined further."""

SMALLEST_FORM = 2.0**-40
"""Part of a step below which the search for zeros no longer halves a polynomial."""

PARTS_AT_ONCE = 48
"""Size of the stack of parts to be halved, more than the number of halvings."""

CONDITION_ROUNDING = 8 * 2.0**-52
"""Value of a switching function, relative to its terms, up to which it may be rounding."""

REACH_CORRECTIONS = 4
"""Maximum number of evaluations at a zero of a switching function: its series is only as accurate as the step, while
its sign must be exact."""

REACH_ROOM = 1.0625
"""Part of the length up to such a zero within which the search is repeated."""

SOON = 2.0**-40
"""Part of the examined length up to which a change of branch does not end a step."""

MOST_PIECES = 32
"""Maximum number of pieces of a step, in addition to two for each switching function."""

TRACE_WIDTH = 9
"""Numbers per attempted step in a trace."""

STEP_WIDTH = 4
"""Numbers that describe the step to a recorded state."""

MOST_EVENTS = 5 * 64
"""Maximum number of events of one function within a step: five in each of the smallest parts."""

CACHE_LINE = 8
"""Numbers in a cache line."""

LENGTHS = 64
"""Number of step sizes of series methods per power of two: they follow from the last terms, which have few digits."""

LARGEST_UNIT = 2.0**512
"""Largest time unit of series coefficients, in s; the smallest one is its reciprocal."""

LARGEST_COEFFICIENT = 2.0**256
"""Limit on the last non-vanishing coefficient, and on its reciprocal, beyond which the time unit changes: squares of
coefficients relative to tolerances stay in the range of doubles."""

UNIT_CHANGES = 4
"""Maximum number of changes of the time unit of one series."""

LAST_TERMS = 3
"""Number of last terms that determine the step size: even and odd series have at least two that do not vanish."""

NEAR_ROOT = 2e-7
"""Relative error of the roots that the SIMD lanes compute arithmetically for step sizes."""

MOST_ORDER = 60
"""Highest order of Taylor series."""

ROUNDED = 1e-12
"""Error of a Taylor step, relative to the state, up to which it may be rounding."""

TERMS_FALL = 0.25
"""Ratio of the last terms of a series to the first or middle ones above which it may diverge."""

RATES_APART = 0.5
"""Relative difference between the rates at the end of a step and in its series above which they are unrelated."""

RATES_NOTICED = 1e-8
"""The same difference times the step size, relative to the state, up to which it may be rounding."""


def constants_header() -> dict[str, str]:
    """Return ``constants.h`` and its text."""
    numbers = [f"#define {name} {value!r}" for name, value in globals().items() if name.isupper()]
    statuses = ",\n".join(f"    SYMLIE_{status.name} = {status.value}" for status in Status)
    head = "/* What the time loops in C and in NumPy share; symlie/contract/constants.py says what each is. */"
    lines = [head, "#ifndef SYMLIE_CONSTANTS_H", "#define SYMLIE_CONSTANTS_H", "", *numbers]
    return {"constants.h": "\n".join([*lines, "", f"enum symlie_status {{\n{statuses}\n}};", "", "#endif", ""])}
