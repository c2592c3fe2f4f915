"""Loops and couplings from equality constraints of a compiled file."""

from __future__ import annotations

import numpy as np

from symlie.importing.description import Array, Coupling, Loop, Pose
from symlie.importing.frames import pose_of
from symlie.importing.reading import Reading
from symlie.importing.urdf import UrdfConstraint, UrdfMimic

_SITE = 6
"""Number of the type of sites in the compiler."""

_TORQUES = 10
"""Place of the weight of rotations in the data of a weld, which is a connection at a point if it is zero."""


def equalities(reading: Reading) -> tuple[list[Loop], list[Coupling]]:
    """Return loops and couplings of the active equality constraints."""
    m = reading.compiled
    loops, couplings = list[Loop](), list[Coupling]()
    if reading.is_off("EQUALITY"):
        return loops, couplings
    for e in range(m.neq):
        kind, data = int(m.eq_type[e]), np.array(m.eq_data[e], dtype=float)
        name = m.equality(e).name or f"equality{e}"
        if not m.eq_active0[e] or kind > 2:
            reading.skipped.add("equalities", name)
        elif kind == 2:
            label = reading.names.new(name, f"equality{e}", ("", "_effort"), "_coupling")
            couplings.append(_coupling(reading, label, int(m.eq_obj1id[e]), int(m.eq_obj2id[e]), data))
        else:
            label = reading.names.new(name, f"equality{e}", ("", "_force", "_moment"), "_loop")
            loops.append(_loop(reading, label, e, kind, data))
    return [loop for loop in loops if loop.first != loop.second], couplings


def coupling_of(reading: Reading, given: UrdfMimic) -> Coupling:
    """Return the coupling of a joint of a URDF file that follows another one."""
    joint, other = (reading.joint_of[int(reading.compiled.joint(name).id)] for name in (given.joint, given.other))
    label = reading.names.new(f"{joint}_mimic", "mimic", ("", "_effort"), "_coupling")
    return Coupling(label, joint, other, 0.0, 0.0, (given.offset, given.factor))


def loop_of(reading: Reading, given: UrdfConstraint) -> Loop:
    """Return the loop of a constraint of a URDF file."""
    sides = [reading.where[reading.compiled.body(name).id] for name in given.links]
    frames = [offset.then(local) for (_, offset), local in zip(sides, given.frames, strict=True)]
    label = reading.names.new(given.name, "loop", ("", "_force", "_moment"), "_loop")
    return Loop(label, given.kind, sides[0][0], sides[1][0], (frames[0], frames[1]))


def _coupling(reading: Reading, name: str, first: int, second: int, data: Array) -> Coupling:
    m = reading.compiled
    start = float(m.qpos0[m.jnt_qposadr[first]])
    other = None if second < 0 else reading.joint_of[second]
    begin = 0.0 if second < 0 else float(m.qpos0[m.jnt_qposadr[second]])
    return Coupling(name, reading.joint_of[first], other, start, begin, tuple(map(float, data[:5])))


def _loop(reading: Reading, name: str, e: int, kind: int, data: Array) -> Loop:
    m = reading.compiled
    ids = int(m.eq_obj1id[e]), int(m.eq_obj2id[e])
    if int(m.eq_objtype[e]) == _SITE:
        sides = [(reading.where[m.site_bodyid[s]], pose_of(m.site_pos[s], m.site_quat[s])) for s in ids]
    elif kind == 0:
        sides = [(reading.where[b], Pose(place=part)) for b, part in zip(ids, (data[:3], data[3:6]), strict=True)]
    else:
        anchor = Pose(place=data[:3])
        sides = [(reading.where[ids[0]], pose_of(data[3:6], data[6:10]).then(anchor)), (reading.where[ids[1]], anchor)]
    frames = [offset.then(local) for (_, offset), local in sides]
    links = [link for (link, _), _ in sides]
    joint = "SphericalJoint" if kind == 0 or not data[_TORQUES] else "RigidJoint"
    return Loop(name, joint, links[0], links[1], (frames[0], frames[1]))
