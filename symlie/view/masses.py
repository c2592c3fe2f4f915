"""Mass, centre of mass and inertia of bodies, from the mass matrix of a system.

With the body-fixed velocity ζ = (Ω, x') of a node and v = A ζ, the block of M of this node is

    Aᵀ M A = [[J - m c̃², m c̃], [-m c̃, m I]]

with the inertia J about the centre of mass c. A box of mass m has the principal moments of J if its sides are
a_k² = 6 (J_i + J_j - J_k)/m; in the plane it is a square.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symlie.contract.manifest import NodeType
from symlie.runtime.layout.layout import Array
from symlie.runtime.layout.slices import NodeSlice
from symlie.runtime.plot.drawn_rotations import quaternions_of
from symlie.runtime.solution.solution import Solution
from symlie.view.poses import Part, padded, quaternions, rotation_rates, velocity_fields
from symlie.view.quaternions import rotate

THINNEST = 0.02
"""Smallest side of a box relative to its largest one, so thin rods and plates remain visible."""

UNIT_SIDE = 1.0
"""Largest side, in m, of the box of a node without position, whose mass is unknown."""


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body."""

    mass: float | None
    """Mass in kg; None for a node without position."""
    center: Array
    """Centre of mass in axes of the node, in m, (3,)."""
    inertia: Array
    """Inertia about the centre of mass in axes of the node, in kg m², (3, 3)."""
    is_planar: bool
    """True if the motion is planar."""

    @property
    def box(self) -> tuple[Array, Array] | None:
        """Sides in m and axes (as columns) of the equivalent box; None without mass or inertia."""
        if self.is_planar:
            moment = float(self.inertia[2, 2])
            if not (self.mass and moment > 0):
                return None
            side = float(np.sqrt(6 * moment / self.mass))
            return np.array([side, side, side / 10]), np.eye(3)
        moments, axes = np.linalg.eigh(self.inertia)
        squares = np.maximum(6 * (moments.sum() - 2 * moments), 0.0)
        if not squares.max() > 0 or self.mass == 0:
            return None
        sides = np.sqrt(squares / (self.mass or squares.max() / UNIT_SIDE**2))
        # Equal moments do not determine the axes; choose the axes of the node.
        if np.ptp(moments) <= 1e-9 * moments.max():
            axes = np.eye(3)
        axes = axes * np.where(np.linalg.det(axes) < 0, [1.0, 1.0, -1.0], 1.0)
        return np.maximum(sides, THINNEST * sides.max()), axes


def node_blocks(solution: Solution) -> list[Array]:
    """Return the diagonal block of M of each node, in model order, at the first state of a solution."""
    system, layout = solution.system, solution.system.layout
    values = system.mechanics.mass(float(solution.t[0]), solution.q[0])
    rows, columns = layout.assembled("mass")
    sizes = np.concatenate([np.full(n.count, n.type.dimension) for n in layout.nodes])
    starts = np.concatenate([[0], np.cumsum(sizes)])
    owner = np.repeat(np.arange(len(sizes)), sizes)
    own = owner[rows] == owner[columns]
    rows, columns, values = rows[own], columns[own], values[own]
    widest = int(sizes.max(initial=0))
    blocks = np.zeros((len(sizes), widest, widest))
    node = owner[rows]
    i, j = rows - starts[node], columns - starts[node]
    np.add.at(blocks, (node, i, j), values)
    apart = i != j
    np.add.at(blocks, (node[apart], j[apart], i[apart]), values[apart])
    return [block[:size, :size] for block, size in zip(blocks, sizes, strict=True)]


def body_of(node: NodeSlice, part: Part, block: Array, q: Array) -> Body | None:
    """Return the rigid body of a node from its block of M, or None without rotation or velocity."""
    if part.rotation is None or not node.type.velocities:
        return None
    spin, shift = _columns(node.type, part, q)
    if spin is None:
        return None
    is_planar = spin.shape[1] == 1
    about = spin.T @ block @ spin
    if is_planar:
        about = np.diag([0.0, 0.0, float(about[0, 0])])
    if shift is None:
        return Body(None, np.zeros(3), about, is_planar)
    mass = float(np.trace(shift.T @ block @ shift)) / shift.shape[1]
    if not mass > 0:
        return None
    coupling = spin.T @ block @ shift / mass
    if is_planar:
        center = np.array([coupling[0, 1], -coupling[0, 0], 0.0])
        about[2, 2] -= mass * center @ center
    else:
        center = np.array([coupling[2, 1], coupling[0, 2], coupling[1, 0]])
        about = about - mass * (center @ center * np.eye(3) - np.outer(center, center))
    return Body(mass, center, about, is_planar)


def _columns(kind: NodeType, part: Part, q: Array) -> tuple[Array | None, Array | None]:
    """Return the matrices of v = spin Ω + shift x', with Ω and x' in axes of the body; None if absent."""
    assert part.rotation is not None
    spin = shift = None
    turn = quaternions(part.rotation, q[None])[0]
    for name, place in velocity_fields(kind, part):
        size = place.stop - place.start
        if name == "Omega":
            spin = np.zeros((kind.dimension, size))
            spin[place] = np.eye(size)
        elif name == "U":
            shift = np.zeros((kind.dimension, size))
            shift[place] = np.eye(size)
        elif name == "x_dot":
            shift = np.zeros((kind.dimension, size))
            shift[place] = rotate(turn[None], np.eye(3)).T[:size, :size]
        elif name == f"{part.rotation.name.rstrip('0123456789')}_dot":
            spin = np.zeros((kind.dimension, 3))
            spin[place] = np.linalg.pinv(rotation_rates(part.rotation, q[None])[0])
    return spin, shift


def stated_bodies(solution: Solution) -> dict[str, Body]:
    """Return the bodies with parameters NAME_mass, NAME_inertia and NAME_center_of_mass, whose pose is an output."""
    system, found = solution.system, {}
    parameters = system.layout.parameters

    def values(name: str) -> Array | None:
        return np.asarray(system.parameters[parameters[name][0]]) if name in parameters else None

    for label in parameters:
        name = label.removesuffix("_mass")
        mass, inertia, center = (values(f"{name}_{part}") for part in ("mass", "inertia", "center_of_mass"))
        if name == label or mass is None or inertia is None or not mass[0] > 0:
            continue
        is_planar = inertia.size == 1
        about = np.diag([0.0, 0.0, inertia[0]]) if is_planar else inertia.reshape(3, 3) if inertia.size == 9 else None
        if about is not None:
            at = np.zeros(3) if center is None else padded(center)
            found[name] = Body(float(mass[0]), at, about, is_planar)
    return found


def box_rotation(axes: Array) -> Array:
    """Return the unit quaternion from axes of a box, given as columns, to axes of the node."""
    return np.asarray(quaternions_of(axes[None])[0])
