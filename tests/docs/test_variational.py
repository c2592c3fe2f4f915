"""The page on variational integrators, run as it stands there, with the options that it lists."""

from __future__ import annotations

import re

import numpy as np
import pytest

from symlie.runtime.methods.library import method
from tests import tolerances
from tests.docs.pages import ROOT, Session

SESSION = Session("docs/variational.md")


@pytest.mark.slow
def test_code_blocks_run() -> None:
    names = SESSION.run()
    for name in ("run", "mine"):
        run = names[name]
        assert run.t[-1] == 10
        assert max(run.outputs[f"{n}_residual"].max() for n in ("constraint", "velocity")) < tolerances.PAGE_VARIATIONAL
        energy = run.outputs["energy"]
        assert np.ptp(energy) < tolerances.PAGE_VARIATIONAL_ENERGY
    assert names["mine"].method == "simpson"


def test_every_option_is_documented() -> None:
    page = (ROOT / "docs" / "variational.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*?`) \| ", page, re.MULTILINE)
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} == set(method("rattlie").options)
