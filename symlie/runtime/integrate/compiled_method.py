"""A system and a method as the library takes them that was compiled for both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from weakref import WeakKeyDictionary

import numpy as np

from symlie.compile.library import Library, Pointer
from symlie.runtime.integrate.driver_library import driver_library, lanes_library
from symlie.runtime.integrate.iteration import matrix_of
from symlie.runtime.integrate.segments import Plan
from symlie.runtime.kernels.c_structures import Member, Structures, in_memory
from symlie.runtime.kernels.c_tables import ProblemTables, ProblemTemplate, problem_tables
from symlie.runtime.kernels.protocol import Prepared
from symlie.runtime.kernels.sets import KernelSets
from symlie.runtime.layout.layout import Layout
from symlie.runtime.methods.controllers import StepControl
from symlie.runtime.methods.family import Method
from symlie.runtime.system.system import System

_CONTROL_NUMBERS = (
    "is_adaptive", "with_estimate", "safety", "exponent", "fac_min", "fac_max", "hold", "h_min", "h_max", "baumgarte",
    "project_position", "project_velocity", "watches_rank", "max_steps", "order", "tolerance", "stiffness_limit",
    "hidden_limit",
)  # fmt: skip


def control_structure(layout: Layout, control: StepControl) -> Structures:
    """How steps are taken, as ``symlie_control``."""
    arrays: dict[str, Member] = {
        "rtol": control.rtol,
        "atol": control.atol,
        "weight": control.weight,
        "event_direction": np.array([e.direction for e in layout.events] or [0], dtype=np.int32),
        "event_is_terminal": np.array([e.is_terminal for e in layout.events] or [False], dtype=np.uint8),
    }
    numbers = {name: getattr(control, name) for name in _CONTROL_NUMBERS}
    return Structures("symlie_control", ({**numbers, **arrays},))


def plan_structure(plan: Plan) -> Structures:
    """Segments of time, as ``symlie_plan``."""
    arrays: dict[str, Member] = {
        "segments": len(plan.end),
        "start": np.array(plan.start),
        "end": np.array(plan.end),
        "steps": np.array(plan.steps, dtype=np.int64),
        "record_end": np.array(plan.record_end, dtype=np.uint8),
        "restarts": np.array(plan.restarts, dtype=np.uint8),
    }
    return Structures("symlie_plan", (arrays,))


def tables_of(system: System, method: Method) -> ProblemTables:
    """Integer tables of a system for a method's time loop."""
    tables = problem_tables(system.layout, integrates=True)
    matrix = matrix_of(system, method)
    return tables if matrix is None else replace(tables, iteration=matrix.packed)


@dataclass(eq=False)
class _Driver:
    """What a method is for all systems of one topology that differ in values alone."""

    method: Method
    library: Library
    template: ProblemTemplate
    last: dict[type, tuple[object, Pointer, list[object]]] = field(default_factory=dict)
    """What was described last of each type, for runs that are told the same."""
    workspace_size: int = 0
    lanes: dict[int, Library] = field(default_factory=dict)
    """The libraries of members side by side, by their number."""

    def described(self, what: StepControl | Plan, structure: Callable[[], Structures]) -> tuple[Pointer, list[object]]:
        """A structure of C in memory, and everything that must stay alive with it."""
        known = self.last.get(type(what))
        if known is None or known[0] is not what:
            known = self.last[type(what)] = what, *in_memory(self.library, structure())
        return known[1:]


known_drivers: WeakKeyDictionary[KernelSets, list[_Driver]] = WeakKeyDictionary()
"""By what copies of a system share."""


def _driver(system: System, method: Method) -> tuple[_Driver, float]:
    """The driver of a system with a method, and the seconds it took to compile."""
    known = known_drivers.setdefault(system.sets, [])
    # What is solved with otherwise depends on values, too.
    is_shared = system.mechanics.saddle_algebra is None
    found = next((d for d in known if d.method == method), None) if is_shared else None
    if found is not None:
        return found, 0.0
    library, seconds = driver_library(system, method)
    found = _Driver(method, library, ProblemTemplate(library, system.layout, tables_of(system, method)))
    if is_shared:
        known.append(found)
    return found, seconds


class CompiledMethod:
    """The library of a system with a method, what it is told of both, and the memory of that.

    Parameters
    ----------
    system
        The system, compiled.
    method
        The method.
    control
        How its steps are taken.

    Attributes
    ----------
    library, compile_seconds
        The library, and the seconds that it took to compile.
    problem, control
        ``symlie_problem`` without a workspace, and ``symlie_control``.
    """

    def __init__(self, system: System, method: Method, control: StepControl) -> None:
        driver, self.compile_seconds = _driver(system, method)
        self.library = driver.library
        self.problem, problem_held = driver.template.problem(system.prepared)
        self.control, control_held = driver.described(control, lambda: control_structure(system.layout, control))
        self._driver, self._held = driver, [problem_held, control_held]

    def plan(self, plan: Plan, record_every: int) -> Pointer:
        """``symlie_plan`` of the segments, which lives as long as this object; with a budget of its own."""
        described, held = self._driver.described(plan, lambda: plan_structure(plan))
        own = self.library.ffi.new("symlie_plan *", described[0])
        own.record_every, own.control = record_every, self.control
        self._held.append(held)
        return own

    def problems(self, prepared: Prepared) -> tuple[Pointer, list[object]]:
        """Those of several systems, and everything that must stay alive with them."""
        return self._driver.template.problem(prepared)

    def lanes_library(self, system: System, lanes: int) -> tuple[Library, float]:
        """The library of so many members side by side, and the seconds it took to compile."""
        known = self._driver.lanes
        if lanes in known:
            return known[lanes], 0.0
        known[lanes], seconds = lanes_library(system, self._driver.method, lanes)
        return known[lanes], seconds

    def workspace(self) -> Pointer:
        """Memory that a problem needs while steps are taken."""
        return self.library.pointer(np.zeros(self._workspace_size))

    @property
    def _workspace_size(self) -> int:
        """Numbers, as the topology needs them."""
        driver = self._driver
        if not driver.workspace_size:
            driver.workspace_size = max(int(self.library.call.symlie_workspace(self.problem)), 1)
        return driver.workspace_size
