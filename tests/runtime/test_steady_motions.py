"""Linear equations about steady motions against formulas, and against motions of the systems themselves."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import ModelError, SteadyMotionError
from symlie.runtime.statics.linearization import Linearization
from symlie.runtime.system.system import System
from tests import tolerances
from tests.runtime.test_linearization import with_velocity


@dataclass(frozen=True)
class Case:
    """A system in a steady motion that the initial values are part of, or at rest."""

    state: Callable[[], sl.Model]
    moves: bool = True
    frame: dict[str, list[float]] = field(default_factory=dict)

    def linearized(self) -> Linearization:
        """Linear equations about the motion."""
        return linearized(system_of(self.state), self.moves, self.frame)


@functools.cache
def system_of(state: Callable[[], sl.Model]) -> System:
    """The system of a statement."""
    return state().derive().compile(backend="numpy")


def linearized(system: System, moves: bool = True, frame: dict[str, list[float]] | None = None) -> Linearization:
    """Linear equations about the motion that the initial state is part of."""
    state = system.initial_state
    return system.linearize(state.q, v=state.v if moves else None, frame=frame)


def blade() -> sl.Model:
    """A blade seen from axes that move at 2 m/s; s³ + s + 1 = 0."""
    model = sl.Model("blade")
    q, angle = model.node("place", "R2"), model.node("angle", "R1")
    rate, theta = q.x_dot + sl.vector(2, 0), angle.x[0]
    model.kinetic_energy((rate.dot(rate) + angle.x_dot[0] ** 2) / 2)
    model.potential_energy(theta**2 / 2 + q.x[1] * theta / 2)
    model.nonholonomic_constraint("edge", -sl.sin(theta) * rate[0] + sl.cos(theta) * rate[1])
    model.initial(q, x=[0, 0], x_dot=[0, 0])
    model.initial(angle, x=[0], x_dot=[0])
    return model


def sleigh() -> sl.Model:
    """A sleigh on a knife edge, its centre of mass behind: it turns round."""
    model = sl.Model("sleigh")
    q = model.node("sleigh", sl.SE2)
    velocity = q.U + q.Omega[0] * sl.vector(0, -0.3)
    model.kinetic_energy((velocity.dot(velocity) + 0.2 * q.Omega[0] ** 2) / 2)
    model.nonholonomic_constraint("edge", q.U[1])
    model.initial(q, p=[1, 0], x=[0, 0], Omega=[0], U=[1.5, 0])
    return model


def disk() -> sl.Model:
    """An upright rolling disk, too slow."""
    model = sl.Model("disk")
    speed = model.parameter("speed", 1.0)
    r = 0.5
    q = model.node("disk", "SO3xR3")
    up = sl.vector(0, 0, 1)
    axis = q.R * up
    slope = up - axis * axis.dot(up)
    arm = -r * slope / sl.sqrt(slope.dot(slope))
    model.kinetic_energy((q.x_dot.dot(q.x_dot) + r**2 / 4 * q.Omega.dot(sl.diag(1, 1, 2) * q.Omega)) / 2)
    model.potential_energy(9.81 * q.x[2])
    model.constraint("contact", (q.x + arm)[2])
    model.nonholonomic_constraint("rolling", (q.x_dot + (q.R * q.Omega).cross(arm))[:2, :])
    model.initial(q, R=[[1, 0, 0], [0, 0, -1], [0, 1, 0]], x=[0, 0, r], Omega=[0, 0, -speed / r], x_dot=[speed, 0, 0])
    return model


def shaken_pendulum() -> sl.Model:
    """An upright pendulum on a pivot that moves steadily."""
    model = sl.Model("carried_pendulum")
    q = model.node("bob", "R2")
    rod = q.x - sl.vector(0.7 * model.t, 0)
    model.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)
    model.potential_energy(9.81 * q.x[1])
    model.constraint("rod", (rod.dot(rod) - 1) / 2)
    model.initial(q, x=[0, 1], x_dot=[0.7, 0])
    return model


def turning_wire() -> sl.Model:
    """A bead at the centre of a rotating wire: ±Ω."""
    model = sl.Model("turning_wire")
    r, angle = model.node("r", "R1"), model.node("angle", "R1")
    model.kinetic_energy((r.x_dot[0] ** 2 + (1 + r.x[0] ** 2) * angle.x_dot[0] ** 2) / 2)
    model.constraint("turned", angle.x[0] - 2 * model.t)
    model.initial(r, x=[0], x_dot=[0])
    model.initial(angle, x=[0], x_dot=[2])
    return model


def middle_axis() -> sl.Model:
    """A free body that turns about its middle axis."""
    model = sl.Model("middle_axis")
    q = model.node("body", sl.SO3)
    model.kinetic_energy(q.Omega.dot(sl.diag(1, 2, 3) * q.Omega) / 2)
    model.initial(q, Omega=[0, 1.5, 0])
    return model


def top() -> sl.Model:
    """A ball with its centre of mass above its own, on a smooth plane, that spins too slowly about the vertical."""
    model = sl.Model("top")
    spin = model.parameter("spin", 20.0)
    q = model.node("top", "SO3xR3")
    up = sl.vector(0, 0, 1)
    model.kinetic_energy((2 * q.x_dot.dot(q.x_dot) + q.Omega.dot(sl.diag(0.02, 0.02, 0.01) * q.Omega)) / 2)
    model.potential_energy(2 * 9.81 * q.x[2])
    model.constraint("plane", q.x[2] - 0.1 - 0.04 * (q.R * up)[2])
    model.initial(q, x=[0, 0, 0.14], Omega=[0, 0, spin], x_dot=[0, 0, 0])
    return model


def tippe_top() -> sl.Model:
    """A ball with its centre of mass below its own, on a plane with viscous friction: it turns over."""
    model = sl.Model("tippe_top")
    spin = model.parameter("spin", 30.0)
    q = model.node("tippe_top", "SO3xR3")
    up = sl.vector(0, 0, 1)
    axis = q.R * up
    arm = 0.003 * axis - 0.02 * up  # from the centre of mass to the contact
    slip = q.x_dot + (q.R * q.Omega).cross(arm)
    friction = -0.05 * sl.vector(slip[0], slip[1], 0)
    model.kinetic_energy((0.006 * q.x_dot.dot(q.x_dot) + q.Omega.dot(sl.diag(9e-7, 9e-7, 8e-7) * q.Omega)) / 2)
    model.potential_energy(0.006 * 9.81 * q.x[2])
    model.force(friction, at=q.x)
    model.torque(arm.cross(friction), on=q)
    model.constraint("plane", (q.x + arm)[2])
    model.initial(q, x=[0, 0, 0.017], Omega=[0, 0, spin], x_dot=[0, 0, 0])
    return model


def follower_load() -> sl.Model:
    """A double pendulum under a load along its second rod: flutter (H. Ziegler, 1952)."""
    model = sl.Model("follower_load")
    q = model.node("angles", "R2")
    a, b = q.x[0], q.x[1]
    tip = sl.vector(sl.sin(a) + sl.sin(b), sl.cos(a) + sl.cos(b))
    first, both = model.rate(sl.sin(a)), model.rate(tip[0])
    model.kinetic_energy((2 * (first**2 + model.rate(sl.cos(a)) ** 2) + both**2 + model.rate(tip[1]) ** 2) / 2)
    model.potential_energy((a**2 + (b - a) ** 2) / 2)
    model.dissipation(0.02 * q.x_dot.dot(q.x_dot))
    model.force(-3.0 * sl.vector(sl.sin(b), sl.cos(b)), at=tip)
    return model


def circulation() -> sl.Model:
    """A point that a force across its displacement drives around, as oil does to a shaft."""
    model = sl.Model("circulation")
    q = model.node("shaft", "R2")
    model.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)
    model.potential_energy(2 * q.x.dot(q.x))
    model.generalized_force(q, x_dot=sl.vector(-0.6 * q.x[1], 0.6 * q.x[0]) - 0.1 * q.x_dot)
    return model


def inverted_pendulum() -> sl.Model:
    """A bob above its pivot, with drag."""
    model = sl.Model("inverted_pendulum")
    q = model.node("bob", "R3")
    model.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)
    model.potential_energy(9.81 * q.x[2])
    model.dissipation(0.3 * q.x_dot.dot(q.x_dot) / 2)
    model.constraint("rod", (q.x.dot(q.x) - 0.25) / 2)
    model.initial(q, x=[0, 0, 0.5], x_dot=[0, 0, 0])
    return model


CASES = {
    "blade": Case(blade, moves=False),
    "sleigh": Case(sleigh),
    "disk": Case(disk, frame={"disk": [0, 0, -2.0, 0, 0, 0]}),
    "carried pendulum": Case(shaken_pendulum),
    "turning wire": Case(turning_wire),
    "middle axis": Case(middle_axis),
    "top": Case(top, frame={"top": [0, 0, 20.0, 0, 0, 0]}),
    "follower load": Case(follower_load, moves=False),
    "circulation": Case(circulation, moves=False),
    "inverted pendulum": Case(inverted_pendulum, moves=False),
}
"""Unstable motions: nonholonomic, rheonomic, gyroscopic, damped, driven."""


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_growth_of_perturbations_matches_eigenvalues(name: str) -> None:
    """What `solve` makes of a small disturbance, seen through a left eigenvector, is exp(s t) times what it was."""
    linear = CASES[name].linearized()
    system, size = linear.system, 1e-6
    fastest = int(np.argmax(linear.eigenvalues.real))
    s, t_end = linear.eigenvalues[fastest], 1.0 / linear.eigenvalues[fastest].real
    assert not linear.is_stable and t_end > 0
    q = system.kernels.advance(linear.q, size * linear.shapes[fastest].real)
    start = with_velocity(system.with_configuration(q), linear.v + size * linear.velocity_shapes[fastest].real)
    solution = sl.solve(start.assembled(), t_end, rtol=1e-12, atol=1e-15, record_every=0)
    values, left = np.linalg.eig(linear.first_order.matrix.T)
    weights = left[:, np.argmin(np.abs(values - s))]
    seen = []
    for k, t in ((0, 0.0), (-1, t_end)):
        there = linear.motion.at(t)
        turned_back = np.linalg.inv(there.turned.toarray())
        variation = turned_back @ system.kernels.difference(there.q, solution.q[k])
        seen.append(weights @ linear.state(variation, turned_back @ (solution.v[k] - there.v)))
    assert abs(seen[1] / seen[0] - np.exp(s * t_end)) <= tolerances.GROWTH * abs(np.exp(s * t_end))
    if system.layout.conserves_energy:
        first, last = solution.outputs["energy"]
        assert last == pytest.approx(first, rel=tolerances.KEPT_ENERGY, abs=tolerances.KEPT_ENERGY)


def test_velocity_constraints_depend_on_configuration() -> None:
    """Two zeros along the blade's motion, and s³ + s + 1 = 0."""
    found = CASES["blade"].linearized().eigenvalues
    assert len(found) == 5 and np.array_equal(found[:2], [0, 0])
    assert all(np.abs(found - s).min() <= tolerances.SPECTRUM for s in np.roots([1, 0, 1, 1]))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "expected"), [
    ("sleigh", 1.5 * 0.3 / (0.2 + 0.3**2)),
    ("turning wire", 2.0),
    ("middle axis", 1.5 * np.sqrt(1 / 3)),
    ("carried pendulum", np.sqrt(9.81)),
])  # fmt: skip
def test_growth_rates_match_formulas(name: str, expected: float) -> None:
    assert CASES[name].linearized().eigenvalues.real.max() == pytest.approx(expected, rel=tolerances.SPECTRUM)


