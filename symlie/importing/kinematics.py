"""Poses and velocities of the links of a description."""

from __future__ import annotations

import numpy as np

from symlie.importing.description import BALL, FREE, GROUND, HINGE, SLIDE, Array, Configuration, Description, Pose


def turned(axis: Array, angle: float) -> Array:
    """Return the matrix of a rotation about a unit axis."""
    skew = np.cross(np.eye(3), axis)
    return np.array(np.eye(3) + np.sin(angle) * skew + 2 * np.sin(angle / 2) ** 2 * skew @ skew)


def poses(robot: Description, at: Configuration) -> list[Pose]:
    """Return the poses of all links in inertial axes."""
    found: list[Pose] = [Pose()] * len(robot.links)
    for joint in robot.joints:
        parent = Pose() if joint.parent == GROUND else found[joint.parent]
        value = at.coordinates.get(joint.name)
        if joint.kind == FREE:
            found[joint.child] = value if isinstance(value, Pose) else parent.then(joint.offset)
            continue
        across = Pose()
        if joint.kind == BALL and isinstance(value, np.ndarray):
            across = Pose(value, joint.anchor - value @ joint.anchor)
        elif joint.is_scalar and value is not None:
            step = float(np.asarray(value)) - joint.reference if not isinstance(value, Pose) else 0.0
            if joint.kind == HINGE and step:
                turn = turned(joint.axis, step)
                across = Pose(turn, joint.anchor - turn @ joint.anchor)
            elif joint.kind == SLIDE:
                across = Pose(np.eye(3), step * joint.axis)
        found[joint.child] = parent.then(joint.offset).then(across)
    return found


def velocities(robot: Description, at: Configuration, placed: list[Pose]) -> list[tuple[Array, Array]]:
    """Return velocities of the origins and angular velocities of all links, both in inertial axes."""
    found: list[tuple[Array, Array]] = [(np.zeros(3), np.zeros(3))] * len(robot.links)
    for joint in robot.joints:
        pose, rate = placed[joint.child], at.rates.get(joint.name)
        if joint.kind == FREE:
            given = np.zeros(6) if rate is None else np.asarray(rate, dtype=float)
            found[joint.child] = given[:3], pose.turn @ given[3:]
            continue
        if joint.parent == GROUND:
            speed, spin, origin = np.zeros(3), np.zeros(3), np.zeros(3)
        else:
            (speed, spin), origin = found[joint.parent], placed[joint.parent].place
        speed = speed + np.cross(spin, pose.place - origin)
        if rate is not None:
            along = pose.turn @ (np.asarray(rate, dtype=float) if joint.kind == BALL else float(rate) * joint.axis)
            if joint.kind == SLIDE:
                speed = speed + along
            else:
                spin = spin + along
                speed = speed - np.cross(along, pose.turn @ joint.anchor)
        found[joint.child] = speed, spin
    return found
