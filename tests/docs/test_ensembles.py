"""The page on ensembles, run as it stands there."""

from __future__ import annotations

import numpy as np
import pytest

from tests.docs.pages import ROOT, Session

SESSION = Session("docs/ensembles.md")


@pytest.mark.slow
def test_code_blocks_run() -> None:
    names = SESSION.run()
    assert "norm(15, 0.5)" in SESSION.printed and "(64, 3) lognorm(0.1, scale=2.0)" in SESSION.printed
    assert len(names["attitudes"]) == 100
    for printed in ("Ensemble(pendulum; 200 ok)", "(200, 11)", "(2, 11)", "(200, 2)"):
        assert printed in SESSION.printed
    spread = np.sqrt(np.diag(names["covariance"]))
    assert np.abs(names["fit"].x - names["true"]).max() < 4 * spread.max() < 0.02
    k, result, one = 17, names["result"], names["one"]
    assert result.arrays["ball.x"][k].tobytes() == one.field("ball", "x").tobytes()


def test_every_sampler_is_listed() -> None:
    from symlie.ensembles.sequences import SAMPLERS

    page = (ROOT / "docs" / "ensembles.md").read_text(encoding="utf-8")
    assert all(f"| `{name}` |" in page for name in SAMPLERS)