@pytest.mark.slow
@pytest.mark.parametrize(("state", "parameter", "limit", "of_frame", "needs_speed"), [
    (disk, "speed", np.sqrt(9.81 * 0.5 / 3), [0, 0, -1 / 0.5, 0, 0, 0], True),
    (top, "spin", np.sqrt(4 * 0.02 * 2 * 9.81 * 0.04) / 0.01, [0, 0, 1, 0, 0, 0], True),
    (tippe_top, "spin", np.sqrt(0.006 * 9.81 * 0.003 * 0.017**2 / (0.02 * (9e-7 * 0.02 - 8e-7 * 0.017))),
     [0, 0, 1, 0, 0, 0], False),
])  # fmt: skip
def test_stability_limits_are_found(
    state: Callable[[], sl.Model], parameter: str, limit: float, of_frame: list[float], needs_speed: bool
) -> None:
    """Fast ones are stable: an upright rolling disk above √(g r/3), a top on a smooth plane where J₃² n² > 4 J₁ m g a.

    A tippe top is stable upright while n² < m g a (r - a)²/(r (J₁ r - J₃ (r - a))): friction takes it to the least
    energy that is left by its angular momentum along the line to the contact, k, which no force at the contact changes.
    Of motions with k and an inclination θ the least energy is -m g a cos θ + k²/(2 (J₁ r² sin²θ + J₃ (r cos θ - a)²)),
    which has a minimum at θ = 0 up to there.
    """
    system = system_of(state)
    for factor, is_stable in ((1 + 1e-4, needs_speed), (1 - 1e-4, not needs_speed)):
        there = system.with_parameters(**{parameter: factor * limit})
        (node,) = (n.name for n in system.layout.nodes)
        frame = {node: [factor * limit * x for x in of_frame]}
        assert linearized(there, frame=frame).is_stable is is_stable


