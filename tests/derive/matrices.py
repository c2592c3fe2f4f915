"""Lie groups as matrices in 50 digits, written without the package: exp is the exponential series of a matrix.

Every element is a faithful matrix of one or two diagonal blocks, so composition is the product, hat and vee identify
the algebra with R^n, and Ad(q) w = vee(q hat(w) q⁻¹). Storage and the meaning of the velocity follow the conventions of
the package.
"""

from __future__ import annotations

import functools
import itertools
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

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


Blocks = list[mpmath.matrix]
"""A block-diagonal matrix by its blocks."""


def times(a: Blocks, b: Blocks) -> Blocks:
    """Product of block-diagonal matrices."""
    return [x * y for x, y in zip(a, b, strict=True)]


class MatrixGroup(ABC):
    """A matrix Lie group with the storage of the package."""

    storage: int
    dimension: int
    angular: int = 3
    """Number of components of the body-fixed angular velocity, which are the first ones."""

    @abstractmethod
    def matrix(self, q: Sequence[mpf]) -> Blocks:
        """Storage as a matrix."""

    @abstractmethod
    def stored(self, blocks: Blocks) -> Numbers:
        """A matrix as storage."""

    @abstractmethod
    def hat(self, u: Sequence[mpf]) -> Blocks:
        """An algebra vector as a matrix."""

    @abstractmethod
    def vee(self, blocks: Blocks) -> Numbers:
        """Inverse of `hat`."""

    def rotation(self, q: Sequence[mpf]) -> mpmath.matrix:
        """R(q)."""
        raise TypeError(f"{type(self).__name__} does not rotate")

    def _exp(self, u: Sequence[mpf]) -> Blocks:
        return [mpmath.expm(block) for block in self.hat(u)]

    def exp(self, u: Sequence[mpf]) -> Numbers:
        """exp(u) as storage."""
        return self.stored(self._exp(u))

    def advance(self, q: Sequence[mpf], u: Sequence[mpf]) -> Numbers:
        """q∘exp(u)."""
        return self.stored(times(self.matrix(q), self._exp(u)))

    def carried(self, u: Sequence[mpf], w: Sequence[mpf]) -> Numbers:
        """Ad(exp(u)) w."""
        return self.vee(times(times(self._exp(u), self.hat(w)), self._exp([-c for c in u])))


class RealSpace(MatrixGroup):
    """R^n with addition."""

    angular = 0

    def __init__(self, n: int) -> None:
        self.storage = self.dimension = n

    def matrix(self, q: Sequence[mpf]) -> Blocks:
        return [homogeneous(mpmath.eye(self.storage), q, 1)]

    def stored(self, blocks: Blocks) -> Numbers:
        return list(blocks[0][: self.storage, self.storage])

    def hat(self, u: Sequence[mpf]) -> Blocks:
        return [homogeneous(mpmath.zeros(self.storage), u, 0)]

    def _exp(self, u: Sequence[mpf]) -> Blocks:
        return self.matrix(u)  # the square of hat(u) vanishes

    def vee(self, blocks: Blocks) -> Numbers:
        return self.stored(blocks)


class Rotations(MatrixGroup):
    """SO(3), row-major."""

    storage, dimension = 9, 3

    def matrix(self, q: Sequence[mpf]) -> Blocks:
        return [self.rotation(q)]

    def stored(self, blocks: Blocks) -> Numbers:
        return list(blocks[0])

    def hat(self, u: Sequence[mpf]) -> Blocks:
        return [skew(u)]

    def vee(self, blocks: Blocks) -> Numbers:
        return [blocks[0][2, 1], blocks[0][0, 2], blocks[0][1, 0]]

    def rotation(self, q: Sequence[mpf]) -> mpmath.matrix:
        return mpmath.matrix([list(q[3 * i : 3 * i + 3]) for i in range(3)])


class Quaternions(MatrixGroup):
    """S³; the velocity is the body-fixed Ω, so p' = p∘(0, Ω/2)."""

    storage, dimension = 4, 3

    def matrix(self, q: Sequence[mpf]) -> Blocks:
        return [quaternion_matrix(q)]

    def stored(self, blocks: Blocks) -> Numbers:
        return list(blocks[0][:, 0])

    def hat(self, u: Sequence[mpf]) -> Blocks:
        return [quaternion_matrix([mpf(0), *(c / 2 for c in u)])]

    def vee(self, blocks: Blocks) -> Numbers:
        return [2 * c for c in blocks[0][1:, 0]]

    def rotation(self, q: Sequence[mpf]) -> mpmath.matrix:
        return quaternion_rotation(q)


