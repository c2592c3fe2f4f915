"""Studies of one model in several coordinates: errors of outputs, Newton iterations, runs that fail."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

import symlie as sl
from symlie.errors import ModelError, UnknownNameError
from symlie.models import heavy_top
from symlie.runtime.study.convergence import ConvergenceRow
from symlie.runtime.system.system import System
from tests import tolerances

T_END = 0.05


@functools.cache
def top(coordinates: str) -> System:
    return heavy_top.build(group="SO3", coordinates=coordinates).derive().compile()


@pytest.mark.slow
def test_outputs_of_two_formulations_are_compared() -> None:
    """Errors against one run, orders of both, and iterations of the implicit method."""
    systems = {name: top(name) for name in ("lie", "euler_parameters")}
    fine = sl.solve(top("lie"), T_END, h=T_END / 4096, method="rkmk_rk67")
    steps = [T_END / 128, T_END / 256]
    study = list(
        sl.convergence(systems, T_END, ["generalized_alpha"], steps, reference=fine, outputs=["center_of_mass"])
    )
    assert [(row.coordinates, row.h) for row in study] == [(name, h) for name in systems for h in steps]
    for name, row in zip(np.repeat(list(systems), 2), study, strict=True):
        run = sl.solve(systems[name], T_END, h=row.h, method="generalized_alpha")
        distance = np.linalg.norm(run.outputs["center_of_mass"][-1] - fine.outputs["center_of_mass"][-1])
        assert row.error.outputs == pytest.approx(distance, rel=tolerances.OBSERVED)
        assert row.newton_iterations_per_step == run.statistics.newton_iterations / run.statistics.steps
        assert row.factorisations == run.statistics.factorisations and not row.failure
        assert row.error.q is None and row.error.v is None
    for before, row in (study[:2], study[2:]):
        assert before.error.outputs is not None and row.error.outputs is not None
        observed = math.log2(before.error.outputs / row.error.outputs)
        assert row.order.outputs == pytest.approx(observed, rel=tolerances.OBSERVED)
        assert row.order.outputs == pytest.approx(2, abs=tolerances.ORDER_SLACK)


def test_largest_difference_of_the_run_is_reported() -> None:
    steps = [T_END / 64]
    (end,), (course,), (mean,) = (
        list(sl.convergence(top("lie"), T_END, ["rkmk_rk44"], steps, norm=norm)) for norm in ("end", "max", "l2")
    )
    assert course.error.q is not None and end.error.q is not None
    assert course.error.q > end.error.q - tolerances.EPSILON > 0
    fine = sl.solve(top("lie"), T_END, h=steps[0] / 2, method="rkmk_rk44")
    coarse = sl.solve(top("lie"), T_END, h=steps[0], method="rkmk_rk44")
    pairs = zip(fine.q[::2], coarse.q, strict=True)
    distances = [np.linalg.norm(top("lie").kernels.difference(a, b)) for a, b in pairs]
    assert course.error.q == pytest.approx(max(distances), rel=tolerances.OBSERVED)
    assert mean.error.q is not None


def test_failed_runs_are_listed_in_the_table() -> None:
    steps = [1e-3, 2e-5]
    (failed, done, refused, _) = sl.convergence(
        {"euler_angles": top("euler_angles")}, 0.02, ["rkmk_rk44", "symplectic_theta"], steps
    )
    assert failed.failure.startswith("ChartSingularityError: ") and not failed.error.has_errors
    assert 0 < failed.steps < 20
    assert not done.failure and done.error.has_errors and not done.order.has_errors
    assert refused.failure.startswith("UnsupportedMethodError: ") and refused.steps == 0
    assert refused.to_json()["failure"] == refused.failure


def test_iteration_counts_are_drawn() -> None:
    rows = list(sl.convergence(top("lie"), T_END, ["generalized_alpha", "rkmk_rk44"], [T_END / 32, T_END / 64]))
    (line,) = sl.plot_newton_iterations(rows).axes[0].get_lines()
    implicit = [row for row in rows if row.newton_iterations_per_step]
    assert {row.method for row in implicit} == {"generalized_alpha"}
    assert list(line.get_ydata()) == [row.newton_iterations_per_step for row in implicit]
    with pytest.raises(ModelError, match="No Newton iterations to draw"):
        sl.plot_newton_iterations([row for row in rows if row not in implicit])


def test_repetitions_and_invalid_outputs_are_handled() -> None:
    (row,) = sl.convergence(top("lie"), T_END, ["rkmk_rk44"], [T_END / 8], repetitions=3)
    assert isinstance(row, ConvergenceRow) and row.cpu_seconds > 0
    with pytest.raises(UnknownNameError, match="'heavy_top' has no output 'tip'; it has: center_of_mass, rotation"):
        next(sl.convergence(top("lie"), T_END, ["rkmk_rk44"], [0.01], outputs=["tip"]))
    with pytest.raises(UnknownNameError, match="Unknown norm 'largest'; use end or max or l2"):
        next(sl.convergence(top("lie"), T_END, ["rkmk_rk44"], [0.01], norm="largest"))
