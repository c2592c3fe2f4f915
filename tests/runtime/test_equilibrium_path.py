"""Paths of equilibria through limit and bifurcation points, against formulas; how they end and fail."""

from __future__ import annotations

import functools
import math
import sys

import numpy as np
import pytest

import symlie as sl
from symlie.errors import EquilibriumPathError, MissingDependencyError, ModelError, UnknownNameError
from symlie.runtime.system.system import System
from symlie.warnings import SymlieWarning
from tests import tolerances


@functools.cache
def shallow_truss(lateral: float = 0.0, unit: float = 1.0) -> System:
    """Two bars from (±1, 0) m to a loaded top at (0, 0.5) m, with an optional lateral spring."""
    model = sl.Model("truss")
    load = model.parameter("load", 0.0, unit="N")
    top = model.node("top", "R3")
    model.kinetic_energy(unit**2 * top.x_dot.dot(top.x_dot) / 2)
    model.initial(top, x=np.array([0, 0, 0.5]) / unit)
    for side in (-1, 1):
        chord = unit * top.x - sl.vector(side, 0, 0)
        model.potential_energy(0.5 * (chord.dot(chord) - 1.25) ** 2 / 2)
    model.potential_energy(5 * (unit * top.x[1]) ** 2 + lateral * (unit * top.x[0]) ** 2 / 2)
    model.potential_energy(load * unit * top.x[2])
    model.output("height", unit * top.x[2], unit="m")
    return model.derive().compile(backend="numpy")


def load_of(height: float) -> float:
    """Load of the symmetric equilibrium: E = (1 + z² - 1.25)²/2 + P z."""
    return -2 * height * (height**2 - 0.25)


@pytest.mark.slow
@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e3])
def test_path_passes_limit_points(unit: float) -> None:
    """The truss snaps through at z = ±0.5/√3, in any unit of length."""
    path = shallow_truss(lateral=2.0, unit=unit).equilibrium_path("load", until=0.3)
    assert path.end == "until" and path.values[-1] == pytest.approx(0.3, rel=tolerances.PATH)
    limit = 0.5 / math.sqrt(3)
    assert [p.value for p in path.limit_points] == pytest.approx([load_of(limit), load_of(-limit)], rel=tolerances.PATH)
    assert path.limit_points[0].q[2] * unit == pytest.approx(limit, rel=tolerances.LOCATED_ON_PATH)
    assert np.abs(path.limit_points[0].directions[0]) == pytest.approx([0, 0, 1], abs=tolerances.LOCATED_ON_PATH)
    assert path.values == pytest.approx([load_of(z) for z in path.outputs["height"]], abs=tolerances.PATH)
    assert not path.bifurcation_points
    assert np.array_equal(path.is_stable, np.abs(path.outputs["height"]) > limit)


@pytest.mark.slow
def test_path_finds_bifurcation_points() -> None:
    """∂²E/∂x² = 4 + 2 (z² - 0.25) + c at x = 0 is positive for c = 2, and zero at z² = 0.15 for c = -3.8."""
    assert not shallow_truss(lateral=2.0).equilibrium_path("load", until=0.3).bifurcation_points
    path = shallow_truss(lateral=-3.8).equilibrium_path("load", until=0.3)
    assert [p.q[2] for p in path.bifurcation_points] == pytest.approx(
        [math.sqrt(0.15), -math.sqrt(0.15)], rel=tolerances.LOCATED_ON_PATH
    )
    for point in path.bifurcation_points:
        assert np.abs(point.directions[0]) == pytest.approx([1, 0, 0], abs=tolerances.LOCATED_ON_PATH)
    assert len(path.limit_points) == 2 and max(path.unstable) == 2


