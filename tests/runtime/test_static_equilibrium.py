"""Static equilibria against known solutions, and failures of the search."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ellipeinc, ellipkinc

import symlie as sl
from symlie.errors import EquilibriumError, ModelError, RedundantConstraintsError
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.system import System
from tests import tolerances
from tests.systems import heavy_top_system

HORIZONTAL = (0.5**0.5, 0.0, 0.5**0.5, 0.0)
"""A rod along the first inertial axis."""


def pendulum_model() -> sl.Model:
    """A point on a sphere."""
    model = sl.Model("pendulum")
    m, L = model.parameter("mass", 2.0, unit="kg"), model.parameter("length", 0.5, unit="m")
    q = model.node("bob", "R3")
    model.kinetic_energy(m * q.x_dot.dot(q.x_dot) / 2)
    model.potential_energy(9.81 * m * q.x[2])
    model.constraint("rod", (q.x.dot(q.x) - L**2) / 2)
    model.initial(q, x=[3 * L / 5, 0, -4 * L / 5])
    return model


@functools.cache
def pendulum(backend: str = "c") -> System:
    """The same, ready."""
    return pendulum_model().derive().compile(backend=backend)


@functools.cache
def cantilever(segments: int, constraint: str = "inextensible", backend: str = "c") -> System:
    """A clamped straight rod of length and bending stiffness one with a dead load at its tip."""
    model = sl.Model("cantilever")
    load = model.parameter("load", 0.0, unit="N")
    rod = sl.CosseratRod(
        model, "rod", segments=segments, length=1.0, constraint=constraint, stiffness=[1, 1, 1, 1e4, 1e4, 1e4],
        inertia=[1e-6, 1e-6, 2e-6, 1, 1, 1], position=lambda s: (s, 0, 0), orientation=HORIZONTAL,
    )  # fmt: skip
    rod.nodes.fix(0)
    tip = sl.ElementType("tip", node=sl.S3sR3)
    tip.force(sl.vector(0, 0, -load), at=tip.node.x)
    model.add(tip, [rod[-1]])
    return model.derive().compile(backend=backend)


def positions(system: System, q: Array) -> Array:
    """Positions of the only node array."""
    (node,) = system.layout.nodes
    rows = q[node.storage].reshape(node.count, -1)
    return np.asarray(rows[:, -3:])


def elastica(load: float) -> tuple[float, float]:
    """Tip (x, z) of the inextensible elastica of length and bending stiffness one under a transverse dead load.

    Source: K. E. Bisshopp, D. C. Drucker, Large deflection of cantilever beams, 1945, with elliptic integrals.
    """

    def modulus(slope: float) -> tuple[float, float]:
        m = (1 + math.sin(slope)) / 2
        return m, math.asin(1 / math.sqrt(2 * m))

    def length(slope: float) -> float:
        m, start = modulus(slope)
        return float(ellipkinc(math.pi / 2, m) - ellipkinc(start, m)) - math.sqrt(load)

    slope = brentq(length, 1e-9, math.pi / 2 - 1e-12, xtol=1e-15)
    m, start = modulus(slope)
    bent = float(ellipeinc(math.pi / 2, m) - ellipeinc(start, m))
    return math.sqrt(2 * math.sin(slope) / load), -(1 - 2 * bent / math.sqrt(load))


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["c", "numpy"])
@pytest.mark.parametrize("x", [(0.3, 0, -0.4), (0.5, 0, 0), (0.05, 0, 0.4975), (2.0, 1, -1)])
def test_pendulum_hangs_at_rest(x: tuple[float, float, float], backend: str) -> None:
    """From anywhere, also from above, from the side, and from off the sphere; λ L is the weight over the length."""
    system = pendulum(backend).with_initial("bob", x=x)
    q, multipliers, iterations = system.static_equilibrium()
    assert np.abs(q - [0, 0, -0.5]).max() <= tolerances.EQUILIBRIUM
    assert multipliers[0] == pytest.approx(2 * 9.81 / 0.5, rel=tolerances.EQUILIBRIUM)
    assert 1 <= iterations <= 30


def test_unstable_equilibrium_is_found_on_request() -> None:
    system = pendulum().with_initial("bob", x=[0.05, 0, 0.4975])
    q, multipliers, _ = system.static_equilibrium(stable=False)
    assert np.abs(q - [0, 0, 0.5]).max() <= tolerances.EQUILIBRIUM
    assert multipliers[0] < 0
    at_rest = pendulum().with_initial("bob", x=[0, 0, 0.5]).static_equilibrium()
    assert np.array_equal(at_rest.q, [0, 0, 0.5]) and at_rest.iterations <= 1


@pytest.mark.slow
@pytest.mark.parametrize("group", ["SO3xR3", "SE3", "S3sR3", "SO3"])
def test_top_hangs_at_rest(group: str) -> None:
    system = heavy_top_system(group)
    found = system.static_equilibrium()
    energy = system.kernels.energy(system.prepared, 0.0, found.q, np.zeros(system.layout.dimension))[1]
    assert energy == pytest.approx(-15 * 9.81, rel=tolerances.EQUILIBRIUM)


@pytest.mark.slow
@pytest.mark.parametrize("load", [1.0, 10.0])
def test_elastica_matches_the_closed_form(load: float) -> None:
    """Order two in the segments; the tip turns by up to 82°."""
    expected = np.array(elastica(load))
    errors = []
    for segments in (8, 16, 32):
        system = cantilever(segments).with_parameters(load=load)
        tip = positions(system, system.static_equilibrium().q)[-1]
        assert abs(tip[1]) <= tolerances.EQUILIBRIUM
        errors.append(float(np.abs(tip[[0, 2]] - expected).max()))
    assert math.log2(errors[0] / errors[1]) == pytest.approx(2, abs=tolerances.STATIC_ORDER)
    assert math.log2(errors[1] / errors[2]) == pytest.approx(2, abs=tolerances.STATIC_ORDER)
    assert errors[-1] <= tolerances.ELASTICA / 32**2


@pytest.mark.slow
@pytest.mark.parametrize("constraint", ["none", "kirchhoff", "inextensible"])
def test_backends_and_load_steps_agree(constraint: str) -> None:
    found = [
        cantilever(6, constraint, backend).with_parameters(load=4.0).static_equilibrium(load_steps=steps).q
        for backend, steps in (("c", 1), ("c", 3), ("numpy", 1))
    ]
    assert np.abs(found[1] - found[0]).max() <= tolerances.EQUILIBRIUM_OF_A_ROD
    assert np.abs(found[2] - found[0]).max() <= tolerances.EQUILIBRIUM_OF_A_ROD


@pytest.mark.slow
def test_thousand_nodes_reach_equilibrium() -> None:
    system = cantilever(1000).with_parameters(load=10.0)
    tip = positions(system, system.static_equilibrium().q)[-1]
    assert np.abs(tip[[0, 2]] - elastica(10.0)).max() <= tolerances.ELASTICA / 1000**2


def chain_of_links(links: int, span: float) -> System:
    """Point masses joined by links to a chain of length one between two fixed points, first a triangle."""
    model = sl.Model("chain_of_links")
    beads = model.node_array("beads", "R3", links + 1)
    s = np.linspace(-1, 1, links + 1)
    beads.initial(x=np.column_stack([span * s / 2, 0 * s, math.sqrt(1 - span**2) / 2 * (np.abs(s) - 1)]))
    beads.fix(0)
    beads.fix(links)
    bead = sl.ElementType("bead", node=sl.group_from_name("R3"))
    bead.kinetic_energy(bead.node.x_dot.dot(bead.node.x_dot) / (2 * links))
    bead.potential_energy(9.81 * bead.node.x[2] / links)
    model.add(bead, beads)
    link = sl.ElementType("link", left=sl.group_from_name("R3"), right=sl.group_from_name("R3"))
    chord = link.right.x - link.left.x
    link.constraint("length", (chord.dot(chord) * links**2 - 1) / 2)
    model.add(link, [(beads[k], beads[k + 1]) for k in range(links)])
    return model.derive().compile()


@pytest.mark.slow
def test_catenary_matches_the_closed_form() -> None:
    """z = a cosh(x/a) with 2 a sinh(span/2a) = 1, from two straight halves; order two."""
    span = 0.6
    a = brentq(lambda a: 2 * a * math.sinh(span / (2 * a)) - 1, 0.05, 5.0, xtol=1e-15)
    sag = a * (math.cosh(span / (2 * a)) - 1)
    errors = []
    for links in (16, 32, 64):
        system = chain_of_links(links, span)
        found = system.static_equilibrium()
        x = positions(system, found.q)
        errors.append(abs(x[links // 2, 2] + sag))
        horizontal = found.multipliers * links * np.diff(x[:, 0]) * links
        assert np.ptp(horizontal) <= tolerances.EQUILIBRIUM_OF_A_ROD * horizontal.max()
    assert horizontal.mean() == pytest.approx(9.81 * a, rel=tolerances.CATENARY)
    assert math.log2(errors[1] / errors[2]) == pytest.approx(2, abs=tolerances.STATIC_ORDER)


def test_supports_and_loads_are_evaluated_at_a_time() -> None:
    """Prescribed nodes and forces are taken at t, velocities are not."""
    model = sl.Model("moved")
    ends = model.node_array("ends", "R3", 2)
    ends.initial(x=[[0, 0, 0], [1, 0, 0]])
    model.prescribe(ends[0], x=sl.vector(3 * model.t, 0, 0))
    spring = sl.ElementType("spring", left=sl.group_from_name("R3"), right=sl.group_from_name("R3"))
    stretch = spring.right.x - spring.left.x - sl.vector(1, 0, 0)
    spring.kinetic_energy(spring.right.x_dot.dot(spring.right.x_dot) / 2)
    spring.potential_energy(50 * stretch.dot(stretch) / 2)
    spring.dissipation(spring.right.x_dot.dot(spring.right.x_dot))
    spring.force(sl.vector(0, 10 * spring.t, 0), at=spring.right.x)
    model.add(spring, [(ends[0], ends[1])])
    system = model.derive().compile()
    q, multipliers, _ = system.static_equilibrium(2.0)
    assert np.abs(q - [6, 0, 0, 7, 0.4, 0]).max() <= tolerances.EQUILIBRIUM
    assert multipliers.shape == (0,)


def sled() -> sl.Model:
    """A blade that does not slip sideways, drawn to a point by a spring."""
    model = sl.Model("sled")
    q = model.node("sled", sl.SE3)
    model.kinetic_energy((q.U.dot(q.U) + q.Omega.dot(q.Omega)) / 2)
    model.potential_energy(8 * q.x.dot(q.x) / 2)
    model.nonholonomic_constraint("blade", q.U[1])
    model.initial(q, x=[0.3, 0.4, 0])
    return model


@pytest.mark.slow
def test_nonholonomic_constraints_are_ignored() -> None:
    """They hold no load here: the spring draws the sled to the point, sideways, too."""
    q, multipliers, _ = sled().derive().compile().static_equilibrium()
    assert np.abs(q[9:]).max() <= tolerances.EQUILIBRIUM
    assert np.array_equal(multipliers, [0])


def free_body(weight: float) -> System:
    """A body without support."""
    model = sl.Model("free_body")
    w = model.parameter("weight", weight)
    q = model.node("body", sl.SE3)
    model.kinetic_energy((q.U.dot(q.U) + q.Omega.dot(q.Omega)) / 2)
    model.potential_energy(w * q.x[2])
    return model.derive().compile()


@pytest.mark.slow
def test_unbalanced_force_is_reported() -> None:
    assert free_body(0.0).static_equilibrium().q.shape == (12,)
    with pytest.raises(
        EquilibriumError, match="a force of 3 is out of balance at velocity component 5 of node 'body'"
    ) as e:
        free_body(3.0).static_equilibrium(max_iterations=30)
    assert e.value.residual == pytest.approx(3.0)


def test_redundant_constraints_are_named() -> None:
    model = pendulum_model()
    q = model.nodes[0]
    model.constraint("again", q.x.dot(q.x) - 0.25)
    with pytest.raises(RedundantConstraintsError, match="row 1 of constraint 'rod', row 1 of constraint 'again'"):
        model.derive().compile().static_equilibrium()


@pytest.mark.parametrize("wrong", [{"load_steps": 0}, {"load_steps": 1.5}, {"tolerance": 0.0}, {"t": float("nan")}])
def test_wrong_arguments_are_rejected(wrong: dict[str, float]) -> None:
    with pytest.raises(ModelError):
        pendulum().static_equilibrium(**wrong)


@pytest.mark.slow
@pytest.mark.parametrize("segments", [10, 100])
def test_flexible_rope_hangs_from_its_clamp(segments: int) -> None:
    """Clamped horizontally, without bending stiffness to speak of: it hangs, and the clamp bears the weight."""
    model = sl.Model("rope")
    rod = sl.CosseratRod(
        model, "rope", segments=segments, length=1.5, constraint="inextensible", gravity=(0, 0, -9.81),
        stiffness=[1e-4, 1e-4, 1e-4, 1e3, 1e3, 1e3], inertia=[1e-6, 1e-6, 2e-6, 1, 1, 1],
        position=lambda s: (s, 0, 0), orientation=HORIZONTAL,
    )  # fmt: skip
    rod.nodes.fix(0)
    system = model.derive().compile()
    x = positions(system, system.static_equilibrium().q)
    assert 0 < x[-1, 0] < 0.06 and -1.5 < x[-1, 2] < -1.44
