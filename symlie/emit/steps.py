"""Further kernels of nodes as text: a C header and a NumPy module, apart from the files of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symlie.contract.signature import signature_hash
from symlie.emit.c.printing import CPrinter, coefficient_function, print_kernel
from symlie.emit.numpy.model import numpy_module
from symlie.ir.kernels import Kernel
from symlie.templating import render


@dataclass(frozen=True)
class NodeSteps:
    """Further kernels of a node type."""

    name: str
    storage: int
    dimension: int
    kernels: tuple[Kernel, ...]


def emit_steps(model: str, types: Sequence[NodeSteps], kind: str) -> dict[str, str]:
    """Source files of further kernels.

    Parameters
    ----------
    model
        Name of the model.
    types
        Its node types, in the order of its manifest.
    kind
        What the kernels are for.

    Returns
    -------
    dict
        File name to text: ``NAME_KIND.h``, ``NAME_KIND.py``.
    """
    kernels = [k for t in types for k in t.kernels]
    found = {s.function: s for k in kernels for s in k.body.schemes}
    schemes = [found[name] for name in sorted(found)]
    # Coefficient functions have names of their own, because the model's are in the same compilation.
    printer = CPrinter(coefficients=f"symlie_{kind}_")
    header = render(
        "c/kernels/step_kernels.h.jinja",
        model=model,
        kind=kind,
        prefix=printer.coefficients,
        functions=[coefficient_function(s) for s in schemes],
        kernels=[print_kernel(k, printer) for k in kernels],
        nodes=types,
    )
    module = numpy_module(model, kernels, schemes, signature_hash(k.signature for k in kernels))
    return {f"{model}_{kind}.h": header, f"{model}_{kind}.py": module}
