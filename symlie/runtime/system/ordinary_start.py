"""Starts that nothing is wrong with, as compiled code finds them by a few bounds.

A start that these bounds leave open is no error: `consistent_initial_state` looks at it closely.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from symlie.rotations import SINGULAR_ANGLES
from symlie.runtime.kernels.c import CKernels
from symlie.runtime.layout.rotation_parameters import regularities
from symlie.runtime.system.completion import InitialState

if TYPE_CHECKING:
    from symlie.runtime.system.system import System


def ordinary_start(system: System) -> InitialState | None:
    """The consistent state of a system at t = 0, if it is ordinary."""
    if not has_ordinary_values(system):
        return None
    q, v, given = system.stated_values()
    if any(abs(near.value[0]) < SINGULAR_ANGLES for near in regularities(system.layout, q[None], v[None])):
        return None
    kernels = system.kernels
    assert isinstance(kernels, CKernels)
    found = kernels.begin(system.prepared, 0.0, q[None], v[None], given)
    return InitialState(found.q[0], found.v[0], found.multipliers[0]) if found.is_ordinary[0] else None


def has_ordinary_values(system: System) -> bool:
    """Whether a system is compiled, and nothing that is stated of it needs a closer look."""
    layout = system.layout
    if not isinstance(system.kernels, CKernels) or system.redundant != "error":
        return False
    if len(layout.motion_storage) or layout.has_unwrapped:
        return False
    if system.branch_check is not None and system.initial_values and layout.joints:
        return False
    times = (system.parameters[layout.parameters[name][0]] for name in layout.manifest.breakpoints)
    numbers = (system.parameters, *system.element_parameters)
    return all(np.isfinite(x).all() for x in numbers) and all((np.diff(t) > 0).all() for t in times)
