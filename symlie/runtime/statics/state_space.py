"""Inputs and outputs of the linear equations: z' = A z + B u, y = C z + D u."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symlie.errors import ModelError, SteadyMotionError, UnknownNameError
from symlie.runtime.layout.layout import Array
from symlie.runtime.statics.first_order import across
from symlie.runtime.statics.steady_motion import LATER, STEADY, Instant

if TYPE_CHECKING:
    from symlie.runtime.statics.linearization import Linearization


@dataclass(frozen=True)
class Ports:
    """Derivatives with respect to inputs u and of outputs y, on free components in the axes of the motion, as dense
    matrices."""

    force: Array
    """∂(M a + g + Bᵀ λ)/∂u."""
    constraint: Array
    """∂Φ/∂u."""
    hidden: Array
    """∂(B v + b)/∂u."""
    configuration: Array
    """D_q y."""
    velocity: Array
    """∂y/∂v."""
    multipliers: Array
    """∂y/∂λ."""
    direct: Array
    """∂y/∂u."""


def state_space(
    linear: Linearization, inputs: Sequence[str] | None, outputs: Sequence[str] | None
) -> tuple[Array, Array, Array, Array]:
    """See `symlie.runtime.statics.linearization.Linearization.state_space`."""
    order, layout = linear.first_order, linear.system.layout
    columns = _components("input", layout.name, _inputs(linear), inputs)
    rows = _components("output", layout.name, {name: part for name, (part, _) in layout.outputs.items()}, outputs)
    n = len(order.matrix)
    if not len(columns) and not len(rows):
        return order.matrix, np.zeros((n, 0)), np.zeros((0, n)), np.zeros((0, 0))
    ports = _ports(linear, linear.motion.now, rows, columns)
    _check_inputs(linear, ports)
    for later in LATER if not linear.motion.is_rest else ():
        _check_outputs(linear, ports, _ports(linear, linear.motion.at(later), rows, columns), rows, later)
    mass, damping, spin = (m.toarray() for m in (linear.mass, linear.damping, linear.spin))
    basis, resisted = order.basis, damping - mass @ spin
    # w satisfies the constraints instantaneously, through a component without momentum along free directions.
    pushed = across(linear.jacobian.toarray(), -ports.hidden)
    pushed = pushed - basis @ np.linalg.solve(order.mass, basis.T @ (mass @ pushed))
    configurations = n - basis.shape[1]
    fed = np.vstack(
        [
            order.variation[:, :configurations].T @ pushed,
            -np.linalg.solve(order.mass, basis.T @ (ports.force + resisted @ pushed)),
        ]
    )
    seen = ports.configuration @ order.variation + ports.velocity @ order.velocity
    direct = ports.velocity @ pushed + ports.direct
    if ports.multipliers.any():
        _check_multipliers(linear, ports)
        stiffness, jacobian = linear.stiffness.toarray(), linear.jacobian.toarray()
        free = -(mass @ order.velocity @ order.matrix + resisted @ order.velocity + stiffness @ order.variation)
        forced = -(mass @ order.velocity @ fed + resisted @ pushed + ports.force)
        seen = seen + ports.multipliers @ _reactions(jacobian, free)
        direct = direct + ports.multipliers @ _reactions(jacobian, forced)
    return order.matrix, fed, seen, direct


def _reactions(jacobian: Array, forces: Array) -> Array:
    """Return δλ with Bᵀ δλ = forces, the smallest one for redundant constraint equations."""
    return np.asarray(np.linalg.lstsq(jacobian.T, forces, rcond=None)[0])


def _inputs(linear: Linearization) -> dict[str, slice]:
    position, found = 0, {}
    for name, (size, _) in linear.system.layout.inputs.items():
        found[name] = slice(position, position + size)
        position += size
    return found


def _components(what: str, model: str, places: Mapping[str, slice], names: Sequence[str] | None) -> NDArray[np.intp]:
    """Return the indices of the components with the given names."""
    chosen = list(places) if names is None else [names] if isinstance(names, str) else list(names)
    for name in chosen:
        if name not in places:
            raise UnknownNameError(f"Model '{model}' has no {what} '{name}'; it has: {', '.join(places) or 'none'}.")
    return np.concatenate([np.zeros(0, dtype=int), *(np.arange(places[n].start, places[n].stop) for n in chosen)])


def _ports(linear: Linearization, instant: Instant, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Ports:
    statics, free = instant.statics, linear.free
    matrices = linear.system.sets.matrices("ports")(
        statics.mechanics.p, statics.t, instant.q, instant.v, instant.a, linear.multipliers
    )
    force, constraint, hidden, configuration, velocity, multipliers, direct = (m.toarray() for m in matrices)
    turned = instant.turned[free][:, free].toarray()
    return Ports(
        turned.T @ force[free][:, columns],
        constraint[:, columns],
        hidden[:, columns],
        configuration[rows][:, free] @ turned,
        velocity[rows][:, free] @ turned,
        multipliers[rows],
        direct[rows][:, columns],
    )


def _check_inputs(linear: Linearization, ports: Ports) -> None:
    if ports.constraint.any():
        row = linear.system.layout.row_name(int(np.argwhere(ports.constraint)[0][0]))
        raise ModelError(
            f"An input of '{linear.system.name}' moves {row}, so its second derivative would enter the state space; "
            "omit it from inputs=, or let it act on velocities or forces."
        )


def _check_multipliers(linear: Linearization, ports: Ports) -> None:
    if ports.hidden.any():
        raise ModelError(
            f"Outputs of '{linear.system.name}' depend on multipliers, and inputs move nonholonomic constraints, so "
            "derivatives of inputs would enter; restrict inputs= or outputs=."
        )


def _check_outputs(linear: Linearization, before: Ports, after: Ports, rows: NDArray[np.intp], later: float) -> None:
    for first, second in (
        (before.configuration, after.configuration),
        (before.velocity, after.velocity),
        (before.multipliers, after.multipliers),
        (before.direct, after.direct),
    ):
        change = np.abs(second - first).max(axis=1, initial=0)
        scale = np.abs(first).max(axis=1, initial=0) + np.abs(second).max(axis=1, initial=0) + np.finfo(float).tiny
        if np.any(change > STEADY * scale):
            worst = rows[int(np.argmax(change / scale))]
            name = next(n for n, (part, _) in linear.system.layout.outputs.items() if part.start <= worst < part.stop)
            raise SteadyMotionError(
                f"Output '{name}' of '{linear.system.name}' differs during the steady motion after {later:.3g} s: it "
                "is not a time-invariant function of the state; omit it from outputs=."
            )
