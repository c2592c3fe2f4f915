"""A set of kernels as text: of all targets, and a table, apart from the files of the model."""

from __future__ import annotations

from symlie.contract.manifest import Pattern
from symlie.contract.set_table import SetTable, TypePatterns
from symlie.contract.signature import signature_hash
from symlie.emit.target import TARGETS
from symlie.ir.sets import NodeTypeSet, SetKernels


def emit_set(kernels: SetKernels, interface_hash: str) -> dict[str, str]:
    """Files of a set of kernels, those of `symlie.contract.sets.KernelSet.files`.

    Parameters
    ----------
    kernels
        The kernels.
    interface_hash
        That of the model's own files, to which these belong.
    """
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
    """Where T(u) of a node type is not zero for all u."""
    entries = enumerate(operand for k in nodes.kernels for operand in k.body.outputs)
    places = [divmod(k, nodes.dimension) for k, operand in entries if operand != 0]
    return Pattern(tuple(i for i, _ in places), tuple(j for _, j in places))
