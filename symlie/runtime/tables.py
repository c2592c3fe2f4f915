"""Tableaux as C text for the compiled time loops."""

from __future__ import annotations

import numpy as np

from symlie.compile.cache import included_headers
from symlie.runtime.layout import Array
from symlie.runtime.methods import Method
from symlie.runtime.tableau import ExplicitTableau, HalfExplicitTableau


def rkmk_table(tableau: ExplicitTableau) -> tuple[Array, Array]:
    """Rows a_ij with the weights b as last row, and c, without trailing stages of zero weight.

    A last stage of zero weight only serves the embedded formula, which a fixed step does not evaluate.
    """
    weights = tableau.b_float()
    used = int(np.flatnonzero(weights)[-1]) + 1
    rows = np.vstack([tableau.a_float()[:used, :used], weights[:used]])
    return rows, tableau.c_float()[:used]


def driver_source(method: Method, model: str, algebra: str) -> dict[str, str]:
    """Source files that add a method's time loop to a model: the tableau, the method, and the file to compile."""
    tableau = method.tableau
    lines = [f"/* Coefficients of {method.name}. {tableau.source} */"]
    if isinstance(tableau, HalfExplicitTableau):
        a, c = tableau.a_float(), tableau.c_float()
        lines += [
            f"#define STAGES {tableau.stages}",
            f"#define FINAL {tableau.s}",
            f"#define FSAL {int(tableau.fsal)}",
            _vector("D", tableau.d_float()),
        ]
        header = "half_explicit.h"
    else:
        a, c = rkmk_table(tableau)
        lines += [f"#define STAGES {len(c)}", f"#define EXACT_INVERSE {int(method.commutators is None)}"]
        header = "rkmk.h"
    rows = ",\n".join("    {" + ", ".join(map(_number, row)) + "}" for row in a)
    lines += [f"static const double A[{len(a)}][{a.shape[1]}] = {{\n{rows}}};", _vector("C", c)]
    includes = [f"{model}.c", "status.h", algebra, "tableau.h", "method.h", header, "driver.h"]
    return {
        "tableau.h": "\n".join(lines) + "\n",
        "driver.c": "".join(f'#include "{name}"\n' for name in includes),
        **included_headers([header]),
    }


def _number(value: float) -> str:
    return repr(float(value))


def _vector(name: str, values: Array) -> str:
    return f"static const double {name}[{len(values)}] = {{{', '.join(map(_number, values))}}};"
