"""Notices of runs that did not fail: numbers that have nothing to do with the model, and records without bound."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sympy import log

import symlie as sl
from symlie.contract.constants import STIFFNESS_EVERY
from symlie.errors import InterruptedIntegrationError, TooManyStepsError
from symlie.runtime.integrate import run as execution
from symlie.runtime.integrate.monitors import findings
from symlie.runtime.integrate.monitors.stiffness import NEAR_LIMIT, stiffness_limit
from symlie.runtime.methods.library import method as method_of_name
from symlie.runtime.system.system import System
from tests import tolerances
from tests.systems import heavy_top_system

BACKENDS = ("c", "numpy")


def centre() -> sl.Model:
    """A fall into a centre of attraction."""
    model = sl.Model("fall_to_the_centre")
    q = model.node("q", "R2")
    model.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)
    model.potential_energy(-1 / sl.sqrt(q.x.dot(q.x)))
    model.initial(q, x=[1, 0])
    return model


def spring() -> sl.Model:
    """A stiff spring, released at rest where its energy is zero, with an output that ends at x = 0."""
    model = sl.Model("stiff_spring")
    q = model.node("q", "R1")
    k = model.parameter("k", 1e8)
    model.kinetic_energy(q.x_dot[0] ** 2 / 2)
    model.potential_energy(k * (q.x[0] ** 2 - 1) / 2)
    model.output("root", sl.sqrt(q.x[0]))
    model.initial(q, x=[1])
    return model


def pushed() -> sl.Model:
    model = sl.Model("pushed")
    q = model.node("q", "R1")
    model.kinetic_energy(q.x_dot[0] ** 2 / 2)
    model.generalized_force(q, x_dot=[1e3])
    return model


def undefined() -> sl.Model:
    model = sl.Model("undefined_energy")
    q = model.node("q", "R1")
    model.kinetic_energy(q.x_dot[0] ** 2 / 2)
    model.potential_energy(log(-(q.x[0] ** 2) - 1))
    return model


@functools.cache
def system_of(build: Callable[[], sl.Model], backend: str) -> System:
    return build().derive().compile(backend=backend)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("build", "end", "h"), [(centre, 2.0, 0.01), (spring, 0.05, 1e-3)])
@pytest.mark.parametrize("every", [0, 1])
def test_energy_drift_of_conservative_models_is_reported(
    build: Callable[[], sl.Model], end: float, h: float, every: int, backend: str
) -> None:
    system = system_of(build, backend)
    with pytest.warns(sl.SymlieWarning, match="which the model conserves, .* smaller steps") as given:
        solution = sl.solve(system, end, h=h, record_every=every)
    assert solution.status == "ok" and solution.warnings == tuple(str(w.message) for w in given)
    assert given[0].filename == __file__


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_conserved_energy_gives_no_warning(backend: str) -> None:
    """Runs that are right, also those that are at rest whenever they are looked at, and driven ones."""
    soft = system_of(spring, backend).with_parameters(k=39.47841760435743)
    for options in ({"h": 1e-2}, {"record_every": 0, "h": 1e-2}, {"t_eval": [1.0], "rtol": 1e-3}):
        assert sl.solve(soft, 1.0, **options).warnings == ()
    assert sl.solve(system_of(pushed, backend), 1.0, h=0.1).warnings == ()
    assert sl.solve(system_of(centre, backend), 1.0, h=0.01).warnings == ()


def comet() -> sl.Model:
    """Kepler's problem with eccentricity 0.9999 from the apocentre: E = -1/2, kinetic energies from 5e-5 to 1e4."""
    model = sl.Model("comet")
    p = model.node("p", "R3")
    model.kinetic_energy(p.x_dot.dot(p.x_dot) / 2)
    model.potential_energy(-1 / p.x.norm())
    model.initial(p, x=[1.9999, 0, 0], x_dot=[0, float(np.sqrt(1e-4 / 1.9999)), 0])
    return model


def bead() -> sl.Model:
    """A bead on a wire that may get a corner by a parameter, where it loses the part sin² of its energy."""
    model = sl.Model("bead")
    p, slope = model.node("p", "R2"), model.parameter("slope", 0.0)
    model.kinetic_energy(p.x_dot.dot(p.x_dot) / 2)
    model.constraint("wire", [p.x[1] - sl.select(p.x[0] < 0, 0 * p.x[0], slope * p.x[0])])
    model.initial(p, x=[-1, 0], x_dot=[1, 0])
    return model


