"""The model a user states: parameters, nodes, energies, forces, constraints, outputs, initial values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy
from sympy import Expr, ImmutableDenseMatrix, Symbol

from symlie.errors import ModelError
from symlie.groups.group import Field, LieGroup
from symlie.groups.standard import group_from_name
from symlie.modeling.node import Node
from symlie.modeling.statement import Statement, components, identifier

if TYPE_CHECKING:
    from symlie.derive.equations import Equations


@dataclass(frozen=True)
class Parameter:
    """A run-time input: name, default, unit, and the symbols it enters formulas with."""

    name: str
    default: tuple[float, ...]
    shape: tuple[int, ...]
    unit: str
    symbols: tuple[Symbol, ...]


@dataclass(frozen=True)
class InitialValue:
    """Initial components of one field of a node, as expressions of the parameters."""

    node: str
    field: Field
    is_velocity: bool
    components: tuple[Expr, ...]


class Model(Statement):
    """A mechanical system on a Lie group.

    Parameters
    ----------
    name
        Name of the model, an identifier.

    Examples
    --------
    >>> import symlie as sl
    >>> model = sl.Model("free_body")
    >>> J = model.parameter("inertia", [1, 2, 3], unit="kg m^2")
    >>> q = model.node("body", sl.SO3)
    >>> model.kinetic_energy(q.Omega.dot(sl.diag(J) * q.Omega) / 2)
    >>> model.initial(q, Omega=[0, 1, 0.1])
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.parameters: list[Parameter] = []
        self.initial_values: list[InitialValue] = []

    def parameter(self, name: str, default: Any, unit: str = "") -> Any:
        """Declare a parameter: a run-time input that is never folded into generated text.

        Parameters
        ----------
        name
            Identifier.
        default
            Default value: a number, a vector or a matrix.
        unit
            Unit, for documentation.

        Returns
        -------
        Symbol or ImmutableDenseMatrix
            A scalar symbol, or a column or matrix of symbols.
        """
        identifier("Parameter", name)
        if name == str(self.time):
            raise ModelError(f"Parameter name '{name}' means the time; choose another name.")
        if any(p.name == name for p in self.parameters):
            raise ModelError(f"Parameter '{name}' is declared twice in '{self.name}'.")
        try:
            array = np.asarray(default, dtype=float)
        except (TypeError, ValueError) as error:
            raise ModelError(f"The default of parameter '{name}' must be numbers, not {default!r}.") from error
        if array.ndim > 2:
            raise ModelError(f"Parameter '{name}' must be a number, a vector or a matrix.")
        symbols = tuple(
            Symbol(name if array.ndim == 0 else f"{name}[{','.join(map(str, index))}]", real=True)
            for index in np.ndindex(array.shape)
        )
        self.parameters.append(Parameter(name, tuple(map(float, array.ravel())), array.shape, unit, symbols))
        if array.ndim == 0:
            return symbols[0]
        shape = array.shape if array.ndim == 2 else (array.size, 1)
        return ImmutableDenseMatrix(*shape, list(symbols))

    def node(self, name: str, group: LieGroup | str) -> Node:
        """Add a node.

        Parameters
        ----------
        name
            Identifier; results are reported under it.
        group
            Configuration group, such as ``sl.SE3`` or ``"SO3xR3"``.

        Returns
        -------
        Node
            Symbols of its configuration and velocity: ``q.R``, ``q.x``, ``q.Omega``, …
        """
        identifier("Node", name)
        if any(n.name == name for n in self.nodes):
            raise ModelError(f"Node '{name}' is declared twice in '{self.name}'.")
        if isinstance(group, str):
            group = group_from_name(group)
        node = Node(self.program, name, group)
        self.nodes.append(node)
        return node

    def initial(self, node: Node, **fields: Any) -> None:
        """Give initial values of fields of a node.

        Fields that are not given start at the identity; velocities that are not given are completed from the hidden
        constraints. Values may be numbers or expressions of parameters.

        Parameters
        ----------
        node
            The node.
        **fields
            Values by name of a storage field (``R``, ``p``, ``x``) or velocity field (``Omega``, ``U``, ``x_dot``).
        """
        storage = {f.name: (f, False) for f in node.group.storage_fields}
        velocity = {f.name: (f, True) for f in node.group.velocity_fields}
        known = {**storage, **velocity}
        for name, value in fields.items():
            if name not in known:
                raise ModelError(
                    f"Node '{node.name}' on {node.group} has no field '{name}' to start from; "
                    f"it has: {', '.join(known)}."
                )
            field, is_velocity = known[name]
            parts = _flat(value)
            if len(parts) != field.size:
                raise ModelError(f"{node.name}.{name} needs {field.size} initial components, not {len(parts)}.")
            allowed = {s for p in self.parameters for s in p.symbols}
            unknown = {s for e in parts for s in e.free_symbols} - allowed
            if unknown:
                raise ModelError(
                    f"The initial value of {node.name}.{name} may use parameters only, not "
                    f"{', '.join(sorted(s.name for s in unknown))}."
                )
            self.initial_values.append(InitialValue(node.name, field, is_velocity, parts))

    def derive(self) -> Equations:
        """Derive the equations of motion; see `symlie.derive`."""
        from symlie.derive.equations import derive

        return derive(self)


def _flat(value: Any) -> tuple[Expr, ...]:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, Sequence) and value and isinstance(value[0], Sequence | np.ndarray):
        return tuple(c for row in value for c in _flat(row))
    return tuple(sympy.sympify(c) for c in components(value))


def vector(*parts: Any) -> ImmutableDenseMatrix:
    """A column vector from numbers and expressions."""
    return ImmutableDenseMatrix(len(parts), 1, [sympy.sympify(p) for p in parts])


def diag(*entries: Any) -> ImmutableDenseMatrix:
    """A diagonal matrix from its diagonal, given as a vector or as separate entries."""
    parts = [c for e in entries for c in (tuple(e) if hasattr(e, "shape") or isinstance(e, Sequence) else (e,))]
    return ImmutableDenseMatrix(sympy.diag(*parts))
