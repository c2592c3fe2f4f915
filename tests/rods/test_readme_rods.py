"""The rods, trees, rings and new elements of the README, run as they stand there."""

from __future__ import annotations

import functools
import re
from math import cos, sin
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.runtime.solution import Solution
from tests import tolerances

README = Path(__file__).parents[2] / "README.md"

NAMES = ("rope_with_body", "rod_tree", "closed_ring", "springs")
"""Models of the README's section on elements, in its order."""


def block(name: str) -> str:
    """The text that states a model."""
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    return next(text for text in blocks if f'sl.Model("{name}")' in text)


def stated(name: str) -> sl.Model:
    """A model of the README, without what is done with its solution; imports are those of the section."""
    names: dict[str, Any] = {}
    for other in NAMES[: NAMES.index(name) + 1]:
        lines = [line for line in block(other).splitlines() if not line.startswith("solution")]
        text = lines if other == name else [line for line in lines if line.startswith(("import", "from"))]
        exec("\n".join(text), names)
    model: sl.Model = names["model"]
    return model


@functools.cache
def run(name: str, h: float) -> Solution:
    """One of the models above for half a second."""
    return sl.solve(stated(name).derive().compile(), 0.5, h=h, record_every=25)


def test_a_rope_with_a_body() -> None:
    """Nothing is lost, the rope keeps its length, and the tension at rest of the hanging body is its weight."""
    solution = run("rope_with_body", 1e-3)
    kinetic = [solution.system.kernels.energy(solution.system.prepared, 0.0, q, v)[0]
               for q, v in zip(solution.q, solution.v, strict=True)]  # fmt: skip
    assert max(kinetic) > 1
    assert np.ptp(solution.outputs["energy"]) < tolerances.README_DRIFT
    x = solution.field("rope", "x")
    assert x[-1, -1, 2] < -0.5
    chords = np.linalg.norm(np.diff(x, axis=1), axis=2)
    assert np.all(chords < 0.05 * (1 + 1e-9))
    assert np.all(chords > 0.05 * 0.9)
    assert solution.statistics.max_velocity_residual < tolerances.ROD_HIDDEN


def test_a_hanging_rope_carries_its_load() -> None:
    """Hung straight down, the multipliers are the forces in the rope: shear, which vanishes, and tension."""
    model = stated("rope_with_body")
    rope = next(a for a in model.arrays if a.name == "rope")
    rope.initial(x=lambda k: (0, 0, -0.05 * k), p=(0, 1, 0, 0))
    state = model.derive().compile(backend="numpy").initial_state
    forces = state.multipliers.reshape(20, 3)
    carried = 0.5 + 0.2 * 0.05 * (20 - np.arange(20) - 0.5)
    np.testing.assert_allclose(forces[:, 2], 9.81 * carried, rtol=1e-12)
    np.testing.assert_allclose(forces[:, :2], 0.0, atol=1e-12)


def test_three_rods_that_meet() -> None:
    """The branches start without stress, hold on to the trunk's end, and sway; damping takes energy only."""
    solution = run("rod_tree", 1e-3)
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


def test_a_closed_ring() -> None:
    """The ring keeps its energy and stays closed: the segment from the last to the first node is like all others."""
    solution = run("closed_ring", 1e-3)
    energy = solution.outputs["energy"]
    assert np.ptp(energy) < tolerances.README_DRIFT
    x = solution.field("ring", "x")
    gaps = np.linalg.norm(x - np.roll(x, 1, axis=1), axis=2)
    np.testing.assert_allclose(gaps, gaps[0, 0], rtol=0.01)
    assert np.all(x[:, 6] == x[0, 6])
    assert np.abs(solution.q[-1] - solution.q[0]).max() > 0.05


def test_a_new_element() -> None:
    """Springs keep energy and linear momentum, and both are right at the start; the element takes a few lines."""
    definition = block("springs").split("\n\n")[1]
    assert definition.startswith("spring = sl.ElementType(")
    assert len(definition.splitlines()) < 15
    solution = run("springs", 1e-3)
    outputs = solution.outputs
    assert np.ptp(outputs["energy"]) < tolerances.README_DRIFT
    assert np.ptp(outputs["momentum"], axis=0).max() < tolerances.README_DRIFT
    # The second spring is stretched along its axis by -0.1 and sheared by 0.1, the first stretched by 0.1.
    assert outputs["energy"][0] == pytest.approx(100 * 3 * 0.1**2 / 2 + (1 + 1 + 4) / 20)
    assert np.abs(solution.q[-1] - solution.q[0]).max() > 0.1
