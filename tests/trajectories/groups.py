"""Groups by hand: how the storage moves with a velocity, brackets of the algebra, rotations, logarithms.

All functions take components first and a batch of states last, complex where derivatives are wanted. Nothing here
depends on symlie; formulas are from textbooks.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.trajectories.texts import Array, atan2, cos, cross, dot, select, sin, sqrt, turn, turn_back

SMALL = 1e-3
"""Below this angle, series of four terms replace quotients."""

Slot = tuple[str, int, int]
"""Part of the storage ``q`` or of the velocity ``v`` from one component to another."""


@dataclass(frozen=True)
class Group:
    """A group as the oracle has it."""

    name: str
    storage: int
    dimension: int
    fields: Mapping[str, Slot]
    rate: Callable[[Array, Array], Array]
    """q' of the velocity."""
    brackets: Array
    """[E_i, E_j] = Σ_k c[i, j, k] E_k."""
    start: Callable[[random.Random, float], list[float]]
    """An element with a rotation angle."""
    rotation: Callable[[Array], Array] | None = None
    logarithm: Callable[[Array], Array] | None = None
    between: Callable[[Array, Array], Array] | None = None
    """a⁻¹∘b."""
    rate_right: Callable[[Array, Array], Array] | None = None
    """q' of the velocity in space."""

    def comparable(self, q: Array) -> Array:
        """Compared values of two runs: rotations instead of their vectors and quaternions."""
        return q


def brackets(basis: Sequence[Any]) -> Array:
    """Structure constants of matrices."""
    flat = np.array([np.ravel(e) for e in basis], dtype=float).T
    n = len(basis)
    c = np.zeros((n, n, n))
    for i, a in enumerate(basis):
        for j, b in enumerate(basis):
            commutator = np.asarray(a, dtype=float) @ b - np.asarray(b, dtype=float) @ a
            c[i, j] = np.linalg.lstsq(flat, commutator.ravel(), rcond=None)[0]
    return np.round(c, 12)


def coadjoint(c: Array, v: Array, momentum: Array) -> Array:
    """ad*_v μ, <ad*_v μ, w> = <μ, [v, w]>, for single states."""
    return np.einsum("j,jik,k->i", v, c, momentum)


def hat(a: Sequence[float]) -> Array:
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]], dtype=float)


def unit_vector(draw: random.Random) -> Array:
    a = np.array([draw.uniform(-1, 1) for _ in range(3)])
    return a / np.linalg.norm(a)


def rotation_of(axis: Array, angle: float) -> Array:
    """Rodrigues' formula."""
    n = hat(axis)
    return np.eye(3) + np.sin(angle) * n + (1 - np.cos(angle)) * n @ n


def position(draw: random.Random, n: int) -> list[float]:
    return [draw.uniform(-1, 1) for _ in range(n)]


def by_quaternion(p: Array) -> Array:
    """R(p), homogeneous of degree two, which continues it smoothly off the sphere."""
    w, x, y, z = p
    return np.stack([
        np.stack([w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)]),
        np.stack([2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)]),
        np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z]),
    ])  # fmt: skip


def quaternion_of(r: Array) -> Array:
    """A quaternion of a rotation matrix, by the largest of its components."""
    t = r[0, 0] + r[1, 1] + r[2, 2]
    a = np.stack([1 + t, r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]])
    b = np.stack([r[2, 1] - r[1, 2], 1 + 2 * r[0, 0] - t, r[0, 1] + r[1, 0], r[0, 2] + r[2, 0]])
    c = np.stack([r[0, 2] - r[2, 0], r[0, 1] + r[1, 0], 1 + 2 * r[1, 1] - t, r[1, 2] + r[2, 1]])
    d = np.stack([r[1, 0] - r[0, 1], r[0, 2] + r[2, 0], r[1, 2] + r[2, 1], 1 + 2 * r[2, 2] - t])
    sizes = np.real(np.stack([a[0], b[1], c[2], d[3]]))
    best = np.argmax(sizes, axis=0)
    p = np.choose(best[None], [a, b, c, d])
    return p / sqrt(dot(p, p))


