"""Named fields of nodes, as parts of their configurations and velocities."""

from __future__ import annotations

import numpy as np

from symlie.contract.manifest import NodeType
from symlie.errors import UnknownNameError
from symlie.runtime.layout.classical_rotations import classical_rotation, spin_by_rates
from symlie.runtime.layout.layout import Array


def named_field(kind: NodeType, owner: str, q: Array, v: Array, name: str) -> Array:
    """Return a named field of q (…, storage) or v (…, dimension), shape (…, *field shape), or ``Omega`` from the rates
    of ρ."""
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
    raise UnknownNameError(f"{owner} has no field '{name}'; it has: {', '.join(f.name for f in kind.fields)}.")
