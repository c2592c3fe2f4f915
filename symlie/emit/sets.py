"""A set of kernels as text: of all targets, and a table, apart from the files of the model."""

from __future__ import annotations

from symlie.contract.manifest import Pattern
from symlie.contract.set_table import ElementPatterns, SetTable
from symlie.contract.signature import signature_hash
from symlie.emit.target import TARGETS
from symlie.ir.sets import SetKernels


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
    patterns = (tuple(Pattern(p.rows, p.columns) for p in e.patterns) for e in kernels.elements)
    elements = [ElementPatterns(e.name, found) for e, found in zip(kernels.elements, patterns, strict=True)]
    table = SetTable(interface_hash, own_hash, tuple(elements)).text()
    texts = [target.kernel_set(kernels, own_hash) for target in TARGETS]
    return {name: text for files in texts for name, text in files.items()} | {
        kernels.set.files(kernels.model)[-1]: table
    }