def quaternion_product(a: Array, b: Array) -> Array:
    w = a[0] * b[0] - dot(a[1:], b[1:])
    return np.concatenate([w[None], a[0] * b[1:] + b[0] * a[1:] + cross(a[1:], b[1:])])


def conjugate(p: Array) -> Array:
    return np.concatenate([p[:1], -p[1:]])


def vector_of_quaternion(p: Array) -> Array:
    """Rotation vector of p or -p, the shorter one."""
    p = p * select(p[0], 1.0, -1.0)
    z = dot(p[1:], p[1:])
    n = sqrt(select(z - SMALL**2, z, 1.0))
    u = z / (p[0] * p[0])
    series = 2 / p[0] * (1 - u / 3 + u * u / 5 - u**3 / 7)
    return select(z - SMALL**2, 2 * atan2(n, p[0]) / n, series) * p[1:]


def cotangent_coefficient(z: Array) -> Array:
    """(1 - (ω/2) cot(ω/2))/ω² of z = ω²."""
    w = sqrt(select(z - SMALL**2, z, 1.0))
    return select(z - SMALL**2, (1 - w / 2 * cos(w / 2) / sin(w / 2)) / (w * w), 1 / 12 + z / 720 + z * z / 30240)


def vector_rate(psi: Array, omega: Array) -> Array:
    """ψ' of the velocity in body axes."""
    twice = cross(psi, cross(psi, omega))
    return omega + cross(psi, omega) / 2 + cotangent_coefficient(dot(psi, psi)) * twice


def by_vector(psi: Array) -> Array:
    """Rotation matrix of a rotation vector."""
    return by_quaternion(half_angles(psi))


def half_angles(psi: Array) -> Array:
    z = dot(psi, psi)
    w = sqrt(select(z - SMALL**2, z, 1.0))
    s = select(z - SMALL**2, sin(w / 2) / w, 0.5 - z / 48 + z * z / 3840)
    c = select(z - SMALL**2, cos(w / 2), 1 - z / 8 + z * z / 384)
    return np.concatenate([c[None], s * psi])


def translation_of_log(omega: Array, x: Array) -> Array:
    """U of exp(Ω, U) = (R, x)."""
    twice = cross(omega, cross(omega, x))
    return x - cross(omega, x) / 2 + cotangent_coefficient(dot(omega, omega)) * twice


def _columns(r: Array) -> Array:
    return r.reshape(9, *r.shape[2:])


def _matrix(q: Array) -> Array:
    return q[:9].reshape(3, 3, *q.shape[1:])


def _product(a: Array, b: Array) -> Array:
    return np.einsum("ij...,jk...->ik...", a, b)


def _hat_batch(u: Array) -> Array:
    zero = np.zeros_like(u[0])
    return np.stack([np.stack([zero, -u[2], u[1]]), np.stack([u[2], zero, -u[0]]), np.stack([-u[1], u[0], zero])])


def _quaternion_rate(p: Array, u: Array) -> Array:
    return quaternion_product(p, np.concatenate([np.zeros_like(u[:1]), u / 2]))


def _euclidean_basis(copies: int) -> list[Array]:
    """Rotations and ``copies`` translations as matrices."""
    size = 3 + copies
    basis = []
    for k in range(3):
        e = np.zeros((size, size))
        e[:3, :3] = hat(np.eye(3)[k])
        basis.append(e)
    for c in range(copies):
        for k in range(3):
            e = np.zeros((size, size))
            e[k, 3 + c] = 1
            basis.append(e)
    return basis


@functools.cache
def real(n: int) -> Group:
    """R^n."""
    return Group(
        f"R{n}", n, n, {"x": ("q", 0, n), "x_dot": ("v", 0, n)}, lambda q, v: v + 0 * q, np.zeros((n, n, n)),
        lambda draw, angle: position(draw, n), None, lambda q: q, lambda a, b: b - a, lambda q, v: v + 0 * q,
    )  # fmt: skip


