"""C structures of a system and a method for their compiled library."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol
from weakref import WeakKeyDictionary

import numpy as np

from symlie.compile.library import Library, Pointer
from symlie.runtime.integrate.driver_library import driver_library, lanes_library
from symlie.runtime.integrate.iteration import matrix_of
from symlie.runtime.integrate.segments import Plan
from symlie.runtime.kernels.c_structures import Member, Structures, in_memory
from symlie.runtime.kernels.c_tables import ProblemTables, ProblemTemplate, problem_tables, with_open_tables
from symlie.runtime.kernels.protocol import Prepared
from symlie.runtime.kernels.sets import KernelSets
from symlie.runtime.layout.layout import Layout
from symlie.runtime.methods.controllers import StepControl
from symlie.runtime.methods.family import Method
from symlie.runtime.system.system import System

_CONTROL_NUMBERS = (
    "is_adaptive", "with_estimate", "safety", "exponent", "fac_min", "fac_max", "hold", "h_min", "h_max", "baumgarte",
    "project_position", "project_velocity", "watches_rank", "max_steps", "order", "tolerance", "stiffness_limit",
    "hidden_limit", "impacts", "most_impacts",
)  # fmt: skip


def control_structure(layout: Layout, control: StepControl) -> Structures:
    """Step control as ``symlie_control``."""
    arrays: dict[str, Member] = {
        "rtol": control.rtol,
        "atol": control.atol,
        "weight": control.weight,
        "event_direction": np.array([e.direction for e in layout.events] or [0], dtype=np.int32),
        "event_is_terminal": np.array([e.is_terminal for e in layout.events] or [False], dtype=np.uint8),
        "event_changes": np.append(layout.event_changes, False).astype(np.uint8),
    }
    numbers = {name: getattr(control, name) for name in _CONTROL_NUMBERS}
    return Structures("symlie_control", ({**numbers, **arrays},))


PLAN_TYPES = {"start": np.float64, "end": np.float64, "steps": np.int64, "record_end": np.uint8, "restarts": np.uint8}
"""Types of the arrays of ``symlie_plan`` by name."""


def plan_structure(plan: Plan) -> Structures:
    """Time segments as ``symlie_plan``."""
    arrays: dict[str, Member] = {name: np.array(getattr(plan, name), dtype=kind) for name, kind in PLAN_TYPES.items()}
    return Structures("symlie_plan", ({"segments": len(plan.end), **arrays},))


def tables_of(system: System, method: Method) -> ProblemTables:
    """Integer tables of a system for a method's time loop."""
    tables = problem_tables(system.layout, integrates=True)
    if method.steps_over(system.layout) and system.mechanics.open_rows.uses_complement:
        tables = with_open_tables(tables, system.layout, system.mechanics.open_rows.of_layout)
    matrix = matrix_of(system, method)
    return tables if matrix is None else replace(tables, iteration=matrix.packed)


@dataclass(eq=False)
class _Driver:
    """Data of a method shared by all systems of one topology."""

    method: Method
    library: Library
    template: ProblemTemplate
    last: dict[type, tuple[object, Pointer, list[object]]] = field(default_factory=dict)
    """Latest structure of each type, reused for runs with identical options."""
    workspace_size: int = 0
    lanes: dict[int, Library] = field(default_factory=dict)
    """Libraries for ensemble members in SIMD lanes, by number of lanes."""

    def described(self, what: StepControl | Plan, structure: Callable[[], Structures]) -> tuple[Pointer, list[object]]:
        """Pointer to a C structure in memory, and the objects that own the memory."""
        known = self.last.get(type(what))
        if known is None or known[0] is not what:
            known = self.last[type(what)] = what, *in_memory(self.library, structure())
        return known[1:]


known_drivers: WeakKeyDictionary[KernelSets, list[_Driver]] = WeakKeyDictionary()
"""Drivers by the kernel sets, which copies of a system share."""


def _driver(system: System, method: Method) -> tuple[_Driver, float]:
    """Driver of a system with a method, and its compile time in s."""
    known = known_drivers.setdefault(system.sets, [])
    # The saddle point solver also depends on parameter values, so its drivers are not shared.
    is_shared = system.mechanics.saddle_algebra is None
    found = next((d for d in known if d.method == method), None) if is_shared else None
    if found is not None:
        return found, 0.0
    library, seconds = driver_library(system, method)
    found = _Driver(method, library, ProblemTemplate(library, system.layout, tables_of(system, method)))
    if is_shared:
        known.append(found)
    return found, seconds


class Compiled(Protocol):
    """Library of a system with a method, with its C structures and their memory."""

    library: Library
    compile_seconds: float
    problem: Pointer

    def plan(self, plan: Plan, record_every: int) -> Pointer:
        """``symlie_plan`` of the segments with a separate step budget, valid as long as this object."""

    def workspace(self) -> Pointer:
        """Allocate the workspace of a problem."""


class CompiledMethod:
    """Library of a system with a method, with its C structures and their memory.

    Attributes
    ----------
    library, compile_seconds
        The library, and its compile time in s.
    problem, control
        ``symlie_problem`` without workspace, and ``symlie_control``.
    """

    def __init__(self, system: System, method: Method, control: StepControl) -> None:
        driver, self.compile_seconds = _driver(system, method)
        self.library = driver.library
        self.problem, problem_held = driver.template.problem(system.prepared)
        self.control, control_held = driver.described(control, lambda: control_structure(system.layout, control))
        self._driver, self._held = driver, [problem_held, control_held]

    def plan(self, plan: Plan, record_every: int) -> Pointer:
        """``symlie_plan`` of the segments with a separate step budget, valid as long as this object."""
        described, held = self._driver.described(plan, lambda: plan_structure(plan))
        own = self.library.ffi.new("symlie_plan *", described[0])
        own.record_every, own.control = record_every, self.control
        self._held.append(held)
        return own

    def problems(self, prepared: Prepared) -> tuple[Pointer, list[object]]:
        """C structures of several systems, and the objects that own their memory."""
        return self._driver.template.problem(prepared)

    def lanes_library(self, system: System, lanes: int) -> tuple[Library, float]:
        """Library for a number of SIMD lanes, and its compile time in s."""
        known = self._driver.lanes
        if lanes in known:
            return known[lanes], 0.0
        known[lanes], seconds = lanes_library(system, self._driver.method, lanes)
        return known[lanes], seconds

    def workspace(self) -> Pointer:
        """Allocate the workspace of a problem."""
        return self.library.pointer(np.zeros(self._workspace_size))

    @property
    def _workspace_size(self) -> int:
        """Number of workspace values for the topology."""
        driver = self._driver
        if not driver.workspace_size:
            driver.workspace_size = max(int(self.library.call.symlie_workspace(self.problem)), 1)
        return driver.workspace_size
