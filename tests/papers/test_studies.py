"""Studies of single papers: discrete equations and an integrator, stages of steps, times of formulas, series."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import symlie as sl
from symlie.models import roll_up
from symlie.papers.error_curves import ErrorCurves, error_panels
from symlie.papers.hante2022.algorithm import INERTIA, LENGTH, ROUNDING, STIFFNESS, flying, pulled
from symlie.papers.hante2022.full_discretization import ByLines, Rod, difference, hat, inverse_tangent
from symlie.papers.hante2022.variational_stages import ITERATIONS, Stages
from symlie.papers.holzinger2024.formula_times import POINT, STORED, FormulaTimes
from symlie.papers.holzinger2024.formulas import SAME, block_error, composed, momentum_rate
from symlie.papers.studies import Case, Course, Ladder, Session
from tests import tolerances

SESSION = Session()
"""Systems and runs that several tests share."""

SHORT = Course(flying(2), 0.25, "rattlie", 2.0**-8)
ROD = Rod(LENGTH, STIFFNESS, INERTIA, 0.0, (3, 4), False, pulled)


def test_series_of_the_discrete_equations_equal_the_group() -> None:
    """T⁻¹ and log of two nodes, compared with the kernels of a rod."""
    system = roll_up.build(segments=1).derive().compile("numpy")
    random = np.random.default_rng(2)
    theta, v = random.uniform(-0.5, 0.5, (2, 2, 6))
    found = np.einsum("nij,nj->ni", inverse_tangent(hat(theta)), v)
    kernels = system.kernels
    expected = kernels.inverse_tangent_operator(theta.ravel(), v.ravel()).reshape(2, 6)
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerances.SERIES_OF_T)
    start = system.initial_state.q
    ends = kernels.advance(start, theta.ravel())
    np.testing.assert_allclose(
        difference(start.reshape(2, 7), ends.reshape(2, 7)), theta, rtol=0, atol=tolerances.SERIES_OF_T
    )


@pytest.mark.slow
def test_line_by_line_integrator_satisfies_the_discrete_equations() -> None:
    """Data that differ from the run increase the residual of each equation."""
    found = ByLines(SHORT, ROD).run(SESSION)
    assert max(found.start, found.end) < ROUNDING
    assert found.constraint < ROUNDING and found.hidden < ROUNDING
    softer = ByLines(SHORT, replace(ROD, stiffness=tuple(0.9 * c for c in STIFFNESS))).run(SESSION)
    assert min(softer.start, softer.end) > 1e3 * ROUNDING
    damped = ByLines(SHORT, replace(ROD, damping=1.0)).run(SESSION)
    assert min(damped.start, damped.end) > 1e3 * ROUNDING


@pytest.mark.slow
@pytest.mark.parametrize(("constraint", "multipliers"), [("kirchhoff", 2), ("inextensible", 3)])
def test_stages_of_a_variational_step_are_correct(constraint: str, multipliers: int) -> None:
    """The second is linear; the bandwidth is a node and its adjacent multipliers."""
    course = replace(SHORT, case=flying(3, constraint))
    first, second = Stages(course).run(SESSION)
    assert len(first.residuals) == ITERATIONS + 1 and first.residuals[0] == second.residuals[0] == 1
    assert second.residuals[1] < tolerances.LINEAR_STAGE < first.residuals[1]
    assert first.half_bandwidth == second.half_bandwidth == 5 + multipliers
    assert first.unknowns == second.unknowns == 4 * 6 + 3 * multipliers


@pytest.mark.slow
def test_formulas_are_timed_on_equal_motions() -> None:
    found = FormulaTimes("rkmk_rk44", steps=50, repetitions=1).run(SESSION)
    assert set(found) == {POINT, *STORED}
    assert all(row.seconds > 0 for row in found.values())
    assert np.ptp([found[name].rotation for name in STORED], axis=0).max() < SAME
    angle = np.linalg.norm([1.0, 2.0, 3.0]) * (1 - np.exp(-0.1 * 5e-3)) / 0.1
    assert np.isclose(np.trace(found["quaternion"].rotation.reshape(3, 3)), 1 + 2 * np.cos(angle), rtol=1e-12)


def test_printed_equations_fail_where_the_corrected_ones_hold() -> None:
    assert composed(-1.0, 2.0) < tolerances.KERNEL < 0.1 < min(composed(1.0, 0.5), composed(1.0, 2.0))
    assert momentum_rate(-1.0) == 0 and momentum_rate(1.0) == 2
    assert block_error(0.0) == 0 and block_error(1.0) == 1


@pytest.mark.slow
def test_errors_of_published_series_have_a_separate_curve() -> None:
    pytest.importorskip("flint")
    study = ErrorCurves("holzinger2024", ("g0",))
    (panel,) = error_panels(study)
    printed, ours = (curve.points(study.run(SESSION)) for curve in panel.curves)
    assert printed[1].max() > 1e3 > 10 > ours[1].max()


@pytest.mark.slow
def test_relative_errors_cover_all_stored_components() -> None:
    rod = Case("roll_up", (("constraint", "kirchhoff"), ("segments", 3)))
    ladder = Ladder(rod, ("half_explicit_5",), (0.01,), 0.1, ("half_explicit_5", 1e-3), norm="relative")
    (rung,) = ladder.run(SESSION)["half_explicit_5"]
    runs = [sl.solve(SESSION.system(rod), 0.1, method="half_explicit_5", h=h).q[-1] for h in (0.01, 1e-3)]
    expected = np.linalg.norm(runs[0] - runs[1]) / np.linalg.norm(runs[1])
    assert rung.errors == {"q": pytest.approx(expected, rel=tolerances.OBSERVED)}
    assert 1e-12 < expected < 1e-3


def test_convergence_series_repeat_runs_and_omit_unknown_values() -> None:
    """On the dual of se(3) the top has none of the outputs of the solution that is shipped."""
    top = Case("heavy_top", (("formulation", "se3_dual"),))
    assert SESSION.known(top, 0.1) is not None
    ladder = Ladder(top, ("rkmk_rk44",), (1e-3, 5e-4), 0.1, ("rkmk_rk67", 2.5e-4))
    once, thrice = ladder.run(SESSION)["rkmk_rk44"], replace(ladder, repetitions=3).run(SESSION)["rkmk_rk44"]
    assert [row.errors for row in once] == [row.errors for row in thrice]
    assert once[0].errors["q"] > 8 * once[1].errors["q"] > 0
