"""The page *Sensitivities*: its blocks run, and its derivatives agree with each other."""

from __future__ import annotations

import numpy as np

from tests import tolerances
from tests.docs.pages import Session

SESSION = Session("docs/sensitivities.md")


def test_code_blocks_run() -> None:
    names = SESSION.run()
    run, found = names["run"], names["found"]
    assert run.variables == ("length", "mass", "bob.x_dot[0]", "bob.x_dot[1]", "bob.x_dot[2]")
    weights = 2 * (run.solution.outputs["height"] + 0.9)
    expected = weights @ run["height"][:, 0, 0]
    assert abs(found["length"] - expected) < tolerances.FORWARD_AND_REVERSE * abs(expected)
    assert abs(run["height"][-1, 0, 1]) > 0, "with damping, the mass has an effect"
    assert np.isfinite(found.array).all() and len(SESSION.printed.splitlines()) >= 3
