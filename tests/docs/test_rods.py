"""The page on rods, trees, rings and new elements, run as it stands there."""

from __future__ import annotations

from math import cos, sin

import numpy as np
import pytest

import symlie as sl
from symlie.runtime.solution.solution import Solution
from tests import tolerances
from tests.docs.pages import Session

pytest.importorskip("matplotlib")

SESSION = Session("docs/rods.md")


@pytest.mark.slow
def test_code_blocks_run() -> None:
    SESSION.run()
    assert SESSION.files == {"rope.png"}


def run(heading: str) -> Solution:
    """The model under a heading, for half a second."""
    return sl.solve(SESSION.after(heading)["model"].derive().compile(), 0.5, h=1e-3, record_every=25)


@pytest.mark.slow
def test_rope_with_a_body_is_correct() -> None:
    """Nothing is lost, the rope keeps its length, and the tension at rest of the hanging body is its weight."""
    solution = SESSION.after("A rope with a body")["solution"]
    kinetic = [solution.system.kernels.energy(solution.system.prepared, 0.0, q, v)[0]
               for q, v in zip(solution.q, solution.v, strict=True)]  # fmt: skip
    assert max(kinetic) > 1
    assert np.ptp(solution.outputs["energy"]) < tolerances.PAGE_DRIFT
    x = solution.field("rope", "x")
    assert x[-1, -1, 2] < -0.5
    chords = np.linalg.norm(np.diff(x, axis=1), axis=2)
    assert np.all(chords < 0.05 * (1 + 1e-9))
    assert np.all(chords > 0.05 * 0.9)
    assert solution.statistics.max_velocity_residual < tolerances.ROD_HIDDEN


@pytest.mark.slow
def test_hanging_rope_balances_its_load() -> None:
    """Hung straight down, the multipliers are the forces in the rope: shear, which vanishes, and tension."""
    system = SESSION.after("A rope with a body")["solution"].system
    state = system.with_initial("rope", x=[(0, 0, -0.05 * k) for k in range(21)], p=(0, 1, 0, 0)).initial_state
    forces = state.multipliers.reshape(20, 3)
    carried = 0.5 + 0.2 * 0.05 * (20 - np.arange(20) - 0.5)
    np.testing.assert_allclose(forces[:, 2], 9.81 * carried, rtol=1e-12)
    np.testing.assert_allclose(forces[:, :2], 0.0, atol=1e-12)


@pytest.mark.slow
def test_three_connected_rods_are_correct() -> None:
    """The branches start without stress, hold on to the trunk's end, and sway; damping takes energy only."""
    solution = run("Three rods that meet at a node")
    system = solution.system
    start = system.initial_state
    potential = system.kernels.energy(system.prepared, 0.0, start.q, start.v)[1]
    weight = 9.81 * 0.5 * (1.0 * 0.5 + 0.7 * 2 + 0.7**2 * (cos(0.6) + cos(0.9)) / 2)
    lean = -2 * 0.5 * 0.7**2 * (sin(0.9) - sin(0.6)) / 2
    assert potential == pytest.approx(weight + lean, rel=1e-12)
    assert np.all(np.diff(solution.outputs["energy"]) < 0)
    x = solution.field("trunk", "x")[:, -1]
    for name in ("left", "right"):
        neighbour = solution.field(name, "x")[:, 0]
        np.testing.assert_allclose(np.linalg.norm(neighbour - x, axis=1), 0.7 / 6, rtol=0.01)
    assert np.abs(solution.q[-1] - solution.q[0]).max() > 0.01


@pytest.mark.slow
def test_closed_ring_is_correct() -> None:
    """The ring keeps its energy and stays closed: the segment from the last to the first node is like all others."""
    solution = run("A closed ring")
    energy = solution.outputs["energy"]
    assert np.ptp(energy) < tolerances.PAGE_DRIFT
    x = solution.field("ring", "x")
    gaps = np.linalg.norm(x - np.roll(x, 1, axis=1), axis=2)
    np.testing.assert_allclose(gaps, gaps[0, 0], rtol=0.01)
    assert np.all(x[:, 6] == x[0, 6])
    assert np.abs(solution.q[-1] - solution.q[0]).max() > 0.05


@pytest.mark.slow
def test_custom_element_is_correct() -> None:
    """Springs keep energy and linear momentum, and both are right at the start; the element takes a few lines."""
    definition = SESSION.block("Custom elements").split("\n\n")[1]
    assert definition.startswith("spring = sl.ElementType(")
    assert len(definition.splitlines()) < 15
    solution = run("Custom elements")
    outputs = solution.outputs
    assert np.ptp(outputs["energy"]) < tolerances.PAGE_DRIFT
    assert np.ptp(outputs["momentum"], axis=0).max() < tolerances.PAGE_DRIFT
    # The second spring is stretched along its axis by -0.1 and sheared by 0.1, the first stretched by 0.1.
    assert outputs["energy"][0] == pytest.approx(100 * 3 * 0.1**2 / 2 + (1 + 1 + 4) / 20)
    assert np.abs(solution.q[-1] - solution.q[0]).max() > 0.1
