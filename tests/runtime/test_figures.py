"""Figures of solutions: the panels a solution deserves, drawn without any window."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

import numpy as np
import pytest

import symlie as sl
from symlie.errors import FormatError, MissingDependencyError, ModelError, UnknownNameError
from symlie.runtime.layout.layout import Array
from symlie.runtime.plot.convergence_figure import clear_order
from symlie.runtime.plot.drawn_rotations import continuous, quaternions_of
from symlie.runtime.plot.figures import BINS, ENVELOPE_BINS, decimated, envelope, plot_solution
from symlie.runtime.plot.panel import Panel, Series, presented
from symlie.runtime.plot.panels import panels
from symlie.runtime.solution.solution import Solution
from tests.runtime.test_files import chain_solution, top_solution
from tests.systems import heavy_top_system, polar_system
from tests.tolerances import EPSILON, QUATERNION_OF_ROTATION

pytest.importorskip("matplotlib")


def titles(solution: Solution) -> list[str]:
    """Titles of the panels."""
    return [p.title for p in panels(solution)]


def test_constrained_body_has_its_panels() -> None:
    drawn = {p.title: p for p in panels(top_solution())}
    assert list(drawn) == [
        "center of mass",
        "rotation, unit quaternion",
        "angular velocity, body axes",
        "translational velocity, body axes",
        "multipliers of fixed point",
        "energy, relative change",
        "residuals of the constraints",
    ]
    assert drawn["center of mass"].label == "in m"
    assert drawn["angular velocity, body axes"].label == r"$\Omega$ in rad/s"
    spin = drawn["angular velocity, body axes"].series[1]
    assert spin.label == r"$\Omega_{2}$ − 150"
    np.testing.assert_array_equal(spin.values, top_solution().field("top", "Omega")[:, 1] - 150)
    energy = top_solution().outputs["energy"]
    np.testing.assert_array_equal(
        drawn["energy, relative change"].series[0].values, (energy - energy[0]) / abs(energy[0])
    )
    assert drawn["residuals of the constraints"].logarithmic


def test_several_bodies_and_coordinates_have_panels() -> None:
    shown = titles(chain_solution())
    assert "upper: position" in shown
    assert "lower: rotation, unit quaternion" in shown
    assert "height, relative change" in shown, "it hardly moves"
    assert {"multipliers of pivot", "multipliers of joint"} <= set(shown)
    bead = sl.solve(polar_system("numpy"), (0, 0.003), method="rkmk_rk44", h=1e-3)
    assert titles(bead) == ["coordinates", "rates", "energy, relative change"]


@pytest.mark.slow
def test_figure_opens_no_window_and_preserves_settings(tmp_path: Path) -> None:
    import matplotlib

    before = dict(matplotlib.rcParams)
    had_pyplot = "matplotlib.pyplot" in sys.modules
    path = tmp_path / "top.png"
    figure = top_solution().plot(path)
    assert ("matplotlib.pyplot" in sys.modules) == had_pyplot
    assert dict(matplotlib.rcParams) == before
    assert path.read_bytes().startswith(b"\x89PNG")
    assert [p.name for p in tmp_path.iterdir()] == ["top.png"]
    assert [axes.get_title(loc="left")[:3] for axes in figure.axes] == [f"({c})" for c in "abcdefg"]
    assert figure.axes[-1].get_yscale() == "log"
    assert figure.axes[-1].get_xlabel() == "$t$ in s"
    assert figure.axes[0].lines[0].get_marker() == ".", "few points are marked"


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".pdf", ".svg"])
def test_vector_figures_are_written(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"bead{suffix}"
    plot_solution(sl.solve(polar_system("numpy"), (0, 0.002), method="rkmk_rk44", h=1e-3), path)
    assert path.stat().st_size > 1000


@pytest.mark.slow
def test_single_time_can_be_plotted() -> None:
    solution = top_solution()
    one = dataclasses.replace(
        solution, t=solution.t[:1], q=solution.q[:1], v=solution.v[:1], multipliers=solution.multipliers[:1]
    )
    figure = plot_solution(one)
    assert len(figure.axes) == 7


@pytest.mark.slow
def test_zero_residuals_are_drawn() -> None:
    solution = dataclasses.replace(top_solution())
    zero = np.zeros_like(solution.t)
    solution.__dict__["outputs"] = {**top_solution().outputs, "constraint_residual": zero, "velocity_residual": zero}
    assert plot_solution(solution).axes[-1].get_yscale() == "linear"


def test_long_series_preserve_their_outline() -> None:
    t = np.linspace(0, 1, 200_001)
    values = np.sin(500 * t)
    values[77_777], values[123_456] = 5.0, -7.0
    few_t, few = decimated(t, values)
    assert len(few) <= 2 * BINS + 2
    assert few.max() == 5.0
    assert few.min() == -7.0
    assert (few_t[0], few_t[-1]) == (0.0, 1.0)
    assert np.all(np.diff(few_t) > 0)
    np.testing.assert_array_equal(few, values[np.searchsorted(t, few_t)])
    _, largest = envelope(t, values)
    assert len(largest) == ENVELOPE_BINS
    assert largest.max() == 5.0
    short_t, short = decimated(t[:10], values[:10])
    assert len(short_t) == len(short) == 10


def test_rotation_matrices_are_drawn_as_quaternions() -> None:
    """Against the stored quaternion of the same motion, which turns by more than a full turn."""
    stored = sl.solve(heavy_top_system("S3xR3"), (0, 0.06), method="half_explicit_5", h=1e-3).field("top", "p")
    w, x, y, z = stored.T
    rotations = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    ).transpose(2, 0, 1)
    assert stored[:, 0].min() < -0.5, "the quaternion passes the half turn"
    assert np.abs(continuous(quaternions_of(rotations)) - stored).max() < QUATERNION_OF_ROTATION
    assert np.abs(continuous(stored * np.where(np.arange(len(stored)) % 3, 1, -1)[:, None]) - stored).max() == 0


@pytest.mark.slow
def test_chosen_panels_are_drawn() -> None:
    names = ["residuals", "energy", "fixed_point", "center_of_mass", "top.Omega", "top.R"]
    figure = top_solution().plot(panels=names)
    assert [axes.get_title(loc="left")[4:] for axes in figure.axes] == [
        "residuals of the constraints",
        "energy, relative change",
        "multipliers of fixed point",
        "center of mass",
        "angular velocity, body axes",
        "rotation, unit quaternion",
    ]


@pytest.mark.parametrize("name", ["energies", "top.y", "bottom.x", "snapshots"])
def test_unknown_panels_are_rejected(name: str) -> None:
    with pytest.raises(UnknownNameError, match="draw"):
        top_solution().plot(panels=[name])


def falling() -> Solution:
    """A mass that falls past two heights, with the steps that were tried."""
    model = sl.Model("falling")
    q = model.node("mass", "R1")
    model.kinetic_energy(q.x_dot[0] ** 2 / 2)
    model.potential_energy(10 * q.x[0])
    model.event("halfway", q.x[0] + 1, terminal=False)
    model.event("ground", q.x[0] + 2)
    return sl.solve(model.derive().compile("numpy"), 2.0, method="rkmk_dopri5", trace=True)


@pytest.mark.slow
def test_events_are_marked_in_every_panel() -> None:
    solution = falling()
    times = {event.name: event.t for event in solution.events}
    assert set(times) == {"halfway", "ground"}
    figure = solution.plot()
    for axes in figure.axes:
        marked = sorted(path.vertices[0, 0] for lines in axes.collections for path in lines.get_paths())
        assert marked == sorted(times.values())
    (legend,) = figure.legends
    assert [text.get_text().split()[0] for text in legend.get_texts()] == ["halfway", "ground"]


@pytest.mark.slow
def test_step_histories_are_drawn(tmp_path: Path) -> None:
    solution = falling()
    assert solution.trace is not None
    path = tmp_path / "steps.png"
    errors, sizes = solution.plot_steps(path).axes
    assert path.read_bytes().startswith(b"\x89PNG")
    np.testing.assert_array_equal(sizes.lines[0].get_ydata(), solution.trace.h[solution.trace.accepted])
    assert errors.get_ylim()[1] > 1, "the tolerance is shown"
    rough = sl.solve(heavy_top_system("SO3xR3", "numpy"), 0.05, h0=0.01, trace=True)
    assert rough.statistics.rejected
    assert rough.trace is not None
    figure = sl.plot_steps({"top": rough, "mass": solution})
    crosses = next(line for line in figure.axes[0].lines if line.get_marker() == "x" and len(line.get_xdata()))
    np.testing.assert_array_equal(crosses.get_xdata(), rough.trace.t[~rough.trace.accepted])
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["top", "mass", "rejected"]


@pytest.mark.slow
def test_fixed_step_histories_show_only_errors() -> None:
    fixed = sl.solve(heavy_top_system("SO3xR3", "numpy"), 0.0255, h=1e-3, trace=True)
    (errors,) = fixed.plot_steps().axes
    assert fixed.trace is not None
    np.testing.assert_array_equal(errors.lines[0].get_ydata(), fixed.trace.error)
    with pytest.raises(ModelError, match="trace=True"):
        top_solution().plot_steps()


@pytest.mark.slow
def test_shortened_last_step_is_omitted() -> None:
    solution = sl.solve(heavy_top_system("SO3xR3", "numpy"), 0.02, rtol=1e-6, h0=1e-3, trace=True)
    assert solution.trace is not None
    h = solution.trace.h[solution.trace.accepted]
    trace = dataclasses.replace(solution.trace, h=np.where(np.arange(len(h)) == len(h) - 1, 1e-9, h))
    for axes in dataclasses.replace(solution, trace=trace).plot_steps().axes:
        assert len(axes.lines[0].get_xdata()) == len(h) - 1
    whole = dataclasses.replace(solution.trace, h=np.full(len(h), h[0]))
    errors = dataclasses.replace(solution, trace=whole).plot_steps().axes[0]
    assert len(errors.lines[0].get_xdata()) == len(h)


def panel_of(*values: Array, label: str = "in m") -> Panel:
    return Panel("height", label, tuple(Series(f"${k}$", x) for k, x in enumerate(values)))


def test_round_off_is_not_magnified() -> None:
    """Zero is zero relative to what else the model has in this unit; small numbers of a small model stay."""
    noise = np.random.default_rng(1).normal(size=50)
    shown = presented(panel_of(1e-17 * noise, 2e-17 * noise), scale=50.0)
    assert shown.remark == "0 to round-off" and shown.is_flat
    assert all(not series.values.any() for series in shown.series)
    assert presented(panel_of(0 * noise), scale=0.0).remark == "0 throughout"
    small = panel_of(1e-17 * noise)
    assert presented(small, scale=1e-17) == small
    constant = presented(panel_of(50 + 1e-14 * noise), scale=50.0)
    assert constant.remark == "constant to round-off" and constant.is_flat
    lost = panel_of(np.where(noise > 0, np.nan, noise))
    assert presented(lost, scale=1.0) == lost


def test_conserved_quantity_is_shown_by_relative_change() -> None:
    noise = np.random.default_rng(2).normal(size=50)
    shown = presented(panel_of(1.89105807 + 1e-11 * noise, label="in J"), scale=2.0)
    assert shown.title == "height, relative change" and shown.remark == "$y_0$ = 1.89106 J"
    np.testing.assert_allclose(shown.series[0].values, 1e-11 * (noise - noise[0]) / 1.89105807, atol=EPSILON)
    vector = presented(panel_of(3 + 1e-9 * noise, 4 + 0 * noise), scale=4.0)
    assert vector.remark == r"$\|y\|_0$ = 5 m" and not vector.series[1].values.any()


def test_energy_of_a_driven_system_is_drawn_in_joules() -> None:
    def pulled(is_driven: bool) -> Solution:
        model = sl.Model("pulled")
        q = model.node("mass", "R1")
        model.kinetic_energy(q.x_dot[0] ** 2 / 2)
        model.potential_energy(q.x[0] ** 2)
        model.initial(q, x=[1.0])
        if is_driven:
            model.force([model.input("pull")], at=q.x)
        system = model.derive().compile("numpy")
        return sl.solve(system.with_input("pull", [0, 1], [0, 5]) if is_driven else system, 1.0, h=0.1)

    (driven,) = (p for p in panels(pulled(True)) if "energy" in p.title)
    assert (driven.title, driven.label) == ("energy", "$E$ in J")
    np.testing.assert_array_equal(driven.series[0].values, pulled(True).outputs["energy"])
    assert "energy, relative change" in titles(pulled(False))


@pytest.mark.slow
def test_all_bodies_are_drawn_or_named() -> None:
    """No body rests unseen: the slider of a mechanism does not turn, which its panel says; further bodies are named."""

    def bodies(count: int) -> Solution:
        model = sl.Model("bodies")
        nodes = [model.node(f"body{k}", sl.SE2) for k in range(count)]
        for k, node in enumerate(nodes):
            model.kinetic_energy((node.U.dot(node.U) + node.Omega[0] ** 2) / 2)
            model.initial(node, x=[k, 1], Omega=[5.0 * (k == 0)], U=[1, k])
        model.output("place", nodes[0].x, unit="m")
        model.output("far", nodes[0].x + nodes[1].x, unit="m")
        model.output("direction", nodes[0].R[:, 0])
        return sl.solve(model.derive().compile("numpy"), 0.5, h=0.1)

    three = bodies(3)
    assert [t for t in titles(three) if "position" in t] == ["body1: position", "body2: position"]
    assert titles(three)[2:4] == ["place", "far"], "the output is the position of the first body"
    drawn = {p.title: p for p in panels(three)}
    assert drawn["body1: rotation angle"].remark == "0 throughout"
    assert three.plot().get_suptitle().splitlines()[1:] == ["not drawn: direction"]
    six = bodies(6)
    assert {t.partition(":")[0] for t in titles(six) if ":" in t} == {"body0", "body1", "body2", "body5"}
    figure = six.plot()
    assert figure.get_suptitle().splitlines()[1:] == ["not drawn: body3, body4, direction"]
    assert not any("+" in axes.yaxis.get_offset_text().get_text() for axes in figure.axes)
    assert len(six.plot(panels=["energy"]).get_suptitle().splitlines()) == 1


@pytest.mark.parametrize(
    ("observed", "expected"),
    [
        ([None, 5.45, 5.07, 1.64], (5, 2)),  # round-off at the end
        ([None, 2.27, 1.82, 1.44], None),  # still on its way to 1
        ([None, 3.9, 4.1], (4, 2)),
        ([None, 3.1], (3, 1)),
        ([None, 3.4], None),
        ([None], None),
        ([None, -0.5, 0.1, 0.2], None),
    ],
)
def test_order_lines_are_drawn(observed: list[float | None], expected: tuple[int, int] | None) -> None:
    assert clear_order(observed) == expected


@pytest.mark.slow
def test_work_precision_diagram_is_drawn() -> None:
    rows = list(sl.convergence(heavy_top_system("SE3"), 0.02, ["half_explicit_4", "half_explicit_5"], [2e-3, 1e-3]))
    figure = sl.plot_convergence(rows, work=True)
    assert [axes.get_xlabel() for axes in figure.axes] == 3 * ["processor time in ms"]
    np.testing.assert_allclose(figure.axes[0].lines[0].get_xdata(), [1e3 * row.cpu_seconds for row in rows[:2]])
    assert len({line.get_marker() for line in figure.axes[0].lines}) == 2
    with pytest.raises(ModelError, match="at least one"):
        sl.plot_convergence([])


def test_unknown_figure_type_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"\.png"):
        top_solution().plot(tmp_path / "top.jpeg2000")
    assert not list(tmp_path.iterdir())


def test_missing_matplotlib_names_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingDependencyError, match=r'pip install "symlie\[plot\]"'):
        plot_solution(top_solution())
