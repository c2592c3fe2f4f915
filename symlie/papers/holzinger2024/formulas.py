"""Items of [Holzinger2024] on its formulas: their cost, their series and errors in print; and its drawings."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from scipy.spatial.transform import Rotation

from symlie.papers.error_curves import ErrorCurves, error_panels
from symlie.papers.facts import Thresholds
from symlie.papers.holzinger2024.formula_times import POINT, STORED, FormulaTime, FormulaTimes
from symlie.papers.items import Item, Number, Table

METHODS = {"RK44": "rkmk_rk44", "RK67": "rkmk_rk67"}
SAME = 1e-11
"""Bound of the difference of rotations after 20,000 steps: round-off."""

Found = Mapping[str, FormulaTime]


def factor(name: str) -> Callable[[Found], float]:
    """Return a reader of the time of the formulas for a representation of rotations, relative to a point."""
    return lambda found: found[name].seconds / found[POINT].seconds


def apart(found: Found) -> float:
    """Return the largest difference of the final rotation matrices."""
    rotations = [found[name].rotation for name in STORED]
    return float(np.ptp(rotations, axis=0).max())


def rows(*results: Found) -> list[list[str]]:
    """Return the table of relative times, by method."""
    return [
        [method, *(f"{factor(name)(found):.1f}" for name in STORED)]
        for method, found in zip(METHODS, results, strict=True)
    ]


def cost_claim() -> Item:
    """Return the claim of note 14."""
    studies = {name: FormulaTimes(method) for name, method in METHODS.items()}
    numbers = [
        Number(f"{method}: factor with storage as {name}", factor(name), [study], printed="about 6")
        for method, study in studies.items() for name in STORED
    ]  # fmt: skip
    numbers += [
        Number(f"{method}: largest difference between the three final rotations", apart, [study], None, SAME)
        for method, study in studies.items()
    ]
    return Item(
        "claim", "formulas", "refuted", "The formulas of a step cost six times as much on the group",
        "The factor is the ratio of two processor times per step: of a rotating ball with v' = -d v, and of a point "
        "in R³ with the same equation. The forces cost almost nothing, so that the formulas of the method dominate "
        "both times. Times depend on the machine and are not checked. The factor depends on the storage of "
        "rotations. With rotation vectors as in the paper, each stage composes two vectors, and the factor exceeds "
        "6. With rotation matrices and quaternions, no rotation angle has to be recovered, and the factor is "
        "smaller. All three storages give the same motion.",
        table=Table(["method", *STORED], rows, list(studies.values())), numbers=numbers,
    )  # fmt: skip


ANGLES, INCREMENT = np.array([0.9, -0.4, 1.3]), np.array([-0.3, 0.8, 0.5])
"""Rotation vectors to be composed, in rad."""
INERTIA, SPIN = np.array([0.234375, 0.46875, 0.234375]), np.array([1.0, 150.0, -4.61538])
"""Moments of inertia and angular velocity of a body similar to the heavy top, in kg m² and rad/s."""
EPSILON = 2.0**-52
PRINTED_STEP, PRINTED_END, PRINTED_ORDER = 1e-4, 1.0, 5
"""Step size and end time of section 4.1, in s, and order of a method."""


def composed(sign: float, factor: float) -> float:
    """Return the distance of R(ψ) from R(ψ₀) R(Δψ), for ψ = f (v₀ η + η₀ v ± v × η)/sinc φ in half-angle
    quaternions.
    """
    (eta, eta0), (v, v0) = (
        (np.sin(a / 2) * psi / a, np.cos(a / 2)) for psi in (ANGLES, INCREMENT) for a in (np.linalg.norm(psi),)
    )
    phi = np.arccos(v0 * eta0 - v @ eta)
    psi = factor * (v0 * eta + eta0 * v + sign * np.cross(v, eta)) * phi / np.sin(phi)
    exact = Rotation.from_rotvec(ANGLES) * Rotation.from_rotvec(INCREMENT)
    return float(np.abs(Rotation.from_rotvec(psi).as_matrix() - exact.as_matrix()).max())


def momentum_rate(sign: float) -> float:
    """Return the rate of the spatial angular momentum of a free body relative to |ω × J ω|, for J ω' = ± ω × J ω."""
    torque = np.cross(SPIN, INERTIA * SPIN)
    return float(np.linalg.norm(torque + sign * torque) / np.linalg.norm(torque))


