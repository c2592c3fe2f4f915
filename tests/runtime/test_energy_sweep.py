"""Warnings of lost energy on Kepler orbits of random eccentricities, units, zeros of energy, tolerances and methods."""

from __future__ import annotations

import functools
import random
import warnings
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.runtime.system.system import System

METHODS = ("half_explicit_5", "rkmk_dopri5", "bdf", "taylor", "generalized_alpha")
LOST = {True: 0.21, False: 0.51}
"""Change relative to the kinetic energy that no run may hide, with adaptive and with fixed steps."""
RIGHT = 1e-4
"""Relative change of the orbital energy that is no reason for a warning."""


@functools.cache
def orbit() -> System:
    """Return a body around a centre of attraction; `zero` shifts its potential energy."""
    model = sl.Model("orbit")
    p, mass, mu, zero = model.node("p", "R3"), *(model.parameter(name, 1.0) for name in ("mass", "mu", "zero"))
    model.kinetic_energy(mass * p.x_dot.dot(p.x_dot) / 2)
    model.potential_energy(mass * (zero - mu / p.x.norm()))
    model.initial(p, x=[1, 0, 0], x_dot=[0, 1, 0])
    return model.derive().compile()


def _run(
    eccentricity: float, method: str, options: dict[str, Any], scale: tuple[float, float, float], zero: float
) -> tuple[bool, float]:
    """Return whether a run of three periods warned or failed, and its change of energy by its kinetic energy."""
    length, time, mass = scale
    mu, speed = length**3 / time**2, length / time
    system = orbit().with_parameters(mass=mass, mu=mu, zero=zero * speed**2)
    start = length * (1 + eccentricity)
    fast = speed * np.sqrt((1 - eccentricity) / (1 + eccentricity))
    system = system.with_initial("p", x=[start, 0, 0], x_dot=[0, fast, 0])
    scaled = {name: value * time if name == "h" else value for name, value in options.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            solution = sl.solve(system, 6 * np.pi * time, method=method, **scaled)
        except sl.errors.IntegrationError:
            return True, np.inf
    energy = solution.outputs["energy"] / (mass * speed**2)
    kinetic = energy - zero + mu / speed**2 / np.linalg.norm(solution.q, axis=1)
    mean = np.interp(np.linspace(0, 1, 999), solution.t / solution.t[-1], kinetic).mean()
    return any("conserves" in text for text in solution.warnings), float(
        abs(energy[-1] - energy[0]) / max(kinetic[0], kinetic[-1], mean)
    )


def _case(seed: int) -> None:
    draw = random.Random(f"energy:{seed}")
    eccentricity = draw.choice((0.0, draw.uniform(0, 0.9), 1 - 10 ** draw.uniform(-4, -1)))
    method = draw.choice(METHODS)
    tolerance = 10 ** draw.uniform(-10, -2)
    options = (
        {"h": draw.choice((0.3, 0.05, 0.01))}
        if draw.random() < 0.3 and method != "bdf"
        else {"rtol": tolerance, "atol": tolerance / 1e3}
    )
    length = 10 ** draw.uniform(-6, 6) if "h" in options else 1.0  # absolute tolerances are lengths
    units = (length, 10 ** draw.uniform(-6, 6), 10 ** draw.uniform(-6, 6))
    warned, change = _run(eccentricity, method, options, units, 0.0)
    shifted, other = _run(eccentricity, method, options, (1.0, 1.0, 1.0), draw.uniform(-3, 3))
    for is_reported, relative in ((warned, change), (shifted, other)):
        assert not (is_reported and relative < RIGHT), f"seed {seed}: warned of a relative change of {relative:.1e}"
        assert is_reported or relative < LOST["rtol" in options], (
            f"seed {seed}: silent about a relative change of {relative:.1e}"
        )


@pytest.mark.parametrize("seed", range(8))
def test_energy_warning_matches_energy_lost(seed: int) -> None:
    _case(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8, 208))
def test_energy_warning_matches_energy_lost_in_many_orbits(seed: int) -> None:
    _case(seed)
