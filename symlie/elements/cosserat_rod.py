"""Geometrically exact Cosserat rod: a continuum on a group of rotations and positions with linear material.

    e = [K; Γ + e3],   T = vᵀ M v/2,   U = (e - e*)ᵀ C (e - e*)/2,   P = ėᵀ D ė

On S³⋉R³ and SE(3), w equals the strains e in axes of the cross section. On direct products, velocities are in inertial
axes, w = [K; x'] and e = [K; Rᵀ x']; positions between nodes are then on straight lines instead of helices.
Source: [Hante2022], sections 2 and 3; the tangent of the centre line is the third director.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike
from sympy import Add

from symlie.elements.continua.continuum import Continuum
from symlie.elements.continua.grid import grid
from symlie.elements.continua.joined import Frame
from symlie.elements.placement import BodyNode
from symlie.elements.rod_material import MaterialRows, held_components, material_of, material_rows
from symlie.elements.rod_values import initial_strain
from symlie.errors import ModelError
from symlie.groups.group import LieGroup
from symlie.groups.standard import S3sR3
from symlie.modeling.element_type import ElementType
from symlie.modeling.expressions import diag, vector
from symlie.modeling.model import Model
from symlie.modeling.node import column
from symlie.rotations import Rotation
from symlie.section import Section

VELOCITIES = {"body": [("Omega", 3), ("U", 3)], "space": [("Omega", 3), ("x_dot", 3)]}
"""Velocity fields of the groups of rods, by the axes of the linear velocity."""

STRAIGHT = (0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
"""Reference strain of a straight, untwisted rod."""


class CosseratRod(Continuum):
    """A rod in a model, consisting of nodes, cross sections, segments and internal constraints.

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
        Length of the rod, or of each segment, in m; omitted if coordinates are given.
    position, orientation
        Initial centre line, and initial orientation as a `rotation`, or a unit quaternion (scalar first) or rotation
        matrix as stored by the group. Both are functions of the arc length, or arrays over all nodes or over the nodes
        that the rod adds; a single orientation applies to all nodes.
    stiffness
        Six values [EI1, EI2, GJ, GA1, GA2, EA], or a symmetric 6 × 6 matrix, in N m² and N: numbers, a function of the
        arc length, or expressions of parameters of the model.
    inertia
        Six numbers [ρI1, ρI2, ρJ, ρA, ρA, ρA], in kg m and kg/m, or a function of the arc length.
    section
        Alternative to stiffness and inertia: a cross section of `symlie.section`, such as
        ``sl.section.circle(0.01, E=210e9, nu=0.3, rho=7850)``, or a function of the arc length that returns one. Its
        axes 1 and 2 are the first two directors, its axis 3 the tangent.
    damping
        Coefficients D of the viscous section force 2 D ė: one value or six, a function of the arc length, or
        expressions of parameters of the model; zero by default. Damping of constrained strains has no effect.
    gravity
        Acceleration of gravity in inertial axes, in m/s²; zero by default.
    constraint
        ``"none"``, the default, ``"kirchhoff"`` (no shear), ``"inextensible"`` (no shear, no extension), or a list of
        strain components 0 … 5 that are constrained to their reference values. The multipliers are internal forces.
    group
        Group of the nodes: S3sR3 (the default) or SE3, or a direct product, S3xR3 or SO3xR3.
    coordinates
        Storage of the rotations of nodes on a direct product, as in `Model.node`. With ``euler_parameters`` the nodes
        are on R⁴ × R³, each with the constraint p·p = 1.
    reference_strain
        e*: six numbers, one row for each segment, or a function of the arc length; a straight rod by default.
        ``"initial"``: the strain of the initial configuration, for a rod that starts without stress.
    first, last
        Existing nodes of the model at the start or the end of the rod, instead of new nodes. If the initial orientation
        of the rod differs from the orientation of the node, the rotation between both remains constant.
    closed
        Join the end of the last segment to the first node; at an angle, if the orientation at the end differs.
    like
        A rod of the model with which this rod shares element types: group and constraint are the same, and all material
        data that is not specified.

    Attributes
    ----------
    name
        Name of the rod and of its node array.
    nodes
        Nodes that the rod added to the model: all except shared ones.
    along
        All nodes from start to end; a closed rod repeats the first one at the end.
    segment, section
        Element types of segments and of cross sections.
    lengths
        Length of each segment, in m.
    material
        Stiffness, inertia, damping and gravity as given.

    Raises
    ------
    ModelError
        If lengths, stiffness or inertia are not positive, the constraint is unknown, the segments are too few, the
        group does not consist of spatial rotations and positions, or the arguments contradict each other.
    """

    called = "rod"

    def __init__(
        self,
        model: Model,
        name: str,
        *,
        segments: int | Sequence[float],
        length: float | Sequence[float] | None = None,
        position: Callable[[float], object] | ArrayLike,
        orientation: Callable[[float], object] | Rotation | ArrayLike,
        stiffness: object = None,
        inertia: object = None,
        section: Section | Callable[[float], Section] | None = None,
        damping: object = None,
        gravity: ArrayLike | None = None,
        constraint: str | Sequence[int] | None = None,
        group: LieGroup | str | None = None,
        coordinates: str | None = None,
        reference_strain: object = STRAIGHT,
        first: BodyNode | None = None,
        last: BodyNode | None = None,
        closed: bool = False,
        like: CosseratRod | None = None,
    ) -> None:
        if like is not None and any(value is not None for value in (constraint, group, coordinates)):
            raise ModelError(
                f"Rod '{name}' takes the constraint and the group of rod '{like.name}'; do not give them again."
            )
        super().__init__(model, name, group or (like.space if like else S3sR3), coordinates=coordinates)
        if [(f.name, f.size) for f in self.group.velocity_fields] not in VELOCITIES.values():
            raise ModelError(
                f"Rod '{name}' needs a group of rotations and positions in space, S3sR3, SE3, S3xR3 or SO3xR3, not "
                f"{self.group}."
            )
        found = grid(self._lower, segments, length)
        given = {"stiffness": stiffness, "inertia": inertia, "damping": damping, "gravity": gravity}
        shared = (like.name, like.material) if like else None
        self.material: dict[str, object] = material_of(name, given, section, shared)
        rows = material_rows(model, name, self.material, found)
        if not self.in_axes and np.any(rows.inertia[:, 3:] != rows.inertia[:, 3:4]):
            raise ModelError(
                f"The inertia of rod '{name}' has three different values of ρA, which are not defined on "
                f"{self.group}, whose velocities are in inertial axes; use S3sR3 or SE3."
            )
        self.held: tuple[int, ...] = like.held if like else held_components(name, constraint or "none")
        self._state_densities(rows, like.segment.name if like else f"{name}_segment")
        self._bound(first, last, closed=closed)
        self.initial(**{"x": position, self.group.storage_fields[0].name: orientation})
        types = like.types if like else self._types("midpoint")
        self._place(found)
        self.values["reference_strain"] = self._reference(reference_strain)
        self._add_elements(types)

    def _state_densities(self, rows: MaterialRows, owner: str) -> None:
        """Add the densities T, U, P and the potential of the weight, and constrain strains."""
        C = self._stated("stiffness", self.material["stiffness"], rows.stiffness, "N m^2, N")
        D = self._stated("damping", self.material["damping"], rows.damping, "N m^2 s, N s")
        reference = self.parameter("reference_strain", STRAIGHT, unit="1/m, 1")
        M = self._stated("inertia", 0, rows.inertia, "kg m, kg/m")
        gravitation = self._stated("gravity", 0, rows.gravity, "m/s^2")
        stiffness = C if C.shape == (6, 6) else diag(C)
        in_axes = self.in_axes
        strain = (self.w if in_axes else vector(*self.w[:3], *(self.q.R.T * column(self.w[3:])))) - reference
        rate = self.w_dot if in_axes else self.rate(strain)
        self.local_output("strain", strain, unit="1/m, 1")
        self.kinetic_density(self.v.dot(diag(M) * self.v) / 2)
        self.potential_density(strain.dot(stiffness * strain) / 2)
        self.potential_density(-M[3] * gravitation.dot(self.q.x))
        # A constrained strain has the rate zero: its damping would only multiply rounding errors.
        free = [k for k in range(6) if k not in self.held]
        self.dissipation_density(Add(*(D[k] * rate[k] ** 2 for k in free)))
        if self.held:
            self.constraint_density(f"{owner}_strain", [strain[k] for k in self.held])

    @property
    def in_axes(self) -> bool:
        """True if linear velocities and w are in axes of the cross section, False if in inertial axes."""
        return [(f.name, f.size) for f in self.group.velocity_fields] == VELOCITIES["body"]

    def report(self, section: ElementType, here: Frame) -> None:
        """Add the linear and angular momentum of the rod to the outputs, in kg m/s and kg m²/s.

        Parameters
        ----------
        section
            Element type of the cross sections; each kind of end has a separate type.
        here
            Pose and velocities of a cross section as expressions of the element type.
        """
        weight, inertia = (column(p.symbols) for p in section.parameters if p.name in ("weight", "inertia"))
        momentum = weight[0] * diag(inertia) * column(here.v)
        linear = here.q.R * vector(*momentum[3:]) if self.in_axes else vector(*momentum[3:])
        section.output("linear_momentum", linear, unit="kg m/s", total=True)
        angular = here.q.x.cross(linear) + here.q.R * vector(*momentum[:3])
        section.output("angular_momentum", angular, unit="kg m^2/s", total=True)

    def _reference(self, stated: object) -> object:
        """Return e* as given, or the strain of the initial configuration."""
        if isinstance(stated, str):
            if stated != "initial":
                raise ModelError(
                    f"The reference strain of rod '{self.name}' must be numbers or 'initial', not '{stated}'."
                )
            last = len(self.along) - 1
            ends = {k: self.end_rotations[end] for end, k in (("start", 0), ("end", last)) if self.end_rotations[end]}
            strain = initial_strain(self.model, self.group, self.along, ends, helical=self.in_axes)
            return strain / self.lengths[:, None]
        return stated
