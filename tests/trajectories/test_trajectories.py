"""Trajectories of random models against an oracle that shares nothing with symlie."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests import tolerances
from tests.trajectories.draw import draw
from tests.trajectories.drawn import Drawn, Nodes, Part, Term
from tests.trajectories.judge import compare, judge, run
from tests.trajectories.oracle import Oracle
from tests.trajectories.reference import State, trajectory
from tests.trajectories.run import judged
from tests.trajectories.statement import stated

QUICK = (2, 7, 10, 13)
"""A product with both kinds of rows, rows on accelerations, an array with element types, one coordinate."""

SLOW = range(1000, 1040)


@pytest.mark.slow
@pytest.mark.parametrize("seed", QUICK)
def test_models_agree_with_the_independent_integrator(seed: int) -> None:
    assert judge(draw(seed), compiled=False).disagreements(tolerances.TRAJECTORY) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", SLOW)
def test_more_models_agree_with_the_independent_integrator(seed: int) -> None:
    line = judged(seed)
    assert "error" not in line and line["disagreements"] == []


def test_independent_integrator_imports_nothing_from_symlie() -> None:
    code = (
        "import sys; from tests.trajectories import draw, reference\n"
        "draw.draw(3)\n"
        "print([m for m in sys.modules if m.split('.')[0] in ('symlie', 'sympy')])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_independent_integrator_solves_eulers_top() -> None:
    """m' = m × Ω for J = (1, 2, 3), and nothing else."""
    part = Part("", {"q": "SO3"}, [(("q", 0),)], [Term("kinetic", "(q.v[0]**2 + 2*q.v[1]**2 + 3*q.v[2]**2) / 2")])
    top = Drawn("", 0.5, [Nodes("q", "SO3", [list(np.eye(3).ravel())], [[0.3, 1.0, -0.5]])], [part])
    oracle = Oracle(top)
    inertia, omega = np.array([1.0, 2.0, 3.0]), oracle.v0
    expected = np.cross(inertia * omega, omega) / inertia
    assert np.abs(oracle.rates(0.0, oracle.q0, omega).v - expected).max() < 4 * tolerances.EPSILON


@pytest.fixture(scope="module")
def pendulum() -> tuple[Drawn, Oracle, list[State]]:
    """A body on a pivot with a force, friction, a gyrostat and a potential, and what the oracle says of it."""
    terms = [
        Term("kinetic", "(q.v[0]**2 + 2*q.v[1]**2 + 3*q.v[2]**2 + 2*dot(q.U, q.U)) / 2"),
        Term("kinetic", "0.5 * q.x[1] * q.v[0]"),
        Term("potential", "3 * q.x[2] + sin(q.R[0, 1])"),
        Term("dissipation", "q.v[1]**2 / 4"),
        Term("force", "vec(0.5, 0, t)", other="(q.x + turn(q.R, vec(0, 1, 0)))"),
        Term("torque", "vec(0, 0.25, 0)", "q"),
        Term("constraint", "q.x + turn(q.R, vec(0, 0, 0.5)) - vec(0, 0, 0.5)", "pivot"),
        Term("nonholonomic", "q.v[0] + q.R[0, 1] * q.v[1]", "blade"),
    ]
    start = [*np.eye(3).ravel(), 0.0, 0.0, 0.0]
    body = Nodes("q", "SE3", [start], [[0.0, 1.0, 0.5, -0.5, 0.0, 0.0]])
    drawn = Drawn("", 0.25, [body], [Part("", {"q": "SE3"}, [(("q", 0),)], terms)])
    oracle = Oracle(drawn)
    return drawn, oracle, trajectory(oracle, rtol=1e-11, atol=1e-12)


MUTATIONS = {
    "none": (0, "", ""),
    "inertia": (0, "2*q.v[1]", "2.001*q.v[1]"),
    "gyrostat": (1, "0.5", "-0.5"),
    "potential": (2, "3 *", "3.001 *"),
    "sign of the potential": (2, "+ sin", "- sin"),
    "no dissipation": (3, "/ 4", "/ 4e9"),
    "force": (4, "vec(0.5", "vec(-0.5"),
    "torque": (5, "0.25", "-0.25"),
    "row": (7, "q.R[0, 1]", "q.R[1, 0]"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MUTATIONS)
def test_wrong_model_is_detected(name: str, pendulum: tuple[Drawn, Oracle, list[State]]) -> None:
    drawn, oracle, expected = pendulum
    place, old, new = MUTATIONS[name]
    part = drawn.parts[0]
    terms = [dataclasses.replace(t, text=t.text.replace(old, new)) if k == place and old else t
             for k, t in enumerate(part.terms)]  # fmt: skip
    wrong = dataclasses.replace(drawn, parts=[dataclasses.replace(part, terms=terms)])
    solution = run(stated(wrong).derive().compile(backend="numpy"), drawn, rtol=1e-9)
    differences = compare(oracle, expected, solution)
    assert (max(differences.values()) <= tolerances.TRAJECTORY) == (name == "none")


def test_recorded_results_are_reproduced() -> None:
    """The recorded run of `tests.trajectories.run` has no disagreement."""
    record = json.loads((Path(__file__).parent / "results.json").read_text())
    assert record["agreed"] == record["models"] and not record["disagreements"] and not record["errors"]
    assert max(record["worst_differences"].values()) <= record["allowed"]
