"""``symlie sweep``: members from a shell, resumed stores, and reports."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.cli.output import Progress
from symlie.cli.sweeping.draws import KINDS, draw, stated
from symlie.cli.sweeping.over import Sampling, over, stated_rows
from symlie.cli.sweeping.plans import first_rows
from symlie.ensembles import plan
from symlie.ensembles.design import Design
from symlie.ensembles.dispatch import FIRST_CHUNK
from symlie.models.systems import system_of_model
from tests import tolerances
from tests.cli.conftest import Outcome, python

Cli = Callable[..., Outcome]

TOP = ("heavy_top", "--h", "1e-3", "--t-end", "0.004", "--backend", "numpy", "--record", "energy")
ONCE = Sampling(None, 0, "random")


def rows(*texts: str, sampling: Sampling = ONCE, combine: str = "zip") -> dict[str, object]:
    """Values that ``--over`` states, as lists."""
    found = stated_rows([over(text) for text in texts], sampling, combine)
    return {name: np.asarray(values).tolist() for name, values in found.items()}


def test_values_are_used_exactly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rates.csv").write_text("0,150,1\n0,151,2\n")
    Path("members.csv").write_text("mass, lever[1],lever[0],lever[2]\n10,1,0,0\n\nnan,1.1,0,0.5\n")
    assert rows("mass=10:20:5", "length=1:100:3:log") == {
        "mass": [10, 12.5, 15, 17.5, 20],
        "length": [1, 10, 100],
    }
    assert rows("mass=2**3,1/4", "lever=[0,1,0],[0,1.5,0]") == {"mass": [8, 0.25], "lever": [[0, 1, 0], [0, 1.5, 0]]}
    assert rows("top.Omega=@rates.csv") == {"top.Omega": [[0, 150, 1], [0, 151, 2]]}
    assert rows("lever=@members.csv") == {"lever": [[0, 1, 0], [0, 1.1, 0.5]]}
    found = rows("@members.csv")
    assert found["lever"] == [[0, 1, 0], [0, 1.1, 0.5]] and str(found["mass"]) == "[10.0, nan]"
    assert over("segments=8,16").options() == [8, 16] and over("group=SE3,S3").options() == ["SE3", "S3"]
    assert over("segments=8:16:3").options() == [8, 12, 16]


def test_command_line_draws_equal_samples() -> None:
    from scipy import stats

    found = rows("x=normal(15, 0.5)", "v=[uniform(1,3),0,[2]]".replace("[2]", "2"), sampling=Sampling(8, 3, "sobol"))
    drawn = sl.samples(8, seed=3, sampler="sobol", x=stats.norm(15, 0.5), v=[stats.uniform(1, 2), 0, 2])
    assert found == {name: values.tolist() for name, values in drawn.items()}


MEANS = {
    "normal(2, 3)": 2.0,
    "uniform(1, 4)": 2.5,
    "lognormal(0, 1)": np.exp(0.5),
    "loguniform(1, 2)": 1 / np.log(2),
    "truncated(1, 2, 0, 2)": 1.0,
    "triangular(0, 1, 2)": 1.0,
    "exponential(3)": 3.0,
    "gamma(2, 3)": 6.0,
    "beta(1, 3)": 0.25,
    "weibull(1, 3)": 3.0,
}


def test_distributions_have_the_specified_means() -> None:
    assert {text.partition("(")[0] for text in MEANS} == KINDS.keys()
    for text, mean in MEANS.items():
        assert stated(draw(text)).mean() == pytest.approx(mean, rel=tolerances.KERNEL)


def test_members_are_printed(cli: Cli) -> None:
    out = cli("sweep", *TOP, "--over", "mass=10,15,-1", "--member-seconds", "60").out
    assert "3 members: 2 ok, 1 failed (SingularMassMatrixError 1)" in out and "t = 0.004 s" in out
    lines = [line.split() for line in out.splitlines() if line.startswith("  ")]
    assert lines[0] == ["member", "mass", "energy", "(J)"] and lines[2] == ["1", "15", "5435.7"]
    assert lines[3][3] == "SingularMassMatrixError:"
    found = cli("sweep", *TOP, "--over", "mass=10,15", "--over", "Omega=[0,1,0],[0,2,0]", "--json").json
    system = system_of_model("heavy_top", {}, backend="numpy").with_parameters(mass=15.0)
    alone = sl.solve(system.with_initial("top", Omega=[0, 2, 0]), 0.004, h=1e-3, t_eval=[0.004])
    assert found["values"]["energy"][1] == alone.outputs["energy"].tolist()
    assert found["parameters"] == {"mass": [10, 15], "initial.top.Omega": [[0, 1, 0], [0, 2, 0]]}
    assert (found["members"], found["done"], found["failed"], found["t"]) == (2, 2, {}, [0.004])


@pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=pytest.mark.slow)])
def test_resumed_sweeps_are_bit_identical(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: str
) -> None:
    words = ("sweep", *TOP, "--over", "mass=normal(15,0.5)", "--samples", "24", "--workers", "1")
    assert cli(*words, "--out", "whole").code == 0

    def press(self: Progress, done: float, further: str = "") -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Progress, "__call__", press)
        found = cli(*words, "--out", "runs")
    assert found.code == 130 and found.err.endswith("of 24 members; continue with 'symlie resume runs --trust'.\n")
    assert "24 members, about" in found.err and "1 at a time, store about" in found.err
    status = cli("sweep", "--status", "runs", "--json").json
    assert 0 < status["done"] < 24 and status["done"] + status["open"] == 24
    monkeypatch.chdir(tmp_path.parent)
    assert cli("resume", os.path.join(tmp_path, "runs"), "--workers", workers, "--json", "--trust").json["ok"] == 24
    assert cli("sweep", "--status", str(tmp_path / "runs")).out.endswith("runs: 24 members: 24 ok\n")
    one, other = (sl.open_ensemble(tmp_path / name) for name in ("whole", "runs"))
    assert one.arrays["energy"].tobytes() == other.arrays["energy"].tobytes()
    other_seed = cli(*words, "--out", str(tmp_path / "runs"), "--seed", "2")
    assert other_seed.code == 1 and "belongs to another ensemble: it differs in values of mass" in other_seed.err


@pytest.mark.slow
def test_model_options_give_separate_systems(cli: Cli, tmp_path: Path) -> None:
    found = cli("sweep", *TOP, "--over", "group=SE3,S3", "--over", "mass=10,20", "--out", "runs", "--json").json
    assert [part["options"]["group"] for part in found["systems"]] == ["SE3", "S3"]
    assert sl.open_ensemble(tmp_path / "runs" / "group=S3").arrays["energy"].shape == (2, 1)
    assert cli("sweep", "--status", "runs").out == "group=S3: 2 members: 2 ok\ngroup=SE3: 2 members: 2 ok\n"
    assert [part["done"] for part in cli("resume", "runs", "--json", "--trust").json["systems"]] == [2, 2]
    alone = cli("sweep", *TOP, "--over", "group=SE3,S3", "--json").json["systems"]
    assert [part["members"] for part in alone] == [1, 1]


@pytest.mark.slow
def test_amount_of_work_is_printed(cli: Cli, tmp_path: Path) -> None:
    words = ("sweep", *TOP, "--over", "mass=1:2:5", "--over", "gravity=[0,0,-9.81],[0,0,0]", "--combine", "grid")
    found = cli(*words, "--out", "runs", "--dry-run", "--json").json
    assert found["members"] == 10 and found["expected_seconds"] > 0 and found["store_bytes"] > 10_000
    line = cli(*words, "--workers", "3", "--dry-run").out
    assert line.startswith("heavy_top group=SO3xR3: 10 members, about") and line.endswith("with 3 at a time.\n")
    assert not (tmp_path / "runs").exists()


@pytest.mark.slow
def test_work_is_estimated_from_the_first_members(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the members that run are created, regardless of their number, and their store is the store of all."""
    made: list[int] = []
    stated_design = plan.stated_design

    def noted(*arguments: Any, **words: Any) -> Design:
        made.append(len(found := stated_design(*arguments, **words)))
        return found

    monkeypatch.setattr(plan, "stated_design", noted)
    over_mass = ("--over", "mass=normal(15,0.5)", "--samples", "100000")
    found = cli("sweep", *TOP, *over_mass, "--out", "runs", "--dry-run", "--json").json
    assert found["members"] == 100_000 and made == [FIRST_CHUNK]
    grid = ("--over", "mass=1:2:1000", "--over", "gravity=[0,0,-9],[0,0,0],[0,0,9]", "--combine", "grid")
    assert cli("sweep", *TOP, *grid, "--dry-run", "--json").json["members"] == 3000 and made == [FIRST_CHUNK, 9]
    unequal = cli(
        "sweep", *TOP, "--over", "mass=1:2:9", "--over", "gravity=[0,0,1],[0,0,2],[0,0,1],[0,0,2]", "--dry-run"
    )
    assert unequal.code == 1 and "mass 9, gravity 4" in unequal.err


