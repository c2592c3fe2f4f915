"""Taylor series of piecewise forces: steps end at ends of pieces, against motions in closed form."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy
from sympy import Expr

import symlie as sl
from symlie.errors import ChatteringError
from symlie.ir.primitives import PiecewiseLinear
from symlie.runtime.system.system import System
from tests import tolerances

Law = Callable[[sl.Model, Expr, Expr], Expr]
"""A force of a model, x and x'."""

STEPS: tuple[dict[str, Any], ...] = ({"rtol": 1e-12, "atol": 1e-13}, {"h": 0.3})


def mass_on(law: Law, x: float, x_dot: float, backend: str) -> System:
    """A mass of one kilogram on a line with a force."""
    model = sl.Model("mass")
    q = model.node("mass", "R1")
    model.kinetic_energy(q.x_dot[0] ** 2 / 2)
    model.force(sl.vector(law(model, q.x[0], q.x_dot[0])), at=q.x)
    model.initial(q, x=[x], x_dot=[x_dot])
    return model.derive().compile(backend=backend)


def bilinear(model: sl.Model, x: Expr, v: Expr) -> Expr:
    """A spring that is four times as stiff on one side."""
    return sl.select(x, -x, -4 * x)


def bilinear_motion(t: float) -> float:
    """From rest at one: halves of two oscillations."""
    t = math.fmod(t, 1.5 * math.pi)
    quarter = math.pi / 2
    if t < quarter:
        return math.cos(t)
    return -math.sin(2 * (t - quarter)) / 2 if t < 2 * quarter else math.sin(t - 2 * quarter)


def tabulated(model: sl.Model, x: Expr, v: Expr) -> Expr:
    """The same spring by a table, whose ends are far away."""
    places = model.parameter("places", [-8.0, 0.0, 8.0])
    forces = model.parameter("forces", [32.0, 0.0, -8.0])
    return PiecewiseLinear(x, places[0], forces[0], 3)


def rubbing(model: sl.Model, x: Expr, v: Expr) -> Expr:
    """A spring with dry friction."""
    return -x - sl.select(v, 1, -1) / 20


def holding(model: sl.Model, x: Expr, v: Expr) -> Expr:
    """A spring with more friction, which holds the mass after a while."""
    return -x - 3 * sl.select(v, 1, -1) / 10


def rubbing_by_sign(model: sl.Model, x: Expr, v: Expr) -> Expr:
    """The same by a function of three pieces."""
    return -x - sympy.sign(v) / 20


