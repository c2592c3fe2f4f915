"""Cross sections: the diagonals of stiffness and inertia, and a cantilever in metres and in millimetres."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import ModelError
from symlie.section import Section
from tests import tolerances

STEEL = {"E": 210e9, "nu": 0.3, "rho": 7850.0}


def test_circle_has_its_stiffness() -> None:
    found = sl.section.circle(0.02, **STEEL)
    A, moment, G = np.pi * 0.02**2, np.pi * 0.02**4 / 4, 210e9 / 2.6
    EI, kGA = 210e9 * moment, 7.8 / 8.8 * G * A
    np.testing.assert_allclose(found.stiffness, [EI, EI, 2 * G * moment, kGA, kGA, 210e9 * A])
    np.testing.assert_allclose(found.inertia, 7850 * np.array([moment, moment, 2 * moment, A, A, A]))


def test_thin_tube_has_its_stiffness() -> None:
    """Its shear factor is 2 (1 + ν)/(4 + 3 ν)."""
    found = sl.section.tube(0.1, 0.1 - 1e-7, **STEEL)
    assert np.isclose(found.shear_factors[0], 2.6 / 4.9, rtol=1e-5)
    assert np.isclose(found.torsion_constant, 2 * np.pi * 0.1**3 * 1e-7, rtol=1e-5)


@pytest.mark.parametrize("inner", [0.0, 0.3, 0.7])
def test_tube_has_its_shear_factor(inner: float) -> None:
    """6 (1 + ν) (R² + r²)²/((7 + 6 ν) (R² + r²)² + (20 + 12 ν) R² r²), as for a hollow circle of Cowper."""
    found = sl.section.tube(1.0, inner, **STEEL)
    both, product = (1 + inner**2) ** 2, inner**2
    np.testing.assert_allclose(found.shear_factors, 6 * 1.3 * both / (8.8 * both + 23.6 * product))


@pytest.mark.parametrize(("ratio", "factor"), [(1.0, 0.1406), (2.0, 0.229), (10.0, 0.312)])
def test_rectangle_has_its_stiffness(ratio: float, factor: float) -> None:
    """The sides are along axes 1 and 2, and torsion has the printed factors of a b³."""
    found = sl.section.rectangle(0.01 * ratio, 0.01, **STEEL)
    assert np.isclose(found.I1, 0.01 * ratio * 0.01**3 / 12) and np.isclose(found.I2, 0.01 * (0.01 * ratio) ** 3 / 12)
    assert np.isclose(found.torsion_constant / (ratio * 0.01**4), factor, rtol=5e-3)
    turned = sl.section.rectangle(0.01, 0.01 * ratio, **STEEL)
    assert turned.torsion_constant == found.torsion_constant and turned.I1 == found.I2


def test_user_defined_constants_are_used() -> None:
    """The diagonals of the paper: one J for torsion and for inertia, unless both are given."""
    found = sl.section.general(A=2, I1=3, I2=4, J=5, E=7, G=11, rho=13, shear_factors=(0.5, 0.25))
    np.testing.assert_allclose(found.stiffness, [21, 28, 55, 11, 5.5, 14])
    np.testing.assert_allclose(found.inertia, [39, 52, 65, 26, 26, 26])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"A": 0}, r"The A of a section must be a positive number, not 0\."),
        ({"nu": 0.6}, r"Poisson's ratio must be above -1 and at most 1/2, not 0\.6\."),
        ({"G": 1.0}, r"A section needs Poisson's ratio nu, or the shear modulus G, and not both\."),
        ({"E": "steel"}, r"The E of a section must be a positive number, not 'steel'\."),
    ],
)
def test_invalid_sections_are_rejected(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ModelError, match=f"^{sentence}"):
        sl.section.general(**{"A": 1, "I1": 1, "I2": 1, **STEEL, **change})


def test_tube_without_wall_is_rejected() -> None:
    with pytest.raises(ModelError, match=r"^The inner radius of a tube must be below the outer one, 1, not 1\."):
        sl.section.tube(1.0, 1.0, **STEEL)


def cantilever(segments: int, length: float, section: Any, force: float, **more: Any) -> sl.CosseratRod:
    """A rod along the first inertial axis, clamped at its start, with a force along the third."""
    model = sl.Model("cantilever")
    rod = sl.CosseratRod(
        model, "rod", segments=segments, length=length, section=section, position=lambda s: (s, 0, 0),
        orientation=(0.5**0.5, 0, 0.5**0.5, 0), constraint="kirchhoff", **more,
    )  # fmt: skip
    rod.clamp("start")
    rod.end_load("end", force=[0, 0, force])
    return rod


def deflection(rod: sl.CosseratRod) -> float:
    """Of the end, at rest."""
    system = rod.model.derive().compile("numpy")
    return float(np.array(system.static_equilibrium().q).reshape(-1, 7)[-1, 6])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("unit", "section", "length", "force"),
    [
        ("m", sl.section.circle(0.005, **STEEL), 1.0, 0.1),
        ("mm", sl.section.circle(5.0, E=210e3, nu=0.3, rho=7.85e-9), 1000.0, 0.1),
    ],
)
def test_cantilever_deflection_matches_beam_theory(unit: str, section: Section, length: float, force: float) -> None:
    """P L³/3EI, to the second order in 1/K that a chain of K segments misses: 1/(2K²)."""
    K = 16
    bent = force * length**3 / (3 * section.E * section.I1)
    missed = deflection(cantilever(K, length, section, force)) / bent - 1
    assert abs(missed) < tolerances.CANTILEVER_OF_SEGMENTS / K**2, unit


def test_variable_section_is_supported() -> None:
    """A cone is as stiff in each segment as in its middle, and as heavy at each node as there."""
    rod = cantilever(4, 1.0, lambda s: sl.section.circle(0.02 - 0.01 * s, **STEEL), 1.0)
    system = rod.model.derive().compile("numpy")
    names = [e.name for e in system.layout.elements]
    segments = system.layout.element_parameters[names.index("rod_segment")]
    middle = [sl.section.circle(0.02 - 0.01 * s, **STEEL).stiffness for s in (0.125, 0.375, 0.625, 0.875)]
    np.testing.assert_allclose(segments[:, 1:7], middle)


def test_section_and_stiffness_exclude_each_other() -> None:
    with pytest.raises(ModelError, match=r"^Rod 'rod' takes its stiffness and inertia from its section; do not give"):
        cantilever(2, 1.0, sl.section.circle(0.02, **STEEL), 1.0, stiffness=np.ones(6))
    with pytest.raises(
        ModelError, match=r"^The section of rod 'rod' must be one of sl\.section, or a function of s, not 3"
    ):
        cantilever(2, 1.0, 3, 1.0)
