"""A set of kernels as text: C, NumPy and a table, apart from the files of the model."""

from __future__ import annotations

from symlie.contract.kernels import Gather, gathered
from symlie.contract.manifest import Pattern
from symlie.contract.sets import ElementPatterns, SetTable
from symlie.contract.signature import signature_hash
from symlie.emit.c.printing import CPrinter, coefficient_function, print_kernel
from symlie.emit.numpy.model import numpy_module
from symlie.ir.sets import ElementTypeSet, SetKernels
from symlie.templating import render


def emit_set(kernels: SetKernels, interface_hash: str) -> dict[str, str]:
    """Source files of a set of kernels.

    Parameters
    ----------
    kernels
        The kernels.
    interface_hash
        That of the model's own files, to which these belong.

    Returns
    -------
    dict
        File name to text: ``MODEL_SET.h``, included behind the model's own header, ``MODEL_SET.c`` with the exported
        functions, ``MODEL_SET.py``, ``MODEL_SET.json``.
    """
    chosen = kernels.set
    own_hash = signature_hash(k.signature for k in kernels.kernels)
    patterns = [ElementPatterns(e.name, tuple(map(_positions, e.patterns))) for e in kernels.elements]
    # Coefficient functions have names of their own, because the model's are in the same compilation.
    printer = CPrinter(coefficients=f"symlie_{chosen.name}_")
    values = {
        "model": kernels.model,
        "set": chosen,
        "hash": own_hash,
        "prefix": printer.coefficients,
        "functions": [coefficient_function(s) for s in kernels.schemes],
        "kernels": [print_kernel(k, printer) for k in kernels.kernels],
        "fixed": False,
        "blocks": {"kernels": {}},
        "nodes": kernels.nodes,
        "elements": [_element_view(e, chosen.name) for e in kernels.elements],
        "exported": gathered(chosen.name),
        "node_kernels": gathered(chosen.name, Gather.NODES),
        "largest_kernels": gathered(chosen.name, Gather.LARGEST),
        "stored_kernels": gathered(chosen.name, Gather.STORED),
        "velocity_kernels": gathered(chosen.name, Gather.VELOCITIES),
        "total_kernels": gathered(chosen.name, Gather.TOTAL),
    }
    header, source, module, table = chosen.files(kernels.model)
    return {
        header: render("c/kernels/set.h.jinja", **values),
        source: render("c/kernels/set.c.jinja", **values, header=header),
        module: numpy_module(kernels.model, kernels.kernels, kernels.schemes, own_hash),
        table: SetTable(interface_hash, own_hash, tuple(patterns)).text(),
    }


def _positions(pattern: Pattern) -> Pattern:
    return Pattern(pattern.rows, pattern.columns)


def _element_view(element: ElementTypeSet, name: str) -> dict[str, object]:
    (kernel,) = gathered(name, Gather.STORED)
    return {
        "name": element.name,
        "storage": element.storage,
        "velocities": element.velocities,
        "rows": element.rows,
        "kernels": {name} if element.kernel else set(),
        "values": {name: list(zip(kernel.result_names, (p.count for p in element.patterns), strict=True))},
    }