def hanging(bodies: int) -> sl.Model:
    """A long chain of bodies at rest, of which some fall a little within the first step."""
    model = sl.Model("hanging")
    above = model.ground
    for i in range(bodies):
        body = sl.RigidBody(model, f"rod{i}", mass=1.2, inertia=[0.03, 0.031, 0.002], position=[0, 0, -0.25 - 0.5 * i])
        sl.RevoluteJoint(model, f"joint{i}", above, body, at=[0, 0, -0.5 * i], axis=[1, 0, 0] if i % 2 else [0, 1, 0])
        above = body
    model.gravity([3.0, 2.0, -9.0])
    return model


@pytest.mark.parametrize("periods", [3, 10])
def test_energy_is_compared_with_mean_kinetic_energy(periods: int) -> None:
    """Its largest kinetic energy is 2e4 times as large as the energy."""
    system, end = system_of(comet, "c"), 2 * np.pi * periods
    with pytest.warns(sl.SymlieWarning, match="which the model conserves, changed from -0.5 to"):
        sl.solve(system, end)
    assert sl.solve(system, end, rtol=1e-10).warnings == ()


@pytest.mark.slow
def test_energy_change_by_rounding_is_not_reported() -> None:
    model = hanging(4096)
    assert sl.solve(model.derive().compile(), 1e-6, method="half_explicit_5", h=1e-6).warnings == ()


@pytest.mark.slow
@pytest.mark.parametrize("words", [{}, {"rtol": 1e-4}, {"method": "taylor"}, {"h": 1e-2}])
def test_impact_at_corner_of_constraint_is_reported(words: dict[str, Any]) -> None:
    for slope in (0.5, -0.3):
        system = bead().derive().compile().with_parameters(slope=slope)
        with pytest.warns(sl.SymlieWarning, match=r"changed within one step, from 0\.5 .* smooth constraints"):
            sl.solve(system, 2.0, **words)


def test_conservative_models_are_recognised() -> None:
    conserving = {
        build.__name__: system_of(build, "numpy").layout.conserves_energy for build in (centre, spring, pushed)
    }
    assert conserving == {"centre": True, "spring": True, "pushed": False}


@pytest.mark.parametrize("backend", BACKENDS)
def test_nonfinite_outputs_are_reported(backend: str) -> None:
    soft = system_of(spring, backend).with_parameters(k=1.0)
    solution = sl.solve(soft, 3.0, t_eval=[1.0, 2.0, 3.0])
    assert solution.warnings == ()
    with pytest.warns(
        sl.SymlieWarning, match=r"Output 'root' of 'stiff_spring' is not finite at t = 2 s and at 1 other times\."
    ):
        _ = solution.outputs["root"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _ = solution.outputs["energy"], solution.outputs["root"]
    assert len(solution.to_json()["warnings"]) == 1


@pytest.mark.parametrize("backend", BACKENDS)
def test_nonfinite_energies_are_reported(backend: str) -> None:
    solution = sl.solve(system_of(undefined, backend), 0.1, h=0.1)
    with pytest.warns(sl.SymlieWarning, match="Output 'energy' of 'undefined_energy' is not finite at t = 0 s"):
        _ = solution.outputs["energy"]


def damped() -> sl.Model:
    """A fast decay together with a slow oscillation."""
    model = sl.Model("fast_decay")
    q = model.node("q", "R2")
    model.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)
    model.potential_energy(q.x.dot(q.x) / 2)
    model.dissipation(model.parameter("c", 1e6) * q.x_dot[0] ** 2 / 2)
    model.initial(q, x=[1e-3, 1], x_dot=[0, 0])
    return model


def damped_array() -> sl.Model:
    """The same with an undamped neighbour, in the structured form of large systems."""
    element = sl.ElementType("fast_decaying", node="R2")
    q = element.node
    element.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)
    element.potential_energy(q.x.dot(q.x) / 2)
    element.dissipation(element.parameter("c", 0.0) * q.x_dot[0] ** 2 / 2)
    model = sl.Model("fast_decays")
    nodes = model.node_array("nodes", "R2", 2)
    nodes.initial(x=[[1e-3, 1], [1, 1]])
    model.add(element, nodes, c=[1e6, 0.0])
    return model


