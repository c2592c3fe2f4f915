"""Errors in a topology name the node, the element, the instance and the row."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import (
    InconsistentInitialValuesError,
    ModelError,
    RedundantConstraintsError,
    SingularMassMatrixError,
)
from symlie.runtime.system.system import System
from tests.rods.topologies import INERTIA, STIFFNESS, UPRIGHT


def rod(model: sl.Model | None = None, **changed: Any) -> sl.CosseratRod:
    """A rod of three segments with some arguments changed."""
    arguments: dict[str, Any] = {
        "segments": 3,
        "length": 1.0,
        "stiffness": STIFFNESS,
        "inertia": INERTIA,
        "position": lambda s: (0, 0, s),
        "orientation": UPRIGHT,
    }
    name = changed.pop("name", "rod")
    return sl.CosseratRod(model or sl.Model("broken"), name, **{**arguments, **changed})


@pytest.mark.parametrize("group", ["SE2", "R3", "SO3"])
def test_group_without_rotation_and_position_is_rejected(group: str) -> None:
    with pytest.raises(ModelError, match=f"Rod 'rod' needs a group .* S3xR3 or SO3xR3, not {group}"):
        rod(group=group)


@pytest.mark.parametrize("end", ["first", "last"])
def test_body_in_place_of_its_node_is_rejected(end: str) -> None:
    model = sl.Model("broken")
    body = sl.RigidBody(model, "body", 1.0, [1, 1, 1])
    with pytest.raises(
        ModelError, match=r"of rod 'rod' can be joined to a node only, not to RigidBody\(body.*body\.node"
    ):
        rod(model, group="SO3xR3", orientation=sl.rotation(vector=[0, 0, 0]), **{end: body})


def point_mass() -> sl.ElementType:
    """A particle with a parameter."""
    element = sl.ElementType("particle", node="R3")
    mass = element.parameter("mass", 1.0, unit="kg")
    element.kinetic_energy(mass * element.node.x_dot.dot(element.node.x_dot) / 2)
    return element


def link() -> sl.ElementType:
    """A rigid link between two points."""
    element = sl.ElementType("link", left="R3", right="R3")
    distance = element.left.x - element.right.x
    element.constraint("length", distance.dot(distance) - 1)
    return element


def pin(name: str) -> sl.ElementType:
    """A fixed point."""
    element = sl.ElementType(name, node="R3")
    element.constraint("place", element.node.x)
    return element


def with_output(name: str, size: int) -> sl.ElementType:
    """A particle that reports some of its coordinates."""
    element = sl.ElementType(name, node="R3")
    element.kinetic_energy(element.node.x_dot.dot(element.node.x_dot) / 2)
    element.output("place", element.node.x[:size, :])
    return element


SENTENCES: dict[str, tuple[Callable[[sl.Model, sl.NodeArray], object], str]] = {
    "index": (
        lambda model, nodes: nodes[4],
        r"Node array 'points' has 4 nodes; there is no index 4\.",
    ),
    "negative index": (
        lambda model, nodes: nodes[-5],
        r"Node array 'points' has 4 nodes; there is no index -5\.",
    ),
    "fixed index": (
        lambda model, nodes: nodes.fix(0, 9),
        r"Node array 'points' has 4 nodes; there is no index 9\.",
    ),
    "number of nodes": (
        lambda model, nodes: model.add(link(), [(nodes[0], nodes[1]), (nodes[1],)]),
        r"Instance 1 of element 'link' has 1 nodes; it needs 2\.",
    ),
    "not a node": (
        lambda model, nodes: model.add(link(), [(nodes[0], 1)]),
        r"Instance 0 of element 'link': 1 is not a node of 'broken'\.",
    ),
    "an array instead of a node": (
        lambda model, nodes: model.add(point_mass(), [nodes[0], nodes]),
        r"Instance 1 of element 'particle': NodeArray\(points; R3; 4 nodes\) is not a node of 'broken'\.",
    ),
    "node of another model": (
        lambda model, nodes: model.add(point_mass(), sl.Model("other").node_array("points", "R3", 2)),
        r"Instance 0 of element 'particle': points\[0\] is not a node of 'broken'\.",
    ),
    "wrong group": (
        lambda model, nodes: model.add(
            link(), [(nodes[0], nodes[1]), (nodes[1], model.node_array("turning", sl.SO3, 1)[0])]
        ),
        r"Instance 1 of 'link': node 'turning' is on SO3, but the element expects R3\.",
    ),
    "unknown parameter": (
        lambda model, nodes: model.add(point_mass(), [nodes[0]], weight=3),
        r"Element type 'particle' has no parameter 'weight'; it has: mass\.",
    ),
    "length of a parameter": (
        lambda model, nodes: model.add(point_mass(), [nodes[k] for k in range(4)], mass=[1, 2, 3]),
        r"Parameter 'mass' of element 'particle' needs 1 values, or 4 × 1, not 3\.",
    ),
    "rows and columns of a parameter": (
        lambda model, nodes: model.add(point_mass(), nodes, mass=[[1, 2, 3, 4]]),
        r"Parameter 'mass' of element 'particle' needs 1 values, or 4 × 1, not 1 × 4\.",
    ),
    "two element types of one name": (
        lambda model, nodes: (model.add(point_mass(), [nodes[0]]), model.add(point_mass(), [nodes[1]])),
        r"Element type 'particle' is defined twice in 'broken'; rename one\.",
    ),
    "two arrays of one name": (
        lambda model, nodes: model.node_array("points", "R3", 2),
        r"Node 'points' is defined twice in 'broken'; rename one\.",
    ),
    "no nodes": (
        lambda model, nodes: model.node_array("none", "R3", 0),
        r"Node array 'none' needs at least one node, not 0\.",
    ),
    "unknown field": (
        lambda model, nodes: nodes.initial(R=[1, 2, 3]),
        r"Node array 'points' has no field 'R'; it has: x, x_dot\.",
    ),
    "size of initial values": (
        lambda model, nodes: nodes.initial(x=np.zeros((3, 3))),
        r"Initial points\.x needs 4 × 3 numbers, not \(3, 3\)\.",
    ),
    "no local nodes": (
        lambda model, nodes: sl.ElementType("empty"),
        r"Element type 'empty' needs at least one local node",
    ),
    "two constraints of one name": (
        lambda model, nodes: (
            [model.add(pin(name), [nodes[k]]) for k, name in enumerate(("first", "second"))],
            model.add(point_mass(), nodes),
            model.derive(),
        ),
        r"Constraint 'place' is defined by 'first' and by 'second', but multipliers are reported by name; rename one\.",
    ),
    "two outputs of one name": (
        lambda model, nodes: (
            [model.add(with_output(f"e{size}", size), nodes) for size in (1, 2)],
            model.derive(),
        ),
        r"Output 'place' is defined by 'e1' and by 'e2', but outputs are reported by name; rename one\.",
    ),
    "output without a node": (
        lambda model, nodes: (model.add(point_mass(), nodes), model.output("clock", model.t), model.derive()),
        r"'clock' of model 'broken' belongs to no node, since all nodes are in arrays; define it in an element type",
    ),
    "times out of order": (
        lambda model, nodes: model.piecewise_linear("load", [0, 2, 1], [0, 1, 0]),
        r"Time function 'load' needs at least two points with increasing times\.",
    ),
}


@pytest.mark.parametrize("case", SENTENCES)
def test_invalid_topologies_are_rejected(case: str) -> None:
    """Each mistake has a specific message."""
    mistake, sentence = SENTENCES[case]
    model = sl.Model("broken")
    nodes = model.node_array("points", "R3", 4)
    with pytest.raises(ModelError, match=f"^{sentence}"):
        mistake(model, nodes)


RODS: dict[str, tuple[dict[str, Any], str]] = {
    "zero length": ({"length": [0.5, 0.0, 0.5]}, r"Segment 1 of rod 'rod' has length 0; it must be positive\."),
    "negative length": ({"length": -1.0}, r"Segment 0 of rod 'rod' has length -0\.333333; it must be positive\."),
    "number of lengths": ({"length": [1.0, 1.0]}, r"Rod 'rod' has 3 segments, but 2 lengths\."),
    "zero stiffness": ({"stiffness": [1, 1, 0, 1, 1, 1]}, r"The stiffness of rod 'rod' must be positive\."),
    "stiffness somewhere": (
        {"stiffness": lambda s: np.full(6, 0.7 - s)},
        r"The stiffness of rod 'rod' must be positive\.",
    ),
    "indefinite stiffness": (
        {"stiffness": np.eye(6) + 2 * np.eye(6)[::-1]},
        r"The stiffness of rod 'rod' must be positive\.",
    ),
    "stiffness that is not symmetric": (
        {"stiffness": np.eye(6) + np.eye(6, k=1)},
        r"The stiffness of rod 'rod' must be a symmetric matrix\.",
    ),
    "size of the stiffness": (
        {"stiffness": [1, 2, 3]},
        r"The stiffness of rod 'rod' needs six numbers or a 6 × 6 matrix, not \(3,\)\.",
    ),
    "size of the damping": ({"damping": [1, 2]}, r"The damping of rod 'rod' needs six numbers, not 2\."),
    "inertia": ({"inertia": [1, 1, 1, 0, 0, 0]}, r"The inertia of rod 'rod' must be positive\."),
    "size of the inertia": ({"inertia": [1, 1, 1]}, r"The inertia of rod 'rod' needs six numbers, not 3\."),
    "constraint": (
        {"constraint": "rigid"},
        r"Rod 'rod': unknown constraint 'rigid'; use none, kirchhoff, inextensible",
    ),
    "component": ({"constraint": [6]}, r"Rod 'rod': strain components are numbered 0 … 5, not \[6\]\."),
    "no segments": ({"segments": 0}, r"Rod 'rod' needs at least 1 segment, not 0\."),
    "one segment closed": ({"segments": 1, "closed": True}, r"Rod 'rod' needs at least 2 segments, not 1\."),
    "reference strain": (
        {"reference_strain": "curved"},
        r"The reference strain of rod 'rod' must be numbers or 'initial'",
    ),
    "missing": ({"stiffness": None}, r"Rod 'rod' needs a value of 'stiffness', or 'like' with a rod that has one\."),
}


@pytest.mark.parametrize("case", RODS)
def test_invalid_rods_are_rejected(case: str) -> None:
    """Each names the rod, and the segment where it is one."""
    changed, sentence = RODS[case]
    with pytest.raises(ModelError, match=f"^{sentence}"):
        rod(**changed)


def test_invalid_connected_rods_are_rejected() -> None:
    """Contradictions between a rod and its attachments."""
    model = sl.Model("broken")
    bending = model.parameter("bending", 3.0)
    first = rod(model, constraint="kirchhoff")
    with pytest.raises(ModelError, match=r"^Rod 'rod' has 4 nodes; there is no index 4\."):
        first[4]
    with pytest.raises(ModelError, match=r"^Rod 'b' takes the constraint and the group of rod 'rod'; do not give them"):
        rod(model, name="b", like=first, constraint="none")
    with pytest.raises(ModelError, match=r"^The stiffness of rod 'rod' or 'b' is an expression of parameters"):
        rod(model, name="b", like=first, stiffness=[bending, 1, 1, 1, 1, 1])
    with pytest.raises(ModelError, match=r"^Rod 'b' is closed and cannot end at another node"):
        rod(model, name="b", closed=True, last=first[-1])
    with pytest.raises(ModelError, match=r"^Rod 'b' needs at least 2 segments, not 1\."):
        rod(model, name="b", segments=1, first=first[0], last=first[-1])
    with pytest.raises(ModelError, match=r"node 'rod' is on S3sR3, but the element expects SE3\."):
        rod(model, name="c", group=sl.SE3, first=first[-1], orientation=np.eye(3))


def test_massless_node_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error is the same for derived and for cached kernels."""

    def model(count: int) -> sl.Model:
        model = sl.Model("broken")
        nodes = model.node_array("points", "R3", count)
        nodes.initial(x=lambda k: (k, 0, 0))
        model.add(point_mass(), [nodes[k] for k in range(4)])
        return model

    monkeypatch.setenv("SYMLIE_CACHE", str(tmp_path))
    with pytest.raises(
        ModelError, match=r"^Velocity component 0 of node 'points\[4\]' has no inertia; add its kinetic"
    ):
        model(6).derive()
    model(4).derive().compile(backend="numpy")
    with pytest.raises(
        (ModelError, SingularMassMatrixError), match=r"velocity component 0 of node 'points\[4\]'.* mass"
    ):
        _ = model(6).derive().compile(backend="numpy").initial_state


