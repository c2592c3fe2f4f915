"""Fits: known values from noisy records, units, priors, bounds, and combinations that data do not determine."""

from __future__ import annotations

import functools
from collections.abc import Mapping

import numpy as np
import pytest

import symlie as sl
from symlie.runtime.layout.layout import Array
from tests import tolerances
from tests.runtime.sensitivities.models import hinge, hinged_rods, pendulum

TIMES = np.linspace(0.02, 2.0, 60)
STEPS = {"rtol": 1e-6}
TRUE = {"offset": 0.05, "shoulder_bearing_damping": 4e-3, "elbow_bearing_damping": 2e-3, "lower_mass": 0.53}


def measured(system: sl.System, outputs: Mapping[str, float], seed: int = 0) -> dict[str, Array]:
    """Record of a run with normal noise of given standard deviations."""
    run, noise = sl.solve(system, TIMES[-1], t_eval=TIMES, **STEPS), np.random.default_rng(seed)
    values = {n: run.outputs[n] + noise.normal(0, s, run.outputs[n].shape) for n, s in outputs.items()}
    return {"t": TIMES, **values}


@functools.cache
def swing() -> sl.Fit:
    """Friction, mass and offset of a sensor, from a noisy record."""
    record = measured(hinged_rods().with_parameters(**TRUE), {"sensor": 5e-3})
    return sl.fit(hinged_rods(), record, list(TRUE), **STEPS)


def test_fit_finds_values_within_their_errors() -> None:
    found = swing()
    assert found.has_converged and found.rank == 4 and found.unidentifiable == ()
    assert (abs(found.array - list(TRUE.values())) < 3 * found.standard_errors).all()
    assert (found.standard_errors < 0.05 * abs(found.array)).all()
    assert found.noise["sensor"] == pytest.approx(5e-3, rel=0.2)
    assert found.system.parameters.tolist() == hinged_rods().with_parameters(**dict(found)).parameters.tolist()


def test_fit_has_errors_of_many_noises() -> None:
    """The values of many noises scatter as the covariance of one of them predicts."""
    true, names = pendulum().with_parameters(length=1.2), ["length", "damping[1]"]
    fits = [sl.fit(pendulum(), measured(true, {"tip": 1e-2}, seed), names, **STEPS) for seed in range(12)]
    scatter = np.array([f.array for f in fits]).std(axis=0, ddof=1)
    assert scatter == pytest.approx(fits[0].standard_errors, rel=0.75), "χ² of 11 degrees: 0.40 to 1.7 at 99.9 %"


def test_fit_of_exact_data_is_exact() -> None:
    record = measured(pendulum().with_parameters(length=1.2, mass=1.5), {"tip": 0.0})
    found = sl.fit(pendulum(), record, ["length", "mass", "bob.x_dot[1]"], **STEPS)
    assert dict(found) == pytest.approx({"length": 1.2, "mass": 1.5, "bob.x_dot[1]": 1.0}, rel=tolerances.FITTED)
    assert max(abs(r["tip"]).max() for r in found.residuals) < tolerances.FITTED


def test_fit_is_a_mapping_with_tables() -> None:
    found = swing()
    assert list(found) == list(found.names) == list(TRUE) and len(found) == 4
    assert found.units == ("rad", "", "", "kg") and found["offset"] == found.array[0]
    assert repr(found).startswith("Fit('hinged_rods'; offset 0.0")
    page = found._repr_html_()
    assert "standard error" in page and "lower_mass" in page and "not determined" not in page
    assert np.diag(found.correlation) == pytest.approx(np.ones(4)) and (abs(found.correlation) < 1 + 1e-12).all()
    assert found.data[0]["sensor"].shape == found.residuals[0]["sensor"].shape == (60, 2)
    assert np.array_equal(found.solutions[0].t, TIMES)


def test_fit_plots_data_and_residuals(tmp_path: pytest.TempPathFactory) -> None:
    figure = swing().plot(f"{tmp_path}/fit.png")
    assert len(figure.axes) == 4 and figure.axes[0].get_ylabel() == "sensor[0] in rad"
    assert len(figure.axes[0].lines[0].get_xdata()) == 60


