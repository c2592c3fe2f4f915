"""Constants of the loops that evaluate functions of matrices with any spectrum; `symlie.certify.loops` bounds
remainders.

    e^A, φ₁(A) = (e^A - 1)/A   by p(A/2ˢ), p the Taylor polynomial of φ₁, ‖A/2ˢ‖₁ ≤ 1, e^A = 1 + A φ₁(A), and s times
                               φ₁(2A) = (e^A + 1) φ₁(A)/2, e^{2A} = (e^A)²
    T(θ) = φ₁(-ad θ),          T⁻¹ by elimination
    ∂(T(θ) w)/∂θ = D           by the derivative of p, and D(2θ) = (D + e^A D + ad(e^A T w) T)/4
    log X = 2^{s+1} artanh Z   Z = (Y - 1)(Y + 1)⁻¹, Y = X^{1/2ˢ} by repeated square roots with ‖Y - 1‖₁ ≤ 1/4,
                               then Newton's method on the group, θ ← θ + T⁻¹(θ) log(exp(-θ) q)

Newton's method stays on the group, so that rounding is not amplified where the axis of a rotation by nearly π is
ill-conditioned.
Source: [Higham2008], chapters 6, 10 and 11.
"""

from __future__ import annotations

DEGREE = 17
"""Degree of p."""
SCALED_NORM = 1
"""Largest column sum of matrices in the polynomial."""
MOST_HALVINGS = 1024
"""Number of halvings beyond which results overflow."""

NEAR_IDENTITY = 4
"""Reciprocal of the largest column sum of Y - 1."""
LOGARITHM_DEGREE = 8
"""Degree of the polynomial artanh(Z)/Z in Z²."""
MOST_ROOTS = 16
"""Maximum number of square roots: matrices up to e^16000, which no double reaches."""
MOST_ITERATIONS = 80
"""Maximum number of iterations of a square root; eigenvalues 1e-14 rad from the negative real axis take 53."""
OUTSIDE = 4
"""Reciprocal of the distance of a principal logarithm from the algebra above which it belongs to a larger group: on
SU(n) principal angles may add up to 2π."""
MOST_CORRECTIONS = 8
"""Maximum number of corrections of Newton's method."""

ROOT_CONVERGED = {"double": 1e-7, "float": 1e-3}
"""Relative change of a square root after which one more iteration leaves only rounding."""
CORRECTED = {"double": 1e-8, "float": 1e-4}
"""Correction of a logarithm whose square is rounding."""
ROUNDED = {"double": 2.0**-48, "float": 2.0**-19}
"""Rounding of exp(-θ) q, relative to the product of their norms, below which corrections are meaningless."""
UNRESOLVED = {"double": 1e-4, "float": 1e-2}
"""Size of such rounding above which no logarithm is returned."""