def test_first_rows_give_the_first_members() -> None:
    values: dict[str, Any] = {"a": [1, 2, 3], "b": [4, 5], "c": [6, 7]}
    whole = [*itertools.product(*values.values())]
    for members in range(1, 13):
        some = [*itertools.product(*first_rows(values, "grid", members).values())]
        assert len(some) >= members and some == whole[: len(some)]
    assert first_rows(values, "zip", 2) == {"a": [1, 2], "b": [4, 5], "c": [6, 7]}


def test_statistics_replace_members(cli: Cli) -> None:
    words = ("sweep", *TOP[:-2], "--over", "mass=10,15,20,-1", "--record", "energy,top.Omega")
    found = cli(*words, "--statistics", "mean,max", "--json").json
    members = cli(*words, "--json").json
    energy = np.array(members["values"]["energy"], dtype=float)[:3]
    assert found["statistics"]["energy"]["max"] == energy.max(axis=0).tolist() and found["t"] == [0.004]
    assert found["statistics"]["energy"]["count"] == [3] and "values" not in found and found["ok"] == 3
    assert np.shape(found["statistics"]["top.Omega"]["mean"]) == (1, 3)
    lines = [line.split() for line in cli(*words, "--statistics", "mean,max").out.splitlines()]
    assert ["mean", "max", "count"] in lines and lines[-4][:2] == ["energy", "(J)"] and lines[-4][-1] == "3"
    assert ["member", "3", "SingularMassMatrixError"] in [line[:3] for line in lines]
    assert "records the values of members" in cli(*words, "--statistics", "mean", "--out", "runs").err
    assert "Unknown statistic 'median'" in cli(*words, "--statistics", "median").err