class Turned(Group):
    """A group with a rotation stored in its first components, compared through its matrix."""

    leading = 9

    def comparable(self, q: Array) -> Array:
        assert self.rotation is not None
        r = np.real(self.rotation(q[:, None])[..., 0])
        return np.concatenate([r.ravel(), q[self.leading :]])


class TurnedByQuaternion(Turned):
    leading = 4


class TurnedByVector(Turned):
    leading = 3


def _spatial(matrices: bool, copies: int, name: str, joined: bool) -> Group:
    """Rotations by matrices or quaternions with ``copies`` positions that they turn."""
    n = 9 if matrices else 4

    def rotation(q: Array) -> Array:
        return _matrix(q) if matrices else by_quaternion(q[:4])

    def rate(q: Array, v: Array) -> Array:
        own = _columns(_product(_matrix(q), _hat_batch(v[:3]))) if matrices else _quaternion_rate(q[:4], v[:3])
        moved = [turn(rotation(q), v[3 * k + 3 : 3 * k + 6]) for k in range(copies)]
        return np.concatenate([own, *moved])

    def rate_right(q: Array, v: Array) -> Array:
        if matrices:
            own = _columns(_product(_hat_batch(v[:3]), _matrix(q)))
        else:
            own = quaternion_product(np.concatenate([np.zeros_like(v[:1]), v[:3] / 2]), q[:4])
        moved = [cross(v[:3], q[n + 3 * k : n + 3 * k + 3]) + v[3 * k + 3 : 3 * k + 6] for k in range(copies)]
        return np.concatenate([own, *moved])

    def between(a: Array, b: Array) -> Array:
        if matrices:
            own = _columns(_product(np.swapaxes(_matrix(a), 0, 1), _matrix(b)))
        else:
            own = quaternion_product(conjugate(a[:4]), b[:4])
        parts = [slice(n + 3 * k, n + 3 * k + 3) for k in range(copies)]
        return np.concatenate([own, *(turn_back(rotation(a), b[s] - a[s]) for s in parts)])

    def logarithm(q: Array) -> Array:
        omega = vector_of_quaternion(quaternion_of(_matrix(q)) if matrices else q[:4])
        return np.concatenate(
            [omega, *(translation_of_log(omega, q[n + 3 * k : n + 3 * k + 3]) for k in range(copies))]
        )

    def start(draw: random.Random, angle: float) -> list[float]:
        axis = unit_vector(draw)
        if matrices:
            own = rotation_of(axis, angle).ravel().tolist()
        else:
            own = [np.cos(angle / 2), *(np.sin(angle / 2) * axis)]
            own = [-c for c in own] if draw.random() < 0.3 else own
        return [float(c) for c in own] + position(draw, 3 * copies)

    fields: dict[str, Slot] = {"R" if matrices else "p": ("q", 0, n), "Omega": ("v", 0, 3)}
    if matrices:
        del fields["R"]
    if copies and joined:
        fields |= {"x": ("q", n, n + 3), "U": ("v", 3, 6)}
    size = 3 + 3 * copies
    kind = Turned if matrices else TurnedByQuaternion
    return kind(
        name, n + 3 * copies, size, fields, rate, brackets(_euclidean_basis(copies)), start, rotation, logarithm,
        between, rate_right,
    )  # fmt: skip


def _vectors() -> Group:
    def start(draw: random.Random, angle: float) -> list[float]:
        return [float(c) for c in angle * unit_vector(draw)]

    def between(a: Array, b: Array) -> Array:
        return quaternion_product(conjugate(half_angles(a)), half_angles(b))

    return TurnedByVector(
        "SO3rv", 3, 3, {"psi": ("q", 0, 3), "Omega": ("v", 0, 3)}, vector_rate, brackets(_euclidean_basis(0)), start,
        by_vector, lambda q: vector_of_quaternion(q if len(q) == 4 else half_angles(q)), between,
    )  # fmt: skip


def _plane(q: Array) -> Array:
    return np.stack([np.stack([q[0], -q[1]]), np.stack([q[1], q[0]])])


