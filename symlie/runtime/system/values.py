"""What a system is made of, and copies with other values."""

from __future__ import annotations

import copy
import dataclasses
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

import numpy as np

from symlie.contract.attached_shapes import AttachedShape, read_shapes
from symlie.errors import UnknownNameError
from symlie.retired import NamesSuccessors
from symlie.runtime.kernels.protocol import Kernels, Prepared
from symlie.runtime.kernels.sets import KernelSets
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.linear.schur import BandedAlgebra, DenseAlgebra
from symlie.runtime.system.breakpoints import merged_breakpoints
from symlie.runtime.system.initial_values import InitialValues, Placements, Quantities
from symlie.runtime.system.inputs import (
    InputTable,
    breakpoints_of,
    input_table,
    slots_and_tables,
    smooth_table,
    tables_in_use,
)
from symlie.runtime.system.mechanics import REDUNDANT
from symlie.runtime.system.parameters import changed_parameters

OF_CODE = ("layout", "files", "backend", "optimize", "kernels", "algebra", "sets")
"""Fields of `SystemValues` that all systems of one generated code share."""

OF_MODEL = ("quantity_source", "joint_source", "branch_check")
"""Its fields that are functions of the model."""


@dataclass(frozen=True)
class Timings:
    """Seconds spent before the integration."""

    derive: float = 0.0
    emit: float = 0.0
    compile: float = 0.0


