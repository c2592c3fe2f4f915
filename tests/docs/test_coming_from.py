"""The page for users of other programs: all versions of its double pendulum end at the same point."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests import tolerances
from tests.docs.pages import ROOT, Session, blocks_of

PAGE = "docs/coming_from.md"
SESSION = Session(PAGE)


@pytest.mark.slow
def test_code_blocks_run() -> None:
    """The tip of SymPy's pendulum, in the last block, and of the first run."""
    names = SESSION.run()
    first = SESSION.after("The model in symlie")
    for tip in first["tip"], names["tip"]:
        np.testing.assert_allclose(tip, first["reference"], rtol=0, atol=tolerances.PAGE_DOUBLE_PENDULUM)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "close"),
    [("exudyn", tolerances.PAGE_DOUBLE_PENDULUM_OF_EXUDYN), ("mujoco", tolerances.PAGE_DOUBLE_PENDULUM)],
)
def test_pendulum_matches_the_other_program(name: str, close: float) -> None:
    """Where it is installed."""
    pytest.importorskip(name)
    names: dict[str, Any] = {}
    exec(next(b.text for b in blocks_of(ROOT / PAGE) if b.language == f"python {name}"), names)
    expected = SESSION.after("The model in symlie")["reference"]
    np.testing.assert_allclose(names["tip"], expected, rtol=0, atol=close)
