"""Definition of a Lie group by storage, composition, inverse and identity; everything else is derived."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import sympy
from sympy import Expr, Integer, Matrix

from symlie.groups.rotation import factor, rotate, rotation_size
from symlie.ir.program import Program, Space, Vector, substitute

if TYPE_CHECKING:
    from symlie.groups.rotation_parameters import RotationParameters


@dataclass(frozen=True)
class Field:
    """Named part of the storage or of the velocity of a group."""

    name: str
    offset: int
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """Number of components."""
        return math.prod(self.shape)


class NearLogarithm(NamedTuple):
    """Rotation vector κ a of an element near the identity, as axis a and scale κ, and κ² g₀(|κ a|²)."""

    axis: Vector
    scale: Expr
    cotangent: Expr


@dataclass(frozen=True, eq=False)
class LieGroup:
    """Definition of a Lie group by its storage.

    Parameters
    ----------
    name
        Name in models and on the command line.
    storage_fields, velocity_fields
        Named parts of the stored components and of the (left-trivialised) velocity.
    compose, inverse
        Components of a∘b and of a⁻¹, as expressions.
    identity
        Components of e.
    basis
        Rate of the storage at e for each unit velocity, shape (storage, dimension). It defines the meaning of the
        velocity components, for instance the physical angular velocity on S³.
    relations
        Polynomials that vanish on the group, such as RᵀR - I and the cofactor relations.
    normalize
        One step of a quadratically convergent projection onto the relations, as expressions.
    rotation
        Rotation matrix (row-major, n × n) by which the group acts, an orthogonal representation; None if it has none.
    between_form
        Cheaper expression of a⁻¹∘b than the composition with the inverse, if one exists.
    rotation_logarithm
        Known components of log(a), as expressions; the others follow from them. None: no rotation part.
    logarithm_places
        Indices of these components; None: the leading ones.
    near_logarithm
        As ``rotation_logarithm``, for elements near the identity; None: ``rotation_logarithm`` is used.
    coordinates_of
        Group of which the storage holds local coordinates, if the composition is not affine in its second argument. Its
        operators are used. The coordinates are canonical coordinates of the first kind, q = log of an element, unless
        ``stored_as`` is set.
    stored_as
        Coordinates in the storage, if they are not canonical coordinates of the first kind.
    stepped_in
        Group Rⁿ with the same storage, if a step adds an increment to the stored components instead of applying exp.
    rotation_parameters
        Classical coordinates of a rotation that form the storage of a group Rⁿ.
    is_reduced
        True if derived polynomials are reduced to normal form modulo the relations, which needs a Gröbner basis.
    factors
        Factors of a direct product; empty otherwise.
    matrix
        Matrix of an element as a function of its stored components, for groups defined by matrices.
    """

    name: str
    storage_fields: tuple[Field, ...]
    velocity_fields: tuple[Field, ...]
    compose: Callable[[Vector, Vector], Vector]
    inverse: Callable[[Vector], Vector]
    identity: Vector
    basis: Matrix
    relations: Callable[[Vector], Vector]
    normalize: Callable[[Vector], Vector]
    rotation: Callable[[Vector], Vector] | None = None
    between_form: Callable[[Vector, Vector], Vector] | None = None
    rotation_logarithm: Callable[[Program, Vector], Vector] | None = None
    logarithm_places: tuple[int, ...] | None = None
    near_logarithm: Callable[[Program, Vector], NearLogarithm] | None = None
    coordinates_of: LieGroup | None = None
    stored_as: RotationParameters | None = None
    stepped_in: LieGroup | None = None
    rotation_parameters: RotationParameters | None = None
    is_reduced: bool = True
    factors: tuple[LieGroup, ...] = ()
    matrix: Callable[[Vector], Matrix] | None = None

    @property
    def storage_dimension(self) -> int:
        """Number of stored components."""
        return len(self.identity)

    @property
    def dimension(self) -> int:
        """Dimension of the group and of its Lie algebra."""
        return int(self.basis.shape[1])

    @property
    def velocity_dimension(self) -> int:
        """Number of velocity components of a node on the group, equal to ``dimension``."""
        return self.dimension

    @property
    def simple_factors(self) -> tuple[tuple[LieGroup, int, int], ...]:
        """Factors that are not direct products, each with its storage offset and its algebra offset."""
        if not self.factors:
            return ((self, 0, 0),)
        rows = []
        storage = algebra = 0
        for part in self.factors:
            rows += [(g, storage + s, algebra + a) for g, s, a in part.simple_factors]
            storage += part.storage_dimension
            algebra += part.dimension
        return tuple(rows)

    def between(self, a: Vector, b: Vector) -> Vector:
        """Return the components of a⁻¹∘b.

        Parameters
        ----------
        a, b
            Storage of two elements.
        """
        return self.between_form(a, b) if self.between_form else self.compose(self.inverse(a), b)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"LieGroup({self.name})"

    def storage_tangent(self, program: Program, storage: Vector, tangent: Vector) -> Vector:
        """Return the rate of the storage, K(q) v = D(q∘·)(e) v, with ``storage_dimension`` components.

        Parameters
        ----------
        program
            Program to which the statements are appended.
        storage
            Storage of the element.
        tangent
            Components of v in the Lie algebra.
        """
        return self._storage_rate(program, storage, tangent, transpose=False)

    def storage_cotangent(self, program: Program, storage: Vector, cotangent: Vector) -> Vector:
        """Return K(q)ᵀ applied to a gradient by the storage, with ``dimension`` components.

        Parameters
        ----------
        program
            Program to which the statements are appended.
        storage
            Storage of the element.
        cotangent
            Derivatives by the stored components.
        """
        return self._storage_rate(program, storage, cotangent, transpose=True)

    def algebra_tangent(self, program: Program, storage: Vector, rate: Vector) -> Vector:
        """Return the velocity for a rate of the storage, the inverse of `storage_tangent` on tangent vectors.

        Parameters
        ----------
        program
            Program to which the statements are appended.
        storage
            Storage of the element.
        rate
            Rates of the stored components, tangent to the group.
        """
        from symlie.groups.operators import tangent_operator

        result: list[Expr] = []
        for index, (g, start, _) in enumerate(self.simple_factors):
            part = factor(program, self, storage, index)
            own = program.vector(rate[start : start + g.storage_dimension], "d")
            if g.stored_as is not None:
                result += program.vector(list(g.stored_as.kinematic_matrix(program, part) * Matrix(own)))
            elif g.coordinates_of is not None:
                result += tangent_operator(program, g, part, own)
            else:
                result += apply_linear(program, g, left_division, part, own)
        return tuple(result)

    def _storage_rate(self, program: Program, storage: Vector, operand: Vector, *, transpose: bool) -> Vector:
        if all(g.coordinates_of is None for g, _, _ in self.simple_factors):
            return apply_linear(program, self, left_translation, storage, operand, transpose=transpose)
        from symlie.groups.operators import tangent_operator

        result: list[Expr] = []
        for index, (g, stored, offset) in enumerate(self.simple_factors):
            start, size = (stored, g.storage_dimension) if transpose else (offset, g.dimension)
            part, x = factor(program, self, storage, index), tuple(operand[start : start + size])
            if g.stored_as is not None:
                matrix = g.stored_as.inverse_kinematic_matrix(program, part)
                result += program.vector(list((matrix.T if transpose else matrix) * Matrix(x)))
            elif g.coordinates_of is not None:
                result += tangent_operator(program, g, part, x, inverse=True, transpose=transpose)
            else:
                result += apply_linear(program, g, left_translation, part, x, transpose=transpose)
        return tuple(result)


@functools.cache
def storage_symbols(space: Space, stem: str = "q") -> Vector:
    """Return symbols for the storage of one element."""
    return tuple(sympy.Symbol(f"{stem}{i}", real=True) for i in range(space.storage_dimension))


@functools.cache
def algebra_symbols(group: LieGroup) -> tuple[sympy.Symbol, ...]:
    """Return the symbols θ_1 … θ_n of the Lie algebra."""
    return tuple(sympy.symbols(f"theta1:{group.dimension + 1}", real=True))


def jacobian(values: Sequence[Expr], symbols: Sequence[sympy.Symbol]) -> Matrix:
    """Return the Jacobian, shape (values, symbols); only entries whose value contains the symbol are differentiated."""
    held = [value.free_symbols for value in values]
    return Matrix(
        len(values),
        len(symbols),
        [
            value.diff(symbol) if symbol in own else Integer(0)
            for value, own in zip(values, held, strict=True)
            for symbol in symbols
        ],
    )


@functools.cache
def left_translation(group: LieGroup) -> Matrix:
    """Return K(q), the derivative of q∘h by h at the identity times the basis, shape (storage, dimension)."""
    q, h = storage_symbols(group), storage_symbols(group, "h")
    slopes = jacobian(group.compose(q, h), h).xreplace(dict(zip(h, group.identity, strict=True)))
    return (slopes * group.basis).expand()


@functools.cache
def left_division(group: LieGroup) -> Matrix:
    """Return the left inverse of K(q) that maps rates of the storage at q to velocities, shape (dimension, storage)."""
    q, b = storage_symbols(group), storage_symbols(group, "b")
    slopes = jacobian(group.between(q, b), b).xreplace(dict(zip(b, q, strict=True)))
    return (coordinates(group) * slopes).expand()


@functools.cache
def right_translation(group: LieGroup) -> Matrix:
    """Return the derivative of h∘q by h at the identity times the basis, shape (storage, dimension)."""
    q, h = storage_symbols(group), storage_symbols(group, "h")
    slopes = jacobian(group.compose(h, q), h).xreplace(dict(zip(h, group.identity, strict=True)))
    return (slopes * group.basis).expand()


@functools.cache
def coordinates(group: LieGroup) -> Matrix:
    """Return the left inverse of the basis, which maps the rate of the storage at the identity to the velocity."""
    basis = group.basis
    return (basis.T * basis).inv() * basis.T


@functools.cache
def _relation_basis(group: LieGroup) -> tuple[Expr, ...]:
    if not group.is_reduced:
        return ()
    q = storage_symbols(group)
    relations = [r for r in map(sympy.expand, group.relations(q)) if r != 0]
    if not relations:
        return ()
    return tuple(sympy.groebner(list(dict.fromkeys(relations)), *q, order="grevlex").exprs)


def reduce_by_relations(group: LieGroup, matrix: Matrix) -> Matrix:
    """Return the normal form of polynomials in `storage_symbols` modulo the relations of the group."""
    basis = _relation_basis(group)
    q = storage_symbols(group)

    def reduced(entry: Expr) -> Expr:
        entry = sympy.expand(entry)
        if not basis or entry == 0:
            return entry
        return sympy.reduced(entry, basis, *q, order="grevlex")[1]

    return matrix.applyfunc(reduced)


@functools.cache
def rotation_matrix(group: LieGroup) -> Matrix:
    """Return R(q), a square matrix in `storage_symbols`."""
    if group.rotation is None:
        raise TypeError(f"{group.name} has no rotation matrix")
    size = rotation_size(group)
    return Matrix(size, size, group.rotation(storage_symbols(group)))


@functools.cache
def _parts(
    group: LieGroup, matrix_of: Callable[[LieGroup], Matrix]
) -> tuple[list[tuple[int, int]], list[tuple[int, int, Expr]]]:
    """Return the places of blocks equal to R(q) in a matrix, and its other entries, with row and column."""
    remaining = matrix_of(group).as_mutable()
    rows, columns = remaining.shape
    blocks = []
    if group.rotation is not None:
        rotation = rotation_matrix(group)
        n = rotation.rows
        for i, j in itertools.product(range(rows - n + 1), range(columns - n + 1)):
            if remaining[i : i + n, j : j + n] == rotation:
                remaining[i : i + n, j : j + n] = sympy.zeros(n, n)
                blocks.append((i, j))
    places = itertools.product(range(rows), range(columns))
    return blocks, [(i, j, remaining[i, j]) for i, j in places if remaining[i, j] != 0]


def apply_linear(
    program: Program,
    group: LieGroup,
    matrix_of: Callable[[LieGroup], Matrix],
    storage: Vector,
    vector: Vector,
    *,
    transpose: bool = False,
) -> Vector:
    """Apply a matrix of a group in `storage_symbols` to a vector, with `rotate` for blocks that equal R(q)."""
    # R(q) w as one operation lets Rᵀ(R w) cancel.
    blocks, entries = _parts(group, matrix_of)
    rows, columns = matrix_of(group).shape
    result: list[Expr] = [Integer(0)] * (columns if transpose else rows)
    replacements = dict(zip(storage_symbols(group), storage, strict=True))
    for i, j in blocks:
        source, target = (i, j) if transpose else (j, i)
        part = tuple(vector[source : source + rotation_size(group)])
        for k, rotated in enumerate(rotate(program, group, storage, part, transpose=transpose)):
            result[target + k] += rotated
    for i, j, entry in entries:
        source, target = (i, j) if transpose else (j, i)
        result[target] += substitute(entry, replacements) * vector[source]
    return tuple(result)


@functools.cache
def direct_product(*factors: LieGroup) -> LieGroup:
    """Return the direct product of groups; fields with equal names get the number of their factor as a suffix.

    Products of the same factors are the same object.

    Parameters
    ----------
    *factors
        Groups in the order of their storage and velocities.
    """
    storage_fields = _joined_fields([f.storage_fields for f in factors], [f.storage_dimension for f in factors])
    velocity_fields = _joined_fields([f.velocity_fields for f in factors], [f.dimension for f in factors])
    bounds = [0, *itertools.accumulate(f.storage_dimension for f in factors)]

    def parts(q: Vector) -> list[Vector]:
        return [tuple(q[a:b]) for a, b in itertools.pairwise(bounds)]

    def joined(vectors: Sequence[Vector]) -> Vector:
        return tuple(c for v in vectors for c in v)

    rotating = [i for i, f in enumerate(factors) if f.rotation is not None]
    rotation = None
    if len(rotating) == 1:
        index = rotating[0]
        factor_rotation = factors[index].rotation
        assert factor_rotation is not None

        def rotation(q: Vector) -> Vector:
            return factor_rotation(parts(q)[index])

    return LieGroup(
        name="x".join(f.name for f in factors),
        storage_fields=storage_fields,
        velocity_fields=velocity_fields,
        compose=lambda a, b: joined([f.compose(p, r) for f, p, r in zip(factors, parts(a), parts(b), strict=True)]),
        inverse=lambda a: joined([f.inverse(p) for f, p in zip(factors, parts(a), strict=True)]),
        between_form=lambda a, b: joined(
            [f.between(p, r) for f, p, r in zip(factors, parts(a), parts(b), strict=True)]
        ),
        identity=joined([f.identity for f in factors]),
        basis=sympy.diag(*[f.basis for f in factors]),
        relations=lambda a: joined([f.relations(p) for f, p in zip(factors, parts(a), strict=True)]),
        normalize=lambda a: joined([f.normalize(p) for f, p in zip(factors, parts(a), strict=True)]),
        rotation=rotation,
        factors=factors,
    )


@functools.cache
def step_group(group: LieGroup) -> LieGroup:
    """Return the group of the local coordinates of steps: Rⁿ for factors whose steps add to the stored components."""
    if all(g.stepped_in is None for g, _, _ in group.simple_factors):
        return group
    factors = [g.stepped_in or g for g, _, _ in group.simple_factors]
    return factors[0] if len(factors) == 1 else direct_product(*factors)


def _joined_fields(groups: Sequence[tuple[Field, ...]], sizes: Sequence[int]) -> tuple[Field, ...]:
    names = [f.name for fields in groups for f in fields]
    result = []
    offset = 0
    for number, (fields, size) in enumerate(zip(groups, sizes, strict=True), start=1):
        for field in fields:
            name = field.name if names.count(field.name) == 1 else f"{field.name}{number}"
            result.append(Field(name, offset + field.offset, field.shape))
        offset += size
    return tuple(result)
