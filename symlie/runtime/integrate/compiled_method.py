"""A system and a method as the library takes them that was compiled for both."""

from __future__ import annotations

from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from symlie.compile.library import Library, Pointer
from symlie.runtime.integrate.driver_library import driver_library
from symlie.runtime.integrate.iteration import matrix_of
from symlie.runtime.kernels.c_structures import C_TYPES, Member, Structures, in_memory
from symlie.runtime.kernels.c_tables import ProblemTables, ProblemTemplate, problem_tables
from symlie.runtime.kernels.protocol import Prepared
from symlie.runtime.kernels.sets import KernelSets
from symlie.runtime.layout.layout import Layout
from symlie.runtime.methods.controllers import StepControl
from symlie.runtime.methods.family import Method
from symlie.runtime.system.system import System

_CONTROL_NUMBERS = (
    "is_adaptive", "with_estimate", "safety", "exponent", "fac_min", "fac_max", "hold", "h_min", "h_max", "baumgarte",
    "project_position", "project_velocity", "max_steps", "stiffness_limit",
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


def tables_of(system: System, method: Method) -> ProblemTables:
    """Integer tables of a system for a method's time loop."""
    tables = problem_tables(system.layout, integrates=True)
    matrix = matrix_of(system, method)
    return tables if matrix is None else replace(tables, iteration=matrix.packed)


@dataclass(frozen=True, eq=False)
class _Driver:
    """What a method is for all systems of one topology that differ in values alone."""

    method: Method
    library: Library
    template: ProblemTemplate


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
        self.library, self._template = driver.library, driver.template
        self.problem, kept = driver.template.problem(system.prepared)
        self.control, held = in_memory(self.library, control_structure(system.layout, control))
        self._held: list[Pointer] = [kept, held]

    def problems(self, prepared: Prepared) -> tuple[Pointer, list[object]]:
        """Those of several systems, and everything that must stay alive with them."""
        return self._template.problem(prepared)

    def held(self, array: NDArray[np.generic]) -> Pointer:
        """The memory of a C-contiguous array, which lives as long as this object."""
        self._held.append(self.library.pointer(array, f"{C_TYPES[array.dtype]}[]"))
        return self._held[-1]

    def workspace(self) -> Pointer:
        """Memory that a problem needs while steps are taken."""
        return self.library.pointer(np.zeros(max(int(self.library.call.symlie_workspace(self.problem)), 1)))
