"""Dependent equations of loops: removed in planar loops, reported in others.

The loops of a planar mechanism of spatial links have equations that hold in every configuration: the position along the
normal and two orientations. A loop whose joints in the tree are hinges along one normal, or sliders across it, needs
only the equations in the plane. Other dependent equations are found by the rank of the Jacobian at several assembled
configurations.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from symlie.importing.description import (
    BALL,
    FREE,
    GROUND,
    HINGE,
    SLIDE,
    Array,
    Configuration,
    Coupling,
    Description,
    JointData,
    Loop,
    Pose,
)
from symlie.importing.kinematics import poses, turned, velocities

ALIGNED = 1e-9
"""Largest deviation of parallel directions and of coinciding planes, in rad and m."""

DEPENDENT = 1e-8
"""Largest singular value of dependent equations, relative to the largest one."""

SAMPLES = 4
"""Number of configurations at which the rank is computed."""

_HELD = {
    "SphericalJoint": ("xyz", ""),
    "RigidJoint": ("xyz", "xyz"),
    "RevoluteJoint": ("xyz", "xy"),
    "PrismaticJoint": ("xy", "xyz"),
    "CylindricalJoint": ("xy", "xy"),
    "PointOnLineJoint": ("xy", ""),
    "InLineJoint": ("xy", "z"),
}
"""Directions of the first frame in which a joint type prevents translations and rotations."""

_IN_PLANE = {"SphericalJoint": "PointOnLineJoint", "RevoluteJoint": "PointOnLineJoint", "RigidJoint": "InLineJoint"}
"""Joint types that keep the equations in the plane normal to z."""


def reduced(robot: Description) -> Description:
    """Return a robot without the equations of planar loops that always hold; note other dependent equations."""
    start = poses(robot, Configuration())
    loops = [_planar(robot, loop, start) for loop in robot.loops]
    removed = tuple(new.name for new, old in zip(loops, robot.loops, strict=True) if new is not old)
    found = replace(robot, loops=tuple(loops), removed=removed)
    return replace(found, is_redundant=bool(found.has_loops) and _is_redundant(found))


def residual(robot: Description, loop: Loop, at: list[Pose]) -> Array:
    """Return the residuals of the equations of a loop, in m and rad."""
    first, second = (_placed(at, link).then(f) for link, f in zip((loop.first, loop.second), loop.frames, strict=True))
    relative = first.inverse().then(second)
    skew = relative.turn - relative.turn.T
    sine = np.array([skew[2, 1], skew[0, 2], skew[1, 0]]) / 2
    size = float(np.linalg.norm(sine))
    angle = np.arctan2(size, (np.trace(relative.turn) - 1) / 2)
    vector = sine * (angle / size if size > 1e-12 else 1.0)
    shifts, turns = _HELD[loop.kind]
    return np.array([relative.place["xyz".index(c)] for c in shifts] + [vector["xyz".index(c)] for c in turns])


def off(robot: Description, coupling: Coupling, at: Configuration) -> float:
    """Return the residual of a coupling."""
    step = 0.0
    if coupling.other is not None:
        step = _coordinate(robot, coupling.other, at) - coupling.other_start
    value = sum(a * step**k for k, a in enumerate(coupling.coefficients))
    return _coordinate(robot, coupling.joint, at) - coupling.start - value


def _coordinate(robot: Description, name: str, at: Configuration) -> float:
    value = at.coordinates.get(name, robot.joint(name).reference)
    assert isinstance(value, int | float)
    return float(value)


def _placed(at: list[Pose], link: int) -> Pose:
    return Pose() if link == GROUND else at[link]


def _planar(robot: Description, loop: Loop, start: list[Pose]) -> Loop:
    """Return a loop with only the equations in its plane, or the same loop."""
    if loop.kind not in _IN_PLANE:
        return loop
    path = [*_path(robot, loop)]
    if any(j.kind in (BALL, FREE) for j in path):
        return loop
    directions = [(j.kind, start[j.child].turn @ j.axis) for j in path]
    normals = [d for kind, d in directions if kind == HINGE]
    if not normals:
        return loop
    normal = normals[0]
    first, second = (_placed(start, k).then(f) for k, f in zip((loop.first, loop.second), loop.frames, strict=True))
    holds = [float(np.linalg.norm(np.cross(normal, d))) for d in normals]
    holds += [float(abs(normal @ d)) for kind, d in directions if kind == SLIDE]
    holds.append(float(abs(normal @ (second.place - first.place))))
    if loop.kind == "RevoluteJoint":
        holds.append(float(np.linalg.norm(np.cross(normal, first.turn[:, 2]))))
    if max(holds) > ALIGNED:
        return loop
    x = np.eye(3)[int(np.argmin(np.abs(normal)))]
    x = x - (x @ normal) * normal
    x /= np.linalg.norm(x)
    axes = np.column_stack([x, np.cross(normal, x), normal])
    # Each frame keeps its point; only its axes turn, both by what turns the first frame into the plane.
    turn = first.turn.T @ axes
    frames = tuple(Pose(f.turn @ turn, f.place) for f in loop.frames)
    return replace(loop, kind=_IN_PLANE[loop.kind], frames=(frames[0], frames[1]))


def _path(robot: Description, loop: Loop) -> Iterator[JointData]:
    """Yield the joints of the tree between both links of a loop."""
    before = {j.child: j for j in robot.joints}

    def upward(link: int) -> list[int]:
        chain = [link]
        while chain[-1] != GROUND:
            chain.append(before[chain[-1]].parent)
        return chain

    first, second = upward(loop.first), upward(loop.second)
    shared = set(first) & set(second)
    for link in (*first, *second):
        if link not in shared:
            yield before[link]


def _is_redundant(robot: Description) -> bool:
    random = np.random.default_rng(1)
    sizes = [j for j in robot.joints if j.kind != FREE]
    deficient = 0
    for _ in range(SAMPLES):
        at = Configuration({j.name: j.reference + random.uniform(-0.3, 0.3) for j in sizes if j.is_scalar})
        at = assembled(robot, at)
        _, rows = _equations(robot, at)
        values = np.linalg.svd(rows, compute_uv=False)
        deficient += len(values) < len(rows) or bool(values[-1] < DEPENDENT * max(values[0], 1e-300))
    return deficient == SAMPLES


def assembled(robot: Description, at: Configuration) -> Configuration:
    """Return a configuration near another one that closes the loops, by Gauss–Newton steps."""
    joints = [j for j in robot.joints if j.kind != FREE]
    for _ in range(50):
        values, rows = _equations(robot, at)
        if not len(values) or np.abs(values).max() < 1e-13:
            break
        step: Array = np.asarray(-np.linalg.lstsq(rows, values, rcond=1e-10)[0], dtype=np.float64)
        step *= min(1.0, 0.5 / max(np.abs(step).max(), 1e-300))
        changed, start = dict(at.coordinates), 0
        for j in joints:
            part: Array = step[start : start + j.size]
            start += j.size
            if j.kind == BALL:
                size = float(np.linalg.norm(part))
                before = changed.get(j.name, np.eye(3))
                assert isinstance(before, np.ndarray)
                changed[j.name] = before @ turned(part / size, size) if size else before
            else:
                changed[j.name] = _coordinate(robot, j.name, at) + float(part[0])
        at = Configuration(changed)
    return at


def _equations(robot: Description, at: Configuration) -> tuple[Array, Array]:
    """Return residuals and their Jacobian by the rates of all joints but free ones."""
    placed = poses(robot, at)
    values = [residual(robot, loop, placed) for loop in robot.loops]
    values.append(np.array([off(robot, c, at) for c in robot.couplings]))
    columns = []
    for joint in robot.joints:
        for k in range(joint.size if joint.kind != FREE else 0):
            unit = np.eye(3)[k] if joint.kind == BALL else 1.0
            moving = velocities(robot, Configuration(rates={joint.name: unit}), placed)
            rates = [_rates(loop, placed, moving) for loop in robot.loops]
            rates.append(np.array([_slope(robot, c, joint.name, at) for c in robot.couplings]))
            columns.append(np.concatenate(rates))
    return np.concatenate(values), np.array(columns).T


def _rates(loop: Loop, placed: list[Pose], moving: list[tuple[Array, Array]]) -> Array:
    speeds, spins, axes = [], [], None
    for link, frame in zip((loop.first, loop.second), loop.frames, strict=True):
        pose = _placed(placed, link).then(frame)
        axes = pose.turn if axes is None else axes
        speed, spin = (np.zeros(3), np.zeros(3)) if link == GROUND else moving[link]
        speeds.append(speed + np.cross(spin, pose.place - _placed(placed, link).place))
        spins.append(spin)
    assert axes is not None
    shift, turn = axes.T @ (speeds[1] - speeds[0]), axes.T @ (spins[1] - spins[0])
    shifts, turns = _HELD[loop.kind]
    return np.array([shift["xyz".index(c)] for c in shifts] + [turn["xyz".index(c)] for c in turns])


def _slope(robot: Description, coupling: Coupling, joint: str, at: Configuration) -> float:
    if coupling.joint == joint:
        return 1.0
    if coupling.other != joint:
        return 0.0
    step = _coordinate(robot, joint, at) - coupling.other_start
    return -sum(k * a * step ** (k - 1) for k, a in enumerate(coupling.coefficients) if k)
