"""Rigid bodies: a node with mass, inertia and gravity.

    T = m/2 |x' + R (Ω × c)|² + ½ Ωᵀ J Ω,    V = -m g·(x + R c),    c the centre of mass in axes of the body.

Source: [Holzinger2024], section 2.
"""

from __future__ import annotations

from typing import get_args

import numpy as np
from numpy.typing import ArrayLike
from sympy import Expr

from symlie.elements.placement import body_dimension, finite_numbers, initial_placement
from symlie.elements.rod_values import is_symbolic
from symlie.errors import ModelError
from symlie.groups.group import LieGroup
from symlie.inertia import checked_inertia
from symlie.modeling.element_type import ElementType
from symlie.modeling.expressions import vector
from symlie.modeling.ground import Placed
from symlie.modeling.model import Model
from symlie.modeling.node import Node
from symlie.modeling.symbolic import Expression, SymbolicMatrix
from symlie.modeling.terms import Parameter, RigidInertia
from symlie.modeling.units import size_of
from symlie.modeling.values import given_space
from symlie.options import Axes
from symlie.rotations import Rotation, rotation
from symlie.utilities.showing import line
from symlie.utilities.unit_names import parse_units

BODY_GROUPS = ("SO3xR3", "SE3", "S3xR3", "S3sR3", "SO3rvxR3", "SE2")
"""Usual groups of bodies; any other group of a rotation and a position is possible."""


def rigid_body(name: str, group: LieGroup, gravity: Expression, *, is_eccentric: bool) -> ElementType:
    """Return the element type of a rigid body, with kinetic energy and weight; with a constant mass matrix unless
    eccentric."""
    body = ElementType(name, node=group)
    q = body.node
    size = len(q.x)
    mass = body.parameter("mass", 1.0, unit="kg")
    inertia = body.parameter("inertia", np.eye(3) if size == 3 else 1.0, unit="kg m^2")
    c = vector(*[0] * size)
    center, velocity = q.x, q.U if hasattr(q, "U") else q.x_dot
    if is_eccentric:
        c = body.parameter("center_of_mass", np.zeros(size), unit="m")
        center = q.x + q.R * c
        turned = q.Omega.cross(c) if size == 3 else q.Omega[0] * vector(-c[1], c[0])
        velocity = velocity + (turned if hasattr(q, "U") else q.R * turned)
    turning = q.Omega.dot(inertia * q.Omega) if size == 3 else inertia * q.Omega[0] ** 2
    body.kinetic_energy((mass * velocity.dot(velocity) + turning) / 2)
    body.potential_energy(-mass * gravity.dot(center))
    rows = tuple(tuple(inertia[i, k] for k in range(3)) for i in range(3)) if size == 3 else ((inertia,),)
    body.rigid = RigidInertia(mass, tuple(c), rows, tuple(gravity))
    return body