class Motions(MatrixGroup):
    """SE(3): R (9), x (3)."""

    storage, dimension = 12, 6

    def matrix(self, q: Sequence[mpf]) -> Blocks:
        return [homogeneous(self.rotation(q), q[9:], 1)]

    def stored(self, blocks: Blocks) -> Numbers:
        return [*blocks[0][:3, :3], *blocks[0][:3, 3]]

    def hat(self, u: Sequence[mpf]) -> Blocks:
        return [homogeneous(skew(u[:3]), u[3:], 0)]

    def vee(self, blocks: Blocks) -> Numbers:
        (m,) = blocks
        return [m[2, 1], m[0, 2], m[1, 0], *m[:3, 3]]

    def rotation(self, q: Sequence[mpf]) -> mpmath.matrix:
        return mpmath.matrix([list(q[3 * i : 3 * i + 3]) for i in range(3)])


class QuaternionMotions(MatrixGroup):
    """S³⋉R³: p (4), x (3), as a block matrix of a quaternion and a rigid motion."""

    storage, dimension = 7, 6

    def matrix(self, q: Sequence[mpf]) -> Blocks:
        return [quaternion_matrix(q[:4]), homogeneous(self.rotation(q), q[4:], 1)]

    def stored(self, blocks: Blocks) -> Numbers:
        return [*blocks[0][:, 0], *blocks[1][:3, 3]]

    def hat(self, u: Sequence[mpf]) -> Blocks:
        return [*Quaternions().hat(u[:3]), *Motions().hat(u)]

    def vee(self, blocks: Blocks) -> Numbers:
        return Motions().vee(blocks[1:])

    def rotation(self, q: Sequence[mpf]) -> mpmath.matrix:
        return quaternion_rotation(q[:4])


class PlaneRotations(MatrixGroup):
    """SO(2), stored as (cos φ, sin φ)."""

    storage, dimension, angular = 2, 1, 1

    def matrix(self, q: Sequence[mpf]) -> Blocks:
        return [self.rotation(q)]

    def stored(self, blocks: Blocks) -> Numbers:
        return list(blocks[0][:, 0])

    def hat(self, u: Sequence[mpf]) -> Blocks:
        return [mpmath.matrix([[0, -u[0]], [u[0], 0]])]

    def vee(self, blocks: Blocks) -> Numbers:
        return [blocks[0][1, 0]]

    def rotation(self, q: Sequence[mpf]) -> mpmath.matrix:
        return mpmath.matrix([[q[0], -q[1]], [q[1], q[0]]])


class RotationVectors(Quaternions):
    """Rotation vectors |ψ| ≤ 2π as the quaternions of half their angle."""

    storage = 3

    def matrix(self, q: Sequence[mpf]) -> Blocks:
        return Quaternions()._exp(q)

    def stored(self, blocks: Blocks) -> Numbers:
        w, *axis = blocks[0][:, 0]
        norm = mpmath.norm(axis)
        return [2 * mpmath.atan2(norm, w) / norm * c for c in axis] if norm else [mpf(0)] * 3

    def rotation(self, q: Sequence[mpf]) -> mpmath.matrix:
        return quaternion_rotation(self.matrix(q)[0][:, 0])


class Semidirect(MatrixGroup):
    """G⋉V with G acting on V by a linear representation of its first block.

    Parameters
    ----------
    first
        G.
    size
        Dimension of V.
    action
        ρ, from the first block of an element.
    rate
        Derivative of ρ at the identity, from a velocity of G.
    """

    def __init__(
        self,
        first: MatrixGroup,
        size: int,
        action: Callable[[mpmath.matrix], mpmath.matrix],
        rate: Callable[[Sequence[mpf]], mpmath.matrix],
    ) -> None:
        self.first, self.action, self.rate, self.angular = first, action, rate, first.angular
        self.storage, self.dimension, self.size = first.storage + size, first.dimension + size, size

    def matrix(self, q: Sequence[mpf]) -> Blocks:
        n = self.first.storage
        blocks = self.first.matrix(q[:n])
        return [*blocks, homogeneous(self.action(blocks[0]), q[n:], 1)]

    def stored(self, blocks: Blocks) -> Numbers:
        return [*self.first.stored(blocks[:-1]), *blocks[-1][: self.size, self.size]]

    def hat(self, u: Sequence[mpf]) -> Blocks:
        n = self.first.dimension
        return [*self.first.hat(u[:n]), homogeneous(self.rate(u[:n]), u[n:], 0)]

    def vee(self, blocks: Blocks) -> Numbers:
        return [*self.first.vee(blocks[:-1]), *blocks[-1][: self.size, self.size]]

    def rotation(self, q: Sequence[mpf]) -> mpmath.matrix:
        return self.first.rotation(q[: self.first.storage])


