"""The page on robots from files, run as it stands there."""

from __future__ import annotations

import numpy as np
import pytest

from tests.docs.pages import Session
from tests.tolerances import CONTACT, CONTROLLED, IMPORTED_RESIDUAL

pytest.importorskip("mujoco")

SESSION = Session("docs/importing.md", given={"arm.urdf": "docs/gallery/mechanisms/seven_axis_arm.urdf"})


def test_code_blocks_run() -> None:
    names = SESSION.run()
    assert names["turning"].statistics.max_constraint_residual <= IMPORTED_RESIDUAL
    np.testing.assert_allclose(names["controlled"].q[-1], 0.5, atol=CONTROLLED)
    assert names["lifted"].outputs["pivot"][0] == pytest.approx(1.5)
    bouncing = names["bouncing"]
    assert {c for impact in bouncing.impacts for c in impact.contacts} >= {"floor_foot", "swing_lower", "swing_upper"}
    assert bouncing.outputs["floor_foot_gap"].min() >= -CONTACT and bouncing.outputs["swing_state"][-1] == 2
    # A capsule of 1000 kg/m³ with the radius 0.02 m and the length 0.5 m; the servo has 40 N m/rad.
    torque = 1000 * np.pi * 0.02**2 * (0.5 + 4 / 3 * 0.02) * 9.81 * 0.25
    angle = names["lifted"].outputs["pivot"][-1]
    np.testing.assert_allclose(angle, -0.5 + torque * np.cos(angle) / 40, atol=CONTROLLED)
