"""The README's section on manifolds with a group action, run as it stands there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.tolerances import CASIMIR, README_SPACES, TANGENT

README = Path(__file__).parents[2] / "README.md"


def blocks() -> list[str]:
    """The Python of the section."""
    text = README.read_text(encoding="utf-8")
    section = text[text.index("### Manifolds with a group action") : text.index("### Equilibria")]
    return re.findall(r"```python\n(.*?)```", section, re.DOTALL)


@pytest.fixture(scope="module")
def solutions() -> list[Any]:
    """What the blocks compute, each with the imports of the first."""
    found = []
    for block in blocks():
        names: dict[str, Any] = {}
        exec("import symlie as sl\n" + block, names)
        found.append(names["solution"])
    return found


def test_the_section_has_three_examples(solutions: list[Any]) -> None:
    assert len(solutions) == 3


def test_pendulum(solutions: list[Any]) -> None:
    energy, q = solutions[0].outputs["energy"], solutions[0].field("bob", "q")
    assert np.ptp(energy) < README_SPACES
    assert np.abs(np.linalg.norm(q, axis=1) - 1).max() < TANGENT
    assert np.ptp(q[:, 1]) > 0.5


def test_rigid_body(solutions: list[Any]) -> None:
    outputs = solutions[1].outputs
    assert np.ptp(outputs["casimir"]) < 10 * CASIMIR
    assert np.ptp(outputs["energy"]) < README_SPACES


def test_manifold_of_ones_own(solutions: list[Any]) -> None:
    q, axis = solutions[2].field("spin", "q")[-1], np.array([0.3, 0, 1.0])
    angle, n = 5 * np.linalg.norm(axis), axis / np.linalg.norm(axis)
    start = np.array([1.0, 0, 0])
    exact = np.cos(angle) * start + np.sin(angle) * np.cross(n, start) + (1 - np.cos(angle)) * n.dot(start) * n
    assert np.abs(q - exact).max() < README_SPACES