@pytest.mark.slow
@pytest.mark.parametrize(("fast", "coupled"), [(1.0, 0.0), (1e6, 0.0), (1e9, 0.0), (1e13, 0.0), (1.0, 0.3), (1e6, 0.3)])
def test_neutral_directions_do_not_hide_slow_stiffnesses(fast: float, coupled: float) -> None:
    """Limit points of cos x + x/2, at sin x = 1/2, next to a stiff spring and a coordinate without any stiffness."""
    model = sl.Model("pulled")
    bead, stiff, idle = (model.node(name, "R1") for name in ("bead", "stiff", "idle"))
    pull = model.parameter("pull", 0.0, unit="N")
    for node in (bead, stiff, idle):
        model.kinetic_energy(node.x_dot[0] ** 2 / 2)
    x, y = bead.x[0], stiff.x[0]
    model.potential_energy(sl.sin(x) + x**2 / 4 + fast * (y - coupled * x) ** 2 / 2)
    model.force([pull], at=bead.x)
    path = model.derive().compile(backend="numpy").equilibrium_path("pull", until=2.0)
    turning = np.arcsin(0.5) + np.array([0, 2 * np.pi / 3])
    expected = np.cos(turning) + turning / 2
    assert [p.value for p in path.limit_points] == pytest.approx(expected, rel=tolerances.PATH)
    for point in path.limit_points:
        along = np.array([1, coupled, 0])
        assert np.abs(point.directions[0]) == pytest.approx(along, abs=tolerances.LOCATED_ON_PATH)
    assert not path.bifurcation_points and max(path.unstable) == 1


@functools.cache
def column() -> System:
    """A column clamped below under a dead load on its top, inextensible."""
    model = sl.Model("column")
    load = model.parameter("load", 0.0, unit="N")
    rod = sl.CosseratRod(
        model, "rod", segments=8, length=1.0, constraint="inextensible", stiffness=[2, 2, 1, 1e5, 1e5, 1e5],
        inertia=[1e-6, 1e-6, 2e-6, 0.3, 0.3, 0.3], position=lambda s: (0, 0, s), orientation=(1, 0, 0, 0),
    )  # fmt: skip
    rod.clamp("start")
    rod.end_load("end", force=[0, 0, -load])
    return model.derive().compile(backend="numpy")


@pytest.mark.slow
def test_path_counts_multiple_bifurcations() -> None:
    """Euler's column buckles to all sides at once; the straight path moves multipliers alone."""
    path = column().equilibrium_path("load", until=8.0)
    (point,) = path.bifurcation_points
    assert point.value == pytest.approx(np.pi**2 * 2 / 4, rel=tolerances.BUCKLING)
    assert len(point.directions) == 2
    assert path.unstable[0] == 0 and path.unstable[-1] == 2
    assert np.abs(path.q - path.q[0]).max() <= tolerances.EQUILIBRIUM


@pytest.mark.slow
def test_path_follows_inputs_and_time() -> None:
    model = sl.Model("pulled")
    bead = model.node("bead", "R1")
    pull = model.input("pull", unit="N")
    model.kinetic_energy(bead.x_dot[0] ** 2 / 2)
    model.potential_energy(sl.sin(bead.x[0]) + bead.x[0] ** 2 / 4 + 0.1 * model.t * bead.x[0])
    model.force([pull], at=bead.x)
    system = model.derive().compile(backend="numpy")
    for name, sign in (("pull", 1.0), ("t", -0.1)):
        path = system.equilibrium_path(name, until=5.0 / sign)
        x = path.field("bead", "x")[:, 0]
        assert sign * path.values == pytest.approx(np.cos(x) + x / 2, abs=tolerances.PATH)
        turning = [sign * p.value for p in path.limit_points]
        there = np.array([p.q[0] for p in path.limit_points])
        assert len(there) >= 2 and turning == pytest.approx(np.cos(there) + there / 2, rel=tolerances.PATH)
        assert np.sin(there) == pytest.approx(0.5, rel=tolerances.LOCATED_ON_PATH)


