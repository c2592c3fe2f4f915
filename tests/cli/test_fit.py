"""``symlie fit``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from symlie.cli import main
from tests import tolerances
from tests.cli.conftest import Outcome

Cli = Callable[..., Outcome]

MODEL = """
import symlie as sl


def build():
    model = sl.Model("oscillator")
    m, k = model.parameter("mass", 1.0, unit="kg"), model.parameter("stiffness", 4.0, unit="N/m")
    x = model.node("x", "R1")
    model.kinetic_energy(m * x.x_dot[0] ** 2 / 2)
    model.potential_energy(k * x.x[0] ** 2 / 2)
    model.output("position", x.x[0], unit="m")
    model.initial(x, x=[1.0])
    return model
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A model and a record with a frequency of 3 rad/s."""
    (tmp_path / "oscillator.py").write_text(MODEL, encoding="utf-8")
    t = np.linspace(0.1, 3.0, 40)
    lines = ["t,position", *(f"{float(a)!r},{float(b)!r}" for a, b in zip(t, np.cos(3 * t), strict=True))]
    (tmp_path / "measured.csv").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path


STATED = ("fit", "oscillator.py", "measured.csv", "--rtol", "1e-9", "--parameters")


def test_fit_prints_values_and_errors(cli: Cli, files: Path) -> None:
    found = cli(*STATED, "stiffness", "--plot", "fit.png")
    assert found.code == 0 and (files / "fit.png").stat().st_size > 10_000
    lines = [" ".join(line.split()) for line in found.out.splitlines()]
    assert lines[0].startswith("oscillator: fit of 40 data, ")
    (value,) = (line.split() for line in lines if line.startswith("stiffness [N/m] "))
    assert float(value[2]) == pytest.approx(9.0) and value[3] == "±"
    assert any(line.startswith("residuals of position [m] ") for line in lines)


def test_fit_writes_json_and_names_what_is_not_determined(cli: Cli, files: Path) -> None:
    found = cli(*STATED, "mass,stiffness", "--json")
    assert found.code == 0 and "do not determine mass : stiffness = 1 : " in found.err
    data = found.json
    assert data["status"] == "ok" and data["rank"] == 1 and data["units"] == {"mass": "kg", "stiffness": "N/m"}
    assert data["values"]["stiffness"] / data["values"]["mass"] == pytest.approx(9.0, rel=tolerances.FITTED)
    assert data["standard_errors"] == {"mass": None, "stiffness": None}
    known = cli(*STATED, "mass,stiffness", "--prior", "mass=[2,0.1]", "--noise", "position=1e-3", "--json").json
    assert known["rank"] == 2 and known["values"]["stiffness"] == pytest.approx(18.0, rel=tolerances.FITTED)
    assert known["standard_errors"]["mass"] == pytest.approx(0.1, rel=tolerances.FITTED)


def test_fit_takes_initial_values_and_bounds(cli: Cli, files: Path) -> None:
    words = ("stiffness,x.x", "--set", "stiffness=7", "--bounds", "stiffness=[null,8]", "--json")
    data = cli(*STATED, *words).json
    assert data["values"]["stiffness"] == pytest.approx(8.0)
    assert cli(*STATED, "x.x", "--init", "x=0.5", "--set", "stiffness=9", "--json").json["values"][
        "x.x"
    ] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["weight"], "has no parameter, input or initial value 'weight'"),
        (["stiffness", "--outputs", "height"], "'height' in outputs is no output of 'oscillator'"),
        (["stiffness", "--noise", "position=0"], "The noise of 'position' must be a positive number, not 0"),
        (["stiffness", "--bounds", "stiffness=[5,6]"], "exclude its start value 4"),
        (["stiffness", "--freeze", "stiffness"], "compiled constant"),
        (["stiffness", "--plot", "fit.txt"], "must end in .png or"),
        (["stiffness", "--method", "taylor"], "have no sensitivities"),
    ],
)
def test_fit_reports_invalid_arguments(cli: Cli, files: Path, words: list[str], sentence: str) -> None:
    found = cli(*STATED, *words)
    assert found.code == 1 and sentence in found.err and len(found.err.splitlines()) == 1


def test_fit_needs_parameters(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["fit", "heavy_top", "measured.csv"])
    assert "--parameters" in capsys.readouterr().err
