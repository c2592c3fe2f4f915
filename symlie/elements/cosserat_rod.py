"""The geometrically exact Cosserat rod as an element over an array of nodes.

Nodes q_k on S³⋉R³ (or SE(3)) carry the cross sections, segments the strains

    w_k = log(q_{k-1}⁻¹ ∘ q_k)/Δs = [K; Γ + e3],    V = Δs/2 (w - w*)ᵀ C (w - w*),    stress C (w - w*) + 2 D w'.

Source: [Hante2022], sections 2 and 3; the tangent of the centre line is the third director.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from symlie.elements.placement import BodyNode
from symlie.elements.rod_values import (
    Array,
    along_arc,
    checked_stiffness,
    initial_strain,
    is_symbolic,
    rows_along,
    segment_lengths,
    six_components,
    stated_in_type,
)
from symlie.errors import ModelError
from symlie.groups.group import LieGroup
from symlie.groups.standard import S3sR3
from symlie.modeling.element_type import ElementType
from symlie.modeling.expressions import diag, vector
from symlie.modeling.model import Model
from symlie.modeling.node_array import NodeArray
from symlie.modeling.symbolic import Expression
from symlie.showing import line

CONSTRAINTS = {"none": (), "kirchhoff": (3, 4), "inextensible": (3, 4, 5)}
"""Strain components [K1, K2, K3, Γ1, Γ2, Γ3] held at their reference value."""

STRAIGHT = (0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
"""Reference strain of a straight, untwisted rod."""


def rod_segment(
    name: str, group: LieGroup, held: Sequence[int], stiffness: Expression | Array, damping: Expression | Array
) -> ElementType:
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
    if not is_symbolic(stiffness):
        stiffness = segment.parameter("stiffness", stiffness, unit="N m^2, N")
    if not is_symbolic(damping):
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


class CosseratRod:
    """A rod in a model: places nodes, cross sections, segments and internal constraints.

    ``rod[k]`` is its node k, counted from its start; ``rod[-1]`` is its end.

    Parameters
    ----------
    model
        The model.
    name
        Name of the node array; the element types are called NAME_segment and NAME_section.
    segments
        Number of segments.
    length
        Length of the rod, or of each segment; in m.
    position, orientation
        Initial centre line, and a `rotation`, or a unit quaternion (scalar first) or rotation matrix as the group
        stores it: functions of the arc length, or arrays over the nodes that the rod adds; one orientation may serve
        all nodes.
    stiffness
        Six values [EI1, EI2, GJ, GA1, GA2, EA], or a symmetric 6 × 6 matrix, in N m² and N: numbers, a function of the
        arc length, or expressions of parameters of the model.
    inertia
        Six numbers [ρI1, ρI2, ρJ, ρA, ρA, ρA], in kg m and kg/m, or a function of the arc length.
    damping
        D of the stress 2 D w': one value or six, a function of the arc length, or expressions of parameters of the
        model; zero by default.
    gravity
        Acceleration of gravity in inertial axes, in m/s²; zero by default.
    constraint
        ``"none"``, the default, ``"kirchhoff"`` (no shear), ``"inextensible"`` (no shear, no extension), or a list of
        strain components 0 … 5 to hold. Multipliers are internal forces.
    group
        Group of the nodes; S3sR3 by default.
    reference_strain
        w*: six numbers, one row for each segment, or a function of the arc length; a straight rod by default.
        ``"initial"``: the strain of the initial configuration, so that the rod starts without stress.
    first, last
        Nodes of the model where the rod starts or ends, instead of nodes of its own.
    closed
        Whether the last segment ends at the first node.
    like
        A rod of the model that this one shares element types with: group and constraint are the same, and so is all
        material that is not given.

    Attributes
    ----------
    name
        Name of the rod and of its node array.
    nodes
        The nodes that the rod added to the model: all but those it shares.
    along
        All nodes from its start to its end; in a closed rod the first one comes again at the end.
    segment, section
        Element types of segments and of cross sections.
    lengths
        Length of each segment, in m.
    material
        Stiffness, inertia, damping and gravity as given.

    Raises
    ------
    ModelError
        Lengths, stiffness or inertia that are not positive; unknown constraint; too few segments; contradictions.
    """

    def __init__(
        self,
        model: Model,
        name: str,
        *,
        segments: int,
        length: float | Sequence[float],
        position: Callable[[float], object] | Array,
        orientation: Callable[[float], object] | Sequence[float] | Array,
        stiffness: object = None,
        inertia: object = None,
        damping: object = None,
        gravity: Sequence[float] | None = None,
        constraint: str | Sequence[int] | None = None,
        group: LieGroup | None = None,
        reference_strain: object = STRAIGHT,
        first: BodyNode | None = None,
        last: BodyNode | None = None,
        closed: bool = False,
        like: CosseratRod | None = None,
    ) -> None:
        if like is not None and not (constraint is None and group is None):
            raise ModelError(
                f"Rod '{name}' has the constraint and the group of rod '{like.name}'; do not give them again."
            )
        group = group or (like.group if like else S3sR3)
        lengths = segment_lengths(name, segments, length)
        arc = np.concatenate([[0.0], np.cumsum(lengths)])
        middle = (arc[1:] + arc[:-1]) / 2
        given = {"stiffness": stiffness, "inertia": inertia, "damping": damping, "gravity": gravity}
        material = _material(name, given, like)
        elastic = checked_stiffness(name, rows_along(model, material["stiffness"], middle))
        viscous = six_components(name, "damping", rows_along(model, material["damping"], middle), one_for_all=True)
        inertias = six_components(name, "inertia", rows_along(model, material["inertia"], arc))
        if not np.all(inertias > 0):
            raise ModelError(f"The inertia of rod '{name}' must be positive.")

        nodes, along = _nodes(model, name, group, segments, first, last, closed)
        start = 0 if first is None else 1
        own = arc[start : start + len(nodes)]
        rotation = group.storage_fields[0].name
        nodes.initial(**{"x": along_arc(position, own), rotation: along_arc(orientation, own)})
        if isinstance(reference_strain, str):
            if reference_strain != "initial":
                raise ModelError(
                    f"The reference strain of rod '{name}' is numbers or 'initial', not '{reference_strain}'."
                )
            reference_strain = initial_strain(model, group, along) / lengths[:, None]
        elif callable(reference_strain):
            reference_strain = rows_along(model, reference_strain, middle)

        if like is None:
            held = _held(name, constraint or "none")
            section = rod_section(f"{name}_section", group)
            segment = rod_segment(
                f"{name}_segment",
                group,
                held,
                stated_in_type(material["stiffness"], elastic),
                stated_in_type(material["damping"], viscous),
            )
        else:
            section, segment = like.section, like.segment
        weights = np.zeros(segments + 1)
        weights[:-1] += lengths / 2
        weights[1:] += lengths / 2
        model.add(section, along, weight=weights[:, None], inertia=inertias, gravity=material["gravity"])
        values: dict[str, Any] = {"length": lengths[:, None], "reference_strain": reference_strain}
        values |= {"stiffness": elastic} if not is_symbolic(material["stiffness"]) else {}
        values |= {"damping": viscous} if not is_symbolic(material["damping"]) else {}
        model.add(segment, itertools.pairwise(along), **values)
        model.curve(name, along, arc)
        self.name: str = name
        self.group: LieGroup = group
        self.nodes: NodeArray = nodes
        self.along: tuple[BodyNode, ...] = along
        self.segment: ElementType = segment
        self.section: ElementType = section
        self.lengths: Array = lengths
        self.material: Mapping[str, Any] = material

    def __repr__(self) -> str:
        size = f"{len(self.lengths)} segments on {self.group}, {sum(self.lengths):.6g} m"
        return line("CosseratRod", [self.name, size])

    def __getitem__(self, index: int) -> BodyNode:
        if not -len(self.along) <= index < len(self.along):
            raise ModelError(f"Rod '{self.name}' has {len(self.along)} nodes; there is no index {index}.")
        return self.along[index]


def _nodes(
    model: Model,
    name: str,
    group: LieGroup,
    segments: int,
    first: BodyNode | None,
    last: BodyNode | None,
    closed: bool,
) -> tuple[NodeArray, tuple[BodyNode, ...]]:
    """The nodes that a rod adds, and all nodes along it."""
    if closed and last is not None:
        raise ModelError(f"Rod '{name}' is closed and can not end at another node; leave out 'last' or 'closed'.")
    shared_end = closed or last is not None
    least = 1 + (shared_end and (closed or first is not None))
    if segments < least:
        raise ModelError(f"Rod '{name}' needs at least {least} segment{'s' * (least > 1)}, not {segments}.")
    nodes = model.node_array(name, group, segments + 1 - (first is not None) - shared_end)
    along: list[BodyNode] = [nodes[k] for k in range(len(nodes))]
    if first is not None:
        along.insert(0, first)
    if closed:
        along.append(along[0])
    elif last is not None:
        along.append(last)
    return nodes, tuple(along)


def _material(name: str, given: Mapping[str, object], like: CosseratRod | None) -> dict[str, Any]:
    """Given values, completed from another rod or by defaults."""
    stated = {label: value for label, value in given.items() if value is not None}
    if like is None:
        stated = {"damping": 0.0, "gravity": (0.0, 0.0, 0.0), **stated}
        missing = [label for label in given if label not in stated]
        if missing:
            raise ModelError(f"Rod '{name}' needs a value of '{missing[0]}', or 'like' with a rod that has one.")
        return stated
    for label, value in stated.items():
        if is_symbolic(value) or is_symbolic(like.material[label]):
            raise ModelError(
                f"The {label} of rod '{like.name}' or '{name}' is an expression of parameters and part of the element "
                f"type that they share; do not give it for '{name}'."
            )
    return {**like.material, **stated}


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
