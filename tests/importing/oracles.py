"""Accelerations of imported robots, and of the same files in MuJoCo and Pinocchio."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import symlie as sl
from symlie.importing.description import BALL, FREE, GROUND, HINGE, JointData
from symlie.importing.naming import identifier

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Motion:
    """Coordinates, rates or accelerations by joint.

    Those of a hinge or a slider are a number; coordinates of a ball joint are a rotation matrix and its rates an
    angular velocity in axes of the link; those of a free joint are (position, rotation matrix) and (velocity in
    inertial axes, angular velocity in axes of the link).
    """

    values: Mapping[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def flat(self, names: list[str]) -> Array:
        """All numbers in the order of some joints."""
        parts = [p for n in names for p in (self[n] if isinstance(self[n], tuple) else (self[n],))]
        return np.concatenate([np.ravel(p) for p in parts])


def imported_acceleration(
    robot: sl.Robot, system: sl.System, q: Motion, v: Motion, inputs: Mapping[str, Any] | None = None
) -> Motion:
    """Accelerations of the joints of an imported robot."""
    state = system.state(complete=False, **_by_node(robot, q, v))
    found, _ = system.acceleration(state, inputs=dict(inputs or {}))
    moving = _Accelerations(system, np.asarray(found))
    is_tree = robot._description.velocities > 24
    reading = _of_links if is_tree or robot.coordinates == "bodies" else _of_nodes
    return Motion({j.name: reading(robot, j, state, moving) for j in robot._description.joints})


@dataclass(frozen=True, eq=False)
class _Accelerations:
    """Accelerations by node and field of the velocity; dependent nodes are included."""

    system: sl.System
    values: Array

    def field(self, node: str, name: str) -> Array:
        part = self.system.layout.node(node)
        field = next(f for f in part.type.velocity_fields if f.name == name)
        return self.values[part.velocity][field.part]


def _by_node(robot: sl.Robot, q: Motion, v: Motion) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    is_tree = robot._description.velocities > 24
    for j in robot._description.joints:
        child = robot._description.links[j.child].name
        if j.kind == FREE:
            (x, R), (x_dot, Omega) = q[j.name], v[j.name]
            found[child] = {"x": x, "R": R, "x_dot": x_dot, "Omega": Omega}
        elif j.kind == BALL:
            found[f"{j.name}_ball"] = {"R": q[j.name], "Omega": v[j.name]}
        elif is_tree:
            names = ("angle", "rate") if j.kind == HINGE else ("displacement", "speed")
            found[f"{j.name}_{j.kind}"] = {names[0]: q[j.name], names[1]: v[j.name]}
        else:
            found[f"{j.name}_{j.kind}"] = {"x": [q[j.name]], "x_dot": [v[j.name]]}
    return found


def _of_nodes(robot: sl.Robot, j: JointData, state: sl.State, moving: _Accelerations) -> Any:
    if j.kind == FREE:
        child = robot._description.links[j.child].name
        return moving.field(child, "x_dot"), moving.field(child, "Omega")
    if j.kind == BALL:
        return moving.field(f"{j.name}_ball", "Omega")
    return float(np.ravel(moving.field(f"{j.name}_{j.kind}", "x_dot"))[0])


def _of_links(robot: sl.Robot, j: JointData, state: sl.State, moving: _Accelerations) -> Any:
    """The acceleration of a joint from those of both links."""
    links = robot._description.links
    b = links[j.child].name
    alpha_b = moving.field(b, "Omega")
    if j.kind == FREE:
        return moving.field(b, "x_dot"), alpha_b
    a = None if j.parent == GROUND else links[j.parent].name
    R_b = state.field(b, "R").reshape(3, 3)
    R_a = np.eye(3) if a is None else state.field(a, "R").reshape(3, 3)
    alpha_a = np.zeros(3) if a is None else moving.field(a, "Omega")
    spin_a = np.zeros(3) if a is None else state.field(a, "Omega")
    axis_a = j.offset.turn @ j.axis
    if j.kind == HINGE:
        return float(alpha_b @ j.axis - alpha_a @ axis_a)
    if j.kind == BALL:
        relative = R_b.T @ R_a
        spin = state.field(b, "Omega") - relative @ spin_a
        return alpha_b - relative @ alpha_a - np.cross(relative @ spin_a, spin)
    spin_b = state.field(b, "Omega")

    def of_point(name: str | None, R: Array, alpha: Array, spin: Array, r: Array) -> tuple[Array, Array]:
        x = np.zeros(3) if name is None else state.field(name, "x")
        x_ddot = np.zeros(3) if name is None else moving.field(name, "x_dot")
        return x + R @ r, x_ddot + R @ (np.cross(alpha, r) + np.cross(spin, np.cross(spin, r)))

    place = j.offset.place + j.offset.turn @ j.anchor
    (p_a, a_a), (p_b, a_b) = of_point(a, R_a, alpha_a, spin_a, place), of_point(b, R_b, alpha_b, spin_b, j.anchor)
    alpha, spin, across = R_a @ alpha_a, R_a @ spin_a, p_b - p_a
    return float((R_a @ axis_a) @ (a_b - a_a - np.cross(alpha, across) - np.cross(spin, np.cross(spin, across))))


def random_motion(robot: sl.Robot, seed: int) -> tuple[Motion, Motion]:
    """Random coordinates and rates of all joints."""
    random = np.random.default_rng(seed)
    q: dict[str, Any] = {}
    v: dict[str, Any] = {}
    for j in robot._description.joints:
        if j.is_scalar:
            q[j.name], v[j.name] = random.uniform(-1, 1), random.uniform(-1, 1)
            continue
        turn = np.linalg.qr(random.normal(size=(3, 3)))[0]
        turn = turn * np.sign(np.linalg.det(turn))
        spin = random.uniform(-1, 1, 3)
        q[j.name] = (random.uniform(-1, 1, 3), turn) if j.kind == FREE else turn
        v[j.name] = (random.uniform(-1, 1, 3), spin) if j.kind == FREE else spin
    return Motion(q), Motion(v)


def quaternion(R: Array) -> Array:
    """Quaternion of a rotation matrix, real part first."""
    from scipy.spatial.transform import Rotation

    x, y, z, w = Rotation.from_matrix(R).as_quat()
    return np.array([w, x, y, z])


def mujoco_joints(model: Any, robot: sl.Robot) -> dict[str, int]:
    """Numbers of the joints of the robot in a compiled file, in the order of the tree."""
    return {j.name: k for j, k in zip(robot._description.joints, _in_tree(model), strict=True)}


def _in_tree(model: Any) -> list[int]:
    starts = [(int(model.body_jntadr[b]), int(model.body_jntnum[b])) for b in range(1, model.nbody)]
    return [k for start, count in starts for k in range(start, start + count)]


def mujoco_acceleration(
    path: str | Path | Any, robot: sl.Robot, q: Motion, v: Motion, control: Mapping[str, float] | None = None
) -> Motion:
    """Accelerations of MuJoCo without contacts, limits, dry friction and what the import skipped."""
    import mujoco

    model = mujoco.MjModel.from_xml_path(str(path)) if isinstance(path, str | Path) else path
    for flag in ("CONTACT", "LIMIT", "FRICTIONLOSS", "CLAMPCTRL"):
        model.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}"))
    model.actuator_forcelimited[:] = 0
    model.jnt_actfrclimited[:] = 0
    skipped = robot.skipped
    if "tendons" in skipped:
        model.tendon_stiffness[:] = 0
        model.tendon_damping[:] = 0
        model.tendon_armature[:] = 0
    if "fluid" in skipped:
        model.opt.density = model.opt.viscosity = 0
    if "gravcomp" in skipped:
        model.body_gravcomp[:] = 0
    if "springs" in skipped:
        model.jnt_stiffness[:] = 0
    for k in range(getattr(model, "nactuator", model.nu)):
        if (model.actuator(k).name or f"actuator{k}") in skipped.get("actuators", ()):
            model.actuator_gainprm[k] = 0
            model.actuator_biasprm[k] = 0
            model.actuator_gaintype[k] = model.actuator_biastype[k] = 0
    data = mujoco.MjData(model)
    joints = mujoco_joints(model, robot)
    for name, k in joints.items():
        at, dof = model.jnt_qposadr[k], model.jnt_dofadr[k]
        kind = int(model.jnt_type[k])
        if kind == 0:
            data.qpos[at : at + 3], data.qpos[at + 3 : at + 7] = q[name][0], quaternion(q[name][1])
            data.qvel[dof : dof + 3], data.qvel[dof + 3 : dof + 6] = v[name]
        elif kind == 1:
            data.qpos[at : at + 4], data.qvel[dof : dof + 3] = quaternion(q[name]), v[name]
        else:
            data.qpos[at], data.qvel[dof] = q[name], v[name]
    imported = [m.name for m in robot._description.motors]
    kept = [
        k
        for k in range(getattr(model, "nactuator", model.nu))
        if (model.actuator(k).name or f"actuator{k}") not in skipped.get("actuators", ())
    ]
    for name, k in zip(imported, kept, strict=True):
        data.ctrl[k] = (control or {}).get(name, 0.0)
    mujoco.mj_forward(model, data)
    found: dict[str, Any] = {}
    for name, k in joints.items():
        dof, kind = model.jnt_dofadr[k], int(model.jnt_type[k])
        a = np.array(data.qacc_smooth[dof : dof + 6])
        found[name] = (a[:3], a[3:6]) if kind == 0 else a[:3] if kind == 1 else float(a[0])
    return Motion(found)


def pinocchio_acceleration(path: Path, robot: sl.Robot, q: Motion, v: Motion, torques: Mapping[str, float]) -> Motion:
    """Accelerations of Pinocchio by the articulated-body algorithm, with the damping and the torques of the robot."""
    import pinocchio as pin

    data_of = {j.name: j for j in robot._description.joints}
    floats = any(j.kind == FREE for j in data_of.values())
    root = (pin.JointModelFreeFlyer(),) if floats else ()
    model = pin.buildModelFromUrdf(str(path), *root)
    model.gravity.linear = robot._description.gravity
    data = model.createData()
    at, moving, force = pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
    names = {identifier(model.names[k]): k for k in range(1, model.njoints)}
    numbers = {n: 1 if j.kind == FREE else names[n] for n, j in data_of.items()}
    for name, k in numbers.items():
        iq, iv, joint = model.joints[k].idx_q, model.joints[k].idx_v, data_of[name]
        if joint.kind == FREE:
            (x, R), (x_dot, Omega) = q[name], v[name]
            w, *rest = quaternion(R)
            at[iq : iq + 7] = [*x, *rest, w]
            moving[iv : iv + 6] = [*(R.T @ x_dot), *Omega]
            continue
        at[iq : iq + model.joints[k].nq] = [np.cos(q[name]), np.sin(q[name])] if model.joints[k].nq == 2 else [q[name]]
        moving[iv] = v[name]
        force[iv] = torques.get(name, 0.0) - joint.damping * v[name]
    a = pin.aba(model, data, at, moving, force)
    found: dict[str, Any] = {}
    for name, k in numbers.items():
        iv = model.joints[k].idx_v
        if data_of[name].kind == FREE:
            R, Omega = q[name][1], v[name][1]
            found[name] = R @ (a[iv : iv + 3] + np.cross(Omega, moving[iv : iv + 3])), a[iv + 3 : iv + 6]
        else:
            found[name] = float(a[iv])
    return Motion(found)


def relative_difference(a: Motion, b: Motion, robot: sl.Robot) -> float:
    """Largest difference of the accelerations, relative to the largest one."""
    names = [*robot.joints]
    first, second = a.flat(names), b.flat(names)
    return float(np.abs(first - second).max() / max(np.abs(second).max(), 1.0))
