"""Features of a compiled file without counterpart, other than actuators, sensors and equalities."""

from __future__ import annotations

import numpy as np

from symlie.importing.description import GROUND
from symlie.importing.reading import Reading


def list_unsupported(reading: Reading) -> None:
    """List the features."""
    m, add = reading.compiled, reading.skipped.add
    for k in range(m.njnt):
        if m.jnt_limited[k] and not reading.is_off("LIMIT"):
            add("limits", reading.joint_of[k])
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
    _list_contacts(reading)


def _list_contacts(reading: Reading) -> None:
    """List the geometries that can touch another one, as the compiler's masks allow it."""
    m = reading.compiled
    if reading.is_off("CONTACT"):
        return
    root = np.array([reading.where[b][0] for b in m.geom_bodyid], dtype=int)
    parents = {j.child: j.parent for j in reading.joints}
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
        reading.skipped.add("contacts", *(m.geom(g).name or f"geometry {g}" for g in sorted(touching)))