def test_path_reports_its_end() -> None:
    system = shallow_truss(lateral=2.0)
    with pytest.warns(SymlieWarning, match="ends after 5 points"):
        path = system.equilibrium_path("load", until=0.3, max_points=5)
    assert path.end == "max_points" and len(path.values) == 5
    again = system.with_parameters(load=path.values[-1]).static_equilibrium(start=path.equilibrium(-1))
    assert np.abs(again.q - path.q[-1]).max() <= tolerances.EQUILIBRIUM


@pytest.mark.slow
def test_failure_contains_the_path_so_far() -> None:
    """The force of a square root ends at the load one."""
    model = sl.Model("ends")
    bead = model.node("bead", "R1")
    load = model.parameter("load", 0.0)
    model.kinetic_energy(bead.x_dot[0] ** 2 / 2)
    model.force([load - 1 + (1 - bead.x[0]) ** 0.5], at=bead.x)
    with pytest.raises(EquilibriumPathError, match="ends at") as failure:
        model.derive().compile(backend="numpy").equilibrium_path("load", until=2.0)
    path = failure.value.path
    assert path.end == "failed" and 0.5 < path.values[-1] <= 1.0 + tolerances.PATH


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"parameter": "weight"}, UnknownNameError),
        ({"until": 0.0}, ModelError),
        ({"max_points": 1}, ModelError),
        ({"first_step": 0.5}, ModelError),
    ],
)
def test_path_rejects_invalid_arguments(wrong: dict[str, object], error: type[Exception]) -> None:
    arguments: dict[str, object] = {"parameter": "load", "until": 1.0, **wrong}
    with pytest.raises(error):
        shallow_truss(lateral=2.0).equilibrium_path(**arguments)


def test_path_names_unknown_fields_and_missing_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.warns(SymlieWarning, match="ends after 2 points"):
        path = shallow_truss(lateral=2.0).equilibrium_path("load", until=0.3, max_points=2)
    with pytest.raises(UnknownNameError, match="no stored field 'x_dot'; it has: x"):
        path.field(path.system.layout.nodes[0].name, "x_dot")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingDependencyError, match=r'Drawing needs matplotlib.*pip install "symlie\[plot\]"'):
        path.plot()


def deep_arch(segments: int) -> System:
    """A clamped and hinged circular arch of 215 degrees with a load on its crown."""
    R, angle = 100.0, math.radians(215)
    model = sl.Model("arch")
    load = model.parameter("load", 0.0, unit="N")
    arch = sl.Continuum(model, "arch", sl.SE2, length=R * angle)
    arch.kinetic_density(arch.v.dot(arch.v) / 2)
    arch.potential_density(1e6 * (arch.w[0] + 1 / R) ** 2 / 2)
    arch.constraint_density("stiff", [arch.w[1] - 1, arch.w[2]])
    arch.clamp("start")

    def turned(s: float) -> float:
        return angle / 2 - s / R

    arch.initial(
        x=lambda s: (-R * np.sin(turned(s)), R * np.cos(turned(s))), p=lambda s: (np.cos(turned(s)), np.sin(turned(s)))
    )
    arch.discretize(segments)
    crown, hinge = (sl.ElementType(name, node=sl.SE2) for name in ("crown", "hinge"))
    crown.force(sl.vector(0, -load), at=crown.node.x)
    hinge.constraint("hinge", hinge.node.x - sl.vector(R * np.sin(angle / 2), R * np.cos(angle / 2)))
    model.add(crown, [arch[segments // 2]])
    model.add(hinge, [arch[-1]])
    return model.derive().compile()


@pytest.mark.slow
def test_deep_arch_has_its_limit_load() -> None:
    """897 N of DaDeppo and Schmidt: order two in the segments, extrapolated."""
    found = []
    for segments in (20, 40):
        path = deep_arch(segments).equilibrium_path("load", until=1000)
        found.append(path.limit_points[0].value)
        assert path.end == "until" and len(path.limit_points) == 2
    assert found[1] + (found[1] - found[0]) / 3 == pytest.approx(897, abs=tolerances.DEEP_ARCH)
