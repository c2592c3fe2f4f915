"""The geometrically exact Cosserat rod as an element over an array of nodes.

Nodes q_k on S³⋉R³ (or SE(3)) carry the cross sections, segments the strains

    w_k = log(q_{k-1}⁻¹ ∘ q_k)/Δs = [K; Γ + e3],    V = Δs/2 (w - w*)ᵀ C (w - w*),    stress C (w - w*) + 2 D w'.

Source: Hante, Tumiotto and Arnold 2022, sections 2 and 3; the tangent of the centre line is the third director.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sympy import ImmutableDenseMatrix

from symlie.errors import ModelError
from symlie.groups.group import LieGroup
from symlie.groups.standard import S3sR3
from symlie.modeling.model import ElementType, Model, NodeArray, NodeReference, diag, vector
from symlie.modeling.node import Node

CONSTRAINTS = {"none": (), "kirchhoff": (3, 4), "inextensible": (3, 4, 5)}
"""Strain components [K1, K2, K3, Γ1, Γ2, Γ3] held at their reference value."""

STRAIGHT = (0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
"""Reference strain of a straight, untwisted rod."""

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CosseratRod:
    """A rod in a model: ``rod[k]`` is its node k, counted from its start; ``rod[-1]`` is its end.

    Attributes
    ----------
    name
        Name of the rod and of its node array.
    nodes
        The nodes that the rod added to the model: all but those it shares with others.
    along
        All nodes from its start to its end; in a closed rod the first one comes again at the end.
    segment, section
        Element types of segments and of cross sections.
    lengths
        Length of each segment, in m.
    material
        Stiffness, damping, inertia and gravity.
    """

    name: str
    nodes: NodeArray
    along: tuple[Node | NodeReference, ...]
    segment: ElementType
    section: ElementType
    lengths: Array
    material: Mapping[str, Any]

    def __getitem__(self, index: int) -> Node | NodeReference:
        if not -len(self.along) <= index < len(self.along):
            raise ModelError(f"Rod '{self.name}' has {len(self.along)} nodes; there is no index {index}.")
        return self.along[index]


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
    position: Callable[[float], Any] | Array,
    orientation: Callable[[float], Any] | Sequence[float] | Array,
    stiffness: Any = None,
    inertia: Any = None,
    damping: Any = None,
    gravity: Sequence[float] | None = None,
    constraint: str | Sequence[int] | None = None,
    group: LieGroup | None = None,
    reference_strain: Any = STRAIGHT,
    first: Node | NodeReference | None = None,
    last: Node | NodeReference | None = None,
    closed: bool = False,
    like: CosseratRod | None = None,
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
    position, orientation
        Initial centre line, and unit quaternion (scalar first) or rotation matrix as the group stores it: functions of
        the arc length, or arrays over the nodes that the rod adds; one orientation may serve all nodes.
    stiffness
        Six values [EI1, EI2, GJ, GA1, GA2, EA], or a 6 × 6 matrix, in N m² and N; numbers, a function of the arc
        length, or expressions of parameters of the model.
    inertia
        Six numbers [ρI1, ρI2, ρJ, ρA, ρA, ρA], in kg m and kg/m, or a function of the arc length.
    damping
        D of the stress 2 D w'; one value or six, numbers or expressions of parameters of the model; zero by default.
    gravity
        Acceleration of gravity in inertial axes, in m/s²; zero by default.
    constraint
        ``"none"``, the default, ``"kirchhoff"`` (no shear), ``"inextensible"`` (no shear, no extension), or a list of
        strain components 0 … 5 to hold. Multipliers are internal forces.
    group
        Group of the nodes, S3sR3 by default.
    reference_strain
        w*, six numbers, one row for each segment, or a function of the arc length; a straight rod by default.
        ``"initial"``: the strain of the initial configuration, so that the rod starts without stress.
    first, last
        Nodes of the model that the rod starts or ends at instead of nodes of its own.
    closed
        Whether the last segment ends at the first node.
    like
        A rod of the model whose element types this one shares; material that is not given is that rod's.

    Raises
    ------
    ModelError
        Lengths, stiffnesses or inertias that are not positive; unknown constraint; too few segments.
    """
    if like is not None and not (constraint is None and group is None):
        raise ModelError(f"Rod '{name}' has the constraint and the group of rod '{like.name}'; do not give them again.")
    group = group or (like.nodes.group if like else S3sR3)
    lengths = _segment_lengths(name, segments, length)
    arc = np.concatenate([[0.0], np.cumsum(lengths)])
    middle = (arc[1:] + arc[:-1]) / 2

    given = {"stiffness": stiffness, "inertia": inertia, "damping": damping, "gravity": gravity}
    material = {"damping": 0.0, "gravity": (0.0, 0.0, 0.0), **(like.material if like else {})}
    material |= {label: value for label, value in given.items() if value is not None}
    for label in ("stiffness", "inertia"):
        if label not in material:
            raise ModelError(f"Rod '{name}' needs a value of '{label}', or 'like' with another rod.")
    stiffness = _sampled(material["stiffness"], middle)
    damping = _six(material["damping"])
    _check_stiffness(name, _values(model, stiffness))
    inertias = np.asarray(_sampled(material["inertia"], arc), dtype=float)
    if not np.all(inertias > 0):
        raise ModelError(f"The inertia of rod '{name}' must be positive.")

    nodes, along = _nodes_along(model, name, group, segments, first, last, closed)
    new = [k for k in range(segments + 1) if along[k] in nodes and not (closed and k == segments)]
    rotation = group.storage_fields[0].name
    nodes.initial(**{"x": _along(position, arc[new]), rotation: _along(orientation, arc[new])})

    if like is None:
        types = [rod_section(f"{name}_section", group)]
        types += [rod_segment(f"{name}_segment", group, _held(name, constraint), _type(stiffness), _type(damping))]
    weights = np.zeros(segments + 1)
    weights[:-1] += lengths / 2
    weights[1:] += lengths / 2
