"""Gradients by adjoint steps that are projected, with redundant constraints, and with constraints nonlinear in v."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import symlie as sl
from symlie.contract.constants import Status
from symlie.errors import NotConvergedError, SingularSystemError
from symlie.runtime.integrate.run_options import RunOptions
from symlie.runtime.integrate.sensitivities.adjoint_method import AdjointMethod
from symlie.runtime.integrate.sensitivities.adjoint_run import AdjointRun
from symlie.runtime.integrate.sensitivities.variables import variables_of
from symlie.runtime.methods.programs.method import ProgrammedMethod
from tests import tolerances
from tests.runtime.sensitivities.models import cable, pendulum, perpendicular, pinned, redundant, shaken
from tests.runtime.sensitivities.test_adjoint import (
    COMPOSED,
    MOTION,
    check_checkpoints,
    disk,
    forward_gradient,
    held,
    large,
    run_in_reverse,
    weighted,
)
from tests.runtime.test_compliance import system as beam

pytestmark = pytest.mark.filterwarnings("ignore::symlie.warnings.SymlieWarning")  # redundant constraints

Case = tuple[Callable[[], sl.System], list[str], dict[str, Any]]

H = 1 / 64
POSITION, BOTH = {"stabilize": "projection"}, {"stabilize": "projection+velocity"}
BOB, SIZES, SPRING = ["length", "mass", "bob.x_dot"], ["mass", "length"], ["stiffness", "mass", "a.x"]

PROJECTED: list[Case] = [
    (pendulum, BOB, {"h": H, **POSITION}),
    (pendulum, BOB, {"rtol": 1e-6, **BOTH}),
    (held, ["mass", "length", "force"], {"h": H, "method": "generalized_alpha", **BOTH}),
    (held, ["mass", "length", "force"], {"h": H, "method": "bdf2", **BOTH}),
    (shaken, [*MOTION, "length", "force"], {"rtol": 1e-6, **BOTH}),
    (shaken, [*MOTION, "length", "force"], {"h": H, "method": "rattlie", **BOTH}),
    (large, ["mass", "body0.Omega"], {"h": H / 2, "method": "half_explicit_2", **BOTH}),
    (perpendicular, SPRING, {"h": H, **BOTH}),
]

REDUNDANT: list[Case] = [
    (pinned, SIZES, {"h": H, "method": "half_explicit_4"}),
    (pinned, SIZES, {"h": H, "method": "index1_dopri5"}),
    (pinned, SIZES, {"rtol": 1e-6, **BOTH}),
    (redundant, SIZES, {"h": H, "method": "generalized_alpha_index2"}),
    (redundant, SIZES, {"h": H, "method": "bdf2"}),
    (redundant, SIZES, {"rtol": 1e-6, "method": "bdf"}),
    (redundant, SIZES, {"h": H, "method": "variational_midpoint"}),
    (cable, SIZES, {"h": H / 2, "method": "rattlie"}),
    (cable, SIZES, {"rtol": 1e-6}),
]

ON_VELOCITIES: list[Case] = [
    (perpendicular, SPRING, {"rtol": 1e-6}),
    (perpendicular, SPRING, {"h": H, "method": "index1_dopri5"}),
    (perpendicular, SPRING, {"rtol": 1e-6, "method": "generalized_alpha"}),
    (perpendicular, SPRING, {"h": H, "method": "bdf3_index2"}),
    (disk, ["mass", "disk.Omega"], {"h": H / 2, "method": "generalized_alpha"}),
    (disk, ["mass", "disk.Omega"], {"rtol": 1e-6, "method": "generalized_alpha"}),
]


@pytest.mark.parametrize(("build", "names", "options"), [*PROJECTED, *REDUNDANT, *ON_VELOCITIES])
def test_adjoint_equals_forward_derivatives(
    build: Callable[[], sl.System], names: list[str], options: dict[str, Any]
) -> None:
    system = build()
    run = run_in_reverse(system, 0.25, options)
    found = run.gradient(variables_of(system, names), weighted(run.solution))
    expected = forward_gradient(system, 0.25, names, options)
    assert abs(found - expected).max() <= tolerances.FORWARD_AND_REVERSE * abs(expected).max()


@pytest.mark.parametrize(
    ("build", "names", "options"),
    [
        (held, ["mass", "length", "force"], {"h": H, **BOTH}),
        (pinned, [*SIZES, "upper.Omega", "lower.Omega", "seen.x"], {"h": H, "method": "half_explicit_4"}),
    ],
)
def test_checkpoints_contain_projected_states_and_multipliers_of_minimal_norm(
    build: Callable[[], sl.System], names: list[str], options: dict[str, Any]
) -> None:
    check_checkpoints(build(), names, 4000, options)


@pytest.mark.parametrize(
    ("build", "options"),
    [
        (held, {"h": H, "method": COMPOSED, **POSITION}),
        (cable, {"h": H, "method": COMPOSED}),
        (pinned, {"h": H, "method": "generalized_alpha_index2"}),
        (lambda: beam("c", 1e3), {"h": H}),
    ],
)
def test_steps_without_rules_have_no_adjoint(build: Callable[[], sl.System], options: dict[str, Any]) -> None:
    assert AdjointRun.of(build(), 0.125, RunOptions.of(dict(options))) is None


@pytest.mark.parametrize(
    ("status", "error", "sentence"),
    [
        (Status.NOT_CONVERGED, NotConvergedError, "corrections of an adjoint step of 'pendulum' do not converge"),
        (Status.SINGULAR, SingularSystemError, "linear system of an adjoint step of 'pendulum' is singular"),
    ],
)
def test_failed_adjoint_steps_are_reported(status: Status, error: type[Exception], sentence: str) -> None:
    run = run_in_reverse(pendulum(), 0.125, {"h": H}).run
    assert isinstance(run.method, ProgrammedMethod)
    adjoint = AdjointMethod(run.system, run.method, run.control)
    with pytest.raises(error, match=sentence):
        adjoint._check(int(status))