def rubbing() -> sl.Model:
    """Coulomb friction, at rest from t = 1 on."""
    model = sl.Model("rubbing")
    q = model.node("q", "R1")
    model.kinetic_energy(q.x_dot[0] ** 2 / 2)
    model.generalized_force(q, x_dot=[-sl.sign(q.x_dot[0])])
    model.initial(q, x_dot=[1])
    return model


def drawn() -> sl.Model:
    """A block that a turning force and a damper move slowly over a floor with friction."""
    model = sl.Model("drawn_block")
    b, t = model.node("b", "R3"), model.t
    model.kinetic_energy(b.x_dot.dot(b.x_dot) / 2)
    model.potential_energy(10 * b.x[2])
    model.contact("floor", b.x[2], slip=b.x_dot[:2], friction=0.3)
    model.force(3.1 * sl.vector(sl.cos(t), sl.sin(t), 0) - 10 * b.x_dot, at=b.x)
    model.initial(b, x=[0, 0, 0], x_dot=[0.01, 0, 0])
    return model


def trembling() -> sl.Model:
    """A swing, and a force that alternates by far less than tolerances."""
    model = sl.Model("trembling")
    q = model.node("q", "R2")
    model.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)
    model.potential_energy(q.x[0] ** 2 / 2)
    model.generalized_force(q, x_dot=[0, -1e-16 * sl.sign(q.x_dot[1])])
    model.initial(q, x=[1, 0], x_dot=[0, 1e-17])
    return model


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_velocity_round_off_is_no_jump(backend: str) -> None:
    solution = sl.solve(system_of(trembling, backend), 400.0, rtol=1e-6, record_every=0)
    assert solution.statistics.steps > 2 * STIFFNESS_EVERY and not solution.warnings


def found(build: Callable[[], sl.Model], backend: str, **options: Any) -> sl.Solution:
    """A run that is too long for its number of steps."""
    with pytest.raises(TooManyStepsError) as caught:
        sl.solve(system_of(build, backend), 100.0, record_every=0, **options)
    assert caught.value.solution is not None
    return caught.value.solution


@pytest.mark.slow
@pytest.mark.parametrize("method", ["half_explicit_5", "rkmk_dopri5", "rkmk_bs32", "cf43"])
def test_stiffness_is_reported(method: str) -> None:
    with pytest.warns(
        sl.SymlieWarning, match=r"^The problem looks stiff: from t = 0\.00\d+ s on an explicit method needs steps of"
    ) as given:
        solution = found(damped, "c", method=method, max_steps=3000)
    assert len(given) == len(solution.warnings) == 1
    assert "Use method='bdf', which is implicit with adaptive steps" in solution.warnings[0]


