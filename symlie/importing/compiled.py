"""Description of a robot from the compiled tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from symlie.importing.actuation import motors, sensors
from symlie.importing.contacts import contacts
from symlie.importing.description import (
    BALL,
    FREE,
    HINGE,
    SLIDE,
    Array,
    Configuration,
    Description,
    Link,
    Pose,
)
from symlie.importing.equalities import coupling_of, equalities, loop_of
from symlie.importing.features import Skipped
from symlie.importing.frames import matrix_of, pose_of
from symlie.importing.geometries import geometries, visuals
from symlie.importing.reading import KINDS, Reading
from symlie.importing.unsupported import list_unsupported
from symlie.importing.urdf import UrdfConstraint, UrdfMimic, UrdfShape

if TYPE_CHECKING:
    from mujoco import MjModel


def describe(
    compiled: MjModel,
    name: str,
    source: str,
    skipped: Skipped,
    *,
    inertials: Mapping[str, Link] | None = None,
    shapes: Sequence[UrdfShape] | None = None,
    constraints: Sequence[UrdfConstraint] = (),
    mimics: Sequence[UrdfMimic] = (),
) -> Description:
    """Return the description of a compiled robot, with the inertials, visual shapes and constraints of a URDF file."""
    reading = Reading(compiled, skipped, inertials)
    reading.read_bodies()
    reading.read_sites()
    list_unsupported(reading)
    loops, couplings = equalities(reading)
    loops += [loop_of(reading, c) for c in constraints]
    couplings += [coupling_of(reading, c) for c in mimics]
    actuators, measured = motors(reading), sensors(reading)
    touching = contacts(reading)
    drawn = geometries(reading) if shapes is None else visuals(reading, shapes)
    return Description(
        name,
        source,
        np.zeros(3) if reading.is_off("GRAVITY") else np.array(compiled.opt.gravity),
        tuple(reading.links),
        tuple(reading.joints),
        tuple(loops),
        tuple(couplings),
        tuple(touching),
        tuple(actuators),
        () if compiled.nu else tuple(j.name for j in reading.joints if j.is_scalar),
        tuple(reading.frames),
        tuple(measured),
        tuple(drawn),
        _keyframes(reading),
        _limits(reading),
        skipped.requested.limits and not reading.is_off("LIMIT"),
        skipped.requested.dry_friction,
    )


def _keyframes(reading: Reading) -> dict[str, Configuration]:
    m = reading.compiled
    found = dict[str, Configuration]()
    for k in range(m.nkey):
        coordinates, rates = dict[str, float | Array | Pose](), dict[str, float | Array]()
        for number, name in reading.joint_of.items():
            q, v = int(m.jnt_qposadr[number]), int(m.jnt_dofadr[number])
            kind = KINDS[int(m.jnt_type[number])]
            stored, moving = np.array(m.key_qpos[k]), np.array(m.key_qvel[k])
            if kind == FREE:
                coordinates[name], rates[name] = pose_of(stored[q : q + 3], stored[q + 3 : q + 7]), moving[v : v + 6]
            elif kind == BALL:
                coordinates[name], rates[name] = matrix_of(stored[q : q + 4]), moving[v : v + 3]
            else:
                coordinates[name], rates[name] = float(stored[q]), float(moving[v])
        name = m.key(k).name or f"key{k}"
        found[name] = Configuration(coordinates, rates)
        if np.any(m.key_ctrl[k]) or np.any(m.key_act[k]):
            reading.skipped.add("extensions", f"controls of keyframe {name}")
    return found


def _limits(reading: Reading) -> dict[str, tuple[float, float]]:
    m = reading.compiled
    limited = (k for k in reading.joint_of if m.jnt_limited[k] and KINDS[int(m.jnt_type[k])] in (HINGE, SLIDE))
    return {reading.joint_of[k]: (float(m.jnt_range[k, 0]), float(m.jnt_range[k, 1])) for k in limited}
