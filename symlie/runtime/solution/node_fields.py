"""Named fields of nodes, as parts of their configurations and velocities."""

from __future__ import annotations

import numpy as np

from symlie.contract.manifest import NodeType
from symlie.errors import UnknownNameError
from symlie.rotations import rotation_form
from symlie.runtime.layout.classical_rotations import classical_rotation, rotations, spin_by_rates
from symlie.runtime.layout.layout import Array


def named_field(kind: NodeType, owner: str, q: Array, v: Array, name: str) -> Array:
    """Return a named field of q (…, storage) or v (…, dimension), shape (…, *field shape). ``Omega`` may follow from
    the rates of ρ, and ``R`` from the stored form of the rotation."""
    for fields, values in ((kind.storage_fields, q), (kind.velocity_fields, v)):
        for found in fields:
            if found.name == name:
                block = values[..., found.part]
                return block.reshape(*block.shape[:-1], *found.shape)
    classical = classical_rotation(kind)
    if classical is not None and name == "Omega":
        rho, rates = q[..., classical.stored], v[..., classical.rates]
        G = spin_by_rates(classical.form, rho.reshape(-1, rho.shape[-1])).reshape(*rho.shape[:-1], 3, -1)
        return np.asarray(np.einsum("...ij,...j->...i", G, rates))
    if name == "R" and (matrices := _rotation_matrices(kind, q)) is not None:
        return matrices
    raise UnknownNameError(f"{owner} has no field '{name}'; it has: {', '.join(f.name for f in kind.fields)}.")


def _rotation_matrices(kind: NodeType, q: Array) -> Array | None:
    """Return R(q), shape (…, 3, 3) or (…, 2, 2), or None unless the node stores one rotation."""
    forms = [(f.part, form) for f in kind.storage_fields if (form := rotation_form(f.name, f.shape)) is not None]
    if len(forms) != 1:
        return None
    ((part, form),) = forms
    stored = q[..., part]
    if form == "planar":
        c, s = stored[..., 0], stored[..., 1]
        return np.stack([np.stack([c, -s], axis=-1), np.stack([s, c], axis=-1)], axis=-2)
    turned = rotations(form, stored.reshape(-1, stored.shape[-1]))
    return np.asarray(turned.as_matrix()).reshape(*stored.shape[:-1], 3, 3)
