"""``symlie list``, ``new``, ``bench`` and ``cache``."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from symlie.cli import main
from symlie.version import VERSION
from tests import tolerances
from tests.cli.conftest import Outcome, python

Cli = Callable[..., Outcome]


def test_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])
    assert capsys.readouterr().out == f"symlie {VERSION}\n"


def test_list_prints_models_and_methods(cli: Cli) -> None:
    out = cli("list").out
    for word in ("heavy_top: The heavy top: a rigid body", "S3sR3", "half_explicit_5", "order 5", "rkmk_dopri5"):
        assert word in out
    data = cli("list", "--json").json
    top = next(m for m in data["models"] if m["name"] == "heavy_top")
    assert top["defaults"] == {"group": "SO3xR3"}
    assert top["choices"]["group"] == ["SO3xR3", "SE3", "S3xR3", "S3sR3", "SO3", "S3", "SO3rvxR3", "SO3rv"]
    assert {"name": "half_explicit_5", "family": "half_explicit", "order": 5} in data["methods"]
    assert {"name": "SE3", "dimension": 6} in data["groups"]


def test_list_prints_details_of_a_method(cli: Cli) -> None:
    lines = [" ".join(line.split()) for line in cli("list", "generalized_alpha").out.splitlines()]
    for line in (
        "order 2, embedded 3",
        "rho 0 … 1 default: 0.9",
        "alpha_m a number default: found by the method",
        "newton full | modified default: full",
        "tangent true | false default: true",
        "not for index 3: adaptive steps with constraints of dependent nodes and first-order states",
        "manifolds with a frame",
    ):
        assert line in lines
    assert any(line.startswith("source [Holzinger2024]") for line in lines)
    assert any(line.startswith("carries length (1), acceleration (1 × dimension)") for line in lines)
    data = cli("list", "half_explicit_5", "--json").json
    assert (data["order"], data["order_hat"], data["options"], data["own"]) == (5, 4, {}, [])
    remark = "with constraints λ has order 2 for 3 steps after each change of the step size"
    assert cli("list", "bdf3", "--json").json["remark"] == remark
    assert remark in [" ".join(line.split()) for line in cli("list", "bdf3").out.splitlines()]
    assert cli("list", "abmk3", "--json").json["own"][1] == {"name": "lengths", "rows": 2, "of": "number"}


def test_list_prints_supported_methods_of_a_model(cli: Cli) -> None:
    out = cli("list", "--for", "heavy_top", "-o", "group=SE3").out
    assert out.startswith("Default for heavy_top: half_explicit_5\n")
    taken, refused = out.split("Methods that do not")
    lines = [line.split() for line in taken.splitlines()]
    assert ["generalized_alpha", "order", "2", "adaptive", "or", "fixed", "steps"] in lines
    assert ["half_explicit_4", "order", "4", "fixed", "steps,", "--h"] in lines
    assert "Method 'rkmk_dopri5' integrates systems without constraints" in refused
    data = cli("list", "--for", "heavy_top", "-o", "group=SO3", "--json").json
    assert (data["model"], data["options"], data["default"]) == ("heavy_top", {"group": "SO3"}, "half_explicit_5")
    assert data["refusals"].keys() == {"symplectic_theta", "moreau_jean"}
    assert {"name": "cf43", "order": 4, "adaptive": True} in data["methods"]


def test_list_prints_parts(cli: Cli) -> None:
    """Each part alone, in both forms; joints with their coordinates."""
    for part in ("models", "methods", "groups"):
        assert list(cli("list", part, "--json").json) == [part]
    lines = [line.split() for line in cli("list", "joints").out.splitlines()]
    assert ["RevoluteJoint", "A", "hinge", "permits", "rotation", "about", "the", "axis", "angle"] in lines
    assert ["RackJoint", "A", "rack", "and", "its", "pinion"] in lines
    kinds = {kind["name"]: kind["coordinates"] for kind in cli("list", "joints", "--json").json["joints"]}
    assert len(kinds) == 17 and kinds["ScrewJoint"] == ["angle", "displacement"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["nonsense"], "Unknown method 'nonsense'."),
        (["cf4", "--for", "heavy_top"], "Name a method, or a model with --for, not both."),
        (["-o", "group=SE3"], "Options -o belong to a model; name it with --for MODEL."),
        (["--for", "nonsense"], "There is no model 'nonsense'."),
    ],
)
def test_list_reports_invalid_arguments(cli: Cli, words: list[str], sentence: str) -> None:
    result = cli("list", *words)
    assert (result.code, result.out) == (1, "")
    assert sentence in result.err


@pytest.mark.slow
def test_new_model_runs(cli: Cli, tmp_path: Path) -> None:
    written = cli("new", "pendulum.py")
    assert written.code == 0
    command = written.out.splitlines()[-1].split()
    assert command[:3] == ["symlie", "run", "pendulum.py"]
    data = cli(*command[1:], "--json").json
    assert data["model"] == "pendulum"
    assert data["status"] == "ok"
    assert data["outputs"]["constraint_residual"][0] < tolerances.HELD_CONSTRAINT
    text = (tmp_path / "pendulum.py").read_text(encoding="utf-8")
    again = cli("new", "pendulum.py")
    assert (again.code, again.out) == (1, "")
    assert "exists already" in again.err
    assert (tmp_path / "pendulum.py").read_text(encoding="utf-8") == text


@pytest.mark.slow
def test_new_model_takes_a_name_and_is_a_script(cli: Cli, tmp_path: Path) -> None:
    cli("new", "first.py", "--name", "swing")
    assert 'sl.Model("swing")' in (tmp_path / "first.py").read_text(encoding="utf-8")
    result = python(str(tmp_path / "first.py"))
    assert result.code == 0, result.err
    assert "centre of mass" in result.out


@pytest.mark.slow
def test_commented_lines_of_the_new_model_work(cli: Cli, tmp_path: Path) -> None:
    cli("new", "damped.py")
    path = tmp_path / "damped.py"
    text = path.read_text(encoding="utf-8")
    for line in ("c = model.", "model.dissipation", "model.force"):
        assert f"    # {line}" in text
        text = text.replace(f"    # {line}", f"    {line}")
    ast.parse(text)
    path.write_text(text, encoding="utf-8")
    data = cli("run", "damped.py", "--h", "1e-2", "--t-end", "0.1", "--json").json
    assert data["status"] == "ok"


@pytest.mark.parametrize(
    "kind", ["mechanism", "manifold", *(pytest.param(k, marks=pytest.mark.slow) for k in ("rod", "robot"))]
)
def test_new_models_from_all_templates_run(cli: Cli, kind: str) -> None:
    command = cli("new", "mine.py", "--kind", kind).out.splitlines()[-1].split()
    data = cli(*command[1:], "--backend", "numpy", "--t-end", "0.02", "--json").json
    assert (data["model"], data["status"]) == ("mine", "ok")


def test_mobility_is_printed(cli: Cli) -> None:
    """In one line, of models with joints."""
    cli("new", "mine.py", "--kind", "mechanism")
    line = "3 bodies, 4 joints, 8 constraint equations of rank 8, 1 degree of freedom"
    out = cli("run", "mine.py", "--backend", "numpy", "--t-end", "0.01").out
    assert re.search(rf"^mobility +{line}$", out, re.MULTILINE)
    assert cli("derive", "mine.py").out.splitlines()[-1] == f"Mobility: {line}."
    numbers = cli("run", "mine.py", "--backend", "numpy", "--t-end", "0.01", "--json").json["mobility"]
    names = "bodies", "joints", "position_rows", "position_rank", "degrees_of_freedom", "redundant"
    assert [numbers[name] for name in names] == [3, 4, 8, 8, 1, []]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["mechanism", "robot", "rod", "manifold"])
def test_new_models_are_scripts_with_commented_lines_that_work(cli: Cli, kind: str, tmp_path: Path) -> None:
    cli("new", "mine.py", "--kind", kind)
    path = tmp_path / "mine.py"
    result = python(str(path))
    assert result.code == 0 and len(result.out.splitlines()) >= 2, result.err
    text = path.read_text(encoding="utf-8")
    stated = re.sub(r"# ((?:pivot|sl|model|joint)\.)", r"\1", text)
    assert (stated == text) == (kind in ("rod", "manifold"))
    path.write_text(stated, encoding="utf-8")
    options = ["--method", "generalized_alpha"] if kind == "rod" else []
    assert cli("run", "mine.py", "--h", "1e-3", "--t-end", "0.01", *options, "--json").json["status"] == "ok"


def test_cache_command_shows_and_clears_the_cache(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "cache"
    monkeypatch.setenv("SYMLIE_CACHE", str(folder))
    empty = cli("cache", "--json").json
    assert empty["folder"] == str(folder) and not empty["cleared"]
    assert [empty[name] for name in ("entries", "files", "bytes", "oldest_days")] == [0, 0, 0, None]
    cli("generate", "heavy_top", "-o", "group=S3", "--out", "top")
    (folder / "mine.txt").touch()
    assert cli("cache", "--json").json["files"] == 3
    assert "MiB of at most 1024 MiB" in cli("cache").out and "unused for up to 0 of at most 90 days" in cli("cache").out
    assert "deleted 3 files" in cli("cache", "--clear").out
    assert cli("cache", "--json").json["files"] == 0
    assert (folder / "mine.txt").exists()


def test_bench_command_reports_times(cli: Cli) -> None:
    rows = cli("bench", "heavy_top", "-o", "group=S3", "--method", "rkmk_rk44", "--json").json["rows"]
    assert [row["name"] for row in rows] == [
        "import SymPy",
        "derive",
        "emit",
        "compile kernels",
        "load",
        "initial values",
        "compile time loop",
        "step rkmk_rk44 S3",
    ]
    assert all(row["value"] > 0 for row in rows)
    assert {row["unit"] for row in rows} == {"s", "ns"}
