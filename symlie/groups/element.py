"""Group elements whose named fields are attributes, for the definitions of groups."""

from __future__ import annotations

import sympy
from sympy import Expr, ImmutableDenseMatrix

from symlie.groups.group import Field, LieGroup
from symlie.groups.rotation import rotation_size
from symlie.ir.program import Vector


class StoredElement:
    """Stored components with fields as attributes: an expression for one component, else a column or a matrix."""

    def __init__(self, group: LieGroup | tuple[Field, ...], components: Vector) -> None:
        self.components = tuple(components)
        self._fields = group.storage_fields if isinstance(group, LieGroup) else group
        self._group = group if isinstance(group, LieGroup) else None

    def __getattr__(self, name: str) -> Expr | ImmutableDenseMatrix:
        if name.startswith("_"):
            raise AttributeError(name)
        for field in self._fields:
            if field.name == name:
                return part_of(field, self.components)
        if name == "R" and self._group is not None and self._group.rotation is not None:
            n = rotation_size(self._group)
            return ImmutableDenseMatrix(n, n, list(self._group.rotation(self.components)))
        known = [f.name for f in self._fields]
        raise AttributeError(f"An element has no field '{name}' here; it has: {', '.join(known)}.")

    def __iter__(self) -> object:
        return iter(self.components)

    def __getitem__(self, index: int) -> Expr:
        return self.components[index]


def part_of(field: Field, components: Vector) -> Expr | ImmutableDenseMatrix:
    """Return the field of stored components as an expression, a column or a matrix."""
    part = [sympy.sympify(c) for c in components[field.offset : field.offset + field.size]]
    if field.size == 1:
        return part[0]
    return ImmutableDenseMatrix(*(field.shape if len(field.shape) == 2 else (field.size, 1)), part)
