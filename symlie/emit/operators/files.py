"""Operators of a group as self-contained files: source, self-test and README."""

from __future__ import annotations

import keyword
import sys

from symlie.contract.manifest import FieldLayout
from symlie.contract.signature import Signature
from symlie.emit.c.printing import CPrinter
from symlie.emit.operators.c import c_files
from symlie.emit.operators.loops import with_operations
from symlie.emit.operators.numpy import numpy_files
from symlie.errors import UnknownNameError
from symlie.ir.group_operators import GroupOperators
from symlie.utilities.templating import render
from symlie.version import VERSION

TARGETS = {"c": c_files, "numpy": numpy_files}
"""Printers by target."""
EPSILON = {"double": 2.0**-52, "float": 2.0**-23}
"""Machine epsilon by scalar type."""

RESERVED = {*keyword.kwlist, *sys.stdlib_module_names, "numpy"}
"""Names that a module must not shadow."""

TOLERANCE = 16
"""Largest relative error that a self-test accepts, in units of machine epsilon times the condition of the point;
measured: below 5 on the groups of space, 9 on the Galilei group."""
IDENTITY_TOLERANCE = 64
"""The same for T⁻¹ T = I, relative to the product of the matrix norms, for exp(log q) = q and for log(exp θ) = θ."""
DIFFERENCE_STEP = {"double": 2.0**-17, "float": 2.0**-6}
DIFFERENCE_TOLERANCE = {"double": 1e-8, "float": 1e-3}
"""Largest error of central differences of exp with a step of about ∛ε: truncation h²/6 and round-off ε/h, with
translations up to 10 and angles up to 2π."""


def check_options(target: str, prefix: str, real: str) -> None:
    """Raise `UnknownNameError` for an unknown target or scalar type or an invalid prefix."""
    if target not in TARGETS:
        raise UnknownNameError(f"Unknown target '{target}'; use one of: {', '.join(TARGETS)}.")
    if real not in EPSILON:
        raise UnknownNameError(f"Unknown scalar type '{real}'; use one of: {', '.join(EPSILON)}.")
    if not prefix.isidentifier() or not prefix.isascii() or prefix in RESERVED or prefix.startswith("_"):
        raise UnknownNameError(
            f"{prefix!r} cannot be a prefix of files and functions; use letters, digits and underscores, such as "
            "--prefix se3."
        )


def emit_operators(operators: GroupOperators, target: str, prefix: str) -> dict[str, str]:
    """Return the files of `symlie.api.operator_files` without the certificate."""
    check_options(target, prefix, operators.real)
    values = _view(operators, target, prefix)
    files = TARGETS[target](operators, prefix, values)
    return files | {"README.md": render("operators/README.md.jinja", **values)}


def _view(operators: GroupOperators, target: str, prefix: str) -> dict[str, object]:
    """Return the template values common to all targets."""
    real = operators.real
    printer = CPrinter(real if target == "c" else "double")
    return {
        "version": VERSION,
        "group": operators.group,
        "target": target,
        "prefix": prefix,
        "real": real,
        "epsilon": EPSILON[real],
        "n": operators.dimension,
        "storage": operators.storage,
        "storage_layout": _layout(operators.storage_fields),
        "velocity_layout": _layout(operators.velocity_fields),
        "has_pole": any(s.pole_order for s in operators.schemes),
        "has_series": operators.has_series,
        "tolerance": TOLERANCE,
        "identity_tolerance": IDENTITY_TOLERANCE,
        "difference_step": DIFFERENCE_STEP[real],
        "difference_tolerance": DIFFERENCE_TOLERANCE[real],
        "functions": [s.function for s in operators.schemes],
        "rows": [
            (_call(o.signature, prefix), o.description, "loops" if operations is None else operations)
            for o, operations in with_operations(operators)
        ],
        "matrices": operators.matrices,
        "has_general": any(f.loops and f.loops.sizes for f in operators.factors),
        "has_matrix_logarithm": any(f.loops and f.loops.representation for f in operators.factors),
        "samples": [
            {
                "description": s.description,
                "theta": [printer.constant(c) for c in s.theta],
                "w": [printer.constant(c) for c in s.w],
                "condition": s.condition,
                "has_log": "log" in s.values,
                "references": [s.values[o.signature.name] for o in operators.operators if o.signature.name != "log"],
            }
            for s in operators.samples
        ],
        "function_samples": [
            {"function": s.function, "z": printer.constant(s.z), "value": s.value, "scale": s.scale}
            for s in operators.function_samples
        ],
    }


def _call(signature: Signature, prefix: str) -> str:
    inputs = ", ".join(a.name for a in signature.arguments if not a.is_output)
    return f"{prefix}_{signature.name}({inputs})"


def _layout(fields: tuple[FieldLayout, ...]) -> str:
    """Return the named parts in order, such as ``R[3][3] (row-major), x[3]``."""
    parts = []
    for field in fields:
        shape = "".join(f"[{k}]" for k in field.shape)
        parts.append(f"{field.name}{shape}{' (row-major)' if len(field.shape) == 2 else ''}")
    return ", ".join(parts)
