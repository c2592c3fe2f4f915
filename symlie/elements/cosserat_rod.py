"""The geometrically exact Cosserat rod: a continuum on S³⋉R³ or SE(3) with linear material.

    w = [K; Γ + e3],   T = vᵀ M v/2,   U = (w - w*)ᵀ C (w - w*)/2,   P = ẇᵀ D ẇ

Source: [Hante2022], sections 2 and 3; the tangent of the centre line is the third director.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from symlie.elements.continua.continuum import Continuum
from symlie.elements.continua.grid import grid
from symlie.elements.placement import BodyNode
from symlie.elements.rod_values import (
    Array,
    checked_stiffness,
    initial_strain,
    is_symbolic,
    rows_along,
    six_components,
    stated_in_type,
)
from symlie.errors import ModelError
from symlie.groups.group import LieGroup
from symlie.groups.standard import S3sR3
from symlie.modeling.element_type import ElementType
from symlie.modeling.expressions import diag, vector
from symlie.modeling.model import Model
from symlie.modeling.node import column
from symlie.modeling.symbolic import Expression
from symlie.section import Section

CONSTRAINTS = {"none": (), "kirchhoff": (3, 4), "inextensible": (3, 4, 5)}
"""Strain components [K1, K2, K3, Γ1, Γ2, Γ3] held at their reference value."""

STRAIGHT = (0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
"""Reference strain of a straight, untwisted rod."""


class CosseratRod(Continuum):
    """A rod in a model: places nodes, cross sections, segments and internal constraints.

    ``rod[k]`` is its node k, counted from its start; ``rod[-1]`` is its end.

    Parameters
    ----------
    model
        The model.
    name
        Name of the node array; the element types are called NAME_segment and NAME_section.
    segments
        Number of segments, or the coordinates s_0 < … < s_K of the nodes, in m.
    length
        Length of the rod, or of each segment, in m; left out where coordinates are given.
    position, orientation
        Initial centre line, and a `rotation`, or a unit quaternion (scalar first) or rotation matrix as the group
        stores it: functions of the arc length, or arrays over the nodes that the rod adds; one orientation may serve
        all nodes.
    stiffness
        Six values [EI1, EI2, GJ, GA1, GA2, EA], or a symmetric 6 × 6 matrix, in N m² and N: numbers, a function of the
        arc length, or expressions of parameters of the model.
    inertia
        Six numbers [ρI1, ρI2, ρJ, ρA, ρA, ρA], in kg m and kg/m, or a function of the arc length.
    section
        In place of stiffness and inertia: a cross section of `symlie.section`, such as
        ``sl.section.circle(0.01, E=210e9, nu=0.3, rho=7850)``, or a function of the arc length that gives it. Its axes
        1 and 2 are the first two directors, its axis 3 the tangent.
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

    called = "rod"

    def __init__(
        self,
        model: Model,
        name: str,
        *,
        segments: int | Sequence[float],
        length: float | Sequence[float] | None = None,
        position: Callable[[float], object] | Array,
        orientation: Callable[[float], object] | Sequence[float] | Array,
        stiffness: object = None,
        inertia: object = None,
        section: Section | Callable[[float], Section] | None = None,
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
        super().__init__(model, name, group or (like.group if like else S3sR3))
        found = grid(self._lower, segments, length)
        if section is not None:
            stiffness, inertia = _of_section(name, section, stiffness, inertia)
        given = {"stiffness": stiffness, "inertia": inertia, "damping": damping, "gravity": gravity}
        self.material: Mapping[str, Any] = _material(name, given, like)
        material = self.material
        elastic = checked_stiffness(name, rows_along(model, material["stiffness"], found.middle))
        viscous = six_components(
            name, "damping", rows_along(model, material["damping"], found.middle), one_for_all=True
        )
        inertias = six_components(name, "inertia", rows_along(model, material["inertia"], found.arc))
        if not np.all(inertias > 0):
            raise ModelError(f"The inertia of rod '{name}' must be positive.")
        self.held: tuple[int, ...] = like.held if like else _held(name, constraint or "none")

        C = self._of_rod("stiffness", material["stiffness"], elastic, "N m^2, N")
        D = self._of_rod("damping", material["damping"], viscous, "N m^2 s, N s")
        reference = self.parameter("reference_strain", STRAIGHT, unit="1/m, 1")
        M = self._of_rod("inertia", 0, inertias, "kg m, kg/m")
        gravitation = self._of_rod("gravity", 0, np.asarray(material["gravity"], dtype=float)[None], "m/s^2")
        strain = self.w - reference
        self.local_output("strain", strain, unit="1/m, 1")
        self.kinetic_density(self.v.dot(diag(M) * self.v) / 2)
        self.potential_density(strain.dot((C if C.shape == (6, 6) else diag(C)) * strain) / 2)
        self.potential_density(-M[3] * gravitation.dot(self.q.x))
        self.dissipation_density(self.w_dot.dot(diag(D) * self.w_dot))
        if self.held:
            owner = like.segment.name if like else f"{name}_segment"
            self.constraint_density(f"{owner}_strain", [strain[k] for k in self.held])

        if first is not None:
            self.join("start", first)
        if last is not None:
            self.join("end", last)
        if closed:
            self.close()
        self.initial(**{"x": position, self.group.storage_fields[0].name: orientation})
        types = (like.section, like.segment) if like else self._types("midpoint")
        if like is None:
            _report_momenta(types[0])
        self._place(found)
        self.values["reference_strain"] = self._reference(reference_strain)
        self._add_elements(*types)

    def _of_rod(self, name: str, stated: object, rows: Array, unit: str) -> Expression:
        """What the densities are stated with: expressions of parameters of the model, or a parameter of the rod."""
        if is_symbolic(stated):
            return stated_in_type(stated)
        symbols = self.parameter(name, rows[0], unit=unit)
        self.values[name] = rows
        return symbols

    def _reference(self, stated: object) -> object:
        """w*: numbers, or the strain of the initial configuration."""
        if isinstance(stated, str):
            if stated != "initial":
                raise ModelError(f"The reference strain of rod '{self.name}' is numbers or 'initial', not '{stated}'.")
            return initial_strain(self.model, self.group, self.along) / self.lengths[:, None]
        return stated


def _of_section(name: str, section: Section | Callable[[float], Section], *others: object) -> tuple[object, object]:
    """Stiffness and inertia of a cross section, or of one that is a function of s."""
    if any(other is not None for other in others):
        raise ModelError(f"Rod '{name}' has its stiffness and inertia from its section; do not give them again.")
    if callable(section):
        return (lambda s: section(s).stiffness), (lambda s: section(s).inertia)
    if not isinstance(section, Section):
        raise ModelError(f"The section of rod '{name}' is one of sl.section, or a function of s, not {section!r}.")
    return section.stiffness, section.inertia


def _report_momenta(section: ElementType) -> None:
    """Let cross sections report the rod's momenta."""
    weight, inertia = (column(p.symbols) for p in section.parameters[:2])
    q = section.node
    momentum = weight[0] * diag(inertia) * q.v
    linear = q.R * vector(*momentum[3:])
    section.output("linear_momentum", linear, unit="kg m/s")
    section.output("angular_momentum", q.x.cross(linear) + q.R * vector(*momentum[:3]), unit="kg m^2/s")


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
