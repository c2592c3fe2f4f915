"""Notices on the command line: one line each on stderr, independent of stdout; and the step limit."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from symlie.cli.output import printed_warnings
from symlie.warnings import SymlieWarning, warn
from tests.cli.conftest import Outcome


def test_each_warning_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with printed_warnings():
        for _ in range(2):
            warn("Energy grows.")
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "symlie: warning: Energy grows.\n" * 2)


def test_other_warnings_are_unchanged() -> None:
    with pytest.warns(DeprecationWarning, match="old") as given, printed_warnings():
        warnings.warn("old", DeprecationWarning, stacklevel=1)
    assert len(given) == 1
    with pytest.warns(SymlieWarning, match="after"):
        warn("after")


SPRING = '''"""A point on a spring."""
import symlie as sl

def build():
    model = sl.Model("spring")
    q = model.node("q", "R1")
    model.kinetic_energy(q.x_dot[0] ** 2 / 2)
    model.potential_energy(q.x[0] ** 2 / 2)
    model.output("root", sl.sqrt(q.x[0]))
    model.initial(q, x=[1])
    return model
'''
WORDS = ("run", "spring.py", "--backend", "numpy", "--t-end", "3", "--json")
Cli = Callable[..., Outcome]


@pytest.fixture
def spring(tmp_path: Path) -> None:
    (tmp_path / "spring.py").write_text(SPRING)


@pytest.mark.usefixtures("spring")
def test_json_contains_warnings_of_the_run(cli: Cli) -> None:
    """And on stderr, so that stdout holds one object."""
    result = cli(*WORDS, "--h", "0.1", "--t-eval", "1,2,3")
    assert (result.code, result.json["status"]) == (0, "ok")
    (notice,) = result.json["warnings"]
    assert notice.startswith("Output 'root' of 'spring' is not finite at t = 2 s and at 1 other times.")
    assert result.err == f"symlie: warning: {notice}\n"
    assert result.json["outputs"]["root"][1:] == [None, None]
    assert cli(*WORDS[:4], "--t-end", "1", "--h", "0.1", "--json").json["warnings"] == []


@pytest.mark.usefixtures("spring")
def test_json_contains_energy_warnings(cli: Cli) -> None:
    result = cli(*WORDS[:4], "--t-end", "9", "--h", "3", "--json")
    assert any("which the model conserves" in notice for notice in result.json["warnings"])
    assert result.err.splitlines() == [f"symlie: warning: {notice}" for notice in result.json["warnings"]]


@pytest.mark.usefixtures("spring")
def test_adaptive_runs_stop_at_the_step_limit(cli: Cli) -> None:
    result = cli(*WORDS, "--rtol", "1e-9", "--max-steps", "7")
    assert (result.code, result.err) == (1, "")
    data = result.json
    assert data["status"] == "TooManyStepsError"
    assert data["message"].startswith("7 steps reached only t = 0.") and "max_steps" in data["message"]
    assert data["statistics"]["steps"] == 7 and 0 < data["t"][-1] < 3
    enough = cli(*WORDS, "--rtol", "1e-3", "--max-steps", "1000").json
    assert enough["status"] == "ok"
    assert enough["t"][-1] == 3


@pytest.mark.usefixtures("spring")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--h", "0.1", "--max-steps", "29"), "30 steps of 0.1 s between two stop times exceed max_steps = 29"),
        (("--h", "0.1", "--max-steps", "0"), "max_steps must be a positive whole number, not 0"),
        (("--rtol", "1e-3", "--max-steps=-3"), "max_steps must be a positive whole number, not -3"),
    ],
)
def test_step_limits_are_checked_before_the_first_step(words: tuple[str, ...], message: str, cli: Cli) -> None:
    data = cli(*WORDS, *words).json
    assert data["status"] == "ModelError" and re.match(message, data["message"])
    assert "t" not in data


@pytest.mark.usefixtures("spring")
def test_allowed_number_of_fixed_steps_is_exact(cli: Cli) -> None:
    assert cli(*WORDS, "--h", "0.1", "--max-steps", "30").json["statistics"]["steps"] == 30


@pytest.mark.parametrize("value", ["x", "1.5", "", "nan"])
def test_noninteger_limits_are_rejected(value: str, cli: Cli, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        cli(*WORDS, f"--max-steps={value}")
    assert end.value.code == 2 and "--max-steps" in capsys.readouterr().err
