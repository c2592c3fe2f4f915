"""``symlie converge --over``: orders in space."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests import tolerances
from tests.cli.conftest import Outcome

Cli = Callable[..., Outcome]

ROLL_UP = ("converge", "roll_up", "-o", "constraint=kirchhoff")
GRIDS = ("--over", "segments=4,8,16", "--h", "2**-10")
QUICK = ("--over", "segments=2,4", "--h", "2**-7", "--t-end", "2**-5")


@pytest.mark.slow
def test_spatial_order_is_two(cli: Cli) -> None:
    result = cli(*ROLL_UP, *GRIDS, "--json")
    data = result.json
    assert result.code == 0
    assert data["status"] == "ok"
    assert data["options"] == {"constraint": "kirchhoff"}
    assert data["over"] == {"segments": [4, 8, 16]}
    rows = data["rows"]
    assert [(row["method"], row["segments"], row["h"], row["steps"]) for row in rows] == [
        ("half_explicit_5", 4, 2**-10, 2**10),
        ("half_explicit_5", 8, 2**-10, 2**10),
    ]
    assert set(rows[0]) == {
        "segments", "method", "h", "error", "order", "max_constraint_residual", "steps", "cpu_seconds",
        "newton_iterations_per_step", "factorisations", "failure", "coordinates",
    }  # fmt: skip
    assert rows[0]["order"] == {"q": None, "v": None, "multipliers": None}
    assert all(error > 0 for row in rows for error in row["error"].values())
    for part in ("q", "v"):
        assert rows[1]["order"][part] == pytest.approx(2, abs=tolerances.ORDER_SLACK)


@pytest.mark.slow
def test_load_kinks_reduce_the_order_of_velocities(cli: Cli) -> None:
    """The papers' load rises from zero with a kink, whose waves no grid resolves; configurations keep order 2."""
    words = ("converge", "flying_spaghetti", "--over", "segments=8,16,32", "--h", "2**-10")
    order = cli(*words, "--json").json["rows"][1]["order"]
    assert order["q"] == pytest.approx(2, abs=tolerances.ORDER_SLACK)
    assert 0 < order["v"] < 2 - tolerances.ORDER_SLACK


def test_reference_can_use_a_separate_grid(cli: Cli, tmp_path: Path) -> None:
    run = ("run", "roll_up", "-o", "constraint=kirchhoff", "-o", "segments=8", "--h", "2**-7", "--t-end", "2**-5")
    (tmp_path / "fine.json").write_text(cli(*run, "--json").out, encoding="utf-8")
    rows = cli(*ROLL_UP, *QUICK, "--reference", "fine.json", "--json").json["rows"]
    assert [row["segments"] for row in rows] == [2, 4]
    finest = ("--over", "segments=2,4,8", *QUICK[2:])
    errors = [[row["error"] for row in r] for r in (rows, cli(*ROLL_UP, *finest, "--json").json["rows"])]
    assert errors[0] == errors[1]


@pytest.mark.slow
def test_each_method_is_compared_with_its_finest_grid(cli: Cli) -> None:
    methods = ("--methods", "half_explicit_2,half_explicit_3")
    rows = cli(*ROLL_UP, *QUICK, *methods, "--json").json["rows"]
    assert [(row["method"], row["segments"]) for row in rows] == [("half_explicit_2", 2), ("half_explicit_3", 2)]
    assert rows[0]["error"] != rows[1]["error"]


def test_table_and_figure_are_written(cli: Cli, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    out = cli(*ROLL_UP, "--over", "segments=2,4,8", *QUICK[2:], "--plot", "orders.png").out
    lines = out.splitlines()
    assert lines[0].startswith("roll_up: errors at t = 0.03125 s against segments = 8")
    assert lines[1].split()[:5] == ["method", "segments", "h", "q", "v"]
    assert [line.split()[1] for line in lines[2:4]] == ["2", "4"]
    assert (tmp_path / "orders.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--over", "segments=2,4"), "--over needs --h, a step size that is stable on the finest grid."),
        (("--steps", "0.1", "--h", "0.1"), "--h is the step size of --over"),
        ((*QUICK, "-o", "segments=4"), "Option 'segments' is given twice"),
        (("--over", "segments=4,6", *QUICK[2:]), "must be multiples of the smallest one, 4."),
        (("--over", "length=1,2", *QUICK[2:]), "has no option 'length'"),
        ((*QUICK, "--reference", "missing.json"), "missing.json cannot be read"),
        ((*QUICK, "--reference", "empty.json"), "empty.json is not the output of 'symlie run --json'"),
    ],
)
def test_invalid_input_is_reported(cli: Cli, tmp_path: Path, words: tuple[str, ...], sentence: str) -> None:
    (tmp_path / "empty.json").write_text("{}")
    result = cli(*ROLL_UP, *words)
    assert result.code == 1
    assert sentence in result.err


@pytest.mark.slow
def test_options_without_refinement_are_rejected(cli: Cli, tmp_path: Path) -> None:
    text = (
        "import symlie as sl\n\n\ndef build(mass=1):\n    model = sl.Model('point')\n    q = model.node('q', 'R3')\n "
        "   model.kinetic_energy(mass * q.x_dot.dot(q.x_dot) / 2)\n    return model\n"
    )
    (tmp_path / "point.py").write_text(text)
    result = cli("converge", "point.py", "--over", "mass=1,2", "--h", "0.1", "--methods", "rkmk_rk44")
    assert "Option 'mass' does not change the size of a node array" in result.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("segments", "must be KEY=N,N,…"),
        ("segments=8", "needs at least two values"),
        ("segments=8,8", "all different"),
        ("segments=a,b", "is not a number"),
    ],
)
def test_invalid_grid_values_are_rejected(
    cli: Cli, words: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        cli(*ROLL_UP, "--over", words, "--h", "0.1")
    assert sentence in capsys.readouterr().err


def test_unstable_run_is_reported(cli: Cli) -> None:
    result = cli(*ROLL_UP, "--over", "segments=2,4,16", "--h", "0.05", "--t-end", "10", "--json")
    assert result.code == 1
    assert result.json["message"].startswith("half_explicit_5, segments=16, h = 0.05: ")
    assert result.json["rows"] == []


def test_help_describes_the_report(capsys: pytest.CaptureFixture[str], cli: Cli) -> None:
    with pytest.raises(SystemExit):
        cli("converge", "--help")
    text = capsys.readouterr().out
    for word in ("Richardson", "finest grid", "nodes common to all grids", "--over segments=8,16,32,64"):
        assert word in text
