"""Model files of imported robots, printed from their descriptions.

An imported robot is the result of its printed file, so that a saved file and the model in memory do not differ.
"""

from __future__ import annotations

import json
import os
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from symlie.elements.joints.minimal import MOST_VELOCITIES
from symlie.importing.contact_printing import contact_lines, is_beyond_a_turn, stop_lines
from symlie.importing.description import (
    BALL,
    FREE,
    GROUND,
    HINGE,
    Configuration,
    Description,
    JointData,
    Loop,
)
from symlie.importing.kinematics import poses, turned, velocities
from symlie.importing.loops import off, residual
from symlie.importing.texts import folded, inertia, marker, matrix, motor_effort, number, printable, vector, words
from symlie.importing.tree_printing import tree_features
from symlie.options import ImportCoordinates

CREEP = 1e-3
"""Rate below which dry friction is regularised, in rad/s or m/s, as in `JointFriction`."""

APART = 1e-9
"""Largest residual of a closed loop, in m and rad."""


def model_file(robot: Description, at: Configuration, coordinates: ImportCoordinates, folder: Path) -> str:
    """Return the text of the model file of a robot at a configuration.

    Parameters
    ----------
    robot
        The robot.
    at
        Initial configuration and rates.
    coordinates
        Minimal coordinates, or bodies and joints.
    folder
        Folder of the file, relative to which meshes are named.
    """
    return "\n".join(_Printing(robot, at, coordinates, folder).lines())


def is_apart(robot: Description, at: Configuration) -> bool:
    """Return whether a configuration does not close the loops."""
    placed = poses(robot, at)
    if any(abs(off(robot, coupling, at)) > APART for coupling in robot.couplings):
        return True
    return any(np.abs(residual(robot, loop, placed)).max() > APART for loop in robot.loops)


