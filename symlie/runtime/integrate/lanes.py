"""Ensemble members in SIMD lanes: eligible systems and methods, and the arguments of the compiled loop.

Each lane is bitwise identical to an individual run of its member: the same source code is compiled with several numbers
instead of each one, and members are processed individually where their branches differ.
"""

from __future__ import annotations

import numpy as np

from symlie.errors import ModelError
from symlie.runtime.integrate.compiled_method import CompiledMethod
from symlie.runtime.integrate.request import Request
from symlie.runtime.integrate.within.switch_search import searches_switches
from symlie.runtime.kernels.protocol import Prepared
from symlie.runtime.system.system import System
from symlie.utilities.number_checks import is_whole_number

MOST_LANES = 16
"""Largest number of lanes."""

LEAST_WORK = 1e8
"""Velocities times steps of all members above which lanes save more time than their compilation costs."""

USUAL_STEPS = 100
"""Assumed number of adaptive steps of a member."""


def refusal(system: System, request: Request) -> str | None:
    """Return the reason why members of a system cannot run in lanes, as the end of a sentence, or None if they can."""
    layout, method = system.layout, request.method
    reasons = {
        "optimize='contract' lets the compiler choose the fused operations": system.optimize == "contract",
        "the model has contacts or friction": len(layout.contacts) > 0,
        "the model has events": bool(layout.events),
        f"'{method.name}' restarts at switches of piecewise forces": searches_switches(layout, method),
        "the saddle point matrix is not reduced to blocks": system.mechanics.saddle_algebra is not None,
    }
    found = next((reason for reason, holds in reasons.items() if holds), None)
    return _refusal_of_series(system) if found is None and method.is_polynomial else found


def _refusal_of_series(system: System) -> str | None:
    """Return the reason for Taylor series, whose lanes support neither several branches nor functions other than
    products."""
    layout = system.layout
    if not layout.is_fixed:
        return "run-time topologies already use SIMD registers for their elements"
    if layout.has_unwrapped:
        return "the Taylor series of unwrapped angles are computed for one member at a time"
    jets = system.sets.table("jets").jets
    if any(jet.conditions for jet in jets):
        return "the Taylor series of a piecewise law ends at a change of branch"
    if any(jet.arguments for jet in jets):
        return "the Taylor series of functions that are not elementary are computed for one member at a time"
    return None


def lanes_for(system: System, request: Request, members: int, wanted: int | None) -> int | None:
    """Number of lanes for the members; None: the register width of the machine where the members run.

    With `wanted` None lanes are used only if they save more time than their compilation costs; `ModelError` if a
    request cannot be satisfied.
    """
    if wanted is None:
        steps = request.plan.total_steps if not request.control.is_adaptive else USUAL_STEPS
        pays = members * steps * system.layout.dimension >= LEAST_WORK
        return None if pays and refusal(system, request) is None else 1
    if not is_whole_number(wanted) or wanted not in (1, 2, 4, 8, MOST_LANES):
        raise ModelError(f"lanes must be 1, 2, 4, 8 or {MOST_LANES} members, or None, not {wanted!r}.")
    reason = refusal(system, request) if wanted > 1 else None
    if reason is not None:
        raise ModelError(
            f"Members of '{system.name}' cannot be integrated in SIMD lanes, because {reason}; omit lanes."
        )
    return int(wanted)


class LanesCall:
    """Arguments of the compiled loop for members in lanes.

    Parameters
    ----------
    system
        One of the systems.
    compiled
        The system with its method, for members that run alone.
    prepared
        Preprocessed parameters of all members.
    lanes
        Number of lanes.

    Attributes
    ----------
    compile_seconds
        Compile time of the loop, in s.
    """

    def __init__(self, system: System, compiled: CompiledMethod, prepared: Prepared, lanes: int) -> None:
        library, self.compile_seconds = compiled.lanes_library(system, lanes)
        ffi, types = library.ffi, len(prepared.elements)
        sizes = np.array([prepared.model.shape[1], *(rows[0].size for rows in prepared.elements)], dtype=np.int64)
        elements = ffi.new("symlie_elements[]", max(types, 1))
        single = compiled.workspace()
        self.structure = ffi.new("symlie_lanes *")
        self.structure.types, self.structure.elements = types, elements
        self.structure.parameters = library.pointer(sizes, "long long[]")
        self.structure.alone, self.structure.workspace_alone = compiled.library.call.symlie_integrate, single
        size = int(library.call.symlie_lanes_workspace(compiled.problem, self.structure))
        workspace = np.zeros(max(size, 1))
        self.structure.workspace = library.pointer(workspace)
        self._held = [sizes, elements, single, workspace, compiled]
        self.integrate = library.call.symlie_integrate_lanes
