"""Numbers and statuses that the time loops in C and in NumPy share; C takes them from ``constants.h``, printed here."""

from __future__ import annotations

import enum
import math


class Status(enum.IntEnum):
    """What a time loop reports; ``SYMLIE_DONE`` … in C."""

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


WHOLE_TURN = 2 * math.pi
"""2π rad."""

LARGEST_TURN = 3.0
"""Angle by which an angle over turns may turn in a step, in rad: below π, so that stages are on the same turn."""

CHART_LIMIT = 39.4
"""Just under (2π)² = 39.478…, where T⁻¹ is singular; squared angles of one step stay below."""

LOST_PIVOT = 1e-13
"""Size of a pivot relative to its row that is round-off only."""

PIVOT_LOSS = 1e-10
"""A pivot below this fraction of its original diagonal entry is not trusted: ten digits would be lost."""

LANES = 4
"""Numbers of a row that eliminations work on at a time."""

LARGEST_NARROW_BANDWIDTH = 11
"""Of complements up to which rows and entries of odd bandwidths are unrolled: of chains with six rows at each joint."""

ON_GROUP = 1e-6
"""How far stated elements may be off their group."""

POSITION_TOLERANCE = 1e-9
"""Largest |Φ(q₀)| that counts as round-off of stated values, relative to max(1, |q₀|)."""

VELOCITY_TOLERANCE = 1e-9
"""Largest |B v₀ + b| that counts as round-off, relative to max(1, |B| |v₀|)."""

SURELY_MASS = 1e-13
"""Eigenvalue of M, with a diagonal of ones, from which on mass is not lost: ten times what is looked at closely."""

SURELY_INDEPENDENT = 1e-11
"""Eigenvalue of B Bᵀ, of rows of length one, from which on rows are independent: a hundred times the square of the
length at which they are not."""

SURELY_COMPLETED = 1e-8
"""The same of the components of velocities that are open, from which on these follow from the normal equations with one
refinement."""

SMALL_STEP = 1e-6
"""First step where sizes tell nothing, in s."""

TELLING_SIZE = 1e-5
"""Size of a state and of its rate, in units of the tolerances, from which on they tell a first step."""

RESTING_SIZE = 1e-15
"""Size of rates and of their change that is rest."""

PROJECTION_STEPS = 5
"""Newton steps of the projection at most."""

SETTLED = 1e-9
"""Correction relative to the velocity, behind which Newton's method for rows nonlinear in it leaves rounding."""

VELOCITY_STEPS = 12
"""Newton steps for such rows at most."""

NEWTON_STEPS = 50
"""Newton steps of an implicit step at most."""

NEWTON_SLOW = 3
"""Corrections of a step that keeps factors beyond which the next one takes new ones."""

NEWTON_PATIENCE = 8
"""Corrections with kept factors at most, in modified Newton."""

DIVERGED = 2.0
"""Growth of the residual in one correction of modified Newton beyond which the step begins again."""

NEWTON_HALVINGS = 10
"""How often a Newton step that does not reduce the residual is halved at most."""

NEWTON_ENOUGH = 1e-10
"""Size of a correction relative to the state after which quadratic convergence leaves round-off alone."""

ROUNDING = 2.0**-52
"""Relative rounding of a double."""

NEWTON_FLOOR = 10.0
"""Times the rounding of its terms below which a residual that does not fall any more is rounding."""

NEGLIGIBLE = 1e-150
"""Velocities and accelerations, in units of the model, that are zero where a method damps them: on their way to zero
they would become numbers with few digits, with which processors are slow, and so would their squares."""

DERIVATIVE_STEP = 2.0**-13
"""Distance, in steps, of the points of the difference for the derivative of the first acceleration."""

START_TOLERANCE = 1e-7
"""Change of velocities, relative to the largest, at which parts of a first step by another method are short enough."""

MOST_PARTS = 2**14
"""Parts of such a step at most."""

ROUGH_PARTS = 2**6
"""Parts from which such a step over a switch may be rough."""

ROUGH_START = 1e-3
"""Change of velocities then, relative to the largest: it shows that there is a switch, and which step ends at it."""

ORDER_GROWTH = 2.0
"""Factor of a step of order three or higher at most: steps that grow faster in a row are not stable."""

SHORTENED_STEP = 0.1
"""Factor of a step below which the estimates of BDF say nothing about its error."""

UNRESOLVED = 0.5
"""Phase of an oscillation per step, in rad, from which BDF does not resolve it: where it limits the step, its amplitude
is at most a hundred times the tolerance."""

FIRST_ERRORS = 4.0
"""Factor of errors of order one where BDF begins: several steps follow each other whose errors have one sign."""

