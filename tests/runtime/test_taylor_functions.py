"""Taylor series of rods, of rotation vectors, and of logarithms and user-defined functions in energies."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np
import pytest

import symlie as sl
from symlie.models import heavy_top, roll_up
from symlie.runtime.system.system import System
from tests import tolerances


def free_rod(constraint: str) -> sl.Model:
    """A rod that a force that changes smoothly drives at one end."""
    model = sl.Model("driven_rod")
    rod = sl.CosseratRod(
        model,
        "rod",
        segments=3,
        length=2.0,
        stiffness=[50, 60, 40, 1e3, 1e3, 2e3],
        damping=0.1,
        inertia=[1, 2, 1.5, 1, 1, 1],
        position=lambda s: (s, 0, 0),
        orientation=(0.5**0.5, 0, 0.5**0.5, 0),
        constraint=constraint,
    )
    end = sl.ElementType("end", node=sl.S3sR3)
    end.force(sl.sin(5 * model.time) * sl.vector(1, 20, 3), at=end.node.x)
    model.add(end, [(rod.nodes[0],)])
    return model


def logarithmic_spring(group: str = "SO3rv") -> sl.Model:
    """Two bodies connected by a rotational spring whose energy depends on the angle between them."""
    model = sl.Model("spring")
    first, second = (model.node(name, group) for name in ("first", "second"))
    for node, inertia in ((first, (1, 2, 3)), (second, (0.5, 0.4, 0.3))):
        model.kinetic_energy(sum(i * w**2 for i, w in zip(inertia, node.Omega, strict=True)) / 2)
    angle = (first.inverse() * second).log()
    model.potential_energy(2 * angle.dot(angle))
    model.initial(first, Omega=[0.3, 0.1, -0.2])
    model.initial(second, Omega=[3, -4, 2])
    return model


def stated_function() -> sl.Model:
    """A point whose energy has a user-defined series in a rotation vector."""
    model = sl.Model("own")
    point = model.node("point", "R3")
    phi = sl.analytic_function("phi2", lambda n: sl.Rational(1, math.factorial(n + 2)), growth=(1, 1))
    moved = model.function_of_ad(phi, sl.SO3, point.x, sl.vector(1, 2, 0.5))
    model.kinetic_energy(point.x_dot.dot(point.x_dot) / 2)
    model.potential_energy(3 * moved.dot(moved) + point.x.dot(point.x))
    model.initial(point, x=[0.5, 1.5, 0.2], x_dot=[1, -1, 2])
    return model


MODELS: dict[str, tuple[Callable[[], sl.Model], float]] = {
    **{f"driven rod, {c}": (functools.partial(free_rod, c), 0.05) for c in ("none", "kirchhoff", "inextensible")},
    "roll-up": (functools.partial(roll_up.build, segments=2), 0.1),
    "heavy top, SO3rv": (functools.partial(heavy_top.build, "SO3rv"), 0.1),
    "heavy top, SO3rvxR3": (functools.partial(heavy_top.build, "SO3rvxR3"), 0.1),
    "logarithm of rotation vectors": (logarithmic_spring, 1.0),
    "logarithm of quaternions": (functools.partial(logarithmic_spring, "S3"), 1.0),
    "logarithm of matrices": (functools.partial(logarithmic_spring, "SO3"), 1.0),
    "stated function": (stated_function, 1.0),
}


@functools.cache
def system_of(name: str, backend: str) -> System:
    """A model, ready to run."""
    return MODELS[name][0]().derive().compile(backend=backend)


SLOW = [name for name in MODELS if name.startswith("driven rod")]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name in SLOW else ()) for name in MODELS]
)
def test_taylor_matches_other_methods(name: str) -> None:
    """Series take a tenth of the steps of other methods; C and NumPy agree."""
    end = MODELS[name][1]
    options = {"method": "taylor", "rtol": 1e-12, "atol": 1e-12}
    found, other = (sl.solve(system_of(name, b), end, **options) for b in ("c", "numpy"))
    expected = sl.solve(system_of(name, "c"), end, rtol=1e-13, atol=1e-13)
    assert np.abs(found.q[-1] - expected.q[-1]).max() <= tolerances.ROD_SERIES
    assert np.abs(found.v[-1] - expected.v[-1]).max() <= tolerances.ROD_SERIES * max(1, np.abs(expected.v).max())
    assert np.abs(found.q[-1] - other.q[-1]).max() <= tolerances.BACKENDS
    assert found.statistics.steps <= expected.statistics.steps / 10
    if name.startswith("driven rod, k"):
        assert found.statistics.max_constraint_residual <= tolerances.HIDDEN_CONSTRAINT


def test_straight_and_bent_rods_are_integrated() -> None:
    """Functions of angles that vanish, and of those near π; steps of all orders lead to the same end."""
    system = system_of("logarithm of quaternions", "c")
    straight = system_of("roll-up", "c")
    for s, end in ((system, 1.2), (straight, 0.02)):
        ends = [
            sl.solve(s, end, method="taylor", method_options={"order": n}, rtol=1e-12, atol=1e-12).q[-1]
            for n in (12, 30, 60)
        ]
        assert max(np.abs(q - ends[0]).max() for q in ends) <= tolerances.ROD_SERIES


def test_ensembles_are_supported() -> None:
    """Members of rods that differ by a parameter end where they end alone."""
    system = system_of("roll-up", "c")
    members, options = [50.0, 100.0], {"method": "taylor", "rtol": 1e-10}
    found = sl.ensemble(system, 0.02, parameters={"damping": members}, t_eval=[0.02], **options)
    for k, damping in enumerate(members):
        alone = sl.solve(system.with_parameters(damping=damping), 0.02, t_eval=[0.02], **options)
        assert np.array_equal(found.arrays["tip_rotation"][k], alone.outputs["tip_rotation"])
