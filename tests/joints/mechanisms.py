"""Random mechanisms and their equations in 50 digits: Newton and Euler, energies, rows and their derivatives."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import mpmath
import numpy as np
import sympy
from mpmath import mpf
from numpy.typing import NDArray

import symlie as sl
from symlie.elements.joints.coordinates import Shift
from symlie.elements.joints.couplings import Coupling
from symlie.elements.joints.frames import Frame, frame_of_numbers
from symlie.elements.joints.joint import Joint
from symlie.elements.joints.motions import MovingJoint, Sliding, Turning
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
    couplings: list[tuple[Coupling, tuple[MovingJoint, str], tuple[MovingJoint, str], float]] = field(
        default_factory=list
    )
    """Gears and racks, the coordinates that they couple, and their ratio."""
    frictions: list[tuple[MovingJoint, str, dict[str, float]]] = field(default_factory=list)
    """Joints with friction, the coordinate, and its law."""
    driven: str = ""
    """The output that a drive keeps at `motion` after its start."""


def motion(t: float | Array) -> float | Array:
    """Motion of a drive, which starts at rest."""
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


MOVING: list[type[Joint]] = [kind for kind in KINDS if issubclass(kind, MovingJoint)]


def random_mechanism(seed: str, *, coupled: bool = False) -> Mechanism:
    """Two to six bodies on random groups, a tree of random joints, springs, and perhaps a loop or else a drive.

    Coupled ones have a tree of joints that move, with a body that rolls on another, friction, and gears or racks.
    """
    draw = random.Random(seed)
    found = Mechanism(sl.Model("mechanism"))
    before: list[object] = [found.model.ground]
    for k in range(draw.randint(2, 6)):
        name = f"body{k}"
        body = _body(found, draw, name)
        _join(found, draw, draw.choice(before), body, draw.choice(MOVING if coupled else [*KINDS]), f"joint{k}")
        before.append(body)
    if coupled:
        _couple(found, draw, before)
    elif draw.random() < 0.5:
        first, second = draw.sample(before, 2)
        _join(found, draw, first, second, draw.choice([sl.DistanceJoint, sl.PointOnPlaneJoint]), "loop")
    for k in range(draw.randint(0, 2)):
        first, second = draw.sample(before, 2)
        places = np.array([[draw.uniform(-2, 2) for _ in range(3)] for _ in range(2)])
        stiffness, length = draw.uniform(5, 50), draw.uniform(0.5, 1.5)
        spring = sl.Spring(found.model, f"spring{k}", first, second, stiffness=stiffness, at=places, length=length)
        found.springs.append((*spring.markers, stiffness, length))
    # A loop may leave no freedom to drive.
    is_open = all(j.name != "loop" for j in found.joints) and not found.couplings
    moving = [j for j in found.joints if isinstance(j, MovingJoint) and is_open]
    if moving and draw.random() < 0.3:
        joint = draw.choice(moving)
        name = draw.choice(joint.coordinate_names)
        joint.drive(joint.initial_coordinate(name) + 0.2 * (1 - sl.cos(3 * found.model.t)), name)
        found.driven = f"{joint.name}_{name}"
    found.model.gravity(GRAVITY)
    return found


def _body(found: Mechanism, draw: random.Random, name: str) -> sl.RigidBody:
    mass, moments = draw.uniform(0.5, 3), np.array([draw.uniform(0.1, 0.2) for _ in range(3)])
    body = sl.RigidBody(
        found.model, name, mass, moments, draw.choice(GROUPS), position=[draw.uniform(-1, 1) for _ in range(3)],
        orientation=sl.rotation(vector=[draw.uniform(-1, 1) for _ in range(3)]), velocity=[0, 0, 0],
        angular_velocity=[0, 0, 0],
    )  # fmt: skip
    found.bodies[name], found.data[name] = body, (mass, np.diag(moments))
    return body


def _couple(found: Mechanism, draw: random.Random, before: list[object]) -> None:
    """A sphere or a disk that rolls, friction on a joint, and a gear or a rack between two."""
    normal = _axis(draw)
    disk = {"axis": _axis(draw)} if draw.random() < 0.5 else {}
    contact = {"radius": draw.uniform(0.1, 0.5), "normal": normal, **disk}
    carrier, ball = draw.choice(before), _body(found, draw, "ball")
    found.joints.append(sl.RollingContact(found.model, "rolling", carrier, ball, **contact))
    moving = [j for j in found.joints if isinstance(j, MovingJoint)]
    joint = draw.choice(moving)
    name = draw.choice(joint.coordinate_names)
    law = {"coulomb": draw.uniform(0, 1), "creep": draw.uniform(0.05, 0.2), "viscous": draw.uniform(0, 1)}
    sl.JointFriction(found.model, "friction", joint, coordinate=name, **law)
    found.frictions.append((joint, name, law))
    turning = [j for j in moving if isinstance(j, Turning)]
    pairs = [(a, b) for a in turning for b in moving if a is not b and isinstance(b, Turning | Sliding)]
    if not pairs:
        return
    first, second = draw.choice(pairs)
    ratio = draw.choice([-1, 1]) * draw.uniform(0.2, 3)
    slides = isinstance(second, Sliding) and not (isinstance(second, Turning) and draw.random() < 0.5)
    kind = sl.RackJoint if slides else sl.GearJoint
    coordinate = "displacement" if slides else "angle"
    coupling = kind(found.model, "coupling", first, second, ratio)
    found.couplings.append((coupling, (first, "angle"), (second, coordinate), ratio))


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
        """Constraint equations of each joint."""
        rows = {}
        for joint in self.found.joints:
            values = {name: mpf(x) for name, x in joint._values().items()}
            rows[joint.name] = [_number(r) for r in joint._rows.vanishing(*self._frames(joint, placed), values)]
        for coupling, first, second, ratio in self.found.couplings:
            start = second[0].initial_coordinate(second[1]) - ratio * first[0].initial_coordinate(first[1])
            coupled = self._coordinate(*second, placed) - mpf(ratio) * self._coordinate(*first, placed)
            rows[coupling.name] = [coupled - mpf(start)]
        return rows

    def _coordinate(self, joint: MovingJoint, name: str, placed: Mapping[str, tuple[Digits, Digits]]) -> mpf:
        """A coordinate; an angle within half a turn of that in the initial configuration."""
        coordinate, frames = joint._coordinate(name), self._frames(joint, placed)
        if isinstance(coordinate, Shift):
            return _number(coordinate.principal(*frames))
        start, turn = mpf(joint.initial_coordinate(name)), 2 * mpmath.pi
        off = mpmath.atan2(*(_number(part) for part in coordinate.parts(*frames))) - start
        return start + off - turn * mpmath.nint(off / turn)

    def _rate(self, joint: MovingJoint, name: str, v: Mapping[str, list[mpf]]) -> mpf:
        """The rate of a coordinate: of an angle the relative angular velocity about its axis."""
        coordinate, (here, ahead, behind) = joint._coordinate(name), (self.moved(v, s * STEP) for s in (0, 1, -1))
        if isinstance(coordinate, Shift):
            return (self._coordinate(joint, name, ahead) - self._coordinate(joint, name, behind)) / (2 * STEP)
        number, of_second = coordinate.about
        axis = self._frame(joint.markers[of_second], here)[1][:, number]
        spins = []
        for marker in joint.markers:
            turn, forth, back = (self._frame(marker, placed)[1] for placed in (here, ahead, behind))
            spin = (forth - back) @ turn.T / (2 * STEP)
            spins.append(np.array([spin[2, 1], spin[0, 2], spin[1, 0]]))
        return axis.dot(spins[1] - spins[0])

    def _slip(self, contact: Joint, places: Sequence[Mapping[str, tuple[Digits, Digits]]]) -> list[mpf]:
        """Velocity of the second body relative to the first at their contact, from the current, next and previous
        configuration."""
        (_, plane), (center, disk) = (self._frame(m, places[0]) for m in contact.markers)
        normal, radius = plane[:, 2], mpf(contact._values()["radius"])
        slope = normal.dot(disk[:, 2]) if contact._kind() == "rolling_disk" else mpf(0)
        place = center + radius * (slope * disk[:, 2] - normal) / mpmath.sqrt(1 - slope**2)
        velocities = []
        for marker in contact.markers:
            (x, turn), (ahead, forth), (behind, back) = (self._frame(marker, placed) for placed in places)
            point = turn.T @ (place - x)
            velocities.append((ahead + forth @ point - behind - back @ point) / (2 * STEP))
        return [plane[:, k].dot(velocities[1] - velocities[0]) for k in (0, 1)]

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
        for joint, name, law in self.found.frictions:
            T, epsilon, d = (mpf(law[part]) for part in ("coulomb", "creep", "viscous"))
            rate = self._rate(joint, name, self.v)
            work += (T * rate / mpmath.sqrt(rate**2 + epsilon**2) + d * rate) * self._rate(joint, name, parts)
        here, forth, back = (self.rows(self.moved(self.v, s * STEP)) for s in (0, 1, -1))
        along, against = self.rows(ahead), self.rows(behind)
        result = {"momentum": momentum, "work": np.array([float(work)])}
        for name, rows in here.items():
            result[f"{name} rows"] = np.array([float(r) for r in rows])
            difference = zip(along[name], against[name], strict=True)
            result[f"{name} B"] = np.array([float((p - m) / (2 * STEP)) for p, m in difference])
            second = zip(forth[name], rows, back[name], strict=True)
            result[f"{name} Z"] = np.array([float((p - 2 * z + m) / STEP**2) for p, z, m in second])
        path = {s: self.moved(self.v, s * STEP) for s in (-2, -1, 0, 1, 2)}
        for joint in self.found.joints:
            if isinstance(joint, sl.RollingContact):
                slips = [self._slip(joint, [path[s], path[s + 1], path[s - 1]]) for s in (1, -1)]
                result[f"{joint.name}_rolling B"] = np.array(
                    [float(r) for r in self._slip(joint, [path[0], ahead, behind])]
                )
                result[f"{joint.name}_rolling Z"] = np.array(
                    [float((p - m) / (2 * STEP)) for p, m in zip(*slips, strict=True)]
                )
        return result

    def _frames(self, joint: Joint, placed: Mapping[str, tuple[Digits, Digits]]) -> list[Frame]:
        return [frame_of_numbers(*self._frame(m, placed)) for m in joint.markers]

    def _frame(self, marker: Marker, placed: Mapping[str, tuple[Digits, Digits]]) -> tuple[Digits, Digits]:
        point, axes = (np.vectorize(mpf, otypes=[object])(part) for part in (marker.point, marker.axes))
        if not isinstance(marker.body, sl.RigidBody):
            return point, axes
        turn, x = placed[marker.body.name]
        return x + turn @ point, turn @ axes


def _number(value: mpf | sympy.Expr) -> mpf:
    """Constraint equations of screws are numeric SymPy expressions."""
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


def found_by(system: System, wanted: Iterable[str], q: Array, v: Array, w: Array) -> dict[str, Array]:
    """Values of the kernels."""
    mechanics, layout = system.mechanics, system.layout
    algebra = mechanics.algebra
    result = {
        "momentum": algebra.apply_mass(mechanics.mass(0.0, q), w),
        "work": np.array([w @ mechanics.force(0.0, q, v)]),
    }
    values = {
        "rows": mechanics.constraint(0.0, q),
        "B": algebra.multiply(mechanics.jacobian(0.0, q, v), w),
        "Z": mechanics.kernels.curvature(mechanics.p, 0.0, q, v),
    }
    for entry in wanted:
        if entry not in result:
            name, what = entry.rsplit(" ", 1)
            result[entry] = values[what][layout.constraints[name].rows[0]]
    return result
