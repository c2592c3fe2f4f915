"""Tableaux as C text for the compiled time loops."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symlie.compile.cache import included_headers
from symlie.runtime.layout import Array
from symlie.runtime.methods import Method
from symlie.runtime.tableau import ExplicitTableau, HalfExplicitTableau


@dataclass(frozen=True, eq=False)
class RkmkTable:
    """An explicit tableau as its steps use it.

    Attributes
    ----------
    a
        Rows a_ij of the stages, and the weights b as last row, shape (stages + 1, stages).
    c
        Nodes of the stages.
    b_hat
        Embedded weights of all stages, with that at the end of the step if there is one; zeros without them.
    has_end_stage
        Whether there is a stage more at the end of the step, which serves the embedded formula and the next step.
    """

    a: Array
    c: Array
    b_hat: Array
    has_end_stage: bool

    @property
    def stages(self) -> int:
        """Number of stages without that at the end."""
        return len(self.c)


def rkmk_table(method: Method) -> RkmkTable:
    """The table of a method of Runge-Kutta-Munthe-Kaas type.

    A last stage of zero weight at the end of the step is that of the embedded formula; a fixed step does without it.
    Methods for the index-1 system always evaluate there, because this is where λ comes from.
    """
    tableau = method.tableau
    assert isinstance(tableau, ExplicitTableau)
    weights, rows = tableau.b_float(), tableau.a_float()
    used = tableau.stages - int(tableau.fsal)
    has_end_stage = method.is_index1 or (tableau.fsal and tableau.b_hat is not None)
    b_hat = np.zeros(used + int(has_end_stage))
    embedded = tableau.b_hat_float()
    if embedded is not None:
        b_hat[: tableau.stages] = embedded
    return RkmkTable(np.vstack([rows[:used, :used], weights[:used]]), tableau.c_float()[:used], b_hat, has_end_stage)


def driver_source(method: Method, model: str, algebra: str) -> dict[str, str]:
    """Source files that add a method's time loop to a model: the tableau, the method, and the file to compile."""
    tableau = method.tableau
    lines = [f"/* Coefficients of {method.name}. {tableau.source} */"]
    lines.append(f"#define EMBEDDED {int(tableau.b_hat is not None)}")
    if isinstance(tableau, HalfExplicitTableau):
        a, c, b_hat = tableau.a_float(), tableau.c_float(), tableau.b_hat_float()
        lines += [
            f"#define STAGES {tableau.stages}",
            f"#define FINAL {tableau.s}",
            f"#define FSAL {int(tableau.fsal)}",
            _vector("D", tableau.d_float()),
        ]
        header = "half_explicit.h"
    else:
        table = rkmk_table(method)
        a, c, b_hat = table.a, table.c, table.b_hat
        lines += [
            f"#define STAGES {table.stages}",
            f"#define END_STAGE {int(table.has_end_stage)}",
            f"#define EXACT_INVERSE {int(method.commutators is None)}",
        ]
        header = "rkmk.h"
    rows = ",\n".join("    {" + ", ".join(map(_number, row)) + "}" for row in a)
    lines += [f"static const double A[{len(a)}][{a.shape[1]}] = {{\n{rows}}};", _vector("C", c)]
    if tableau.b_hat is not None and b_hat is not None:
        lines.append(_vector("B_HAT", b_hat))
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
