"""Initial states that compiled code proves consistent by a few bounds.

A state that fails these bounds is not an error: `consistent_initial_state` performs the full check.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symlie.contract.constants import VELOCITY_TOLERANCE
from symlie.rotations import SINGULAR_ANGLES
from symlie.runtime.kernels.c import CKernels, OrdinaryStarts
from symlie.runtime.kernels.protocol import Prepared, States
from symlie.runtime.layout.layout import Array
from symlie.runtime.layout.rotation_parameters import regularities
from symlie.runtime.system.completion import InitialState
from symlie.runtime.system.initial_values import conditions_of
from symlie.runtime.system.output_jacobian import open_rates
from symlie.runtime.system.state_rates import gives_velocities_of_bodies

if TYPE_CHECKING:
    from symlie.runtime.system.system import System


def ordinary_start(system: System) -> InitialState | None:
    """Return the consistent state of a system at t = 0, or None if it needs the full check."""
    if not has_ordinary_values(system):
        return None
    q, v, given = system.stated_values()
    if any(abs(near.value[0]) < SINGULAR_ANGLES for near in regularities(system.layout, q[None], v[None])):
        return None
    assert isinstance(system.kernels, CKernels)
    found = ordinary_starts(system, system.prepared, q[None], v[None], given)
    return InitialState(found.q[0], found.v[0], found.multipliers[0]) if found.is_ordinary[0] else None


def ordinary_starts(system: System, p: Prepared, q: Array, v: Array, given: NDArray[np.bool_]) -> OrdinaryStarts:
    """Return the consistent states at t = 0 that compiled code finds for n systems of one topology.

    The arguments are q, shape (n, storage), v, shape (n, dimension), and the mask of specified components (dimension,).
    """
    kernels, layout, conditions = system.kernels, system.layout, conditions_of(system)
    assert isinstance(kernels, CKernels)
    # Guesses, zero by default, are valid if they satisfy the constraints and all rates of joints are as specified.
    found = kernels.begin(p, 0.0, q, v, np.ones_like(given))
    is_complete = found.is_ordinary.copy()
    found.is_ordinary[is_complete] = _have_wanted_rates(system, p, conditions, given, found, is_complete)
    is_open = layout.free & ~given
    determines = is_open.any() and int(is_open.sum()) == layout.rows and bool(layout.of_velocities.all())
    if conditions or is_complete.all() or not determines:
        return found
    # Otherwise, compiled code completes velocities that the constraints determine; it ignores rates of joints.
    completed = kernels.begin(p, 0.0, q, np.where(given, v, 0.0), given)
    for name in ("is_ordinary", "q", "v", "multipliers"):
        getattr(found, name)[~is_complete] = getattr(completed, name)[~is_complete]
    return found


def _have_wanted_rates(
    system: System,
    p: Prepared,
    conditions: Mapping[str, tuple[Array, str]],
    given: NDArray[np.bool_],
    found: OrdinaryStarts,
    rows: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """Return whether the specified joint rates have their values and unspecified joint rates are zero, for each
    state."""
    layout, here = system.layout, np.flatnonzero(rows)
    fine = ~found.v[here].any(axis=1) & (not conditions)
    names = [*conditions, *(n for n in open_rates(layout, given) if n not in conditions)]
    if fine.all() or ((given | ~layout.free).all() and not conditions) or not names:
        return np.ones_like(fine)
    assert isinstance(system.kernels, CKernels)
    states = States(np.zeros(len(found.q)), found.q, found.v, found.multipliers)
    values = np.asarray(system.kernels.observe(p, states, (), names)["outputs"])[here]
    wanted = np.zeros(values.shape[1])
    targets = np.concatenate([np.zeros(0), *(target for target, _ in conditions.values())])
    wanted[: len(targets)] = targets
    size = np.maximum(1.0, np.abs(values).max(axis=1))
    fits: NDArray[np.bool_] = np.all(np.abs(values - wanted) <= VELOCITY_TOLERANCE * size[:, None], axis=1)
    return fits | fine


def has_ordinary_values(system: System) -> bool:
    """Return whether a system is compiled and none of its specified values needs the full check."""
    layout = system.layout
    if not isinstance(system.kernels, CKernels) or system.redundant != "error":
        return False
    if len(layout.motion_storage) or layout.has_unwrapped:
        return False
    if gives_velocities_of_bodies(layout, system.initial_values):
        return False
    if system.branch_check is not None and system.initial_values and layout.joints:
        return False
    times = (system.parameters[layout.parameters[name][0]] for name in layout.manifest.breakpoints)
    numbers = (system.parameters, *system.element_parameters)
    return all(np.isfinite(x).all() for x in numbers) and all((np.diff(t) > 0).all() for t in times)
