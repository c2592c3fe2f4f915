"""The geometrically exact Cosserat rod as an element over an array of nodes.

Nodes q_k on S³⋉R³ (or SE(3)) carry the cross sections, segments the strains

    w_k = log(q_{k-1}⁻¹ ∘ q_k)/Δs = [K; Γ + e3],    V = Δs/2 (w - w*)ᵀ C (w - w*),    stress C (w - w*) + 2 D w'.

Source: Hante, Tumiotto and Arnold 2022, sections 2 and 3; the tangent of the centre line is the third director.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sympy import ImmutableDenseMatrix

from symlie.errors import ModelError
from symlie.groups.group import LieGroup
from symlie.groups.standard import S3sR3
from symlie.modeling.model import ElementType, Model, diag, vector
from symlie.modeling.node_array import NodeArray

CONSTRAINTS = {"none": (), "kirchhoff": (3, 4), "inextensible": (3, 4, 5)}
"""Strain components [K1, K2, K3, Γ1, Γ2, Γ3] held at their reference value."""

STRAIGHT = (0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
"""Reference strain of a straight, untwisted rod."""


@dataclass(frozen=True, eq=False)
class CosseratRod:
    """A rod in a model: its nodes, segments and lumped cross sections.

    Attributes
    ----------
    nodes
        The node array, one more than segments.
    segment, section
        Element types of segments and of cross sections.
    lengths
        Length of each segment, in m.
    """

    nodes: NodeArray
    segment: ElementType
    section: ElementType
    lengths: NDArray[np.float64]


def rod_segment(name: str, group: LieGroup, held: Sequence[int], stiffness: Any, damping: Any) -> ElementType:
    """Element type of a rod segment between two nodes.

    Parameters
    ----------
    name
        Name of the element type.
    group
        S3sR3 or SE3.
    held
        Strain components held at their reference value.
    stiffness, damping
        Expressions of model parameters (6, or 6 × 6 for the stiffness), or arrays of numbers of these shapes, which
        become parameters of the instances.
    """
    segment = ElementType(name, left=group, right=group)
    length = segment.parameter("length", 1.0, unit="m")
    if not _is_symbolic(stiffness):
        stiffness = segment.parameter("stiffness", stiffness, unit="N m^2, N")
    if not _is_symbolic(damping):
        damping = segment.parameter("damping", damping, unit="N m^2 s, N s")
    reference = segment.parameter("reference_strain", STRAIGHT, unit="1/m, 1")
    theta = (segment.left.inverse() * segment.right).log()
    strain = theta / length - reference
    rate = segment.rate(theta) / length
    elastic = (stiffness if stiffness.shape == (6, 6) else diag(stiffness)) * strain
    segment.potential_energy(length * strain.dot(elastic) / 2)
    segment.force(-2 * length * diag(damping) * rate, at=strain)
    if held:
        segment.constraint(f"{name}_strain", [theta[k] - length * reference[k] for k in held])
    return segment


def rod_section(name: str, group: LieGroup) -> ElementType:
    """Element type of a cross section lumped at a node, with gravity and the rod's momenta as outputs."""
    section = ElementType(name, node=group)
    weight = section.parameter("weight", 1.0, unit="m")
    inertia = section.parameter("inertia", np.ones(6), unit="kg m, kg/m")
    gravity = section.parameter("gravity", np.zeros(3), unit="m/s^2")
    q = section.node
    momentum = weight * diag(inertia) * q.v
    section.kinetic_energy(q.v.dot(momentum) / 2)
    section.potential_energy(-weight * inertia[3] * gravity.dot(q.x))
    linear = q.R * vector(*momentum[3:])
    section.output("linear_momentum", linear, unit="kg m/s")
    section.output("angular_momentum", q.x.cross(linear) + q.R * vector(*momentum[:3]), unit="kg m^2/s")
    return section


