"""Random mechanisms."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np

from tests.metamorphic.mechanism import (
    Attraction,
    Blade,
    Body,
    Crossing,
    Curve,
    CurvedForce,
    Filter,
    Floor,
    Governor,
    Joint,
    Knot,
    Mechanism,
    Pivot,
    Rod,
    Rolling,
    Spring,
    String,
    Table,
    TorsionSpring,
    Vector,
    Wave,
    rotation_matrix,
)

AXES = {
    "RevoluteJoint": 1, "PrismaticJoint": 1, "SphericalJoint": 0, "UniversalJoint": 2, "CylindricalJoint": 1,
    "PlanarJoint": 1, "ScrewJoint": 1, "InLineJoint": 1, "PointOnPlaneJoint": 1, "PointOnLineJoint": 1,
}  # fmt: skip
"""Kinds of joints with the number of axes that they take."""

RATES = {
    "RevoluteJoint": "rate", "PrismaticJoint": "speed", "CylindricalJoint": "rate", "UniversalJoint": "first_rate",
}  # fmt: skip
"""Rates that may be initial conditions."""

DRIVEN = {"RevoluteJoint", "PrismaticJoint"}

INTERPOLATIONS = ("linear", "hold", "cubic", "quintic")

MISTAKES = ("contradiction", "name", "redundant")


class Source:
    """Random numbers."""

    def __init__(self, seed: str) -> None:
        self.random = random.Random(seed)

    def one(self, low: float = -1.0, high: float = 1.0) -> float:
        return round(self.random.uniform(low, high), 4)

    def vector(self, size: float = 1.0) -> Vector:
        return self.one(-size, size), self.one(-size, size), self.one(-size, size)

    def unit(self) -> Vector:
        """A direction, neither exact nor close to a coordinate axis in a special way."""
        while not 0.3 < np.linalg.norm(found := self.vector()) < 1:
            pass
        x, y, z = np.asarray(found) / np.linalg.norm(found)
        return float(x), float(y), float(z)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def inertia(self, mass: float) -> tuple[Vector, Vector, Vector]:
        """The inertia of six mass points, which satisfies the triangle inequality."""
        points = np.array([self.vector(0.5) for _ in range(6)])
        matrix = sum(mass / 6 * (p @ p * np.eye(3) - np.outer(p, p)) for p in points) + mass * 0.02 * np.eye(3)
        rows = [(float(a), float(b), float(c)) for a, b, c in matrix]
        return rows[0], rows[1], rows[2]


def draw(seed: int) -> Mechanism:
    """The mechanism of a seed."""
    source = Source(f"metamorphic:{seed}")
    found = Mechanism(str(seed), gravity=(source.one(), source.one(), -9.81), duration=0.25)
    for k in range(source.random.randint(1, 3)):
        _body(source, found, k)
    _forces(source, found)
    _observed(source, found)
    _smooth(source, found)
    if source.chance(0.15):
        _rolling(source, found)
    if source.chance(0.1):
        found.mistake = source.random.choice(MISTAKES)
    _added(Source(f"metamorphic:{seed}:added"), found)
    return found


def _body(source: Source, found: Mechanism, k: int) -> None:
    """A body that a random joint connects with the previous one, or a free one."""
    previous = found.bodies[-1] if found.bodies else None
    origin = np.asarray(previous.position if previous else (0.0, 0.0, 0.0))
    place = origin + np.array([0.6, 0, 0]) + np.asarray(source.vector(0.2))
    mass = source.one(0.5, 2)
    kind = source.random.choice([*AXES, "RevoluteJoint", "free"])
    is_free = kind == "free"
    angular = source.vector(1.5) if is_free and source.chance(0.7) else None
    body = Body(
        f"body{k}", mass, source.inertia(mass), _tuple(place), source.unit(), source.one(0.2, 1.2),
        velocity=source.vector() if is_free and source.chance(0.7) else None, angular_velocity=angular,
    )  # fmt: skip
    found.bodies.append(body)
    if is_free:
        if source.chance(0.4):
            found.blades.append(Blade(f"blade{k}", body.name, source.unit()))
        elif source.chance(0.4):
            arm, wave = source.vector(0.3), Wave(source.one(0.1, 0.3), source.one(1, 4), source.one())
            found.pivots.append(Pivot(f"pivot{k}", body.name, arm, body.position, source.unit(), wave))
        if f"blade{k}" in {b.name for b in found.blades} or f"pivot{k}" in {p.name for p in found.pivots}:
            found.bodies[-1] = replace(body, velocity=None)
        return
    at = (place + origin) / 2 + np.asarray(source.vector(0.1))
    axes = [source.unit() for _ in range(AXES[kind])]
    if kind == "UniversalJoint":
        axes[1] = _tuple(np.cross(axes[0], axes[1]) / np.linalg.norm(np.cross(axes[0], axes[1])))
    joint = Joint(
        f"joint{k}", kind, previous.name if previous else "", body.name, _tuple(at), tuple(axes),
        lead=source.one(0.3, 1) if kind == "ScrewJoint" else None,
        rate=(RATES[kind], source.one(-2, 2)) if kind in RATES and source.chance(0.5) else None,
    )  # fmt: skip
    if kind in DRIVEN and joint.rate is None and source.chance(0.2):
        joint = Joint(joint.name, kind, joint.a, joint.b, joint.at, joint.axes, drive=Wave(source.one(0.1, 0.4), 3.0))
    found.joints.append(joint)


def _forces(source: Source, found: Mechanism) -> None:
    names = ["", *(body.name for body in found.bodies)]
    places = {"": (0.0, 0.0, 0.0)} | {body.name: body.position for body in found.bodies}
    if source.chance(0.6):
        a, b = source.random.sample(names, 2)
        first = np.asarray(places[a]) + source.vector(0.2) + np.array([0, 0, 1.0])
        second = np.asarray(places[b]) + source.vector(0.2)
        found.springs.append(
            Spring(
                "spring",
                a,
                b,
                (_tuple(first), _tuple(second)),
                source.one(2, 10),
                source.one(0.3, 1),
                source.one(0, 0.5),
            )
        )
    for joint in found.joints:
        if joint.kind == "RevoluteJoint" and joint.drive is None and source.chance(0.5):
            coulomb = source.one(0.1, 0.3) if source.chance(0.3) else 0.0
            found.torsion.append(
                TorsionSpring(f"torsion_{joint.name}", joint.name, source.one(1, 5), source.one(-0.5, 0.5),
                              source.one(0, 0.3), coulomb, source.one(0.2, 0.5))
            )  # fmt: skip
    if len(found.bodies) > 1 and source.chance(0.4):
        found.attractions.append(Attraction("attraction", names[1], names[-1], source.one(1, 5)))
    body = source.random.choice(found.bodies)
    if source.chance(0.3):
        normal = source.unit()
        level = float(np.dot(normal, body.position)) - source.one(0, 0.05)
        found.floors.append(Floor("floor", body.name, normal, level, source.one(20, 100)))
    if source.chance(0.5):
        kind = source.random.choice(INTERPOLATIONS)
        times = (0.0, source.one(0.05, 0.1), source.one(0.12, 0.2), 0.3, 0.4, 0.5)
        values = tuple(source.one(-3, 3) for _ in times)
        found.tables.append(Table("push", body.name, source.unit(), times, values, kind))
    if source.chance(0.3):
        origin = _tuple(np.asarray(body.position) + source.vector(0.1))
        found.filters.append(
            Filter(
                "filter",
                body.name,
                source.unit(),
                origin,
                source.one(0.1, 0.5),
                source.one(1, 5),
                source.one(-0.1, 0.1),
            )
        )
    if source.chance(0.2):
        found.rods.append(
            Rod("rod", 2, 0.8, source.vector(0.5), source.unit(), source.one(0.3, 1.2), source.one(2, 5),
                source.one(200, 500), source.one(0.3, 1), source.one(0.01, 0.02), source.vector(2))
        )  # fmt: skip


def _smooth(source: Source, found: Mechanism) -> None:
    """Smooth tables of time and of coordinates, and a continuum."""
    body = source.random.choice(found.bodies)
    if source.chance(0.3):
        along = source.unit() if source.chance(0.5) else None
        points = (0.0, source.one(0.05, 0.1), source.one(0.12, 0.2), 0.3, 0.4, 0.5)
        if along is not None:
            points = tuple(8 * (p - 0.25) for p in points)
        curve = Curve(points, tuple(source.one(-3, 3) for _ in points), source.random.choice((3, 5)))
        found.curved_forces.append(CurvedForce("curved", body.name, source.unit(), curve, along, body.position))
    for k, joint in enumerate(found.joints):
        if isinstance(joint.drive, Wave) and source.chance(0.5):
            points = (0.0, 0.1, source.one(0.15, 0.2), 0.3, 0.4, 0.5)
            values = (0.0, *(source.one(-0.1, 0.1) for _ in points[1:]))
            found.joints[k] = replace(joint, drive=Curve(points, values, 5))
    if source.chance(0.15):
        found.strings.append(
            String("string", 3, 0.7, source.vector(0.5), source.unit(), source.one(20, 50), source.one(0.3, 1),
                   source.one(0, 0.5), source.vector(2))
        )  # fmt: skip


def _rolling(source: Source, found: Mechanism) -> None:
    mass, spin = source.one(0.5, 2), source.vector(1.5)
    place = _tuple(np.array([0, 3.0, 0]) + np.asarray(source.vector(0.5)))
    found.bodies.append(
        Body("roller", mass, source.inertia(mass), place, source.unit(), source.one(0.2, 1.2), angular_velocity=spin)
    )
    found.rollings.append(Rolling("rolling", "roller", source.one(0.2, 0.5), source.unit()))


def _added(source: Source, found: Mechanism) -> None:
    """Constraints nonlinear in the velocity, points without mass, and rods joined at an angle."""
    if source.chance(0.15):
        _governed(source, found)
    if source.chance(0.15):
        _knot(source, found)
    for k, rod in enumerate(found.rods):
        if source.chance(0.5):
            found.rods[k] = replace(rod, corner=(source.unit(), source.one(0.3, 2.5)))


def _governed(source: Source, found: Mechanism) -> None:
    mass, place = source.one(0.5, 2), _tuple(np.array([0, -3.0, 0]) + np.asarray(source.vector(0.5)))
    velocity, spin = np.asarray(source.unit()) * source.one(0.5, 2), np.asarray(source.vector(1.5))
    has_speed = source.chance(0.5)
    if not has_speed:
        spin -= velocity * (velocity @ spin) / (velocity @ velocity)
    axis, angle = source.unit(), source.one(0.2, 1.2)
    found.bodies.append(
        Body("governed", mass, source.inertia(mass), place, axis, angle, velocity=_tuple(velocity),
             angular_velocity=_tuple(rotation_matrix(axis, angle).T @ spin))
    )  # fmt: skip
    speed = float(np.linalg.norm(velocity)) if has_speed else None
    found.governors.append(Governor("governor", "governed", speed))


def _knot(source: Source, found: Mechanism) -> None:
    """Springs that are stretched at the start in any case, so that the balance is regular."""
    body = source.random.choice(found.bodies)
    place = np.asarray(body.position) + np.asarray(source.unit()) * source.one(0.4, 0.6)
    anchors = tuple(_tuple(place + np.asarray(source.unit()) * source.one(0.4, 0.6)) for _ in range(2))
    stiffness = (source.one(5, 20), source.one(5, 20), source.one(5, 20))
    damping = source.one(0.1, 0.5) if source.chance(0.3) else 0.0
    found.knots.append(Knot("knot", body.name, _tuple(place), anchors, stiffness, 0.1, damping))


def _observed(source: Source, found: Mechanism) -> None:
    body = source.random.choice(found.bodies)
    origin = _tuple(np.asarray(body.position) + np.asarray(source.vector(0.05)))
    found.crossings.append(Crossing("crossing", body.name, source.unit(), origin))


def _tuple(values: np.ndarray) -> Vector:
    x, y, z = values
    return float(x), float(y), float(z)
