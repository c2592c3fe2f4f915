"""Random rods joined at angles, and the same rods cut loose, each with all its nodes."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import symlie as sl
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.system import System

GROUPS = ("S3sR3", "SE3", "S3xR3", "SO3xR3")
CONSTRAINTS = ("none", "kirchhoff", "inextensible", [2, 5])


@dataclass(frozen=True, eq=False)
class Drawn:
    """A rod: where it starts, its rotation there, its curvature, its size and what its ends are joined to."""

    start: Array
    rotation: Rotation
    curvature: Array
    segments: int
    length: float
    joined: Sequence[tuple[str, tuple[int, int]]]
    """Ends by name, each with a rod and one of its nodes."""
    is_closed: bool
    is_bent: bool
    """If True, the initial configuration is stress-free, otherwise the straight one."""

    def rotation_at(self, s: float) -> Rotation:
        """Its cross section at an arc length."""
        return self.rotation * Rotation.from_rotvec(s * self.curvature)

    def position_at(self, s: float) -> Array:
        """A point of the centre line, roughly: forces need no state that is smooth."""
        return self.start + s * self.rotation_at(s / 2).apply([0, 0, 1])


def draw(seed: int) -> list[Drawn]:
    """A trunk, which may be closed at an angle, and branches that start, end or do both at nodes of other rods."""
    source = random.Random(seed)

    def vector(size: float) -> Array:
        return size * np.array([source.uniform(-1, 1) for _ in range(3)])

    def rotation(length: float) -> Rotation:
        axis = vector(1.0)
        return Rotation.from_rotvec(length * axis / np.linalg.norm(axis))

    rods: list[Drawn] = []
    for number in range(source.randint(2, 4)):
        segments = source.randint(2, 3)
        ends: list[tuple[str, tuple[int, int]]] = []
        for end in ("start", "end") if number else ():
            if end == "start" or source.random() < 0.4:
                other = source.randrange(len(rods))
                ends.append((end, (other, source.randint(0, rods[other].segments - 1))))
        if len(ends) == 2 and (source.random() < 0.3 or ends[0][1] == ends[1][1]):
            del ends[0]
        rods.append(
            Drawn(
                vector(1.0), rotation(source.choice([0.3, 1.6, 3.0, np.pi, source.uniform(0, np.pi)])), vector(0.5),
                segments, source.uniform(0.5, 1.5), ends, not ends and source.random() < 0.5,
                source.random() < 0.5,
            )
        )  # fmt: skip
    return rods


def position(rods: Sequence[Drawn], number: int, s: float) -> Array:
    """A point of a rod, at joined ends where the other rod is."""
    rod = rods[number]
    k = round(s * rod.segments / rod.length)
    if rod.is_closed and k == rod.segments:
        return rod.position_at(0.0)
    for end, (other, node) in rod.joined:
        if k == (0 if end == "start" else rod.segments):
            return position(rods, other, node * rods[other].length / rods[other].segments)
    return rod.position_at(s)


def build(rods: Sequence[Drawn], group: str, constraint: object, *, cut: bool) -> tuple[sl.Model, list[sl.CosseratRod]]:
    """The rods of a drawing, joined or cut loose."""
    model = sl.Model("cut" if cut else "joined")
    built: list[sl.CosseratRod] = []
    for number, rod in enumerate(rods):
        nodes = {end: built[other][node] for end, (other, node) in rod.joined}
        ends: dict[str, Any] = (
            {} if cut else {"first": nodes.get("start"), "last": nodes.get("end"), "closed": rod.is_closed}
        )
        material: dict[str, Any] = (
            {"like": built[0]}
            if number
            else {
                "stiffness": [2.0, 3.0, 1.5, 40.0, 50.0, 60.0], "inertia": [2e-2, 3e-2, 5e-2, 0.5, 0.5, 0.5],
                "damping": 0.1, "gravity": (1, 2, -9.81), "group": group, "constraint": constraint,
            }
        )  # fmt: skip
        if rod.is_bent or constraint != "none":  # held strains are those of the initial configuration
            material["reference_strain"] = "initial"
        made = sl.CosseratRod(
            model, f"rod{number}", segments=rod.segments, length=rod.length,
            position=lambda s, number=number: position(rods, number, s),
            orientation=lambda s, rod=rod: sl.rotation(matrix=rod.rotation_at(s).as_matrix()),
            **material, **ends,
        )  # fmt: skip
        built.append(made)
        if number < len(rods) - 1:
            continue
        made.load(force=[1, -2, made.s], moment=[0.3, 0.1, -0.2], following=True)
        made.force_density([0.1, 0.2, 0.3, 1, 2, 3])
        for end in ("start", "end"):
            made.end_load(end, force=[3, 2, 1], moment=[1, 0, 2], following=True)
            made.end_load(end, [1, 2, 3, 4, 5, 6])
    return model, built


def end_matrices(rods: Sequence[Drawn]) -> dict[tuple[int, int], Array]:
    """Rotation matrices from the nodes that ends are joined to, by rod and number of the node of the rod."""
    own = {}
    for number, rod in enumerate(rods):
        for k in range(rod.segments + 1):
            own[number, k] = rod.rotation_at(k * rod.length / rod.segments)
    holder = {key: key for key in own}
    for number, rod in enumerate(rods):
        for end, node in rod.joined:
            holder[number, 0 if end == "start" else rod.segments] = holder[node]
        if rod.is_closed:
            holder[number, rod.segments] = number, 0
    return {key: (own[holder[key]].inv() * own[key]).as_matrix() for key in own}


@dataclass(frozen=True, eq=False)
class Cutting:
    """Maps states of joined rods to states of the same rods disconnected, q∘A and P v."""

    joined: System
    cut: System
    pairs: Sequence[tuple[Array, Array, Array, Array, Array]]
    """Components of q and v of a node, of its copy, and the rotation matrix A."""

    def configuration(self, q: Array) -> Array:
        """Of the cut rods."""
        found = np.zeros(self.cut.layout.storage)
        for place, _, other, _, A in self.pairs:
            state = q[place].copy()
            if len(state) == 12:
                state[:9] = (state[:9].reshape(3, 3) @ A).ravel()
            else:
                turned = Rotation.from_quat(np.roll(state[:4], -1)) * Rotation.from_matrix(A)
                state[:4] = np.roll(turned.as_quat(), 1)
            found[other] = state
        return found

    def velocity(self, v: Array) -> Array:
        """P v."""
        found = np.zeros(self.cut.layout.dimension)
        for _, place, _, other, A in self.pairs:
            found[other] = self._matrix(A) @ v[place]
        return found

    def force(self, f: Array) -> Array:
        """Pᵀ f of the cut rods as force on the joined ones."""
        found = np.zeros(self.joined.layout.dimension)
        for _, place, _, other, A in self.pairs:
            found[place] += self._matrix(A).T @ f[other]
        return found

    def _matrix(self, A: Array) -> Array:
        in_axes = any(f.name == "U" for f in self.joined.layout.nodes[0].type.velocity_fields)
        matrix = np.eye(6)
        matrix[:3, :3] = A.T
        if in_axes:
            matrix[3:, 3:] = A.T
        return matrix


def cutting(seed: int, group: str, constraint: object, backend: str) -> Cutting:
    """The systems of a drawing, joined and cut."""
    rods = draw(seed)
    systems, all_rods = [], []
    for cut in (False, True):
        model, built = build(rods, group, constraint, cut=cut)
        systems.append(model.derive().compile(backend=backend))
        all_rods.append(built)
    joined, loose = systems
    pairs = []
    for (number, k), A in end_matrices(rods).items():
        name = f"rod{number}"
        a, b = joined.layout.curves[name], loose.layout.curves[name]
        pairs.append((a.storage[k], a.velocity[k], b.storage[k], b.velocity[k], A))
    return Cutting(joined, loose, pairs)