def test_unsteady_motion_is_explained() -> None:
    """A disk without axes that do not spin, a velocity that rows refuse, a wrong frame."""
    system = system_of(disk)
    q, v = system.initial_state.q, system.initial_state.v
    with pytest.raises(SteadyMotionError, match=r"is not steady: .* after .* Give frame="):
        system.linearize(q, v=v)
    with pytest.raises(
        SteadyMotionError, match=r"does not have this steady motion: B v \+ b = .* in row 1 of constraint 'rolling'"
    ):
        system.linearize(q, v=2 * v - [0, 0, v[2], 0, 0, 0])
    with pytest.raises(ModelError, match="must be 6 numbers"):
        system.linearize(q, v=v, frame={"disk": [1, 2]})
    with pytest.raises(ModelError, match="also give v"):
        system.linearize(q, frame={"disk": [0] * 6})


def test_time_dependent_loads_are_rejected() -> None:
    model = sl.Model("shaken")
    q = model.node("bob", "R1")
    model.kinetic_energy(q.x_dot[0] ** 2 / 2)
    model.potential_energy((2 + sl.sin(model.t)) * q.x[0] ** 2)
    system = model.derive().compile(backend="numpy")
    with pytest.raises(SteadyMotionError, match="K at velocity component 0 of node 'bob'"):
        system.linearize(np.zeros(1), v=np.zeros(1))
    assert system.linearize(np.zeros(1)).frequencies == pytest.approx([2 / (2 * np.pi)] * 2)


