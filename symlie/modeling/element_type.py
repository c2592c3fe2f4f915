"""Element types: energies, forces and constraints on local nodes, repeated over a topology."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from sympy import Expr, Symbol

from symlie.contract.connections import ConnectionLayout
from symlie.contract.manifest import Label
from symlie.errors import ModelError
from symlie.groups.homogeneous import ConfigurationSpace
from symlie.ir.primitives import RunTimeInput
from symlie.modeling.expressions import components
from symlie.modeling.names import identifier, new_name
from symlie.modeling.node import Node
from symlie.modeling.statement import Statement
from symlie.modeling.summaries import statement_html, statement_parts
from symlie.modeling.terms import ElementInput, Output, RigidInertia
from symlie.modeling.units import Certainty, si_units, size_of
from symlie.modeling.values import given_space
from symlie.utilities.showing import Brief, line
from symlie.utilities.unit_names import parse_units

if TYPE_CHECKING:
    from symlie.modeling.model import Model


class ElementType(Statement):
    """Energies, forces and constraints on a few local nodes, repeated over a topology by `Model.add`.

    Parameters
    ----------
    name
        Identifier; part of the names of generated kernels and of messages.
    **nodes
        Local nodes by name with their groups or spaces; they become attributes.

    Examples
    --------
    >>> import symlie as sl
    >>> spring = sl.ElementType("spring", left=sl.SE3, right=sl.SE3)
    >>> k = spring.parameter("stiffness", 100.0, unit="N/m")
    >>> strain = (spring.left.inverse() * spring.right).log()
    >>> spring.potential_energy(k * strain.dot(strain) / 2)
    """

    def __init__(self, name: str, /, **nodes: ConfigurationSpace | str) -> None:
        super().__init__(name)
        self._parameter_prefix = f"{name}."
        self.rigid: RigidInertia | None = None
        self.inputs: list[ElementInput] = []
        """Inputs in the order of their definition."""
        if not nodes:
            raise ModelError(f"Element type '{name}' needs at least one local node, such as left=sl.SE3.")
        for label, group in nodes.items():
            identifier("Local node", label)
            if hasattr(self, label):
                raise ModelError(f"Local node '{label}' of '{name}' would hide a method; choose another name.")
            self._add_node(Node(self.program, f"{name}.{label}", given_space(group)))
            setattr(self, label, self.nodes[-1])

    @property
    def data_symbols(self) -> list[Symbol]:
        return [*super().data_symbols, *(s for i in self.inputs for s in i.choice)]

    def input(self, name: str, unit: str = "") -> Expr:
        """Declare an input of each instance; `Model.add` assigns it a component of an input of the model.

        The generated code does not depend on the number of instances, such as motors with individual inputs.

        Parameters
        ----------
        name
            Identifier.
        unit
            Unit of the tables, as declared by the inputs of the model; the expression is in SI units.

        Returns
        -------
        Expr
            u(t), for forces, potential energies, outputs and events.

        Raises
        ------
        ModelError
            If the name is no identifier, or in use.

        Examples
        --------
        >>> import symlie as sl
        >>> motor = sl.ElementType("motor", axle="R1")
        >>> motor.kinetic_energy(motor.axle.x_dot[0] ** 2 / 2)
        >>> motor.generalized_force(motor.axle, x_dot=[motor.input("torque", unit="N m")])
        >>> model = sl.Model("motors")
        >>> torques = model.input("torques", 2, unit="N m")
        >>> model.add(motor, list(model.node_array("axles", "R1", 2)), torque=torques)
        """
        new_name("Input", name, {*(i.name for i in self.inputs), *(p.name for p in self.parameters)}, self.name)
        (known,) = parse_units(unit, 1)
        slot, component = (Symbol(f"input[{self.name}.{name},{k}]", real=True) for k in range(2))
        self.inputs.append(ElementInput(name, unit, (slot, component)))
        self.units.declare([slot], [known], Certainty.STATED)
        return size_of(known) * RunTimeInput.of(self.t, slot, component)

    def local_output(self, name: str, expression: object, unit: str = "") -> None:
        """Add a quantity of (t, q, v, λ) of each instance, such as a strain, which solutions compute on demand.

        `Solution.field` evaluates it along a rod or another curve through the nodes of neighbouring instances.

        Parameters
        ----------
        name
            Identifier.
        expression
            Scalar, vector or matrix expression of the time, configurations, velocities and multipliers.
        unit
            SI unit; several, separated by commas, apply to parts of equal length.
        """
        new_name("Local output", name, {o.name for o in self.local_outputs}, self.name)
        parts = components(expression)
        if not parts:
            raise ModelError(f"Local output '{name}' of '{self.name}' has no components.")
        si_units(f"Local outputs of '{self.name}'", unit, len(parts))
        self.local_outputs.append(Output(name, parts, unit))

    def __repr__(self) -> str:
        return line("ElementType", [self.name, *statement_parts(self)])

    def _repr_html_(self) -> str:
        return statement_html(self)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Node: ...


@dataclass(eq=False, repr=False)
class ElementInstances(Brief):
    """Instances of an element type in a model."""

    element: ElementType
    nodes: list[tuple[tuple[str, int], ...]] = field(default_factory=list)
    parameters: list[NDArray[np.float64]] = field(default_factory=list)
    """Blocks of parameter values, shape (instances, values), followed by number and component of each chosen input."""
    sources: list[NDArray[np.int32]] = field(default_factory=list)
    """Index of the model parameter value that each value is taken from, or -1."""
    names: list[str] = field(default_factory=list)
    """Name of each instance, or an empty string."""
    labels: list[tuple[Label, ...]] = field(default_factory=list)
    """Reported names of constraints, outputs and events of each instance; empty for an instance without a name."""
    connection: ConnectionLayout | None = None
    """Bodies and appearance of joints and of forces between two bodies."""


def add_instances(
    model: Model,
    element: ElementType,
    places: Sequence[tuple[tuple[str, int], ...]],
    values: NDArray[np.float64],
    sources: NDArray[np.int32],
    labels: Sequence[tuple[Label, ...]],
    names: Sequence[str] = (),
) -> None:
    """Add checked instances of an element type; see `ElementInstances` for the arguments."""
    entry = next((i for i in model.instances if i.element is element), None)
    if entry is None:
        new_name("Element type", element.name, {model.name, *(i.element.name for i in model.instances)}, model.name)
        entry = ElementInstances(element)
        model.instances.append(entry)
    entry.nodes += places
    entry.parameters.append(values)
    entry.sources.append(sources)
    entry.labels += labels
    entry.names += names or [""] * len(places)
