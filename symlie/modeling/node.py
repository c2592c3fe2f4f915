"""Nodes, their fields, and group elements whose operations extend the program."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from sympy import Expr, MatrixBase, Symbol

from symlie.errors import ModelError, UnknownFieldError
from symlie.groups.classical.turned import ByCoordinates
from symlie.groups.group import Field, LieGroup, storage_symbols
from symlie.groups.homogeneous import ConfigurationSpace
from symlie.groups.operations import Compose, Exponential, Inverse, Logarithm
from symlie.groups.rotation import rotate, rotation_size
from symlie.groups.rotation_parameters import parametrised_rotation
from symlie.ir.program import Euclidean, Program, Value, Vector
from symlie.modeling.expressions import components
from symlie.modeling.parametrised import RotationByParameters
from symlie.modeling.summaries import element_text, escaped, rotation_latex
from symlie.modeling.symbolic import (
    Expression,
    SymbolicMatrix,
    described,
    is_matrix,
    name_components,
    of_arrays,
    operand,
)
from symlie.retired import hint
from symlie.utilities.showing import line, listed


class RotationMatrix:
    """A rotation matrix R(q) or R(q)ᵀ whose products with vectors are single statements of the program.

    All other operations (indexing, sums, products with matrices) use the plain matrix of its entries.
    """

    _op_priority = 20.0
    __array_ufunc__ = None  # NumPy then delegates products with arrays to this class
    is_Matrix = True

    def __init__(self, program: Program, group: LieGroup, storage: Vector, *, transposed: bool = False) -> None:
        assert group.rotation is not None
        n = rotation_size(group)
        self.shape = (n, n)
        entries = SymbolicMatrix(n, n, list(group.rotation(storage)))
        self.matrix = entries.T if transposed else entries
        self._program, self._group, self._storage, self._transposed = program, group, storage, transposed

    def __repr__(self) -> str:
        mark = "ᵀ" if self._transposed else ""
        return line("RotationMatrix", [f"R{mark}({element_text(self._program, self._storage)})", f"of {self._group}"])

    def _repr_latex_(self) -> str:
        return rotation_latex(self._program, self._group, self._storage, self._transposed, self.matrix)

    @property
    def T(self) -> RotationMatrix:
        """Transpose, also a rotation matrix."""
        return RotationMatrix(self._program, self._group, self._storage, transposed=not self._transposed)

    def __mul__(self, other: object) -> MatrixBase:
        if isinstance(other, RotationMatrix):
            return self.matrix * other.matrix
        right = operand(other)
        if not is_matrix(right):
            return self.matrix * right
        if right.rows != self.shape[0]:
            raise ModelError(
                f"A rotation matrix {self.shape[0]} × {self.shape[0]} cannot multiply {described(right).lower()}."
            )
        columns = [
            rotate(self._program, self._group, self._storage, components(right[:, j]), transpose=self._transposed)
            for j in range(right.cols)
        ]
        return SymbolicMatrix(self.shape[0], len(columns), lambda i, j: columns[j][i])

    __matmul__ = __mul__

    def __rmul__(self, other: object) -> MatrixBase:
        return operand(other) * self.matrix

    __rmatmul__ = __rmul__

    def __add__(self, other: object) -> MatrixBase:
        return self.matrix + other

    __radd__ = __add__

    def __sub__(self, other: object) -> MatrixBase:
        return self.matrix - other

    def __rsub__(self, other: object) -> MatrixBase:
        return other - self.matrix

    def __neg__(self) -> MatrixBase:
        return -self.matrix

    def __array_function__(
        self, function: Callable[..., object], types: object, values: tuple[object, ...], options: dict[str, object]
    ) -> object:
        return of_arrays(function, values, options)

    def __getitem__(self, key: object) -> Expression:
        return self.matrix[key]

    def __iter__(self) -> Iterator[Expr]:
        return iter(self.matrix)

    def __len__(self) -> int:
        return self.shape[0] * self.shape[1]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.matrix, name)


def column(components: Sequence[Expr]) -> SymbolicMatrix:
    """Return components as an immutable column matrix."""
    return SymbolicMatrix(len(components), 1, list(components))


def field_expression(components: Vector, field: Field) -> SymbolicMatrix:
    """Return the components of a field as a column or a matrix."""
    part = components[field.offset : field.offset + field.size]
    if len(field.shape) == 2:
        return SymbolicMatrix(*field.shape, list(part))
    return column(part)


class GroupElement:
    """An element of a Lie group in a program: ``a * b``, ``a.inverse()``, ``a.log()``, and its named fields.

    Operations on rotation parameters act on the group of rotations.
    """

    def __init__(self, program: Program, value: Value) -> None:
        if not isinstance(value.space, ConfigurationSpace):
            raise ModelError("A group element needs a Lie group as its space.")
        self._program = program
        self._of_element = value
        self.group: ConfigurationSpace = value.space

    def __repr__(self) -> str:
        return line("GroupElement", [element_text(self._program, self.storage), f"on {self.group}"])

    def _repr_latex_(self) -> str:
        element = element_text(self._program, self.storage, latex=True)
        return f"$\\displaystyle {element} \\in \\mathrm{{{escaped(self.group.name)}}}$"

    @property
    def _value(self) -> Value:
        return self._of_element

    @property
    def storage(self) -> Vector:
        """Stored components, as symbols."""
        return self._value.components

    def inverse(self) -> GroupElement:
        """Return the inverse element."""
        a = self.element
        return GroupElement(self._program, self._program.apply(Inverse(a.lie_group), a._value))

    @property
    def lie_group(self) -> LieGroup:
        """The Lie group; raises `ModelError` for a homogeneous space."""
        if not isinstance(self.group, LieGroup):
            raise ModelError(f"{self.group} is not a group: its points cannot be composed and have no logarithm.")
        return self.group

    @property
    def element(self) -> GroupElement:
        """The group element that rotation parameters represent; any other element itself."""
        if self._turned is None:
            return self
        return GroupElement(self._program, self._program.apply(ByCoordinates(self.lie_group), self._value))

    def __mul__(self, other: GroupElement) -> GroupElement:
        a = self.element
        if not isinstance(other, GroupElement) or other.element.group is not a.group:
            raise ModelError(f"Only elements of the same group can be composed; the left one is in {self.group}.")
        return GroupElement(self._program, self._program.apply(Compose(a.lie_group), a._value, other.element._value))

    def log(self) -> SymbolicMatrix:
        """Return the logarithm, a column of the dimension of the group."""
        a = self.element
        return column(self._program.apply(Logarithm(a.lie_group), a._value).components)

    @property
    def R(self) -> RotationMatrix | SymbolicMatrix:
        """Rotation matrix from body axes to inertial axes; on a product with several rotations, the stored field
        ``R``."""
        if self._turned is not None:
            return self._turned.matrix
        if self.group.rotation is None:
            stored = [f for f in self.group.storage_fields if f.name == "R"]
            if not stored:
                raise AttributeError("R")  # triggers __getattr__, which raises the message
            return field_expression(self.storage, stored[0])
        if isinstance(self.group, LieGroup):
            return RotationMatrix(self._program, self.group, self.storage)
        entries = self.group.rotation(self.storage)
        return SymbolicMatrix(math.isqrt(len(entries)), math.isqrt(len(entries)), list(entries))

    @cached_property
    def _turned(self) -> RotationByParameters | None:
        """Rotation in rotation parameters, or None."""
        turned = parametrised_rotation(self.group)
        return None if turned is None else RotationByParameters(self._program, turned, self.storage)

    @property
    def field_names(self) -> list[str]:
        """Names of all fields, which are attributes."""
        names = dict.fromkeys(f.name for f in self.group.storage_fields)
        turns = self.group.rotation is not None or self._turned is not None
        return [*names, *(["R"] if turns and "R" not in names else [])]

    def __dir__(self) -> list[str]:
        hidden = () if "R" in self.field_names else ("R",)
        return sorted({*super().__dir__(), *self.field_names} - set(hidden))

    def __getattr__(self, name: str) -> SymbolicMatrix:
        if not name.startswith("_"):
            for field in self.group.storage_fields:
                if field.name == name:
                    return field_expression(self.storage, field)
            known = ", ".join(self.field_names)
            raise UnknownFieldError(f"An element of {self.group} has no field '{name}'; it has: {known}.")
        raise AttributeError(name)


class Node(GroupElement):
    """A node of a model: a configuration q on a group and its left-trivialised velocity v, or a point of a space."""

    # Large models define their terms on the nodes of element types, so nodes have symbols only if these are used.

    def __init__(self, program: Program, name: str, group: ConfigurationSpace, unit: str = "") -> None:
        self.name = name
        """Name of the node in results."""
        self._program = program
        self.group = group
        self.unit = unit
        """Unit of the coordinates in Rⁿ; empty if it is unknown."""

    @cached_property
    def _value(self) -> Value:
        storage = tuple(Symbol(f"{self.name}.{s.name}", real=True) for s in storage_symbols(self.group))
        name_components(storage, self.group.storage_fields, self.name)
        return self._program.input(f"{self.name}.q", self.group, storage)

    @cached_property
    def _velocity(self) -> Value:
        velocity = self._symbols("v")
        name_components(velocity, self.group.velocity_fields, self.name)
        return self._program.input(f"{self.name}.v", Euclidean(len(velocity)), velocity)

    @cached_property
    def acceleration(self) -> Value:
        """v' as a value of the program, for fields and acceleration-level constraints."""
        rates = self._symbols("a")
        return Value(rates, Euclidean(len(rates)))

    def _symbols(self, letter: str) -> tuple[Symbol, ...]:
        return tuple(Symbol(f"{self.name}.{letter}{i}", real=True) for i in range(self.group.velocity_dimension))

    def __repr__(self) -> str:
        return line("Node", [self.name, str(self.group), listed(self.field_names, "fields")])

    @property
    def value(self) -> Value:
        """Configuration as a value of the program."""
        return self._value

    @property
    def velocity(self) -> Value:
        """Velocity as a value of the program."""
        return self._velocity

    @property
    def v(self) -> SymbolicMatrix:
        """Velocity, a column of the dimension of the group; body-fixed except for factors R^n."""
        return column(self._of_motion(self._velocity))

    @property
    def v_dot(self) -> SymbolicMatrix:
        """Acceleration v', for `Statement.field` and `Statement.acceleration_constraint`."""
        return column(self._of_motion(self.acceleration))

    def generalized_moment(self, moment: Vector) -> Vector:
        """Return the generalised force Gᵀ τ along ρ' of a moment τ in body axes, for a node with rotation parameters.

        Parameters
        ----------
        moment
            τ, in N m.

        Raises
        ------
        ModelError
            If the node has no rotation parameters.
        """
        if self._turned is None:
            raise ModelError(
                f"Node '{self.name}' on {self.group} has no rotation parameters; generalized_moment requires them."
            )
        return self._turned.generalized_moment(moment)

    @property
    def group_velocity(self) -> Vector:
        """Velocity of the group element: v, with ω instead of the rates of rotation parameters."""
        return self._by_coordinates(self._velocity.components, transpose=False)

    def along_velocity(self, force: Vector) -> Vector:
        """Return the force along v with the same power as a force along `group_velocity`.

        Parameters
        ----------
        force
            Its components.
        """
        return self._by_coordinates(force, transpose=True)

    def _by_coordinates(self, w: Vector, *, transpose: bool) -> Vector:
        if self._turned is None:
            return w
        operation = ByCoordinates(self.lie_group)
        return operation.differential(self._program, self.storage, self.storage, w, transpose=transpose)

    def parts_of_force(self, force: SymbolicMatrix) -> Mapping[str, SymbolicMatrix]:
        """Return the components of a generalised force by velocity field; with rotation parameters, also the moment
        ``Omega``.

        Parameters
        ----------
        force
            Components along v.
        """
        parts = {f.name: force[f.offset : f.offset + f.size, :] for f in self.group.velocity_fields}
        if self._turned is not None:
            parts["Omega"] = self._turned.moment(components(force[self._turned.part, :]))
        return parts

    def _of_motion(self, value: Value) -> Vector:
        if not self.group.velocity_dimension:
            raise AttributeError(self.name)  # triggers __getattr__, which raises the message
        return value.components

    def __getattr__(self, name: str) -> SymbolicMatrix:
        if not name.startswith("_"):
            for field in self.group.velocity_fields:
                if field.name == name:
                    return field_expression(self._velocity.components, field)
            if name == "Omega" and self._turned is not None:
                return column(self._turned.spin(self._velocity.components[self._turned.part]))
            stored = [f.name for f in self.group.storage_fields]
            if name in ("v", "v_dot") and name not in stored and not self.group.velocity_dimension:
                raise UnknownFieldError(
                    f"Node '{self.name}' on {self.group} has no velocity: its motion is defined by its field."
                )
            if name not in self.field_names:
                raise UnknownFieldError(
                    f"Node '{self.name}' on {self.group} has no field '{name}'; it has: {', '.join(self.field_names)}"
                    f"{hint(f'Node.{name}')}."
                )
        return super().__getattr__(name)

    @property
    def field_names(self) -> list[str]:
        """Names of all fields of the configuration and of the velocity, which are attributes."""
        moving = ["v", "v_dot"] if self.group.velocity_dimension else []
        if self._turned is not None:
            moving.insert(0, "Omega")
        return [*dict.fromkeys([*super().field_names, *(f.name for f in self.group.velocity_fields), *moving])]

    def __dir__(self) -> list[str]:
        hidden = [
            "acceleration",
            "along_velocity",
            "field_names",
            "group_velocity",
            "parts_of_force",
            "value",
            "velocity",
        ]
        hidden += [] if self.group.velocity_dimension else ["v", "v_dot"]
        return sorted(set(super().__dir__()) - set(hidden))


