"""Functional mock-up units in FMPy: validation, bits of `solve`, states, events and messages."""

from __future__ import annotations

import multiprocessing
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.compile import compiler
from symlie.export.fmu import binaries
from symlie.export.fmu.variables import unit_variables
from symlie.export.plan import ExportPlan, export_plan
from symlie.models.registry import model_names
from symlie.options import ExportKind, ExportTarget
from symlie.runtime.integrate.run_options import RunOptions
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.system import System
from tests import tolerances
from tests.export.programs import system_with
from tests.export.test_c import driven_system
from tests.export.units import Instance, simulated, states_of
from tests.runtime.test_dependent_nodes import located

fmpy = pytest.importorskip("fmpy", reason="units are tested in FMPy, which is not installed")
fmi1 = pytest.importorskip("fmpy.fmi1")
validation = pytest.importorskip("fmpy.validation")
if not shutil.which("gcc"):
    pytest.skip("binaries of units are compiled by gcc, which is not installed", allow_module_level=True)

pytestmark = pytest.mark.export

H = 2.0**-10
VERSIONS = (2, 3)
TARGETS: dict[int, ExportTarget] = {2: "fmu2", 3: "fmu3"}


@pytest.fixture(scope="module", autouse=True)
def fast_compilation() -> Iterator[None]:
    """Binaries with -O1, whose results have the same bits."""
    flags = tuple("-O1" if flag == "-O3" else flag for flag in binaries.FLAGS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(binaries, "FLAGS", flags)
        yield


@pytest.fixture(scope="module")
def units(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """Units of the heavy top for both versions."""
    folder = tmp_path_factory.mktemp("units")
    system = system_with("heavy_top", group="SE3")
    return {v: system.export(TARGETS[v], folder / f"top{v}.fmu", h=H) for v in VERSIONS}


def table_of(solution: Solution) -> np.ndarray:
    """Time, configuration, velocity and multipliers, one row per recorded state."""
    return np.hstack([solution.t[:, None], solution.q, solution.v, solution.multipliers])


@pytest.mark.parametrize("version", VERSIONS)
def test_units_are_valid_and_have_the_bits_of_solve(units: dict[int, Path], version: int) -> None:
    file, system = units[version], system_with("heavy_top", group="SE3")
    assert validation.validate_fmu(str(file)) == []
    told = {"stop_time": 0.25, "step_size": H, "output_interval": H}
    found = simulated(file, states_of(file), **told)
    np.testing.assert_array_equal(found, table_of(sl.solve(system, 0.25, h=H)))
    heavier = simulated(file, states_of(file), start_values={"mass": 20.0}, **told)
    np.testing.assert_array_equal(heavier, table_of(sl.solve(system.with_parameters(mass=20.0), 0.25, h=H)))


@pytest.mark.parametrize("version", VERSIONS)
def test_outputs_have_their_units_and_values(units: dict[int, Path], version: int) -> None:
    file, system = units[version], system_with("heavy_top", group="SE3")
    described = fmpy.read_model_description(str(file))
    variables = {v.name: v for v in described.modelVariables}
    assert variables["mass"].unit == "kg" and variables["mass"].variability == "tunable"
    assert variables["mass"].causality == "parameter" and variables["step_size"].start == repr(H)
    names = [name for name in variables if name.startswith("center_of_mass")]
    found = simulated(file, names, stop_time=0.125, step_size=H, output_interval=H)
    solution = sl.solve(system, 0.125, h=H)
    np.testing.assert_array_equal(found[:, 1:], solution.outputs["center_of_mass"])


def continued(file: Path, stored: bytes, names: list[str], steps: range) -> list[float]:
    """Values after steps from a serialised state, in another process."""
    other = Instance(file, "other").begin(mass=20.0)
    other.restore(stored)
    for k in steps:
        other.step(k * H, H)
    return [float(x) for x in other.get(names)]


@pytest.mark.parametrize("version", VERSIONS)
def test_states_are_serialised_for_other_processes(units: dict[int, Path], version: int) -> None:
    file, system = units[version], system_with("heavy_top", group="SE3")
    names = states_of(file)
    one = Instance(file).begin()
    for k in range(32):
        one.step(k * H, H)
    stored = one.stored()
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found = pool.apply(continued, (file, stored, names, range(32, 64)))
    expected = table_of(sl.solve(system, 64 * H, h=H))[-1, 1:]
    np.testing.assert_array_equal(found, expected)
    for k in range(32, 64):
        one.step(k * H, H)
    np.testing.assert_array_equal(one.get(names), expected)
    one.restore(stored)
    np.testing.assert_array_equal(one.get(names), table_of(sl.solve(system, 32 * H, h=H))[-1, 1:])
    one.end()


@pytest.mark.parametrize("version", VERSIONS)
def test_instances_are_independent_and_can_be_reset(units: dict[int, Path], version: int) -> None:
    file, system = units[version], system_with("heavy_top", group="SE3")
    names = states_of(file)
    one = Instance(file, "one").begin()
    other = Instance(file, "other", one.folder).begin(mass=20.0)
    for k in range(16):
        one.step(k * H, H)
        other.step(k * H, H)
    light, heavy = (table_of(sl.solve(s, 16 * H, h=H))[-1, 1:] for s in (system, system.with_parameters(mass=20.0)))
    np.testing.assert_array_equal(one.get(names), light)
    np.testing.assert_array_equal(other.get(names), heavy)
    other.unit.reset()
    if other.is_second:
        other.unit.setupExperiment()
    other.unit.enterInitializationMode()
    other.unit.exitInitializationMode()
    for k in range(16):
        other.step(k * H, H)
    np.testing.assert_array_equal(other.get(names), light)
    one.end()
    other.end()


@pytest.mark.parametrize("version", VERSIONS)
def test_failed_steps_report_their_messages(units: dict[int, Path], version: int) -> None:
    one = Instance(units[version]).begin(step_size=1.0)
    before = one.get(["top.x[1]" if version == 2 else "top.x"])
    with pytest.raises(Exception, match="DoStep failed with status 3"):
        one.step(0.0, 1.0)
    assert one.messages == ["a rotation of a step exceeds a turn; use shorter steps"]
    np.testing.assert_array_equal(one.get(["top.x[1]" if version == 2 else "top.x"]), before)
    with pytest.raises(Exception, match="failed with status 3"):
        one.set("top.x[1]" if version == 2 else "top.x", [0.0] if version == 2 else [0.0, 0.0, 0.0])
    assert "only parameters, inputs" in one.messages[-1]
    one.end()


@pytest.mark.parametrize("version", VERSIONS)
def test_terminal_events_end_the_run(version: int, tmp_path: Path) -> None:
    system = driven_system().with_input("push", [0.0], [5.0])
    file = system.export(TARGETS[version], tmp_path / "driven.fmu", h=0.01)
    assert validation.validate_fmu(str(file)) == []
    solution = sl.solve(system, 2.0, h=0.01)
    assert solution.status == "event"
    one, names = Instance(file).begin(), ["cart.x", "cart.x_dot"]
    for k in range(200):
        try:
            found = one.step(k * 0.01, 0.01)
        except fmi1.FMICallException as ended:
            assert ended.status == 2 and version == 2
            assert one.unit.getBooleanStatus(3)
            last = one.unit.getRealStatus(2)
            break
        if version == 3 and found[1]:
            assert found[2]
            last = found[3]
            break
    # Steps between communication points end at other roundings of the same times.
    expected = [solution.t[-1], solution.q[-1, 0], solution.v[-1, 0]]
    np.testing.assert_allclose([last, *one.get(names)], expected, rtol=tolerances.EXPORTED_TERMS)
    one.end()
    # FMPy does not let units of FMI 3.0 return early, and takes the values for those at the next communication point.
    rows = fmpy.simulate_fmu(str(file), stop_time=2.0, step_size=0.01, output_interval=0.01, output=names)
    assert 0 <= rows[-1][0] - last < (1e-2 if version == 3 else 1e-9)
    np.testing.assert_allclose(
        [np.ravel(x)[0] for x in rows.tolist()[-1][1:]], expected[1:], rtol=tolerances.EXPORTED_TERMS
    )
    if version == 3:
        assert fmpy.read_model_description(str(file)).coSimulation.mightReturnEarlyFromDoStep


@pytest.mark.parametrize("version", VERSIONS)
def test_inputs_are_held_between_communication_points(version: int, tmp_path: Path) -> None:
    """Values that jump at communication points have the bits of a held table."""
    system = driven_system()
    file = system.export(TARGETS[version], tmp_path / "driven.fmu", h=0.01)
    times, values = [k * 2.0**-4 for k in range(6)], [5.0, -1.0, 3.0, 2.0, -4.0, 1.0]
    one = Instance(file).begin(push=values[0])
    for t, value in zip(times, values, strict=True):
        one.set("push", value)
        one.step(t, 2.0**-4)
    table = system.with_input("push", times, values, "hold")
    end = times[-1] + 2.0**-4
    solution = sl.solve(table, end, h=0.01, t_eval=[*times[1:], end])
    found = one.get(["cart.x", "cart.x_dot", "wheel.angle" if version == 0 else "wheel.Omega"])
    np.testing.assert_array_equal(found, [solution.q[-1, 0], solution.v[-1, 0], solution.v[-1, 1]])
    one.end()


def test_inputs_with_derivatives_have_the_bits_of_linear_tables(tmp_path: Path) -> None:
    system = driven_system()
    file = system.export("fmu2", tmp_path / "driven.fmu", h=0.01)
    times, values = [k * 2.0**-4 for k in range(6)], [5.0, -1.0, 3.0, 2.0, -4.0, 1.0]
    one = Instance(file).begin(push=values[0])
    for k in range(5):
        one.set("push", values[k])
        one.unit.setRealInputDerivatives([one.references["push"]], [1], [(values[k + 1] - values[k]) * 16])
        one.step(times[k], 2.0**-4)
    table = system.with_input("push", times, values, "linear")
    solution = sl.solve(table, times[-1], h=0.01, t_eval=times[1:])
    np.testing.assert_array_equal(one.get(["cart.x", "cart.x_dot"]), [solution.q[-1, 0], solution.v[-1, 0]])
    one.end()


def pendulum_system() -> System:
    """A spherical pendulum."""
    pendulum = sl.Model("pendulum")
    bob = pendulum.node("bob", "R3", unit="m")
    pendulum.kinetic_energy(bob.x_dot.dot(bob.x_dot) / 2)
    pendulum.potential_energy(9.81 * bob.x[2])
    pendulum.constraint("rod", (bob.x.dot(bob.x) - 1) / 2)
    pendulum.initial(bob, x=[0.6, 0, -0.8], x_dot=[0, 1, 0])
    return pendulum.derive().compile(backend="c")


MODELS: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "adaptive top": ("heavy_top", {"group": "SE3"}, {}),
    "quaternions": ("heavy_top", {"group": "S3"}, {"h": H}),
    "implicit top": ("heavy_top", {"group": "SE3"}, {"h": H, "method": "generalized_alpha"}),
    "variational top": ("heavy_top", {"group": "SE3"}, {"h": H, "method": "rattlie"}),
    "free body": ("free_rigid_body", {}, {"h": H}),
    "rod": ("roll_up", {"segments": 4}, {"h": 1e-4}),
    "spaghetti": ("flying_spaghetti", {"segments": 4}, {"h": 1e-4}),
    "chain": ("pendulum_chain", {}, {"h": 1e-2}),
    "quadrotors": ("quadrotors", {}, {"h": 1e-3}),
    "crank": ("slider_crank", {}, {"h": 1e-3}),
    "rotor": ("rotor", {}, {"h": 1e-4}),
    "robot": ("puma560", {}, {"h": 1e-4}),
}
"""Twelve units: model, options, and arguments of the export."""

ROTATING = ("heavy_top", "rotor")
"""Models that turn by 150 rad and more in a second, whose states rotate with them."""

INTERVALS = {"rotor": 1e-4}
"""Intervals between output times in s, 1e-2 for other cases: CVode takes 1e5 steps, of which FMPy permits 500 in an
interval, and at first 500 in 3e-4 s."""


def test_units_contain_series(tmp_path: Path) -> None:
    """Binaries for all processors fuse no products and sums; derivatives are those of the equations of motion."""
    system = system_with("heavy_top", group="SE3")
    told: dict[str, Any] = {"method": "taylor", "h": 2.0**-6}
    file = system.export("fmu2", tmp_path / "top.fmu", kind="both", **told)
    assert validation.validate_fmu(str(file)) == []
    described = fmpy.read_model_description(str(file)).coSimulation
    assert described.providesDirectionalDerivative == compiler.compiles_cpp()
    found = simulated(file, states_of(file), stop_time=0.25, step_size=told["h"], output_interval=told["h"])
    expected = table_of(sl.solve(system, 0.25, **told))
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerances.EXPORTED_SERIES * np.abs(expected).max())


