"""``symlie order``, and method options on the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from symlie.cli import main
from tests import tolerances

HEUN = """
name = "heun"
family = "rkmk"
A = [[], ["1"]]
b = ["1/2", "1/2"]
c = ["0", "1"]
"""


@pytest.mark.slow
def test_order_of_a_tableau_file_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "heun.toml"
    file.write_text(HEUN, encoding="utf-8")
    assert main(["order", str(file), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["name"], found["family"], found["order"], found["exact"]) == ("heun", "rkmk", 2, True)
    assert (found["order_hat"], found["conditions"], found["residual"], found["status"]) == (None, 3, 0.0, "ok")
    assert found["observed"]["order"][-1] == pytest.approx(2, abs=tolerances.ORDER)
    assert len(found["observed"]["h"]) == len(found["observed"]["error"]) == len(found["observed"]["order"]) + 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "order", "order_hat"),
    [
        (["cg5"], 5, None),
        (["cf43"], 4, 3),
        (["half_explicit_5"], 5, 4),
        (["rkmk_dopri5", "--method-option", "commutators=1"], 3, 3),
        (["rkmk_dopri5", "--method-option", "commutators=auto"], 5, 4),
    ],
)
def test_exact_orders_are_reported(
    words: list[str], order: int, order_hat: int | None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["order", *words, "--exact-only", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["order"], found["order_hat"]) == (order, order_hat)
    assert "observed" not in found


def test_report_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["order", "cg4"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("cg4 (crouch-grossman)\n")
    for part in ("order       4", "22 hold up to", "41 violated", "heavy_top on SO3", "(3.9"):
        assert part in text


def test_observed_order_excludes_large_steps(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["order", "half_explicit_3", "--json"]) == 0
    observed = json.loads(capsys.readouterr().out)["observed"]
    assert observed["h"][0] < 2**-4
    assert observed["order"][-1] == pytest.approx(3, abs=tolerances.ORDER)


def test_invalid_input_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text(HEUN.replace('"1/2", "1/2"', '"1/2", "1/3"'), encoding="utf-8")
    assert main(["order", str(file), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["status"] == "ModelError"
    assert found["message"] == "Tableau heun: b sums to 5/6, but weights must sum to 1."
    assert main(["order", "cf5"]) == 1
    assert "Unknown method 'cf5'. Did you mean 'cg5'?" in capsys.readouterr().err


def test_tableau_file_can_be_used_in_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "heun.toml"
    file.write_text(HEUN, encoding="utf-8")
    top = ["heavy_top", "-o", "group=S3", "--t-end", "0.01", "--json", "--backend", "numpy"]
    ends = []
    for words in (
        ["--method", str(file), "--method-option", "commutators=0"],
        ["--method", "lie_euler_heun"],
        ["--method", "lie_euler_heun", "--method-option", "commutators=exact"],
    ):
        assert main(["run", *top, *words, "--h", "0.001"]) == 0
        ends.append(json.loads(capsys.readouterr().out)["q"]["top"])
    assert ends[0] == ends[1] != ends[2]
    words = ["--methods", f"{file},rkmk_rk44", "--method-option", "commutators=1", "--steps", "0.001,0.0005"]
    assert main(["converge", *top, *words]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["method"] for row in rows] == ["heun", "heun", "rkmk_rk44", "rkmk_rk44"]


def test_order_of_a_step_in_a_file_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The declared order must agree with the observed one."""
    file = tmp_path / "own.py"
    text = (
        "import symlie as sl\n@sl.method(order=1)\ndef euler(s):\n    first = s.stage(0, s.q, s.v)\n"
        "    theta = s.increment([1], [s.slope(first)])\n"
        "    s.end(s.advance(s.q, theta), s.velocity(s.v, [1], [first.acceleration]), theta)\n"
    )
    file.write_text(text, encoding="utf-8")
    assert main(["order", f"{file}:euler"]) == 0
    assert "euler (user-defined)" in capsys.readouterr().out
    file.write_text(text.replace("order=1", "order=2"), encoding="utf-8")
    assert main(["order", f"{file}:euler"]) == 1
    assert re.search(r"the declared order is 2, but the observed order is (1\.0|0\.9)", capsys.readouterr().err)
