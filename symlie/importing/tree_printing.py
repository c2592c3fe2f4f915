"""Lines of model files for robots above the limit of dense trees: element types on the coordinates of joints.

Each element type occurs once, so that code and derivation do not depend on the number of joints and motors. The
reflected inertia of a motor is a rotor, a dependent node that turns with the joint, which
keeps the mass matrix block diagonal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from symlie.importing.description import BALL, GROUND, HINGE, SLIDE, Array, Description, JointData
from symlie.importing.texts import number, vector, words

_READ = {HINGE: ("angle", "rate", "rad"), SLIDE: ("displacement", "speed", "m")}


def tree_features(robot: Description) -> Iterator[str]:
    """Yield the lines that follow the conversion to minimal coordinates."""
    yield "nodes = {node.name: node for node in robot.nodes}"
    for kind in (HINGE, SLIDE):
        joints = [j for j in robot.joints if j.kind == kind]
        if not joints:
            continue
        yield from _readings(kind, joints)
        for on_ground in (True, False):
            some = [j for j in joints if (j.parent == GROUND) == on_ground]
            passive = [j for j in some if j.stiffness or j.damping or j.friction]
            if passive:
                yield from _passive(robot, kind, passive, on_ground)
            rotors = [j for j in some if j.armature]
            if rotors:
                yield from _rotors(robot, kind, rotors, on_ground)
    yield from _inputs(robot)
    for kind in (HINGE, SLIDE):
        for on_ground in (True, False):
            driven = [m for m in _drives(robot) if m.joint.kind == kind and (m.joint.parent == GROUND) == on_ground]
            if driven:
                yield from _motors(robot, kind, driven, on_ground)
    for on_ground in (True, False):
        balls = [j for j in robot.joints if j.kind == BALL and j.armature and (j.parent == GROUND) == on_ground]
        if balls:
            yield from _ball_rotors(robot, balls, on_ground)
    for sensor in robot.sensors:
        if sensor.kind in ("coordinate", "rate"):
            joint = robot.joint(sensor.subject)
            if joint.is_scalar:
                value, rate, _ = words(joint)
                field = value if sensor.kind == "coordinate" else rate
                yield f'robot.output("{sensor.name}", nodes["{joint.name}_{joint.kind}"].{field})'


def _readings(kind: str, joints: list[JointData]) -> Iterator[str]:
    value, rate, unit = _READ[kind]
    yield ""
    yield f"{kind}s = ["
    yield from (f'    "{j.name}",' for j in joints)
    yield "]"
    yield f'reading = sl.ElementType("{kind}", joint=nodes[f"{{{kind}s[0]}}_{kind}"].group)'
    yield f'reading.output("{kind}", reading.joint.{value}, unit="{unit}")'
    yield f'reading.output("rate", reading.joint.{rate}, unit="{unit}/s")'
    yield f'robot.add(reading, [(nodes[f"{{name}}_{kind}"],) for name in {kind}s], names={kind}s)'


def _element(kind: str, what: str, on_ground: bool, rotor: bool) -> Iterator[str]:
    """Yield the definition of an element type between both links of a joint and its coordinate."""
    value, rate, _ = _READ[kind]
    nodes = ['b="SO3xR3"', f'joint=nodes[f"{{{kind}s[0]}}_{kind}"].group']
    if not on_ground:
        nodes.insert(0, 'a="SO3xR3"')
    if rotor:
        nodes.append('rotor="R1"')
    yield ""
    yield f'{what} = sl.ElementType("{kind}_{what}{"_on_ground" * on_ground}", {", ".join(nodes)})'
    yield f'axis = {what}.parameter("axis", [0, 0, 1.0])'
    if kind == SLIDE:
        yield f'point_a = {what}.parameter("point_a", [0, 0, 0.0], unit="m")'
        yield f'axis_a = {what}.parameter("axis_a", [0, 0, 1.0])'
        yield f'point_b = {what}.parameter("point_b", [0, 0, 0.0], unit="m")'
        yield f"b, c, speed = {what}.b, {what}.joint.{value}[0], {what}.joint.{rate}[0]"
    else:
        yield f"b, c, speed = {what}.b, {what}.joint.{value}[0], {what}.joint.{rate}[0]"
    if not on_ground:
        yield f"a = {what}.a"


def _passive(robot: Description, kind: str, joints: list[JointData], on_ground: bool) -> Iterator[str]:
    yield from _element(kind, "passive", on_ground, rotor=False)
    yield 'k, rest = passive.parameter("stiffness", 0.0), passive.parameter("rest", 0.0)'
    yield 'd, friction = passive.parameter("damping", 0.0), passive.parameter("friction", 0.0)'
    yield "effort = -k * (c - rest) - d * speed - friction * speed / sl.sqrt(speed**2 + 1e-6)"
    yield from _effort(kind, "passive", on_ground)
    yield from _instances(robot, kind, "passive", joints, on_ground, ("stiffness", "rest", "damping", "friction"))


def _effort(kind: str, what: str, on_ground: bool) -> Iterator[str]:
    """Yield the lines that apply an effort in a joint."""
    if kind == HINGE:
        yield "torque = sl.vector(effort * (b.R * axis))"
        yield f"{what}.torque(torque, on=b)"
        if not on_ground:
            yield f"{what}.torque(-torque, on=a)"
        return
    base = "sl.vector(axis_a)", "sl.vector(point_a)"
    if not on_ground:
        base = "sl.vector(a.R * axis_a)", "sl.vector(a.x + a.R * point_a)"
    yield f"{what}.force([effort], at=[{base[0]}.dot(sl.vector(b.x + b.R * point_b) - {base[1]})])"


@dataclass(frozen=True)
class _Drive:
    """A motor on a joint, with the text of its input; without gains, the input is the effort."""

    name: str
    joint: JointData
    input: str
    values: Mapping[str, str]


def _drives(robot: Description) -> list[_Drive]:
    found = [
        _Drive(m.name, robot.joint(m.joint), f'inputs["{m.name}"]', {"gain": vector(m.gain), "bias": vector(m.bias)})
        for m in robot.motors
    ]
    is_one = len(robot.torques) == 1
    found += [
        _Drive(f"{name}_motor", robot.joint(name), "torques" if is_one else f"torques[{k}]", {})
        for k, name in enumerate(robot.torques)
    ]
    return found


def _inputs(robot: Description) -> Iterator[str]:
    if robot.motors:
        yield ""
        yield "actuators = ["
        yield from (f'    "{m.name}",' for m in robot.motors)
        yield "]"
        yield "inputs = {name: robot.input(name) for name in actuators}"
    if robot.torques:
        yield ""
        yield f'torques = robot.input("torques", {len(robot.torques)})'


def _motors(robot: Description, kind: str, drives: list[_Drive], on_ground: bool) -> Iterator[str]:
    yield from _element(kind, "motor", on_ground, rotor=False)
    yield 'effort = motor.input("u")'
    if drives[0].values:
        yield 'gain, bias = motor.parameter("gain", [1, 0, 0.0]), motor.parameter("bias", [0, 0, 0.0])'
        yield "effort = gain.dot(sl.vector(1, c, speed)) * effort + bias.dot(sl.vector(1, c, speed))"
    yield from _effort(kind, "motor", on_ground)
    for d in drives:
        yield _instance(robot, kind, "motor", d.joint, on_ground, d.name, {**d.values, "u": d.input})


def _rotors(robot: Description, kind: str, joints: list[JointData], on_ground: bool) -> Iterator[str]:
    yield from _element(kind, "rotor", on_ground, rotor=True)
    yield 'armature = rotor.parameter("armature", 0.0)'
    yield "rotor.kinetic_energy(armature * rotor.rotor.x_dot[0] ** 2 / 2)"
    value, rate, _ = _READ[kind]
    yield f"rotor.dependent(rotor.rotor, x=rotor.joint.{value}, x_dot=rotor.joint.{rate})"
    if kind == HINGE:
        # The axis is fixed in both links, so that the rate is the difference of two components.
        yield 'axis_a = rotor.parameter("axis_a", [0, 0, 1.0])'
        yield "follows = sl.vector(b.v_dot[:3, :]).dot(sl.vector(axis))"
        if not on_ground:
            yield "follows = follows - sl.vector(a.v_dot[:3, :]).dot(sl.vector(axis_a))"
    else:
        yield from _point_acceleration("b", "point_b")
        if on_ground:
            yield "follows = sl.vector(axis_a).dot(acceleration_b)"
        else:
            yield from _point_acceleration("a", "point_a")
            yield "across = sl.vector(b.x + b.R * point_b - a.x - a.R * point_a)"
            yield "turning, spin = sl.vector(a.R * sl.vector(a.v_dot[:3, :])), sl.vector(a.R * a.Omega)"
            yield "carried = turning.cross(across) + spin.cross(spin.cross(across))"
            yield "follows = sl.vector(a.R * axis_a).dot(acceleration_b - acceleration_a - carried)"
    yield 'rotor.acceleration_constraint("rotor", [rotor.rotor.v_dot[0] - follows])'
    yield from _rotor_nodes(joints, "R1")
    yield from _instances(robot, kind, "rotor", joints, on_ground, ("armature",))


def _ball_rotors(robot: Description, joints: list[JointData], on_ground: bool) -> Iterator[str]:
    """Yield rotors that turn with ball joints."""
    parent = "" if on_ground else 'a="SO3xR3", '
    nodes = f'{parent}b="SO3xR3", joint=nodes["{joints[0].name}_ball"].group, rotor="SO3"'
    yield ""
    yield f'rotor = sl.ElementType("ball_rotor{"_on_ground" * on_ground}", {nodes})'
    yield 'armature = rotor.parameter("armature", 0.0)'
    yield "rotor.kinetic_energy(armature * rotor.rotor.Omega.dot(rotor.rotor.Omega) / 2)"
    yield "rotor.dependent(rotor.rotor, R=rotor.joint.R, Omega=rotor.joint.Omega)"
    yield "follows = rotor.b.v_dot[:3, :]"
    if not on_ground:
        yield "relative = rotor.b.R.T * rotor.a.R"
        yield "carried = sl.vector(rotor.joint.Omega).cross(sl.vector(relative * rotor.a.Omega))"
        yield "follows = follows - relative * rotor.a.v_dot[:3, :] + carried"
    yield 'rotor.acceleration_constraint("rotor", rotor.rotor.v_dot - follows)'
    yield from _rotor_nodes(joints, "SO3")
    yield from _instances(robot, BALL, "rotor", joints, on_ground, ("armature",))


def _rotor_nodes(joints: list[JointData], group: str) -> Iterator[str]:
    for joint in joints:
        yield f'nodes["{joint.name}_rotor"] = robot.node("{joint.name}_rotor", "{group}")'


def _point_acceleration(body: str, point: str) -> Iterator[str]:
    yield f"turning, spin, arm = sl.vector({body}.v_dot[:3, :]), sl.vector({body}.Omega), sl.vector({point})"
    yield (
        f"acceleration_{body} = sl.vector({body}.v_dot[3:, :]) + "
        f"sl.vector({body}.R * (turning.cross(arm) + spin.cross(spin.cross(arm))))"
    )


def _instances(
    robot: Description, kind: str, what: str, joints: list[JointData], on_ground: bool, values: tuple[str, ...]
) -> Iterator[str]:
    for j in joints:
        given = {name: number(getattr(j, name)) for name in values}
        yield _instance(robot, kind, what, j, on_ground, f"{j.name}_{what}", given)


def _instance(
    robot: Description, kind: str, what: str, j: JointData, on_ground: bool, name: str, values: Mapping[str, str]
) -> str:
    links = [robot.links[j.child].name] if on_ground else [robot.links[k].name for k in (j.parent, j.child)]
    nodes = [f'nodes["{label}"]' for label in (*links, f"{j.name}_{kind}")]
    nodes += [f'nodes["{j.name}_rotor"]'] * (what == "rotor")
    given = {} if kind == BALL else {"axis": vector(j.axis)}
    if kind == SLIDE or (kind == HINGE and what == "rotor"):
        given["axis_a"] = vector(j.offset.turn @ j.axis)
    if kind == SLIDE:
        given |= {"point_a": vector(_start(j)), "point_b": vector(j.anchor)}
    texts = ", ".join(f"{label}={text}" for label, text in (given | dict(values)).items())
    return f'robot.add({what}, [({", ".join(nodes)},)], names=["{name}"], {texts})'


def _start(joint: JointData) -> Array:
    """Return the point of a slider in axes of the parent."""
    place = joint.offset.place + joint.offset.turn @ joint.anchor
    return np.asarray(place - joint.reference * (joint.offset.turn @ joint.axis))