def test_equilibria_of_members_are_computed(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "swing.py").write_text(SWING)
    words = ("sweep", "swing.py", "--over", "load=0:4:3")
    path = cli(*words, "--of", "equilibrium", "--along", "member", "--record", "arm.x", "--json").json
    assert [x[0] for x in path["values"]["arm.x"]] == pytest.approx([0, 1, 2]) and "t" in path and path["t"] == 0
    modes = cli(*words, "--of", "modes", "--modes", "1", "--t", "2", "--json").json
    frequency = np.sqrt(2 / 0.5) / (2 * np.pi)
    assert np.ravel(modes["values"]["frequencies"]) == pytest.approx([frequency] * 3) and modes["of"] == "modes"
    assert modes["t"] == 2
    printed = cli(*words, "--of", "modes", "--modes", "1").out
    assert "swing: modes, backend" in printed and "frequencies (Hz)" in printed and "t = 0 s" in printed
    mean = cli(*words, "--of", "equilibrium", "--record", "arm.x", "--statistics", "mean", "--json").json
    assert mean["statistics"]["arm.x"]["mean"] == pytest.approx([1])
    along = cli(*words, "--of", "equilibrium", "--along", "member", "--workers", "4", "--dry-run", "--json").json
    apart = cli(*words, "--of", "equilibrium", "--workers", "4", "--dry-run", "--json").json
    assert along["members"] == apart["members"] == 3
    assert cli(*words, "--of", "equilibrium", "--out", "runs").code == 0
    assert cli("resume", "runs", "--json", "--trust").json["ok"] == 3


