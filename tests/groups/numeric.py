"""Groups as functions of numbers: every operation derived for a group, built once and evaluated in 50 digits."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Sequence

import mpmath
from hypothesis import strategies as st
from mpmath import mpf

from symlie.groups import operators
from symlie.groups.group import LieGroup
from symlie.groups.rotation import rotation_size
from symlie.groups.standard import group_from_name
from symlie.ir.program import Program, Vector
from tests import tolerances
from tests.evaluation import Evaluation, assigned, symbols
from tests.groups.samples import GENERAL, SAMPLES, sample

DIGITS = 50

GROUPS = (
    "R3", "SO3", "S3", "SE3", "S3sR3", "SO3xR3", "S3xR3", "SO3xSO3", "SO2", "SE2", "SO3rv", "SO3rvxR3", "SE2xSO3rv",
)  # fmt: skip
EVERY = (*GROUPS, *SAMPLES)
"""All groups that must obey the laws: the standard ones and those stated in `samples`."""
ROTATING = ("SO3", "S3", "SE3", "S3sR3", "SO3xR3", "S3xR3", "SO3rv", "SO3rvxR3")
"""Groups with one rotation matrix in space."""
PLANAR = ("SO2", "SE2")
"""Groups with one rotation matrix in the plane."""

Numbers = list[mpf]


class NumericGroup:
    """The operations of a group on lists of numbers."""

    def __init__(self, group: LieGroup) -> None:
        self.group = group
        self.identity: Numbers = [mpf(int(c)) for c in group.identity]
        general = group.name in GENERAL
        self.scale = GENERAL.get(group.name, 1.0)
        self.tolerance = tolerances.GENERAL_FUNCTION if general else tolerances.IDENTITY
        self.difference = tolerances.GENERAL_FUNCTION if general else tolerances.DIFFERENCE
        self._compiled: dict[tuple[str, bool, bool, bool], Evaluation] = {}

    def _evaluate(
        self,
        key: tuple[str, bool, bool, bool],
        build: Callable[[Program, Vector, Vector], Vector],
        sizes: tuple[int, int],
        first: Sequence[mpf],
        second: Sequence[mpf],
    ) -> Numbers:
        a, b = symbols("a", sizes[0]), symbols("b", sizes[1])
        if key not in self._compiled:
            program = Program()
            self._compiled[key] = Evaluation(program, build(program, a, b))
        return self._compiled[key](assigned(a, first) | assigned(b, second), DIGITS)

    def vector(self, length: float, seed: int) -> Numbers:
        """A reproducible algebra vector with a norm, shorter where the domain is smaller."""
        return vector_of_length(length * self.scale, self.group.dimension, seed)

    def compose(self, *elements: Sequence[mpf]) -> Numbers:
        """a∘b∘…, from the left."""
        n = self.group.storage_dimension

        def product(a: Sequence[mpf], b: Sequence[mpf]) -> Numbers:
            return self._evaluate(
                ("compose", False, False, False), lambda _, x, y: self.group.compose(x, y), (n, n), a, b
            )

        return functools.reduce(product, [list(e) for e in elements])

    def between(self, a: Sequence[mpf], b: Sequence[mpf]) -> Numbers:
        """a⁻¹∘b."""
        n = self.group.storage_dimension
        return self._evaluate(("between", False, False, False), lambda _, x, y: self.group.between(x, y), (n, n), a, b)

    def _of_storage(self, name: str, function: Callable[[Vector], Vector], a: Sequence[mpf]) -> Numbers:
        key = (name, False, False, False)
        return self._evaluate(key, lambda _, x, __: function(x), (self.group.storage_dimension, 0), a, [])

    def inverse(self, a: Sequence[mpf]) -> Numbers:
        """a⁻¹."""
        return self._of_storage("inverse", self.group.inverse, a)

    def relations(self, a: Sequence[mpf]) -> Numbers:
        """The polynomials that vanish on the group."""
        return self._of_storage("relations", self.group.relations, a)

    def normalize(self, a: Sequence[mpf]) -> Numbers:
        """One step back to the relations."""
        return self._of_storage("normalize", self.group.normalize, a)

    def rotation(self, a: Sequence[mpf]) -> mpmath.matrix:
        """R(a), a square matrix."""
        assert self.group.rotation is not None
        return _matrix(self._of_storage("rotation", self.group.rotation, a), rotation_size(self.group))

    def exp(self, theta: Sequence[mpf]) -> Numbers:
        """exp(θ)."""
        key = ("exp", False, False, False)
        n = self.group.dimension
        return self._evaluate(
            key, lambda program, x, _: operators.exponential(program, self.group, x), (n, 0), theta, []
        )

    def log(self, a: Sequence[mpf]) -> Numbers:
        """log(a)."""
        key = ("log", False, False, False)
        n = self.group.storage_dimension
        return self._evaluate(key, lambda program, x, _: operators.logarithm(program, self.group, x), (n, 0), a, [])

    def storage_tangent(self, a: Sequence[mpf], v: Sequence[mpf]) -> Numbers:
        """K(a) v."""
        sizes = (self.group.storage_dimension, self.group.dimension)
        return self._evaluate(("K", False, False, False), self.group.storage_tangent, sizes, a, v)

    def storage_cotangent(self, a: Sequence[mpf], gradient: Sequence[mpf]) -> Numbers:
        """K(a)ᵀ applied to a gradient."""
        n = self.group.storage_dimension
        return self._evaluate(("K", False, False, True), self.group.storage_cotangent, (n, n), a, gradient)

    def adjoint(self, a: Sequence[mpf], w: Sequence[mpf], *, transpose: bool = False) -> Numbers:
        """Ad(a) w, or Ad(a)ᵀ w."""

        def build(program: Program, x: Vector, y: Vector) -> Vector:
            return operators.adjoint(program, self.group, x, y, transpose=transpose)

        sizes = (self.group.storage_dimension, self.group.dimension)
        return self._evaluate(("Ad", False, False, transpose), build, sizes, a, w)

    def ad(self, v: Sequence[mpf], w: Sequence[mpf], *, transpose: bool = False) -> Numbers:
        """ad_v w = [v, w], or ad_vᵀ w."""

        def build(program: Program, x: Vector, y: Vector) -> Vector:
            return operators.ad(program, self.group, x, y, transpose=transpose)

        sizes = (self.group.dimension, self.group.dimension)
        return self._evaluate(("ad", False, False, transpose), build, sizes, v, w)

    def tangent(
        self,
        theta: Sequence[mpf],
        w: Sequence[mpf],
        *,
        inverse: bool = False,
        negative: bool = False,
        transpose: bool = False,
    ) -> Numbers:
        """T(θ) w and its variants."""

        def build(program: Program, x: Vector, y: Vector) -> Vector:
            return operators.tangent_operator(
                program, self.group, x, y, inverse=inverse, negative=negative, transpose=transpose
            )

        sizes = (self.group.dimension, self.group.dimension)
        return self._evaluate(("T", inverse, negative, transpose), build, sizes, theta, w)

    def matrix_of(self, function: Callable[[Numbers], Numbers]) -> mpmath.matrix:
        """Matrix of a linear function of an algebra vector."""
        return columns([function(unit(self.group.dimension, i)) for i in range(self.group.dimension)])


@functools.cache
def numeric(name: str) -> NumericGroup:
    """The group of this name; operations are built once for the whole test run."""
    return NumericGroup(sample(name) if name in SAMPLES else group_from_name(name))


def unit(n: int, i: int) -> Numbers:
    """The i-th unit vector of R^n."""
    return [mpf(int(i == k)) for k in range(n)]


def columns(vectors: Sequence[Sequence[mpf]]) -> mpmath.matrix:
    """The matrix with these columns."""
    return mpmath.matrix([list(v) for v in vectors]).T


def _matrix(row_major: Sequence[mpf], n: int) -> mpmath.matrix:
    return mpmath.matrix([list(row_major[n * i : n * i + n]) for i in range(n)])


def times(matrix: mpmath.matrix, vector: Sequence[mpf]) -> Numbers:
    """Matrix times vector."""
    return list(matrix * mpmath.matrix(list(vector)))


def matrix_distance(a: mpmath.matrix, b: mpmath.matrix) -> mpf:
    """Largest difference of the entries."""
    difference = a - b
    return max(abs(x) for x in difference)


def add(*vectors: Sequence[mpf]) -> Numbers:
    """Sum of vectors."""
    return [sum(c, mpf(0)) for c in zip(*vectors, strict=True)]


def scaled(factor: object, vector: Sequence[mpf]) -> Numbers:
    """Factor times vector."""
    return [mpf(factor) * c for c in vector]


def dot(a: Sequence[mpf], b: Sequence[mpf]) -> mpf:
    """Scalar product."""
    return mpmath.fdot(a, b)


def derivative(function: Callable[[mpf], Sequence[mpf]]) -> Numbers:
    """Derivative at 0 by a central difference; its error is judged by `tolerances.DIFFERENCE`."""
    h = mpf(tolerances.DIFFERENCE_STEP)
    return [(a - b) / (2 * h) for a, b in zip(function(h), function(-h), strict=True)]


def vector_of_length(length: object, n: int, seed: int) -> Numbers:
    """A reproducible random vector of R^n with a given norm."""
    generator = random.Random(1000 * n + seed)
    direction = [mpf(generator.gauss(0, 1)) for _ in range(n)]
    return scaled(mpf(length) / mpmath.norm(direction), direction)


def random_vector(n: int, seed: int) -> Numbers:
    """A reproducible random vector of R^n with components up to 1."""
    generator = random.Random(7000 * n + seed)
    return [mpf(generator.uniform(-1, 1)) for _ in range(n)]


def random_element(group: NumericGroup, seed: int) -> Numbers:
    """A reproducible random group element with angles up to 2."""
    return group.exp(group.vector(2, seed))


def algebra_vectors(n: int, longest: float = 3.0) -> st.SearchStrategy[Numbers]:
    """Algebra vectors: zero, tiny (1e-7), moderate and long ones, up to a norm."""

    def build(direction: list[float], length: float) -> Numbers:
        norm = mpmath.norm([mpf(d) for d in direction])
        return [mpf(d) * length / norm for d in direction] if norm else [mpf(0)] * n

    lengths = st.sampled_from([1e-7, 0.5, longest]) | st.floats(0, longest)
    return st.builds(build, st.lists(st.floats(-1, 1, width=32), min_size=n, max_size=n), lengths)
