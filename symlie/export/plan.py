"""What is exported: a system with a method, its step control, and its sizes."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cached_property

from symlie.contract.constants import MOST_EVENTS
from symlie.contract.set_table import read_table
from symlie.contract.sets import kernel_set
from symlie.errors import FormatError, ModelError, NoCompilerError, UnsupportedMethodError
from symlie.export.inputs import Tables, tables_of_system
from symlie.export.parameters import ParameterVector, parameter_vector
from symlie.options import ExportReal
from symlie.runtime.integrate.compiled_method import CompiledMethod, tables_of
from symlie.runtime.integrate.driver_library import kernel_sets
from symlie.runtime.integrate.request import Request, count_dependent_rows, request_of
from symlie.runtime.integrate.run_options import RunOptions
from symlie.runtime.kernels.c import CKernels
from symlie.runtime.kernels.c_tables import ProblemTables
from symlie.runtime.kernels.matrices import Positions, matrix_positions
from symlie.runtime.layout.layout import Layout
from symlie.runtime.methods.family import Method
from symlie.runtime.solution.start import Start, start_of
from symlie.runtime.system.system import System

MOST_NUMBERS = 200_000
"""Largest number of constants of an exported program."""


@dataclass(frozen=True, eq=False)
class ExportPlan:
    """A system with a method and the control of its steps.

    Attributes
    ----------
    system, method
        The system and the method.
    fixed, adaptive
        Requests of runs with equal and with adaptive steps; None if the method has no such steps.
    h
        Step size of examples and of functional mock-up units, in s.
    options
        Options of runs, as in `solve`.
    with_rates
        True for the rates of all states, from which other programs integrate.
    real
        Type of all numbers.
    """

    system: System
    method: Method
    fixed: Request | None
    adaptive: Request | None
    h: float
    options: RunOptions
    with_rates: bool = False
    real: ExportReal = "double"

    @property
    def layout(self) -> Layout:
        """Layout of the system."""
        return self.system.layout

    @property
    def with_changes(self) -> bool:
        """True for changes of the state at events, after which other programs continue."""
        return self.with_rates and self.layout.changes_state

    @property
    def completes_steps(self) -> bool:
        """True if steps of other programs count turns of angles or turn directions of slip."""
        return self.with_changes or (self.with_rates and self.layout.has_unwrapped)

    @cached_property
    def start(self) -> Start:
        """Consistent initial state at t = 0."""
        return start_of(self.system, 0.0)

    @cached_property
    def parameters(self) -> ParameterVector:
        """All parameters."""
        return parameter_vector(self.system)

    @cached_property
    def tables(self) -> Tables:
        """Inputs and tables."""
        return tables_of_system(self.system)

    @cached_property
    def problem_tables(self) -> ProblemTables:
        """Integer tables of the topology."""
        return tables_of(self.system, self.method)

    @cached_property
    def dependent_rows(self) -> int:
        """Number of redundant constraint equations at the start."""
        return count_dependent_rows(self.system.mechanics, 0.0, self.start.q, self.start.v)

    @cached_property
    def linearizes(self) -> bool:
        """True if the kernels of K and C are available."""
        try:
            return bool(self.system.sets.files("newton"))
        except (FormatError, ModelError):
            return False

    @property
    def includes_newton(self) -> bool:
        """True if the method itself uses these kernels."""
        return "newton" in kernel_sets(self.method, self.layout)

    @cached_property
    def workspace(self) -> tuple[int, int]:
        """Number of values of the workspace of steps, and of all functions."""
        layout, tables = self.layout, self.problem_tables
        values = sum(len(x) for x in layout.assembled("mass")[:1]) + tables.jacobian_values
        of_terms = values + 2 * (layout.dimension + layout.rows) + self._matrix_values
        system = self.system
        if not isinstance(system.kernels, CKernels):
            if not layout.is_fixed or self.method.keeps_factors:
                raise NoCompilerError(
                    f"The size of the workspace of '{self.method.name}' for '{layout.name}' is determined by a C "
                    "compiler, which was not found; install one, such as that of 'pip install ziglang'."
                )
            return 1, 1 + of_terms
        request = self.fixed or self.adaptive
        assert request is not None
        compiled = CompiledMethod(system, self.method, request.control)
        steps = max(int(compiled.library.call.symlie_workspace(compiled.problem)), 1)
        library, problem = system.kernels.library, system.kernels.problem(system.prepared)
        names = ("begin", "first_step", "observation")
        others = [int(getattr(library.call, f"symlie_{name}_workspace")(problem)) for name in names]
        return steps, steps + max(*others, of_terms)

    @cached_property
    def matrix_places(self) -> tuple[tuple[Positions, tuple[int, int]], ...]:
        """Rows and columns of the stored values of K, C and H, and their shapes; empty without kernels."""
        if not self.linearizes:
            return ()
        files, names = self.system.sets.files("newton"), kernel_set("newton").files(self.layout.name)
        return tuple(matrix_positions(self.layout, kernel_set("newton"), read_table(files[names[-1]])))

    @property
    def _matrix_values(self) -> int:
        return sum(len(places[0]) for places, _ in self.matrix_places)

    @property
    def event_rows(self) -> int:
        """Number of values of the space for events within a step."""
        layout = self.layout
        width = 2 + layout.storage + layout.dimension + layout.rows + layout.carried_size
        return MOST_EVENTS * len(layout.events) * (width + self.method.own_size(layout))


def export_plan(system: System, options: RunOptions, h: float | None, real: ExportReal = "double") -> ExportPlan:
    """Return the plan of an export with the options of `solve`; ``h`` is the step size of fixed steps, in s, or None.

    Raises
    ------
    UnsupportedMethodError
        If the method cannot integrate the system, or cannot be exported.
    ModelError
        If the system has too many constants, or arguments are invalid.
    """
    fixed = adaptive = None
    failures: list[Exception] = []
    for is_fixed in (True, False):
        stated = dataclasses.replace(options, h=(1e-3 if h is None else h) if is_fixed else None)
        if is_fixed:
            stated = dataclasses.replace(stated, rtol=None, atol=None, h0=None)
        try:
            request = request_of(system, (0.0, 1.0 if h is None else max(1.0, 2 * h)), stated, None)
        except UnsupportedMethodError as failure:
            failures.append(failure)
            continue
        fixed, adaptive = (request, adaptive) if is_fixed else (fixed, request)
    if fixed is None and adaptive is None:
        raise failures[0]
    if fixed is not None and adaptive is not None and fixed.method != adaptive.method:
        fixed, adaptive = (None, adaptive) if h is None else (fixed, None)
    chosen = fixed or adaptive
    assert chosen is not None
    if h is None and options.rtol is not None and adaptive is None:
        raise failures[0]
    plan = ExportPlan(system, chosen.method, fixed, adaptive, 1e-3 if h is None else h, options, real=real)
    _check_size(plan)
    return plan


def _check_size(plan: ExportPlan) -> None:
    layout = plan.layout
    tables = [*layout.storage_of, *layout.velocity_of]
    count = sum(t.size for t in tables) + len(plan.parameters.values) + 3 * (layout.storage + layout.dimension)
    if count > MOST_NUMBERS:
        raise ModelError(
            f"The topology of '{layout.name}' consists of {count} numbers, more than the {MOST_NUMBERS} that are "
            "written as constants; export a smaller model."
        )
