"""Rates of joints that are first-order states, as in minimal coordinates of long chains and trees.

The velocities of the bodies of such joints are dependent: functions of the coordinates c and the rates c'. Initial
values may specify rates and velocities of bodies; completion determines the other rates. Its unknowns are velocities v
of bodies with B v = 0 for the acceleration-level constraints B v' + Z = 0 of the joints, and c' = C v is linear in v,
where c'' = C v' + … is the vector field.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symlie.runtime.layout.layout import Array, Layout, Sparse
from symlie.runtime.system.initial_values import InitialValues, are_all_moved, moved_nodes, of_nodes
from symlie.runtime.system.output_jacobian import linear_outputs
from symlie.utilities.showing import Brief

if TYPE_CHECKING:
    from symlie.runtime.system.mechanics import Mechanics


@dataclass(frozen=True, eq=False, repr=False)
class GivenRates(Brief):
    """Specified initial velocities of a system whose joint rates are first-order states.

    Attributes
    ----------
    open
        Outputs that are unspecified rates of joints.
    stated
        Outputs that are specified rates of joints, with their names for messages.
    bodies
        Mask of specified velocity components of dependent bodies, shape (dimension,).
    """

    open: tuple[str, ...]
    stated: Mapping[str, str]
    bodies: NDArray[np.bool_]


def given_rates(layout: Layout, values: InitialValues) -> GivenRates | None:
    """Return the specified rates and velocities of bodies, or None if no joint rate is a first-order state."""
    if not layout.state_rates:
        return None
    is_replaced = are_all_moved(layout, moved_nodes(layout, values))
    storage, velocity = np.zeros(layout.storage, dtype=bool), np.zeros(layout.dimension, dtype=bool)
    stated = {n.name: n for n in layout.manifest.nodes}
    for node in layout.nodes:
        storage[node.storage] = np.tile(stated[node.name].storage_given, node.count)
        if not (is_replaced and node.dependent.any()):
            velocity[node.velocity] = np.tile(stated[node.name].velocity_given, node.count)
    for name, label in of_nodes(layout, values):
        node = layout.node(name)
        for fields, part, mask in (
            (node.type.storage_fields, node.storage, storage),
            (node.type.velocity_fields, node.velocity, velocity),
        ):
            for field in fields:
                if field.name == label:
                    mask[part].reshape(node.count, -1)[:, field.part] = True
    rates = [r for r in layout.manifest.joint_rates if r.output in layout.state_rates]
    known = {
        r.output: f"{r.rate} of joint '{r.joint}'" for r in rates if storage[layout.state_rates[r.output][0]].all()
    }
    return GivenRates(
        tuple(r.output for r in rates if r.output not in known), known, velocity & layout.free & ~layout.integrated
    )


def gives_velocities_of_bodies(layout: Layout, values: InitialValues) -> bool:
    """Return whether velocities of dependent bodies are specified, which joint rates must satisfy."""
    rates = given_rates(layout, values)
    return rates is not None and bool(rates.bodies.any())


def with_completed_rates(mechanics: Mechanics, t: float, q: Array, v: Array, rates: GivenRates) -> tuple[Array, Array]:
    """Return the configuration with the unspecified rates of a motion v of all bodies, and its exact velocities."""
    found = linear_outputs(mechanics, t, q, rates.open)
    places = [mechanics.layout.state_rates[name][0] for name in rates.open]
    q, v = q.copy(), v.copy()
    if places:
        q[np.concatenate([np.arange(p.start, p.stop) for p in places])] = found.values(v)
    mechanics.prescribe(t, q, v)
    return q, v


def determining_rows(layout: Layout, jacobian: Sparse) -> NDArray[np.bool_]:
    """Return the mask of the acceleration-level constraint equations that determine dependent nodes."""
    dependent = layout.free & ~layout.integrated
    return np.asarray(abs(jacobian) @ dependent.astype(float) > 0) & ~layout.of_velocities
