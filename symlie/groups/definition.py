"""Groups defined by storage, composition, inverse and identity."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import sympy
from sympy import Expr, Matrix

from symlie.errors import GroupError
from symlie.groups import quaternions
from symlie.groups.element import StoredElement
from symlie.groups.group import Field, LieGroup
from symlie.groups.rotation import rotation_generators, rotation_size
from symlie.groups.standard import skew
from symlie.groups.validation import check_group, check_name
from symlie.ir.program import Vector


def lie_group(
    name: str,
    *,
    storage: Mapping[str, int | tuple[int, ...]],
    compose: Callable[[StoredElement, StoredElement], object],
    inverse: Callable[[StoredElement], object],
    identity: Sequence[object],
    velocity: Mapping[str, int] | None = None,
    basis: object = None,
    relations: Callable[[StoredElement], Sequence[object]] | None = None,
    normalize: Callable[[StoredElement], object] | None = None,
    rotation: Callable[[StoredElement], object] | None = None,
) -> LieGroup:
    """Define a Lie group by its storage; its operators, exp and log are derived.

    Parameters
    ----------
    name
        Name, an identifier.
    storage
        Named parts of the stored components, each with a size or a shape: ``{"R": (3, 3), "x": 3}``.
    compose, inverse
        a∘b and a⁻¹ as functions of elements, which have these parts as attributes (a part of size one is an
        expression). They return all components: a sequence of expressions, vectors and matrices in the order of the
        storage. a∘b must be affine in b; otherwise define the group by matrices, see `matrix_group`.
    identity
        Components of e, in the same format.
    velocity
        Named parts of the velocity with their sizes; default: a single part ``v``.
    basis
        Rate of the storage at e for each unit velocity, shape (stored components, dimension). Default: the identity
        matrix, which is correct only if the stored components are independent.
    relations
        Sequence of polynomials that vanish on the group; default: none.
    normalize
        One step of a quadratically convergent projection onto the relations; default: the element itself.
    rotation
        Rotation matrix of an element, a homomorphism; nodes on the group then have the attribute ``R``.

    Raises
    ------
    GroupError
        If a group axiom fails, or sizes do not match.
    """
    check_name(name)
    fields = fields_of(storage, None, f"The storage of {name}")
    size = fields[-1].offset + fields[-1].size
    rates = Matrix(basis) if basis is not None else sympy.eye(size)
    if rates.rows != size:
        raise GroupError(f"The basis of {name} needs {size} rows, one for each stored component, not {rates.rows}.")

    def checked(what: str, value: object) -> Vector:
        components = flat(value)
        if len(components) != size:
            raise GroupError(f"The {what} of {name} has {len(components)} components; the storage has {size}.")
        return components

    def element(a: Vector) -> StoredElement:
        return StoredElement(fields, a)

    return with_rotation(
        check_group(
            LieGroup(
                name=name,
                storage_fields=fields,
                velocity_fields=fields_of(velocity or {"v": rates.cols}, rates.cols, f"The velocity of {name}"),
                compose=lambda a, b: checked("composition", compose(element(a), element(b))),
                inverse=lambda a: checked("inverse", inverse(element(a))),
                identity=checked("identity", identity),
                basis=rates,
                relations=lambda a: flat(relations(element(a))) if relations is not None else (),
                normalize=lambda a: (
                    checked("normalized element", normalize(element(a))) if normalize is not None else a
                ),
                rotation=(lambda a: flat(rotation(element(a)))) if rotation is not None else None,
                is_reduced=False,
            )
        )
    )


def with_rotation(group: LieGroup) -> LieGroup:
    """Add the logarithm of the rotation to a group if only its leading velocities rotate the rotation matrix."""
    if group.rotation is None:
        return group
    rotation, n = group.rotation, rotation_size(group)
    units = {2: [Matrix([[0, -1], [1, 0]])], 3: [skew(sympy.eye(3)[:, k]) for k in range(3)]}.get(n, [])
    expected = [*units, *[sympy.zeros(n, n)] * (group.dimension - len(units))]
    if not units or [Matrix(g) for g in rotation_generators(group)] != expected:
        return group
    return replace(group, rotation_logarithm=lambda program, a: quaternions.logarithm_of_rotation(program, rotation(a)))


def flat(value: StoredElement | Expr | Sequence[object]) -> Vector:
    """Flatten a sequence of expressions, vectors and matrices into one tuple of components."""
    if isinstance(value, StoredElement):
        return value.components
    if getattr(value, "is_Matrix", False) or isinstance(value, Sequence):
        return tuple(c for part in value for c in flat(part))
    return (sympy.sympify(value),)


def fields_of(sizes: Mapping[str, int | tuple[int, ...]], total: int | None, what: str) -> tuple[Field, ...]:
    """Return named parts at consecutive offsets, or raise `GroupError` for invalid names or sizes."""
    shapes = [size if isinstance(size, tuple) else (size,) for size in sizes.values()]
    ends = [0, *itertools.accumulate(math.prod(shape) for shape in shapes)]
    for label in sizes:
        check_name(label)
    if total is not None and ends[-1] != total:
        raise GroupError(f"{what} has {total} components, but its parts have {ends[-1]} together.")
    if not shapes or any(s < 1 for shape in shapes for s in shape):
        raise GroupError(f"{what} needs parts with at least one component each.")
    return tuple(Field(label, start, shape) for label, start, shape in zip(sizes, ends[:-1], shapes, strict=True))
