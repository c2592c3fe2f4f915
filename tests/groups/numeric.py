"""Groups as functions of numbers: every operation derived for a group, built once and evaluated in 50 digits."""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Callable, Sequence

import mpmath
from hypothesis import strategies as st
from mpmath import mpf

from symlie.groups import operators
from symlie.groups.group import LieGroup
from symlie.groups.rotation import rotation_size
from symlie.groups.standard import NAMED, group_from_name
from symlie.ir.program import Program, Vector
from tests import tolerances
from tests.evaluation import Evaluation, symbols
from tests.groups.samples import GENERAL, SAMPLES, sample

DIGITS = 50

GROUPS = (*NAMED, "R3", "SO3xR3", "S3xR3", "SO3xSO3", "SO3rvxR3", "SE2xSO3rv")
EVERY = (*GROUPS, *SAMPLES)
"""All groups that must obey the laws: the standard ones and those defined in `samples`."""
ROTATING = ("SO3", "S3", "SE3", "S3sR3", "SO3xR3", "S3xR3", "SO3rv", "SO3rvxR3", "euler_angles_lie")
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
        self._compiled: dict[object, Evaluation] = {}

    def _evaluate(self, key: object, build: Callable[..., Vector], *vectors: Sequence[mpf]) -> Numbers:
        inputs = [symbols(stem, len(vector)) for stem, vector in zip("ab", vectors, strict=False)]
        if key not in self._compiled:
            program = Program()
            self._compiled[key] = Evaluation(program, build(program, *inputs))
        pairs = zip(itertools.chain(*inputs), itertools.chain(*vectors), strict=True)
        return self._compiled[key](dict(pairs), DIGITS)

    def evaluate(self, function: Callable[..., Vector], *vectors: Sequence[mpf], **options: bool) -> Numbers:
        """A function of a program, the group and one or two vectors, such as those in `operators`."""

        def build(program: Program, *inputs: Vector) -> Vector:
            return function(program, self.group, *inputs, **options)

        return self._evaluate((function, *options.items()), build, *vectors)

    def vector(self, length: float, seed: int) -> Numbers:
        """A reproducible algebra vector with a norm, shorter where the domain is smaller."""
        return vector_of_length(length * self.scale, self.group.dimension, seed)

    def compose(self, *elements: Sequence[mpf]) -> Numbers:
        """a∘b∘…, from the left."""

        def product(a: Sequence[mpf], b: Sequence[mpf]) -> Numbers:
            return self._evaluate("compose", lambda _, x, y: self.group.compose(x, y), a, b)

        return functools.reduce(product, [list(e) for e in elements])

    def between(self, a: Sequence[mpf], b: Sequence[mpf]) -> Numbers:
        """a⁻¹∘b."""
        return self._evaluate("between", lambda _, x, y: self.group.between(x, y), a, b)

    def inverse(self, a: Sequence[mpf]) -> Numbers:
        """a⁻¹."""
        return self._evaluate("inverse", lambda _, x: self.group.inverse(x), a)

    def relations(self, a: Sequence[mpf]) -> Numbers:
        """The polynomials that vanish on the group."""
        return self._evaluate("relations", lambda _, x: self.group.relations(x), a)

    def normalize(self, a: Sequence[mpf]) -> Numbers:
        """One step back to the relations."""
        return self._evaluate("normalize", lambda _, x: self.group.normalize(x), a)

    def rotation(self, a: Sequence[mpf]) -> mpmath.matrix:
        """R(a), a square matrix."""
        rotation = self.group.rotation
        assert rotation is not None
        return _matrix(self._evaluate("rotation", lambda _, x: rotation(x), a), rotation_size(self.group))

    def exp(self, theta: Sequence[mpf]) -> Numbers:
        """exp(θ)."""
        return self.evaluate(operators.exponential, theta)

    def log(self, a: Sequence[mpf]) -> Numbers:
        """log(a)."""
        return self.evaluate(operators.logarithm, a)

    def storage_tangent(self, a: Sequence[mpf], v: Sequence[mpf]) -> Numbers:
        """K(a) v."""
        return self._evaluate("K", self.group.storage_tangent, a, v)

    def storage_cotangent(self, a: Sequence[mpf], gradient: Sequence[mpf]) -> Numbers:
        """K(a)ᵀ applied to a gradient."""
        return self._evaluate("transpose of K", self.group.storage_cotangent, a, gradient)

    def adjoint(self, a: Sequence[mpf], w: Sequence[mpf], *, transpose: bool = False) -> Numbers:
        """Ad(a) w, or Ad(a)ᵀ w."""
        return self.evaluate(operators.adjoint, a, w, transpose=transpose)

    def ad(self, v: Sequence[mpf], w: Sequence[mpf], *, transpose: bool = False) -> Numbers:
        """ad_v w = [v, w], or ad_vᵀ w."""
        return self.evaluate(operators.ad, v, w, transpose=transpose)

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
        options = {"inverse": inverse, "negative": negative, "transpose": transpose}
        return self.evaluate(operators.tangent_operator, theta, w, **options)

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
