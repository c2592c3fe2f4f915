"""Tableaux as C text for the compiled time loops."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.commutator_free import ChainTableau
from symlie.runtime.methods.exact import rounded
from symlie.runtime.methods.method import Method
from symlie.runtime.methods.order_conditions import inverse_weights
from symlie.runtime.methods.symplectic_theta import ThetaTableau
from symlie.runtime.methods.tableau import Bracket, ExplicitTableau, HalfExplicitTableau


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
    brackets
        Commutators of slopes in the rows.
    inverse
        Weights of the truncated dexp⁻¹ in powers of ad, from the first; empty if it leaves the identity or is exact.
    """

    a: Array
    c: Array
    b_hat: Array
    has_end_stage: bool
    brackets: tuple[Bracket, ...]
    inverse: Array

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
    has_end_stage = method.use == "index1" or (tableau.fsal and tableau.has_estimate)
    b_hat = np.zeros(used + int(has_end_stage))
    embedded = tableau.b_hat_float()
    if embedded is not None:
        b_hat[: tableau.stages] = embedded
    return RkmkTable(
        np.vstack([rows[:used, :used], weights[:used]]),
        tableau.c_float()[:used],
        b_hat,
        has_end_stage,
        tableau.brackets,
        np.array([float(x) for x in inverse_weights((method.commutators or 0) + 1)[1:]]),
    )


@dataclass(frozen=True, eq=False)
class ChainTable:
    """Chains of exponentials as steps use them, those of the stages first, then the result and the embedded result.

    Attributes
    ----------
    exponentials
        Weights of the slopes in each exponential, shape (exponentials, stages).
    bounds
        Chain k has the exponentials from ``bounds[k]`` to ``bounds[k + 1]``.
    start
        The stage, counted from 0, that each chain starts from.
    c
        Nodes of the stages.
    needed
        Number of stages that the result needs; the others serve the embedded result.
    """

    exponentials: Array
    bounds: tuple[int, ...]
    start: tuple[int, ...]
    c: Array
    needed: int

    @property
    def stages(self) -> int:
        """Number of stages."""
        return len(self.c)


def chain_table(tableau: ChainTableau) -> ChainTable:
    """The table of a method by chains of exponentials."""
    chains = [*tableau.chains, *(chain for _, chain in tableau.ends())]
    rows = [row for chain in chains for row in chain.exponentials]
    exponentials = np.zeros((len(rows), tableau.stages))
    for target, row in zip(exponentials, rows, strict=True):
        target[: len(row)] = rounded(row)
    bounds = [0]
    for chain in chains:
        bounds.append(bounds[-1] + len(chain.exponentials))
    used = [k for row in tableau.result.exponentials for k, weight in enumerate(row, start=1) if weight]
    start = tuple(chain.start - 1 for chain in chains)
    return ChainTable(exponentials, tuple(bounds), start, tableau.c_float(), max([tableau.result.start, *used]))


def method_header(method: Method) -> str:
    """The header with the step of a method."""
    tableau = method.tableau
    if isinstance(tableau, HalfExplicitTableau):
        return "half_explicit.h"
    if isinstance(tableau, ChainTableau):
        return "commutator_free.h"
    if isinstance(tableau, ThetaTableau):
        return "symplectic_theta.h"
    return "ambient.h" if method.use == "ambient" else "rkmk.h"


def method_lines(method: Method) -> list[str]:
    """The constants that the header of a method takes, as lines of C."""
    tableau = method.tableau
    if isinstance(tableau, HalfExplicitTableau):
        return _half_explicit_lines(tableau)
    if isinstance(tableau, ChainTableau):
        return _chain_lines(chain_table(tableau))
    if isinstance(tableau, ThetaTableau):
        return [f"#define THETA {_number(tableau.theta)}"]
    return _rkmk_lines(rkmk_table(method), method)


def _half_explicit_lines(tableau: HalfExplicitTableau) -> list[str]:
    b_hat = tableau.b_hat_float()
    return [
        f"#define STAGES {tableau.stages}",
        f"#define FINAL {tableau.s}",
        f"#define FSAL {int(tableau.fsal)}",
        c_vector("D", tableau.d_float()),
        c_matrix("A", tableau.a_float()),
        c_vector("C", tableau.c_float()),
        *([] if b_hat is None else [c_vector("B_HAT", b_hat)]),
    ]


def _rkmk_lines(table: RkmkTable, method: Method) -> list[str]:
    end = "" if method.map == "exp" else f"_{method.map}"
    lines = [
        f"#define STAGES {table.stages}",
        f"#define END_STAGE {int(table.has_end_stage)}",
        f"#define EXACT_INVERSE {int(method.commutators is None)}",
        f"#define COMMUTATORS {len(table.inverse)}",
        f"#define BRACKETS {len(table.brackets)}",
        f"#define ONE_EXPONENTIAL {int(method.map == 'exp' and method.use != 'ambient')}",
        *(f"#define STEP_{name.upper()} system_{name}{end}" for name in ("advance", "rate", "chart")),
        *(["#define STEP_ANGLE(x) (2 * atan(0.5 * (x)))"] if method.map == "cayley" else []),
        c_matrix("A", table.a),
        c_vector("C", table.c),
    ]
    if len(table.inverse):
        lines.append(c_vector("INVERSE", table.inverse))
    if table.brackets:
        places = [f"{{{b.row - 1}, {b.first - 1}, {b.second - 1}}}" for b in table.brackets]
        lines.append(f"static const int BRACKET[{len(places)}][3] = {{{', '.join(places)}}};")
        lines.append(c_vector("BRACKET_WEIGHT", (float(b.weight) for b in table.brackets)))
    if method.has_estimate:
        lines.append(c_vector("B_HAT", table.b_hat))
    return lines


def _chain_lines(table: ChainTable) -> list[str]:
    return [
        f"#define STAGES {table.stages}",
        f"#define NEEDED {table.needed}",
        c_matrix("EXPONENTIAL", table.exponentials),
        _integers("BOUND", table.bounds),
        _integers("START", table.start),
        c_vector("C", table.c),
    ]


def _number(value: float) -> str:
    return repr(float(value))


def c_vector(name: str, values: Iterable[float]) -> str:
    numbers = [*map(_number, values)]
    return f"static const double {name}[{len(numbers)}] = {{{', '.join(numbers)}}};"


def _integers(name: str, values: tuple[int, ...]) -> str:
    return f"static const int {name}[{len(values)}] = {{{', '.join(map(str, values))}}};"


def c_matrix(name: str, values: Array) -> str:
    rows = ",\n".join("    {" + ", ".join(map(_number, row)) + "}" for row in values)
    return f"static const double {name}[{len(values)}][{values.shape[1]}] = {{\n{rows}}};"
