"""Expressions derived from densities, and the resulting elements."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import symlie as sl
from symlie.publish.sets import generated_files
from tests import tolerances


def test_section_force_equals_that_of_a_rod() -> None:
    """G = C (w - w*) + 2 D ẇ + DΨᵀ λ, without damping of the strains that the constraint holds."""
    model = sl.Model("rods")
    rod = sl.CosseratRod(
        model, "rod", segments=2, length=1.0, stiffness=np.arange(1, 7), inertia=np.ones(6), damping=0.5,
        position=lambda s: (0, 0, s), orientation=(1, 0, 0, 0), constraint="kirchhoff",
    )  # fmt: skip
    C, D, reference, *_ = rod.stated.parameters
    shear = {3: 0, 4: 1}
    for k, force in enumerate(rod.section_force):
        expected = C.symbols[k] * (rod.w[k] - reference.symbols[k])
        if k not in shear:
            expected += 2 * D.symbols[k] * rod.w_dot[k]
        else:
            expected += rod.constraints[0].multipliers[shear[k]]
        assert sympy.expand(force - expected) == 0


def typed_in(segments: int) -> sl.Model:
    """The segments of a Kirchhoff rod with damping typed in between nodes, as sheets have them."""
    model = sl.Model("typed")
    nodes = model.node_array("rod", sl.S3sR3, segments + 1)
    nodes.initial(x=lambda k: (0, 0, k / segments))
    section = sl.ElementType("rod_section", node=sl.S3sR3)
    weight, mass = section.parameter("weight", 1.0, unit="m"), section.parameter("mass", np.ones(6))
    section.kinetic_energy(section.node.v.dot(weight * sl.diag(mass) * section.node.v) / 2)
    segment = sl.ElementType("rod_segment", left=sl.S3sR3, right=sl.S3sR3)
    length, C = segment.parameter("length", 1.0, unit="m"), segment.parameter("stiffness", np.ones(6))
    D = segment.parameter("damping", np.ones(6))
    theta = (segment.left.inverse() * segment.right).log()
    strain = theta / length - sl.vector(0, 0, 0, 0, 0, 1)
    rate = segment.rate(theta) / length
    segment.potential_energy(length * strain.dot(sl.diag(C) * strain) / 2)
    segment.force(-2 * length * sl.diag(D) * rate, at=theta / length)
    segment.constraint("shear", [theta[3], theta[4]])
    model.add(section, nodes, weight=[[w] for w in (0.5, *[1.0] * (segments - 1), 0.5)])
    model.add(segment, [(nodes[k], nodes[k + 1]) for k in range(segments)], length=1 / segments)
    return model


def by_densities(segments: int) -> sl.Model:
    """The same rod by its densities."""
    model = sl.Model("typed")
    rod = sl.Continuum(model, "rod", sl.S3sR3, length=1.0)
    mass, C, D = (rod.parameter(name, np.ones(6)) for name in ("mass", "stiffness", "damping"))
    strain = rod.w - sl.vector(0, 0, 0, 0, 0, 1)
    rod.kinetic_density(rod.v.dot(sl.diag(mass) * rod.v) / 2)
    rod.potential_density(strain.dot(sl.diag(C) * strain) / 2)
    rod.dissipation_density(rod.w_dot.dot(sl.diag(D) * rod.w_dot))
    rod.constraint_density("shear", rod.w[3:5])
    rod.initial(x=lambda s: (0, 0, s))
    rod.discretize(segments)
    return model


@pytest.mark.slow
def test_densities_generate_the_code_of_a_written_element() -> None:
    texts = []
    for model in (typed_in(3), by_densities(5)):
        files = generated_files(model.derive())
        texts.append({name: text for name, text in files.items() if name != "manifest.json"})
    assert texts[0] == texts[1] and any(name.endswith(".c") for name in texts[0])


@pytest.mark.parametrize(
    ("quadrature", "weights"), [("midpoint", [1 / 4]), ("trapezoid", [1 / 2]), ("simpson", [1 / 3])]
)
def test_quadratures_have_their_order(quadrature: str, weights: list[float]) -> None:
    """The integral of s² w over one segment of length one, along which w is one."""
    model = sl.Model("bars")
    bar = sl.Continuum(model, "bar", "R1", length=1.0)
    bar.kinetic_density(bar.v[0] ** 2 / 2)
    bar.potential_density(bar.s**2 * bar.w[0] + bar.s * bar.q.x[0] * bar.w[0])
    bar.initial(x=lambda s: s)
    bar.discretize(1, quadrature)
    system = model.derive().compile("numpy")
    state = system.initial_state
    assert np.isclose(
        system.kernels.energy(system.prepared, 0.0, state.q, state.v)[1], 2 * weights[0], rtol=tolerances.BY_HAND
    )


def test_values_can_vary_along_the_curve() -> None:
    """Parameters are taken in the middle of segments and at nodes, T is lumped, and grids need not be uniform."""
    model = sl.Model("bars")
    bar = sl.Continuum(model, "bar", "R1")
    mass, stiffness = bar.parameter("mass", lambda s: 1 + s), bar.parameter("stiffness", lambda s: 2 * s)
    bar.kinetic_density(mass * bar.v[0] ** 2 / 2)
    bar.potential_density(stiffness * bar.w[0] ** 2 / 2)
    bar.force_density(mass * bar.s * bar.t)
    bar.clamp("start")
    bar.initial(x=lambda s: s**2)
    bar.discretize([0, 0.5, 2.0])
    system = model.derive().compile("numpy")
    found, state = system.kernels, system.initial_state
    lumped = np.array([0.25 * 1.0, 1.0 * 1.5, 0.75 * 3.0])
    np.testing.assert_allclose(found.mass(system.prepared, 0.0, state.q), lumped, rtol=tolerances.BY_HAND)
    slopes = np.array([0.5, 2.5])
    k = np.array([0.5, 2.5])
    energy = found.energy(system.prepared, 0.0, state.q, state.v)[1]
    assert np.isclose(energy, np.sum(np.array([0.5, 1.5]) * k * slopes**2) / 2, rtol=tolerances.BY_HAND)
    force = found.force(system.prepared, 3.0, state.q, state.v)
    pulled = lumped * np.array([0, 0.5, 2]) * 3.0
    np.testing.assert_allclose(-force[1:], pulled[1:] + np.append(np.diff(k * slopes), -k[1] * slopes[1]))


def test_loads_can_be_follower_or_dead_loads() -> None:
    """A force along the axis of a bar at rest, in space and in the axes of a rotated cross section."""
    for following, expected in ((False, [1.0, 0.0]), (True, [0.0, 1.0])):
        model = sl.Model("beams")
        beam = sl.Continuum(model, "beam", sl.SE2, length=1.0)
        beam.kinetic_density(beam.v.dot(beam.v) / 2)
        beam.initial(x=lambda s: (0, s), p=(0, 1))
        beam.load(force=[beam.s, 0], moment=2.0, following=following)
        beam.discretize(2)
        beam.load(force=[beam.s, 0], following=following)
        system = model.derive().compile("numpy")
        state = system.initial_state
        power = -system.kernels.force(system.prepared, 0.0, state.q, state.v).reshape(3, 3)
        np.testing.assert_allclose(power[:, 0], 2.0 * np.array([0.25, 0.5, 0.25]))
        turned = np.array([[0, -1], [1, 0]]) @ power[1, 1:]
        np.testing.assert_allclose(turned, 2 * 0.5 * 0.5 * np.array(expected), atol=tolerances.BY_HAND)


def test_force_densities_can_depend_on_the_state() -> None:
    """Drag and a foundation act at nodes by their share of the length."""
    model = sl.Model("bars")
    bar = sl.Continuum(model, "bar", "R1", length=1.0)
    bar.kinetic_density(bar.v[0] ** 2 / 2)
    bar.force_density(x_dot=-3 * bar.v[0] - 5 * bar.q.x[0])
    bar.initial(x=lambda s: s, x_dot=lambda s: 1 - s)
    bar.discretize(2)
    system = model.derive().compile("numpy")
    state = system.initial_state
    force = system.kernels.force(system.prepared, 0.0, state.q, state.v)
    s, weights = np.array([0, 0.5, 1]), np.array([0.25, 0.5, 0.25])
    np.testing.assert_allclose(force, weights * (3 * (1 - s) + 5 * s), rtol=tolerances.BY_HAND)


def test_rod_segments_accept_number_lengths_or_coordinates() -> None:
    """The same rod three times."""
    found = []
    for more in (
        {"segments": [0, 0.25, 0.5, 1.0]},
        {"segments": np.array([0, 0.25, 0.5, 1.0]), "length": 1.0},
        {"segments": 3, "length": [0.25, 0.25, 0.5]},
    ):
        model = sl.Model("rods")
        rod = sl.CosseratRod(
            model, "rod", stiffness=np.arange(1, 7), inertia=np.ones(6), position=lambda s: (0, 0, s),
            orientation=(1, 0, 0, 0), **more,
        )  # fmt: skip
        found.append(generated_files(model.derive())["manifest.json"])
        assert repr(rod) == "CosseratRod(rod; 3 segments on S3sR3, 1 m)"
    assert found[0] == found[1] == found[2]


def test_continua_can_be_connected_and_closed() -> None:
    model = sl.Model("net")

    def string(name: str) -> sl.Continuum:
        found = sl.Continuum(model, name, "R3", length=1.0)
        found.kinetic_density(found.v.dot(found.v) / 2)
        found.potential_density(found.w.dot(found.w) / 2)
        return found

    ring, branch = string("ring"), string("branch")
    ring.close()
    ring.initial(x=lambda s: (np.cos(2 * np.pi * s), np.sin(2 * np.pi * s), 0))
    ring.discretize(6)
    branch.join("start", ring[2])
    branch.prescribe("end", x=[0, 0, sl.sin(model.t)])
    branch.discretize(3)
    assert len(ring.nodes) == 6 and ring.along[0] is ring.along[-1]
    assert len(branch.nodes) == 3 and branch.along[0] is ring.along[2]
    system = model.derive().compile("numpy")
    solution = sl.solve(system, 0.2, h=0.01)
    assert np.isclose(solution.field("branch", "x")[-1, -1, 2], np.sin(0.2), rtol=tolerances.BY_HAND)
