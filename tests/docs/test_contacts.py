"""The page about contacts: its blocks run, and its numbers are results of runs."""

from __future__ import annotations

import numpy as np
import pytest

from tests import tolerances
from tests.docs.pages import Session

SESSION = Session("docs/contacts.md")


@pytest.mark.slow
def test_code_blocks_run() -> None:
    values = SESSION.run()
    thrown, held = values["thrown"], values["held"]
    assert thrown.outputs["floor_state"][-1] == 2
    assert np.abs(thrown.v[-1, 3:5] - [15 / 7, 20 / 7]).max() <= tolerances.CONTACT
    energy = thrown.outputs["energy"]
    assert abs(energy[0] - energy[-1] - values["lost"]) <= tolerances.FRICTION_LOSS
    hit = [name for impact in values["bounced"].impacts for name in impact.contacts]
    assert list(dict.fromkeys(hit)) == ["step_0", "step_1", "step_2", "step_3"]
    assert (held.outputs["slew_angle"] == 0).all()
    assert abs(held.outputs["slew_friction"][-1] + 80) <= tolerances.CONTACT
