"""Cross sections and materials of rods, which determine stiffness and inertia per length.

Axes 1 and 2 lie in the cross section, through its centre; axis 3 is the tangent of the centre line. Any consistent
units are possible: m, N and kg, or mm, N and t with E in MPa.

Source: [Hante2022], section 3.2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symlie.errors import ModelError
from symlie.utilities.number_checks import is_number

__all__ = ["Section", "circle", "general", "rectangle", "tube"]

Array = NDArray[np.float64]

TERMS = 40
"""Number of terms of the torsion series of a rectangle; the last is below rounding."""


def __dir__() -> list[str]:
    return __all__


@dataclass(frozen=True)
class Section:
    """Cross section of a homogeneous, isotropic rod.

    Attributes
    ----------
    A
        Area, in m².
    I1, I2
        Second moments of area about axes 1 and 2, in m⁴.
    J
        Polar moment, in m⁴.
    E, G
        Young's modulus and shear modulus, in Pa.
    rho
        Density, in kg/m³.
    shear_factors
        A₁/A and A₂/A, dimensionless.
    torsion_constant
        Replaces J in the torsional stiffness, in m⁴.
    """

    A: float
    I1: float
    I2: float
    J: float
    E: float
    G: float
    rho: float
    shear_factors: tuple[float, float]
    torsion_constant: float

    @property
    def stiffness(self) -> Array:
        """[E I1, E I2, G J, G A1, G A2, E A], in N m² and N."""
        A1, A2 = (factor * self.A for factor in self.shear_factors)
        return np.array(
            [
                self.E * self.I1,
                self.E * self.I2,
                self.G * self.torsion_constant,
                self.G * A1,
                self.G * A2,
                self.E * self.A,
            ]
        )

    @property
    def inertia(self) -> Array:
        """[ρ I1, ρ I2, ρ J, ρ A, ρ A, ρ A], in kg m and kg/m."""
        return self.rho * np.array([self.I1, self.I2, self.J, self.A, self.A, self.A])


def general(
    *,
    A: float,
    I1: float,
    I2: float,
    E: float,
    rho: float,
    nu: float | None = None,
    G: float | None = None,
    J: float | None = None,
    torsion_constant: float | None = None,
    shear_factors: tuple[float, float] = (1.0, 1.0),
) -> Section:
    """Return a cross section defined by its constants.

    Parameters
    ----------
    A, I1, I2
        Area, in m², and second moments of area about axes 1 and 2, in m⁴.
    E, rho
        Young's modulus, in Pa, and density, in kg/m³.
    nu, G
        Poisson's ratio, dimensionless, or instead the shear modulus, in Pa.
    J
        Polar moment, in m⁴; I1 + I2 by default.
    torsion_constant
        Factor of G in the torsional stiffness, in m⁴; J by default, as for round sections.
    shear_factors
        A₁/A and A₂/A, dimensionless.

    Raises
    ------
    ModelError
        If a value is not positive, Poisson's ratio is outside of -1 … 1/2, or not exactly one of nu and G is given.
    """
    if (nu is None) == (G is None):
        raise ModelError("A section needs Poisson's ratio nu, or the shear modulus G, and not both.")
    if nu is not None:
        G = _positive("E", E) / (2 * (1 + _poisson(nu)))
    assert G is not None
    polar = I1 + I2 if J is None else J
    torsion = polar if torsion_constant is None else torsion_constant
    first, second = shear_factors
    positive = {
        "A": A, "I1": I1, "I2": I2, "J": polar, "E": E, "G": G, "rho": rho, "torsion_constant": torsion,
        "first shear factor": first, "second shear factor": second,
    }  # fmt: skip
    found = {name: _positive(name, value) for name, value in positive.items()}
    shear = found.pop("first shear factor"), found.pop("second shear factor")
    return Section(**found, shear_factors=shear)


def circle(radius: float, *, E: float, nu: float, rho: float) -> Section:
    """Return a solid circular section.

    Source: [Cowper1966] for the shear factors.

    Parameters
    ----------
    radius
        In m.
    E, nu, rho
        Young's modulus, in Pa, Poisson's ratio, dimensionless, and density, in kg/m³.
    """
    return tube(radius, 0.0, E=E, nu=nu, rho=rho)


def tube(outer_radius: float, inner_radius: float, *, E: float, nu: float, rho: float) -> Section:
    """Return a circular tube section.

    Source: [Cowper1966] for the shear factors.

    Parameters
    ----------
    outer_radius, inner_radius
        In m.
    E, nu, rho
        As for `circle`.
    """
    R = _positive("outer_radius", outer_radius)
    if not (is_number(inner_radius) and 0 <= inner_radius < R):
        raise ModelError(f"The inner radius of a tube must be below the outer one, {R:g}, not {inner_radius!r}.")
    m, n = inner_radius / R, _poisson(nu)
    factor = 6 * (1 + n) * (1 + m**2) ** 2 / ((7 + 6 * n) * (1 + m**2) ** 2 + (20 + 12 * n) * m**2)
    moment = math.pi / 4 * (R**4 - inner_radius**4)
    area = math.pi * (R**2 - inner_radius**2)
    return general(A=area, I1=moment, I2=moment, E=E, nu=nu, rho=rho, shear_factors=(factor, factor))


def rectangle(width: float, height: float, *, E: float, nu: float, rho: float) -> Section:
    """Return a rectangular section.

    Source: [Cowper1966] for the shear factors, [Timoshenko1970] for the torsion constant.

    Parameters
    ----------
    width, height
        Sides along axis 1 and axis 2, in m; the bending stiffness about axis 1, E I1, is proportional to height³.
    E, nu, rho
        As for `circle`.
    """
    a, b = _positive("width", width), _positive("height", height)
    n = _poisson(nu)
    factor = 10 * (1 + n) / (12 + 11 * n)
    long, short = max(a, b), min(a, b)
    odd = np.arange(1, 2 * TERMS, 2)
    series = float(np.sum(np.tanh(odd * math.pi * long / (2 * short)) / odd**5.0))
    torsion = long * short**3 / 3 * (1 - 192 / math.pi**5 * short / long * series)
    return general(
        A=a * b,
        I1=a * b**3 / 12,
        I2=b * a**3 / 12,
        E=E,
        nu=nu,
        rho=rho,
        torsion_constant=torsion,
        shear_factors=(factor, factor),
    )


def _positive(name: str, value: float) -> float:
    if not (is_number(value) and 0 < value < math.inf):
        raise ModelError(f"The {name} of a section must be a positive number, not {value!r}.")
    return float(value)


def _poisson(nu: float) -> float:
    if not (is_number(nu) and -1 < nu <= 0.5):
        raise ModelError(f"Poisson's ratio must be above -1 and at most 1/2, not {nu!r}.")
    return float(nu)
