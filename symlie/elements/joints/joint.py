"""Joints in a model: constraint equations between two frames, checked in the initial configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from sympy import Expr, sympify

from symlie.contract.connections import Part
from symlie.contract.manifest import JointRate
from symlie.elements.connection import Connection, Points
from symlie.elements.joints.coordinates import Coordinate
from symlie.elements.joints.frames import Frame, frame_of_numbers, relative_rate
from symlie.elements.joints.free_motions import ANGULAR_VELOCITY, VELOCITY, free_motions, state_free_motions
from symlie.elements.joints.friction import FRICTION, state_joint_friction
from symlie.elements.joints.rows import BALL_RATE, JointDefinition, reaction
from symlie.elements.marker import Body, Connectable, body_name, group_of, node_of, same_body
from symlie.elements.placement import Array, numbers_of, rotation_of
from symlie.errors import ModelError
from symlie.modeling.element_type import ElementType
from symlie.modeling.ground import Ground, PlacedByCoordinates
from symlie.modeling.model import Model
from symlie.modeling.node_array import NodeReference
from symlie.modeling.symbolic import Expression

if TYPE_CHECKING:
    from symlie.elements.joints.drives import Load
    from symlie.runtime.solution.solution import Solution

ROUNDING = 1e-9
"""Largest residual of constraint equations in the initial configuration, for computed positions, in m and rad."""


class Joint(Connection, PlacedByCoordinates):
    """A joint between two bodies of a model; the subclasses are the joint types.

    Custom kinds have the class attributes ``kind``, the beginning of the names of their element types; ``space`` and
    ``plane``, their definitions from `symlie.joints`; ``has_axis``; and ``parameters``. Classes with parameters
    set their values, ``self.parameter_values``, before ``super().__init__``. See `MovingJoint` for free coordinates.

    One of the bodies may be the ground. Between two bodies, ``at`` and ``axis`` define the joint in inertial axes of
    the initial configuration. A `Marker` instead of a body defines the joint in axes of that body; unless the other
    side is also a marker, it follows from the initial configuration.

    Results contain the joint's coordinates and their rates, its multipliers, NAME, and ``NAME_force`` and
    ``NAME_moment``: the reaction on the second body, in inertial axes; the moment is about the point of its marker.

    Parameters
    ----------
    model
        The model.
    name
        Name of the joint.
    body_a, body_b
        The bodies, or markers on them.
    at
        Point of the joint in inertial axes, in m.
    axis
        Axis of the joint in inertial axes, of any length; only for kinds that have an axis.
    apart
        If true, the markers may be apart in the initial configuration, which must then be assembled.

    Attributes
    ----------
    name
        Name of the joint.
    model
        The model.
    markers
        The markers on both bodies.
    placed_by
        Specified initial coordinates.
    loads
        Loads on its coordinates.

    Raises
    ------
    ModelError
        If the joint connects a body with itself or an object that is not a body, if the markers are apart or mirrored
        in the initial configuration, if arguments contradict each other, or if parameters have no values.
    """

    word = "joint"
    space: ClassVar[JointDefinition | None] = None
    plane: ClassVar[JointDefinition | None] = None
    axes_are: ClassVar[str] = "parallel"
    rests: ClassVar[bool] = True
    """True if unspecified relative velocities without a coordinate are zero where possible; false for links and
    contacts."""

    def __init__(
        self,
        model: Model,
        name: str,
        body_a: Connectable,
        body_b: Connectable,
        *,
        at: Points | None = None,
        axis: Points | None = None,
        apart: bool = False,
    ) -> None:
        super().__init__(model, name, body_a, body_b, at, axis)
        self._held: dict[str, str] = {}
        self._friction: dict[str, object] = {}
        self.placed_by: dict[Coordinate, float] = {}
        self.loads: list[Load] = []
        self._check_kind()
        self._check(apart)
        self._add()
        model.joints.append(self)
        rows = self._rows
        names = [""] if rows.is_ball else [c.name for c in rows.coordinates]
        model.joint_rates += [JointRate(self.name, r, c) for r, c in zip(rows.rates, names, strict=True)]
        outputs = {o.name for o in self._instances.element.outputs}
        model.joint_rates += [JointRate(self.name, r) for r in (ANGULAR_VELOCITY, VELOCITY) if r in outputs]

    def place(self, **values: object) -> None:
        """Set the initial poses of all bodies outboard of the joint by coordinates and rates, like `Model.initial`.

        Parameters
        ----------
        **values
            Coordinates and rates by name, in rad, m, rad/s and m/s.
        """
        raise ModelError(
            f"{self._subject} has no coordinates that determine poses of bodies; give initial values of bodies."
        )

    def force(self, solution: Solution, body: Body | None = None, axes: Body | None = None) -> Array:
        """Return the force of the joint on one of its bodies along a solution, in N, (times, 3), or (times, 2) in the
        plane.

        Parameters
        ----------
        solution
            A solution of the model.
        body
            The body that the force acts on; the second by default.
        axes
            A body that defines the axes of the components; inertial axes by default.
        """
        return self._in_axes(solution, self._output(solution, "force") * self._sign(body), axes)

    def moment(self, solution: Solution, body: Body | None = None, axes: Body | None = None) -> Array:
        """Return the moment of the joint on one of its bodies about the second marker's point, in N m; see `force`.

        Parameters
        ----------
        solution
            A solution of the model.
        body
            The body that the moment acts on; the second by default.
        axes
            A body that defines the axes of the components; inertial axes by default.

        Returns
        -------
        Array
            Shape (times, 3), or (times,) in the plane.
        """
        values = self._output(solution, "moment") * self._sign(body)
        return values if values.ndim == 1 else self._in_axes(solution, values, axes)

    def _output(self, solution: Solution, what: str) -> Array:
        if not hasattr(solution, "outputs"):
            raise ModelError(
                f"The {what} of {self._subject.lower()} is evaluated along a solution, not from a "
                f"{type(solution).__name__}; to apply a load, use load, torque or thrust of the joint."
            )
        return solution.outputs[f"{self.name}_{what}"]

    def _sign(self, body: Body | None) -> int:
        """Return 1 for the second body, -1 for the first."""
        if body is None:
            return 1
        for marker, sign in zip(self.markers[::-1], (1, -1), strict=True):
            if same_body(marker.body, body):
                return sign
        raise ModelError(f"{self._subject} does not join {body_name(body)}.")

    def _in_axes(self, solution: Solution, values: Array, axes: Body | None) -> Array:
        if axes is None or isinstance(axes, Ground):
            return values
        node = node_of(axes)
        assert node is not None
        name, index = (node.array.name, node.index) if isinstance(node, NodeReference) else (node.name, None)
        if values.shape[1] == 3:
            turns = solution.rotation(name, index).as_matrix()
        else:
            group = group_of(axes)
            assert group is not None
            stored = solution.configuration(name) if index is None else solution.configuration(name)[:, index]
            turns = np.array([rotation_of(group, row) for row in stored])
        return np.asarray(np.einsum("tji,tj->ti", turns, values))

    def _kind(self) -> str:
        return f"{self.kind}_{FRICTION}" if self._friction else self.kind

    def _values(self) -> dict[str, object]:
        return {**super()._values(), **self._friction}

    @property
    def _is_complete(self) -> bool:
        """True if the rates of the joint determine the velocity of the second body relative to the first."""
        element = self._instances.element
        held, rows = sum(len(c.rows) for c in element.constraints), self._rows
        return held + len(rows.coordinates) + 3 * rows.is_ball >= (6 if self._size == 3 else 3)

    @property
    def _appearance(self) -> tuple[Part, ...]:
        return self._rows.appearance

    @property
    def _rows(self) -> JointDefinition:
        rows = self.space if self._size == 3 else self.plane
        if rows is None:
            where = "space" if self._size == 3 else "the plane"
            raise ModelError(f"{self._subject} is a {type(self).__name__}, which does not exist in {where}.")
        return rows

    def _check_kind(self) -> None:
        """Raise `ModelError` if the class has no kind, or shares it with a different definition."""
        kind, rows = self._kind(), self._rows
        if not kind:
            raise ModelError(
                f"{type(self).__name__} needs the class attribute kind, the beginning of the names of its element "
                "types."
            )
        missing = [name for name in self.parameters if name not in self._values()]
        if missing:
            raise ModelError(
                f"{self._subject} has no value of {', '.join(missing)}: set self.parameter_values = "
                f'{{"{missing[0]}": …}} before super().__init__ in {type(self).__name__}.'
            )
        joints = (j for j in self.model.joints if isinstance(j, Joint))
        other = next((j for j in joints if (j._kind(), j._size) == (kind, self._size)), None)
        if other is not None and not (other._rows is rows and other.parameters is self.parameters):
            raise ModelError(
                f"{type(self).__name__} and {type(other).__name__} have the kind '{kind}' but different definitions; "
                "rename one kind."
            )

    def _state(self, element: ElementType, a: Frame, b: Frame, values: Mapping[str, Expression]) -> None:
        rows = self._rows
        constraints = []
        for label, level, stated in (
            (element.name, element.constraint, rows.vanishing(a, b, values)),
            ("rolling", element.nonholonomic_constraint, rows.sliding(a, b, values)),
        ):
            if stated:
                level(label, stated)
                constraints.append(label)
        for coordinate in rows.coordinates:
            element.output(coordinate.name, coordinate.value(element, a, b), unit=coordinate.unit)
            element.output(coordinate.rate, coordinate.rate_of(element, a, b), unit=coordinate.rate_unit)
        if rows.is_ball:
            element.output(BALL_RATE, relative_rate(a, b), unit="rad/s")
        elif self.rests:
            state_free_motions(element, a, b, free_motions(rows, *self._initial_markers()))
        force, moment = reaction(element, a, b, constraints)
        element.output("force", force, unit="N")
        element.output("moment", moment, unit="N m")
        if self._friction:
            state_joint_friction(element, a, b, rows)

    def placed_values(
        self, values: Mapping[tuple[str, str], Array], coordinates: Mapping[str, object]
    ) -> dict[tuple[str, str], Array]:
        """Return initial values by node and field, changed by coordinates of the joint; do not change the model.

        Parameters
        ----------
        values
            Initial values that replace those in the model, one row for each node.
        coordinates
            As in `place`.
        """
        from symlie.elements.joints.placing import guess_outboard_velocities, starting_from

        placed = self.placed_by
        with starting_from(self.model, values):
            before = {(n, v.field.name): v for n, given in self.model.initial_values.items() for v in given}
            try:
                self.place(**coordinates)
                guess_outboard_velocities(self.model)
            finally:
                self.placed_by = placed
            after = {(n, v.field.name): v for n, given in self.model.initial_values.items() for v in given}
        moved = {key: value for key, value in after.items() if before.get(key) != value}
        numbers = {k: np.array([numbers_of(self.model, v)]) for k, v in moved.items()}
        return {**values, **numbers}

    def check_branch(self) -> None:
        """Check that the initial configuration is on the intended branch of the constraints.

        Raises
        ------
        ModelError
            If it is mirrored.
        """
        self._check(apart=True)

    def check_placement(self) -> None:
        """Check the initial configuration of the completed model.

        Raises
        ------
        ModelError
            If it is mirrored.
        """
        self.check_branch()

    def _initial_markers(self) -> tuple[list[tuple[Array, Array]], dict[str, Expr]]:
        """Return points and axes of the markers, and the parameters, as numbers."""
        placed = [m.placed(self.model) for m in self.markers]
        return placed, {
            k: sympify(_number_or_default(v, self.parameters[k][0]))
            for k, v in self._values().items()
            if k in self.parameters
        }

    def _check(self, apart: bool) -> None:
        """Raise `ModelError` if the initial configuration violates the constraint equations (unless ``apart``) or is
        mirrored."""
        placed, values = self._initial_markers()
        frames = frame_of_numbers(*placed[0]), frame_of_numbers(*placed[1])
        rows = self._rows
        distance = float(np.linalg.norm(placed[1][0] - placed[0][0]))
        residual = max((abs(float(r)) for r in rows.vanishing(frames[0], frames[1], values)), default=0.0)
        is_held = residual <= ROUNDING * (1 + distance)
        if not is_held and not apart:
            raise ModelError(
                f"{self._what_is_apart(placed[0], placed[1], distance)} in the initial configuration: the residual of "
                f"the constraint equations is {residual:.3g}. Give poses of the bodies that satisfy them, or set "
                "apart=True and start with system.assembled() (--assemble)."
            )
        if is_held and any(float(r) <= 0 for row in rows.positive for r in row(frames[0], frames[1], values)):
            raise ModelError(
                f"The initial configuration is on the mirrored branch of {self._called}: its constraint equations "
                "hold there too, but axes that should agree are opposite. Rotate a marker or a body by half a turn."
            )

    def _what_is_apart(self, first: tuple[Array, Array], second: tuple[Array, Array], distance: float) -> str:
        """Return the beginning of a message about separate points or misaligned axes."""
        a, b = first[1], second[1]
        if self._size == 2:
            return f"The markers of {self._called}, {distance:.6g} m apart, do not fit together"
        cosine = a[:, 2] @ b[:, 2] if self.has_axis else (np.trace(a.T @ b) - 1) / 2
        turned = f"{np.degrees(np.arccos(np.clip(cosine, -1, 1))):.4g} degrees"
        if distance > ROUNDING:
            axes = f" and axes by {turned}" if self.has_axis and cosine < 1 - ROUNDING else ""
            return f"The markers of {self._called} do not coincide, points differ by {distance:.6g} m{axes},"
        return f"The axes of {self._called} are not {self.axes_are}, but {turned} apart"


def _number_or_default(value: object, default: object) -> object:
    return default if getattr(value, "free_symbols", None) else value