def _planar(moves: bool) -> Group:
    """SO2, or SE2."""
    basis = [np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 0]])]
    if moves:
        basis += [np.eye(3)[:, [k]] @ np.array([[0.0, 0, 1]]) for k in range(2)]

    def rate(q: Array, v: Array) -> Array:
        own = np.stack([-q[1] * v[0], q[0] * v[0]])
        return np.concatenate([own, turn(_plane(q), v[1:])]) if moves else own

    def rate_right(q: Array, v: Array) -> Array:
        own = np.stack([-q[1] * v[0], q[0] * v[0]])
        return np.concatenate([own, np.stack([v[1] - v[0] * q[3], v[2] + v[0] * q[2]])]) if moves else own

    def between(a: Array, b: Array) -> Array:
        own = np.stack([a[0] * b[0] + a[1] * b[1], a[0] * b[1] - a[1] * b[0]])
        return np.concatenate([own, turn_back(_plane(a), b[2:] - a[2:])]) if moves else own

    def logarithm(q: Array) -> Array:
        w = atan2(q[1], q[0])
        if not moves:
            return w[None]
        # x = V U with V = (sin w/w) I + ((1 - cos w)/w) J, and V⁻¹ = (w/2) (cot(w/2) I - J).
        z = w * w
        diagonal = 1 - z * cotangent_coefficient(z)
        u = np.stack([diagonal * q[2] + w / 2 * q[3], diagonal * q[3] - w / 2 * q[2]])
        return np.concatenate([w[None], u])

    def start(draw: random.Random, angle: float) -> list[float]:
        return [float(np.cos(angle)), float(np.sin(angle)), *position(draw, 2 if moves else 0)]

    fields: dict[str, Slot] = {"p": ("q", 0, 2), "Omega": ("v", 0, 1)}
    if moves:
        fields |= {"x": ("q", 2, 4), "U": ("v", 1, 3)}
    n = 3 if moves else 1
    return Group(
        "SE2" if moves else "SO2", n + 1, n, fields, rate, brackets(basis), start, _plane, logarithm, between,
        rate_right,
    )  # fmt: skip


def _matrices(name: str, basis: Sequence[Any], places: Sequence[tuple[int, int]], scale: float) -> Group:
    """Matrices X with X' = X Σ v_k E_k; some entries are stored, the others equal the identity."""
    units = np.array(basis, dtype=float)
    rows, columns = (list(x) for x in zip(*places, strict=True))
    size = units.shape[1]

    def matrix(q: Array) -> Array:
        x = np.zeros((size, size, *q.shape[1:]), dtype=q.dtype)
        x[range(size), range(size)] = 1
        x[rows, columns] = q
        return x

    def rate(q: Array, v: Array) -> Array:
        return np.asarray(_product(matrix(q), np.einsum("kij,k...->ij...", units, v))[rows, columns])

    def start(draw: random.Random, angle: float) -> list[float]:
        algebra = np.einsum("kij,k->ij", units, [scale * draw.uniform(-1, 1) for _ in units])
        x, term = np.eye(size), np.eye(size)
        for k in range(1, 40):
            term = term @ algebra / k
            x = x + term
        return [float(c) for c in x[rows, columns]]

    return Group(name, len(places), len(units), {}, rate, brackets(basis), start)


def _heisenberg() -> Group:
    basis = [np.zeros((3, 3)) for _ in range(3)]
    basis[0][0, 1] = basis[1][1, 2] = basis[2][0, 2] = 1

    def rate(q: Array, v: Array) -> Array:
        return np.stack([v[0] + 0 * q[0], v[1] + 0 * q[0], v[2] + q[0] * v[1]])

    return Group(
        "Heisenberg", 3, 3, {"x": ("q", 0, 1), "y": ("q", 1, 2), "z": ("q", 2, 3)}, rate, brackets(basis),
        lambda draw, angle: position(draw, 3), None,
        lambda q: np.stack([q[0], q[1], q[2] - q[0] * q[1] / 2]),
        lambda a, b: np.stack([b[0] - a[0], b[1] - a[1], b[2] - a[2] - a[0] * (b[1] - a[1])]),
    )  # fmt: skip