class Product(MatrixGroup):
    """A direct product with one factor that has a rotation."""

    def __init__(self, *factors: MatrixGroup) -> None:
        self.factors = factors
        self.storage = sum(f.storage for f in factors)
        self.dimension = sum(f.dimension for f in factors)

    def _split(self, sequence: Sequence[Any], sizes: Sequence[int]) -> list[Sequence[Any]]:
        bounds = list(itertools.accumulate(sizes, initial=0))
        return [sequence[a:b] for a, b in itertools.pairwise(bounds)]

    def _storages(self, q: Sequence[mpf]) -> list[tuple[MatrixGroup, Sequence[mpf]]]:
        return list(zip(self.factors, self._split(q, [f.storage for f in self.factors]), strict=True))

    def _parts(self, blocks: Blocks) -> list[tuple[MatrixGroup, Blocks]]:
        counts = [len(f.hat([mpf(0)] * f.dimension)) for f in self.factors]
        return [(f, list(part)) for f, part in zip(self.factors, self._split(blocks, counts), strict=True)]

    def matrix(self, q: Sequence[mpf]) -> Blocks:
        return [block for f, part in self._storages(q) for block in f.matrix(part)]

    def stored(self, blocks: Blocks) -> Numbers:
        return [c for f, part in self._parts(blocks) for c in f.stored(part)]

    def hat(self, u: Sequence[mpf]) -> Blocks:
        parts = self._split(u, [f.dimension for f in self.factors])
        return [block for f, part in zip(self.factors, parts, strict=True) for block in f.hat(part)]

    def vee(self, blocks: Blocks) -> Numbers:
        return [c for f, part in self._parts(blocks) for c in f.vee(part)]

    def rotation(self, q: Sequence[mpf]) -> mpmath.matrix:
        ((turning, storage),) = [(f, part) for f, part in self._storages(q) if f.angular]
        return turning.rotation(storage)


def _plane(u: Sequence[mpf]) -> mpmath.matrix:
    return PlaneRotations().hat(u)[0]


_SIMPLE: dict[str, Callable[[], MatrixGroup]] = {
    "SO2": PlaneRotations,
    "SE2": lambda: Semidirect(PlaneRotations(), 2, lambda a: a, _plane),
    "SO3": Rotations,
    "S3": Quaternions,
    "SO3rv": RotationVectors,
    "SE3": Motions,
    "S3sR3": QuaternionMotions,
}


@functools.cache
def matrix_group(name: str) -> MatrixGroup:
    """The group of a name such as ``SE3``, ``R2`` or ``SO3xR3``."""
    if name in _SIMPLE:
        return _SIMPLE[name]()
    if "x" in name:
        return Product(*map(matrix_group, name.split("x")))
    return RealSpace(int(name[1:]))


def random_vector(n: int, seed: int, length: float | None = None) -> Numbers:
    """A reproducible random vector with components up to 1, or of a given norm."""
    generator = random.Random(911 * n + seed)
    vector = [mpf(generator.uniform(-1, 1)) for _ in range(n)]
    if length is None:
        return vector
    norm = mpmath.norm(vector) if vector else mpf(1)
    return [c * mpf(length) / norm for c in vector]


def random_element(group: MatrixGroup, seed: int, angle: float) -> Numbers:
    """A reproducible random element with a rotation angle as given."""
    if isinstance(group, Product):
        return [c for k, f in enumerate(group.factors) for c in random_element(f, seed + k, angle)]
    return group.exp(
        random_vector(group.angular, seed, angle) + random_vector(group.dimension - group.angular, seed + 1)
    )
