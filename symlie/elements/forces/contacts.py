"""Catalogue of unilateral contacts between two bodies, and of stops of joints."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike
from sympy import Dummy, Expr, Integer, sqrt

from symlie.elements.connection import Connection
from symlie.elements.forces.on_joints import JointLoad
from symlie.elements.joints.frames import Frame, X, Y, Z
from symlie.elements.joints.motions import MovingJoint
from symlie.elements.marker import (
    Body,
    Connectable,
    Marker,
    axes_along,
    body_name,
    direction,
    group_of,
    on_body,
    placement,
)
from symlie.elements.placement import Array, body_dimension
from symlie.errors import ModelError
from symlie.modeling.contacts.contact import state_contact
from symlie.modeling.element_type import ElementType
from symlie.modeling.expressions import components, vector
from symlie.modeling.model import Model
from symlie.modeling.symbolic import Expression, SymbolicMatrix

DISTANCE_SLOPE = 1e-9
"""Difference from one of the gradient of a distance that may be rounding."""

_Stated = tuple[str, Expr, SymbolicMatrix, list[SymbolicMatrix]]
"""Name, gap, point and tangents of a contact."""


class BodyContact(Connection):
    """Base of unilateral contacts between two bodies, with the outputs and events of `Model.contact`."""

    word = "contact"
    own: Mapping[str, tuple[object, str]] = MappingProxyType({})
    """Parameters other than coefficients."""

    def __init__(
        self,
        model: Model,
        name: str,
        markers: tuple[Marker, Marker],
        friction: object,
        restitution: object,
        values: Mapping[str, object],
    ) -> None:
        (mu,), (e,) = components(friction), components(restitution)
        if mu.is_number and mu < 0:
            raise ModelError(f"Contact '{name}' needs a friction coefficient that is not negative, not {mu}.")
        if e.is_number and not 0 <= e <= 1:
            raise ModelError(f"Contact '{name}' needs a coefficient of restitution from 0 to 1, not {e}.")
        self._rubs = mu != 0
        of_friction: dict[str, tuple[object, str]] = {"friction": (0.0, "")} if self._rubs else {}
        self.parameters = MappingProxyType({**self.own, **of_friction, "restitution": (0.0, "")})
        given = {"friction": friction, "restitution": restitution}
        self.parameter_values = {**values, **{k: v for k, v in given.items() if k in self.parameters}}
        super().__init__(model, name, *markers, None)
        self._add()

    def _kind(self) -> str:
        return f"{self.kind}_friction" if self._rubs else self.kind

    def _state(self, element: ElementType, a: Frame, b: Frame, values: Mapping[str, Expression]) -> None:
        friction = values.get("friction", 0)
        for name, gap, place, tangents in self._contacts(element, a, b, values):
            slip = None
            if self._rubs:
                relative = element.let(b.velocity_at(place) - a.velocity_at(place))
                slip = [t.dot(relative) for t in tangents]
            state_contact(element, name, gap, slip, friction, values["restitution"])

    @abstractmethod
    def _contacts(self, element: ElementType, a: Frame, b: Frame, values: Mapping[str, Expression]) -> list[_Stated]:
        """Return name, gap, point and tangents of each contact."""


def _normal_and_tangents(plane: Frame) -> tuple[SymbolicMatrix, list[SymbolicMatrix]]:
    """Return the normal of a plane, or line in the plane, and directions along it."""
    if len(plane.offset) == 2:
        return plane.axis(X), [plane.axis(Y)]
    return plane.axis(Z), [plane.axis(X), plane.axis(Y)]


def _dimension(name: str, *sides: Connectable) -> int:
    """Return the dimension of the space of two bodies."""
    bodies = [_body(side) for side in sides]
    sizes = {body_dimension(g) for b in bodies if (g := group_of(b)) is not None}
    if len(sizes) != 1 or None in sizes:
        shown = " and ".join(body_name(b) for b in bodies)
        raise ModelError(f"Contact '{name}' needs two bodies in space, or two in the plane, not {shown}.")
    (size,) = sizes
    assert size is not None
    return size


def _body(side: Connectable) -> Body:
    return side.body if isinstance(side, Marker) else side


def _marker(name: str, side: Connectable, **given: object) -> Marker | None:
    """Return the marker that defines a side of a contact, or None for a body."""
    if not isinstance(side, Marker):
        return None
    twice = next((word for word, value in given.items() if value is not None), None)
    if twice is not None:
        raise ModelError(f"Contact '{name}' is defined by a marker; do not also give {twice}.")
    return side


def _plane(
    model: Model, name: str, sides: tuple[Connectable, Connectable], plane: ArrayLike | None, normal: ArrayLike | None
) -> Marker:
    """Return the marker of a plane of the first body; its normal is the last inertial axis by default."""
    if (marker := _marker(name, sides[0], plane=plane, normal=normal)) is not None:
        return marker
    size = _dimension(name, *sides)
    upward = np.eye(size)[-1] if normal is None else direction(f"contact '{name}'", normal, size)
    place = np.zeros(size) if plane is None else np.asarray(plane, dtype=float)
    return on_body(model, _body(sides[0]), place, axes_along(f"contact '{name}'", size, upward))


def _center(
    model: Model,
    name: str,
    sides: tuple[Connectable, Connectable],
    at: ArrayLike | None,
    axis: ArrayLike | None = None,
) -> Marker:
    """Return the marker of a point of the second body, by default of its node, with the axes of the body."""
    if (marker := _marker(name, sides[1], at=at, axis=axis)) is not None:
        return marker
    size, body = _dimension(name, *sides), _body(sides[1])
    turn, place = placement(model, body, size)
    axes = turn if axis is None else axes_along(f"contact '{name}'", size, axis)
    return on_body(model, body, place if at is None else np.asarray(at, dtype=float), axes)


def _positive(name: str, **values: float) -> dict[str, float]:
    """Return lengths; raise `ModelError` if one is not positive."""
    for what, value in values.items():
        if not 0 < value < np.inf:
            raise ModelError(f"Contact '{name}' needs a positive {what}, not {value:g} m.")
    return {what: float(value) for what, value in values.items()}


class PointPlaneContact(BodyContact):
    """A point of a body and a plane of another one, in the plane a line; see `Model.contact`.

    Outputs: NAME_gap, NAME_normal, NAME_friction along two tangents of the plane, NAME_dissipation, NAME_state.

    Parameters
    ----------
    model
        The model.
    name
        Name of the contact.
    body_a, body_b
        The body with the plane, such as the ground, and the body with the point; or a `Marker` in the plane, whose axis
        is the normal, and one at the point.
    at
        Point in inertial axes of the initial configuration, in m; required without a marker of the point.
    friction
        Coefficient of friction, a number or a parameter of the model; zero by default.
    restitution
        Coefficient of restitution, a number or a parameter of the model; zero by default.
    plane
        A point of the plane in inertial axes of the initial configuration, in m; the origin by default.
    normal
        Normal of the plane in inertial axes, towards the second body; the last axis by default.
    """

    kind = "point_plane_contact"

    def __init__(
        self,
        model: Model,
        name: str,
        body_a: Connectable,
        body_b: Connectable,
        *,
        at: ArrayLike | None = None,
        friction: object = 0,
        restitution: object = 0,
        plane: ArrayLike | None = None,
        normal: ArrayLike | None = None,
    ) -> None:
        if at is None and not isinstance(body_b, Marker):
            raise ModelError(f"Contact '{name}' needs its point: at=[…] in inertial axes, or a marker.")
        sides = body_a, body_b
        markers = _plane(model, name, sides, plane, normal), _center(model, name, sides, at)
        super().__init__(model, name, markers, friction, restitution, {})

    def _contacts(self, element: ElementType, a: Frame, b: Frame, values: Mapping[str, Expression]) -> list[_Stated]:
        normal, tangents = _normal_and_tangents(a)
        return [("", normal.dot(b.point - a.point), b.point, tangents)]


class BoxPlaneContact(BodyContact):
    """The corners of a box and a plane of another body: eight contacts, in the plane four; see `Model.contact`.

    Corners are numbered with the last coordinate first: NAME_corner_0_gap, …, NAME_corner_7_state.

    Parameters
    ----------
    model
        The model.
    name
        Name of the contact.
    body_a, body_b
        The body with the plane, such as the ground, and the box; or a `Marker` in the plane, whose axis is the normal,
        and one at the centre of the box, with its axes.
    size
        Lengths of the box along the axes of its body or marker, in m.
    at
        Centre of the box in inertial axes of the initial configuration, in m; the node of the body by default.
    friction
        Coefficient of friction, a number or a parameter of the model; zero by default.
    restitution
        Coefficient of restitution, a number or a parameter of the model; zero by default.
    plane
        A point of the plane in inertial axes of the initial configuration, in m; the origin by default.
    normal
        Normal of the plane in inertial axes, towards the box; the last axis by default.
    """

    kind = "box_plane_contact"

    def __init__(
        self,
        model: Model,
        name: str,
        body_a: Connectable,
        body_b: Connectable,
        *,
        size: ArrayLike,
        at: ArrayLike | None = None,
        friction: object = 0,
        restitution: object = 0,
        plane: ArrayLike | None = None,
        normal: ArrayLike | None = None,
    ) -> None:
        sides = body_a, body_b
        lengths: Array = np.asarray(size, dtype=float)
        if lengths.shape != (_dimension(name, *sides),) or not (lengths > 0).all():
            raise ModelError(f"Contact '{name}' needs a box with a positive length along each axis, not {size!r}.")
        self.own = MappingProxyType({"size": (np.ones(len(lengths)), "m")})
        markers = _plane(model, name, sides, plane, normal), _center(model, name, sides, at)
        super().__init__(model, name, markers, friction, restitution, {"size": lengths})

    def _contacts(self, element: ElementType, a: Frame, b: Frame, values: Mapping[str, Expression]) -> list[_Stated]:
        normal, tangents = _normal_and_tangents(a)
        count, found = len(a.offset), []
        for k in range(2**count):
            signs = [1 if k >> j & 1 else -1 for j in range(count)]
            corner = element.let(sum((b.axis(j) * (s * values["size"][j] / 2) for j, s in enumerate(signs)), b.point))
            place = vector(corner)
            found.append((f"corner_{k}", normal.dot(place - a.point), place, tangents))
        return found


class SpherePlaneContact(BodyContact):
    """A sphere and a plane of another body, in the plane a circle and a line; see `Model.contact`.

    `SphereOnPlane` is a smooth force instead. Outputs: NAME_gap, NAME_normal, NAME_friction, NAME_dissipation,
    NAME_state.

    Parameters
    ----------
    model
        The model.
    name
        Name of the contact.
    body_a, body_b
        The body with the plane, such as the ground, and the body with the sphere; or a `Marker` in the plane, whose
        axis is the normal, and one at the centre of the sphere.
    radius
        Radius of the sphere, in m.
    at
        Centre of the sphere in inertial axes of the initial configuration, in m; the node of the body by default.
    friction
        Coefficient of friction, a number or a parameter of the model; zero by default.
    restitution
        Coefficient of restitution, a number or a parameter of the model; zero by default.
    plane
        A point of the plane in inertial axes of the initial configuration, in m; the origin by default.
    normal
        Normal of the plane in inertial axes, towards the sphere; the last axis by default.
    """

    kind = "sphere_plane_contact"
    own = MappingProxyType({"radius": (1.0, "m")})

    def __init__(
        self,
        model: Model,
        name: str,
        body_a: Connectable,
        body_b: Connectable,
        *,
        radius: float,
        at: ArrayLike | None = None,
        friction: object = 0,
        restitution: object = 0,
        plane: ArrayLike | None = None,
        normal: ArrayLike | None = None,
    ) -> None:
        sides = body_a, body_b
        markers = _plane(model, name, sides, plane, normal), _center(model, name, sides, at)
        super().__init__(model, name, markers, friction, restitution, _positive(name, radius=radius))

    def _contacts(self, element: ElementType, a: Frame, b: Frame, values: Mapping[str, Expression]) -> list[_Stated]:
        normal, tangents = _normal_and_tangents(a)
        touching = vector(b.point - normal * values["radius"])
        return [("", normal.dot(touching - a.point), touching, tangents)]


class DiskPlaneContact(BodyContact):
    """The rim of a thin disk, such as a wheel, and a plane of another body in space; see `Model.contact`.

    The gap is undefined where the disk lies flat on the plane. Outputs: NAME_gap, NAME_normal, NAME_friction,
    NAME_dissipation, NAME_state.

    Parameters
    ----------
    model
        The model.
    name
        Name of the contact.
    body_a, body_b
        The body with the plane, such as the ground, and the body with the disk; or a `Marker` in the plane, whose axis
        is the normal, and one at the centre of the disk, with its axis.
    radius
        Radius of the disk, in m.
    axis
        Axis of the disk in inertial axes of the initial configuration; required without a marker of the disk.
    at
        Centre of the disk in inertial axes of the initial configuration, in m; the node of the body by default.
    friction
        Coefficient of friction, a number or a parameter of the model; zero by default.
    restitution
        Coefficient of restitution, a number or a parameter of the model; zero by default.
    plane
        A point of the plane in inertial axes of the initial configuration, in m; the origin by default.
    normal
        Normal of the plane in inertial axes, towards the disk; the third axis by default.
    """

    kind = "disk_plane_contact"
    own = MappingProxyType({"radius": (1.0, "m")})

    def __init__(
        self,
        model: Model,
        name: str,
        body_a: Connectable,
        body_b: Connectable,
        *,
        radius: float,
        axis: ArrayLike | None = None,
        at: ArrayLike | None = None,
        friction: object = 0,
        restitution: object = 0,
        plane: ArrayLike | None = None,
        normal: ArrayLike | None = None,
    ) -> None:
        sides = body_a, body_b
        if _dimension(name, *sides) != 3:
            raise ModelError(f"Contact '{name}' needs bodies in space; in the plane, use SpherePlaneContact.")
        if axis is None and not isinstance(body_b, Marker):
            raise ModelError(f"Contact '{name}' needs the axis of the disk: axis=[…] in inertial axes, or a marker.")
        markers = _plane(model, name, sides, plane, normal), _center(model, name, sides, at, axis)
        upward, along = (marker.placed(model)[1][:, Z] for marker in markers)
        if abs(upward @ along) > 1 - 1e-9:
            raise ModelError(f"The disk of contact '{name}' lies flat on the plane; incline its axis.")
        super().__init__(model, name, markers, friction, restitution, _positive(name, radius=radius))

    def _contacts(self, element: ElementType, a: Frame, b: Frame, values: Mapping[str, Expression]) -> list[_Stated]:
        normal, tangents = _normal_and_tangents(a)
        slope = a.named(normal.dot(b.axis(Z)))
        lowest = element.let(b.point + (b.axis(Z) * slope - normal) * (values["radius"] / sqrt(1 - slope**2)))
        gap = normal.dot(b.point - a.point) - values["radius"] * sqrt(1 - slope**2)
        return [("", gap, vector(lowest), tangents)]


class SphereSphereContact(BodyContact):
    """Two spheres, in the plane two circles; see `Model.contact`.

    Outputs: NAME_gap, NAME_normal, NAME_friction, NAME_dissipation, NAME_state. In space, the tangents are
    undefined where the second centre is on the opposite side of the first one than in the initial configuration.

    Parameters
    ----------
    model
        The model.
    name
        Name of the contact.
    body_a, body_b
        The bodies with the spheres, or a `Marker` at each centre.
    radii
        Radii of both spheres, in m.
    at
        Centres of both spheres in inertial axes of the initial configuration, in m; the nodes of the bodies by default.
    friction
        Coefficient of friction, a number or a parameter of the model; zero by default.
    restitution
        Coefficient of restitution, a number or a parameter of the model; zero by default.
    """

    kind = "sphere_sphere_contact"

    def __init__(
        self,
        model: Model,
        name: str,
        body_a: Connectable,
        body_b: Connectable,
        *,
        radii: tuple[float, float],
        at: tuple[ArrayLike, ArrayLike] | None = None,
        friction: object = 0,
        restitution: object = 0,
    ) -> None:
        first, second = radii
        lengths = _positive(name, first_radius=first, second_radius=second)
        sides = body_a, body_b
        size, bodies = _dimension(name, *sides), [_body(side) for side in sides]
        given = [None, None] if at is None else at
        known = [_marker(name, side, at=at) for side in sides]
        centers = [
            marker.placed(model)[0] if marker is not None
            else placement(model, body, size)[1] if place is None
            else np.asarray(place, dtype=float)
            for marker, body, place in zip(known, bodies, given, strict=True)
        ]  # fmt: skip
        towards = centers[1] - centers[0]
        if not np.linalg.norm(towards) > 0:
            raise ModelError(f"The centres of the spheres of contact '{name}' coincide.")
        axes = axes_along(f"contact '{name}'", size, towards)
        self.own = MappingProxyType({
            "first_radius": (1.0, "m"), "second_radius": (1.0, "m"), "start": (np.eye(size), "")
        })  # fmt: skip
        markers = on_body(model, bodies[0], centers[0], axes), on_body(model, bodies[1], centers[1], axes)
        super().__init__(model, name, markers, friction, restitution, {**lengths, "start": axes})

    def _contacts(self, element: ElementType, a: Frame, b: Frame, values: Mapping[str, Expression]) -> list[_Stated]:
        apart = vector(element.let(b.point - a.point))
        distance = a.named(sqrt(apart.dot(apart)))
        normal = vector(element.let(apart / distance))
        touching = vector(element.let(a.point + normal * values["first_radius"]))
        gap = distance - values["first_radius"] - values["second_radius"]
        return [("", gap, touching, _tangents(element, normal, values["start"]))]


class SphereSurfaceContact(BodyContact):
    """A sphere and a surface of another body, in the plane a circle and a curve; see `Model.contact`.

    Outputs: NAME_gap, NAME_normal, NAME_friction, NAME_dissipation, NAME_state. In space, the tangents are
    undefined where the normal is opposite to the one in the initial configuration.

    Parameters
    ----------
    model
        The model.
    name
        Name of the contact.
    body_a, body_b
        The body with the surface, such as the ground, and the body with the sphere; or a `Marker` whose axes are those
        of the surface, and one at the centre of the sphere.
    surface
        Function of a point in the axes of the first body or marker, in m, from its node or marker; it returns the
        signed distance of the point to the surface, in m, positive on the side of the sphere. For a radius of zero, any
        smooth function is suitable that is zero on the surface and has a gradient there.
    radius
        Radius of the sphere, in m; zero for a point.
    at
        Centre of the sphere in inertial axes of the initial configuration, in m; the node of the body by default.
    friction
        Coefficient of friction, a number or a parameter of the model; zero by default.
    restitution
        Coefficient of restitution, a number or a parameter of the model; zero by default.

    Raises
    ------
    ModelError
        If the function has no gradient at the centre of the sphere in the initial configuration, or is not a distance
        there although the radius is positive.
    """

    kind = "sphere_surface_contact"

    def __init__(
        self,
        model: Model,
        name: str,
        body_a: Connectable,
        body_b: Connectable,
        *,
        surface: Callable[[SymbolicMatrix], Expr],
        radius: float,
        at: ArrayLike | None = None,
        friction: object = 0,
        restitution: object = 0,
    ) -> None:
        sides = body_a, body_b
        if not 0 <= radius < np.inf:
            raise ModelError(f"Contact '{name}' needs a radius that is not negative, not {radius:g} m.")
        size = _dimension(name, *sides)
        base = _marker(name, body_a)
        if base is None:
            turn, place = placement(model, _body(body_a), size)
            base = on_body(model, _body(body_a), place, turn)
        markers = base, _center(model, name, sides, at)
        self._surface = surface
        start = axes_along(f"contact '{name}'", size, self._initial_normal(model, name, markers, float(radius)))
        self.own = MappingProxyType({"radius": (1.0, "m"), "start": (np.eye(size), "")})
        super().__init__(model, name, markers, friction, restitution, {"radius": float(radius), "start": start})

    def _kind(self) -> str:
        return f"{super()._kind()}_{self.name}"

    def _initial_normal(self, model: Model, name: str, markers: tuple[Marker, Marker], radius: float) -> Array:
        """Return the gradient of the distance at the initial centre; raise `ModelError` if it is not suitable."""
        (origin, axes), (center, _) = (marker.placed(model) for marker in markers)
        point = vector(*(Dummy(f"x_{k}", real=True) for k in range(len(origin))))
        place = dict(zip(point, axes.T @ (center - origin), strict=True))
        slopes = _slopes(self._surface(point), point)
        found = np.array([complex(slope.subs(place)).real for slope in slopes])
        length = float(np.linalg.norm(found))
        if not 0 < length < np.inf or (radius > 0 and abs(length - 1) > DISTANCE_SLOPE):
            raise ModelError(
                f"The function of the surface of contact '{name}' has a gradient of the length {length:.6g} at the "
                "initial centre of the sphere; a distance has the gradient one, and for a point (radius=0) the "
                "gradient must be defined."
            )
        return found

    def _contacts(self, element: ElementType, a: Frame, b: Frame, values: Mapping[str, Expression]) -> list[_Stated]:
        apart = vector(element.let(b.point - a.point))
        point = vector(element.let(vector(*(a.axis(k).dot(apart) for k in range(len(a.offset))))))
        distance = self._surface(point)
        slopes = _slopes(distance, point)
        length = a.named(sqrt(sum((s**2 for s in slopes), Integer(0))))
        local = vector(element.let(vector(*(s / length for s in slopes))))
        turned = [sum((a.axis(k)[j] * local[k] for k in range(len(slopes))), Integer(0)) for j in range(len(slopes))]
        normal = vector(element.let(vector(*turned)))
        touching = vector(element.let(b.point - normal * values["radius"]))
        tangents = [
            vector(element.let(sum((a.axis(k) * t[k] for k in range(1, len(t))), a.axis(0) * t[0])))
            for t in _tangents(element, local, values["start"])
        ]
        return [("", distance / length - values["radius"], touching, tangents)]


def _slopes(distance: Expr, point: SymbolicMatrix) -> list[Expr]:
    """Return the partial derivatives of a function of a point."""
    (scalar,) = components(distance)
    return [scalar.diff(x) for x in point]


def _tangents(element: ElementType, normal: SymbolicMatrix, start: Expression) -> list[SymbolicMatrix]:
    """Return directions across a normal: in space, the smallest rotation to it turns the initial ones."""
    if len(normal) == 2:
        return [vector(-normal[1], normal[0])]
    axes = SymbolicMatrix(start)
    middle = vector(element.let(axes[:, Z] + normal))
    scale = element.let(1 + normal.dot(axes[:, Z]))
    return [axes[:, k] - middle * (normal.dot(axes[:, k]) / scale) for k in (X, Y)]


class JointStops(JointLoad):
    """Stops at the limits of a coordinate of a joint, with impacts: two contacts NAME_lower and NAME_upper.

    `MovingJoint.limit` adds elastic stops instead. The limits are the parameters NAME_lower and NAME_upper of the
    model, in rad or m. Outputs: NAME_lower_gap, NAME_lower_normal, NAME_lower_state, and the same of NAME_upper; see
    `Model.contact`.

    Parameters
    ----------
    model
        The model.
    name
        Name of the stops.
    joint
        The joint, for example a revolute or a prismatic one.
    limits
        Lower and upper limit, in rad or m; None instead of one that does not exist.
    restitution
        Coefficient of restitution, a number or an expression of parameters; zero by default.
    coordinate
        Name of the coordinate; the first of the joint by default.

    Raises
    ------
    ModelError
        If the lower limit is not below the upper one, or if both are None.
    """

    def __init__(
        self,
        model: Model,
        name: str,
        joint: MovingJoint,
        limits: tuple[float | None, float | None],
        *,
        restitution: object = 0,
        coordinate: str | None = None,
    ) -> None:
        super().__init__(model, name, joint, coordinate)
        lower, upper = limits
        if (lower is None and upper is None) or (lower is not None and upper is not None and not lower < upper):
            raise ModelError(
                f"Stops '{name}' of joint '{joint.name}' need a lower limit below the upper one, not {limits}."
            )
        value = joint.coordinate(self.coordinate)
        unit = joint.coordinate_unit(self.coordinate)
        for side, limit, sign in (("lower", lower, 1), ("upper", upper, -1)):
            if limit is not None:
                bound = model.parameter(f"{name}_{side}", limit, unit=unit)
                model.contact(f"{name}_{side}", sign * (value - bound), restitution=restitution)
