"""Description of a robot from the compiled tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from symlie.contract.shapes import LARGEST_MESH
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
    FrameData,
    JointData,
    Link,
    Loop,
    Motor,
    Pose,
    SensorData,
    ShapeData,
)
from symlie.importing.features import Skipped
from symlie.importing.naming import Names
from symlie.importing.urdf import UrdfConstraint, UrdfShape, hexadecimal
from symlie.utilities.packages import is_installed

if TYPE_CHECKING:
    from mujoco import MjModel

KINDS = (FREE, BALL, SLIDE, HINGE)
"""Kinds of joints by the number of the compiler."""

SUFFIXES = {
    HINGE: ("", "_rate", "_hinge", "_rotor", "_spring", "_friction", "_damping", "_armature"),
    SLIDE: ("", "_rate", "_slide", "_rotor", "_spring", "_friction", "_damping", "_armature"),
    BALL: ("", "_ball", "_spin", "_damping", "_armature"),
    FREE: ("", "_damping", "_armature"),
}
"""Suffixes of the names that a joint takes."""

_SITE, _XBODY, _JOINT, _MESH = 6, 2, 3, 7

_RESERVED = (
    "model", "sl", "np", "Path", "frame", "point", "axes", "robot", "nodes", "reading", "passive", "rotor", "torques",
    "hinges", "slides", "axis", "torque", "effort", "build", "gravity", "energy", "t",
)  # fmt: skip
"""Variables of model files, and names of every model."""

_SENSORS = {
    "JOINTPOS": "coordinate",
    "JOINTVEL": "rate",
    "FRAMEPOS": "position",
    "FRAMEXAXIS": "x_axis",
    "FRAMEYAXIS": "y_axis",
    "FRAMEZAXIS": "z_axis",
    "FRAMELINVEL": "velocity",
    "FRAMEANGVEL": "spin",
    "VELOCIMETER": "own_velocity",
    "GYRO": "own_spin",
}
"""Outputs by the kind of a sensor."""


def describe(
    compiled: MjModel,
    name: str,
    source: str,
    skipped: Skipped,
    *,
    inertials: Mapping[str, Link] | None = None,
    shapes: Sequence[UrdfShape] | None = None,
    constraints: Sequence[UrdfConstraint] = (),
) -> Description:
    """Return the description of a compiled robot, with the inertials, visual shapes and constraints of a URDF file."""
    return _Reading(compiled, skipped, inertials).described(name, source, shapes, constraints)


@dataclass
class _Reading:
    compiled: MjModel
    skipped: Skipped
    inertials: Mapping[str, Link] | None
    names: Names = field(default_factory=Names)
    links: list[Link] = field(default_factory=list)
    joints: list[JointData] = field(default_factory=list)
    frames: list[FrameData] = field(default_factory=list)
    where: list[tuple[int, Pose]] = field(default_factory=list)
    """Link of each body, and the pose of the body in its axes."""
    joint_of: dict[int, str] = field(default_factory=dict)
    frame_of: dict[tuple[str, int], str] = field(default_factory=dict)
    """Names of frames by the kind and number of the object."""

    def described(
        self,
        name: str,
        source: str,
        shapes: Sequence[UrdfShape] | None,
        constraints: Sequence[UrdfConstraint],
    ) -> Description:
        """Return the description."""
        m = self.compiled
        self._bodies()
        self._sites()
        self._unsupported()
        loops, couplings = self._equalities()
        loops += [self._constraint(c) for c in constraints]
        motors, sensors = self._motors(), self._sensors()
        drawn = self._geometries() if shapes is None else self._visuals(shapes)
        has_torques = not m.nu
        return Description(
            name,
            source,
            np.zeros(3) if self._is_off("GRAVITY") else np.array(m.opt.gravity),
            tuple(self.links),
            tuple(self.joints),
            tuple(loops),
            tuple(couplings),
            tuple(motors),
            tuple(j.name for j in self.joints if j.is_scalar) if has_torques else (),
            tuple(self.frames),
            tuple(sensors),
            tuple(drawn),
            self._keyframes(),
            self._limits(),
        )

    def _is_off(self, name: str) -> bool:
        import mujoco

        flag = getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}", None)
        return flag is not None and bool(self.compiled.opt.disableflags & int(flag))

    def _bodies(self) -> None:
        m = self.compiled
        self.where = [(GROUND, Pose())]
        for name in _RESERVED:
            self.names.new(name, name)
        for k in range(m.njnt):  # first, so that joints keep their names
            self._name_joint(k)
        for b in range(1, m.nbody):
            parent, offset = self.where[m.body_parentid[b]]
            pose = offset.then(_pose(m.body_pos[b], m.body_quat[b]))
            first, count = int(m.body_jntadr[b]), int(m.body_jntnum[b])
            part = self._part(b)
            if not count:
                self.where.append((parent, pose))
                if parent != GROUND:
                    self.links[parent] = _joined(self.links[parent], part, pose)
                    self._frame(m.body(b).name, f"body{b}", parent, pose, ("body", b))
                continue
            name = self.names.new(m.body(b).name, f"body{b}", ("", "_x", "_R", "_Omega", "_x_dot"), "_body")
            for k in range(first, first + count):
                is_last = k == first + count - 1
                label = name if is_last else self.names.new(f"{name}_part{k - first + 1}", "part", ("", "_x", "_R"))
                self.links.append(replace(part, name=label) if is_last else Link(label))
                self.joints.append(self._joint(k, parent, len(self.links) - 1, pose))
                parent, pose = len(self.links) - 1, Pose()
            self.where.append((parent, Pose()))

    def _part(self, b: int) -> Link:
        """Return the mass and inertia of a body."""
        m = self.compiled
        if self.inertials is not None:
            return self.inertials[m.body(b).name]
        inertial = _pose(m.body_ipos[b], m.body_iquat[b])
        inertia = inertial.turn @ np.diag(m.body_inertia[b]) @ inertial.turn.T
        return Link("", float(m.body_mass[b]), inertial.place, (inertia + inertia.T) / 2)

    def _name_joint(self, k: int) -> None:
        m = self.compiled
        b = int(m.jnt_bodyid[k])
        number = "" if m.body_jntnum[b] == 1 else str(k - int(m.body_jntadr[b]) + 1)
        fallback = f"{m.body(b).name or f'body{b}'}_joint{number}"
        self.joint_of[k] = self.names.new(m.joint(k).name, fallback, SUFFIXES[KINDS[int(m.jnt_type[k])]], "_joint")

    def _joint(self, k: int, parent: int, child: int, offset: Pose) -> JointData:
        m = self.compiled
        kind, dof, name = KINDS[int(m.jnt_type[k])], int(m.jnt_dofadr[k]), self.joint_of[k]
        address = int(m.jnt_qposadr[k])
        springs = 0.0 if self._is_off("SPRING") else float(np.ravel(m.jnt_stiffness[k])[0])
        damping = 0.0 if self._is_off("DAMPER") else float(np.ravel(m.dof_damping[dof])[0])
        friction = 0.0 if self._is_off("FRICTIONLOSS") else float(m.dof_frictionloss[dof])
        if friction and self.skipped.ignores("friction"):
            self.skipped.add("friction", name)
            friction = 0.0
        elif friction and kind in (BALL, FREE):
            self.skipped.add("friction", name)
        if kind in (BALL, FREE):
            if springs:
                self.skipped.add("springs", name)
            return JointData(
                name, kind, parent, child, offset, np.array(m.jnt_pos[k]) * (kind == BALL),
                damping=damping, armature=float(m.dof_armature[dof]),
            )  # fmt: skip
        axis = np.array(m.jnt_axis[k])
        return JointData(
            name, kind, parent, child, offset, np.array(m.jnt_pos[k]), axis / np.linalg.norm(axis),
            float(m.qpos0[address]), springs, float(m.qpos_spring[address]), damping, float(m.dof_armature[dof]),
            friction,
        )  # fmt: skip

    def _frame(self, name: str, fallback: str, link: int, pose: Pose, key: tuple[str, int]) -> None:
        if link == GROUND:
            return
        label = self.names.new(name, fallback, ("", "_position", "_rotation"), "_frame")
        self.frame_of[key] = label
        self.frames.append(FrameData(label, link, pose))

    def _sites(self) -> None:
        m = self.compiled
        for s in range(m.nsite):
            link, pose = self.where[m.site_bodyid[s]]
            self._frame(m.site(s).name, f"site{s}", link, pose.then(_pose(m.site_pos[s], m.site_quat[s])), ("site", s))

    def _unsupported(self) -> None:
        m, add = self.compiled, self.skipped.add
        for k in range(m.njnt):
            if m.jnt_limited[k] and not self._is_off("LIMIT"):
                add("limits", self.joint_of[k])
            if m.jnt_actfrclimited[k]:
                add("ranges", f"force of {self.joint_of[k]}")
            polynomials = (getattr(m, "jnt_stiffnesspoly", None), getattr(m, "jnt_springyield", None))
            if any(p is not None and np.any(p[k]) for p in polynomials):
                add("springs", self.joint_of[k])
            dofs = getattr(m, "dof_dampingpoly", None)
            if dofs is not None and np.any(dofs[m.jnt_dofadr[k]]):
                add("springs", self.joint_of[k])
        for b in range(1, m.nbody):
            if m.body_gravcomp[b] and not self._is_off("GRAVITY"):
                add("gravcomp", m.body(b).name or f"body{b}")
            if m.body_mocapid[b] >= 0:
                add("mocap", m.body(b).name or f"body{b}")
        for feature, count, prefix in (("tendons", m.ntendon, "tendon"), ("flexes", m.nflex, "flex")):
            for i in range(count):
                add(feature, getattr(m, prefix)(i).name or f"{prefix}{i}" if prefix == "tendon" else f"{prefix}{i}")
        if m.opt.density or m.opt.viscosity:
            add("fluid", "density" if m.opt.density else "viscosity")
        if m.nplugin:
            add("plugins", f"{m.nplugin} of them")
        self._contacts()

    def _contacts(self) -> None:
        """List the geometries that can touch another one, as the compiler's masks allow it."""
        m = self.compiled
        if self._is_off("CONTACT"):
            return
        root = np.array([self.where[b][0] for b in m.geom_bodyid], dtype=int)
        parents = {j.child: j.parent for j in self.joints}
        types, affinity = np.asarray(m.geom_contype), np.asarray(m.geom_conaffinity)
        touching = set[int]()
        for i in range(m.ngeom):
            masks = (types[i] & affinity) | (types & affinity[i])
            for k in np.flatnonzero(masks):
                a, b = int(root[i]), int(root[k])
                is_neighbour = GROUND not in (a, b) and (parents.get(a) == b or parents.get(b) == a)
                if k > i and a != b and not is_neighbour:
                    touching |= {i, int(k)}
        touching |= {int(g) for g in (*m.pair_geom1, *m.pair_geom2)}
        if touching:
            self.skipped.add("contacts", *(m.geom(g).name or f"geometry {g}" for g in sorted(touching)))

    def _equalities(self) -> tuple[list[Loop], list[Coupling]]:
        m = self.compiled
        loops, couplings = list[Loop](), list[Coupling]()
        if self._is_off("EQUALITY"):
            return loops, couplings
        for e in range(m.neq):
            kind, data = int(m.eq_type[e]), np.array(m.eq_data[e], dtype=float)
            name = m.equality(e).name or f"equality{e}"
            if not m.eq_active0[e] or kind > 2:
                self.skipped.add("equalities", name)
            elif kind == 2:
                label = self.names.new(name, f"equality{e}", ("", "_effort"), "_coupling")
                couplings.append(self._coupling(label, int(m.eq_obj1id[e]), int(m.eq_obj2id[e]), data))
            else:
                label = self.names.new(name, f"equality{e}", ("", "_force", "_moment"), "_loop")
                loops.append(self._loop(label, e, kind, data))
        return [loop for loop in loops if loop.first != loop.second], couplings

    def _coupling(self, name: str, first: int, second: int, data: Array) -> Coupling:
        m = self.compiled
        start = float(m.qpos0[m.jnt_qposadr[first]])
        other = None if second < 0 else self.joint_of[second]
        begin = 0.0 if second < 0 else float(m.qpos0[m.jnt_qposadr[second]])
        return Coupling(name, self.joint_of[first], other, start, begin, tuple(map(float, data[:5])))

    def _loop(self, name: str, e: int, kind: int, data: Array) -> Loop:
        m = self.compiled
        ids = int(m.eq_obj1id[e]), int(m.eq_obj2id[e])
        if int(m.eq_objtype[e]) == _SITE:
            sides = [(self.where[m.site_bodyid[s]], _pose(m.site_pos[s], m.site_quat[s])) for s in ids]
        elif kind == 0:
            sides = [(self.where[b], Pose(place=part)) for b, part in zip(ids, (data[:3], data[3:6]), strict=True)]
        else:
            anchor = Pose(place=data[:3])
            sides = [(self.where[ids[0]], _pose(data[3:6], data[6:10]).then(anchor)), (self.where[ids[1]], anchor)]
        frames = [offset.then(local) for (_, offset), local in sides]
        links = [link for (link, _), _ in sides]
        joint = "SphericalJoint" if kind == 0 else "RigidJoint"
        return Loop(name, joint, links[0], links[1], (frames[0], frames[1]))

    def _constraint(self, given: UrdfConstraint) -> Loop:
        sides = [self.where[self.compiled.body(name).id] for name in given.links]
        frames = [offset.then(local) for (_, offset), local in zip(sides, given.frames, strict=True)]
        label = self.names.new(given.name, "loop", ("", "_force", "_moment"), "_loop")
        return Loop(label, given.kind, sides[0][0], sides[1][0], (frames[0], frames[1]))

    def _motors(self) -> list[Motor]:
        m = self.compiled
        found = list[Motor]()
        if self._is_off("ACTUATION"):
            return found
        for k in range(getattr(m, "nactuator", m.nu)):
            name = m.actuator(k).name
            joint = self.joint_of.get(int(m.actuator_trnid[k, 0])) if int(m.actuator_trntype[k]) in (0, 1) else None
            data = next((j for j in self.joints if j.name == joint), None)
            extra = ("actuator_delay", "actuator_armature", "actuator_damping", "actuator_dampingpoly")
            if (
                data is None
                or not data.is_scalar
                or int(m.actuator_dyntype[k]) != 0
                or int(m.actuator_gaintype[k]) > 1
                or int(m.actuator_biastype[k]) > 1
                or any(np.any(getattr(m, a)[k]) for a in extra if hasattr(m, a))
            ):
                self.skipped.add("actuators", name or f"actuator{k}")
                continue
            if m.actuator_forcelimited[k]:
                self.skipped.add("ranges", f"force of {name or data.name}")
            if np.any(m.actuator_ctrllimited[k : k + 1]):
                self.skipped.add("ranges", f"control of {name or data.name}")
            gear, is_affine = float(m.actuator_gear[k, 0]), int(m.actuator_gaintype[k]) == 1
            gain = np.array(m.actuator_gainprm[k, :3]) * (1.0 if is_affine else np.array([1.0, 0, 0]))
            bias = np.array(m.actuator_biasprm[k, :3]) * (int(m.actuator_biastype[k]) == 1)
            factors = np.array([gear, gear**2, gear**2])
            gains, biases = (tuple(map(float, factors * part)) for part in (gain, bias))
            label = self.names.new(name, f"{data.name}_motor", ("",), "_motor")
            found.append(Motor(label, data.name, (gains[0], gains[1], gains[2]), (biases[0], biases[1], biases[2])))
        return found

    def _sensors(self) -> list[SensorData]:
        import mujoco

        m = self.compiled
        found = list[SensorData]()
        for s in range(m.nsensor):
            name = m.sensor(s).name
            kind = _SENSORS.get(mujoco.mjtSensor(int(m.sensor_type[s])).name.removeprefix("mjSENS_"))
            subject = self._subject(int(m.sensor_objtype[s]), int(m.sensor_objid[s]), kind)
            if kind is None or subject is None or int(m.sensor_refid[s]) >= 0:
                self.skipped.add("sensors", name or f"sensor{s}")
                continue
            found.append(SensorData(self.names.new(name, f"sensor{s}", ("",), "_sensor"), kind, subject))
        return found

    def _subject(self, kind: int, number: int, output: str | None) -> str | None:
        """Return the name of the joint or frame of a sensor, and add frames of links."""
        if output in ("coordinate", "rate"):
            return self.joint_of.get(number) if kind == _JOINT else None
        key = {_SITE: "site", _XBODY: "body"}.get(kind)
        if key is None:
            return None
        if key == "body" and (key, number) not in self.frame_of:
            link, pose = self.where[number]
            self._frame(f"{self.compiled.body(number).name}_body", f"body{number}", link, pose, (key, number))
        return self.frame_of.get((key, number))

    def _geometries(self) -> list[ShapeData]:
        m = self.compiled
        found = list[ShapeData]()
        if self.skipped.ignores("shapes"):
            self.skipped.add("shapes", "all")
            return found
        for g in range(m.ngeom):
            if int(m.geom_group[g]) > 2:
                continue
            link, offset = self.where[m.geom_bodyid[g]]
            pose = offset.then(_pose(m.geom_pos[g], m.geom_quat[g]))
            size = [float(s) for s in m.geom_size[g]]
            rgba = m.mat_rgba[m.geom_matid[g]] if m.geom_matid[g] >= 0 else m.geom_rgba[g]
            shapes: dict[int, tuple[str, tuple[float, ...]]] = {
                0: ("box", (2 * size[0] or 10.0, 2 * size[1] or 10.0, 1e-3)),
                2: ("sphere", (size[0],)),
                3: ("capsule", (size[0], 2 * size[1])),
                5: ("cylinder", (size[0], 2 * size[1])),
                6: ("box", (2 * size[0], 2 * size[1], 2 * size[2])),
            }
            kind = int(m.geom_type[g])
            if kind in shapes:
                found.append(ShapeData(link, *shapes[kind], pose, hexadecimal(rgba)))
            elif kind == _MESH and (file := self._mesh_file(int(m.geom_dataid[g]))):
                k = int(m.geom_dataid[g])
                own = pose.then(_pose(m.mesh_pos[k], m.mesh_quat[k]).inverse())
                scale = [float(c) for c in m.mesh_scale[k]]
                if problem := _mesh_problem(file, scale):
                    self.skipped.add("shapes", f"{file.name}, {problem}")
                else:
                    found.append(ShapeData(link, "mesh", (scale[0],), own, hexadecimal(rgba), str(file)))
            else:
                self.skipped.add("shapes", m.geom(g).name or f"geometry {g}")
        return found

    def _mesh_file(self, mesh: int) -> Path | None:
        """Return the file of a mesh, or None if the file of the robot contains it."""
        m = self.compiled
        start = int(m.mesh_pathadr[mesh]) if mesh >= 0 else -1
        if start < 0:
            return None
        path = Path(m.paths[start : m.paths.index(b"\0", start)].decode())
        return path if path.is_file() else None

    def _visuals(self, shapes: Sequence[UrdfShape]) -> list[ShapeData]:
        found = list[ShapeData]()
        for shape in shapes:
            link, offset = self.where[self.compiled.body(shape.link).id]
            pose = offset.then(shape.pose)
            if shape.file is None:
                found.append(ShapeData(link, shape.kind, shape.sizes, pose, shape.color))
            elif problem := _mesh_problem(shape.file, shape.sizes):
                self.skipped.add("shapes", f"{shape.file.name}, {problem}")
            else:
                found.append(ShapeData(link, "mesh", shape.sizes[:1], pose, shape.color, str(shape.file)))
        return found

    def _keyframes(self) -> dict[str, Configuration]:
        m = self.compiled
        found = dict[str, Configuration]()
        for k in range(m.nkey):
            coordinates, rates = dict[str, float | Array | Pose](), dict[str, float | Array]()
            for number, name in self.joint_of.items():
                q, v = int(m.jnt_qposadr[number]), int(m.jnt_dofadr[number])
                kind = KINDS[int(m.jnt_type[number])]
                stored, moving = np.array(m.key_qpos[k]), np.array(m.key_qvel[k])
                if kind == FREE:
                    coordinates[name], rates[name] = _pose(stored[q : q + 3], stored[q + 3 : q + 7]), moving[v : v + 6]
                elif kind == BALL:
                    coordinates[name], rates[name] = _matrix(stored[q : q + 4]), moving[v : v + 3]
                else:
                    coordinates[name], rates[name] = float(stored[q]), float(moving[v])
            found[m.key(k).name or f"key{k}"] = Configuration(coordinates, rates)
        return found

    def _limits(self) -> dict[str, tuple[float, float]]:
        m = self.compiled
        limited = (k for k in self.joint_of if m.jnt_limited[k] and KINDS[int(m.jnt_type[k])] in (HINGE, SLIDE))
        return {self.joint_of[k]: (float(m.jnt_range[k, 0]), float(m.jnt_range[k, 1])) for k in limited}


