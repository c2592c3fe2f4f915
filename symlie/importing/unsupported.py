"""Features of a compiled file without counterpart, other than actuators, sensors and equalities."""

from __future__ import annotations

import numpy as np

from symlie.importing.description import HINGE, SLIDE
from symlie.importing.pairs import is_soft
from symlie.importing.reading import KINDS, Reading


def list_unsupported(reading: Reading) -> None:
    """List the features."""
    m, add = reading.compiled, reading.skipped.add
    for k in range(m.njnt):
        _list_limits(reading, k)
        if m.jnt_actfrclimited[k]:
            add("ranges", f"force of {reading.joint_of[k]}")
        polynomials = (getattr(m, "jnt_stiffnesspoly", None), getattr(m, "jnt_springyield", None))
        if any(p is not None and np.any(p[k]) for p in polynomials):
            add("springs", reading.joint_of[k])
        dofs = getattr(m, "dof_dampingpoly", None)
        if dofs is not None and np.any(dofs[m.jnt_dofadr[k]]):
            add("springs", reading.joint_of[k])
    for b in range(1, m.nbody):
        if m.body_gravcomp[b] and not reading.is_off("GRAVITY"):
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


def _list_limits(reading: Reading, k: int) -> None:
    """List limits of a joint that are not imported, and limits and dry friction that are softer in the file."""
    m, skipped = reading.compiled, reading.skipped
    name, is_scalar = reading.joint_of[k], KINDS[int(m.jnt_type[k])] in (HINGE, SLIDE)
    if m.jnt_limited[k] and not reading.is_off("LIMIT"):
        if not (skipped.requested.limits and is_scalar):
            skipped.add("limits", name)
        elif is_soft(reading, "jnt", k):
            skipped.add("softness", f"limits of {name}")
    elif is_scalar and m.jnt_range[k, 0] > m.jnt_range[k, 1]:
        skipped.add("limits", f"{name}, whose lower limit exceeds the upper one")
    dof = int(m.jnt_dofadr[k])
    if skipped.requested.dry_friction and m.dof_frictionloss[dof] and is_soft(reading, "dof", dof):
        skipped.add("softness", f"friction of {name}")