def add_rod(
    model: Model,
    name: str,
    *,
    segments: int,
    length: float | Sequence[float],
    stiffness: Any,
    inertia: Sequence[float],
    position: Callable[[float], Any] | NDArray[np.float64],
    orientation: Callable[[float], Any] | Sequence[float] | NDArray[np.float64],
    damping: Any = 0.0,
    reference_strain: Any = STRAIGHT,
    constraint: str | Sequence[int] = "none",
    gravity: Sequence[float] = (0.0, 0.0, 0.0),
    group: LieGroup = S3sR3,
) -> CosseratRod:
    """Place a rod: nodes, cross sections, segments and internal constraints.

    Parameters
    ----------
    model
        The model.
    name
        Name of the node array; the element types are called NAME_segment and NAME_section.
    segments
        Number of segments, at least one.
    length
        Length of the rod, or of each segment; in m.
    stiffness
        Six values [EI1, EI2, GJ, GA1, GA2, EA], or a 6 × 6 matrix, in N m² and N; numbers, or expressions of
        parameters of the model.
    inertia
        Six numbers [ρI1, ρI2, ρJ, ρA, ρA, ρA]; in kg m and kg/m.
    position, orientation
        Initial centre line and unit quaternion (scalar first) or rotation matrix, as functions of the arc length or as
        arrays over the nodes; one orientation may serve all nodes.
    damping
        D of the stress 2 D w'; one value or six, numbers or expressions of parameters of the model.
    reference_strain
        w*, six numbers or one row for each segment; a straight rod by default.
    constraint
        ``none``, ``kirchhoff`` (no shear), ``inextensible`` (no shear, no extension), or a list of strain components
        0 … 5 to hold. Multipliers are internal forces.
    gravity
        Acceleration of gravity in inertial axes, in m/s².
    group
        Group of the nodes.

    Raises
    ------
    ModelError
        Lengths or stiffnesses that are not positive; unknown constraint.
    """
    if segments < 1:
        raise ModelError(f"Rod '{name}' needs at least one segment, not {segments}.")
    lengths = np.asarray(length, dtype=float)
    lengths = np.full(segments, lengths / segments) if lengths.ndim == 0 else lengths
    if lengths.shape != (segments,):
        raise ModelError(f"Rod '{name}' has {segments} segments, but {lengths.size} lengths.")
    if not np.all(lengths > 0):
        raise ModelError(
            f"Segment {int(np.argmin(lengths))} of rod '{name}' has length {lengths.min():g}, not positive."
        )
    held = _held(name, constraint)
    matrix = _values(model, stiffness)
    if matrix.shape not in ((6,), (6, 6)):
        raise ModelError(f"The stiffness of rod '{name}' needs six numbers or a 6 × 6 matrix, not {matrix.shape}.")
    if np.any(np.linalg.eigvalsh(matrix if matrix.ndim == 2 else np.diag(matrix)) <= 0):
        raise ModelError(f"The stiffness of rod '{name}' must be positive.")
    if not np.all(np.asarray(inertia, dtype=float) > 0):
        raise ModelError(f"The inertia of rod '{name}' must be positive.")
    nodes = model.node_array(name, group, segments + 1)
    arc = np.concatenate([[0.0], np.cumsum(lengths)])
    rotation = group.storage_fields[0].name
    nodes.initial(**{"x": _along(position, arc), rotation: _along(orientation, arc)})
    section = rod_section(f"{name}_section", group)
    weights = np.zeros(segments + 1)
    weights[:-1] += lengths / 2
    weights[1:] += lengths / 2
    model.add(
        section, [nodes[k] for k in range(segments + 1)], weight=weights[:, None], inertia=inertia, gravity=gravity
    )
    damping = ImmutableDenseMatrix([damping] * 6) if np.ndim(damping) == 0 else damping
    given = stiffness if _is_symbolic(stiffness) else matrix
    viscous = damping if _is_symbolic(damping) else _values(model, damping)
    segment = rod_segment(f"{name}_segment", group, held, _column(given), _column(viscous))
    pairs = [(nodes[k], nodes[k + 1]) for k in range(segments)]
    model.add(segment, pairs, length=lengths[:, None], reference_strain=reference_strain)
    return CosseratRod(nodes, segment, section, lengths)


def _is_symbolic(value: Any) -> bool:
    return bool(getattr(ImmutableDenseMatrix(value), "free_symbols", None))


def _column(value: Any) -> Any:
    if not _is_symbolic(value):
        return np.asarray(value, dtype=float)
    matrix = ImmutableDenseMatrix(value)
    return matrix if matrix.shape == (6, 6) else ImmutableDenseMatrix(6, 1, list(matrix))


def _values(model: Model, value: Any) -> NDArray[np.float64]:
    """Numbers of an array, or of expressions at the defaults of the model's parameters."""
    if not _is_symbolic(value):
        return np.array(value, dtype=float).squeeze()
    defaults = {s: d for p in model.parameters for s, d in zip(p.symbols, p.default, strict=True)}
    return np.array(ImmutableDenseMatrix(value).subs(defaults).tolist(), dtype=float).squeeze()


def _held(name: str, constraint: str | Sequence[int]) -> tuple[int, ...]:
    if isinstance(constraint, str):
        if constraint not in CONSTRAINTS:
            raise ModelError(
                f"Rod '{name}': unknown constraint '{constraint}'; use {', '.join(CONSTRAINTS)} or strain components."
            )
        return CONSTRAINTS[constraint]
    held = tuple(sorted(set(constraint)))
    if not all(0 <= k < 6 for k in held):
        raise ModelError(f"Rod '{name}': strain components are numbered 0 … 5, not {list(constraint)}.")
    return held


def _along(value: Any, arc: NDArray[np.float64]) -> Any:
    return [np.ravel(value(s)) for s in arc] if callable(value) else value
