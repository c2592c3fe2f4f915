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
    """Times of computation before the integration, in s; 0 if a result was in the cache."""

    derive: float = 0.0
    """Derivation."""
    emit: float = 0.0
    """Code generation."""
    compile: float = 0.0
    """Compilation."""


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
    """Option of the compiler, as in `Equations.compile`."""
    kernels: Kernels
    algebra: DenseAlgebra | BandedAlgebra
    parameters: Array
    """Values of all parameters of the model; ``layout.parameters`` contains their positions."""
    element_parameters: tuple[Array, ...]
    sets: KernelSets
    """Additional kernel sets, loaded on first use."""
    initial_values: Mapping[tuple[str, str], Array] = field(default_factory=dict)
    inputs: Mapping[str, InputTable] = field(default_factory=dict)
    """Tables of inputs, and tables that replace smooth tables of the model, by name."""
    timings: Timings = Timings()
    """Times of derivation, code generation and compilation, in s."""
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
        """Return a copy with other values of parameters.

        Parameters
        ----------
        **values
            Numbers, or arrays of the shape of the parameter, by its name. A parameter of an element type has one value
            for all elements, or one row per element; if several types have it, its name is TYPE.NAME:
            ``with_parameters(**{"left.mass": 2.0})``. A parameter of a named element is ELEMENT.NAME. Elements whose
            parameter is a parameter of the model follow the latter.

        Raises
        ------
        UnknownNameError
            If the parameter does not exist, or several element types have it.
        ModelError
            If a value has the wrong number of components or is not finite, or if it is determined by a parameter of the
            model that also determines other values.
        FrozenParameterError
            If the value differs from a constant of the generated code; see `Equations.compile`.
        """
        parameters, elements = changed_parameters(self.layout, self.parameters, self.element_parameters, values)
        return dataclasses.replace(self, parameters=parameters, element_parameters=elements)

    def with_input(self, name: str, times: object, values: object, interpolation: Interpolation | None = None) -> Self:
        """Return a copy with another function of time for an input, defined by a table; steps end at its points.

        Before the first and after the last time, the input has the first and the last value. If the model declares an
        interpolation of the input, runs must stay inside the table.

        Parameters
        ----------
        name
            Name of the input, from `Model.input`.
        times
            Increasing times, in s, shape (n,).
        values
            Values at these times, in the unit of the input, shape (n,) or (n, size).
        interpolation
            ``"linear"``; ``"hold"``: constant up to the next time; ``"cubic"`` or ``"quintic"``: spline with not-a-knot
            ends. Default: the interpolation of `Model.input`, otherwise ``"linear"``.

        Raises
        ------
        UnknownNameError
            If the input or the interpolation does not exist.
        SmoothnessError
            If the interpolation is less smooth than that of `Model.input`.
        ModelError
            If the times do not increase, a number is not finite, or the shapes do not fit.
        """
        table = input_table(self.layout, name, times, values, interpolation)
        return dataclasses.replace(self, inputs={**self.inputs, name: table})

    def with_table(self, name: str, points: object, values: object) -> Self:
        """Return a copy with other points of a smooth table.

        Parameters
        ----------
        name
            Name of the table, from `Model.smooth_table`.
        points
            Increasing times, in s, or values of another argument, in its unit, shape (n,).
        values
            Values at these points, in the unit of the table, shape (n,) or (n, size).

        Raises
        ------
        UnknownNameError
            If the table does not exist.
        ModelError
            If the points do not increase, a number is not finite, or the shapes do not fit.
        """
        table = smooth_table(self.layout, name, points, values)
        return dataclasses.replace(self, inputs={**self.inputs, name: table})

    def with_redundant(self, redundant: Redundant) -> Self:
        """Return the system with another treatment of redundant constraint equations.

        Parameters
        ----------
        redundant
            ``"error"``: raise a `RedundantConstraintsError`. ``"minimal_norm"``: among all multipliers of the same
            motion, compute those of minimal norm, or of minimal elastic energy with `Model.compliance`.

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
        """Values of parameters, derived constants and input tables, in the format of the kernels."""
        slots, tables = slots_and_tables(self.layout, self.inputs)
        prepared = self.kernels.prepare(np.concatenate([self.parameters, slots]), self.element_parameters)
        return Prepared(np.concatenate([prepared.model, tables]), prepared.elements)

    @cached_property
    def shapes(self) -> tuple[AttachedShape, ...]:
        """Shapes that are attached to nodes and drawn in views."""
        return read_shapes(self.files)

    @property
    def breakpoints(self) -> dict[float, float]:
        """Times at which a step must end, with the start time of the next step.

        They are kinks of functions of time, points of tables, and jumps of inputs. After a jump, the next step starts a
        few units in the last place later, and breakpoints before this time belong to the jump. Periodic tables
        contribute the breakpoints of one period; see `breakpoints_between`.
        """
        return self.breakpoints_between(math.inf, -math.inf)

    def breakpoints_between(self, t0: float, t_end: float) -> dict[float, float]:
        """Return the breakpoints with the points of periodic tables in all periods of a run.

        Parameters
        ----------
        t0, t_end
            Start and end of the run, in s.
        """
        positions = [self.layout.parameters[name][0] for name in self.layout.manifest.breakpoints]
        kinks = {float(t): float(t) for part in positions for t in self.parameters[part]}
        tables = tables_in_use(self.layout, self.inputs)
        return merged_breakpoints(kinks | breakpoints_of(list(tables.values()), t0, t_end))
