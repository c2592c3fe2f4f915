"""Steps of one length by Taylor series, longer than these converge: a named error, and none where steps are fine."""

from __future__ import annotations

import re

import numpy as np
import pytest

import symlie as sl
from symlie.errors import DivergentSeriesError
from symlie.models import flying_spaghetti, slider_crank
from symlie.runtime.methods.controllers import FIXED_STEPS
from symlie.runtime.methods.library import method
from symlie.runtime.methods.series_convergence import estimated_radius
from symlie.runtime.methods.stepper import Stepper
from symlie.runtime.methods.taylor import series_of
from symlie.runtime.system.system import System
from tests import tolerances
from tests.systems import heavy_top_system


def escaping(backend: str = "c") -> System:
    """A bead that is at x = 1/(1 - t)²: its series about t has the radius 1 - t."""
    model = sl.Model("bead")
    bead = model.node("bead", "R1")
    model.kinetic_energy(bead.x_dot.dot(bead.x_dot) / 2)
    model.potential_energy(-2 * bead.x[0] ** 3)
    model.initial(bead, x=[1], x_dot=[2])
    return model.derive().compile(backend=backend)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_convergence_failure_is_explained(backend: str) -> None:
    """The message contains the time, the radius of convergence and a remedy; the solution extends to that time."""
    with pytest.raises(DivergentSeriesError) as caught:
        sl.solve(escaping(backend), 2.1, method="taylor", h=0.3)
    text = str(caught.value)
    assert text.startswith("The step after t = 0.9 exceeds the radius of convergence of the Taylor series (the radius")
    assert "up to order 20); use a smaller step, or tolerances, from which steps are chosen by the series." in text
    found = re.search(r"about (\S+) s", text)
    assert found and abs(float(found[1]) - 0.1) <= tolerances.RADIUS * 0.1
    assert caught.value.solution is not None and caught.value.solution.t[-1] == pytest.approx(0.9)


@pytest.mark.parametrize("order", [8, 20, 40])
def test_convergence_radius_is_estimated(order: int) -> None:
    system = escaping("numpy")
    begin = sl.solve(system, 1e-3, method="taylor", h=1e-3)
    stepper = Stepper(system, method("taylor"), FIXED_STEPS)
    series = series_of(stepper, order, 1.0, 0.0, begin.q[0], begin.v[0], np.zeros(0))
    assert 1 - tolerances.RADIUS <= estimated_radius(series, 9.0) <= 1


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::symlie.warnings.SymlieWarning")
@pytest.mark.parametrize("order", [8, 12, 16, 20, 24, 28, 32])
@pytest.mark.parametrize("group", ["S3", "S3xR3"])
def test_steps_fail_or_converge_for_every_number_of_steps(group: str, order: int) -> None:
    """From steps that are far too long to short ones: only the named error, and none once errors are small."""
    system = heavy_top_system(group)
    exact = sl.solve(system, 0.5, method="taylor", rtol=1e-14)
    failed, errors = [], []
    for steps in range(3, 90):
        try:
            found = sl.solve(system, 0.5, method="taylor", method_options={"order": order}, h=0.5 / steps)
        except DivergentSeriesError:
            failed.append(steps)
        else:
            errors.append((steps, np.abs(found.q[-1] - exact.q[-1]).max()))
    assert failed
    fine = next(steps for steps, error in errors if error <= tolerances.DIVERGED_MOTION)
    assert max(failed) < fine


# Steps that leave the constraints lead from one branch of the motion to another before they diverge.
# Findings of runs that take a while are reported before the run fails.
@pytest.mark.filterwarnings("ignore:Near t = ")
@pytest.mark.parametrize(("build", "t_end", "steps"), [(slider_crank.build, 1.0, 20), (flying_spaghetti.build, 0.5, 2)])
@pytest.mark.parametrize("backend", ["c", pytest.param("numpy", marks=pytest.mark.slow)])
def test_error_replaces_other_failures(build: object, t_end: float, steps: int, backend: str) -> None:
    """Mechanisms whose constraints steps leave, and rods whose states become infinite."""
    assert callable(build)
    system = build().derive().compile(backend=backend)
    with pytest.raises(DivergentSeriesError, match="the radius of convergence is about"):
        sl.solve(system, t_end, method="taylor", h=t_end / steps)


@pytest.mark.slow
def test_motions_starting_with_high_powers_are_accurate() -> None:
    """x = t^8: its last term is the only one, and exact; a body at rest has none."""
    model = sl.Model("late")
    bead, rest = model.node("bead", "R1"), model.node("rest", "S3")
    model.kinetic_energy(bead.x_dot.dot(bead.x_dot) / 2 + rest.Omega.dot(rest.Omega) / 2)
    model.potential_energy(-56 * model.t**6 * bead.x[0])
    model.initial(bead, x=[0], x_dot=[0])
    system = model.derive().compile()
    for order in (8, 9, 12, 20):
        found = sl.solve(system, 2.0, method="taylor", method_options={"order": order}, h=1.0)
        assert found.q[-1, 0] == pytest.approx(256, rel=tolerances.SPACES)
