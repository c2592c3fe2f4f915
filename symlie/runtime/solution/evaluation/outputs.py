"""Outputs at given states, and their derivatives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, get_args

import numpy as np
from numpy.typing import ArrayLike

from symlie.contract.constants import ON_GROUP
from symlie.errors import ModelError, UnknownNameError
from symlie.options import Axes, Wrt
from symlie.runtime.kernels.matrices import rows_of
from symlie.runtime.kernels.protocol import Prepared, States
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.evaluation.held_inputs import prepared_with
from symlie.runtime.solution.evaluation.states import checked_state
from symlie.runtime.solution.outputs import output_names
from symlie.runtime.solution.solution import Solution
from symlie.runtime.solution.state import State

if TYPE_CHECKING:
    from symlie.runtime.system.system import System

MATRICES: Mapping[Wrt, int] = {"q": 3, "v": 4, "multipliers": 5, "inputs": 6}
"""Position of each derivative of outputs among the matrices of the set of kernels."""

FRAMES = get_args(Axes)


def outputs(
    system: System, state: State | Solution, names: Sequence[str] | None, inputs: Mapping[str, ArrayLike] | None
) -> dict[str, Array]:
    """See `symlie.runtime.system.system.System.outputs`."""
    state, layout = checked_state(system, state), system.layout
    known = output_names(layout)
    chosen = known if names is None else [names] if isinstance(names, str) else list(names)
    _check_names(system, chosen, known)
    p, kernels = prepared_with(system, inputs), system.mechanics.evaluator
    rows = _with_multipliers(system, state, p, inputs)
    stated = [name for name in chosen if name in layout.outputs]
    quantities = [name for name in chosen if name not in layout.outputs and name not in layout.node_outputs]
    found = kernels.observe(p, rows, quantities, stated)
    ends = np.cumsum([layout.outputs[name][0].stop - layout.outputs[name][0].start for name in stated])
    parts = dict(zip(stated, np.split(found.pop("outputs"), ends[:-1], axis=1), strict=True)) if stated else {}
    values: dict[str, Array] = {}
    for name in chosen:
        if name in layout.node_outputs:
            node, field, _ = layout.node_outputs[name]
            of_nodes = state.field(node.name, field.name)
            values[name] = of_nodes[(slice(None),) * len(state.shape) + (~node.fixed,)]
            continue
        block = parts[name] if name in parts else found[name]
        block = block[:, 0] if block.ndim > 1 and block.shape[1] == 1 else block
        values[name] = block.reshape((*state.shape, *block.shape[1:]))
    return values


def _with_multipliers(system: System, state: State, p: Prepared, inputs: Mapping[str, ArrayLike] | None) -> States:
    """Return states with λ: that of a solution, or that of the acceleration-level system with the given inputs."""
    rows, layout = state.rows, system.layout
    if not layout.rows or (state.of_solution is not None and not inputs and state.system is system):
        return rows
    _, multipliers, _ = system.mechanics.evaluator.accelerations(p, rows)
    return replace(rows, multipliers=multipliers)


def output_jacobian(
    system: System,
    state: State | Solution,
    names: str | Sequence[str],
    wrt: Wrt,
    frame: Axes | None,
    inputs: Mapping[str, ArrayLike] | None,
) -> Array:
    """See `symlie.runtime.system.system.System.output_jacobian`."""
    state, layout = checked_state(system, state), system.layout
    chosen = [names] if isinstance(names, str) else list(names)
    _check_names(system, chosen, list(layout.outputs))
    if wrt not in MATRICES:
        raise UnknownNameError(f"Unknown wrt '{wrt}'; use one of: {', '.join(MATRICES)}.")
    if frame is not None and frame not in FRAMES:
        raise UnknownNameError(f"Unknown frame '{frame}'; use one of: {', '.join(FRAMES)}.")
    if len(set(chosen)) < len(chosen):
        raise ModelError(f"An output of '{system.name}' is named twice in {', '.join(chosen)}.")
    p = prepared_with(system, inputs)
    rows = _with_multipliers(system, state, p, inputs)
    parts = [layout.outputs[name][0] for name in chosen]
    found = _derivatives(system, p, rows, parts, wrt)
    if frame is not None:
        if wrt not in ("q", "v"):
            raise ModelError("A frame belongs to derivatives by the configuration or the velocity, not by others.")
        values = system.kernels.observe(p, rows, (), chosen)["outputs"]
        found = _geometric(system, chosen, parts, values, found, frame)
    return found.reshape((*state.shape, *found.shape[1:]))


def _check_names(system: System, names: Sequence[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            raise UnknownNameError(
                f"Model '{system.name}' has no output '{name}'; it has: {', '.join(known) or 'none'}."
            )
    if not names:
        raise UnknownNameError(f"No output of '{system.name}' is named; it has: {', '.join(known) or 'none'}.")


def _derivatives(system: System, p: Prepared, states: States, parts: Sequence[slice], wrt: Wrt) -> Array:
    """Return the derivatives of output components at each state, shape (n, components, columns)."""
    matrices = system.sets.matrices("ports")
    components = np.concatenate([np.arange(part.start, part.stop) for part in parts])
    values = matrices.kernels.of_states(p, states, np.zeros_like(states.v))
    sought = rows_of(matrices, MATRICES[wrt], components)
    found = sought.dense(values[MATRICES[wrt]])
    if wrt == "v":
        # Outputs of the configuration alone have the rate J v with the derivative J by the configuration.
        ends = np.cumsum([part.stop - part.start for part in parts])
        reads = [np.full(len(flags), flags.any()) for flags in np.split(sought.nonzero_rows, ends[:-1])]
        by_configuration = rows_of(matrices, MATRICES["q"], components).dense(values[MATRICES["q"]])
        found = np.where(np.concatenate(reads)[:, None], found, by_configuration)
    return found


def _geometric(
    system: System, names: Sequence[str], parts: Sequence[slice], values: Array, matrices: Array, frame: Axes
) -> Array:
    """Return velocities of points and angular velocities, in inertial axes or in axes of the rotation, for outputs
    (n, components) with derivatives (n, components, columns)."""
    ends = np.cumsum([part.stop - part.start for part in parts])[:-1]
    blocks = list(zip(names, np.split(values, ends, axis=1), np.split(matrices, ends, axis=1), strict=True))
    rotations = {name: R for name, value, _ in blocks if (R := _rotations(value)) is not None}
    if frame == "body" and len(rotations) != 1:
        raise ModelError(
            f"Body axes need one output of '{system.name}' that is a rotation matrix, not {len(rotations)} of "
            f"{', '.join(names)}."
        )
    found = []
    for name, value, block in blocks:
        if name in rotations:
            found.append(_turning(rotations[name], block, frame))
            continue
        size = value.shape[1]
        axes = next(iter(rotations.values())) if frame == "body" else np.eye(size)
        if size not in (2, 3) or axes.shape[-1] != size:
            raise ModelError(
                f"Output '{name}' of '{system.name}' with {size} components is neither a vector nor a rotation "
                "matrix, so it has no geometric Jacobian; omit the frame."
            )
        found.append(np.swapaxes(axes, -1, -2) @ block)
    return np.concatenate(found, axis=1)


def _rotations(values: Array) -> Array | None:
    """Return outputs (n, components) as rotation matrices, or None if they are none."""
    size = {4: 2, 9: 3}.get(values.shape[1])
    if size is None:
        return None
    R = values.reshape(len(values), size, size)
    defect = np.abs(R @ np.swapaxes(R, 1, 2) - np.eye(size)).max(initial=0.0)
    return R if defect <= ON_GROUP and np.all(np.linalg.det(R) > 0) else None


def _turning(R: Array, block: Array, frame: Axes) -> Array:
    """Return derivatives (n, entries, columns) of rotation matrices as angular velocities: of Ṙ Rᵀ, or of Rᵀ Ṙ in body
    axes."""
    count, size, columns = len(R), R.shape[-1], block.shape[-1]
    rates = np.moveaxis(block.reshape(count, size, size, columns), -1, 1)
    turns = R[:, None]
    skew = np.swapaxes(turns, -1, -2) @ rates if frame == "body" else rates @ np.swapaxes(turns, -1, -2)
    pairs = [(1, 0)] if size == 2 else [(2, 1), (0, 2), (1, 0)]
    return np.stack([(skew[..., i, j] - skew[..., j, i]) / 2 for i, j in pairs], axis=1)
