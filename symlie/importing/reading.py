"""Links, joints and frames of a compiled tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from symlie.importing.description import BALL, FREE, GROUND, HINGE, SLIDE, FrameData, JointData, Link, Pose
from symlie.importing.features import Skipped
from symlie.importing.frames import pose_of
from symlie.importing.naming import Names

if TYPE_CHECKING:
    from mujoco import MjModel

KINDS = (FREE, BALL, SLIDE, HINGE)
"""Kinds of joints by the number of the compiler."""

_CONTACT = ("gap", "normal", "state", "touch", "lift")
"""Outputs and events of contacts without friction."""

STOPS = tuple(f"_{side}{part}" for side in ("lower", "upper") for part in ("", *(f"_{what}" for what in _CONTACT)))
"""Suffixes of the names that the stops of a joint take."""

STICKING = ("_state", "_stick", "_slip")
"""Suffixes of the names that dry friction of a joint takes."""

SUFFIXES = {
    HINGE: ("", "_rate", "_hinge", "_rotor", "_spring", "_friction", "_damping", "_armature"),
    SLIDE: ("", "_rate", "_slide", "_rotor", "_spring", "_friction", "_damping", "_armature"),
    BALL: ("", "_ball", "_spin", "_damping", "_armature"),
    FREE: ("", "_damping", "_armature"),
}
"""Suffixes of the names that a joint takes."""

_RESERVED = (
    "model", "sl", "np", "Path", "frame", "point", "axes", "robot", "nodes", "reading", "passive", "rotor", "torques",
    "hinges", "slides", "axis", "torque", "effort", "build", "gravity", "energy", "t",
)  # fmt: skip
"""Variables of model files, and names of every model."""


_CONSTRAINTS = ("EQUALITY", "FRICTIONLOSS", "LIMIT", "CONTACT")
"""Parts of the physics that are constraints of the compiler."""

_OF_REQUESTS = {"restitution": "contacts", "stop_restitution": "limits"}
"""Names of model files with requested parts."""


@dataclass
class Reading:
    """Links, joints and frames of a compiled robot, and what is skipped."""

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

    def is_off(self, name: str) -> bool:
        """Return whether the file disables a part of the physics."""
        import mujoco

        names = (name, "CONSTRAINT") if name in _CONSTRAINTS else (name,)
        flags = (getattr(mujoco.mjtDisableBit, f"mjDSBL_{n}", None) for n in names)
        return any(flag is not None and bool(self.compiled.opt.disableflags & int(flag)) for flag in flags)

    def read_bodies(self) -> None:
        """Read links, joints and the frames of fixed parts."""
        m = self.compiled
        self.where = [(GROUND, Pose())]
        reserved = [name for name, given in _OF_REQUESTS.items() if getattr(self.skipped.requested, given)]
        for name in (*_RESERVED, *reserved):
            self.names.new(name, name)
        for k in range(m.njnt):  # first, so that joints keep their names
            self._name_joint(k)
        for b in range(1, m.nbody):
            parent, offset = self.where[m.body_parentid[b]]
            pose = offset.then(pose_of(m.body_pos[b], m.body_quat[b]))
            first, count = int(m.body_jntadr[b]), int(m.body_jntnum[b])
            part = self._part(b)
            if not count:
                self.where.append((parent, pose))
                if parent != GROUND:
                    self.links[parent] = _joined(self.links[parent], part, pose)
                    self.add_frame(m.body(b).name, f"body{b}", parent, pose, ("body", b))
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
        inertial = pose_of(m.body_ipos[b], m.body_iquat[b])
        inertia = inertial.turn @ np.diag(m.body_inertia[b]) @ inertial.turn.T
        return Link("", float(m.body_mass[b]), inertial.place, (inertia + inertia.T) / 2)

    def _name_joint(self, k: int) -> None:
        m = self.compiled
        b = int(m.jnt_bodyid[k])
        number = "" if m.body_jntnum[b] == 1 else str(k - int(m.body_jntadr[b]) + 1)
        fallback = f"{m.body(b).name or f'body{b}'}_joint{number}"
        kind, requested = KINDS[int(m.jnt_type[k])], self.skipped.requested
        suffixes = SUFFIXES[kind]
        if kind in (HINGE, SLIDE):
            suffixes += STOPS * requested.limits + STICKING * requested.dry_friction
        self.joint_of[k] = self.names.new(m.joint(k).name, fallback, suffixes, "_joint")

    def _joint(self, k: int, parent: int, child: int, offset: Pose) -> JointData:
        m = self.compiled
        kind, dof, name = KINDS[int(m.jnt_type[k])], int(m.jnt_dofadr[k]), self.joint_of[k]
        address = int(m.jnt_qposadr[k])
        springs = 0.0 if self.is_off("SPRING") else float(np.ravel(m.jnt_stiffness[k])[0])
        damping = 0.0 if self.is_off("DAMPER") else float(np.ravel(m.dof_damping[dof])[0])
        friction = 0.0 if self.is_off("FRICTIONLOSS") else float(m.dof_frictionloss[dof])
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

    def add_frame(self, name: str, fallback: str, link: int, pose: Pose, key: tuple[str, int]) -> None:
        """Add a frame of a moving link."""
        if link == GROUND:
            return
        label = self.names.new(name, fallback, ("", "_position", "_rotation"), "_frame")
        self.frame_of[key] = label
        self.frames.append(FrameData(label, link, pose))

    def read_sites(self) -> None:
        """Read the frames of sites."""
        m = self.compiled
        for s in range(m.nsite):
            link, pose = self.where[m.site_bodyid[s]]
            self.add_frame(
                m.site(s).name, f"site{s}", link, pose.then(pose_of(m.site_pos[s], m.site_quat[s])), ("site", s)
            )


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
