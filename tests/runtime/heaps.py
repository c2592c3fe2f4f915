"""Columns and random heaps of balls, and heaps of spheres and rounded boxes in a container, for time stepping with
contacts."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

import symlie as sl
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.contacts.table import ContactTable
from symlie.runtime.system.system import System

G, RADIUS = 9.81, 0.1
GROUP = "S3xR3"
LAWS = {"friction": 0.4, "restitution": 0.2}
WALLS = {"floor": (0, 0, 1), "left": (1, 0, 0), "right": (-1, 0, 0), "front": (0, 1, 0), "back": (0, -1, 0)}
"""Normals of the walls and the floor of the container."""
WIDTH = 0.28
"""Half the width of the container."""
ROUND = 0.02
"""Radius of the edges of boxes."""
POLE = (2 / 7, 3 / 7, 6 / 7)
"""Direction opposite to which tangents are undefined: contacts hardly ever have it."""
_AXES = (POLE, (3 / 7, -6 / 7, 2 / 7), (6 / 7, 2 / 7, -3 / 7))
CORNERS = [(a, b, c) for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]


def tangents(n: sl.Expression) -> list[sl.Expression]:
    """Two directions across a unit vector, which are continuous except opposite to POLE.

    A frame that jumps within a step would change the meaning of the tangential impulses of the step.
    """
    a, b, c = (sl.vector(*axis) for axis in _AXES)
    middle = a + n
    scale = 1 + n.dot(a)
    return [t - middle * (n.dot(t) / scale) for t in (b, c)]


def _velocity(body: sl.Node, arm: sl.Expression) -> sl.Expression:
    """Velocity of the point of a body at x + arm."""
    return body.x_dot + (body.R * body.Omega).cross(arm)


def _outside(p: sl.Expression, size: Sequence[sl.Expression]) -> sl.Expression:
    """Vector from the nearest point of a box to p."""
    return sl.vector(*(
        sl.select(x - a, x - a, sl.select(-x - a, x + a, 0)) for x, a in zip(p, size, strict=True)
    ))  # fmt: skip


def _walls(element: sl.ElementType, body: sl.Node, center: sl.Expression, radius: sl.Expression) -> None:
    """Contacts of a sphere of a body with the floor and the walls."""
    for name, normal in WALLS.items():
        n = sl.vector(*normal)
        velocity = _velocity(body, center - body.x - radius * n)
        slip = [velocity[k] for k in range(3) if not normal[k]]
        gap = n.dot(center) - radius + (0 if normal[2] else WIDTH)
        element.contact(f"{element.name}_{name}", gap, slip=sl.vector(*slip), **LAWS)


@functools.cache
def heap_types() -> dict[str, sl.ElementType]:
    """Bodies and contacts of heaps."""
    group = sl.group_from_name(GROUP)
    found = {}

    def added(name: str, *parameters: str, **nodes: str) -> tuple[sl.ElementType, list[sl.Expression]]:
        element = found[name] = sl.ElementType(name, **{n: group for n in nodes or {"b": GROUP}})
        return element, [element.parameter(p, 1.0) for p in parameters]

    element, (m, r) = added("ball", "m", "r")
    b = element.b
    element.kinetic_energy(m * (b.x_dot.dot(b.x_dot) + 0.4 * r**2 * b.Omega.dot(b.Omega)) / 2)
    element.potential_energy(G * m * b.x[2])
    element, (m, *size) = added("box", "m", "a", "b_", "c")
    b = element.b
    squares = [(s + ROUND) ** 2 for s in size]
    spin = sum((sum(squares) - squares[k]) / 3 * b.Omega[k] ** 2 for k in range(3))
    element.kinetic_energy(m * (b.x_dot.dot(b.x_dot) + spin) / 2)
    element.potential_energy(G * m * b.x[2])

    element, (r,) = added("ball_walls", "r")
    _walls(element, element.b, element.b.x, r)
    element, place = added("corner_walls", "x0", "x1", "x2")
    _walls(element, element.b, element.b.x + element.b.R * sl.vector(*place), sl.vector(ROUND)[0])

    element, (r, s) = added("balls", "r", "s", a="", b="")
    a, b = element.a, element.b
    difference = a.x - b.x
    distance = sl.sqrt(difference.dot(difference))
    n = difference / distance
    relative = _velocity(a, -r * n) - _velocity(b, s * n)
    slip = sl.vector(*(t.dot(relative) for t in tangents(n)))
    element.contact("balls", distance - r - s, slip=slip, **LAWS)

    for name, of_corner in (("ball_box", False), ("corner_box", True)):
        element, values = added(name, *(("x0", "x1", "x2") if of_corner else ("r",)), "a0", "a1", "a2", a="", b="")
        a, b = element.a, element.b
        center = a.x + a.R * sl.vector(*values[:3]) if of_corner else a.x
        r = sl.vector(ROUND)[0] if of_corner else values[0]
        away = _outside(b.R.T * (center - b.x), values[-3:])
        distance = sl.sqrt(away.dot(away))
        n = b.R * away / distance
        touching = center - r * n
        relative = _velocity(a, touching - a.x) - _velocity(b, touching - b.x)
        slip = sl.vector(*(t.dot(relative) for t in tangents(n)))
        element.contact(name, distance - r - ROUND, slip=slip, **LAWS)
    return found


def container_heap(seed: int, balls: int, boxes: int) -> System:
    """A heap in a container, which starts as layers of four bodies with random sizes, places and velocities."""
    generator, types, count = np.random.default_rng(seed), heap_types(), balls + boxes
    radius = generator.uniform(0.05, 0.1, balls)
    size = generator.uniform(0.03, 0.07, (boxes, 3))
    is_box = generator.permutation(np.arange(count) < boxes)
    place = generator.uniform(-0.02, 0.02, (count, 3))
    k = np.arange(count)
    place += np.stack([0.13 * (2 * (k % 2) - 1), 0.13 * (2 * (k // 2 % 2) - 1), 0.17 + 0.34 * (k // 4)], axis=1)
    turn = generator.normal(size=(count, 4))
    model = sl.Model("contact_heap")
    nodes = model.node_array("bodies", sl.group_from_name(GROUP), count)
    of_ball = [nodes[int(j)] for j in np.flatnonzero(~is_box)]
    of_box = [nodes[int(j)] for j in np.flatnonzero(is_box)]
    density = 1000
    model.add(types["ball"], of_ball, m=density * 4 / 3 * np.pi * radius**3, r=radius)
    model.add(
        types["box"], of_box, m=density * np.prod(2 * (size + ROUND), axis=1), a=size[:, 0], b_=size[:, 1], c=size[:, 2]
    )
    model.add(types["ball_walls"], of_ball, r=radius)
    corners = np.array([[np.array(c) * s for c in CORNERS] for s in size]).reshape(-1, 3)
    model.add(types["corner_walls"], [b for b in of_box for _ in CORNERS], **named("x", corners))
    pairs = [(i, j) for i in range(balls) for j in range(i)]
    if pairs:
        i, j = np.array(pairs).T
        model.add(types["balls"], [(of_ball[i], of_ball[j]) for i, j in pairs], r=radius[i], s=radius[j])
    pairs = [(i, j) for i in range(balls) for j in range(boxes)]
    if pairs:
        i, j = np.array(pairs).T
        model.add(types["ball_box"], [(of_ball[i], of_box[j]) for i, j in pairs], r=radius[i], **named("a", size[j]))
    pairs = [(i, j) for i in range(boxes) for j in range(boxes) if i != j]
    if pairs:
        i, j = np.array(pairs).T
        own, other = np.repeat(i, 8), np.repeat(j, 8)
        of_corner = np.array(CORNERS)[np.tile(np.arange(8), len(i))] * size[own]
        both = [(of_box[i], of_box[j]) for i, j in pairs for _ in CORNERS]
        model.add(types["corner_box"], both, **named("x", of_corner), **named("a", size[other]))
    velocity = 0.5 * generator.normal(size=(count, 3))
    nodes.initial(
        p=turn / np.linalg.norm(turn, axis=1)[:, None],
        x=place,
        x_dot=velocity,
        Omega=3 * generator.normal(size=(count, 3)),
    )
    return model.derive().compile()


def named(name: str, columns: Array) -> dict[str, Array]:
    """Columns as parameters NAME0, NAME1, …"""
    return {f"{name}{k}": columns[:, k] for k in range(columns.shape[1])}


def gaps(solution: sl.Solution) -> Array:
    """Gaps of all contacts at all states."""
    mechanics = solution.system.mechanics
    table = ContactTable(mechanics)
    return np.array([
        mechanics.constraint(t, table.full(q))[table.normal] for t, q in zip(solution.t, solution.q, strict=True)
    ])  # fmt: skip


@functools.cache
def ball_types(friction: float, restitution: float) -> tuple[sl.ElementType, sl.ElementType, sl.ElementType]:
    """A ball, its contact with the floor, and the contact of two balls."""
    group = sl.group_from_name("S3xR3")
    body, floor = (sl.ElementType(name, b=group) for name in ("ball", "floor"))
    m, b = body.parameter("m", 1.0), body.b
    body.kinetic_energy(m * (b.x_dot.dot(b.x_dot) + 0.4 * RADIUS**2 * b.Omega.dot(b.Omega)) / 2)
    body.potential_energy(G * m * b.x[2])
    b = floor.b
    slip = b.x_dot + (b.R * b.Omega).cross(sl.vector(0, 0, -RADIUS))
    floor.contact("floor", b.x[2] - RADIUS, slip=slip[:2], friction=friction, restitution=restitution)
    pair = sl.ElementType("pair", a=group, b=group)
    difference = pair.a.x - pair.b.x
    distance = sl.sqrt(difference.dot(difference))
    n = difference / distance
    across, along = tangents(n)
    turning = (pair.a.R * pair.a.Omega) + (pair.b.R * pair.b.Omega)
    relative = pair.a.x_dot - pair.b.x_dot + turning.cross(-RADIUS * n)
    tangential = sl.vector(across.dot(relative), along.dot(relative))
    pair.contact("pair", distance - 2 * RADIUS, slip=tangential, friction=friction, restitution=restitution)
    return body, floor, pair


def balls(x: Array, v: Array, omega: Array, *, restitution: float = 0.2, all_pairs: bool) -> System:
    body, floor, pair = ball_types(0.3, restitution)
    model, count = sl.Model("contact_balls"), len(x)
    nodes = model.node_array("balls", sl.group_from_name("S3xR3"), count)
    every = [nodes[k] for k in range(count)]
    model.add(body, every)
    model.add(floor, every if all_pairs else every[:1])
    met = [(nodes[k], nodes[j]) for k in range(count) for j in range(k) if all_pairs or j == k - 1]
    model.add(pair, met)
    nodes.initial(x=x, x_dot=v, Omega=omega)
    return model.derive().compile()


def column(count: int) -> System:
    x = np.stack([np.zeros(count), np.zeros(count), RADIUS * (1 + 2 * np.arange(count))], axis=1)
    return balls(x, 0 * x, 0 * x, restitution=0.0, all_pairs=False)


def heap(seed: int, count: int) -> System:
    """Balls above each other with random places and velocities."""
    generator = np.random.default_rng(seed)
    x = generator.uniform(-0.4 * RADIUS, 0.4 * RADIUS, (count, 3))
    x[:, 2] = RADIUS * (1.5 + 2.6 * np.arange(count))
    return balls(x, 0.3 * generator.normal(size=x.shape), 3 * generator.normal(size=x.shape), all_pairs=True)
