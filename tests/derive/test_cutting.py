"""Large statements become instances of element types: same motion, same names, code of constant size."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import symlie as sl
from symlie.derive import topology
from tests.tolerances import SAME_MOTION_CUT


def chain(count: int) -> sl.Model:
    """Pendulums on pins in a Python loop: parameters for each, and all that a statement may have."""
    model = sl.Model("chain")
    gravity = model.parameter("gravity", [0, -9.81])
    push = model.input("push", 1)
    bodies = [model.node(f"b{i}", "SE2") for i in range(count)]
    arm = sl.vector(0, 0.5)
    last = None
    for i, body in enumerate(bodies):
        mass = model.parameter(f"mass{i}", 2 + 0.25 * i)
        model.kinetic_energy((mass * body.U.dot(body.U) + 0.1 * body.Omega.dot(body.Omega)) / 2)
        model.potential_energy(-mass * gravity.dot(body.x))
        model.dissipation(0.01 * body.Omega.dot(body.Omega))
        model.force(push * sl.vector(1, 0), at=body.x)
        held = bodies[i - 1].x - bodies[i - 1].R * arm if i else sl.vector(0, 0)
        last = model.constraint(f"joint{i}", body.x + body.R * arm - held)
        model.initial(body, x=[0, -0.5 - i], Omega=[0.3 * i + 1])
    model.output("early", bodies[-1].x[0] - bodies[0].x[0])
    model.output("tip", bodies[-1].x - bodies[-1].R * arm, unit="m")
    model.output("momentum", sum((body.R * body.U for body in bodies), sl.vector(0, 0)))
    model.output("pull", last)
    model.output("constant", sl.vector(1, 2))
    model.event("turned", bodies[-1].R[0, 0], terminal=False)
    return model


def whole(model: sl.Model, monkeypatch: pytest.MonkeyPatch, backend: str) -> sl.System:
    """The system of a model without cutting, independent of its size."""
    with monkeypatch.context() as patch:
        patch.setattr(topology, "LARGEST_WHOLE", 1_000)
        patch.setattr(topology, "LARGEST_FIXED", 1_000)
        patch.setattr(topology, "MOST_MULTIPLICATIONS", 10**9)
        return model.derive().compile(backend=backend)


def in_parts(model: sl.Model, monkeypatch: pytest.MonkeyPatch, backend: str) -> sl.System:
    """The system of a model with cutting, independent of its size and with the topology not part of the text."""
    with monkeypatch.context() as patch:
        patch.setattr(topology, "LARGEST_FIXED", 0)
        return model.derive().compile(backend=backend)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_splitting_preserves_motion_and_names(monkeypatch: pytest.MonkeyPatch, backend: str) -> None:
    model = chain(3)
    systems = (compiled(model, monkeypatch, backend) for compiled in (whole, in_parts))
    changed = [s.with_input("push", [0, 0.05, 0.1], [0.0, 3.0, -1.0]).with_parameters(mass1=5) for s in systems]
    one, other = (sl.solve(system, 0.1, h=1e-3) for system in changed)
    order = ["early", "tip", "momentum", "pull", "constant"]
    assert list(one.system.layout.outputs) == list(other.system.layout.outputs) == order
    assert [e.name for e in other.system.layout.events] == ["turned"]
    for name in ("energy", "tip", "momentum", "pull"):
        size = 1 + np.abs(one.outputs[name]).max()
        assert np.abs(one.outputs[name] - other.outputs[name]).max() <= SAME_MOTION_CUT * size, name
    for name in ("joint0", "joint1", "joint2"):
        first, second = (solution.named_multipliers()[name] for solution in (one, other))
        assert np.abs(first - second).max() <= SAME_MOTION_CUT * (1 + np.abs(first).max())
    assert np.abs(one.q - other.q).max() <= SAME_MOTION_CUT


def test_generated_code_contains_the_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts whose topology and elimination are part of the text move as the whole statement does."""
    model = chain(2)
    expected = sl.solve(whole(model, monkeypatch, "numpy"), 0.1, h=0.01)
    with monkeypatch.context() as patch:
        patch.setattr(topology, "LARGEST_WHOLE", 0)
        system = model.derive().compile(backend="numpy")
    assert system.layout.is_fixed and len(system.layout.elements) > 1
    found = sl.solve(system, 0.1, h=0.01)
    assert np.abs(found.q - expected.q).max() <= SAME_MOTION_CUT


def beads(count: int, *, tied: bool = False) -> sl.Model:
    """Points with springs between neighbours and individual parameters."""
    model = sl.Model("beads")
    points = [model.node(f"p{i}", "R3") for i in range(count)]
    model.kinetic_energy(sum((0.5 + 0.125 * i) * p.v.dot(p.v) for i, p in enumerate(points)))
    for i, (a, b) in enumerate(itertools.pairwise(points)):
        model.potential_energy((3.5 + 0.25 * i) * (a.x - b.x).dot(a.x - b.x))
    if tied:
        model.dissipation(sum(p.v[0] for p in points) ** 2)
    return model


def test_code_size_depends_on_term_types_only() -> None:
    first, second = beads(13).derive(), beads(16).derive()
    assert first.canonical_text == second.canonical_text
    assert [len(i.nodes) for i in second.elements.instances] == [16, 15]


def test_term_coupling_all_nodes_is_not_split() -> None:
    parts = beads(13, tied=True).derive().elements.instances
    assert sorted(len(i.element.nodes) for i in parts) == [1, 2, 13]


def test_repeated_terms_of_the_same_nodes_form_one_element() -> None:
    model = beads(13)
    model.potential_energy(7.5 * model.nodes[0].x.dot(model.nodes[0].x))
    parts = model.derive().elements.instances
    assert [len(i.nodes) for i in parts] == [1, 12, 12]  # the first point has a term that the others have not


def test_both_orders_of_a_pair_are_one_element_type() -> None:
    model = beads(13)
    first, last = model.nodes[0], model.nodes[-1]
    model.force(2.5 * (first.v - last.v), at=last.x)
    model.force(1.5 * (last.v - model.nodes[4].v), at=model.nodes[4].x)
    assert [len(i.nodes) for i in model.derive().elements.instances] == [13, 12, 2]