def test_fit_does_not_depend_on_units() -> None:
    found = []
    for unit, size in (("m", 1.0), ("mm", 1e3)):
        model = sl.Model("drop")
        g, x0 = model.parameter("g", 9.0 * size, unit=f"{unit}/s^2"), model.parameter("offset", 0.0, unit=unit)
        ball = model.node("ball", "R1")
        model.kinetic_energy(ball.x_dot[0] ** 2 / 2)
        model.potential_energy(g * ball.x[0])
        model.output("height", ball.x[0] + x0, unit=unit)
        system = model.derive().compile()
        record = measured(system.with_parameters(g=9.8 * size, offset=0.1 * size), {"height": 0.0})
        noise = np.random.default_rng(3).normal(0, 0.01, len(TIMES))
        record["height"] = record["height"] + size * noise
        found.append(sl.fit(system, record, ["g", "offset"], h=0.02))
    for name in ("array", "standard_errors"):
        assert getattr(found[1], name) == pytest.approx(1e3 * getattr(found[0], name), rel=tolerances.FITTED)
    assert found[0].evaluations == found[1].evaluations


def test_fit_names_what_data_do_not_determine() -> None:
    """Without friction, the motion depends on the ratio of stiffness and mass alone, and not on the third parameter."""
    model = sl.Model("oscillator")
    m, k = model.parameter("mass", 2.0, unit="kg"), model.parameter("stiffness", 8.0, unit="N/m")
    model.parameter("colour", 1.0)
    x, x0 = model.node("x", "R1"), model.parameter("place", 0.2)
    model.kinetic_energy(m * x.x_dot[0] ** 2 / 2)
    model.potential_energy(k * (x.x[0] - x0) ** 2 / 2)
    model.output("position", x.x[0], unit="m")
    model.initial(x, x=[1.0])
    system = model.derive().compile()
    record = measured(system.with_parameters(stiffness=9.0, place=0.25), {"position": 1e-3})
    names = ["mass", "stiffness", "place", "colour"]
    with pytest.warns(sl.SymlieWarning, match="do not determine mass : stiffness = 1 : 4.*; colour") as caught:
        found = sl.fit(system, record, names, h=0.02)
    assert len(caught) == 1 and found.rank == 2 and len(found.unidentifiable) == 2
    assert np.isnan(found.standard_errors).tolist() == [True, True, False, True]
    assert found["colour"] == 1.0, "values without effect stay"
    assert found["stiffness"] / found["mass"] == pytest.approx(4.5, rel=0.01)
    assert found["place"] == pytest.approx(0.25, abs=4 * found.standard_errors[2])
    assert "not determined: mass : stiffness" in repr(found) and "not determined" in found._repr_html_()
    known = sl.fit(system, record, names[:3], h=0.02, priors={"mass": (2.0, 0.1)})
    assert known.rank == 3 and known.standard_errors[0] == pytest.approx(0.1, rel=1e-3)


def test_fit_takes_several_records() -> None:
    """Records with other initial values and outputs, of one parameter."""
    systems = [pendulum(), pendulum().with_initial("bob", x_dot=[0, 2, 0])]
    kinds = {"tip": 1e-2}, {"speed": 2e-2}
    records = [
        measured(s.with_parameters(length=1.2), kind, seed)
        for seed, (s, kind) in enumerate(zip(systems, kinds, strict=True))
    ]
    both = sl.fit(systems, records, "length", **STEPS)
    assert abs(both["length"] - 1.2) < 4 * both.standard_errors[0]
    assert both.noise == pytest.approx({"tip": 1e-2, "speed": 2e-2}, rel=0.3)
    alone = [sl.fit(s, r, "length", **STEPS).standard_errors[0] for s, r in zip(systems, records, strict=True)]
    assert both.standard_errors[0] == pytest.approx(np.sum(np.array(alone) ** -2.0) ** -0.5, rel=0.05)
    assert both.systems[1].initial_fields["bob", "x_dot"].tolist() == [[0, 2, 0]]


