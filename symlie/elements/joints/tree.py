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
    """Return the tree of joints with ``is_followed``, rooted at the ground and then at floating bodies.

    A floating tree starts from a body that is the second body of no joint, if there is one.
    """
    joints = [j for j in model.joints if isinstance(j, Joint)]
    carried = {body_key(j.markers[1].body) for j in joints if has_rates(j)}
    edges = [(j, body_key(j.markers[0].body), body_key(j.markers[1].body)) for j in joints if is_followed(j)]
    firsts = sorted((a for _, a, _ in edges), key=carried.__contains__)
    ends: dict[object, list[tuple[object, Joint]]] = {}
    for j, a, b in edges:
        ends.setdefault(a, []).append((b, j))
        ends.setdefault(b, []).append((a, j))
    before: Tree = {}
    for root in (None, *firsts):
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


def has_rates(joint: Joint) -> bool:
    """Return whether unspecified initial rates of a joint are zero if possible, unlike those of bars and contacts."""
    return joint.rests


def floating_bases(model: Model) -> tuple[tuple[str, int], ...]:
    """Return the roots of floating trees of joints, by node and index."""
    tree = body_tree(model, has_rates)
    parents = [parent for parent, joint in tree.values() if joint is not None]
    roots = [root for root in dict.fromkeys(parents) if root is not None and tree[root][1] is None]
    return tuple(
        (r.name, 0) if isinstance(r, Node) else (r[0].name, r[1]) for r in roots if isinstance(r, Node | tuple)
    )
