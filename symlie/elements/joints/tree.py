"""Tree of the bodies and joints of a model, rooted at the ground, without the joints that close loops."""

from __future__ import annotations

from collections.abc import Callable

from symlie.elements.joints.joint import Joint
from symlie.elements.marker import Body, node_of
from symlie.modeling.model import Model
from symlie.modeling.node import Node

Tree = dict[object, tuple[object, Joint | None]]
"""Parent of each body and the joint between them, in the order of the traversal."""


def body_key(body: Body) -> object:
    """Return the key of a body in the tree: its node, array and index, or None for the ground."""
    node = node_of(body)
    return None if node is None else node if isinstance(node, Node) else (node.array, node.index)


def body_tree(model: Model, is_followed: Callable[[Joint], bool] = lambda joint: True) -> Tree:
    """Return the tree of joints with ``is_followed``, rooted at the ground and then at floating bodies."""
    joints = [j for j in model.joints if isinstance(j, Joint) and is_followed(j)]
    edges = [(j, body_key(j.markers[0].body), body_key(j.markers[1].body)) for j in joints]
    ends: dict[object, list[tuple[object, Joint]]] = {}
    for j, a, b in edges:
        ends.setdefault(a, []).append((b, j))
        ends.setdefault(b, []).append((a, j))
    before: Tree = {}
    for root in (None, *(a for _, a, _ in edges)):
        if root in before:
            continue
        before[root] = (None, None)
        reached = [root]
        for body in reached:
            for there, j in ends.get(body, ()):
                if there not in before:
                    before[there] = (body, j)
                    reached.append(there)
    return before