def clamped_twice(count: int) -> System:
    """A rod whose node 2 is overconstrained by an element."""
    model = sl.Model("broken")
    first = rod(model, constraint="kirchhoff")
    weld = sl.ElementType("weld", node=sl.S3sR3)
    q = weld.node
    weld.constraint("place", q.x - sl.vector(0, 0, 2) / 3)
    model.add(weld, [first[2]] * count)
    return model.derive().compile(backend="numpy")


@pytest.mark.slow
def test_overconstrained_node_is_reported() -> None:
    """The message names the constraint, its element, the instance and the row."""
    assert clamped_twice(1).initial_state.multipliers.size == 2 * 3 + 3
    with pytest.raises(
        RedundantConstraintsError,
        match=r"^The constraints of 'broken' are redundant: row ([123]) of constraint 'place' of element 'weld', "
        r"instance 0, row \1 of constraint 'place' of element 'weld', instance 1 depend on each other "
        r"\(the smallest such set\); remove any one of these equations, free a node, or integrate with "
        r"redundant='minimal_norm'\. In total, 3 dependencies exist\.",
    ):
        _ = clamped_twice(2).initial_state


def test_constraint_between_fixed_nodes_is_reported() -> None:
    """A segment with both nodes clamped constrains nothing."""
    model = sl.Model("broken")
    rod(model, constraint="kirchhoff").nodes.fix(1, 2)
    with pytest.raises(
        RedundantConstraintsError,
        match=r"row 1 of constraint 'rod_segment_strain' of element 'rod_segment', instance 1 has a zero Jacobian",
    ):
        _ = model.derive().compile(backend="numpy").initial_state


def test_inconsistent_initial_configuration_is_reported() -> None:
    """The segment that is sheared at the start is named."""
    model = sl.Model("broken")
    first = rod(model, constraint="kirchhoff")
    first.nodes.initial(x=[[0, 0, 0], [0, 0, 1 / 3], [0, 0, 2 / 3], [0, 0.1, 1]])
    with pytest.raises(
        InconsistentInitialValuesError,
        match=r"violates row 2 of constraint 'rod_segment_strain' of element 'rod_segment', instance 2: Φ = 0\.1;",
    ):
        _ = model.derive().compile(backend="numpy").initial_state


@pytest.mark.parametrize("rotation", [(1.0,), (1.0, 2.0, float("nan"))])
def test_rotations_at_ends_of_curves_belong_to_the_group(rotation: tuple[float, ...]) -> None:
    model = sl.Model("curve")
    nodes = model.node_array("nodes", sl.SE3, 2)
    with pytest.raises(ModelError, match="at an end of curve 'line' on SE3 needs 3 finite numbers"):
        model.curve("line", nodes, [0, 1], end_rotation=rotation)