def test_fit_takes_weights() -> None:
    """Weights are reciprocals of standard deviations; those of zero leave data out."""
    record = measured(pendulum().with_parameters(length=1.2), {"tip": 1e-2})
    plain = sl.fit(pendulum(), record, "length", weights={"tip": 100.0}, **STEPS)
    doubled = sl.fit(pendulum(), record, "length", weights={"tip": 50.0}, **STEPS)
    assert doubled.standard_errors == pytest.approx(2 * plain.standard_errors, rel=tolerances.FITTED)
    spoilt = {**record, "tip": record["tip"].copy()}
    spoilt["tip"][7] = 5.0
    weights = np.full(len(TIMES), 100.0)
    weights[7] = 0.0
    left_out = sl.fit(pendulum(), spoilt, "length", weights={"tip": weights}, **STEPS)
    assert abs(left_out["length"] - plain["length"]) < plain.standard_errors[0]


def test_fit_keeps_bounds() -> None:
    record = measured(pendulum().with_parameters(length=1.2), {"tip": 1e-2})
    found = sl.fit(pendulum(), record, ["length", "damping"], bounds={"length": (None, 1.15)}, **STEPS)
    assert found["length"] == pytest.approx(1.15)


def test_fit_assembles_initial_values() -> None:
    """Initial velocities keep the constraint, and their component along its normal is not determined."""
    true = pendulum().with_initial("bob", x_dot=[0.4, 1.2, 0.3]).assembled()
    record = measured(true, {"tip": 1e-3})
    with pytest.warns(sl.SymlieWarning, match=r"bob\.x_dot\[0\] : bob\.x_dot\[2\] = 1 : -1\.333"):
        found = sl.fit(pendulum(), record, ["bob.x_dot"], **STEPS)
    assert found.array == pytest.approx([0.4, 1.2, 0.3], abs=2e-3)
    assert found.array[[0, 2]] @ [0.6, -0.8] == pytest.approx(0, abs=1e-12)


@functools.cache
def spun_body() -> sl.System:
    """A body about a fixed point, whose inertia is close to that of a flat one, under gravity."""
    model = sl.Model("spun_body")
    J = model.parameter("top_inertia", [[0.5, 0.02, 0], [0.02, 0.5, 0], [0, 0, 0.9]], unit="kg m^2")
    body = model.node("body", sl.SO3)
    model.kinetic_energy(body.Omega.dot(J * body.Omega) / 2)
    model.potential_energy(0.98 * (body.R * sl.vector(0.3, 0, 1))[2])
    model.output("rate", body.Omega, unit="rad/s")
    model.initial(body, Omega=[1.0, 0.4, 3.0])
    return model.derive().compile()


def test_fit_keeps_inertias_of_bodies() -> None:
    """A flat body whose noisy record suggests an impossible inertia; six unknowns of a symmetric matrix."""
    flat = np.array([[0.5, 0, 0], [0, 0.45, 0], [0, 0, 0.95]])
    record = measured(spun_body().with_parameters(top_inertia=flat), {"rate": 2e-2}, seed=2)
    free = sl.fit(spun_body(), record, ["top_inertia"], physical=False, **STEPS)
    assert free.names == tuple(f"top_inertia[{k}]" for k in (0, 1, 2, 4, 5, 8))
    assert second_moments(free).min() < 0, "the data alone suggest an impossible body"
    held = sl.fit(spun_body(), record, ["top_inertia"], max_evaluations=40, **STEPS)
    assert second_moments(held).min() > -1e-12
    assert second_moments(held).min() < 1e-3, "on the boundary"
    matrix = held.system.parameters[held.system.layout.parameters["top_inertia"][0]].reshape(3, 3)
    assert np.array_equal(matrix, matrix.T)


def second_moments(found: sl.Fit) -> Array:
    """Principal second moments of mass of the fitted inertia."""
    J = found.system.parameters[found.system.layout.parameters["top_inertia"][0]].reshape(3, 3)
    return np.linalg.eigvalsh(np.trace(J) / 2 * np.eye(3) - J)


def test_fit_finds_joint_coordinates() -> None:
    system = hinge()
    true = system.with_initial("pivot", angle=0.4, rate=0.3)
    record = {"t": TIMES, "place": sl.solve(true, TIMES[-1], t_eval=TIMES, **STEPS).outputs["place"]}
    found = sl.fit(system.with_initial("pivot", angle=0.2, rate=0.0), record, ["pivot.angle", "pivot.rate"], **STEPS)
    assert dict(found) == pytest.approx({"pivot.angle": 0.4, "pivot.rate": 0.3}, rel=tolerances.FITTED)
    assert found.units == ("rad", "rad/s")
