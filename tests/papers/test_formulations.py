"""Studies of formulations: errors, iterations and times over step sizes, and runs that fail."""

from __future__ import annotations

import math

import numpy as np
import pytest

import symlie as sl
from symlie.papers.formulations import (
    Formulations,
    corrections_for,
    error_at,
    errors,
    iterations,
    iterations_at,
    ran,
    step_for,
    times,
    work,
)
from symlie.papers.studies import Case, Session
from tests import tolerances

FOUND = Formulations(
    Case("heavy_top", (("group", "SO3"),)),
    (("group", (("coordinates", "lie"),)), ("angles", (("coordinates", "euler_angles"),))),
    "generalized_alpha",
    (1e-3, 1e-4, 5e-5),
    0.1,
    "center_of_mass",
    ("rkmk_rk67", 1e-5),
)


@pytest.fixture(scope="module")
def session() -> Session:
    return Session()


def test_errors_match_a_manual_run(session: Session) -> None:
    """The error at one step equals the error of a manual run against the shipped solution."""
    found = FOUND.run(session)
    known = session.known(FOUND.case_of("group"), 0.1)
    assert known is not None
    run = sl.solve(session.system(FOUND.case_of("group")), 0.1, h=1e-4, method="generalized_alpha")
    distance = np.linalg.norm(run.outputs["center_of_mass"][-1] - known.outputs["center_of_mass"])
    assert error_at("group", 1e-4)(found) == pytest.approx(distance, rel=tolerances.OBSERVED)
    assert iterations_at("group", 1e-4)(found) == run.statistics.newton_iterations / run.statistics.steps
    h, y = errors("angles")(found)
    assert h.tolist() == list(FOUND.steps) and np.isnan(y).tolist() == [True, False, False]
    assert np.isnan(iterations("angles")(found)[1][0])
    assert ran("angles", 1e-3)(found) == 0 and ran("angles", 1e-4)(found) == 1
    assert times("group", "group")(found)[1][0] == 1
    assert work("group", "group")(found)[0].tolist() == times("group", "group")(found)[1].tolist()


def test_effort_at_equal_error_is_interpolated(session: Session) -> None:
    found = FOUND.run(session)
    rows = found["group"]
    between = math.sqrt((rows[1].error.outputs or 0) * (rows[2].error.outputs or 0))
    counts = [row.steps * (row.newton_iterations_per_step or 0) for row in rows]
    assert corrections_for("group", between)(found) == pytest.approx(
        math.sqrt(counts[1] * counts[2]), rel=tolerances.OBSERVED
    )
    step = math.sqrt(rows[1].h * rows[2].h)
    assert step_for("group", between)(found) == pytest.approx(step, rel=tolerances.OBSERVED)
    assert math.isnan(corrections_for("group", 1e-20)(found))


def test_user_model_is_compared_with_a_reference_run(session: Session) -> None:
    """If no solution is shipped for the time, the named run is the reference."""
    study = Formulations(
        FOUND.case, FOUND.options[:1], "generalized_alpha", (1e-3,), 0.0625, "center_of_mass", ("rkmk_rk67", 2.0**-14)
    )
    (row,) = study.run(session)["group"]
    system = session.system(study.case_of("group"))
    ends = [
        sl.solve(system, 0.0625, h=h, method=name).outputs["center_of_mass"][-1]
        for name, h in (("rkmk_rk67", 2.0**-14), ("generalized_alpha", 1e-3))
    ]
    assert row.error.outputs == pytest.approx(float(np.linalg.norm(ends[1] - ends[0])), rel=tolerances.TWO_DIGITS)


def test_shipped_solution_belongs_to_its_parameters(session: Session) -> None:
    slow = Case("heavy_top", (("group", "SO3"),), initial=(("top", "Omega", (0.0, 1.5, -0.046)),))
    assert session.known(FOUND.case, 0.1) is not None and session.known(slow, 0.1) is None
