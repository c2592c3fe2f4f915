"""Lie groups as matrices in 50 digits, written without the package: exp is the exponential series of a matrix.

Every element is a faithful square matrix, so composition is the product, hat and vee identify the algebra with R^n, and
Ad(q) w = vee(q hat(w) q⁻¹). Storage and the meaning of the velocity follow the conventions of the package.
"""

from __future__ import annotations

import functools
import random
from abc import ABC, abstractmethod
from collections.abc import Sequence

import mpmath
from mpmath import mpf

DIGITS = 50

Numbers = list[mpf]


def skew(a: Sequence[mpf]) -> mpmath.matrix:
    """The matrix ã with ã b = a × b."""
    return mpmath.matrix([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def quaternion_matrix(p: Sequence[mpf]) -> mpmath.matrix:
    """Matrix of the left multiplication by a quaternion, scalar first."""
    w, x, y, z = p
    return mpmath.matrix([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]])


def quaternion_rotation(p: Sequence[mpf]) -> mpmath.matrix:
    """R of w ↦ p w p*, from the products of quaternions."""
    left = quaternion_matrix(p)
    right = quaternion_matrix([p[0], -p[1], -p[2], -p[3]])
    columns = []
    for i in range(3):
        pure = mpmath.matrix([mpf(int(k == i + 1)) for k in range(4)])
        columns.append((quaternion_matrix(list(left * pure)) * right)[1:, 0])
    return mpmath.matrix([[columns[j][i] for j in range(3)] for i in range(3)])


def homogeneous(rotation: mpmath.matrix, x: Sequence[mpf], last: int) -> mpmath.matrix:
    """The matrix [A x; 0 last]."""
    n = len(x)
    result = mpmath.zeros(n + 1)
    result[:n, :n] = rotation
    for i in range(n):
        result[i, n] = x[i]
    result[n, n] = mpf(last)
    return result


def block_diagonal(*blocks: mpmath.matrix) -> mpmath.matrix:
    """Blocks along the diagonal."""
    size = sum(b.rows for b in blocks)
    result = mpmath.zeros(size)
    offset = 0
    for b in blocks:
        result[offset : offset + b.rows, offset : offset + b.rows] = b
        offset += b.rows
    return result


class MatrixGroup(ABC):
    """A matrix Lie group with the storage of the package."""

    storage: int
    dimension: int
    turns: bool = True
    """Whether the first three velocity components are a body-fixed angular velocity."""

    @abstractmethod
    def matrix(self, q: Sequence[mpf]) -> mpmath.matrix:
        """Storage as a matrix."""

    @abstractmethod
    def stored(self, m: mpmath.matrix) -> Numbers:
        """A matrix as storage."""

    @abstractmethod
    def hat(self, u: Sequence[mpf]) -> mpmath.matrix:
        """An algebra vector as a matrix."""

    @abstractmethod
    def vee(self, m: mpmath.matrix) -> Numbers:
        """Inverse of `hat`."""

    def rotation(self, q: Sequence[mpf]) -> mpmath.matrix:
        """R(q)."""
        raise TypeError(f"{type(self).__name__} does not rotate")

    def exp(self, u: Sequence[mpf]) -> Numbers:
        """exp(u) as storage."""
        return self.stored(mpmath.expm(self.hat(u)))

    def advance(self, q: Sequence[mpf], u: Sequence[mpf]) -> Numbers:
        """q∘exp(u)."""
        return self.stored(self.matrix(q) * mpmath.expm(self.hat(u)))

    def carried(self, u: Sequence[mpf], w: Sequence[mpf]) -> Numbers:
        """Ad(exp(u)) w."""
        return self.vee(mpmath.expm(self.hat(u)) * self.hat(w) * mpmath.expm(self.hat([-c for c in u])))


class RealSpace(MatrixGroup):
    """R^n with addition."""

    turns = False

    def __init__(self, n: int) -> None:
        self.storage = self.dimension = n

    def matrix(self, q: Sequence[mpf]) -> mpmath.matrix:
        return homogeneous(mpmath.eye(self.storage), q, 1)

    def stored(self, m: mpmath.matrix) -> Numbers:
        return list(m[: self.storage, self.storage])

    def hat(self, u: Sequence[mpf]) -> mpmath.matrix:
        return homogeneous(mpmath.zeros(self.storage), u, 0)

    def vee(self, m: mpmath.matrix) -> Numbers:
        return self.stored(m)


class Rotations(MatrixGroup):
    """SO(3), row-major."""

    storage, dimension = 9, 3

    def matrix(self, q: Sequence[mpf]) -> mpmath.matrix:
        return mpmath.matrix([list(q[3 * i : 3 * i + 3]) for i in range(3)])

    def stored(self, m: mpmath.matrix) -> Numbers:
        return list(m)

    def hat(self, u: Sequence[mpf]) -> mpmath.matrix:
        return skew(u)

    def vee(self, m: mpmath.matrix) -> Numbers:
        return [m[2, 1], m[0, 2], m[1, 0]]

    def rotation(self, q: Sequence[mpf]) -> mpmath.matrix:
        return self.matrix(q)


class Quaternions(MatrixGroup):
    """S³; the velocity is the body-fixed Ω, so p' = p∘(0, Ω/2)."""

    storage, dimension = 4, 3

    def matrix(self, q: Sequence[mpf]) -> mpmath.matrix:
        return quaternion_matrix(q)

    def stored(self, m: mpmath.matrix) -> Numbers:
        return list(m[:, 0])

    def hat(self, u: Sequence[mpf]) -> mpmath.matrix:
        return quaternion_matrix([mpf(0), *(c / 2 for c in u)])

    def vee(self, m: mpmath.matrix) -> Numbers:
        return [2 * c for c in m[1:, 0]]

    def rotation(self, q: Sequence[mpf]) -> mpmath.matrix:
        return quaternion_rotation(q)


class Motions(MatrixGroup):
    """SE(3): R (9), x (3)."""

    storage, dimension = 12, 6

    def matrix(self, q: Sequence[mpf]) -> mpmath.matrix:
        return homogeneous(Rotations().matrix(q[:9]), q[9:], 1)

    def stored(self, m: mpmath.matrix) -> Numbers:
        return [*m[:3, :3], *m[:3, 3]]

    def hat(self, u: Sequence[mpf]) -> mpmath.matrix:
        return homogeneous(skew(u[:3]), u[3:], 0)

    def vee(self, m: mpmath.matrix) -> Numbers:
        return [*Rotations().vee(m[:3, :3]), *m[:3, 3]]

    def rotation(self, q: Sequence[mpf]) -> mpmath.matrix:
        return Rotations().matrix(q[:9])


class QuaternionMotions(MatrixGroup):
    """S³⋉R³: p (4), x (3), as a quaternion and a rigid motion side by side."""

    storage, dimension = 7, 6

    def matrix(self, q: Sequence[mpf]) -> mpmath.matrix:
        return block_diagonal(quaternion_matrix(q[:4]), homogeneous(quaternion_rotation(q[:4]), q[4:], 1))

    def stored(self, m: mpmath.matrix) -> Numbers:
        return [*m[:4, 0], *m[4:7, 7]]

    def hat(self, u: Sequence[mpf]) -> mpmath.matrix:
        return block_diagonal(Quaternions().hat(u[:3]), Motions().hat(u))

    def vee(self, m: mpmath.matrix) -> Numbers:
        return Motions().vee(m[4:, 4:])

    def rotation(self, q: Sequence[mpf]) -> mpmath.matrix:
        return quaternion_rotation(q[:4])


class Product(MatrixGroup):
    """A direct product."""

    def __init__(self, first: MatrixGroup, second: MatrixGroup) -> None:
        self.first, self.second = first, second
        self.storage = first.storage + second.storage
        self.dimension = first.dimension + second.dimension

    def matrix(self, q: Sequence[mpf]) -> mpmath.matrix:
        n = self.first.storage
        return block_diagonal(self.first.matrix(q[:n]), self.second.matrix(q[n:]))

    def _blocks(self, m: mpmath.matrix) -> tuple[mpmath.matrix, mpmath.matrix]:
        n = self.first.hat([mpf(0)] * self.first.dimension).rows
        return m[:n, :n], m[n:, n:]

    def stored(self, m: mpmath.matrix) -> Numbers:
        first, second = self._blocks(m)
        return self.first.stored(first) + self.second.stored(second)

    def hat(self, u: Sequence[mpf]) -> mpmath.matrix:
        n = self.first.dimension
        return block_diagonal(self.first.hat(u[:n]), self.second.hat(u[n:]))

    def vee(self, m: mpmath.matrix) -> Numbers:
        first, second = self._blocks(m)
        return self.first.vee(first) + self.second.vee(second)

    def rotation(self, q: Sequence[mpf]) -> mpmath.matrix:
        return self.first.rotation(q[: self.first.storage])


_SIMPLE = {"SO3": Rotations, "S3": Quaternions, "SE3": Motions, "S3sR3": QuaternionMotions}


@functools.cache
def matrix_group(name: str) -> MatrixGroup:
    """The group of a name such as ``SE3``, ``R2`` or ``SO3xR3``."""
    if "x" in name:
        first, second = name.split("x")
        return Product(matrix_group(first), matrix_group(second))
    return RealSpace(int(name[1:])) if name[0] == "R" else _SIMPLE[name]()


def random_vector(n: int, seed: int, length: float | None = None) -> Numbers:
    """A reproducible random vector with components up to 1, or of a given norm."""
    generator = random.Random(911 * n + seed)
    vector = [mpf(generator.uniform(-1, 1)) for _ in range(n)]
    if length is None:
        return vector
    norm = mpmath.norm(vector)
    return [c * mpf(length) / norm for c in vector]


def random_element(group: MatrixGroup, seed: int, angle: float) -> Numbers:
    """A reproducible random element with a rotation angle as given."""
    if isinstance(group, Product):
        return random_element(group.first, seed, angle) + random_element(group.second, seed + 1, angle)
    if group.turns:
        return group.exp(random_vector(3, seed, angle) + random_vector(group.dimension - 3, seed + 1))
    return random_vector(group.dimension, seed)