def _mesh_problem(file: Path, scale: Sequence[float]) -> str:
    """Return why a mesh cannot be drawn, or nothing."""
    if len(set(scale)) > 1 or scale[0] <= 0:
        return "whose scale is not one positive number"
    if not is_installed("trimesh"):
        return "which needs trimesh"
    import trimesh

    if file.suffix.lower().removeprefix(".") not in trimesh.available_formats():
        return "a format that trimesh does not read"
    return "larger than views draw" if file.stat().st_size > LARGEST_MESH * 1e6 else ""


def _joined(link: Link, part: Link, pose: Pose) -> Link:
    """Return a link with a fixed part at a pose."""
    if not part.mass:
        return link
    place, turned = pose.place + pose.turn @ part.center, pose.turn @ part.inertia @ pose.turn.T
    mass = link.mass + part.mass
    center = (link.mass * link.center + part.mass * place) / mass
    total = np.zeros((3, 3))
    for m, c, inertia in ((link.mass, link.center, link.inertia), (part.mass, place, turned)):
        d = c - center
        total += inertia + m * ((d @ d) * np.eye(3) - np.outer(d, d))
    return replace(link, mass=mass, center=center, inertia=(total + total.T) / 2)


def _pose(place: ArrayLike, quaternion: ArrayLike) -> Pose:
    return Pose(_matrix(quaternion), np.array(place, dtype=float))


def _matrix(quaternion: ArrayLike) -> Array:
    """Return the rotation matrix of a quaternion with the real part first."""
    w, x, y, z = np.asarray(quaternion, dtype=float)
    w, x, y, z = np.array([w, x, y, z]) / np.sqrt(w * w + x * x + y * y + z * z)
    return np.array(
        [
            [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ]
    )
