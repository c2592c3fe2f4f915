"""The page on implicit methods, run as it stands there, with the options that it lists."""

from __future__ import annotations

import re

import numpy as np
import pytest

from symlie.runtime.methods.library import method
from tests import tolerances
from tests.docs.pages import ROOT, Session

SESSION = Session("docs/implicit.md")


@pytest.mark.slow
def test_code_blocks_run() -> None:
    names = SESSION.run()
    run = names["run"]
    assert run.method == "generalized_alpha" and run.t[-1] == 1
    assert np.abs(np.linalg.norm(run.q, axis=1) - 1).max() < tolerances.PAGE_SPRING
    assert run.statistics.jacobians < run.statistics.newton_iterations
    filtered = names["filtered"]
    followed, memory = filtered.field("bob", "x_dot")[-1, 0], filtered.field("memory", "x")[-1, 0]
    assert abs(followed - memory) <= tolerances.FAST_FILTER * abs(followed)


def test_every_option_is_documented() -> None:
    page = (ROOT / "docs" / "implicit.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*?`) \| ", page, re.MULTILINE)
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} == set(method("generalized_alpha").options)