LENGTH_ROOTS = 24
"""Halvings of the interval that the logarithm of the length of a step is in."""

NEAR_POINTS = 1.25
"""Steps that two points of a history are apart at least, where a step in between was cut short."""

CHART_PART = 0.9
"""Part of the rotation that a step may turn by, which the next one is chosen for at most."""

RANK_LIMIT = 1e-3
"""Singular value of rows of length one below which they depend on each other while a system moves: steps leave a rest
of Φ, and of that order rows are independent that depend on each other on Φ = 0."""

RANK_SHIFT = 1e-10
"""Square of a singular value that is hardly more than rounding."""

REGULARISATION = 1e-6
"""Part of the complement B M⁻¹ Bᵀ that makes the matrix of implicit steps regular where rows depend on each other: a
hundredth of it lets rounding into λ."""

ELASTIC_PART = 1e-6
"""Elastic length √(yᵀ W y) of a combination y of rows of length one, relative to the largest √W, above which
compliances determine it; below is rounding."""

PROBE_ANGLE = 0.7548776662466927
"""Of the vectors sin(angle i j) that reveal combinations of rows that vanish: of the plastic number, 1/ρ."""

REVEALED = 1e-3
"""Part of the growth of such a combination that a vector shows which has little of it."""

SAME_LENGTH = 1e-6
"""Relative difference of lengths that count as equal, so that rounding does not choose."""

DRIFT_LIMIT = 0.1
"""Of the way back to the constraints relative to the configuration, and of what is left of Φ behind it."""

DRIFT_ROUND_OFF = 1e-6
"""Of the way back relative to the configuration, below which Φ may be round-off."""

RANK_NEAR = 0.15
"""Part of the forces of a combination of constraint equations that is left where they nearly cancel, below which these
may become dependent. Mechanisms that are not near a singular configuration keep a quarter, chains of n links 1/n."""

RANK_CHANGE = 0.2
"""Relative change of that rest within a step, from which on a singular configuration is some steps away at most."""

RANK_ITERATIONS = 3
"""Of the inverse iteration for that combination."""

SURPRISE = 10.0
"""Error of a rejected step, relative to the tolerance, that the lengths of steps before did not let expect."""

ABRUPT = 0.1
"""Change of velocities within a step of fixed length, relative to them, from which on constraints are looked at."""

ABRUPT_GROWTH = 1.5
"""How many times the change within the step before that must be."""

TIME_RESOLUTION = 16 * 2.0**-52
"""Smallest step relative to the times of an integration: sixteen units of rounding."""

KINK = 1
"""Mark of segments that start at a kink of a function of time, where methods that take earlier steps begin anew."""

JUMP = 2
"""Mark of segments that start after a jump, where all methods begin anew."""

SWITCH_HALVINGS = 30
"""Halvings of a step in the search of a switch: rounding of its function is much less than the rest."""

SHORTEST_SWITCH = 2.0**-6
"""Part of a step from a switch to one of its ends, below which no step is taken there: short ones lose digits of λ."""

JUMP_OF_RATES = 1e-6
"""Difference of accelerations on both sides of a switch, relative to the largest ones there and at the end of the step,
from which on they jump."""

SLOW_RATE = 1e-3
"""Acceleration, in velocities over the length of a step, that counts as the size of smaller ones."""

STRETCH = 1.01
"""Steps to which a rest of an interval may amount to become one step."""

FAILED_STEP = 0.2
"""Factor of the step size after a step that has no result."""

REJECTED_STEP = 0.9
"""Factor of the step size after a step that is rejected, at most."""

STIFFNESS_EVERY = 1000
"""Steps after which one is looked at."""

STIFF_STEPS = 15
"""Suspicious steps that are enough."""

UNNOTICED = 1e-3
"""Part of its absolute tolerance up to which a change of a velocity may be rounding, whose sign says nothing: where a
force jumps to and fro, errors are as large as tolerances."""

CALM_STEPS = 6
"""Steps in a row without suspicion after which counting begins again."""

SMALLEST_PART = 2.0**-10
"""Smallest part of a step over which a prescribed rotation is followed."""

CLEAR_ANGLE = 0.5
"""Difference of angles, in rad, below which a part of a step is short enough to tell how far it turned."""

INTERPOLATION_DEGREE = 5
"""Of the polynomials between states."""

INCREMENT_STEPS = 3
"""Corrections of an increment so that it leads to the result of its step."""

INCREMENT_ENOUGH = 1e-9
"""Increments that are off by less are not corrected: what is left moves no event across a margin."""

SMALLEST_PANEL = 2.0**-6
"""Smallest part of a step that is sampled by itself in the search of events."""

