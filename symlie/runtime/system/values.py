"""Components of a system, and copies with other values."""

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
from symlie.options import Interpolation, Redundant
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
from symlie.utilities.showing import ListsPublicNames

OF_CODE = ("layout", "files", "backend", "optimize", "kernels", "algebra", "sets")
"""Fields of `SystemValues` shared by all systems with the same generated code."""

OF_MODEL = ("quantity_source", "joint_source", "branch_check")
"""Fields of `SystemValues` that are functions of the model."""


@dataclass(frozen=True)
class Timings:
    """Time spent before the integration, in s."""

    derive: float = 0.0
    emit: float = 0.0
    compile: float = 0.0


@dataclass(frozen=True, eq=False, repr=False)
class SystemValues(ListsPublicNames, NamesSuccessors):
    """Generated code with its layout and the values of a run."""

    INTERNAL = frozenset({
        "algebra", "branch_check", "breakpoints", "breakpoints_between", "check_motions",
        "element_parameters", "files", "given_coordinates", "initial_fields", "initial_values",
        "joint_source", "kernels", "mechanics", "ordinary_start", "own_initial", "prepared",
        "quantity_source", "sets", "sources", "stated_state", "stated_values",
    })  # fmt: skip

    layout: Layout
    """Names of nodes, parameters, constraint equations and outputs, and their positions in arrays."""
    files: Mapping[str, str]
    backend: str
    """``"c"`` or ``"numpy"``."""
    optimize: str
    """Value of ``optimize`` of `Equations.compile`."""
    kernels: Kernels
    algebra: DenseAlgebra | BandedAlgebra
    parameters: Array
    """Values of all parameters of the model; `layout` contains their positions."""
    element_parameters: tuple[Array, ...]
    sets: KernelSets
    """Additional kernel sets, loaded on first use."""
    initial_values: Mapping[tuple[str, str], Array] = field(default_factory=dict)
    inputs: Mapping[str, InputTable] = field(default_factory=dict)
    """Tables of inputs, and tables that replace smooth tables of the model."""
    timings: Timings = Timings()
    """Durations of derivation, emission and compilation, in s."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """User files from which the model was built, with hashes of their contents."""
    quantity_source: Callable[[], Quantities] | None = None
    """Function that returns the initial quantities; None if the model is not available."""
    joint_source: Callable[[], Placements] | None = None
    """Function that returns the `Placements` of joints; None if the model is not available."""
    branch_check: Callable[[InitialValues], object] | None = None
    """Check that initial values do not mirror joints; None without joints or without the model."""
    given_coordinates: tuple[tuple[str, str], ...] | None = None
    """Joints and coordinates with specified initial values; None: as in the model."""
    redundant: Redundant = "error"
    """Treatment of redundant constraint equations; see `with_redundant`."""

    def __copy__(self) -> Self:
        return dataclasses.replace(self)

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        # Parts of the code are immutable, and loaded libraries cannot be copied.
        own = [f.name for f in dataclasses.fields(self) if f.name not in OF_CODE]
        return dataclasses.replace(self, **{name: copy.deepcopy(getattr(self, name), memo) for name in own})

    @property
    def name(self) -> str:
        """Name of the model."""
        return self.layout.name

    def with_parameters(self, /, **values: object) -> Self:
        """Return a copy with other parameter values.

        Parameters
        ----------
        **values
            Values by name of the parameter, numbers or arrays of its shape. Parameters of an element type take one
            value for all instances, or one per instance; a name that several types share needs the type as a prefix:
            ``with_parameters(**{"left.mass": 2.0})``. Parameters of a named instance are INSTANCE.NAME. Instances that
            take a value from a parameter of the model follow it.

        Raises
        ------
        UnknownNameError
            If the parameter does not exist.
        ModelError
            If a value has the wrong number of components or is not finite, or if instances take it from a parameter of
            the model.
        FrozenParameterError
            If the value differs from a constant of the generated code; see `Equations.compile`.
        """
        parameters, elements = changed_parameters(self.layout, self.parameters, self.element_parameters, values)
        return dataclasses.replace(self, parameters=parameters, element_parameters=elements)

    def with_input(self, name: str, times: object, values: object, interpolation: Interpolation | None = None) -> Self:
        """Return a copy with a table for a run-time input; steps end at its points.

        Parameters
        ----------
        name
            The input, from `Model.input`.
        times
            Increasing times, in s, shape (n,).
        values
            Values at these times, shape (n,) or (n, size); the first and the last value hold before and after the
            table.
        interpolation
            ``"linear"``; ``"hold"``: each value holds until the next time; ``"cubic"`` or ``"quintic"``: a spline with
            not-a-knot ends. Default: the interpolation of `Model.input`, else linear. If the model declares one, the
            first and the last value do not hold: runs must stay inside the table.

        Raises
        ------
        UnknownNameError
            If the input or interpolation does not exist.
        SmoothnessError
            If the interpolation is less smooth than the one of `Model.input`.
        ModelError
            If the times do not increase, or the shapes do not fit.
        """
        table = input_table(self.layout, name, times, values, interpolation)
        return dataclasses.replace(self, inputs={**self.inputs, name: table})

    def with_table(self, name: str, points: object, values: object) -> Self:
        """Return a copy with other points of a smooth table.

        Parameters
        ----------
        name
            The table, from `Model.smooth_table`.
        points
            Increasing times in s, or increasing values of another argument in SI units, shape (n,).
        values
            Values at these points, shape (n,) or (n, size).

        Raises
        ------
        UnknownNameError
            If the table does not exist.
        ModelError
            If the points do not increase, or the shapes do not fit.
        """
        table = smooth_table(self.layout, name, points, values)
        return dataclasses.replace(self, inputs={**self.inputs, name: table})

    def with_redundant(self, redundant: Redundant) -> Self:
        """Return this system with another treatment of redundant constraint equations.

        Parameters
        ----------
        redundant
            ``"error"``: they raise an error; ``"minimal_norm"``: among all multipliers of the same motion, those of
            minimal norm are chosen.

        Raises
        ------
        UnknownNameError
            If the treatment does not exist.
        """
        if redundant not in REDUNDANT:
            raise UnknownNameError(f"Unknown redundant '{redundant}'; use one of: {', '.join(REDUNDANT)}.")
        return self if redundant == self.redundant else self._treatments[redundant]

    @cached_property
    def _treatments(self) -> dict[str, Self]:
        """Systems by treatment, cached so that continued runs recognise their system."""
        return {name: dataclasses.replace(self, redundant=name) for name in REDUNDANT}

    @cached_property
    def prepared(self) -> Prepared:
        """Parameters with derived constants and input tables, in the format of the kernels."""
        slots, tables = slots_and_tables(self.layout, self.inputs)
        prepared = self.kernels.prepare(np.concatenate([self.parameters, slots]), self.element_parameters)
        return Prepared(np.concatenate([prepared.model, tables]), prepared.elements)

    @cached_property
    def shapes(self) -> tuple[AttachedShape, ...]:
        """Shapes that represent the nodes in drawings."""
        return read_shapes(self.files)

    @property
    def breakpoints(self) -> dict[float, float]:
        """Times that must be step boundaries, each with the start time of the next step.

        Breakpoints are kinks of functions of time, knots of tables, and jumps of inputs. After a jump the next step
        starts a few units in the last place later; breakpoints before that time are merged into the jump. Periodic
        tables contribute the breakpoints of one period; see `breakpoints_between`.
        """
        return self.breakpoints_between(math.inf, -math.inf)

    def breakpoints_between(self, t0: float, t_end: float) -> dict[float, float]:
        """Return the breakpoints with the knots of periodic tables in all periods of a run.

        Parameters
        ----------
        t0, t_end
            Start and end of the run, in s.
        """
        positions = [self.layout.parameters[name][0] for name in self.layout.manifest.breakpoints]
        kinks = {float(t): float(t) for part in positions for t in self.parameters[part]}
        tables = tables_in_use(self.layout, self.inputs)
        return merged_breakpoints(kinks | breakpoints_of(list(tables.values()), t0, t_end))
