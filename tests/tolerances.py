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

CLOSED_FORM = 1e-32
"""Printed closed forms evaluated with 80 digits against derived ones evaluated with 50; more than the 30 digits asked
for, less than 50 because primitives' values are rounded to 50 digits before they are multiplied."""

PRIMITIVE = 1e-36
"""Values of primitives evaluated with 40 digits, relative to the value; spot values are judged by their own digits."""

NORMALIZE_FACTOR = 10.0
"""Residual of the relations after one normalising step over the square of the residual before: 3/4 |D|² for a
quaternion and for the polar factor in the 2-norm; the largest entry and the cofactor relations cost up to 10."""

SPOT_VALUE = 1e-20
"""Tabulated spot values have 21 significant digits, the first of which may be 1."""

EPSILON = 2.0**-52
"""Spacing of doubles at one."""

SCHEME = 4 * EPSILON
"""Relative error of a shipped scheme in plain Horner form without contraction; ball arithmetic proves 3.3 ε for the
worst function without a pole on [0, π²], and c₀, c₁ are judged with respect to f(0)."""

SCHEME_POLE_BASE = 2 * EPSILON
SCHEME_POLE_FACTOR = EPSILON
"""With a pole of order m divided out: the numerator and the division cost 2 ε, and each factor (4π² - z) carries one
rounding of its own (two half ulps) and a half for its product; measured 4.8 ε for m = 3 and m = 4."""

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

HEAVY_TOP_RUN = 1e-6
"""Error of fifth order methods on the heavy top with h = 2⁻¹¹ s up to t = 1 s: 1.9e-7 in the rotation at the end, by
convergence studies with halved steps; the rest is room for other processors' rounding and for other groups."""

HELD_CONSTRAINT = 1e-12
"""Φ of a spherical joint on SE(3), which half-explicit methods keep to rounding: some ε of each of 2000 steps."""

ORDER_SLACK = 0.15
"""How far an observed order of the finest halving may be below the order of the method: the next term of the error
still counts at these steps."""

ELIMINATION = 64 * EPSILON
"""Backward error of an elimination of up to ten unknowns without pivoting: a few roundings per unknown; multiplied
by the condition number."""

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

PRESCRIBED_AGAINST_CONSTRAINED = 1e-8
"""Order-5 discretisation errors of two formulations at h = 1/400 over 0.25 s, and multipliers that differ by them."""
