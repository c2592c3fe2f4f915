"""Records of fits in all forms, and one sentence for each defect."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import symlie as sl
from symlie.errors import FormatError, FrozenParameterError, ModelError, UnknownNameError
from tests.conftest import Programs
from tests.runtime.sensitivities.models import hinged_rods, pendulum, springs

TIMES = np.linspace(0.1, 1.0, 10)
STEPS = {"h": 1 / 32}


def record() -> dict[str, Any]:
    """Exact record of a stiffness of 4."""
    run = sl.solve(springs().with_parameters(stiffness=4.0), 1.0, t_eval=TIMES, **STEPS)
    return {"t": TIMES, "distance": run.outputs["distance"]}


def stiffness(data: Any, **options: Any) -> float:
    return sl.fit(springs(), data, "stiffness", **STEPS, **options)["stiffness"]


def test_fit_reads_records_in_all_forms(tmp_path: Path, needs: Programs) -> None:
    data = record()
    frame = pd.DataFrame(data)
    frame.to_csv(tmp_path / "record.csv", index=False)
    run = sl.solve(springs().with_parameters(stiffness=4.0), 1.0, t_eval=TIMES, **STEPS)
    forms: list[Any] = [
        data,
        {"time": TIMES.tolist(), "distance": data["distance"].tolist()},
        frame,
        frame.rename(columns={"t": "time"}).set_index("time"),
        tmp_path / "record.csv",
        str(tmp_path / "record.csv"),
    ]
    for form in forms:
        assert stiffness(form) == pytest.approx(4.0)
    needs("xarray", "netCDF4")
    run.save(tmp_path / "run.nc")
    run.save(tmp_path / "run.csv")
    for form in (run.to_xarray(), run.to_dataframe(), tmp_path / "run.nc", tmp_path / "run.csv"):
        assert stiffness(form, outputs="distance") == pytest.approx(4.0)


def test_fit_reads_components_of_vectors(tmp_path: Path) -> None:
    run = sl.solve(pendulum().with_parameters(length=1.2), 1.0, t_eval=TIMES, **STEPS)
    lines = ["t, tip[0], tip[1], tip[2]"]
    lines += [", ".join(map(repr, map(float, (t, *tip)))) for t, tip in zip(TIMES, run.outputs["tip"], strict=True)]
    (tmp_path / "tip.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert sl.fit(pendulum(), tmp_path / "tip.csv", "length", **STEPS)["length"] == pytest.approx(1.2)


def with_values(**changes: Any) -> Mapping[str, Any]:
    return {**record(), **changes}


def spoilt(index: int, value: float) -> Any:
    values = record()["distance"].copy()
    values[index] = value
    return values


@pytest.mark.parametrize(
    ("error", "sentence", "changes"),
    [
        (ModelError, r"not finite at t = 0\.4 s; leave out", lambda: {"distance": spoilt(3, np.nan)}),
        (ModelError, r"must have shape \(10,\), not \(9,\)", lambda: {"distance": np.ones(9)}),
        (ModelError, r"must have shape \(10,\), not \(10, 2\)", lambda: {"distance": np.ones((10, 2))}),
        (ModelError, "must be numbers", lambda: {"distance": ["a"] * 10}),
        (ModelError, "before the start of the run at 0 s", lambda: {"t": TIMES - 0.5}),
        (ModelError, "must increase; sort the record", lambda: {"t": TIMES[::-1]}),
        (ModelError, "not finite, at index 2", lambda: {"t": np.where(TIMES[2] == TIMES, np.nan, TIMES)}),
        (ModelError, r"must have shape \(n,\)", lambda: {"t": np.ones((2, 5))}),
        (UnknownNameError, "'height' in the record is no output of 'springs'", lambda: {"height": TIMES}),
    ],
)
def test_fit_reports_defects_of_records(error: type[Exception], sentence: str, changes: Any) -> None:
    with pytest.raises(error, match=sentence):
        stiffness(with_values(**changes()))


def test_fit_reports_missing_parts_of_records() -> None:
    for data, sentence in (
        ({"distance": TIMES}, "There are no times in the record; name them 't' or 'time'"),
        ({"t": TIMES}, "There are no outputs besides the times in the record"),
        (TIMES, "must be a mapping of names to arrays"),
        ({"t": [0.0], "distance": [0.8]}, "There are no data in the record after the start of the run at 0 s"),
        ([], "1 systems do not|do not belong to 0 records"),
    ):
        with pytest.raises(ModelError, match=sentence):
            stiffness(data)
    with pytest.raises(UnknownNameError, match="There are no values of the output 'distance' in the record; it has: t"):
        stiffness({"t": TIMES}, outputs="distance")
    with pytest.raises(UnknownNameError, match="'height' in outputs is no output"):
        stiffness(record(), outputs=["height"])
    with pytest.raises(ModelError, match="2 systems do not belong to 1 records"):
        sl.fit([springs(), springs()], record(), "stiffness", **STEPS)
    with pytest.raises(ModelError, match="must be compiled from one model"):
        sl.fit([springs(), pendulum()], [record(), record()], "stiffness", **STEPS)


def test_fit_reports_wrong_units(needs: Programs) -> None:
    needs("xarray")
    import xarray

    data = record()
    measured = xarray.Dataset({"distance": ("t", data["distance"], {"units": "mm"})}, {"t": TIMES})
    with pytest.raises(ModelError, match="Output 'distance' is in m, but the record contains it in mm; convert"):
        stiffness(measured)
    measured = xarray.Dataset({"distance": ("t", data["distance"])}, {"t": ("t", TIMES, {"units": "ms"})})
    with pytest.raises(ModelError, match="The times of the record are in ms; convert them to s"):
        stiffness(measured)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("t,distance\n", "needs a line of names and at least one line of numbers"),
        ("t,distance\n0.1,1\n0.2\n", "Line 3 of .* has 1 values for 2 names"),
        ("t,distance\n0.1,one\n", "is no record"),
    ],
)
def test_fit_reports_defects_of_files(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "record.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=sentence):
        stiffness(path)


def test_fit_reports_files_of_other_kinds(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"missing\.csv does not exist"):
        stiffness(tmp_path / "missing.csv")
    with pytest.raises(FormatError, match=r"from \.csv or \.nc files, not from 'record\.txt'"):
        stiffness(tmp_path / "record.txt")
    (tmp_path / "record.nc").write_bytes(b"nothing")
    with pytest.raises(FormatError, match=r"record\.nc is no record"):
        stiffness(tmp_path / "record.nc")


@pytest.mark.parametrize(
    ("error", "sentence", "parameters", "options"),
    [
        (UnknownNameError, "no parameter, input or initial value 'weight'", ["weight"], {}),
        (ModelError, "needs parameters or initial values", [], {}),
        (ModelError, "'stiffness' is named twice", ["stiffness", "stiffness"], {}),
        (UnknownNameError, r"'first\.x' has 1 components, so that 'first\.x\[3\]' does not", ["first.x[3]"], {}),
        (ModelError, "'m' has different values in 2 elements.*ELEMENT.NAME", ["m"], {}),
        (ModelError, "0 to 1, exclude its start value 3", ["stiffness"], {"bounds": {"stiffness": (0, 1)}}),
        (ModelError, "lower bound of 'stiffness' must be below", ["stiffness"], {"bounds": {"stiffness": (5, 4)}}),
        (ModelError, "bounds of 'stiffness' must be two values", ["stiffness"], {"bounds": {"stiffness": 5}}),
        (
            UnknownNameError,
            "Bounds of 'mass' belong to no fitted parameter",
            ["stiffness"],
            {"bounds": {"mass": (0, 1)}},
        ),
        (ModelError, "deviation of the prior of 'stiffness' must be", ["stiffness"], {"priors": {"stiffness": (3, 0)}}),
        (ModelError, "an expected value and a standard", ["stiffness"], {"priors": {"stiffness": (3, None)}}),
        (UnknownNameError, "Weights must be given for all fitted outputs", ["stiffness"], {"weights": {"tip": 1}}),
        (ModelError, "must be finite and not negative", ["stiffness"], {"weights": {"distance": -1}}),
        (ModelError, "must be a number, or have the shape", ["stiffness"], {"weights": {"distance": [1, 2]}}),
        (ModelError, "t_eval follows from start and the times of the data", ["stiffness"], {"t_eval": [1.0]}),
        (ModelError, "t_span follows from start and the times of the data", ["stiffness"], {"t_span": 1.0}),
        (UnknownNameError, "no option 'rtoll' here. Did you mean 'rtol'", ["stiffness"], {"rtoll": 1e-3}),
        (ModelError, "exceed max_steps = 1", ["stiffness"], {"max_steps": 1}),
    ],
)
def test_fit_refuses_by_name(
    error: type[Exception], sentence: str, parameters: list[str], options: dict[str, Any]
) -> None:
    with pytest.raises(error, match=sentence):
        sl.fit(springs(), record(), parameters, **STEPS, **options)


def test_fit_refuses_what_cannot_be_determined() -> None:
    short = {"t": TIMES[:2], "distance": record()["distance"][:2]}
    names = ["stiffness", "first.x", "second.x"]
    with pytest.raises(ModelError, match="2 data cannot determine 3 values"):
        sl.fit(springs(), short, names, **STEPS)
    with pytest.raises(ModelError, match="compiled constant"):
        sl.fit(hinged_rods(), {"t": TIMES, "sensor": np.ones((10, 2))}, "shoulder_point_a", **STEPS)
    sensor = {"t": TIMES, "sensor": np.ones((10, 2))}
    with pytest.raises(ModelError, match="must be positive and satisfy the triangle inequality"):
        start = hinged_rods().with_parameters(lower_inertia=np.diag([1.0, 1.0, 3.0]))
        sl.fit(start, sensor, "lower_inertia", **STEPS)
    with pytest.raises(ModelError, match="'lower_mass' must not be negative"):
        sl.fit(hinged_rods().with_parameters(lower_mass=-1.0), sensor, "lower_mass", **STEPS)
    with pytest.raises(FrozenParameterError):
        hinged_rods().with_parameters(shoulder_point_a=np.ones(3))