EVENT_RESOLVED = 0.05
"""Last two Chebyshev coefficients of a part that may be resolved, relative to the variation."""

EVENT_SURE = 1e-3
"""Last two Chebyshev coefficients of a part that is resolved without a comparison, relative to the variation."""

EVENT_MARGIN = 0.02
"""Distance from zero at which the sign of a function is certain, relative to the variation."""

EVENT_FAR = 8
"""Variations that a function must be away from zero to be looked at no closer."""

EVENT_FAR_CUBIC = 0.02
"""Largest cubic part of such a function, relative to the variation."""

BEGINS_RUN = 2
"""Mark of values of event functions that belong to the start of a run."""

EVENT_TOUCH = 1e-12
"""What counts as zero, relative to the largest value within the step."""

EVENT_EXACT = 1e-13
"""Last terms of the series of an event function that can be left out, relative to the sum of all: it may converge more
slowly than the motion."""

EVENT_PARTS = 16
"""Parts of a piece of a step that have series of their own, at most."""

EVENT_POLE = 1e6
"""What only a pole reaches where the sign changes, relative to the largest value within the step."""

EVENT_GRID = 32
"""Intervals of a part in which its polynomial has one extremum at most."""

ZERO_WIDTH = 4.5e-16
"""Of the interval in which a zero is located, relative to the time: two units of rounding."""

EVENT_ITERATIONS = 200
"""Steps taken at most to locate one zero."""

EXTREMUM_STEPS = 8
"""Refinements of an extremum."""

EXTREMUM_ENOUGH = 1e-9
"""Shift of an extremum relative to the step after which it is not refined."""

SMALLEST_FORM = 2.0**-40
"""Part of a step below which a polynomial is not halved any more in the search of its zeros."""

PARTS_AT_ONCE = 48
"""Parts that wait while others are halved, more than there are halvings."""

CONDITION_ROUNDING = 8 * 2.0**-52
"""Of the terms of a function that chooses pieces, up to which its value may be rounding."""

REACH_CORRECTIONS = 4
"""Looks at a state where such a function vanishes, at most: its series is as exact as the step, while its sign is to be
exact."""

REACH_ROOM = 1.0625
"""Of the length up to such a place, within which it is sought once more."""

SOON = 2.0**-40
"""Part of the length that is looked at, up to which a change of pieces does not end a step."""

MOST_PIECES = 32
"""Pieces of a step at most, besides two for each function that chooses them."""

TRACE_WIDTH = 9
"""Numbers of a tried step in a trace."""

MOST_EVENTS = 5 * 64
"""Events of one function within a step at most: five in each of the smallest parts."""

CACHE_LINE = 8
"""Numbers in a line of the cache."""

LENGTHS = 64
"""Lengths of steps by series from a power of two to the next: they follow from last terms, which have few digits."""

LARGEST_UNIT = 2.0**512
"""Of time in which coefficients of series are, in s; the least one is its reciprocal."""

LARGEST_COEFFICIENT = 2.0**256
"""Of the last order that does not vanish, and its reciprocal, beyond which coefficients are found in another unit of
time: squares of what they are relative to tolerances stay within the range of doubles."""

UNIT_CHANGES = 4
"""Changes of the unit of time of one series at most."""

LAST_TERMS = 3
"""Terms from which the length of a step by series follows: with even and odd series there are two that do not vanish at
least."""

NEAR_ROOT = 2e-7
"""Relative error of roots that lanes find by arithmetic, from which lengths of steps by series follow."""

MOST_ORDER = 60
"""Of Taylor series."""

ROUNDED = 1e-12
"""Error of a step by series, relative to the state, up to which it may be rounding."""

TERMS_FALL = 0.25
"""Last terms of a series over the first ones or those in the middle, from which on it may not converge."""

RATES_APART = 0.5
"""Difference of the rates where a step ends from those of its series, relative to the larger ones, from which on they
have nothing to do with each other."""

RATES_NOTICED = 1e-8
"""The same times the length of the step, relative to the state, up to which it may be rounding."""


def constants_header() -> dict[str, str]:
    """``constants.h`` and its text."""
    numbers = [f"#define {name} {value!r}" for name, value in globals().items() if name.isupper()]
    statuses = ",\n".join(f"    SYMLIE_{status.name} = {status.value}" for status in Status)
    head = "/* What the time loops in C and in NumPy share; symlie/contract/constants.py says what each is. */"
    lines = [head, "#ifndef SYMLIE_CONSTANTS_H", "#define SYMLIE_CONSTANTS_H", "", *numbers]
    return {"constants.h": "\n".join([*lines, "", f"enum symlie_status {{\n{statuses}\n}};", "", "#endif", ""])}
