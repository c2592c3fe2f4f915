"""Library of a system with a method for numbers with tangents."""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

import numpy as np

from symlie.compile.library import Library, Pointer
from symlie.runtime.integrate.compiled_method import control_structure, plan_structure, tables_of
from symlie.runtime.integrate.driver_library import tangents_library
from symlie.runtime.integrate.segments import Plan
from symlie.runtime.integrate.sensitivities.tangent_parameters import parameters_with_tangents
from symlie.runtime.integrate.sensitivities.variables import JumpVariable, Variable
from symlie.runtime.kernels.c_structures import in_memory
from symlie.runtime.kernels.c_tables import ProblemTemplate
from symlie.runtime.kernels.protocol import Prepared
from symlie.runtime.kernels.sets import KernelSets
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.controllers import StepControl
from symlie.runtime.methods.family import Method
from symlie.runtime.system.system import System

_libraries: WeakKeyDictionary[KernelSets, list[tuple[Method, int, Library]]] = WeakKeyDictionary()
"""Libraries by the kernel sets, which copies of a system share."""


def _library(system: System, method: Method, tangents: int) -> tuple[Library, float]:
    """Library for a number of tangents, and its compile time in s."""
    known = _libraries.setdefault(system.sets, [])
    is_shared = system.mechanics.saddle_algebra is None
    found = next((x for m, n, x in known if m == method and n == tangents), None) if is_shared else None
    if found is not None:
        return found, 0.0
    library, seconds = tangents_library(system, method, tangents)
    if is_shared:
        known.append((method, tangents, library))
    return library, seconds


def problem_with_tangents(template: ProblemTemplate, prepared: Prepared, width: int) -> tuple[Pointer, list[object]]:
    """``symlie_problem`` with the parameters of `TangentMethod`, and the objects that own its memory."""
    problem, held = template.problem(prepared)
    for k in range(len(prepared.elements)):
        problem.elements[k].stride //= width
    return problem, held


class TangentMethod:
    """Library of a system with a method for numbers with tangents, with its C structures and their memory.

    Attributes
    ----------
    width
        Doubles of a number: its value and its tangents.
    library, compile_seconds
        The library, and its compile time in s.
    problem
        ``symlie_problem`` without workspace.
    prepared
        Prepared parameters with tangents, as arrays of doubles.

    Parameters
    ----------
    system, method, control
        The system, the method and its step control.
    variables, directions
        Variables of the tangents, and the direction of each tangent, shape (variables, tangents).
    """

    def __init__(
        self, system: System, method: Method, control: StepControl, variables: Sequence[Variable], directions: Array
    ) -> None:
        tangents = directions.shape[1]
        self.width = 1 + tangents
        self.library, self.compile_seconds = _library(system, method, tangents)
        wide = parameters_with_tangents(system, self.library, variables, directions)
        self.prepared = Prepared(wide.model.ravel(), tuple(x.reshape(len(x), -1) for x in wide.elements))
        template = ProblemTemplate(self.library, system.layout, tables_of(system, method))
        self.problem, problem_held = problem_with_tangents(template, self.prepared, self.width)
        values, values_held = template.problem(system.prepared)
        size = max(self.library.call.symlie_values_workspace(self.problem), 1)
        workspace = values.workspace = self.library.pointer(np.zeros(int(size)))
        self.problem.values = values
        self._jumps = [(k, v.time(system)) for k, v in enumerate(variables, start=1) if isinstance(v, JumpVariable)]
        self._control, control_held = in_memory(self.library, control_structure(system.layout, control))
        self._held: list[object] = [problem_held, values_held, values, workspace, control_held]

    def plan(self, plan: Plan, record_every: int) -> Pointer:
        """``symlie_plan`` of the segments with a separate step budget, valid as long as this object."""
        described, held = in_memory(self.library, plan_structure(plan))
        own = self.library.ffi.new("symlie_plan *", described[0])
        own.record_every, own.control = record_every, self._control
        self._held.append(held)
        if self._jumps:
            ends = np.zeros((len(plan.end), self.width))
            ends[:, 0] = plan.end
            for k, time in self._jumps:
                ends[ends[:, 0] == time, k] = 1.0
            own.moving_end = self.library.pointer(ends)
            self._held.append(ends)
        return own

    def workspace(self) -> Pointer:
        """Allocate the workspace of the problem."""
        call = self.library.call
        size = max(call.symlie_workspace(self.problem), call.symlie_begin_tangents_workspace(self.problem), 1)
        return self.library.pointer(np.zeros(self.width * int(size)))
