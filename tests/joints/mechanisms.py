"""Random mechanisms, and what they mean in 50 digits: Newton and Euler, energies, rows and their derivatives."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import mpmath
import numpy as np
import sympy
from mpmath import mpf
from numpy.typing import NDArray

import symlie as sl
from symlie.elements.joints.frames import frame_of_numbers
from symlie.elements.joints.joint import Joint
from symlie.elements.joints.motions import MovingJoint
from symlie.elements.marker import Marker
from symlie.runtime.system.system import System
from tests.derive.matrices import matrix_group, quaternion_rotation, skew

Array = NDArray[np.float64]
Digits = NDArray[np.object_]

GROUPS = ("SO3xR3", "SE3", "S3xR3", "S3sR3", "SO3rvxR3")
GRAVITY = [0.3, -0.2, -9.81]
STEP = mpf("1e-12")
"""Of differences in 50 digits."""


@dataclass
class Mechanism:
    """A random mechanism with its parts."""

    model: sl.Model
    bodies: dict[str, sl.RigidBody] = field(default_factory=dict)
    data: dict[str, tuple[float, Array]] = field(default_factory=dict)
    """Mass and inertia of each body."""
    joints: list[Joint] = field(default_factory=list)
    springs: list[tuple[Marker, Marker, float, float]] = field(default_factory=list)
    """Markers, stiffness and length at rest."""
    driven: str = ""
    """The output that a drive keeps at `motion` after its start."""


def motion(t: float | Array) -> float | Array:
    """What a drive adds to a coordinate; it begins at rest."""
    return 0.2 * (1 - np.cos(3 * t))


def _axis(draw: random.Random) -> Array:
    axis = np.array([draw.gauss(0, 1) for _ in range(3)])
    return axis / np.linalg.norm(axis)


def _across(draw: random.Random, axis: Array) -> Array:
    other = np.cross(axis, _axis(draw))
    return other / np.linalg.norm(other)


KINDS: dict[type[Joint], Callable[[random.Random], dict[str, object]]] = {
    sl.RigidJoint: lambda draw: {},
    sl.RevoluteJoint: lambda draw: {"axis": _axis(draw)},
    sl.PrismaticJoint: lambda draw: {"axis": _axis(draw)},
    sl.CylindricalJoint: lambda draw: {"axis": _axis(draw)},
    sl.ScrewJoint: lambda draw: {"axis": _axis(draw), "lead": draw.uniform(0.5, 1.5)},
    sl.SphericalJoint: lambda draw: {},
    sl.UniversalJoint: lambda draw: {"axis": [(first := _axis(draw)), _across(draw, first)]},
    sl.ConstantVelocityJoint: lambda draw: {"axis": [(first := _axis(draw)), first + 0.5 * _across(draw, first)]},
    sl.PlanarJoint: lambda draw: {"axis": _axis(draw)},
    sl.PointOnLineJoint: lambda draw: {"axis": _axis(draw)},
    sl.InLineJoint: lambda draw: {"axis": _axis(draw)},
    sl.PointOnPlaneJoint: lambda draw: {"axis": _axis(draw)},
    sl.OrientationJoint: lambda draw: {},
    sl.DistanceJoint: lambda draw: {},
}


def random_mechanism(seed: str) -> Mechanism:
    """Two to six bodies on random groups, a tree of random joints, springs, and perhaps a loop or else a drive."""
    draw = random.Random(seed)
    found = Mechanism(sl.Model("mechanism"))
    before: list[object] = [found.model.ground]
    for k in range(draw.randint(2, 6)):
        name = f"body{k}"
        mass, moments = draw.uniform(0.5, 3), np.array([draw.uniform(0.1, 0.2) for _ in range(3)])
        body = sl.RigidBody(
            found.model, name, mass, moments, draw.choice(GROUPS), position=[draw.uniform(-1, 1) for _ in range(3)],
            orientation=sl.rotation(vector=[draw.uniform(-1, 1) for _ in range(3)]), velocity=[0, 0, 0],
            angular_velocity=[0, 0, 0],
        )  # fmt: skip
        found.bodies[name], found.data[name] = body, (mass, np.diag(moments))
        _join(found, draw, draw.choice(before), body, draw.choice([*KINDS]), f"joint{k}")
        before.append(body)
    if draw.random() < 0.5:
        first, second = draw.sample(before, 2)
        _join(found, draw, first, second, draw.choice([sl.DistanceJoint, sl.PointOnPlaneJoint]), "loop")
    for k in range(draw.randint(0, 2)):
        first, second = draw.sample(before, 2)
        places = np.array([[draw.uniform(-2, 2) for _ in range(3)] for _ in range(2)])
        stiffness, length = draw.uniform(5, 50), draw.uniform(0.5, 1.5)
        spring = sl.Spring(found.model, f"spring{k}", first, second, stiffness=stiffness, at=places, length=length)
        found.springs.append((*spring.markers, stiffness, length))
    # A loop may leave no freedom to drive.
    is_open = all(j.name != "loop" for j in found.joints)
    moving = [j for j in found.joints if isinstance(j, MovingJoint) and is_open]
    if moving and draw.random() < 0.3:
        joint = draw.choice(moving)
        name = draw.choice(joint.coordinate_names)
        joint.drive(joint.initial_coordinate(name) + 0.2 * (1 - sl.cos(3 * found.model.t)), name)
        found.driven = f"{joint.name}_{name}"
    found.model.gravity(GRAVITY)
    return found


def _join(found: Mechanism, draw: random.Random, a: object, b: object, kind: type[Joint], name: str) -> None:
    place = np.array([draw.uniform(-1, 1) for _ in range(3)])
    at = [place, place + _axis(draw)] if kind is sl.DistanceJoint else place
    found.joints.append(kind(found.model, name, a, b, at=at, **KINDS[kind](draw)))


class Definition:
    """A mechanism at a state in 50 digits, from the data that it was drawn with.

    Parameters
    ----------
    found
        The mechanism.
    system
        Its system, for the places of nodes and rows.
    q, v
        The state in doubles.
    """

    def __init__(self, found: Mechanism, system: System, q: Array, v: Array) -> None:
        self.found, self.layout = found, system.layout
        nodes = {n.name: n for n in system.layout.nodes}
        self.q = {name: [mpf(float(c)) for c in q[nodes[name].storage]] for name in found.bodies}
        self.v = self.split(v)

    def split(self, vector: Array) -> dict[str, list[mpf]]:
        """A vector of velocities by body."""
        nodes = {n.name: n for n in self.layout.nodes}
        return {name: [mpf(float(c)) for c in vector[nodes[name].velocity]] for name in self.found.bodies}

    def moved(self, w: Mapping[str, list[mpf]], step: mpf) -> dict[str, tuple[Digits, Digits]]:
        """Rotation and position of each body at q∘exp(step w)."""
        placed = {}
        for name, body in self.found.bodies.items():
            group = body.node.group.name
            stored = matrix_group(group).advance(self.q[name], [step * c for c in w[name]])
            placed[name] = _rotation(group, stored), np.array(stored[-3:], dtype=object)
        return placed

    def potential(self, placed: Mapping[str, tuple[Digits, Digits]]) -> mpf:
        """Energy of weights and springs."""
        total = mpf(0)
        for name, (mass, _) in self.found.data.items():
            total -= mpf(mass) * sum(mpf(g) * x for g, x in zip(GRAVITY, placed[name][1], strict=True))
        for a, b, stiffness, length in self.found.springs:
            d = self._frame(b, placed)[0] - self._frame(a, placed)[0]
            total += mpf(stiffness) / 2 * (mpmath.sqrt(d.dot(d)) - mpf(length)) ** 2
        return total

    def rows(self, placed: Mapping[str, tuple[Digits, Digits]]) -> dict[str, list[mpf]]:
        """Rows of each joint."""
        rows = {}
        for joint in self.found.joints:
            a, b = (frame_of_numbers(*self._frame(m, placed)) for m in joint.markers)
            values = {name: mpf(x) for name, x in joint._values().items()}
            rows[joint.name] = [_number(r) for r in joint._rows.vanishing(a, b, values)]
        return rows

    def expected(self, w: Array) -> dict[str, Array]:
        """M w, wᵀg, and by joint Φ, B w and Z, in doubles."""
        parts = self.split(w)
        momentum, work = np.zeros(self.layout.dimension), mpf(0)
        for node in self.layout.nodes:
            mass, inertia = self.found.data[node.name]
            J = np.array([[mpf(float(c)) for c in row] for row in inertia], dtype=object)
            v, x = np.array(self.v[node.name], dtype=object), np.array(parts[node.name], dtype=object)
            momentum[node.velocity] = [*(float(c) for c in J @ x[:3]), *(float(mpf(mass) * c) for c in x[3:])]
            work += x[:3].dot(np.cross(v[:3], J @ v[:3]))
            if hasattr(self.found.bodies[node.name].node, "U"):
                work += mpf(mass) * x[3:].dot(np.cross(v[:3], v[3:]))
        ahead, behind = (self.moved(parts, s * STEP) for s in (1, -1))
        work += (self.potential(ahead) - self.potential(behind)) / (2 * STEP)
        here, forth, back = (self.rows(self.moved(self.v, s * STEP)) for s in (0, 1, -1))
        along, against = self.rows(ahead), self.rows(behind)
        result = {"momentum": momentum, "work": np.array([float(work)])}
        for name, rows in here.items():
            result[f"{name} rows"] = np.array([float(r) for r in rows])
            difference = zip(along[name], against[name], strict=True)
            result[f"{name} B"] = np.array([float((p - m) / (2 * STEP)) for p, m in difference])
            second = zip(forth[name], rows, back[name], strict=True)
            result[f"{name} Z"] = np.array([float((p - 2 * z + m) / STEP**2) for p, z, m in second])
        return result

    def _frame(self, marker: Marker, placed: Mapping[str, tuple[Digits, Digits]]) -> tuple[Digits, Digits]:
        point, axes = (np.vectorize(mpf, otypes=[object])(part) for part in (marker.point, marker.axes))
        if not isinstance(marker.body, sl.RigidBody):
            return point, axes
        turn, x = placed[marker.body.name]
        return x + turn @ point, turn @ axes


def _number(value: mpf | sympy.Expr) -> mpf:
    """Rows of screws are expressions of SymPy, made of numbers."""
    return value if isinstance(value, mpf) else mpf(str(sympy.N(value, mpmath.mp.dps + 10)))


def _rotation(group: str, stored: list[mpf]) -> Digits:
    if group.startswith("SO3rv"):
        matrix = mpmath.expm(skew(stored[:3]), method="taylor")
    elif group.startswith("S3"):
        matrix = quaternion_rotation(stored[:4])
    else:
        matrix = mpmath.matrix(3, 3)
        for k in range(9):
            matrix[k // 3, k % 3] = stored[k]
    return np.array(matrix.tolist(), dtype=object)


def found_by(system: System, joints: list[Joint], q: Array, v: Array, w: Array) -> dict[str, Array]:
    """What kernels say of the same."""
    mechanics, layout = system.mechanics, system.layout
    algebra = mechanics.algebra
    result = {
        "momentum": algebra.apply_mass(mechanics.mass(0.0, q), w),
        "work": np.array([w @ mechanics.force(0.0, q, v)]),
    }
    rows = mechanics.constraint(0.0, q)
    along = algebra.multiply(mechanics.jacobian(0.0, q), w)
    curvature = mechanics.kernels.curvature(mechanics.p, 0.0, q, v)
    for joint in joints:
        part = layout.constraints[joint.name].rows[0]
        for what, values in (("rows", rows), ("B", along), ("Z", curvature)):
            result[f"{joint.name} {what}"] = values[part]
    return result
