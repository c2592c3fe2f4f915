"""Variables of functional mock-up units: parameters, inputs, outputs, states, multipliers and events."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from symlie.errors import ModelError
from symlie.export import description
from symlie.export.fmu.corotation import Corotation
from symlie.export.fmu.modes import angle_places, modes
from symlie.export.plan import ExportPlan
from symlie.runtime.layout.quantities import field_unit, rate_unit
from symlie.runtime.layout.slices import NodeSlice

STEP_SIZE = "step_size"
"""Name of the parameter with the largest step size."""

NOMINAL_SIZE = 0.01
"""Nominal value of states, in their units. Solvers multiply it by the relative tolerance; with 1/100, the absolute
tolerance has the default value of `solve`."""


@dataclass(frozen=True)
class Variable:
    """A variable.

    Attributes
    ----------
    name, meaning, unit
        Name, description and unit.
    kind, place
        Name of its kind in C, and index of its first value in the data of this kind.
    shape
        Shape; () for a number.
    causality, variability
        As in FMI.
    start
        Start values; empty if the unit computes them.
    reference
        Value reference of the first value.
    is_state
        True if another program may integrate the values.
    state
        Name of the continuous state of which it is the derivative, or an empty text.
    """

    name: str
    meaning: str
    unit: str
    kind: str
    place: int
    shape: tuple[int, ...]
    causality: str
    variability: str
    start: tuple[float, ...] = ()
    reference: int = 0
    state: str = ""
    is_state: bool = False

    @property
    def size(self) -> int:
        """Number of values."""
        return math.prod(self.shape)

    @property
    def nominal(self) -> float | None:
        """Nominal value of continuous states."""
        return NOMINAL_SIZE if self.is_state else None

    @property
    def is_computed(self) -> bool:
        """True if the unit computes the values."""
        return self.kind not in ("OF_TIME", "OF_STEP_SIZE", "OF_PARAMETER", "OF_INPUT")

    def scalars(self) -> Iterator[tuple[str, int, float | None]]:
        """Yield name, value reference and start value of each value; indices count from one."""
        places = itertools.product(*(range(1, n + 1) for n in self.shape))
        for k, index in enumerate(places):
            name = f"{self.name}[{','.join(map(str, index))}]" if index else self.name
            if index and self.state:
                name = f"der({self.state}[{','.join(map(str, index))}])"
            yield name, self.reference + k, self.start[k] if self.start else None


def unit_variables(
    plan: ExportPlan, step: float, *, exchanges: bool = False, rotating: Sequence[Corotation] = ()
) -> list[Variable]:
    """Return the variables with consecutive value references; the first one is time. Units whose states another program
    integrates have derivatives of the states, of which parts can rotate with bodies.

    Raises
    ------
    ModelError
        If two variables have the same name.
    """
    found, reference = [], 0
    variables = [*_variables(plan, step)]
    if rotating:
        variables = [x for v in variables for x in _with_corotation(v, rotating)]
    if exchanges:
        variables += [_derivative(v) for v in variables if v.is_state]
    for variable in variables:
        found.append(replace(variable, reference=reference))
        reference += variable.size
    names = [v.name for v in found]
    for name in names:
        if names.count(name) > 1:
            raise ModelError(
                f"Two variables of the unit have the name '{name}'; rename a parameter, an output or a node of "
                f"'{plan.layout.name}'."
            )
    return found


def _variables(plan: ExportPlan, step: float) -> Iterator[Variable]:
    layout = plan.layout
    yield Variable("time", "time", "s", "OF_TIME", 0, (), "independent", "continuous")
    yield Variable(
        STEP_SIZE, "largest step size; 0: adaptive steps", "s", "OF_STEP_SIZE", 0, (), "parameter", "tunable", (step,)
    )
    place = 0
    for p in plan.parameters.parameters:
        kinds = ("local", "constant") if p.is_constant else ("parameter", "tunable")
        meaning = f"parameter {p.name}"
        values = tuple(float(x) for x in p.values)
        yield Variable(p.name, meaning, p.unit, "OF_PARAMETER", place, p.shape, *kinds, values)
        place += p.values.size
    place = 0
    for i in plan.tables.inputs:
        shape = () if i.size == 1 else (i.size,)
        yield Variable(i.name, f"input {i.name}", i.unit, "OF_INPUT", place, shape, "input", "continuous", i.start)
        place += i.size
    for o in description.outputs(layout):
        shape = () if o.size == 1 else (o.size,)
        yield Variable(o.name, f"output {o.name}", o.unit, "OF_OUTPUT", o.first, shape, "output", "continuous")
    yield from _states(plan)
    for name, part in layout.constraints.items():
        rows = np.asarray(part.rows)
        for k, row in enumerate(rows.reshape(-1, rows.shape[-1] if rows.ndim > 1 else rows.size)):
            label = f"{name}[{k + 1}]" if rows.ndim > 1 and len(rows) > 1 else name
            for n, entry in enumerate(row.tolist(), start=1):
                end = f"[{n}]" if len(row) > 1 else ""
                meaning = f"multiplier of constraint {label}, equation {n}"
                yield Variable(f"{label}.lambda{end}", meaning, "", "OF_LAMBDA", entry, (), "output", "continuous")
    for k, e in enumerate(description.events(layout)):
        meaning = f"event function {e.name}, which {e.comment} at zero"
        yield Variable(f"{e.name}.event", meaning, "", "OF_EVENT", k, (), "local", "continuous")


def _with_corotation(v: Variable, rotating: Sequence[Corotation]) -> Iterator[Variable]:
    """Yield a variable, and the state that replaces it if it rotates with a body."""
    meaning = {
        **{("OF_Q", c.storage): "without the rotation by W since the start" for c in rotating},
        **{("OF_V", c.velocity): "minus W, rotated by W since the start" for c in rotating},
        **{("OF_V", c.velocity + 3 * k): "rotated by W since the start" for c in rotating for k in range(1, c.vectors)},
    }.get((v.kind, v.place))
    if meaning is None or not v.is_state:
        yield v
        return
    yield replace(v, causality="output", is_state=False)
    owner, _, field = v.name.rpartition(".")
    kind, name = v.kind.replace("OF_", "OF_COROTATING_"), f"{owner}.corotating.{field}"
    yield replace(v, name=name, kind=kind, meaning=f"co-rotating {v.meaning}, {meaning}")


def _derivative(state: Variable) -> Variable:
    return replace(
        state,
        name=f"der({state.name})",
        meaning=f"rate of the {state.meaning}",
        unit=rate_unit(state.unit),
        kind=f"{state.kind}_DOT",
        state=state.name,
        is_state=False,
    )


def _states(plan: ExportPlan) -> Iterator[Variable]:
    layout = plan.layout
    for node in layout.nodes:
        for kind in ("storage", "velocity"):
            yield from _fields(node, kind, is_state=bool(layout.integrated[node.velocity].any()))
    for number, k in enumerate(angle_places(layout).tolist(), start=1):
        meaning = layout.angle_name(k - layout.node_storage)
        yield Variable(f"angle_over_turns[{number}]", meaning, "rad", "OF_Q", k, (), "local", "continuous")
    for name, meaning, place, size in modes(layout):
        yield Variable(name, meaning, "1", "OF_Q", place, () if size == 1 else (size,), "local", "discrete")


def _fields(node: NodeSlice, kind: str, *, is_state: bool) -> Iterator[Variable]:
    part: slice = getattr(node, kind)
    width = (part.stop - part.start) // node.count
    fields = node.type.storage_fields if kind == "storage" else node.type.velocity_fields
    of = "OF_Q" if kind == "storage" else "OF_V"
    what = "configuration" if kind == "storage" else "velocity"
    for k in range(node.count):
        owner = f"{node.name}[{k + 1}]" if node.is_array else node.name
        for field in fields:
            size = field.part.stop - field.part.start
            shape = tuple(field.shape) if math.prod(field.shape) == size and size > 1 else () if size == 1 else (size,)
            unit, place = field_unit(node, field.name), part.start + k * width + field.part.start
            meaning = f"{what} {field.name} of {owner}"
            name = f"{owner}.{field.name}"
            yield Variable(name, meaning, unit, of, place, shape, "local", "continuous", is_state=is_state)