@dataclass(frozen=True, eq=False, repr=False)
class SystemValues(NamesSuccessors):
    """Generated code with its layout, and the values that it is to run with."""

    layout: Layout
    files: Mapping[str, str]
    backend: str
    optimize: str
    kernels: Kernels
    algebra: DenseAlgebra | BandedAlgebra
    parameters: Array
    element_parameters: tuple[Array, ...]
    sets: KernelSets
    """Further sets of kernels, which are there when they are needed."""
    initial_values: Mapping[tuple[str, str], Array] = field(default_factory=dict)
    inputs: Mapping[str, InputTable] = field(default_factory=dict)
    """Tables that were given to inputs, and to smooth tables in place of those of the model."""
    timings: Timings = Timings()
    sources: Mapping[str, str] = field(default_factory=dict)
    """The user's own files that the model was built from, with the hashes of their contents."""
    quantity_source: Callable[[], Quantities] | None = None
    """Gives what nodes may start from in place of fields; None where the model itself is not at hand."""
    joint_source: Callable[[], Placements] | None = None
    """Gives what places joints by their coordinates; None where the model itself is not at hand."""
    branch_check: Callable[[InitialValues], object] | None = None
    """Checks that joints are not mirrored by initial values; None where there are none, or the model is not at hand."""
    given_coordinates: tuple[tuple[str, str], ...] | None = None
    """Joints and their coordinates that initial values were given of; None: those of the model."""
    redundant: str = "error"
    """What is done about constraint rows that depend on each other; see `with_redundant`."""

    def __copy__(self) -> Self:
        return dataclasses.replace(self)

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        # What belongs to the code never changes, and libraries can be loaded but not copied.
        own = [f.name for f in dataclasses.fields(self) if f.name not in OF_CODE]
        return dataclasses.replace(self, **{name: copy.deepcopy(getattr(self, name), memo) for name in own})

    @property
    def name(self) -> str:
        """Name of the model."""
        return self.layout.name

    def with_parameters(self, /, **values: object) -> Self:
        """A copy with other parameter values.

        Parameters
        ----------
        **values
            Values by name of the parameter, numbers or arrays of its shape. Parameters of an element type take one
            value for all instances, or one for each; where several types have one of this name, say which:
            ``with_parameters(**{"left.mass": 2.0})``. Of an instance with a name they are INSTANCE.NAME. Instances that
            take a value from a parameter of the model follow it.

        Raises
        ------
        UnknownNameError
            There is no such parameter.
        ModelError
            Wrong number of components, not finite, or of instances whose values are parameters of the model.
        FrozenParameterError
            The value is a constant of the generated code, see `Equations.compile`, and is another one than that.
        """
        parameters, elements = changed_parameters(self.layout, self.parameters, self.element_parameters, values)
        return dataclasses.replace(self, parameters=parameters, element_parameters=elements)

    def with_input(self, name: str, times: object, values: object, interpolation: str | None = None) -> Self:
        """A copy with a table for a run-time input; steps end at its points.

        Parameters
        ----------
        name
            The input, from `Model.input`.
        times
            Times that increase, in s, shape (n,).
        values
            Values at these times, shape (n,) or (n, size); the first and the last hold before and after.
        interpolation
            ``"linear"``; ``"hold"``: each value holds from its time to the next; ``"cubic"`` or ``"quintic"``: a spline
            with not-a-knot ends. Default: that of `Model.input`, else linear. Where the model declares one, the first
            and the last value do not hold: runs stay inside of the table.

        Raises
        ------
        UnknownNameError
            There is no such input or interpolation.
        SmoothnessError
            The interpolation is less smooth than the one of `Model.input`.
        ModelError
            Times do not increase, or the numbers do not fit.
        """
        table = input_table(self.layout, name, times, values, interpolation)
        return dataclasses.replace(self, inputs={**self.inputs, name: table})

    def with_table(self, name: str, points: object, values: object) -> Self:
        """A copy with other points of a smooth table.

        Parameters
        ----------
        name
            The table, from `Model.smooth_table`.
        points
            Times in s, or values of what it is a function of, in SI units; they increase. Shape (n,).
        values
            Values at these points, shape (n,) or (n, size).

        Raises
        ------
        UnknownNameError
            There is no such table.
        ModelError
            Points do not increase, or the numbers do not fit.
        """
        table = smooth_table(self.layout, name, points, values)
        return dataclasses.replace(self, inputs={**self.inputs, name: table})

    def with_redundant(self, redundant: str) -> Self:
        """This system with another treatment of constraint rows that depend on each other.

        Parameters
        ----------
        redundant
            ``"error"``: they are refused; ``"minimal_norm"``: of all multipliers of the same motion those of minimal
            norm are taken.

        Raises
        ------
        UnknownNameError
            There is no such treatment.
        """
        if redundant not in REDUNDANT:
            raise UnknownNameError(f"There is no redundant '{redundant}'; use one of: {', '.join(REDUNDANT)}.")
        return self if redundant == self.redundant else self._treatments[redundant]

    @cached_property
    def _treatments(self) -> dict[str, Self]:
        """Always the same systems, so that runs that go on know theirs."""
        return {name: dataclasses.replace(self, redundant=name) for name in REDUNDANT}

    @cached_property
    def prepared(self) -> Prepared:
        """Parameters with the constants computed from them and the tables of inputs, as the kernels take them."""
        slots, tables = slots_and_tables(self.layout, self.inputs)
        prepared = self.kernels.prepare(np.concatenate([self.parameters, slots]), self.element_parameters)
        return Prepared(np.concatenate([prepared.model, tables]), prepared.elements)

    @cached_property
    def shapes(self) -> tuple[AttachedShape, ...]:
        """Shapes that its nodes are drawn with."""
        return read_shapes(self.files)

    @property
    def breakpoints(self) -> dict[float, float]:
        """Times that must be step boundaries, each with the time at which steps after it begin.

        These are kinks of functions of time, knots of tables, and jumps of inputs, after which steps begin a few units
        in the last place later; breakpoints before such a time are part of the jump. Periodic tables have those of one
        period; see `breakpoints_between`.
        """
        return self.breakpoints_between(math.inf, -math.inf)

    def breakpoints_between(self, t0: float, t_end: float) -> dict[float, float]:
        """The same with the knots of periodic tables in all periods of a run.

        Parameters
        ----------
        t0, t_end
            Its begin and its end, in s.
        """
        positions = [self.layout.parameters[name][0] for name in self.layout.manifest.breakpoints]
        kinks = {float(t): float(t) for part in positions for t in self.parameters[part]}
        tables = tables_in_use(self.layout, self.inputs)
        return merged_breakpoints(kinks | breakpoints_of(list(tables.values()), t0, t_end))
