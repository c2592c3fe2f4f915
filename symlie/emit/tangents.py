"""A set of matrices of derivatives as text: C, NumPy and a table of positions, apart from the files of a run."""

from __future__ import annotations

import json

from symlie.contract.signature import signature_hash
from symlie.emit.c.printing import coefficient_function, print_kernel
from symlie.emit.numpy.model import numpy_module
from symlie.ir.kernels import SparsePattern
from symlie.ir.tangents import ModelTangents
from symlie.templating import render


def emit_tangents(model: ModelTangents, interface_hash: str) -> dict[str, str]:
    """Source files of a set of matrices of a model.

    Parameters
    ----------
    model
        The matrices.
    interface_hash
        That of the model's own files, to which these belong.

    Returns
    -------
    dict
        File name to text: ``NAME_KIND.c``, ``NAME_KIND.py``, ``NAME_KIND.json``.
    """
    own_hash = signature_hash(k.signature for k in model.kernels)
    content = {
        "model_interface_hash": interface_hash,
        "interface_hash": own_hash,
        "matrices": [{"name": m.name, "rows": m.rows, "columns": m.columns} for m in model.matrices],
        "elements": [{"name": e.name, "positions": [_positions(p) for p in e.patterns]} for e in model.elements],
    }
    stem = f"{model.name}_{model.kind}"
    source = render(
        "c/kernels/tangents.c.jinja",
        model=model,
        stem=stem,
        hash=own_hash,
        functions=[coefficient_function(s) for s in model.schemes],
        kernels=[print_kernel(k) for k in model.kernels],
    )
    return {
        f"{stem}.c": source,
        f"{stem}.py": numpy_module(model.name, model.kernels, model.schemes, own_hash),
        f"{stem}.json": json.dumps(content) + "\n",
    }


def _positions(pattern: SparsePattern) -> dict[str, list[int]]:
    return {"rows": list(pattern.rows), "columns": list(pattern.columns)}