class _Printing:
    def __init__(self, robot: Description, at: Configuration, coordinates: ImportCoordinates, folder: Path) -> None:
        self.robot, self.at, self.folder = robot, at, folder
        self.is_minimal = coordinates == "minimal"
        self.is_tree = self.is_minimal and robot.velocities > MOST_VELOCITIES
        self.placed = poses(robot, at)
        self.moving = velocities(robot, at, self.placed) if at.rates else None

    def lines(self) -> Iterator[str]:
        """Yield the lines of the file."""
        robot = self.robot
        yield f'"""Robot {robot.name}, imported from {printable(robot.source)}.'
        yield from self._notes()
        yield '"""'
        yield ""
        if any(s.file for s in robot.shapes):
            yield "from pathlib import Path"
            yield ""
        if robot.frames:
            yield "import numpy as np"
            yield ""
        yield "import symlie as sl"
        yield ""
        yield ""
        yield "def build() -> sl.Model:"
        yield '    """Return the robot."""'
        for line in self._body():
            yield from folded(f"    {line}") if line else ("",)
        yield ""

    def _notes(self) -> Iterator[str]:
        robot = self.robot
        if robot.skipped:
            yield ""
            yield "Not imported:"
            yield ""
            for feature, parts in robot.skipped.items():
                yield from _wrapped(f"- {feature}: {printable(', '.join(parts))}", "  ")
        if robot.removed:
            yield ""
            yield from _wrapped(f"Dependent equations were removed from the planar loops {', '.join(robot.removed)}.")
        if robot.is_redundant:
            yield ""
            yield 'The constraint equations are dependent: run it with redundant="minimal_norm".'
        if is_apart(robot, self.at):
            yield ""
            yield "The loops are open in the initial configuration: start with system.assembled() or --assemble."

    def _body(self) -> Iterator[str]:
        robot = self.robot
        yield f'model = sl.Model("{robot.name}")'
        for k in range(len(robot.links)):
            yield from self._link(k)
        yield ""
        for joint in robot.joints:
            yield from self._free(joint) if joint.kind == FREE else self._joint(joint)
        for loop in robot.loops:
            yield from self._loop(loop)
        yield from contact_lines(robot)
        yield from self._frames()
        yield from self._shapes()
        yield f"model.gravity({vector(robot.gravity)})"
        yield from self._frame_sensors()
        yield from self._rates()
        if not self.is_minimal or all(j.kind == FREE for j in robot.joints):
            yield from self._coordinates()
            yield "return model"
            return
        yield "robot = sl.minimal_coordinates(model)"
        yield "nodes = {node.name: node for node in robot.nodes}"
        yield from tree_features(robot) if self.is_tree else self._coordinates()
        yield "return robot"

    def _coordinates(self) -> Iterator[str]:
        """Yield outputs, forces, constraints and stops of joint coordinates."""
        if self.robot.has_stops and self.robot.limits:
            yield f'stop_restitution = {"robot" if self.is_minimal else "model"}.parameter("stop_restitution", 0.0)'
        for joint in self.robot.joints:
            if joint.is_scalar:
                yield from self._outputs_and_forces(joint)
        yield from self._couplings()
        yield from self._motors()
        yield from self._joint_sensors()

    def _access(self, joint: JointData) -> tuple[str, str, str, str]:
        """Return the model, the coordinate, its rate, and the beginning and end of a load, as text.

        In minimal coordinates, these are fields of the node of the joint, which need no unwrapped angle.
        """
        if self.is_minimal and not self.is_tree:
            load = f"robot.generalized_force({joint.name}, x_dot=[%s])"
            return "robot", f"{joint.name}.x[0]", f"{joint.name}.x_dot[0]", load
        value, rate, load = words(joint)
        return "model", f"{joint.name}.{value}", f"{joint.name}.{rate}", f"{joint.name}.{load}(%s)"

    def _link(self, k: int) -> Iterator[str]:
        link, pose = self.robot.links[k], self.placed[k]
        yield f"{link.name} = sl.RigidBody("
        yield "    model,"
        yield f'    "{link.name}",'
        yield f"    {number(link.mass)},"
        yield f"    {inertia(link.inertia)},"
        if np.any(pose.place):
            yield f"    position={vector(pose.place)},"
        if np.any(pose.turn != np.eye(3)):
            yield f"    orientation={matrix(pose.turn)},"
        if np.any(link.center):
            yield f"    reference={vector(-link.center)},"
        free = next((j for j in self.robot.joints if j.child == k and j.kind in (FREE, BALL)), None)
        # Joints without a given rate are at rest, unless loops determine their rates.
        if free and self.moving and (free.name in self.at.rates or not self.robot.has_loops):
            speed, spin = self.moving[k]
            if free.kind == FREE:
                yield f"    velocity={vector(speed)},"
            yield f"    angular_velocity={vector(pose.turn.T @ spin)},"
        yield ")"

    def _joint(self, joint: JointData) -> Iterator[str]:
        kind = {HINGE: "RevoluteJoint", BALL: "SphericalJoint"}.get(joint.kind, "PrismaticJoint")
        place = joint.offset.place + joint.offset.turn @ joint.anchor
        across = joint.across
        first, second = joint.offset.turn @ across, across
        if joint.kind == HINGE and joint.reference:
            second = turned(joint.axis, joint.reference) @ second
        elif joint.kind != BALL:
            place = place - joint.reference * (joint.offset.turn @ joint.axis) * (joint.kind != HINGE)
        yield f"{joint.name} = sl.{kind}("
        yield "    model,"
        yield f'    "{joint.name}_{joint.kind}",'
        yield f"    {marker(self.robot, joint.parent, place, joint.offset.turn @ joint.axis, first)},"
        yield f"    {marker(self.robot, joint.child, joint.anchor, joint.axis, second)},"
        yield ")"
        if joint.kind == BALL:
            yield from self._ball(joint)

    def _outputs_and_forces(self, joint: JointData) -> Iterator[str]:
        name, (owner, value, rate, load) = joint.name, self._access(joint)
        is_turning = joint.kind == HINGE
        unit = "rad" if is_turning else "m"
        yield ""
        if owner == "robot":
            yield f'{name} = nodes["{name}_{joint.kind}"]'
            start = self.at.coordinates.get(name)
            if is_beyond_a_turn(joint, start):
                yield f"robot.initial({name}, x=[{number(start)}])  # poses do not determine the number of turns"
        yield f'{owner}.output("{name}", {value}, unit="{unit}")'
        yield f'{owner}.output("{name}_rate", {rate}, unit="{unit}/s")'
        if joint.stiffness:
            yield from self._parameters(joint, stiffness=("N m" if is_turning else "N/m"), rest=unit)
            yield f"{owner}.potential_energy({name}_stiffness * ({value} - {name}_rest) ** 2 / 2)"
        if joint.damping:
            yield from self._parameters(joint, damping=("N m s" if is_turning else "N s/m"))
            yield load % f"-{name}_damping * {rate}"
        if joint.friction:
            yield from self._parameters(joint, friction=("N m" if is_turning else "N"))
            if self.robot.has_dry_friction:
                yield f'{owner}.friction("{name}", limit={name}_friction, slip={rate})'
            else:
                yield load % f"-{name}_friction * {rate} / sl.sqrt({rate} ** 2 + {CREEP!r} ** 2)"
        if joint.armature:
            yield from self._armature(joint, value, rate)
        if self.robot.has_stops and name in self.robot.limits:
            yield from stop_lines(self.robot, joint, owner, value, self.at.coordinates.get(name))

    def _parameters(self, joint: JointData, **units: str) -> Iterator[str]:
        """Yield the definitions of parameters of a joint, from their names and units."""
        owner = self._access(joint)[0]
        for what, unit in units.items():
            name = f"{joint.name}_{what}"
            yield f'{name} = {owner}.parameter("{name}", {number(getattr(joint, what))}, unit="{unit}")'

    def _armature(self, joint: JointData, value: str, rate: str) -> Iterator[str]:
        name, owner = joint.name, self._access(joint)[0]
        yield from self._parameters(joint, armature="kg m^2" if joint.kind == HINGE else "kg")
        if self.is_minimal:
            yield f"{owner}.kinetic_energy({name}_armature * {rate} ** 2 / 2)"
            return
        start = self.at.coordinates.get(name, joint.reference)
        assert isinstance(start, int | float)
        yield f'{name}_rotor = model.node("{name}_rotor", "R1")'
        yield f"model.kinetic_energy({name}_armature * {name}_rotor.x_dot[0] ** 2 / 2)"
        yield f'model.constraint("{name}_rotor_gear", [{name}_rotor.x[0] - {value}])'
        yield f"model.initial({name}_rotor, x=[{number(float(start))}])"

    def _ball(self, joint: JointData) -> Iterator[str]:
        has_armature = joint.armature and not self.is_tree  # rotors of trees are element types
        if not (joint.damping or has_armature):
            return
        name, child = joint.name, self.robot.links[joint.child].name
        yield f"{name}_spin = {self._spin(joint)}"
        if joint.damping:
            yield f'{name}_damping = model.parameter("{name}_damping", {number(joint.damping)}, unit="N m s")'
            yield f"model.torque(-{name}_damping * {name}_spin, on={child}.node)"
            if joint.parent != GROUND:
                yield f"model.torque({name}_damping * {name}_spin, on={self.robot.links[joint.parent].name}.node)"
        if has_armature:
            yield f'{name}_armature = model.parameter("{name}_armature", {number(joint.armature)}, unit="kg m^2")'
            yield f"model.kinetic_energy({name}_armature * {name}_spin.dot({name}_spin) / 2)"

    def _free(self, joint: JointData) -> Iterator[str]:
        name, body = joint.name, self.robot.links[joint.child].name
        if joint.damping:
            yield f'{name}_damping = model.parameter("{name}_damping", {number(joint.damping)})'
            loads = f"Omega=-{name}_damping * {body}.Omega, x_dot=-{name}_damping * {body}.node.x_dot"
            yield f"model.generalized_force({body}.node, {loads})"
        if joint.armature:
            yield f'{name}_armature = model.parameter("{name}_armature", {number(joint.armature)})'
            squares = f"{body}.node.x_dot.dot({body}.node.x_dot) + {body}.Omega.dot({body}.Omega)"
            yield f"model.kinetic_energy({name}_armature * ({squares}) / 2)"

    def _spin(self, joint: JointData) -> str:
        child = self.robot.links[joint.child].name
        own = f"{child}.R * {child}.Omega"
        if joint.parent == GROUND:
            return f"sl.vector({own})"
        parent = self.robot.links[joint.parent].name
        return f"sl.vector({own} - {parent}.R * {parent}.Omega)"

    def _loop(self, loop: Loop) -> Iterator[str]:
        sides = zip((loop.first, loop.second), loop.frames, strict=True)
        markers = [marker(self.robot, link, f.place, f.turn[:, 2], f.turn[:, 0]) for link, f in sides]
        yield f"sl.{loop.kind}("
        yield "    model,"
        yield f'    "{loop.name}",'
        for side in markers:
            yield f"    {side},"
        yield "    apart=True,"
        yield ")"

    def _frames(self) -> Iterator[str]:
        frames = self.robot.frames
        if not frames:
            return
        yield ""
        yield 'frame = sl.ElementType("frame", body="SO3xR3")'
        yield 'point = frame.parameter("point", [0, 0, 0], unit="m")'
        yield 'axes = frame.parameter("axes", np.eye(3))'
        yield 'frame.output("position", frame.body.x + frame.body.R * point, unit="m")'
        yield 'frame.output("rotation", frame.body.R * axes)'
        for f in frames:
            yield (
                f'model.add(frame, [({self.robot.links[f.link].name}.node,)], names=["{f.name}"], '
                f"point={vector(f.pose.place)}, axes={matrix(f.pose.turn)})"
            )

    def _shapes(self) -> Iterator[str]:
        for s in self.robot.shapes:
            body = "model.ground" if s.link == GROUND else self.robot.links[s.link].name
            sizes = ", ".join(map(number, s.sizes))
            made = f"sl.{s.kind}({sizes})"
            if s.file is not None:
                made = f"sl.mesh(Path(__file__).parent / {json.dumps(_relative(s.file, self.folder))}, {sizes})"
            arguments = [body, made]
            if np.any(s.pose.place):
                arguments.append(f"at={vector(s.pose.place)}")
            if np.any(s.pose.turn != np.eye(3)):
                arguments.append(f"rotation=sl.rotation(matrix={matrix(s.pose.turn)})")
            if s.color:
                arguments.append(f'color="{s.color}"')
            yield f"model.shape({', '.join(arguments)})"

    def _couplings(self) -> Iterator[str]:
        for c in self.robot.couplings:
            owner, value, *_ = self._access(self.robot.joint(c.joint))
            constant = c.start + c.coefficients[0]
            terms = [number(constant)] if constant else []
            if c.other is not None:
                other = self._access(self.robot.joint(c.other))[1]
                step = f"({other} - {number(c.other_start)})" if c.other_start else other
                terms += [f"{number(a)} * {step} ** {k}" for k, a in enumerate(c.coefficients) if k and a]
            right = " + ".join(terms).replace(" ** 1", "") or "0.0"
            yield f'{owner}.constraint("{c.name}", [{value} - ({right})])'

    def _motors(self) -> Iterator[str]:
        robot = self.robot
        for motor in robot.motors:
            owner, value, rate, load = self._access(robot.joint(motor.joint))
            yield f'{motor.name} = {owner}.input("{motor.name}")'
            yield load % motor_effort(motor, motor.name, value, rate)
        for k, name in enumerate(robot.torques):
            owner, _, _, load = self._access(robot.joint(name))
            if not k:
                yield f'torques = {owner}.input("torques", {len(robot.torques)})'
            effort = f"torques[{k}]" if len(robot.torques) > 1 else "torques"
            yield load % effort

    def _joint_sensors(self) -> Iterator[str]:
        for s in self.robot.sensors:
            if s.kind in ("coordinate", "rate"):
                owner, value, rate, _ = self._access(self.robot.joint(s.subject))
                yield f'{owner}.output("{s.name}", {value if s.kind == "coordinate" else rate})'

    def _frame_sensors(self) -> Iterator[str]:
        for s in self.robot.sensors:
            if s.kind not in ("coordinate", "rate"):
                yield f'model.output("{s.name}", {self._frame_quantity(s.kind, s.subject)})'

    def _frame_quantity(self, kind: str, subject: str) -> str:
        frame = next(f for f in self.robot.frames if f.name == subject)
        body = self.robot.links[frame.link].name
        point, axes = vector(frame.pose.place), frame.pose.turn
        if kind == "position":
            return f"{body}.point({point})"
        if kind in ("x_axis", "y_axis", "z_axis"):
            return f"{body}.axis({vector(axes[:, 'xyz'.index(kind[0])])})"
        moving = f"{body}.velocity_of({point})" if "velocity" in kind else f"sl.vector({body}.R * {body}.Omega)"
        if not kind.startswith("own"):
            return moving
        return "[" + ", ".join(f"{body}.axis({vector(column)}).dot({moving})" for column in axes.T) + "]"

    def _rates(self) -> Iterator[str]:
        for joint in self.robot.joints:
            if not joint.is_scalar:
                continue
            value, rate, _ = words(joint)
            given = []
            if joint.name in self.at.coordinates and self.robot.has_loops:
                given.append(f"{value}={number(self.at.coordinates[joint.name])}")
            if joint.name in self.at.rates:
                given.append(f"{rate}={number(self.at.rates[joint.name])}")
            if given:
                yield f"model.initial({joint.name}, {', '.join(given)})"


def _relative(file: str, folder: Path) -> str:
    return Path(os.path.relpath(file, folder)).as_posix()


def _wrapped(text: str, indent: str = "") -> Sequence[str]:
    return textwrap.wrap(text, 118, subsequent_indent=indent, break_long_words=False)
