"""Source files of a set of kernels for all targets, and its table, separate from the model files."""

from __future__ import annotations

from symlie.contract.manifest import Pattern
from symlie.contract.set_table import SetTable, TypePatterns
from symlie.contract.signature import signature_hash
from symlie.emit.target import TARGETS
from symlie.ir.sets import NodeTypeSet, SetKernels


def emit_set(kernels: SetKernels, interface_hash: str) -> dict[str, str]:
    """Return the files of a set of kernels, named by `symlie.contract.sets.KernelSet.files`, for the
    given model hash."""
    own_hash = signature_hash(k.signature for k in kernels.kernels)
    patterns = [TypePatterns(e.name, tuple(Pattern(p.rows, p.columns) for p in e.patterns)) for e in kernels.elements]
    if kernels.set.name == "tangent":
        patterns = [TypePatterns(t.name, (_tangent_pattern(t),)) for t in kernels.nodes]
    table = SetTable(interface_hash, own_hash, tuple(patterns), kernels.weights, kernels.jets).text()
    texts = [target.kernel_set(kernels, own_hash) for target in TARGETS]
    return {name: text for files in texts for name, text in files.items()} | {
        kernels.set.files(kernels.model)[-1]: table
    }


def _tangent_pattern(nodes: NodeTypeSet) -> Pattern:
    """Return the pattern of entries of T(u) of a node type that are not identically zero."""
    entries = enumerate(operand for k in nodes.kernels for operand in k.body.outputs)
    places = [divmod(k, nodes.dimension) for k, operand in entries if operand != 0]
    return Pattern(tuple(i for i, _ in places), tuple(j for _, j in places))
