"""The page about contacts: its block runs, and its numbers are results of runs."""

from __future__ import annotations

import numpy as np
import pytest

from tests import tolerances
from tests.docs.pages import Session

SESSION = Session("docs/contacts.md")


@pytest.mark.slow
def test_code_blocks_run() -> None:
    thrown = SESSION.run()["thrown"]
    assert thrown.outputs["floor_state"][-1] == 2
    assert np.abs(thrown.v[-1, 3:5] - [15 / 7, 20 / 7]).max() <= tolerances.CONTACT
