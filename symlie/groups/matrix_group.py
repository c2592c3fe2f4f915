"""Matrix groups, defined by a basis of their Lie algebra."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import sympy
from sympy import Expr, ImmutableMatrix, Integer, Matrix

from symlie.errors import GroupError
from symlie.groups import quaternions
from symlie.groups.definition import fields_of, with_rotation
from symlie.groups.general_functions import closure, diagonal_blocks
from symlie.groups.group import Field, LieGroup
from symlie.groups.standard import skew
from symlie.groups.validation import check_group, check_name
from symlie.ir.program import Program, Vector

Place = tuple[int, int]

_TURNS = {2: (Matrix([[0, -1], [1, 0]]),), 3: tuple(skew(sympy.eye(3)[:, k]) for k in range(3))}
"""Generators of rotations in the plane and in space."""


def matrix_group(
    name: str,
    basis: Sequence[Matrix | Sequence[Sequence[object]]],
    *,
    storage: Mapping[str, tuple[int | slice, int | slice]] | None = None,
    velocity: Mapping[str, int] | None = None,
    inverse: Callable[[Matrix], Matrix] | None = None,
    relations: Callable[[Matrix], Sequence[Expr | Matrix]] | None = None,
    normalize: Callable[[Matrix], Matrix] | None = None,
    rotation: Callable[[Matrix], Matrix] | None = None,
) -> LieGroup:
    """Define the connected group of matrices X = e^{A₁} e^{A₂} … with A_k in the span of a basis.

    Parameters
    ----------
    name
        Name, an identifier.
    basis
        Square matrices of rational numbers, one for each velocity component: X' = X Σ v_k E_k.
    storage
        Names of parts of X with their positions, as indices or slices of rows and columns, such as ``{"R": (slice(0,
        3), slice(0, 3)), "x": (slice(0, 3), 3)}``. The parts must cover every entry that is not constant. Default: one
        part ``X`` of all these entries in row-major order.
    velocity
        Names of parts of the velocity with their sizes; default: a single part ``v``.
    inverse
        X⁻¹ as a function of X; default: Xᵀ for skew-symmetric bases, else the adjugate over the determinant.
    relations
        Polynomials of X that vanish on the group; default: XᵀX - I for skew-symmetric bases, else none.
    normalize
        One step of a quadratically convergent projection onto the relations; default: towards the polar factor for
        skew-symmetric bases, else X itself, so that rounding errors are not corrected.
    rotation
        Rotation matrix as a homomorphism of X, such as ``lambda X: X[:3, :3]``; nodes then have the attribute ``R``.

    Raises
    ------
    GroupError
        If the matrices do not span a Lie algebra, the parts do not cover X, or another argument is invalid.
    """
    check_name(name)
    matrices = [ImmutableMatrix(m).applyfunc(sympy.nsimplify) for m in basis]
    n = _checked_size(name, matrices)
    entries = Matrix([list(m) for m in matrices]).T
    _check_algebra(name, matrices, entries)
    free = _free_entries(matrices)
    constants = {(i, j): Integer(int(i == j)) for i in range(n) for j in range(n)}
    fields, places = _places(name, n, free, storage)

    def matrix(components: Vector) -> Matrix:
        stored = dict(zip(places, components, strict=True))
        return Matrix(n, n, lambda i, j: stored.get((i, j), constants[i, j]))

    def components(x: Matrix) -> Vector:
        return tuple(sympy.sympify(x[p]) for p in places)

    is_skew = all(-m == m.T for m in matrices)
    is_unimodular = all(m.trace() == 0 for m in matrices)

    def inverted(x: Matrix) -> Matrix:
        if inverse is not None:
            return inverse(x)
        return x.T if is_skew else x.adjugate() if is_unimodular else x.adjugate() / x.det(method="berkowitz").expand()

    def related(x: Matrix) -> Sequence[Expr]:
        if relations is not None:
            return [e for r in relations(x) for e in (r if getattr(r, "is_Matrix", False) else [r])]
        return [*(x.T * x - sympy.eye(n)), *(x * x.T - sympy.eye(n))] if is_skew else []

    def returned(x: Matrix) -> Matrix:
        if normalize is not None:
            return normalize(x)
        return x - x * (x.T * x - sympy.eye(n)) / 2 if is_skew else x

    group = with_rotation(
        check_group(
            LieGroup(
                name=name,
                storage_fields=fields,
                velocity_fields=fields_of(velocity or {"v": len(matrices)}, len(matrices), f"The velocity of {name}"),
                compose=lambda a, b: components(matrix(a) * matrix(b)),
                inverse=lambda a: components(inverted(matrix(a))),
                identity=components(sympy.eye(n)),
                basis=entries.extract([n * i + j for i, j in places], list(range(len(matrices)))),
                relations=lambda a: tuple(sympy.sympify(e) for e in related(matrix(a))),
                normalize=lambda a: components(returned(matrix(a))),
                rotation=(lambda a: tuple(rotation(matrix(a)))) if rotation is not None else None,
                is_reduced=False,
                matrix=matrix,
            )
        )
    )
    return _with_rotation_blocks(group, matrices, matrix)


def _checked_size(name: str, matrices: Sequence[ImmutableMatrix]) -> int:
    if not matrices:
        raise GroupError(f"The basis of {name} is empty.")
    shapes = {m.shape for m in matrices}
    if len(shapes) > 1 or any(rows != columns for rows, columns in shapes):
        raise GroupError(f"The basis of {name} must be square matrices of one size.")
    if any(not e.is_Rational for m in matrices for e in m):
        raise GroupError(f"The basis of {name} must consist of rational numbers.")
    return int(matrices[0].rows)


def _check_algebra(name: str, matrices: Sequence[ImmutableMatrix], entries: Matrix) -> None:
    """Check that the basis is linearly independent and that the brackets lie in its span."""
    dimension = len(matrices)
    if entries.rank() < dimension:
        raise GroupError(f"The basis of {name} is linearly dependent.")
    projection = entries * (entries.T * entries).inv() * entries.T
    for i in range(dimension):
        for j in range(i):
            bracket = Matrix(list(matrices[i] * matrices[j] - matrices[j] * matrices[i]))
            if projection * bracket != bracket:
                raise GroupError(
                    f"The basis of {name} spans no Lie algebra: the bracket of its matrices {j + 1} and {i + 1} is "
                    "outside of the span."
                )


def _free_entries(matrices: Sequence[ImmutableMatrix]) -> list[Place]:
    """Return the entries of X that are not constant, by the pattern of products of basis matrices."""
    n = matrices[0].rows
    reach = closure([[any(m[i, j] != 0 for m in matrices) for j in range(n)] for i in range(n)])
    return [(i, j) for i in range(n) for j in range(n) if reach[i][j]]


def _places(
    name: str, n: int, free: list[Place], storage: Mapping[str, tuple[int | slice, int | slice]] | None
) -> tuple[tuple[Field, ...], list[Place]]:
    """Return the fields of the storage and the matrix entry of each stored component."""
    if storage is None:
        shape = (n, n) if len(free) == n * n else (len(free),)
        return (Field("X", 0, shape),), free
    fields: list[Field] = []
    places: list[Place] = []
    for label, (rows, columns) in storage.items():
        i, j = ([*range(n)[x]] if isinstance(x, slice) else [x] for x in (rows, columns))
        shape = (len(i), len(j)) if isinstance(rows, slice) and isinstance(columns, slice) else (len(i) * len(j),)
        fields.append(Field(label, len(places), shape))
        places += [(a, b) for a in i for b in j]
    missing = sorted(set(free) - set(places))
    if missing or len(set(places)) < len(places):
        what = f"entry {missing[0]} of the matrices is missing" if missing else "they overlap"
        raise GroupError(f"The storage of {name} must name every entry that is not constant once: {what}.")
    return tuple(fields), places


@dataclass(frozen=True)
class _RotationBlock:
    """Diagonal block s R of the matrices of a group."""

    rows: tuple[int, ...]
    """Row and column indices of the block."""
    turns: tuple[tuple[int, Expr], ...]
    """Component of θ that rotates about each axis, and its rate."""
    scale: tuple[int, Expr] | None
    """Component of θ that scales log s, and its rate; None if s = 1."""

    @property
    def places(self) -> tuple[int, ...]:
        """Components of θ determined by the block."""
        return tuple(k for k, _ in (*self.turns, *([self.scale] if self.scale else [])))

    def logarithm(self, program: Program, x: Matrix) -> Vector:
        """Return these components of the logarithm of a matrix."""
        n = len(self.rows)
        entries: Sequence[Expr] = tuple(x[i, j] for i in self.rows for j in self.rows)
        result: list[Expr] = []
        if self.scale:
            squared = program.scalar(sum((e**2 for e in entries), Integer(0)) / n)
            entries = program.vector([e / program.scalar(sympy.sqrt(squared)) for e in entries], "R")
            result.append(sympy.log(squared) / 2 / self.scale[1])
        omega = quaternions.logarithm_of_rotation(program, tuple(entries))
        return program.vector([*(w / c for w, (_, c) in zip(omega, self.turns, strict=True)), *result])


def _rotation_blocks(matrices: Sequence[ImmutableMatrix]) -> tuple[_RotationBlock, ...]:
    """Return the blocks of a basis of matrices that determine disjoint sets of components of θ."""
    pattern = ImmutableMatrix(sum((m.applyfunc(abs) for m in matrices), sympy.zeros(*matrices[0].shape)))
    blocks, known = [], set[int]()
    for rows in diagonal_blocks(pattern):
        block = _rotation_block(rows, [m.extract(list(rows), list(rows)) for m in matrices])
        if block is not None and known.isdisjoint(block.places):
            blocks.append(block)
            known |= set(block.places)
    return tuple(blocks)


def _rotation_block(rows: tuple[int, ...], parts: Sequence[Matrix]) -> _RotationBlock | None:
    """Return a block whose axes, and scale if any, correspond to one component of θ each; None for other forms."""
    n = len(rows)
    if n not in _TURNS:
        return None
    units = [*_TURNS[n], sympy.eye(n)]
    found: dict[int, tuple[int, Expr]] = {}
    for k, part in enumerate(parts):
        if part.is_zero_matrix:
            continue
        axis = next((a for a, unit in enumerate(units) if part == part[_first(unit)] / unit[_first(unit)] * unit), None)
        if axis is None or axis in found:
            return None
        found[axis] = k, part[_first(units[axis])] / units[axis][_first(units[axis])]
    if not set(range(len(units) - 1)) <= set(found):
        return None
    return _RotationBlock(rows, tuple(found[a] for a in range(len(units) - 1)), found.get(len(units) - 1))


def _first(matrix: Matrix) -> tuple[int, int]:
    """Return the index of the first nonzero entry."""
    return next((i, j) for i in range(matrix.rows) for j in range(matrix.cols) if matrix[i, j] != 0)


def _with_rotation_blocks(
    group: LieGroup, matrices: Sequence[ImmutableMatrix], matrix: Callable[[Vector], Matrix]
) -> LieGroup:
    """Add the logarithm of the rotation blocks to a group if it has such blocks and no logarithm yet."""
    blocks = _rotation_blocks(matrices)
    if group.rotation_logarithm is not None or not blocks:
        return group

    def logarithm(program: Program, components: Vector) -> Vector:
        x = matrix(components)
        return tuple(c for block in blocks for c in block.logarithm(program, x))

    places = tuple(k for block in blocks for k in block.places)
    return replace(group, rotation_logarithm=logarithm, logarithm_places=places)