def test_state_space_matrices_are_correct() -> None:
    """A cart that is pushed: its place, and the force in the rod that holds what it carries."""
    signal: Any = pytest.importorskip("scipy.signal")
    model = sl.Model("cart")
    q = model.node("cart", "R2")
    push = model.input("push", size=2, unit="N")
    model.kinetic_energy(q.x_dot.dot(q.x_dot))
    model.dissipation(0.5 * q.x_dot[0] ** 2)
    model.potential_energy(4 * q.x[0] ** 2)
    model.generalized_force(q, x_dot=push)
    rail = model.constraint("rail", q.x[1] - q.x[0])
    model.output("place", q.x[0])
    model.output("reaction", rail)
    model.output("push_and_rate", push[0] + 3 * q.x_dot[1])
    model.initial(q, x=[0, 0], x_dot=[0, 0])
    linear = model.derive().compile(backend="numpy").linearize(np.zeros(2))
    A, B, C, D = linear.state_space()
    s = 0.3 + 0.7j
    transfer = C @ np.linalg.solve(s * np.eye(2) - A, B) + D
    place = 1 / (4 * s**2 + s + 8)  # of x₁ = x₂ to either force: 4 x'' + x' + 8 x = u₁ + u₂
    expected = [
        [place, place],
        [-2 * s**2 * place, 1 - 2 * s**2 * place],  # 2 x₂'' = u₂ - λ
        [1 + 3 * s * place, 3 * s * place],
    ]
    assert np.abs(transfer - expected).max() <= tolerances.SPECTRUM
    _, response = signal.step(signal.StateSpace(A, B[:, :1], C[:1], D[:1, :1]), T=np.linspace(0, 240, 481))
    assert response[-1] == pytest.approx(1 / 8, rel=tolerances.FREQUENCY)
    assert linear.state_space(outputs=["place"])[2].shape == (1, 2)
    variation, velocity = linear.variations(np.eye(2))
    assert np.abs(linear.state(variation, velocity) - np.eye(2)).max() <= tolerances.SPECTRUM
