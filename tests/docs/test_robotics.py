"""Questions from robotics and vehicle dynamics: each answer is short and agrees with a known value."""

from __future__ import annotations

import numpy as np
import pytest

from tests import tolerances
from tests.docs.pages import ROOT, Session, blocks_of

PAGE = "docs/robotics.md"
SESSION = Session(PAGE)

LONGEST_ANSWER = 12
"""Lines of code."""


def test_code_blocks_run() -> None:
    names = SESSION.run()
    torques = names["inverse"].outputs["hinge_drive_effort"]
    np.testing.assert_allclose(torques, names["torque"], rtol=0, atol=tolerances.PAGE_SAMPLED_TORQUE)
    first = np.sqrt(2 / 9.81)
    assert names["impacts"][:2] == pytest.approx([first, 2.6 * first], rel=tolerances.PAGE_QUESTIONS)
    weight = 300 * 9.81
    assert 2e4 * names["rest"] + 1e6 * names["rest"] ** 3 == pytest.approx(-weight, rel=tolerances.PAGE_QUESTIONS)
    assert names["linear_rest"] == pytest.approx(-weight / 2e4, rel=tolerances.PAGE_QUESTIONS)
    assert abs(names["hold"].outputs["elbow_rate"]).max() < tolerances.PAGE_QUESTIONS
    modes = names["modes"].eigenvalues
    assert abs(modes) == pytest.approx(np.sqrt(9.81 * 5.5 / 5), rel=tolerances.PAGE_QUESTIONS)
    fitted = [float(word) for word in SESSION.printed.split("damping: [")[1].split("]")[0].split()]
    assert fitted == pytest.approx([4.0, 0.3], rel=tolerances.PAGE_FIT)


def test_answers_have_few_lines() -> None:
    assert max(len(block.text.splitlines()) for block in blocks_of(ROOT / PAGE)) <= LONGEST_ANSWER
