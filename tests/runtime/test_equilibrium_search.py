"""The search for equilibria on random grids, of free bodies, from previous equilibria, in any units; how it fails."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq, fsolve
from scipy.spatial.transform import Rotation

import symlie as sl
from symlie.errors import EquilibriumError, ModelError
from symlie.runtime.layout.layout import Array
from symlie.runtime.statics.assembly.configurations import closed
from symlie.runtime.statics.residual import Statics
from symlie.runtime.system.system import System
from tests import tolerances
from tests.runtime.test_static_equilibrium import HORIZONTAL, cantilever, free_body, positions

LENGTH, WEIGHT, STIFFNESS, ACROSS, UP, BED = 902.2, 698.094, 384.243e6, 848.67, 250.0, 1e5
"""A mooring line: length in m, weight per length in N/m, EA in N, fairlead in m, stiffness of the bed in N/m."""

CONSTRAINTS = ("none", "kirchhoff", pytest.param("inextensible", marks=pytest.mark.slow))


@functools.cache
def mooring_line(elements: int, power: float = 1.0, unit: float = 1.0) -> System:
    """A line of springs from an anchor on the bed to a fairlead, with lengths in multiples of a metre."""
    model = sl.Model("line")
    rest = model.parameter("rest", LENGTH / elements / unit)
    nodes = model.node_array("line", "R3", elements + 1)
    s = np.linspace(0, 1, elements + 1)
    nodes.initial(x=np.column_stack([ACROSS * s, 0 * s, UP * s**power]) / unit)
    nodes.fix(0)
    nodes.fix(elements)
    group = sl.group_from_name("R3")
    bead = sl.ElementType("bead", node=group)
    z = bead.node.x[2]
    bead.kinetic_energy(bead.node.x_dot.dot(bead.node.x_dot) * 77.7 * LENGTH / elements * unit**2 / 2)
    lying = sl.select(-z, BED * unit**2 * z**2 / 2, 0)
    bead.potential_energy(WEIGHT * LENGTH / elements * unit * z + lying)
    model.add(bead, nodes)
    link = sl.ElementType("link", left=group, right=group)
    natural = link.parameter("natural", 1.0)
    stretch = (link.right.x - link.left.x).norm() - natural
    link.potential_energy(STIFFNESS * unit * stretch**2 / natural / 2)
    model.add(link, [(nodes[k], nodes[k + 1]) for k in range(elements)], natural=rest)
    return model.derive().compile()


def pull(system: System, elements: int) -> float:
    """Tension at the fairlead of the line in metres, in N."""
    x = positions(system, system.static_equilibrium().q)
    end = x[-1] - x[-2]
    size = float(np.linalg.norm(end))
    tension = STIFFNESS * (size * elements / LENGTH - 1) * end / size
    tension[2] += WEIGHT * LENGTH / elements / 2
    return float(np.linalg.norm(tension))


def elastic_catenary() -> float:
    """Tension at the fairlead of the continuous line on a rigid bed."""

    def ends(unknown: Array) -> list[float]:
        horizontal, lying = unknown[0] * 1e6, unknown[1] * 1e2

        def along(s: float) -> float:
            return float(np.hypot(horizontal, WEIGHT * max(s - lying, 0)))

        x = quad(lambda s: horizontal / along(s) + horizontal / STIFFNESS, 0, LENGTH, points=[lying])[0]
        rise = quad(lambda s: WEIGHT * max(s - lying, 0) * (1 / along(s) + 1 / STIFFNESS), 0, LENGTH, points=[lying])[0]
        return [x - ACROSS, rise - UP]

    horizontal, lying = fsolve(ends, [0.7, 1.3]) * [1e6, 1e2]
    return float(np.hypot(horizontal, WEIGHT * (LENGTH - lying)))


@pytest.mark.parametrize("elements", [50, 400, *(pytest.param(n, marks=pytest.mark.slow) for n in (100, 200, 800))])
def test_search_is_independent_of_the_grid(elements: int) -> None:
    system = mooring_line(elements)
    assert system.static_equilibrium().iterations <= 30
    assert pull(system, elements) == pytest.approx(elastic_catenary(), rel=tolerances.MOORING_LINE)


@functools.cache
def cable(elements: int) -> System:
    """A hanging line of springs whose span, stiffness and weight are parameters, on a grid of any spacing."""
    model = sl.Model("cable")
    weight, stiffness = model.parameter("weight", 1.0), model.parameter("stiffness", 1.0)
    nodes = model.node_array("line", "R3", elements + 1)
    nodes.initial(x=np.column_stack([np.linspace(0, 1, elements + 1), np.zeros((elements + 1, 2))]))
    nodes.fix(0)
    nodes.fix(elements)
    group = sl.group_from_name("R3")
    link = sl.ElementType("link", left=group, right=group)
    natural = link.parameter("natural", 1.0)
    ea, w = link.parameter("stiffness", 1.0), link.parameter("weight", 1.0)
    middle = (link.left.x[2] + link.right.x[2]) / 2
    link.kinetic_energy(natural * (link.left.x_dot.dot(link.left.x_dot) + link.right.x_dot.dot(link.right.x_dot)) / 4)
    stretch = (link.right.x - link.left.x).norm() - natural
    link.potential_energy(ea * stretch**2 / natural / 2 + w * natural * middle)
    pairs = [(nodes[k], nodes[k + 1]) for k in range(elements)]
    model.add(link, pairs, stiffness=stiffness, weight=weight)
    return model.derive().compile()


def check_cable(seed: int) -> None:
    """A line of length one sags as the catenary, on a random grid, bowed at the start in any direction."""
    rng = np.random.default_rng(seed)
    elements = int(rng.choice([12, 25, 50]))
    span, weight, ratio = rng.uniform(0.3, 0.97), 10 ** rng.uniform(-3, 3), 10 ** rng.uniform(2, 4)
    parts = rng.dirichlet(np.full(elements, 5.0))
    s = np.concatenate([[0], np.cumsum(parts)])
    bow = s * (1 - s)
    x = np.column_stack([span * s, rng.uniform(-0.3, 0.3) * bow, rng.uniform(-0.3, 0.3) * bow])
    values = {"weight": weight, "stiffness": ratio * weight, "link.natural": parts}
    system = cable(elements).with_parameters(**values).with_initial("line", x=x)
    found = positions(system, system.static_equilibrium().q)
    a = brentq(lambda a: 2 * a * np.sinh(span / (2 * a)) - 1, 0.01, 20.0)
    exact = a * (np.cosh((found[:, 0] - span / 2) / a) - np.cosh(span / (2 * a)))
    error = np.abs(found[:, 2] - exact).max()
    assert error <= tolerances.CABLE * (parts.max() ** 2 / a + (1 + a) ** 2 / ratio), seed


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_random_cables_hang_as_catenaries(seed: int) -> None:
    check_cable(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6, 220))
def test_more_random_cables_hang_as_catenaries(seed: int) -> None:
    check_cable(seed)


@functools.cache
def free_rod(segments: int, constraint: str) -> System:
    """A free rod with parameters as stiffness."""
    model = sl.Model("free")
    bending, stretching = model.parameter("EI", 200.0), model.parameter("EA", 1e5)
    sl.CosseratRod(
        model, "wing", segments=segments, length=10.0, constraint=constraint,
        stiffness=[bending, bending, bending, stretching, stretching, stretching],
        inertia=[1e-3, 1e-3, 2e-3, 0.4, 0.4, 0.4], position=lambda s: (s, 0, 0), orientation=HORIZONTAL,
    )  # fmt: skip
    return model.derive().compile(backend="numpy")


def moved_rigidly(system: System, rng: np.random.Generator) -> System:
    """The rod after a rigid motion by any rotation and a large displacement."""
    q = system.initial_state.q.reshape(-1, 7)
    turn = Rotation.random(random_state=int(rng.integers(2**31)))
    p = (turn * Rotation.from_quat(np.roll(q[:, :4], -1, axis=1))).as_quat()
    return system.with_initial("wing", p=np.roll(p, 1, axis=1), x=turn.apply(q[:, 4:]) + rng.uniform(-100, 100, 3))


def check_free_rod(seed: int, segments: int, constraint: str) -> None:
    """It rests where it is, also after a rigid body motion, and has small motions."""
    rng = np.random.default_rng(seed)
    stretching = 10 ** rng.uniform(2, 11)
    system = free_rod(segments, constraint).with_parameters(EI=stretching * 10 ** rng.uniform(-4, 0), EA=stretching)
    if seed % 2:
        system = moved_rigidly(system, rng)
    found = system.static_equilibrium()
    assert found.iterations <= 4
    assert np.abs(found.q - system.initial_state.q).max() <= tolerances.FOUND_EQUILIBRIUM * 100
    assert len(system.linearize().eigenvalues) >= 12, seed


@pytest.mark.slow
@pytest.mark.parametrize("constraint", CONSTRAINTS)
@pytest.mark.parametrize("seed", range(4))
def test_free_rods_reach_equilibrium(seed: int, constraint: str) -> None:
    check_free_rod(seed, 6, constraint)


@pytest.mark.slow
@pytest.mark.parametrize("constraint", CONSTRAINTS)
@pytest.mark.parametrize("seed", range(4, 73))
def test_more_free_rods_reach_equilibrium(seed: int, constraint: str) -> None:
    check_free_rod(seed, 6, constraint)


@pytest.mark.slow
def test_free_body_under_balanced_loads_is_in_equilibrium() -> None:
    """Three constant forces at 120 degrees, whose sum is round-off."""
    model = sl.Model("star")
    body = model.node("body", "SO3xR3")
    model.kinetic_energy((body.x_dot.dot(body.x_dot) + body.Omega.dot(body.Omega)) / 2)
    for k in range(3):
        way = sl.vector(*np.cos(2 * np.pi * k / 3 + np.array([0, np.pi / 2, 0]))[:2], 0)
        model.force(1e5 / 3 * way, at=body.x + body.R * (0.7 * way))
    system = model.derive().compile(backend="numpy")
    assert system.static_equilibrium().iterations <= 1
    with pytest.raises(EquilibriumError, match="a force of 3 is out of balance"):
        free_body(3.0).static_equilibrium(max_iterations=30)


@pytest.mark.slow
def test_search_starts_at_an_equilibrium() -> None:
    system = cantilever(6)
    first = system.with_parameters(load=4.0).static_equilibrium()
    again = system.with_parameters(load=4.0).static_equilibrium(start=first)
    assert again.iterations <= 1 and np.abs(again.q - first.q).max() <= tolerances.EQUILIBRIUM_OF_A_ROD
    near = system.with_parameters(load=4.1).static_equilibrium(start=first)
    far = system.with_parameters(load=4.1).static_equilibrium()
    assert near.iterations < far.iterations
    assert np.abs(near.q - far.q).max() <= tolerances.EQUILIBRIUM_OF_A_ROD
    with pytest.raises(ModelError, match="start is not an equilibrium of 'cantilever'"):
        system.static_equilibrium(start=cantilever(8).static_equilibrium())


def test_iterations_are_limited() -> None:
    system = cantilever(6).with_parameters(load=4.0)
    with pytest.raises(EquilibriumError, match="in 2 iterations"):
        system.static_equilibrium(max_iterations=2)
    with pytest.raises(ModelError, match="max_iterations"):
        system.static_equilibrium(max_iterations=0)


@pytest.mark.slow
def test_errors_contain_the_last_converged_load() -> None:
    """A bead that slides under a spring whose force is bounded by one: half of the load is borne."""
    model = sl.Model("bounded")
    bead = model.node("bead", "R1")
    model.kinetic_energy(bead.x_dot[0] ** 2 / 2)
    model.potential_energy((1 + bead.x[0] ** 2) ** 0.5 - 1.7 * bead.x[0])
    system = model.derive().compile(backend="numpy")
    with pytest.raises(EquilibriumError, match="5 of 10 load steps") as failure:
        system.static_equilibrium(load_steps=10, max_iterations=50)
    assert failure.value.load == pytest.approx(0.5)
    assert failure.value.equilibrium is not None
    # The force at the start is -1.7; at half of it x/√(1 + x²) = 0.85.
    assert failure.value.equilibrium.q[0] == pytest.approx(0.85 / (1 - 0.85**2) ** 0.5, rel=tolerances.EQUILIBRIUM)


@pytest.mark.slow
@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e3])
def test_search_is_independent_of_units(unit: float) -> None:
    """The mooring line in millimetres and kilometres needs as many iterations."""
    metres = mooring_line(50).static_equilibrium()
    others = mooring_line(50, unit=unit).static_equilibrium()
    assert others.iterations == metres.iterations
    assert np.abs(others.q * unit - metres.q).max() <= tolerances.FOUND_EQUILIBRIUM * ACROSS


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["numpy", "c"])
def test_steps_with_overflowing_forces_are_shortened(backend: str) -> None:
    """The first Newton step ends where exp overflows."""
    model = sl.Model("steep")
    p = model.node("p", "R1")
    model.kinetic_energy(p.x_dot.dot(p.x_dot) / 2)
    model.potential_energy(sl.exp(50 * p.x[0]) + sl.exp(-50 * p.x[0]) - 1e6 * p.x[0])
    model.initial(p, x=[0])
    found = model.derive().compile(backend=backend).static_equilibrium()
    np.testing.assert_allclose(found.q, np.arcsinh(1e4) / 50, rtol=1e-12)


@functools.cache
def hanging() -> System:
    """A body on springs that meet in a point without mass; units of force are a parameter."""
    model = sl.Model("hanging")
    gram = model.parameter("gram", 1.0)
    p, body = model.node("p", "R3"), model.node("body", "R3")
    model.kinetic_energy(gram * 0.8 * body.x_dot.dot(body.x_dot) / 2)
    for a, b, stiffness in ((p.x, [0.3, 0, 0], 20), (p.x, [0, 0, 0.3], 20), (p.x, body.x, 40)):
        model.potential_energy(gram * stiffness * ((a - sl.vector(*b)).norm() - 0.1) ** 2 / 2)
    model.potential_energy(gram * 0.8 * 9.81 * body.x[1])
    model.constraint("plane", body.x[0] - body.x[2])
    model.initial(p, x=[0.1, -0.2, 0.1])
    model.initial(body, x=[0.1, -0.4, 0.1])
    return model.derive().compile()


@pytest.mark.slow
@pytest.mark.parametrize("gram", [1.0, 1e3, 1e6])
def test_massless_balances_are_independent_of_force_units(gram: float) -> None:
    """Residuals of balances are forces; residuals of other constraints are lengths or angles."""
    system = hanging().with_parameters(gram=gram)
    start = system.stated_state().q
    statics = Statics(system, 0.0)
    found, _ = closed(statics, start)
    assert np.abs(statics.constraint(found)).max() <= 1e-12 * gram
    at_rest = system.static_equilibrium().q.reshape(2, 3)
    np.testing.assert_allclose(np.linalg.norm(at_rest[0] - at_rest[1]), 0.1 + 0.8 * 9.81 / 40, rtol=1e-9)