class RigidBody(Placed):
    """A rigid body in a model: a node on a group, with mass and inertia.

    Mass, inertia and centre of mass are parameters of its instance of the element type, so bodies on one group share
    their code; gravity is a parameter of the model, zero until `Model.gravity` sets it.

    Parameters
    ----------
    model
        The model.
    name
        Name of the body and of its node.
    mass
        In kg; a number or a parameter of the model.
    inertia
        Moments of inertia about the centre of mass in body axes, in kg m²: three principal moments or a 3 × 3 matrix,
        see `inertia`; one number in the plane; or a parameter of the model.
    group
        Group of the node: SO3xR3, the default, SE3, S3xR3, S3sR3, SO3rvxR3, or SE2 in the plane.
    coordinates, form, step
        Alternative storage and steps of the rotation, see `Model.node`.
    position
        Initial position of the node in inertial axes, in m; the origin by default.
    orientation
        Initial `rotation` from body axes to inertial axes, or a matrix or, in the plane, an angle. The identity by
        default.
    velocity
        Initial velocity of the node in inertial axes, in m/s; completed from the constraints by default.
    angular_velocity
        Initial angular velocity in rad/s, (3,), or one number in the plane; completed from the constraints by default.
    axes
        Axes of ``angular_velocity``: ``"body"``, the default, or ``"space"``.
    reference
        Position of the node relative to the centre of mass, in body axes, in m; the centre of mass by default.

    Attributes
    ----------
    name
        Name of the body.
    node
        Its node.
    model
        The model.

    Raises
    ------
    ModelError
        If the mass is negative, the inertia is indefinite, the group has no rotation and position, or a shape is wrong.

    Examples
    --------
    >>> import symlie as sl
    >>> model = sl.Model("pendulum")
    >>> rod = sl.RigidBody(model, "rod", mass=1.2, inertia=sl.inertia.rod(1.2, 0.8), position=[0, 0, -0.4])
    >>> pivot = sl.RevoluteJoint(model, "pivot", model.ground, rod, at=[0, 0, 0], axis=[0, 1, 0])
    >>> model.gravity([0, 0, -9.81])
    """

    def __init__(
        self,
        model: Model,
        name: str,
        mass: float | Expr,
        inertia: object,
        group: LieGroup | str = "SO3xR3",
        *,
        coordinates: str | None = None,
        form: str | None = None,
        step: str | None = None,
        position: ArrayLike | None = None,
        orientation: object = None,
        velocity: ArrayLike | None = None,
        angular_velocity: ArrayLike | None = None,
        axes: Axes = "body",
        reference: ArrayLike | None = None,
    ) -> None:
        found = given_space(group, coordinates, form, step)
        size = body_dimension(found)
        if size is None or not isinstance(found, LieGroup):
            raise ModelError(f"Body '{name}' needs a group such as {', '.join(BODY_GROUPS)}, not {found}.")
        if axes not in get_args(Axes):
            raise ModelError(f"The angular velocity of body '{name}' must be in axes 'body' or 'space', not {axes!r}.")
        values = {"mass": _mass(name, mass), "inertia": _inertia(name, inertia, size)}
        if reference is not None:
            values["center_of_mass"] = -finite_numbers(f"reference of body '{name}'", reference, size)
        gravity = _gravity(model, name, size)
        node = model.node(name, found)
        fields: dict[str, object] = {}
        if orientation is not None:
            fields["rotation"] = _rotation(name, orientation, size)
        if position is not None:
            fields["x"] = finite_numbers(f"position of body '{name}'", position, size)
        model.initial(node, **fields)
        turn = initial_placement(model, node)[0]
        rates: dict[str, object] = {}
        if velocity is not None:
            speed = finite_numbers(f"velocity of body '{name}'", velocity, size)
            has_body_axes = any(f.name == "U" for f in found.velocity_fields)
            rates.update({"U": turn.T @ speed} if has_body_axes else {"x_dot": speed})
        if angular_velocity is not None:
            spin = finite_numbers(
                f"angular velocity of body '{name}'", np.atleast_1d(angular_velocity), 3 if size == 3 else 1
            )
            rates["Omega"] = turn.T @ spin if axes == "space" and size == 3 else spin
        model.initial(node, **rates)
        kind = "rigid_body" if reference is None else "eccentric_rigid_body"
        label = f"{kind}_{found.name}"
        element = next((i.element for i in model.instances if i.element.name == label), None)
        if element is None:
            element = rigid_body(label, found, _in_si(gravity), is_eccentric=reference is not None)
        model.add(element, [node], names=name, **values)
        self.model: Model = model
        self.name: str = name
        self.node: Node = node

    def __repr__(self) -> str:
        return line("RigidBody", [self.name, str(self.node.group)])

    def place(self, **values: object) -> None:
        """Set initial values of fields of its node, like `Model.initial`.

        Parameters
        ----------
        **values
            Values by name of a field.
        """
        self.model.initial(self.node, **values)

    @property
    def R(self) -> Expression:
        """Rotation matrix from body axes to inertial axes."""
        return self.node.R

    @property
    def x(self) -> SymbolicMatrix:
        """Position of the node in inertial axes, in m."""
        return self.node.x

    @property
    def Omega(self) -> SymbolicMatrix:
        """Angular velocity in body axes, in rad/s."""
        return self.node.Omega

    def point(self, r: object) -> SymbolicMatrix:
        """Return the position of a point of the body in inertial axes, x + R r.

        Parameters
        ----------
        r
            Position relative to the node, in body axes, in m.
        """
        return vector(self.node.x + self.node.R * vector(r))

    def axis(self, e: object) -> SymbolicMatrix:
        """Return a direction of the body in inertial axes, R e.

        Parameters
        ----------
        e
            Components in body axes.
        """
        return vector(self.node.R * vector(e))

    def velocity_of(self, r: object) -> SymbolicMatrix:
        """Return the velocity of a point of the body in inertial axes, in m/s.

        Parameters
        ----------
        r
            Position relative to the node, in body axes, in m.
        """
        return self.model.rate(self.point(r))

    def velocity_at(self, place: object) -> SymbolicMatrix:
        """Return the velocity of the material point of the body that is at a position, in inertial axes, in m/s.

        The slip of a contact is a difference of such velocities. It is not the rate of the contact point, which moves
        along the surface of a rolling body.

        Parameters
        ----------
        place
            Position in inertial axes, in m; it may be outside of the body.
        """
        arm = vector(vector(place) - self.node.x)
        center = vector(self.model.rate(self.node.x))
        if len(arm) == 2:
            (spin,) = vector(self.node.Omega)
            return vector(center[0] - spin * arm[1], center[1] + spin * arm[0])
        return vector(center + vector(self.node.R * self.node.Omega).cross(arm))


