"""``symlie converge``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests import tolerances
from tests.cli.conftest import Outcome

Cli = Callable[..., Outcome]

TOP = ("heavy_top", "-o", "group=SE3", "--t-end", "2**-4")
STEPS = ("--steps", "2**-9,2**-10,2**-11")
ORDERS = {"half_explicit_2": 2, "half_explicit_5": 5}


@pytest.fixture
def reference(cli: Cli, tmp_path: Path) -> Path:
    path = tmp_path / "reference.json"
    path.write_text(cli("run", *TOP, "--h", "2**-15", "--json").out, encoding="utf-8")
    return path


def test_reported_orders_match_the_methods(cli: Cli) -> None:
    result = cli("converge", *TOP, *STEPS, "--methods", ",".join(ORDERS), "--json")
    data = result.json
    assert result.code == 0
    assert data["status"] == "ok"
    rows = data["rows"]
    assert [(row["method"], row["h"], row["steps"]) for row in rows] == [
        (method, 2.0**-k, 2 ** (k - 4)) for method in ORDERS for k in (9, 10, 11)
    ]
    assert set(rows[0]) == {
        "method", "h", "error", "order", "max_constraint_residual", "steps", "cpu_seconds",
        "newton_iterations_per_step", "factorisations", "failure", "coordinates",
    }  # fmt: skip
    assert rows[0]["order"] == {"q": None, "v": None, "multipliers": None}
    for row in (rows[2], rows[5]):
        for part in ("q", "v"):
            assert row["order"][part] > ORDERS[row["method"]] - tolerances.ORDER_SLACK


def test_reference_file_is_used(cli: Cli, reference: Path) -> None:
    words = ("converge", *TOP, "--steps", "2**-10,2**-11", "--methods", "half_explicit_3")
    against_file = cli(*words, "--reference", str(reference), "--json").json["rows"]
    assert against_file[1]["order"]["q"] > 3 - tolerances.ORDER_SLACK
    itself = cli("converge", *TOP, "--steps", "2**-15", "--reference", str(reference), "--json").json["rows"][0][
        "error"
    ]
    assert max(itself.values()) < tolerances.EPSILON


def test_mismatched_references_are_rejected(cli: Cli, reference: Path) -> None:
    def message(group: str, *words: str) -> str:
        return cli("converge", "heavy_top", "-o", f"group={group}", "--steps", "0.01", "--reference", *words).err

    assert "has no state at t = 0.5" in message("SE3", str(reference), "--t-end", "0.5")
    assert "other than heavy_top" in message("S3xR3", str(reference), "--t-end", "2**-4")
    reference.write_text("{}")
    assert "is not the output of 'symlie run" in message("SE3", str(reference))


def test_models_without_constraints_are_supported(cli: Cli) -> None:
    words = ("converge", "heavy_top", "-o", "group=S3", "--methods", "rkmk_rk44", "--t-end", "2**-4", *STEPS)
    rows = cli(*words, "--json").json["rows"]
    assert rows[2]["error"]["multipliers"] is None
    assert rows[2]["order"]["q"] > 4 - tolerances.ORDER_SLACK


@pytest.mark.slow
def test_table_and_figure_are_written(cli: Cli, tmp_path: Path) -> None:
    out = cli("converge", *TOP, *STEPS, "--plot", "orders.png").out
    lines = out.splitlines()
    assert lines[1].split()[:4] == ["method", "h", "q", "v"]
    assert [line.split()[1] for line in lines[2:5]] == [f"{2.0**-k:.6g}" for k in (9, 10, 11)]
    assert (tmp_path / "orders.png").read_bytes().startswith(b"\x89PNG")


def test_failed_runs_are_listed_in_the_table(cli: Cli) -> None:
    result = cli("converge", "heavy_top", "-o", "group=SE3", "--steps", "2**-10,0.06", "--t-end", "0.125", "--json")
    assert result.code == 0
    done, failed = result.json["rows"]
    assert not done["failure"] and done["error"]["q"] > 0
    assert failed["failure"].startswith("OutsideChartError: ") and failed["error"]["q"] is None
