"""The page on robots from files, run as it stands there."""

from __future__ import annotations

import numpy as np
import pytest

from tests.docs.pages import Session
from tests.tolerances import IMPORTED_RESIDUAL, SETTLED

pytest.importorskip("mujoco")

SESSION = Session("docs/importing.md", given={"arm.urdf": "docs/gallery/mechanisms/seven_axis_arm.urdf"})


def test_code_blocks_run() -> None:
    names = SESSION.run()
    assert names["turning"].statistics.max_constraint_residual <= IMPORTED_RESIDUAL
    np.testing.assert_allclose(names["controlled"].q[-1], 0.5, atol=SETTLED)
    assert names["lifted"].outputs["pivot"][0] == pytest.approx(1.5)
    assert names["lifted"].outputs["pivot"][-1] == pytest.approx(-0.5, abs=0.1)