def block_error(block: float) -> float:
    """Return the largest entry of q ṽ - q' for a translation q = [I x; 0 1], where the first block of ṽ is `block`
    times I."""
    x, rate = np.array([[1.0], [2.0], [3.0]]), np.array([[0.3], [-0.2], [0.1]])
    q = np.block([[np.eye(3), x], [np.zeros((1, 3)), np.ones((1, 1))]])
    velocity = np.block([[block * np.eye(3), rate], [np.zeros((1, 4))]])
    exact = np.block([[np.zeros((3, 3)), rate], [np.zeros((1, 4))]])
    return float(np.abs(q @ velocity - exact).max())


def printed_tolerance() -> float:
    """Return the relative tolerance of section 4, in units of the machine epsilon."""
    return float(1e-2 / (PRINTED_END / PRINTED_STEP) ** PRINTED_ORDER / EPSILON)


def equations_claim() -> Item:
    """Return the claim on printed equations that are corrected here."""
    wrong = 0.1
    return Item(
        "claim", "equations", "refuted", "Equations (11), (14), (20), (A10) and (B19) hold as printed",
        "In (11) and (14), the gyroscopic torque on the right-hand side must be -ω × J ω. With the printed sign, "
        "the spatial angular momentum of a free body is not constant. In (20), the first block of ṽ for "
        "translations must be 0 instead of I. (A5) defines f₂, although its left-hand side is printed as f₃. (A10) "
        "must contain η × v and the factor 2/sinc φ, so that it composes the rotations in the order R(ψ₀) R(Δψ). "
        "The exponent in (B19) must be 1/(p + 1) with the order p of the embedded formula. Section 4 sets the "
        "relative tolerance to 1e-2/(t_end/h)^p, which is far below the machine epsilon for DOPRI5 with h = 1e-4 s.",
        numbers=[
            Number("relative rate of the angular momentum of a free body, printed sign", lambda: momentum_rate(1.0), [],
                   wrong, None),
            Number("the same, corrected", lambda: momentum_rate(-1.0), [], None, 1e-15),
            Number("largest entry of q ṽ - q' for a translation, printed (20)", lambda: block_error(1.0), [], wrong,
                   None),
            Number("the same, corrected", lambda: block_error(0.0), [], None, 1e-15),
            Number("largest error of the composed rotation matrix, printed (A10)", lambda: composed(1.0, 0.5), [],
                   wrong, None),
            Number("the same, corrected", lambda: composed(-1.0, 2.0), [], None, 1e-14),
            Number("tolerance of DOPRI5 at h = 1e-4 s / machine epsilon 2⁻⁵²", printed_tolerance, [], None, 1e-3),
        ],
    )  # fmt: skip


def series_claim() -> Item:
    """Return the claim that follows (A9)."""
    study, found = ErrorCurves("holzinger2024", ("c2", "c3", "g0")), Thresholds("holzinger2024")
    return Item(
        "claim", "series", "refuted", "The Taylor polynomials of (A7) to (A9) leave relative errors of about 1e-10",
        "The errors are found by symlie verify --paper holzinger2024. The polynomials are accurate. Just above the "
        "thresholds, the closed forms lose digits by cancellation: f₂, whose threshold is 1e-4, loses eight digits. "
        "The curves show the largest errors found, in units in the last place.",
        error_panels(study), 3,
        numbers=[
            Number(f"{name}: largest relative error up to π", lambda rows, k=k: rows[k].measured_eps * EPSILON, [found],
                   least, most, printed="1e-10")
            for k, (name, least, most) in enumerate((("f₁", None, 1e-10), ("f₂", 1e-8, 1e-7), ("f₃", None, 1e-10)))
        ],
    )  # fmt: skip


def formulas() -> list[Item]:
    """Return the items on formulas."""
    return [cost_claim(), series_claim(), equations_claim()]


DRAWINGS = [
    Item("figure", number, "schematic", title, f"A drawing without data: {what}.")
    for number, title, what in (
        (
            "1",
            "the heavy top",
            "a body with a fixed point, its axes and the vector to its centre of mass",
        ),
        ("9", "the high-speed rotor", "a disk on a shaft that is supported by springs and dampers at two points"),
        ("14", "the slider-crank mechanism", "crank, connecting rod and slider with their four joints"),
        ("18", "the Puma 560", "the manipulator and its kinematic chain of six revolute joints with their axes"),
    )
]
"""Figures without data."""