def rubbing_motion(t: float) -> float:
    """From rest at one: halves of oscillations about both ends of where friction holds the mass."""
    half = int(t // math.pi)
    sign = (-1) ** half
    return sign * (1 / 20 + (19 / 20 - half / 10) * math.cos(t - half * math.pi))


def bouncing(model: sl.Model, x: Expr, v: Expr) -> Expr:
    """A weight above a soft ground."""
    return -1 + 4 * sympy.Max(0, -x)


def bouncing_motion(t: float) -> float:
    """From rest at one: falls and halves of an oscillation about -1/4."""
    fall = math.sqrt(2)
    amplitude = math.sqrt(fall**2 / 4 + 1 / 16)
    phase = math.asin(1 / 4 / amplitude)
    contact = (math.pi + 2 * phase) / 2
    t = math.fmod(t, 2 * fall + contact)
    if t < fall:
        return 1 - t**2 / 2
    if t < fall + contact:
        return -1 / 4 - amplitude * math.sin(2 * (t - fall) - phase)
    return 1 - (2 * fall + contact - t) ** 2 / 2


def constant(model: sl.Model, x: Expr, v: Expr) -> Expr:
    """A force to the middle, where the motion begins."""
    return sl.select(x, -1, 1)


def constant_motion(t: float) -> float:
    """Parabolas."""
    half = int(t // 2)
    part = t - 2 * half
    return (-1) ** half * part * (2 - part) / 2


def by_magnitude(model: sl.Model, x: Expr, v: Expr) -> Expr:
    """The same spring as the first by absolute values."""
    return -(5 * x - 3 * abs(x)) / 2


def by_smallest(model: sl.Model, x: Expr, v: Expr) -> Expr:
    """The same by the smaller one of two forces, with a sign."""
    return -sympy.Min(x, 4 * x)


MOTIONS: dict[str, tuple[Law, float, float, Callable[[float], float]]] = {
    "select": (bilinear, 1.0, 0.0, bilinear_motion),
    "Abs": (by_magnitude, 1.0, 0.0, bilinear_motion),
    "Min": (by_smallest, 1.0, 0.0, bilinear_motion),
    "table": (tabulated, 1.0, 0.0, bilinear_motion),
    "friction": (rubbing, 1.0, 0.0, rubbing_motion),
    "sign": (rubbing_by_sign, 1.0, 0.0, rubbing_motion),
    "Max": (bouncing, 1.0, 0.0, bouncing_motion),
    "from an end of a piece": (constant, 0.0, 1.0, constant_motion),
    "from the other side": (constant, 0.0, -1.0, lambda t: -constant_motion(t)),
}
"""Force, start, and motion."""


@functools.cache
def system_of(name: str, backend: str) -> System:
    """One of them."""
    law, x, v, _ = MOTIONS[name]
    return mass_on(law, x, v, backend)


def error_of(name: str, solution: sl.Solution) -> float:
    """The largest error of x."""
    motion = MOTIONS[name][-1]
    return float(np.abs(solution.q[:, 0] - [motion(t) for t in solution.t]).max())


@pytest.mark.slow
@pytest.mark.parametrize("name", MOTIONS)
def test_piecewise_motions_are_accurate(name: str) -> None:
    """Both backends take the same steps, of the tolerance and of one length, over many ends of pieces."""
    for steps in STEPS:
        found, other = (sl.solve(system_of(name, b), 12.0, method="taylor", **steps) for b in ("c", "numpy"))
        assert error_of(name, found) <= tolerances.SERIES_IN_PIECES
        assert len(found.t) == len(other.t)
        assert np.abs(found.t - other.t).max() <= tolerances.BACKENDS
        assert np.abs(found.q - other.q).max() <= tolerances.BACKENDS
        assert found.statistics.rejected <= 8 if "h" not in steps else found.statistics.rejected == 0


@pytest.mark.parametrize("name", ["select", "friction", "Max"])
def test_loose_tolerances_are_met(name: str) -> None:
    """Steps end where states change sides, not where their less exact series do: few are rejected."""
    for rtol in (1e-4, 1e-6, 1e-8):
        found = sl.solve(system_of(name, "c"), 12.0, method="taylor", rtol=rtol)
        assert error_of(name, found) <= tolerances.SERIES_BEHAVIOUR * rtol
        assert found.statistics.rejected <= 8


def test_dense_output_is_accurate() -> None:
    """Dense output goes over ends of pieces as steps do."""
    times = np.sort(np.random.default_rng(3).uniform(0, 12, 200))
    for steps in STEPS:
        found = sl.solve(system_of("friction", "c"), 12.0, method="taylor", **steps)(times)
        assert error_of("friction", found) <= tolerances.SERIES_IN_PIECES
        exact = [(rubbing_motion(t + 1e-5) - rubbing_motion(t - 1e-5)) / 2e-5 for t in times]
        far = np.abs(times / math.pi - np.rint(times / math.pi)) > 1e-4
        assert np.abs(found.v[:, 0] - exact)[far].max() <= tolerances.SERIES_BETWEEN_PIECES


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_alternating_force_is_integrated(backend: str) -> None:
    """Where friction holds the mass no motion remains to be followed."""
    system = mass_on(holding, 1.0, 0.0, backend)
    for steps in STEPS:
        with pytest.raises(ChatteringError, match=r"A force chatters after t = 6.*smooth the jump, as tanh"):
            sl.solve(system, 12.0, method="taylor", **steps)


@functools.cache
def driven(backend: str) -> System:
    """A mass on a spring with an input."""
    model = sl.Model("driven")
    q, u = model.node("mass", "R1"), model.input("drive")
    model.kinetic_energy(q.x_dot[0] ** 2 / 2)
    model.force(sl.vector(u - q.x[0]), at=q.x)
    model.initial(q, x=[1], x_dot=[0])
    return model.derive().compile(backend=backend)


@pytest.mark.slow
@pytest.mark.parametrize("interpolation", ["linear", "hold"])
def test_piecewise_inputs_are_supported(interpolation: str) -> None:
    """Between points of an input the motion equals a spring with a force that is linear in time."""
    times, values = np.linspace(0, 9, 40), np.sin(np.arange(40.0) ** 2)
    x, v = 1.0, 0.0
    for k in range(39):
        h = times[k + 1] - times[k]
        slope = (values[k + 1] - values[k]) / h if interpolation == "linear" else 0.0
        y, w = x - values[k], v - slope
        x = values[k] + slope * h + y * math.cos(h) + w * math.sin(h)
        v = slope - y * math.sin(h) + w * math.cos(h)
    for backend in ("c", "numpy"):
        system = driven(backend).with_input("drive", times, values[:, None], interpolation)
        for steps in STEPS:
            found = sl.solve(system, 9.0, method="taylor", **steps)
            assert abs(found.q[-1, 0] - x) <= tolerances.SERIES_IN_PIECES
            assert len(found.t) in (40, 41)  # the first step may be short


def test_conditions_in_constraints_and_fields_are_supported() -> None:
    """Two masses on a rope over a wheel, of which one has a stop; a state of first order that saturates."""
    model = sl.Model("rope")
    a, b = model.node("a", "R1"), model.node("b", "R1")
    valve = model.state("valve", 1)
    u = valve.x[0]
    model.kinetic_energy((a.x_dot[0] ** 2 + 2 * b.x_dot[0] ** 2) / 2)
    model.constraint("rope", a.x[0] + b.x[0])
    model.force(sl.vector(2 * u - 5 * sympy.Max(0, a.x[0])), at=a.x)
    model.field(valve, [sympy.Min(1, sympy.Max(-1, -3 * a.x[0] - a.x_dot[0])) - u])
    model.initial(a, x=[0.25], x_dot=[1])
    model.initial(b, x=[-0.25], x_dot=[-1])
    model.initial(valve, x=[0])
    system = model.derive().compile(backend="c")
    found = sl.solve(system, 6.0, method="taylor", rtol=1e-12, atol=1e-13)
    expected = sl.solve(system, 6.0, method="half_explicit_5", rtol=1e-12, atol=1e-13)
    assert np.abs(found.q[-1] - expected.q[-1]).max() <= tolerances.SERIES_OF_MODELS
    assert found.statistics.steps < 60
