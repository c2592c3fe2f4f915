"""Creation of manifests."""

from __future__ import annotations

from collections.abc import Sequence

from symlie.contract.manifest import FORMAT, Manifest, Types
from symlie.contract.signature import signature_hash
from symlie.ir.jets.pieces import branches_by_parameters
from symlie.ir.kernels import Arrangement, EmittedModel
from symlie.version import VERSION


def types_of(model: EmittedModel) -> Types:
    """Return the part of the manifest that depends only on types."""
    types = model.types
    return Types(
        format=FORMAT,
        symlie=VERSION,
        model=types.name,
        interface_hash=signature_hash(k.signature for k in model.kernels),
        fixed_topology=model.elimination is not None,
        node_types=types.node_types,
        element_types=types.element_types,
        inputs=types.inputs,
        prepared_parameters=types.prepared_parameters,
        operations={k.signature.name: k.body.operation_count for k in model.kernels},
        branches_by_parameters=any(branches_by_parameters(k.body) for k in types.kernels),
    )


def manifest_of(types: Types, arrangement: Arrangement, options: Sequence[tuple[str, object]]) -> Manifest:
    """Return the manifest of a model: its types and its run-time data."""
    return Manifest(**vars(types), **vars(arrangement), options=dict(options), sets=())
