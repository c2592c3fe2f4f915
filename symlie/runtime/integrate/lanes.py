"""Members of an ensemble side by side in vector registers: for which systems and methods, and what the loop is told.

Each lane has the bits that its member has alone: lanes are compiled from the same text, with several numbers in the
place of each, and where members would go different ways, one goes alone.
"""

from __future__ import annotations

import numpy as np

from symlie.errors import ModelError
from symlie.runtime.integrate.compiled_method import CompiledMethod
from symlie.runtime.integrate.request import Request
from symlie.runtime.kernels.protocol import Prepared
from symlie.runtime.system.system import System
from symlie.stated_numbers import is_whole_number

MOST_LANES = 16
"""Members side by side at most."""

LEAST_WORK = 1e8
"""Velocities times steps, of all members, from which on steps gain more time than their lanes take to compile."""

USUAL_STEPS = 100
"""Adaptive steps of a member, where nothing is known of them."""


def refusal(system: System, request: Request) -> str | None:
    """Why members of a system can not go side by side, as the end of a sentence; None where they can.

    Parameters
    ----------
    system
        One of the systems.
    request
        What all are integrated by.
    """
    layout, method, control = system.layout, request.method, request.control
    angles = bool(len(layout.angles)) and bool(layout.manifest.motions)
    reasons = {
        f"'{method.name}' is not half-explicit, of Runge–Kutta–Munthe-Kaas or taylor": not method.takes_lanes,
        "steps are composed": method.composition is not None,
        "steps are projected": bool(control.project_position or control.project_velocity),
        "optimize='contract' leaves to compilers which operations are fused": system.optimize == "contract",
        "the model has events": bool(layout.events),
        "angles are prescribed": angles,
        "constraints are nonlinear in the velocities": system.layout.has_nonlinear_rows,
        "the saddle point matrix is eliminated as a whole": system.mechanics.saddle_algebra is not None,
    }
    found = next((reason for reason, holds in reasons.items() if holds), None)
    return _refusal_of_series(system) if found is None and method.is_polynomial else found


def _refusal_of_series(system: System) -> str | None:
    """The same of series, of which lanes take steps of one piece, with products alone in their sums."""
    layout = system.layout
    if not layout.is_fixed:
        return "nodes of a topology that is run-time data fill registers of series already"
    if layout.has_unwrapped:
        return "series follow angles over turns one member at a time"
    jets = system.sets.table("jets").jets
    if any(jet.conditions for jet in jets):
        return "series of something stated in pieces end where these do"
    if any(jet.arguments for jet in jets):
        return "functions that are no elementary ones have series of their own"
    return None


def lanes_for(system: System, request: Request, members: int, wanted: int | None) -> int | None:
    """How many members go side by side; None: as many as registers hold where they are integrated.

    Parameters
    ----------
    system, request
        As in `refusal`.
    members
        Number of members.
    wanted
        What is asked for; None: as many as registers hold, where the gain is worth compiling once more.

    Raises
    ------
    ModelError
        What is asked for can not be had.
    """
    if wanted is None:
        steps = request.plan.total_steps if not request.control.is_adaptive else USUAL_STEPS
        pays = members * steps * system.layout.dimension >= LEAST_WORK
        return None if pays and refusal(system, request) is None else 1
    if not is_whole_number(wanted) or wanted not in (1, 2, 4, 8, MOST_LANES):
        raise ModelError(f"lanes is 1, 2, 4, 8 or {MOST_LANES} members side by side, or None, not {wanted!r}.")
    reason = refusal(system, request) if wanted > 1 else None
    if reason is not None:
        raise ModelError(f"Members of '{system.name}' can not go side by side, for {reason}; leave lanes out.")
    return int(wanted)


class LanesCall:
    """Members side by side as the compiled loop takes them.

    Parameters
    ----------
    system
        One of the systems.
    compiled
        The system with its method, for members that go alone.
    prepared
        Prepared parameters of all members.
    lanes
        How many go side by side.

    Attributes
    ----------
    compile_seconds
        The seconds that the loop took to compile.
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
