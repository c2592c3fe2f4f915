"""Results that redundant constraints leave undetermined are marked wherever they are shown."""

from __future__ import annotations

import functools
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.runtime.solution.solution import Solution
from tests import tolerances


@functools.cache
def frame(joint: str, backend: str = "numpy") -> Solution:
    """A frame on two collinear hinges, or on a ball and a point on a line, with its weight near the first."""
    model = sl.Model("frame")
    body = sl.RigidBody(model, "frame", 10.0, [1.0, 1.0, 1.0], position=[0.1, 0, -0.5])
    if joint == "hinges":
        sl.RevoluteJoint(model, "A", model.ground, body, at=[0, 0, 0], axis=[1, 0, 0])
        sl.RevoluteJoint(model, "B", model.ground, body, at=[1, 0, 0], axis=[1, 0, 0])
    else:
        sl.SphericalJoint(model, "A", model.ground, body, at=[0, 0, 0])
        sl.PointOnLineJoint(model, "B", model.ground, body, at=[1, 0, 0], axis=[1, 0, 0])
    model.gravity([0, 0, -9.81])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sl.SymlieWarning)
        return sl.solve(model.derive().compile(backend=backend), 0.01, h=0.01, redundant="minimal_norm")


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_forces_of_collinear_hinges_are_not_unique(backend: str) -> None:
    solution = frame("hinges", backend)
    assert {"A_force", "B_force"} <= set(solution.undetermined.outputs)
    assert "A_angle" not in solution.undetermined.outputs
    assert set(solution.undetermined.constraints) == {"A", "B"}
    together = solution.outputs["A_force"][0] + solution.outputs["B_force"][0]
    np.testing.assert_allclose(together, [0, 0, 98.1], atol=tolerances.FORCES_OF_FRAME)


def test_forces_of_isostatic_joints_are_unique() -> None:
    solution = frame("ball and line")
    assert solution.undetermined == ((), ())
    assert "not unique" not in repr(solution)
    np.testing.assert_allclose(solution.outputs["A_force"][0, 2], 0.9 * 98.1, atol=tolerances.FORCES_OF_FRAME)


def test_warning_is_one_line_with_outputs_and_page() -> None:
    (notice,) = frame("hinges").warnings
    assert "A_force" in notice and "docs/statement.md#redundant-constraints" in notice
    assert len(notice) < 250


def test_marks_are_shown_and_stored(tmp_path: Path) -> None:
    solution: Any = frame("hinges")
    assert "not unique: A_force" in repr(solution)
    assert "A_force (not unique)" in solution._repr_html_()
    assert "A_force" in solution.to_json()["undetermined"]["outputs"]
    solution.save(tmp_path / "frame.nc")
    assert sl.load_solution(tmp_path / "frame.nc").undetermined == solution.undetermined