SWING = """
import symlie as sl


def build() -> sl.Model:
    model = sl.Model("swing")
    arm, load = model.node("arm", "R1"), model.parameter("load", 1.0)
    model.kinetic_energy(0.5 * arm.x_dot[0] ** 2 / 2)
    model.potential_energy(arm.x[0] ** 2 - load * arm.x[0])
    model.initial(arm, x=[0], x_dot=[0])
    return model
"""


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "needs values that differ between members"),
        (("--over", "masss=1,2"), "has no parameter 'masss'; it has: mass"),
        (("--over", "top.spin=1,2"), "Node 'top' has no field 'spin'"),
        (("--over", "mass=1,a"), "neither a number nor a JSON array"),
        (("--over", "mass=1,2", "--over", "mass=1,2"), "defines 'mass' twice"),
        (("--over", "mass=1,2", "--over", "gravity=[0,0,1]"), "mass 2, gravity 1"),
        (("--over", "lever[1]=1,2"), "Give all components of 'lever', such as lever[0]"),
        (("--over", "lever[0]=1,2", "--combine", "grid"), "--combine zip"),
        (("--over", "mass=normal(15,1)"), "give the number of samples with --samples N"),
        (("--over", "mass=1,2", "--samples", "4"), "--samples draws from distributions"),
        (("--over", "mass=uniform(3,1)", "--samples", "4"), "check the arguments of the distribution"),
        (("--over", "mass=triangular(1,1,1)", "--samples", "4"), "these arguments do not define a distribution"),
        (("--over", "mass=normal(1,1)", "--samples", "4", "--sampler", "halton"), "Unknown sampler 'halton'"),
        (("--over", "group=normal(1,1)", "--samples", "4"), "takes only a list or a range"),
        (("--over", "group=SE4"), "cannot be 'SE4'"),
        (("--over", "@none.csv"), "none.csv cannot be read"),
        (("--over", "@short.csv"), "short.csv, line 3 has 1 columns, not 2"),
        (("--over", "@text.csv"), "text.csv, line 2 has 'x' where a number is needed"),
        (("--over", "@text.csv", "--combine", "grid"), "has one member in each line"),
        (("--over", "lever=@short.csv"), "short.csv, line 3 has 1 columns"),
        (("--over", "lever=@other.csv"), "other.csv has no column 'lever'; it has: mass"),
        (("--over", "@option.csv"), "'group' is an option of the model, so it is varied separately"),
        (("--over", "@empty.csv"), "needs a line with names, and one for each member"),
        (("--over", "mass=1,2", "--record", "energie"), "no quantity 'energie'"),
        (("--over", "mass=1,2", "--workers", "0"), "--workers must be at least 1"),
        (("--over", "mass=1,2", "--workers", "2", "--mpi"), "--workers and --mpi exclude each other"),
        (("--over", "mass=1,2", "--out", "other.csv"), "is a file; give a folder"),
        (("--over", "mass=1,2", "--out", "."), "contains other files and is not a store"),
        (("--over", "group=S3", "--out", "."), "contains files other than stores of several systems"),
        (("--over", "mass=1,2", "--of", "modes", "--h", "1e-3"), "--h applies to simulations, not to --of modes"),
        (("--over", "mass=1,2", "--modes", "2"), "--modes applies to equilibria; use --of equilibrium or --of modes"),
        (("--over", "mass=1,2", "--along", "mass"), "--along applies to equilibria"),
        (("--over", "mass=1,2", "--scheduler-file", "none.json"), "No Dask scheduler has written none.json"),
    ],
)
def test_invalid_input_is_reported(cli: Cli, tmp_path: Path, words: tuple[str, ...], sentence: str) -> None:
    for name, text in {
        "short": "mass,b\n1,2\n3\n",
        "text": "mass\nx\n",
        "other": "mass\n1\n",
        "option": "group\n1\n",
        "empty": "mass\n",
    }.items():
        (tmp_path / f"{name}.csv").write_text(text)
    if "--scheduler-file" in words:
        pytest.importorskip("distributed")
    model = TOP[:-2] if "--record" in words else TOP
    found = cli("sweep", *model, *words)
    assert found.code == 1 and sentence in found.err and found.err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("mass=10:20", "NAME=FIRST:LAST:NUMBER"),
        ("mass=1:2:1", "at least two values"),
        ("mass=-1:2:5:log", "same sign"),
        ("mass=norm(1,2)", "there is no distribution 'norm'"),
        ("mass=normal(1)", "must be normal(mean, deviation)"),
        ("mass=normal(1,2", "do not match"),
        ("mass=normal(1,2),3", "one distribution"),
        ("mass=1,,2", "empty value"),
        ("mass", "NAME=VALUES"),
    ],
)
def test_invalid_values_are_rejected(cli: Cli, capsys: pytest.CaptureFixture[str], text: str, sentence: str) -> None:
    with pytest.raises(SystemExit) as caught:
        cli("sweep", *TOP, "--over", text)
    assert caught.value.code == 2 and sentence in capsys.readouterr().err


def test_invalid_sweeps_are_reported(cli: Cli, tmp_path: Path) -> None:
    assert "needs a MODEL" in cli("sweep").err
    for words in (("sweep", "--status", "."), ("sweep", "--status", "none")):
        assert "is not a store of an ensemble" in cli(*words).err
    assert "no sweep.json" in cli("resume", ".", "--trust").err
    assert cli("sweep", *TOP, "--over", "mass=1,2", "--out", "runs").code == 0
    assert "--plot belongs to a run; runs is a sweep" in cli("resume", "runs", "--plot", "x.png", "--trust").err
    assert "--workers belongs to a sweep" in cli("resume", "none", "--workers", "2", "--trust").err
    command = tmp_path / "runs" / "sweep.json"
    stated_words = json.loads(command.read_text())
    for changed, sentence in (
        ({"symlie": "0.1"}, "was created by symlie 0.1"),
        ({"place": "/none/at/all"}, "started in /none/at/all, which does not exist"),
        ({"words": 3}, "is damaged"),
    ):
        command.write_text(json.dumps(stated_words | changed))
        assert sentence in cli("resume", "runs", "--trust").err


def test_mpi_needs_mpirun() -> None:
    pytest.importorskip("mpi4py")
    found = python("-m", "symlie", "sweep", *TOP, "--over", "mass=1,2", "--mpi")
    assert found.code == 1 and "symlie: --mpi needs" in found.err
