"""Scalars with respect to which runs are differentiated: parameters, values of inputs, and initial values."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from symlie.errors import ModelError, SmoothnessError, UnknownNameError
from symlie.rotations import rotation_form
from symlie.runtime.layout.layout import Array
from symlie.runtime.layout.parameter_places import parameter_places
from symlie.runtime.system.parameters import has_parameter, parameter_values
from symlie.runtime.system.system import System
from symlie.utilities.stated_names import stated_names


@dataclass(frozen=True)
class Variable(ABC):
    """One scalar.

    Attributes
    ----------
    name
        Name as given by the user.
    index
        Component, or knot and component of an input.
    """

    name: str
    index: tuple[int, ...]

    @abstractmethod
    def moved(self, system: System, change: float) -> System:
        """Return a system with another value of the variable."""

    @abstractmethod
    def size(self, system: System) -> float:
        """Return the size of its values, for finite differences."""

    @property
    def label(self) -> str:
        """Name with its component, for tables."""
        return self.name + (f"[{', '.join(map(str, self.index))}]" if self.index else "")

    @property
    def changes_start(self) -> bool:
        """True if initial configurations and velocities may depend on it."""
        return True


@dataclass(frozen=True)
class ParameterVariable(Variable):
    """Component of a parameter."""

    def moved(self, system: System, change: float) -> System:
        values, _ = parameter_values(system.layout, system.parameters, system.element_parameters, self.name)
        values[..., self.index[0] if self.index else 0] += change
        return system.with_parameters(**{self.name: values})

    def size(self, system: System) -> float:
        values, _ = parameter_values(system.layout, system.parameters, system.element_parameters, self.name)
        return _size(values)

    def direction(self, system: System) -> Array:
        """Return the change of all parameters, in the order of `parameter_places`."""
        before, after = (_all_parameters(s) for s in (system, self.moved(system, 1.0)))
        return np.where(after != before, 1.0, 0.0)


@dataclass(frozen=True)
class InputVariable(Variable):
    """Value of an input at a knot of its table, for one component."""

    @property
    def changes_start(self) -> bool:
        return False

    def size(self, system: System) -> float:
        return _size(system.inputs[self.name].values)

    def moved(self, system: System, change: float) -> System:
        table = system.inputs[self.name]
        values = table.values.copy()
        values[self.index] += change
        moved = dataclasses.replace(table, values=values)
        return dataclasses.replace(system, inputs={**system.inputs, self.name: moved})


@dataclass(frozen=True)
class JumpVariable(Variable):
    """Time at which an input jumps, in s."""

    @property
    def input(self) -> str:
        """Name of the input."""
        return self.name.removesuffix(TIMES)

    @property
    def changes_start(self) -> bool:
        return False

    def size(self, system: System) -> float:
        return float(np.ptp(system.inputs[self.input].times))

    def moved(self, system: System, change: float) -> System:
        table = system.inputs[self.input]
        times = table.times.copy()
        times[self.index] += change
        return dataclasses.replace(
            system, inputs={**system.inputs, self.input: dataclasses.replace(table, times=times)}
        )

    def time(self, system: System) -> float:
        """The time."""
        return float(system.inputs[self.input].times[self.index])


@dataclass(frozen=True)
class InitialVariable(Variable):
    """Component of the initial value of a node or a joint."""

    node: str
    field: str
    value: tuple[float, ...]

    def moved(self, system: System, change: float) -> System:
        value = np.array(self.value)
        value[self.index or (0,)] += change
        return self.replaced(system, value)

    def replaced(self, system: System, value: Array) -> System:
        """Return a system with another initial value of all components."""
        given = float(value[0]) if self.node in system.layout.joints else value
        return system.with_initial(self.node, **{self.field: given})

    def size(self, system: System) -> float:
        return _size(np.array(self.value))


TIMES = ".times"
"""Ending of the names of times at which inputs jump."""


def _size(values: Array) -> float:
    """Return the largest absolute value, or one if all values are zero."""
    return float(np.abs(values).max(initial=0.0)) or 1.0


def variables_of(system: System, names: str | Sequence[str]) -> list[Variable]:
    """Return the variables of some names, component by component; raise UnknownNameError or ModelError."""
    listed = stated_names("wrt", names, "mass")
    twice = next((n for n in listed if listed.count(n) > 1), None)
    if twice is not None:
        raise ModelError(f"'{twice}' is named twice; name it once.")
    if not listed:
        raise ModelError("Nothing to differentiate with respect to; name parameters, inputs or initial values.")
    return [variable for name in listed for variable in _of_name(system, name)]


def check_without_jumps(variables: Sequence[Variable]) -> None:
    """Raise ModelError for times of jumps, by which matrices of steps have no derivatives."""
    name = next((v.name for v in variables if isinstance(v, JumpVariable)), None)
    if name is not None:
        raise ModelError(
            f"Times of jumps such as '{name}' have derivatives in compiled code only; use backend='c' with a compiler "
            "for C++."
        )


def _of_name(system: System, name: str) -> Iterator[Variable]:
    layout = system.layout
    if has_parameter(layout, name):
        if name in layout.frozen or name.removeprefix(f"{layout.name}.") in layout.frozen:
            raise ModelError(
                f"Parameter '{name}' of '{layout.name}' is a compiled constant and has no derivatives; compile without "
                "it in freeze."
            )
        values, _ = parameter_values(layout, system.parameters, system.element_parameters, name)
        size = values.shape[-1]
        yield from (ParameterVariable(name, (k,) if size > 1 else ()) for k in range(size))
    elif name in layout.inputs:
        yield from _of_input(system, name)
    elif name.removesuffix(TIMES) in layout.inputs:
        yield from _of_jumps(system, name)
    else:
        yield from _of_initial_value(system, name)


def _of_input(system: System, name: str) -> Iterator[Variable]:
    if system.layout.input_interpolations[name]:
        raise SmoothnessError(
            f"Input '{name}' of '{system.name}' is differentiated by the model; derivatives by its table do not exist."
        )
    if name not in system.inputs:
        raise ModelError(f"Input '{name}' of '{system.name}' has no table; give it one by with_input.")
    knots, size = system.inputs[name].values.shape
    yield from (InputVariable(name, (k, c)) for k in range(knots) for c in range(size))


def _of_jumps(system: System, name: str) -> Iterator[Variable]:
    own = name.removesuffix(TIMES)
    table = system.inputs.get(own)
    if table is None or table.interpolation != "hold" or not table.is_of_time or table.is_periodic:
        raise ModelError(
            f"The times of input '{own}' of '{system.name}' have derivatives only if it jumps there; give it a table "
            "of times with interpolation='hold' that is not periodic."
        )
    yield from (JumpVariable(name, (k,)) for k in range(1, len(table.times)))


def _of_initial_value(system: System, name: str) -> Iterator[Variable]:
    node, _, field = name.rpartition(".")
    layout = system.layout
    known = node in layout.joints or any(n.name == node for n in layout.nodes)
    if not known:
        listed = ", ".join([*layout.parameters, *layout.inputs]) or "none"
        raise UnknownNameError(
            f"Model '{layout.name}' has no parameter, input or initial value '{name}'; it has: {listed}; "
            "an initial value is NODE.FIELD or JOINT.COORDINATE."
        )
    value = initial_value(system, node, field)
    for k in range(len(value)):
        yield InitialVariable(name, (k,) if len(value) > 1 else (), node, field, tuple(value.tolist()))


def initial_value(system: System, node: str, field: str) -> Array:
    """Return the initial value of a field or of a joint coordinate, shape (components,)."""
    if node in system.layout.joints:
        # Coordinates of joints are stored as poses of bodies, from which the output of the joint recovers them.
        output, state = f"{node}_{field}", system.initial_state
        if output not in system.layout.outputs:
            raise ModelError(f"Joint '{node}' of '{system.name}' has no coordinate or rate '{field}'.")
        return np.atleast_1d(system.outputs(system.state(state.q, state.v), [output])[output])
    part = system.layout.node(node)
    shapes = {f.name: f.shape for f in part.type.storage_fields}
    if field in shapes and rotation_form(field, shapes[field]):
        raise ModelError(
            f"The initial value {node}.{field} is a rotation without independent components; differentiate with "
            "respect to its angular velocity, to a joint coordinate, or to a parameter that determines it."
        )
    if part.count > 1 or part.is_array:
        raise ModelError(f"'{node}' is an array of nodes, whose initial values have no derivatives.")
    state = system.initial_state
    found = system.state(state.q, state.v).field(node, field)
    return np.array(found, dtype=float).ravel()


def _all_parameters(system: System) -> Array:
    """Return the values of all parameters, in the order of `parameter_places`."""
    layout = system.layout
    size, places = parameter_places(layout)
    found = np.zeros(size)
    for rows, of_elements in zip(system.element_parameters, places, strict=True):
        own = of_elements[:, len(layout.parameter_defaults) :]
        found[own] = np.broadcast_to(rows, own.shape)
    found[: len(layout.parameter_defaults)] = system.parameters
    return found


@dataclass(frozen=True, eq=False)
class Directions:
    """Directions of variables in the spaces of parameters and inputs.

    Attributes
    ----------
    parameters
        Directions of all parameters, shape (parameters, variables).
    """

    parameters: Array
    _bases: tuple[tuple[list[int], list[tuple[int, ...]], Array, Array, int], ...]
    _size: int

    @property
    def count(self) -> int:
        """Number of variables."""
        return int(self.parameters.shape[1])

    @property
    def has_inputs(self) -> bool:
        """True if some variables are values of inputs."""
        return bool(self._bases)

    def inputs(self, t: Array) -> Array:
        """Return the derivatives of all inputs at times (n,) by the variables, shape (n, inputs, variables)."""
        found = np.zeros((len(t), self._size, self.count))
        for columns, places, knots, coefficients, first in self._bases:
            piece = np.searchsorted(knots, t, side="right")
            distance = t - knots[np.maximum(piece - 1, 0)]
            powers = distance[:, None] ** np.arange(coefficients.shape[2])
            weights = np.einsum("knj,nj->nk", coefficients[:, piece], powers)
            for column, (knot, c) in zip(columns, places, strict=True):
                found[:, first + c, column] = weights[:, knot]
        return found


def directions_of(system: System, variables: Sequence[Variable]) -> Directions:
    """Return the directions of variables."""
    size, _ = parameter_places(system.layout)
    parameters = np.zeros((size, len(variables)))
    bases, first = [], 0
    for k, variable in enumerate(variables):
        if isinstance(variable, ParameterVariable):
            parameters[:, k] = variable.direction(system)
    for name, (width, _) in system.layout.inputs.items():
        chosen = [k for k, v in enumerate(variables) if isinstance(v, InputVariable) and v.name == name]
        if chosen:
            table = system.inputs[name]
            unit = dataclasses.replace(table, values=np.eye(len(table.times)))
            packed = unit.packed
            knots, rest = np.split(packed, [len(table.times)])
            coefficients = rest.reshape(len(table.times), len(table.times) + 1, -1)
            bases.append((chosen, [variables[k].index for k in chosen], knots, coefficients, first))
        first += width
    return Directions(parameters, tuple(bases), first)