KINDS: tuple[ExportKind, ...] = ("cs", "me", "both")


def check_validity(case: str, version: int, kind: ExportKind, folder: Path) -> None:
    """A unit without binary, whose description FMPy checks."""
    model, options, told = MODELS[case]
    system = system_with(model, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("symlie.export.fmu.unit.own_binary", lambda *_: [])
        file = system.export(TARGETS[version], folder / "unit.fmu", kind=kind, **told)
    assert validation.validate_fmu(str(file)) == []
    described = fmpy.read_model_description(str(file), validate_variable_names=True)
    assert described.modelName == model
    assert (described.coSimulation is None, described.modelExchange is None) == (kind == "me", kind == "cs")


@pytest.mark.parametrize(
    ("case", "version", "kind"),
    [("crank", 2, "both"), ("crank", 3, "me"), ("quadrotors", 2, "me"), ("free body", 3, "both")],
)
def test_some_models_are_valid_units(case: str, version: int, kind: ExportKind, tmp_path: Path) -> None:
    check_validity(case, version, kind, tmp_path)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The inertia of body")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("case", MODELS)
def test_all_models_are_valid_units(case: str, version: int, kind: ExportKind, tmp_path: Path) -> None:
    check_validity(case, version, kind, tmp_path)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The inertia of body")
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("case", MODELS)
def test_all_models_agree_with_solve(case: str, version: int, tmp_path: Path) -> None:
    """Bits of co-simulation, and states that CVode integrates."""
    model, options, told = MODELS[case]
    system = system_with(model, **options)
    kind: dict[str, Any] = {"kind": "both", "states": "corotating" if model in ROTATING else "own"}
    file = system.export(TARGETS[version], tmp_path / "unit.fmu", **kind, **told)
    h = told.get("h", H)
    end = 8 * h
    variables = [v for v in unit_variables(plan_of(system, told), h) if v.kind in PARTS]
    names = [name for v in variables for name, *_ in v.scalars()] if version == 2 else [v.name for v in variables]
    found = simulated(file, names, stop_time=end, step_size=h, output_interval=h)
    arguments = {name: value for name, value in told.items() if name == "method"}
    points = found[1:, 0].tolist()
    solution = sl.solve(system, end, t_eval=points, **arguments, **({"h": h} if "h" in told else {}))
    columns = [getattr(solution, PARTS[v.kind])[:, v.place : v.place + v.size] for v in variables]
    np.testing.assert_array_equal(found[1:, 1:], np.hstack(columns))
    solver = {"fmi_type": "ModelExchange", "solver": "CVode", "relative_tolerance": 1e-10}
    interval = INTERVALS.get(case, 1e-2)
    rows = fmpy.simulate_fmu(str(file), output=names, stop_time=1.0, output_interval=interval, **solver)
    states = np.array([np.concatenate([np.ravel(x) for x in row]) for row in rows.tolist()])
    solution = sl.solve(system, 1.0, rtol=1e-12, t_eval=[1.0])
    first, q = 1, np.tile(solution.q[-1], (len(states), 1))
    for v in variables:
        part, expected = slice(first, first + v.size), getattr(solution, PARTS[v.kind])[-1, v.place : v.place + v.size]
        first += v.size
        if v.kind == "OF_Q":
            q[:, v.place : v.place + v.size] = states[:, part]
        if v.kind != "OF_LAMBDA":
            scale = max(1.0, float(np.abs(expected).max()))
            np.testing.assert_allclose(states[-1, part], expected, rtol=0, atol=tolerances.EXCHANGED * scale)
    drifts = [np.abs(system.mechanics.constraint(t, x)).max(initial=0) for t, x in zip(states[:, 0], q, strict=True)]
    assert max(drifts) <= tolerances.EXCHANGED_CONSTRAINTS


PARTS = {"OF_Q": "q", "OF_V": "v", "OF_LAMBDA": "multipliers"}


def plan_of(system: System, told: dict[str, Any]) -> ExportPlan:
    """Plan of the export of a system."""
    return export_plan(system, RunOptions(method=told.get("method")), told.get("h"))


def test_all_ready_made_models_are_exported() -> None:
    assert {model for model, *_ in MODELS.values()} == set(model_names())


def test_coupled_units_approximate_one_model(tmp_path: Path) -> None:
    """Two masses with a spring between the units: the error of held values is of first order in the step."""
    ends = []
    for h in (2.0**-8, 2.0**-9):
        units = coupled_masses(tmp_path, h)
        a, b = (Instance(file).begin() for file in units)
        for k in range(round(1 / h)):
            x, y = a.get(["mass.x"])[0], b.get(["mass.x"])[0]
            a.set("force", -100 * (x - y))
            b.set("force", 100 * (x - y))
            a.step(k * h, h)
            b.step(k * h, h)
        ends.append(np.concatenate([a.get(["mass.x"]), b.get(["mass.x"])]))
    # x + y grows linearly, and x - y oscillates with ω² = 100 (1 + 1/2).
    difference = 0.1 * np.cos(np.sqrt(150.0))
    centre = 0.1 / 3
    expected = np.array([centre + 2 / 3 * difference, centre - difference / 3])
    errors = [np.abs(end - expected).max() for end in ends]
    assert errors[1] < 0.02 and 1.7 < errors[0] / errors[1] < 2.4


def coupled_masses(folder: Path, h: float) -> list[Path]:
    """Units of masses of 1 kg and 2 kg, at 0.1 m and 0 m, with a force as input."""
    units = []
    for k, (mass, x) in enumerate(((1.0, 0.1), (2.0, 0.0))):
        model = sl.Model(f"mass{k}")
        force = model.input("force", unit="N")
        point = model.node("mass", "R1")
        model.kinetic_energy(mass * point.x_dot.dot(point.x_dot) / 2)
        model.generalized_force(point, sl.vector(force))
        model.initial(point, x=[x])
        system = model.derive().compile(backend="c")
        units.append(system.export("fmu2", folder / f"mass{k}_{h}.fmu", h=h))
    return units


def test_units_without_compiler_contain_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> compiler.Compiler:
        raise sl.errors.NoCompilerError("No C compiler was found.")

    system = system_with("heavy_top", group="SE3")
    monkeypatch.setattr("symlie.export.fmu.binaries.find_compiler", missing)
    with pytest.warns(sl.SymlieWarning, match="The unit contains sources only"):
        file = system.export("fmu3", tmp_path / "top.fmu", h=H)
    names = zipfile.ZipFile(file).namelist()
    assert "sources/buildDescription.xml" in names and not [n for n in names if n.startswith("binaries")]
    assert "sources/fmi3Functions.h" in names and "documentation/licenses/fmi_headers.txt" in names


@pytest.mark.slow
def test_units_have_binaries_for_other_systems(tmp_path: Path) -> None:
    pytest.importorskip("ziglang", reason="binaries for other systems are compiled by ziglang, which is not installed")
    starts = {"x86_64-windows": b"MZ", "aarch64-darwin": b"\xcf\xfa\xed\xfe", "aarch64-linux": b"\x7fELF"}
    platforms: Any = list(starts)
    file = pendulum_system().export("fmu3", tmp_path / "pendulum.fmu", h=H, platforms=platforms)
    archive = zipfile.ZipFile(file)
    for name, start in starts.items():
        (binary,) = [n for n in archive.namelist() if n.startswith(f"binaries/{name}/")]
        content = archive.read(binary)
        assert content.startswith(start) and b"fmi3DoStep" in content
    assert validation.validate_fmu(str(file)) == []


def test_unknown_systems_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    system = pendulum_system()
    with pytest.raises(sl.errors.UnknownNameError, match=r"FMI 2\.0 has no binaries for 'aarch64-linux'"):
        system.export("fmu2", tmp_path / "pendulum.fmu", platforms=["aarch64-linux"])
    monkeypatch.setattr("symlie.export.fmu.binaries.zig_program", lambda: None)
    with pytest.raises(sl.errors.NoCompilerError, match="compiled by the Python package ziglang"):
        system.export("fmu2", tmp_path / "pendulum.fmu", platforms=["x86_64-windows"])
    with pytest.raises(sl.errors.ModelError, match="C has none"):
        system.export("c", tmp_path / "pendulum", platforms=["x86_64-windows"])


def test_unsupported_units_are_refused(tmp_path: Path) -> None:
    unknown: Any = "sync"
    system: System = system_with("heavy_top", group="SE3")
    with pytest.raises(sl.errors.UnsupportedMethodError, match="because projections move independent nodes alone"):
        located("closed_loop", "c").export("fmu2", tmp_path / "chain.fmu", kind="me")
    with pytest.raises(sl.errors.UnknownNameError, match="Unknown kind 'sync'"):
        system.export("fmu2", tmp_path / "top.fmu", kind=unknown)
    for name in ("top.zip", "missing/top.fmu"):
        with pytest.raises(sl.errors.ModelError, match=r"must end in \.fmu"):
            system.export("fmu2", tmp_path / name)
    model = sl.Model("twice")
    node = model.node("mass", "R1")
    model.kinetic_energy(node.x_dot.dot(node.x_dot) / 2)
    model.output("step_size", node.x[0])
    with pytest.raises(sl.errors.ModelError, match="Two variables of the unit have the name 'step_size'"):
        model.derive().compile(backend="c").export("fmu2", tmp_path / "twice.fmu")


def test_sources_compile_without_warnings(units: dict[int, Path], tmp_path: Path) -> None:
    flags = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O1", "-c", "fmu.c"]
    for version, file in units.items():
        with zipfile.ZipFile(file) as archive:
            archive.extractall(tmp_path / str(version))
        for name in [n for n in ("gcc", "clang") if shutil.which(n)]:
            subprocess.run([name, *flags], cwd=tmp_path / str(version) / "sources", check=True)
