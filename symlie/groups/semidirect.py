"""Semidirect products G⋉V defined by the action of G on V = R^n."""

from __future__ import annotations

from collections.abc import Callable

import sympy
from sympy import Expr, Matrix

from symlie.errors import GroupError
from symlie.groups.element import StoredElement
from symlie.groups.group import Field, LieGroup
from symlie.ir.program import Vector


def semidirect_product(
    group: LieGroup, space: LieGroup, action: Callable[[StoredElement], object], name: str, *, velocity: str = "U"
) -> LieGroup:
    """Return the group of pairs (a, x) with (a, x)∘(b, y) = (a∘b, x + ρ(a) y).

    Parameters
    ----------
    group
        G, a group with polynomial composition.
    space
        V: R^n, or a direct product R^n x R^n … of equal spaces with the same action of G on each.
    action
        ρ, a linear representation of G: function of an element a of G with its fields (``a.R``, ``a.p``, …). It returns
        a matrix n × n (a number or an expression if n = 1).
    name
        Name of the product, an identifier.
    velocity
        Name of the velocity of V, ρ(a)⁻¹ x', which is body-fixed if ρ is a rotation.

    Returns
    -------
    LieGroup
        Storage: the fields of G, then ``x`` of V, or ``x1``, ``x2``, … of a direct product. Velocity: the fields of G,
        then ``U``, or ``U1``, ``U2``, …, with the name ``velocity`` instead of ``U``.

    Raises
    ------
    GroupError
        If the action is not a linear representation of G on V.
    """
    from symlie.groups.validation import check_action, check_name

    check_name(name)
    if group.coordinates_of is not None:
        raise GroupError(
            f"The semidirect product {name} needs a group with polynomial composition; use {group.coordinates_of} "
            f"instead of {group}."
        )
    if any(factor.name != f"R{factor.dimension}" for factor, _, _ in space.simple_factors):
        raise GroupError(f"In the semidirect product {name}, {group} acts on R^n, not on {space}.")
    check_action(name, group, action_matrix(group, space, action, name))
    return semidirect(group, space, action, name, velocity=velocity)


def action_matrix(
    group: LieGroup, space: LieGroup, action: Callable[[StoredElement], object], name: str
) -> Callable[[Vector], Matrix]:
    """Return ρ as a matrix on all of V, as a function of the stored components of G."""
    m = space.dimension

    def matrix(a: Vector) -> Matrix:
        block = action(StoredElement(group, a))
        block = Matrix(block) if getattr(block, "is_Matrix", False) else Matrix([[sympy.sympify(block)]])
        if block.rows != block.cols or m % block.rows:
            raise GroupError(
                f"The action of {name} is a {block.rows} × {block.cols} matrix; on {space} it must be square with "
                f"{m} rows, or a divisor of {m} of them."
            )
        return sympy.diag(*[block] * (m // block.rows))

    return matrix


def semidirect(
    group: LieGroup, space: LieGroup, action: Callable[[StoredElement], object], name: str, *, velocity: str = "U"
) -> LieGroup:
    """Return a semidirect product without checks of its arguments."""
    n, matrix = group.storage_dimension, action_matrix(group, space, action, name)

    def acted(a: Vector, x: Vector) -> Vector:
        return tuple(matrix(a) * Matrix(x))

    def joined(a: Vector, x: Vector) -> Vector:
        return (*a, *x)

    def compose(a: Vector, b: Vector) -> Vector:
        moved = acted(a[:n], b[n:])
        return joined(group.compose(a[:n], b[:n]), tuple(x + y for x, y in zip(a[n:], moved, strict=True)))

    def inverse(a: Vector) -> Vector:
        back = group.inverse(a[:n])
        return joined(back, tuple(-x for x in acted(back, a[n:])))

    def between(a: Vector, b: Vector) -> Vector:
        difference: list[Expr] = [y - x for x, y in zip(a[n:], b[n:], strict=True)]
        return joined(group.between(a[:n], b[:n]), acted(group.inverse(a[:n]), tuple(difference)))

    moved_by = [Field(f.name.replace("x_dot", velocity), group.dimension + f.offset, f.shape)
                for f in space.velocity_fields]  # fmt: skip
    rotation, logarithm, near = group.rotation, group.rotation_logarithm, group.near_logarithm
    return LieGroup(
        name=name,
        storage_fields=(*group.storage_fields, *(Field(f.name, n + f.offset, f.shape) for f in space.storage_fields)),
        velocity_fields=(*group.velocity_fields, *moved_by),
        compose=compose,
        inverse=inverse,
        between_form=between,
        identity=group.identity + space.identity,
        basis=sympy.diag(group.basis, space.basis),
        relations=lambda a: group.relations(a[:n]),
        normalize=lambda a: (*group.normalize(a[:n]), *a[n:]),
        is_reduced=group.is_reduced,
        rotation=(lambda a: rotation(a[:n])) if rotation else None,
        rotation_logarithm=(lambda program, a: logarithm(program, a[:n])) if logarithm else None,
        logarithm_places=group.logarithm_places,
        near_logarithm=(lambda program, a: near(program, a[:n])) if near else None,
    )