def skew_basis(n: int) -> list[Array]:
    """A basis of the skew matrices."""
    found = []
    for i in range(n):
        for j in range(i):
            e = np.zeros((n, n))
            e[i, j], e[j, i] = 1, -1
            found.append(e)
    return found


SL2_BASIS = ([[1, 0], [0, -1]], [[0, 1], [0, 0]], [[0, 0], [1, 0]])
SIM2_BASIS = (
    [[0, -1, 0], [1, 0, 0], [0, 0, 0]],
    [[1, 0, 0], [0, 1, 0], [0, 0, 0]],
    [[0, 0, 1], [0, 0, 0], [0, 0, 0]],
    [[0, 0, 0], [0, 0, 1], [0, 0, 0]],
)


class ProductGroup(Group):
    """A direct product."""

    factors: tuple[Group, ...] = ()

    def comparable(self, q: Array) -> Array:
        parts, start = [], 0
        for f in self.factors:
            parts.append(f.comparable(q[start : start + f.storage]))
            start += f.storage
        return np.concatenate(parts)


def _direct(name: str, factors: Sequence[Group]) -> Group:
    stored = np.cumsum([0, *(f.storage for f in factors)])
    moved = np.cumsum([0, *(f.dimension for f in factors)])
    n = int(moved[-1])
    where = [(f, slice(a, b), slice(c, d)) for f, a, b, c, d in
             zip(factors, stored[:-1], stored[1:], moved[:-1], moved[1:], strict=True)]  # fmt: skip
    c = np.zeros((n, n, n))
    for f, _, s in where:
        c[s, s, s] = f.brackets
    turned = [(f, s) for f, s, _ in where if f.rotation is not None]
    rotation = None
    if len(turned) == 1:
        only, slot = turned[0]

        def rotation(q: Array) -> Array:
            assert only.rotation is not None
            return only.rotation(q[slot])

    has_log = all(f.logarithm is not None and not isinstance(f, TurnedByVector) for f in factors)
    result = ProductGroup(
        name, int(stored[-1]), n, {}, lambda q, v: np.concatenate([f.rate(q[s], v[d]) for f, s, d in where]), c,
        lambda draw, angle: [x for f in factors for x in f.start(draw, angle)], rotation,
        (lambda q: np.concatenate([f.logarithm(q[s]) for f, s, _ in where if f.logarithm])) if has_log else None,
        (lambda a, b: np.concatenate([f.between(a[s], b[s]) for f, s, _ in where if f.between])) if has_log else None,
    )  # fmt: skip
    object.__setattr__(result, "factors", tuple(factors))
    return result


@functools.cache
def group(name: str) -> Group:
    """A group by name."""
    if name in _OWN:
        return _OWN[name]()
    if name[0] == "R" and name[1:].isdecimal():
        return real(int(name[1:]))
    return _direct(name, [group(n) for n in name.split("x")])


_OWN: dict[str, Callable[[], Group]] = {
    "SO2": lambda: _planar(False),
    "SE2": lambda: _planar(True),
    "SO3": lambda: _spatial(True, 0, "SO3", True),
    "S3": lambda: _spatial(False, 0, "S3", True),
    "SE3": lambda: _spatial(True, 1, "SE3", True),
    "S3sR3": lambda: _spatial(False, 1, "S3sR3", True),
    "SO3rv": _vectors,
    "SE23": lambda: _spatial(False, 2, "SE23", False),
    "SL2": lambda: _matrices("SL2", SL2_BASIS, [(0, 0), (0, 1), (1, 0), (1, 1)], 0.6),
    "SO4": lambda: _matrices("SO4", skew_basis(4), [(i, j) for i in range(4) for j in range(4)], 0.8),
    "Sim2": lambda: _matrices("Sim2", SIM2_BASIS, [(i, j) for i in range(2) for j in range(3)], 0.6),
    "Heisenberg": _heisenberg,
}