def interpolate(a: GroupElement, b: GroupElement, xi: Expression | float) -> GroupElement:
    """Return a∘exp(ξ log(a⁻¹∘b)), the point at fraction ξ of the screw motion from a to b.

    The result is a at ξ = 0 and b at ξ = 1; it can be differentiated like any expression. The angle of the rotation
    from a to b must stay below π, because the logarithm is not defined beyond.

    Source: [Hante2022], equation 5.

    Parameters
    ----------
    a, b
        Nodes or group elements of one statement, on the same Lie group.
    xi
        ξ, dimensionless: a number or a scalar expression.

    Returns
    -------
    GroupElement

    Raises
    ------
    ModelError
        If a and b are not on one Lie group, or if ξ is not a scalar.
    """
    for end in (a, b):
        if not isinstance(end, GroupElement):
            raise ModelError(f"The ends of interpolate must be nodes or group elements, not {end!r}.")
    part, program = components(xi), a._program
    if len(part) != 1:
        raise ModelError(
            f"The parameter ξ of interpolate must be a number or a scalar, not an array of {len(part)} entries."
        )
    theta = [part[0] * x for x in components((a.inverse() * b).log())]
    value = Value(program.vector(theta), Euclidean(len(theta)))
    return a * GroupElement(program, program.apply(Exponential(a.element.lie_group), value))
