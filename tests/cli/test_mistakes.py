"""Mistakes end with one sentence that says what to do, never with a traceback."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from symlie.cli import COMMANDS, main
from tests.cli.conftest import Outcome

Cli = Callable[..., Outcome]

RUN = ("run", "heavy_top", "-o", "group=SE3", "--h", "2**-11")

MISTAKES = [
    (("run", "heavytop", "--h", "1"), "Did you mean 'heavy_top'?"),
    (("run", "nowhere.py", "--h", "1"), "symlie new nowhere.py"),
    (("run", "heavy_top", "--h", "1", "-o", "group=SE2"), "use one of: SO3xR3, SE3"),
    (("run", "heavy_top", "--h", "1", "-o", "grup=SE3"), "it has: group"),
    ((*RUN, "--set", "mas=1"), "it has: mass, inertia, lever, gravity"),
    ((*RUN, "--set", "lever=1"), "needs 3 components, not 1"),
    ((*RUN, "--init", "bottom.x=[0,1,0]"), "it has: top"),
    ((*RUN, "--init", "top.U_dot=1"), "no field 'U_dot'; it has: R, x, Omega, U"),
    ((*RUN, "--init", "top.x=[0,2,0]"), "violates row 2 of constraint 'fixed_point'"),
    ((*RUN, "--method", "half_explicit_6"), "Did you mean"),
    ((*RUN, "--method", "rkmk_dopri5"), "use half_explicit_2"),
    (("run", "heavy_top", "-o", "group=SE3", "--h", "0"), "must be positive"),
    ((*RUN, "--t-end", "-1"), "must be after the start"),
    ((*RUN, "--t-eval", "0.2,0.1"), "must increase"),
    ((*RUN, "--out", "top.txt"), "must end in .nc or .npz"),
    ((*RUN, "--plot", "nowhere/top.png"), "does not exist"),
    ((*RUN, "--reference", "--t-end", "0.3"), "known at t = 0.1, 0.5, 1"),
    ((*RUN, "--reference", "--set", "mass=1"), "default parameters"),
    (("generate",), "Name a model, or give --all"),
    (("generate", "--all", "--check"), "No folder 'generated' exists"),
    (("converge", "heavy_top", "-o", "group=SE3", "--steps", "0.1", "--reference", "no.json"), "cannot be read"),
    (("new", "model.txt"), "must end in .py"),
    (("new", "my-model.py"), "--name my_model"),
]


@pytest.fixture(autouse=True)
def no_generated_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("symlie.cli.generate.REPOSITORY", tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "hint"), MISTAKES, ids=lambda value: None if isinstance(value, str) else " ".join(value)
)
def test_errors_are_one_sentence(cli: Cli, words: tuple[str, ...], hint: str) -> None:
    result = cli(*words)
    assert result.code == 1
    assert result.out == ""
    assert result.err.startswith("symlie: ")
    assert hint in result.err
    assert result.err.count("\n") == 1


@pytest.mark.parametrize("words", [w for w, _ in MISTAKES if w[0] == "run"], ids=" ".join)
def test_errors_are_printed_as_json(cli: Cli, words: tuple[str, ...]) -> None:
    result = cli(*words, "--json")
    assert result.code == 1 and result.err == ""
    data = result.json
    assert (
        data["status"].endswith("Error")
        and data["message"].endswith((".", ")"))
        and "Unexpected" not in data["message"]
    )


def test_json_output_contains_the_failure(cli: Cli) -> None:
    result = cli("run", "heavytop", "-o", "group=SE3", "--h", "1", "--json")
    assert result.code == 1
    assert result.err == ""
    data = result.json
    assert data["model"] == "heavytop"
    assert data["options"] == {"group": "SE3"}
    assert data["method"] == "half_explicit_5"
    assert data["backend"] == "auto"
    assert data["status"] == "UnknownNameError"
    assert "heavy_top" in data["message"]


@pytest.mark.parametrize(
    "words",
    [(), ("walk",), ("run",), ("run", "heavy_top", "--h", "2**x"), ("run", "heavy_top", "--h", "1", "--set", "mass")],
)
def test_usage_errors_have_exit_code_two(cli: Cli, words: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as exit_:
        cli(*words)
    assert exit_.value.code == 2


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main([command, "--help"])
    assert exit_.value.code == 0
    assert f"Example:\n  symlie {command}" in capsys.readouterr().out


def test_help_describes_the_order_of_multipliers(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["run", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert "with bdfK of index 3 λ has order K-1 for K steps after each change of h" in said


MODEL = '''"""A model."""
import symlie as sl

def build():
    {}
'''


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        (MODEL.format("return 1 / 0"), "mine.py:5: ZeroDivisionError: division by zero"),
        (
            MODEL.format("return sl.Model('mine').node('b', 'SE3').y"),
            "mine.py:5: Node 'b' on SE3 has no field 'y'; it has: R, x, Omega, U, v, v_dot",
        ),
        (MODEL.format("return sl.Model('my model')"), "'my model' is not usable"),
        (MODEL.format("return"), "must return a symlie.Model, not NoneType"),
        (MODEL.format("return ("), "mine.py:5: SyntaxError"),
        (MODEL.format("return sl.Model('mine')"), "has no nodes"),
        ("import nowhere_to_be_found", "mine.py:1: ModuleNotFoundError"),
        ("def bild(): ...", "has no function build"),
    ],
)
def test_errors_in_model_files_are_located(cli: Cli, tmp_path: Path, text: str, hint: str) -> None:
    (tmp_path / "mine.py").write_text(text)
    result = cli("run", "mine.py", "--h", "1")
    assert result.code == 1
    assert hint in result.err
    assert "Traceback" not in result.err


def test_unexpected_errors_are_reported(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object) -> int:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr("symlie.cli.cache.run", broken)
    assert "Unexpected ZeroDivisionError: oh (set SYMLIE_TRACEBACK=1" in cli("cache").err
    monkeypatch.setenv("SYMLIE_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        cli("cache")