@pytest.mark.slow
def test_steps_that_follow_the_direction_of_slip_are_explained() -> None:
    with pytest.warns(sl.SymlieWarning, match=r"Contact 'floor' slides in two directions: .* its direction turns"):
        found(drawn, "c", max_steps=1500)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "is_told"),
    [
        ({"rtol": 1e-9, "method": "rkmk_dopri5"}, True),
        ({"rtol": 1e-9}, True),
        ({"rtol": 1e-9, "method": "taylor"}, False),
        ({"rtol": 1e-9, "method": "bdf"}, False),
        ({"rtol": 1e-4}, False),
        ({"h": 1e-3}, False),
    ],
)
def test_taylor_is_suggested_if_faster(words: dict[str, Any], is_told: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """After many steps of an explicit method for many digits."""
    monkeypatch.setattr(findings, "MANY_STEPS", 20)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        solution = sl.solve(heavy_top_system("S3"), 0.05, record_every=0, **words)
    assert any("method='taylor' needs at most a tenth" in notice for notice in solution.warnings) == is_told


def test_suggested_remedy_of_stiffness_helps() -> None:
    solution = sl.solve(system_of(damped, "numpy"), 1.0, method="bdf")
    assert not solution.warnings and solution.statistics.steps < STIFFNESS_EVERY
    h = 0.05
    solution = sl.solve(system_of(damped, "numpy"), 1.0, method="generalized_alpha", h=h)
    assert not solution.warnings
    assert solution.field("q", "x")[-1, 1] == pytest.approx(np.cos(1.0), abs=tolerances.IMPLICIT_ERROR * h**2)


@pytest.mark.slow
@pytest.mark.parametrize(("build", "words"), [(damped, "looks stiff"), (rubbing, "force chatters from t = 1")])
def test_backends_give_equal_warnings(
    build: Callable[[], sl.Model], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the same step, also when the run continues from an intermediate checkpoint."""
    solutions = []
    for backend in BACKENDS:
        with pytest.warns(sl.SymlieWarning, match=words):
            solutions.append(found(build, backend, max_steps=1250))
    assert solutions[0].warnings == solutions[1].warnings
    path, stop = tmp_path / "run.checkpoint", Impatience(1010)
    monkeypatch.setattr(execution, "RETURN_SECONDS", 0.0)  # a call after each step
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(InterruptedIntegrationError):
            sl.solve(system_of(build, "c"), 100.0, record_every=0, max_steps=1250, checkpoint=path, progress=stop)
        with pytest.raises(TooManyStepsError) as caught:
            sl.resume(path, trust=True)
    resumed = caught.value.solution
    assert resumed is not None and resumed.warnings == solutions[0].warnings
    assert resumed.q.tobytes() == solutions[0].q.tobytes()
    assert resumed.statistics.rhs_evaluations == solutions[0].statistics.rhs_evaluations


@pytest.mark.slow
@pytest.mark.parametrize("method", ["half_explicit_5", "rkmk_dopri5"])
def test_stiffness_of_large_systems_is_reported(method: str) -> None:
    with pytest.warns(sl.SymlieWarning, match="looks stiff"):
        found(damped_array, "c", method=method, max_steps=1250)


def test_nonstiff_motions_give_no_warning() -> None:
    """Fast oscillations, damped a little, followed over many steps."""
    system = system_of(spring, "c").with_parameters(k=1.0)
    for options in ({"rtol": 1e-3}, {"rtol": 1e-9}, {"method": "rkmk_bs32", "rtol": 1e-4}):
        solution = sl.solve(system, 3000.0, record_every=0, **options)
        assert solution.statistics.steps > 2000
        assert not any("stiff" in notice or "force" in notice for notice in solution.warnings)


def test_stability_intervals_are_correct() -> None:
    """On the negative real axis; Hairer and Wanner, Solving Ordinary Differential Equations II, section IV.2."""
    known = {"rkmk_euler": 2.0, "rkmk_kutta3": 2.51, "rkmk_rk44": 2.79, "cf4": 2.79, "rkmk_dopri5": 3.31}
    for name, length in known.items():
        found_length = stiffness_limit(method_of_name(name)) / NEAR_LIMIT
        assert found_length == pytest.approx(length, abs=tolerances.STABILITY_INTERVAL)
    assert stiffness_limit(method_of_name("symplectic_theta")) == 0


class Impatience:
    """A progress callback that acts as if Ctrl-C were pressed after some steps."""

    def __init__(self, calls: int) -> None:
        self.calls = calls

    def __call__(self, fraction: float) -> None:
        self.calls -= 1
        if self.calls <= 0:
            raise KeyboardInterrupt


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_large_records_are_reported_once(backend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reported once during the run, and equally after an interruption."""
    monkeypatch.setattr(findings, "MANY_BYTES", 2000)
    monkeypatch.setattr(execution, "RETURN_SECONDS", 0.0)
    system, path = system_of(pushed, backend), tmp_path / "run.checkpoint"
    with pytest.warns(sl.SymlieWarning, match="More than 1 GB is recorded") as given:
        solution = sl.solve(system, 1.0, h=1e-2, checkpoint=path)
    assert len(given) == 1 and len(solution.warnings) == 1
    with pytest.warns(sl.SymlieWarning, match="More than 1 GB is recorded"):
        assert sl.resume(path, trust=True).warnings == solution.warnings
    assert sl.solve(system, 1.0, h=1e-2, record_every=0).warnings == ()