def _gravity(model: Model, name: str, size: int) -> Parameter:
    """Return the gravity of the model, a parameter that the first body declares."""
    known = next((p for p in model.parameters if p.name == "gravity"), None)
    if known is None:
        model.parameter("gravity", np.zeros(size), unit="m/s^2")
        return model.parameters[-1]
    if known.shape != (size,):
        raise ModelError(
            f"Body '{name}' moves in {'space' if size == 3 else 'the plane'}, but the gravity of '{model.name}' has "
            f"{len(known.default)} components; bodies of one model all move in space or all in one plane."
        )
    return known


def _in_si(parameter: Parameter) -> SymbolicMatrix:
    units = parse_units(parameter.unit, len(parameter.symbols))
    return vector(*(size_of(u) * symbol for u, symbol in zip(units, parameter.symbols, strict=True)))


def _mass(name: str, mass: object) -> object:
    if not is_symbolic(mass):
        (value,) = finite_numbers(f"mass of body '{name}'", [mass], 1)
        if value < 0:
            raise ModelError(f"The mass of body '{name}' is {value:g} kg; it must not be negative.")
    return mass


def _inertia(name: str, inertia: object, size: int) -> object:
    if is_symbolic(inertia):
        return inertia
    if size == 3:
        return checked_inertia(name, inertia)
    (moment,) = finite_numbers(f"inertia of body '{name}'", [inertia], 1)
    if moment < 0:
        raise ModelError(f"The inertia of body '{name}' is {moment:g} kg m²; it must not be negative.")
    return moment


def _rotation(name: str, value: object, size: int) -> Rotation:
    if isinstance(value, Rotation):
        return value
    if size == 2:
        return rotation(angle=finite_numbers(f"orientation of body '{name}'", [value], 1)[0])
    if np.shape(np.asarray(value, dtype=object)) != (3, 3):
        raise ModelError(
            f"The orientation of body '{name}' must be an sl.rotation(…) or a 3 × 3 matrix, not {value!r}."
        )
    return rotation(matrix=value)
