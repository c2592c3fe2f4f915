"""Initial configurations from joint coordinates: all bodies outboard of a joint move as one rigid body.

The joints of a model, in the order of their definition, form a graph whose bodies are reached from the ground; joints
that close loops do not belong to the tree and are left to the assembly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np

from symlie.elements.joints.coordinates import Coordinate, Turn
from symlie.elements.joints.joint import Joint
from symlie.elements.joints.tree import Tree, body_key, body_tree, floating_bases, has_rates
from symlie.elements.marker import Marker, node_of, placement
from symlie.elements.placement import Array, initial_velocity
from symlie.errors import ModelError
from symlie.modeling.model import Model
from symlie.modeling.node import Node
from symlie.rotations import rotation


def place_behind(joint: Joint, coordinates: Sequence[Coordinate], values: Mapping[str, float]) -> None:
    """Move all bodies outboard of a joint to given coordinates of the joint, or raise `ModelError`."""
    model = joint.model
    first, second = joint.markers
    turn, shift = _displacement(joint, coordinates, values)
    if not any(c.name in values for c in coordinates) and not _can_move_what_is_behind(joint):
        return
    is_second = _is_behind(joint)
    if not is_second:  # the first body is outboard and moves by the inverse
        turn, shift = turn.T, -turn.T @ shift
    for node in _bodies_behind(joint, node_of((second if is_second else first).body)):
        r, x = placement(model, node, len(shift))
        fields: dict[str, object] = {"rotation": _rotation(turn @ r), "x": turn @ x + shift}
        before = next((v for v in model.initial_values.get(node.name, ()) if v.field.name == "x_dot"), None)
        known = initial_velocity(model, node) if before is not None else None
        model.initial(node, **fields)
        if before is not None and known is not None:
            give = model.initial if before.is_given else model._guess_velocity
            give(node, x_dot=turn @ known["x_dot"])


def guess_outboard_velocities(model: Model) -> None:
    """Guess velocities of all bodies outboard of joints with specified rates, from the ground or a floating body
    outwards.

    The result does not depend on the order in which bodies, joints and rates are defined.
    """
    if model.joints:
        model.bases = floating_bases(model)
    tree = body_tree(model, has_rates)
    for body, (_, joint) in tree.items():
        if joint is None:
            continue
        stated = {c: model.conditions.get(f"{joint.name}_{c.rate}") for c in joint._rows.coordinates}
        rates = {c: condition.values[0] for c, condition in stated.items() if condition is not None}
        behind = _behind(tree, body) if rates else []
        moved = _movable(model, behind)
        if not moved or len(moved) < len(behind):
            continue
        first, second = joint.markers
        is_second = body_key(second.body) == body
        if all(j._is_complete for node in moved if (j := tree[node][1]) is not None):
            _guess_velocities(model, first if is_second else second, (first, second), moved, rates, is_second)


@contextmanager
def starting_from(model: Model, values: Mapping[tuple[str, str], Array]) -> Iterator[None]:
    """Replace initial values of single nodes by others, one row for each node, within a context."""
    stated, conditions = {name: list(given) for name, given in model.initial_values.items()}, dict(model.conditions)
    coordinates = dict(model.given_coordinates)
    nodes = {n.name: n for n in model.nodes}
    try:
        for (name, field), rows in values.items():
            if name in nodes:
                model.initial(nodes[name], **{field: rows[0]})
        yield
    finally:
        model.initial_values.clear()
        model.initial_values.update(stated)
        model.conditions, model.given_coordinates = conditions, coordinates


def _displacement(joint: Joint, coordinates: Sequence[Coordinate], values: Mapping[str, float]) -> tuple[Array, Array]:
    """Return the rigid displacement x ↦ R x + t of the second body after which the coordinates have their values."""
    frames = joint._initial_frames()
    (p, a), (q, b) = (m.placed(joint.model) for m in joint.markers)
    size = len(p)
    relative, d = a.T @ b, a.T @ (q - p)
    for c in coordinates:
        if c.name not in values:
            continue
        step = values[c.name] - float(c.principal(*frames))
        if isinstance(c, Turn):
            about = _about_z(size, step)
            relative = relative @ about if c.about[1] else about @ relative
        else:
            d = d + step * np.eye(size)[c.along]
    turn = a @ relative @ b.T
    return turn, p + a @ d - turn @ q


def _about_z(size: int, angle: float) -> Array:
    turn = np.eye(size)
    turn[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    return turn


def _rotation(turn: Array) -> object:
    return rotation(angle=float(np.arctan2(turn[1, 0], turn[0, 0]))) if len(turn) == 2 else rotation(matrix=turn)


def _is_behind(joint: Joint) -> bool:
    """Return whether the second body is outboard of the joint, seen from the ground; otherwise the first one is."""
    before = body_tree(joint.model)
    first, second = (body_key(m.body) for m in joint.markers)
    for body, is_second in ((second, True), (first, False)):
        if before[body][1] is joint:
            return is_second
    raise ModelError(
        f"Joint '{joint.name}' closes a loop and has no outboard bodies; give coordinates of other joints, and "
        "compute those of this joint by system.assembled() (--assemble)."
    )


def _can_move_what_is_behind(joint: Joint) -> bool:
    try:
        _bodies_behind(joint, node_of(joint.markers[_is_behind(joint)].body))
    except ModelError:
        return False
    return True


def _behind(tree: Tree, body: object) -> list[object]:
    """Return a body of a tree and the bodies outboard of it."""
    behind = [body]
    for other, (parent, _) in tree.items():  # parents precede their children
        if parent is not None and parent in behind:
            behind.append(other)
    return behind


def _movable(model: Model, bodies: Sequence[object]) -> list[Node]:
    """Return the single nodes without a prescribed motion."""
    prescribed = {m.node for m in model.motions}
    return [n for n in bodies if isinstance(n, Node) and n.name not in prescribed]


def _bodies_behind(joint: Joint, node: object) -> list[Node]:
    behind = _behind(body_tree(joint.model), node)
    moved = _movable(joint.model, behind)
    if len(moved) < len(behind):
        raise ModelError(
            f"Nodes of an array or prescribed nodes are outboard of joint '{joint.name}'; its coordinates cannot "
            "determine their poses. Give their initial values."
        )
    return moved


def _guess_velocities(
    model: Model,
    ahead: Marker,
    markers: tuple[Marker, Marker],
    moved: Sequence[Node],
    rates: Mapping[Coordinate, float],
    is_second: bool,
) -> None:
    """Guess velocities of outboard bodies from the velocity of the inboard one and the rates of the joint, whose second
    body is outboard or inboard."""
    (p, a), (q, b) = (m.placed(model) for m in markers)
    size = len(p)
    spin, speed, sign = np.zeros(3), np.zeros(3), 1 if is_second else -1
    for c, rate in rates.items():
        if isinstance(c, Turn):
            spin += sign * rate * (np.array([0.0, 0.0, 1.0]) if size == 2 else (b if c.about[1] else a)[:, 2])
        else:
            speed[:size] += sign * rate * a[:, c.along]
    node = node_of(ahead.body)
    known = initial_velocity(model, node) if isinstance(node, Node) else None
    base = _in_space(known["Omega"]) if known else np.zeros(3)
    origin, drift = placement(model, ahead.body, size)[1], np.zeros(3)
    if known:
        drift[:size] = known["x_dot"]
    for body in moved:
        r, x = placement(model, body, size)
        lever, arm = np.zeros(3), np.zeros(3)
        lever[:size], arm[:size] = x - origin, x - q
        velocity = (drift + np.cross(base, lever) + np.cross(spin, arm) + speed)[:size]
        total = base + spin
        moving = {"U": r.T @ velocity} if hasattr(body, "U") else {"x_dot": velocity}
        model._guess_velocity(body, Omega=total[2:] if size == 2 else r.T @ total, **moving)


def _in_space(spin: Array) -> Array:
    return np.array([0.0, 0.0, spin[0]]) if len(spin) == 1 else spin
