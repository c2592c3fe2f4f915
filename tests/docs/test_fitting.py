"""The page *Fitting*: its blocks run, and its fits find the values of the simulated records."""

from __future__ import annotations

import pytest

from tests.docs.pages import Session

pytest.importorskip("matplotlib")

SESSION = Session("docs/fitting.md")


def test_code_blocks_run() -> None:
    names = SESSION.run()
    assert SESSION.files == {"fit.png"}
    found, bounded, more = names["found"], names["bounded"], names["more"]
    true = {"shoulder_bearing_damping": 4e-3, "elbow_bearing_damping": 2e-3, "offset": 0.05, "lower_mass": 0.43}
    for name, error in zip(found.names, found.standard_errors, strict=True):
        assert abs(found[name] - true[name]) < 4 * error
    for fit, name in ((bounded, "offset"), (names["both"], "lower_mass")):
        error = fit.standard_errors[list(fit).index(name)]
        assert abs(fit[name] - true[name]) < 4 * error
    assert len(more.unidentifiable) == len(more) - more.rank > 0
    assert "gravity[1]" in more.unidentifiable
