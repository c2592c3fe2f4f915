"""The table of system kernels: what follows from it is there, in C and in both backends."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest

from symlie.compile.compiler import BASE_FLAGS, run_compiler
from symlie.compile.headers import declarations, with_headers
from symlie.contract.kernels import KERNELS, SYSTEM_KERNELS, Gather, gathered
from symlie.contract.sets import COORDINATE_RATES, CORE, SETS
from symlie.publish.sets import generated_files, set_files
from tests import tolerances
from tests.systems import heavy_top_equations, heavy_top_system


def test_kernel_table_matches_the_sets() -> None:
    assert len(KERNELS) == len(SYSTEM_KERNELS)
    # Jets go on from order to order in memory of their own: no function of a state.
    sets = {CORE, COORDINATE_RATES, *(chosen.rows for chosen in SETS.values())}
    assert {row.set for row in SYSTEM_KERNELS} == sets - {"jets"}
    for row in SYSTEM_KERNELS:
        names = [*row.names, *row.result_names]
        assert len(set(names)) == len(names) and not {"P", "e", "k", "s", "d"} & set(names), row.name
        assert set(row.arguments) <= set("tqbvaλuwxhθξ"), row.name
        assert row.of_nodes or row.arguments[0] == "t", row.name


def test_prototypes_match_the_kernels() -> None:
    """Of all rows except those gathered inside of other functions."""
    text = declarations()
    found = {row.name for row in SYSTEM_KERNELS if f" symlie_{row.name}(" in text}
    gradients = {row.name for row in SYSTEM_KERNELS if row.name.endswith("_gradient") and row.gather is Gather.OWN}
    assert {row.name for row in SYSTEM_KERNELS} - found == {"dependent", "output", *gradients}


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_backends_provide_all_kernels(backend: str) -> None:
    kernels = heavy_top_system("SE3", backend).kernels
    for row in gathered(CORE):
        assert callable(getattr(kernels, row.name))
    with pytest.raises(AttributeError, match="System kernel 'forces' does not exist"):
        _ = kernels.forces


LOOP = """
#include "heavy_top.c"
#include "heavy_top_newton.h"
/* K of a problem in memory of the caller, with the number of its values first. */
void probe(double *q, double *v, double *a, double *lambda, double *p, double *values)
{
    int place = 0;
    symlie_elements element = {1, &place, &place, p, 0};
    symlie_nodes node = {1, 1};
    symlie_problem problem = {.p = p, .elements = &element, .nodes = &node}, *P = &problem;
    double C[VALUES_OF_C + 1], H[VALUES_OF_H + 1];
    values[0] = VALUES_OF_K;
    system_newton(P, 0, q, v, a, lambda, values + 1, C, H);
}
"""


def test_newton_matrices_are_called_from_c(tmp_path: Path) -> None:
    """The header of a set after the header of the model, as in a time loop."""
    equations = heavy_top_equations("SE3")
    texts = generated_files(equations) | set_files(equations, "newton")
    for name, text in with_headers({**texts, "loop.c": LOOP}).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    run_compiler(tmp_path / "loop.c", tmp_path / "loop.so", BASE_FLAGS)
    system = equations.compile(backend="numpy")
    start, a = system.initial_state, np.linspace(0.5, 1, system.layout.dimension)
    stiffness, *_ = system.newton_matrices(system.prepared, 0.0, start.q, start.v, a, start.multipliers)
    found = np.zeros(1 + system.layout.dimension**2)
    inputs = (start.q.copy(), start.v.copy(), a, start.multipliers.copy(), system.prepared.model.copy(), found)
    ctypes.CDLL(str(tmp_path / "loop.so")).probe(*(x.ctypes.data_as(ctypes.c_void_p) for x in inputs))
    assert found[0] == len(stiffness.data)
    values = np.sort(stiffness.data)
    atol = np.abs(values).max() * tolerances.BACKENDS
    np.testing.assert_allclose(np.sort(found[1 : 1 + len(values)]), values, rtol=0, atol=atol)
