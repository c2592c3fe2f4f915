"""Exported C: without warnings, and with the bits of `solve`."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.compile.compiler import vector_numbers
from symlie.contract.constants import Status
from symlie.export.description import OWN_STATUSES, statuses
from symlie.export.unit import one_unit
from symlie.models.registry import build_model
from symlie.runtime.system.system import System
from tests import tolerances
from tests.export.programs import COMPILERS, EXACT, SANITIZERS, STRICT, exported, last_state, results, system_with
from tests.modeling.test_element_inputs import chosen
from tests.runtime.test_contacts import bouncing

if not COMPILERS:
    pytest.skip("the warnings are those of gcc and clang, and neither is installed", allow_module_level=True)

CASES: dict[str, tuple[str, dict[str, Any], dict[str, Any], float]] = {
    "constrained top": ("heavy_top", {"group": "SE3"}, {"method": "half_explicit_5", "h": 2.0**-9}, 0.25),
    "free top": ("heavy_top", {"group": "SO3"}, {"method": "rkmk_rk44", "h": 2.0**-9}, 0.25),
    "commutator-free": ("heavy_top", {"group": "SO3"}, {"method": "cf4", "h": 2.0**-9}, 0.25),
    "rod": ("roll_up", {"segments": 2}, {"method": "half_explicit_4", "h": 2.0**-13}, 2.0**-7),
    "fields": ("pendulum_chain", {}, {"method": "rkmk_dopri5", "h": 0.01}, 0.2),
    "own state": ("heavy_top", {"group": "SO3"}, {"method": "abmk3", "h": 2.0**-9}, 0.25),
    "implicit": ("heavy_top", {"group": "SE3"}, {"method": "generalized_alpha", "h": 2.0**-9}, 0.25),
    "implicit rod": ("roll_up", {"segments": 2}, {"method": "generalized_alpha_index2", "h": 2.0**-9}, 0.0625),
    "variational": ("heavy_top", {"group": "SE3"}, {"method": "rattlie", "h": 2.0**-9}, 0.25),
    "projection": ("heavy_top", {"group": "SE3"}, {"h": 2.0**-9, "stabilize": "projection+velocity"}, 0.25),
    "mechanism": ("slider_crank", {}, {"h": 2.0**-9}, 0.25),
    "quadrotors": ("quadrotors", {}, {"h": 2.0**-9}, 0.25),
    "Cayley": (
        "heavy_top", {"group": "SO3"}, {"method": "rkmk_rk44", "h": 2.0**-9, "method_options": {"map": "cayley"}}, 0.25,
    ),
}  # fmt: skip
"""Model, its options, arguments of the export and of `solve`, and end time."""

ADAPTIVE = ("constrained top", "implicit rod", "fields", "implicit", "mechanism")


def case_system(case: str) -> System:
    model, options, *_ = CASES[case]
    return system_with(model, **options)


def steps(told: dict[str, Any], end: float) -> str:
    """Statements that take single steps, and that advance at once."""
    h = told["h"]
    return (
        f"show(&s); while (status == P_OK && s.t < {end}) status = p_step(&s, &p, {h!r}); show(&s);"
        f"status = p_initialize(&s, &p, 0); if (status == P_OK) status = p_advance(&s, &p, {end}, {h!r}); show(&s);"
    )


def check_bits(case: str, folder: Path, compiler: str, options: tuple[str, ...]) -> None:
    *_, told, end = CASES[case]
    exported(case_system(case), folder, **told)
    found = results(folder, steps(told, end), compiler, options)
    solution = sl.solve(case_system(case), end, **told)
    for line, expected in zip(
        found, (last_state(solution, 0), last_state(solution), last_state(solution)), strict=True
    ):
        np.testing.assert_array_equal(line, expected)


def test_steps_have_the_bits_of_solve(tmp_path: Path) -> None:
    check_bits("constrained top", tmp_path, COMPILERS[0], EXACT)


@pytest.mark.slow
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("case", CASES)
def test_all_families_have_the_bits_of_solve(case: str, compiler: str, tmp_path: Path) -> None:
    check_bits(case, tmp_path, compiler, EXACT)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_programs_pass_sanitizers(case: str, tmp_path: Path) -> None:
    check_bits(case, tmp_path, COMPILERS[0], (*EXACT, *SANITIZERS))


@pytest.mark.slow
@pytest.mark.parametrize("case", ADAPTIVE)
def test_adaptive_steps_have_the_bits_of_solve(case: str, tmp_path: Path) -> None:
    *_, told, end = CASES[case]
    method = told.get("method")
    exported(case_system(case), tmp_path, method=method, rtol=1e-8)
    (found,) = results(tmp_path, f"status = p_advance(&s, &p, {end}, 0); show(&s);")
    np.testing.assert_array_equal(found, last_state(sl.solve(case_system(case), end, method=method, rtol=1e-8)))


TAYLOR: dict[str, tuple[str, dict[str, Any], float, float]] = {
    "constrained top": ("heavy_top", {"group": "SE3"}, 2.0**-6, 0.25),
    "free top": ("heavy_top", {"group": "SO3"}, 2.0**-6, 0.25),
    "rod": ("roll_up", {"segments": 2}, 2.0**-10, 2.0**-5),
    "chain": ("pendulum_chain", {}, 0.01, 0.2),
    "mechanism": ("slider_crank", {}, 2.0**-8, 0.25),
    "quadrotors": ("quadrotors", {}, 2.0**-8, 0.25),
}
"""Model, its options, step size and end time of runs with Taylor series."""


def check_series(system: System, folder: Path, end: float, **told: float) -> None:
    """A run has the bits of `solve` if one compiler makes both and both fuse products and sums, or neither does, and
    else agrees to rounding."""
    exported(system, folder, method="taylor", **told)
    statements = f"status = p_advance(&s, &p, {end!r}, {told.get('h', 0)!r}); show(&s);"
    fused = (*EXACT, "-march=native") if vector_numbers("default") > 1 else EXACT
    expected = last_state(sl.solve(system, end, method="taylor", h=told.get("h"), rtol=told.get("rtol"), t_eval=[end]))
    own = os.environ.get("CC", COMPILERS[0])
    (found,) = results(folder, statements, own, fused)
    np.testing.assert_array_equal(found, expected)
    (portable,) = results(folder, statements, COMPILERS[-1], EXACT)
    bound = tolerances.EXPORTED_SERIES * np.abs(expected).max()
    np.testing.assert_allclose(portable, expected, rtol=0, atol=bound)


@pytest.mark.parametrize("told", [{"h": 2.0**-6}, {"rtol": 1e-10}], ids=["fixed", "adaptive"])
def test_series_have_the_bits_of_solve(told: dict[str, float], tmp_path: Path) -> None:
    check_series(case_system("constrained top"), tmp_path, 0.25, **told)


@pytest.mark.slow
@pytest.mark.parametrize("told", [{"h": 0.0}, {"rtol": 1e-10}], ids=["fixed", "adaptive"])
@pytest.mark.parametrize("case", TAYLOR)
def test_all_series_have_the_bits_of_solve(case: str, told: dict[str, float], tmp_path: Path) -> None:
    model, options, h, end = TAYLOR[case]
    check_series(system_with(model, **options), tmp_path, end, **({"h": h} if "h" in told else told))


@pytest.mark.slow
def test_series_locate_events_with_the_bits_of_solve(tmp_path: Path) -> None:
    """Impacts and non-terminal events are zeros of series."""
    for name, system, end in (("ball", bouncing("c"), 2.0), ("driven", driven_system(), 0.25)):
        check_series(system, tmp_path / name, end, h=2.0**-4)


CHANGE = "p.mass = 20; p.gravity[2] = -3; status = p_initialize(&s, &p, 0);"


def test_changed_parameters_complete_initial_values(tmp_path: Path) -> None:
    """λ₀ belongs to the changed parameters; a saved state continues with the same bits."""
    system = case_system("constrained top")
    exported(system, tmp_path, h=2.0**-9)
    statements = f"""static unsigned char bytes[sizeof(p_state)];
    {CHANGE} show(&s);
    for (int k = 0; k < 50; k++) status = p_step(&s, &p, 0x1p-9);
    p_save(&s, bytes);
    for (int k = 0; k < 9; k++) status = p_step(&s, &p, 0x1p-8);
    status = p_restore(&s, bytes);
    while (status == P_OK && s.t < 0.25) status = p_step(&s, &p, 0x1p-9);
    show(&s);
    bytes[0] ^= 1;
    status = p_restore(&s, bytes) == P_BAD_ARGUMENT ? P_OK : P_NOT_FINITE;"""
    found = results(tmp_path, statements)
    gravity = system.parameters[system.layout.parameters["gravity"][0]].copy()
    gravity[2] = -3
    solution = sl.solve(system.with_parameters(mass=20.0, gravity=gravity), 0.25, h=2.0**-9)
    np.testing.assert_array_equal(found[0], last_state(solution, 0))
    np.testing.assert_array_equal(found[1], last_state(solution))


def test_parameters_can_change_between_steps(tmp_path: Path) -> None:
    """The next step starts from the multipliers for the changed parameters."""
    system = case_system("constrained top")
    exported(system, tmp_path, h=2.0**-9)
    statements = (
        "status = p_advance(&s, &p, 0.125, 0x1p-9); p.mass = 20; status = p_advance(&s, &p, 0.25, 0x1p-9); show(&s);"
    )
    (found,) = results(tmp_path, statements)
    first = sl.solve(system, 0.125, h=2.0**-9)
    second = sl.solve(system.with_parameters(mass=20.0), 0.25, h=2.0**-9, start=first)
    np.testing.assert_allclose(found, last_state(second), rtol=0, atol=tolerances.EXPORTED_RESTARTS)


def test_evaluations_agree_with_the_system(tmp_path: Path) -> None:
    system = case_system("constrained top")
    exported(system, tmp_path, h=2.0**-9)
    statements = """p_real out[P_OUTPUTS], a[P_DIMENSION], l[P_ROWS], f[P_DIMENSION], E[2];
    p_real K[P_DIMENSION * P_DIMENSION], C[P_DIMENSION * P_DIMENSION], x[P_ROWS], y[P_ROWS];
    status = p_advance(&s, &p, 0.125, 0x1p-9); show(&s);
    status = p_outputs(&s, &p, out); print(out, P_OUTPUTS); printf("\\n");
    status = p_acceleration(&s, &p, a, l); print(a, P_DIMENSION); print(l, P_ROWS); printf("\\n");
    status = p_inverse_dynamics(&s, &p, a, f); print(f, P_DIMENSION); printf("\\n");
    status = p_energy(&s, &p, E); print(E, 2); printf("\\n");
    status = p_linearize(&s, &p, K, C);
    print(K, P_DIMENSION * P_DIMENSION); printf("\\n"); print(C, P_DIMENSION * P_DIMENSION); printf("\\n");
    s.q[9] += 1e-5; s.v[0] += 1e-4; s.q[0] += 1e-7;
    status = p_project(&s, &p);
    status = p_residuals(&s, &p, x, y); print(x, P_ROWS); print(y, P_ROWS); printf("\\n");"""
    state, outputs, acceleration, force, energy, K, C, residuals = results(tmp_path, statements)
    solution = sl.solve(system, 0.125, h=2.0**-9)
    t, q, v = 0.125, solution.q[-1], solution.v[-1]
    np.testing.assert_array_equal(state, last_state(solution))
    expected = np.concatenate([np.ravel(solution.outputs[name][-1]) for name in system.layout.outputs])
    np.testing.assert_array_equal(outputs, expected)
    mechanics = system.mechanics
    a, multipliers = mechanics.index1(t, q, v)
    expected = np.concatenate([a, multipliers])
    np.testing.assert_allclose(acceleration, expected, rtol=0, atol=tolerances.EXPORTED_TERMS * np.abs(expected).max())
    mass = mechanics.algebra.sparse_mass(mechanics.mass(t, q))
    expected = mass @ a + mechanics.force(t, q, v)
    np.testing.assert_allclose(force, expected, rtol=0, atol=tolerances.EXPORTED_TERMS * np.abs(mass @ a).max())
    np.testing.assert_allclose(energy.sum(), solution.outputs["energy"][-1], rtol=tolerances.EXPORTED_TERMS)
    matrices = system.newton_matrices(system.prepared, t, q, v, a, multipliers)
    for found, matrix in zip((K, C), matrices[:2], strict=True):
        dense = matrix.toarray().ravel()
        np.testing.assert_allclose(found, dense, rtol=0, atol=tolerances.EXPORTED_TERMS * np.abs(dense).max())
    assert np.abs(residuals).max() < tolerances.PROJECTED


def driven_model() -> sl.Model:
    """A cart that is pushed until it meets a wall, and a wheel whose turns are counted."""
    model = sl.Model("driven")
    mass = model.parameter("mass", 2.0, unit="kg")
    push = model.input("push", unit="N")
    cart, wheel = model.node("cart", "R1"), model.node("wheel", sl.SO2)
    model.kinetic_energy((mass * cart.x_dot.dot(cart.x_dot) + wheel.Omega.dot(wheel.Omega)) / 2)
    model.generalized_force(cart, sl.vector(push))
    model.event("wall", cart.x[0] - 1)
    model.event("middle", cart.x[0] - 0.1, terminal=False)
    model.initial(wheel, Omega=[40.0])
    return model


def driven_system() -> System:
    system = driven_model().derive().compile(backend="c").with_parameters(mass=1.5)
    return system.with_initial("cart", x_dot=[0.3])


@pytest.mark.slow
@pytest.mark.parametrize("options", [EXACT, (*EXACT, *SANITIZERS)], ids=["exact", "sanitizers"])
def test_tables_of_inputs_and_events_are_supported(options: tuple[str, ...], tmp_path: Path) -> None:
    """Steps end where the input jumps; a terminal event ends the run, others are in the log."""
    system = driven_system().with_input("push", [0.0, 0.123, 0.4], [5.0, -1.0, 8.0], "hold")
    exported(system, tmp_path, h=0.01)
    statements = """status = p_advance(&s, &p, 0.123, 0.01); show(&s);
    status = p_advance(&s, &p, 0.3, 0.01); show(&s);
    p_real log[3];
    log[0] = (p_real)s.events; log[1] = (p_real)s.event_number[0]; log[2] = s.event_time[0];
    print(log, 3); printf("\\n");
    status = p_advance(&s, &p, 2, 0.01); show(&s);
    log[0] = (p_real)s.events; log[1] = (p_real)s.event_number[0]; log[2] = s.event_time[0];
    print(log, 3); printf("\\n");
    status = status == P_EVENT ? P_OK : P_NOT_FINITE;"""
    jump, later, middle, end, wall = results(tmp_path, statements, COMPILERS[0], options)
    solution = sl.solve(system, 2.0, h=0.01, t_eval=[0.123, 0.3, 2.0])
    for k, found in enumerate((jump, later)):
        np.testing.assert_array_equal(found, last_state(solution, k))
    np.testing.assert_array_equal(end, last_state(solution))
    events = {e.name: e.t for e in solution.events}
    numbers = [e.name for e in system.layout.events]
    assert middle.tolist() == [1, numbers.index("middle"), events["middle"]]
    assert wall.tolist() == [1, numbers.index("wall"), events["wall"]]


@pytest.mark.slow
def test_inputs_set_by_a_program_have_the_bits_of_tables(tmp_path: Path) -> None:
    """Values from set_input agree with held tables of `solve` and with inputs of a simulator; rates with linear
    tables."""
    system = driven_system()
    exported(system, tmp_path, h=0.01)
    statements = """p_real u = 5, rate = -8;
    p_set_input_push(&s, &u); status = p_advance(&s, &p, 0.123, 0.01);
    u = -1; p_set_input_push(&s, &u); status = p_advance(&s, &p, 0.39, 0.01); show(&s);
    status = p_initialize(&s, &p, 0);
    u = 5; p_set_input_push(&s, &u);
    while (status == P_OK && s.t < 0.12) status = p_step(&s, &p, 0.01);
    u = -1; p_set_input_push(&s, &u);
    while (status == P_OK && s.t < 0.385) status = p_step(&s, &p, 0.01);
    show(&s);
    status = p_initialize(&s, &p, 0);
    u = 3; p_set_input_rate_push(&s, &u, &rate); status = p_advance(&s, &p, 0.25, 0.01); show(&s);"""
    held, stepped, linear = results(tmp_path, statements)
    table = system.with_input("push", [0.0, 0.123, 0.4], [5.0, -1.0, 8.0], "hold")
    np.testing.assert_array_equal(held, last_state(sl.solve(table, 0.39, h=0.01, t_eval=[0.123, 0.39])))
    simulation = system.simulator(h=0.01)
    simulation.inputs["push"] = 5.0
    while simulation.t < 0.12:
        simulation.step()
    simulation.inputs["push"] = -1.0
    while simulation.t < 0.385:
        simulation.step()
    state = simulation.state
    np.testing.assert_array_equal(stepped, np.concatenate([[simulation.t], state.q, state.v]))
    ramp = system.with_input("push", [0.0, 0.5], [3.0, -1.0], "linear")
    np.testing.assert_array_equal(linear, last_state(sl.solve(ramp, 0.25, h=0.01)))


def test_inputs_that_elements_choose_have_the_bits_of_tables(tmp_path: Path) -> None:
    system = chosen(4).derive().compile(backend="c")
    exported(system, tmp_path, h=0.01)
    statements = """p_real pair[2] = {3, -2}, single = 1.5;
    p_set_input_pair(&s, pair); p_set_input_single(&s, &single); status = p_advance(&s, &p, 0.2, 0.01); show(&s);"""
    (found,) = results(tmp_path, statements)
    held = system.with_input("pair", [0.0], [[3.0, -2.0]], "hold").with_input("single", [0.0], [1.5], "hold")
    np.testing.assert_array_equal(found, last_state(sl.solve(held, 0.2, h=0.01)))


@pytest.mark.slow
@pytest.mark.parametrize(("method", "first"), [("half_explicit_5", -0.3), ("half_explicit_5", 0.2), ("bdf2", 0.2)])
def test_periodic_tables_are_supported(method: str, first: float, tmp_path: Path) -> None:
    """Knots are ends of steps in all periods, wherever the table begins; kinks of parameters are stop times."""
    model = sl.Model("swing")
    bob = model.node("bob", "R2")
    model.kinetic_energy(bob.x_dot.dot(bob.x_dot) / 2)
    model.potential_energy(9.81 * bob.x[1])
    times = first + np.array([0, 0.11, 0.2, 0.31, 0.4])
    pivot = model.smooth_table("pivot", times, [0, 0.1, 0, -0.1, 0], end="periodic", order=5)
    model.force(sl.vector(model.piecewise_linear("push", [0, 0.9, 2], [0, 1, 0]), 0), bob.x)
    distance = bob.x - sl.vector(pivot, 0)
    model.constraint("rod", (distance.dot(distance) - 1) / 2)
    model.initial(bob, x=[0, -1])
    system = model.derive().compile(backend="c").assembled()
    exported(system, tmp_path, method=method, h=2.0**-6)
    again = "status = p_initialize(&s, &p, 0);"
    statements = "".join(f"{again} status = p_advance(&s, &p, {t}, 0x1p-6); show(&s);" for t in (0.15, 1.7))
    for t, found in zip((0.15, 1.7), results(tmp_path, statements, COMPILERS[-1]), strict=True):
        np.testing.assert_array_equal(found, last_state(sl.solve(system, t, t_eval=[t], method=method, h=2.0**-6)))


@pytest.mark.slow
@pytest.mark.parametrize("method", ["half_explicit_5", "generalized_alpha"])
def test_redundant_constraints_are_supported(method: str, tmp_path: Path) -> None:
    """Hinges that share a weight by their compliances."""
    model = sl.Model("frame")
    frame = sl.RigidBody(model, "frame", 10.0, [1, 1, 1], position=[0.1, 0, -0.5])
    for name, x in (("A", 0), ("B", 1)):
        hinge = sl.RevoluteJoint(model, name, model.ground, frame, at=[x, 0, 0], axis=[1, 0, 0])
        model.compliance(hinge, [1e-6, 1e-6, 1e-6, 1e-3, 1e-3])
    model.gravity([0, 1, -9.81])
    system = model.derive().compile(backend="c").with_redundant("minimal_norm")
    with pytest.warns(sl.SymlieWarning, match="Multipliers are determined by compliances"):
        exported(system, tmp_path, method=method, h=2.0**-6)
        expected = sl.solve(system, 0.125, t_eval=[0.125], method=method, h=2.0**-6)
    (found,) = results(tmp_path, "status = p_advance(&s, &p, 0.125, 0x1p-6); show(&s);")
    np.testing.assert_array_equal(found, last_state(expected))


@pytest.mark.slow
def test_parameters_of_elements_can_be_changed(tmp_path: Path) -> None:
    """Instances that take a parameter of the model follow it; named instances have separate fields."""
    model, element = sl.Model("hung"), sl.ElementType("hinge", body="R2")
    q, mass = element.body, element.parameter("mass", 1.0)
    element.kinetic_energy(mass * q.x_dot.dot(q.x_dot) / 2)
    element.potential_energy(2 * q.x[1])
    rod = element.constraint("hinge", [(q.x.dot(q.x) - 1) / 2])
    element.output("force", rod)
    nodes = [model.node(name, "R2") for name in ("first", "second")]
    for node in nodes:
        model.initial(node, x=[1, 0])
    model.add(element, nodes, names=["left", "right"], mass=[3.0, model.parameter("weight", 2.0)])
    system = model.derive().compile(backend="c")
    exported(system, tmp_path, method="half_explicit_3", h=2.0**-6)
    statements = """p.weight = 5; p.left_mass = 4;
    status = p_initialize(&s, &p, 0); status = p_advance(&s, &p, 0.5, 0x1p-6); show(&s);"""
    (found,) = results(tmp_path, statements)
    heavier = system.with_parameters(weight=5.0, **{"left.mass": 4.0})
    solution = sl.solve(heavier, 0.5, t_eval=[0.5], method="half_explicit_3", h=2.0**-6)
    np.testing.assert_array_equal(found, last_state(solution))


@pytest.mark.slow
def test_constants_are_compiled_in(tmp_path: Path) -> None:
    """A program with other values of constants reports a status."""
    system = build_model("roll_up", {"segments": 2}).derive("all").compile(backend="c")
    folder = exported(system, tmp_path, h=1e-4)
    page = (folder / "README.md").read_text(encoding="utf-8")
    assert "Constants of the equations, which only a new export changes: bending_stiffness" in page
    statements = """p.bending_stiffness += 1;
    status = p_initialize(&s, &p, 0) == P_CONSTANT_CHANGED ? P_OK : P_NOT_FINITE;"""
    assert results(folder, statements) == []


def test_folder_describes_itself(tmp_path: Path) -> None:
    """Self-test, manifest, certificate and README belong to the program."""
    system = case_system("constrained top")
    folder = system.export("c", tmp_path, prefix="p", h=2.0**-9)
    names = {"p.h", "p.c", "p_selftest.c", "manifest.json", "certificate.json", "README.md"}
    assert {f.name for f in folder.iterdir()} == names
    build = [COMPILERS[0], *STRICT, *EXACT, "p_selftest.c", "p.c", "-lm", "-o", "test"]
    subprocess.run(build, cwd=folder, check=True)
    ran = subprocess.run(["./test"], cwd=folder, capture_output=True, text=True, check=True)
    assert "0 of 21 values with other bits" in ran.stdout and "passed" in ran.stdout
    described = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert [p["name"] for p in described["parameters"]] == list(system.layout.parameters)
    assert described["sizes"]["storage"] == system.layout.storage
    page = (folder / "README.md").read_text(encoding="utf-8")
    size = results(folder, 'p_real bytes = (p_real)sizeof s; print(&bytes, 1); printf("\\n");')[0][0]
    assert f"A state has {size:.0f} bytes." in page
    assert json.loads((folder / "certificate.json").read_text(encoding="utf-8"))["functions"]


def test_programs_use_only_the_mathematical_library(tmp_path: Path) -> None:
    """No allocation, no static state, no input or output; compilers may call functions that copy memory."""
    folder = exported(case_system("constrained top"), tmp_path, h=2.0**-9)
    subprocess.run([COMPILERS[0], *STRICT, "-O2", "-c", "p.c", "-o", "p.o"], cwd=folder, check=True)
    listed = subprocess.run(["nm", "p.o"], cwd=folder, capture_output=True, text=True, check=True).stdout
    symbols = [line.split()[-2:] for line in listed.splitlines()]
    undefined = {name for kind, name in symbols if kind == "U"}
    mathematics = {"sin", "cos", "sincos", "sqrt", "pow", "fmin", "fmax", "ceil", "floor", "rint", "atan", "atan2"}
    assert undefined <= mathematics | {"memcpy", "memmove", "memset", "memcmp"}
    assert {name for kind, name in symbols if kind in "TRDB"} == {
        f"p_{name}" for name in (
            "initialize", "step", "advance", "outputs", "events", "energy", "residuals", "project", "save", "restore",
            "acceleration", "inverse_dynamics", "linearize", "default_parameters",
        )
    }  # fmt: skip
    assert not [name for kind, name in symbols if kind in "dDbBC" and not re.fullmatch(r"\w+(\.\d+)?", name)]
    assert not [name for kind, name in symbols if kind in "bBC"], "no mutable static data"


def test_failures_are_statuses(tmp_path: Path) -> None:
    exported(case_system("constrained top"), tmp_path, h=2.0**-9)
    statements = """p_real found[6];
    found[0] = (p_real)p_step(&s, &p, 0); found[1] = (p_real)p_step(&s, &p, -1);
    found[2] = (p_real)p_advance(&s, &p, -1, 0.1); found[3] = (p_real)p_advance(&s, &p, 1, -0.1);
    found[4] = (p_real)p_step(&s, &p, 0.5);
    found[5] = s.t; print(found, 6); printf("\\n"); status = P_OK;"""
    (found,) = results(tmp_path, statements)
    assert found[:4].tolist() == [33] * 4
    assert found[4] not in (0, 33) and found[5] == 0


def test_comments_lead_to_the_model(tmp_path: Path) -> None:
    folder = exported(case_system("constrained top"), tmp_path, h=2.0**-9)
    text = (folder / "p.c").read_text(encoding="utf-8")
    force = text[text.index("static inline void heavy_top_force(") :]
    lines = force[: force.index("\n}\n")].splitlines()
    before = {lines[k + 1].split(" = ")[0].strip(): line.strip() for k, line in enumerate(lines) if "/*" in line}
    assert before == {"g[0]": "/* forces on top.Omega */", "g[3]": "/* forces on top.U */"}
    rows = text[text.index("static inline void heavy_top_constraint(") :]
    rows = rows[: rows.index("\n}\n")]
    for k in range(3):
        assert f"/* constraint fixed_point, equation {k + 1} */\n    Phi[{k}] =" in rows


def test_statuses_have_distinct_numbers() -> None:
    """Those of exported programs are none of the time loop."""
    numbers = [number for _, number, _ in statuses()]
    assert len(set(numbers)) == len(numbers)
    loop = {int(status) for status in Status} - {Status.BUFFER_FULL, Status.BUDGET}
    assert loop <= set(numbers) and loop.isdisjoint(number for _, number, _ in OWN_STATUSES)


def test_unsupported_exports_are_refused(tmp_path: Path) -> None:
    unknown: Any = "fmu4"
    system = case_system("constrained top")
    with pytest.raises(sl.errors.UnsupportedMethodError, match="constraint"):
        system.export("c", tmp_path, method="rkmk_rk44")
    with pytest.raises(sl.errors.UnknownNameError, match="Unknown target 'fmu4'"):
        system.export(unknown, tmp_path)
    with pytest.raises(sl.errors.ModelError, match="The prefix '2top' is no identifier"):
        system.export("c", tmp_path, prefix="2top")
    for h in (0.0, -1.0, float("nan")):
        with pytest.raises(sl.errors.ModelError, match="step size"):
            system.export("c", tmp_path, h=h)
    with pytest.raises(sl.errors.ModelError, match="name of the folder or file to write is empty"):
        system.export("c", "")
    with pytest.raises(sl.errors.UnsupportedMethodError, match="Baumgarte"):
        case_system("free top").export("c", tmp_path, method="rkmk_rk44", stabilize="baumgarte:10")
    assert not list(tmp_path.iterdir())


def test_names_that_are_no_identifiers_are_refused(tmp_path: Path) -> None:
    model = sl.Model("odd")
    point = model.node("point", "R1")
    model.kinetic_energy(model.parameter("double", 1.0) * point.x_dot.dot(point.x_dot) / 2)
    system = model.derive().compile(backend="c")
    with pytest.raises(sl.errors.ModelError, match="'double' is no identifier in C"):
        system.export("c", tmp_path)


def test_large_topologies_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symlie.export.plan.MOST_NUMBERS", 50)
    with pytest.raises(sl.errors.ModelError, match="more than the 50 that are written as constants"):
        case_system("constrained top").export("c", tmp_path)


SINGLE = {
    "constrained top": tolerances.SINGLE_STEPS,
    "free top": tolerances.SINGLE_STEPS,
    "variational": tolerances.SINGLE_STEPS,
    "mechanism": tolerances.SINGLE_STEPS,
    "rod": tolerances.SINGLE_STEPS_OF_RODS,
    "implicit": tolerances.SINGLE_IMPLICIT_STEPS,
}


def check_single(case: str, folder: Path) -> None:
    """Twenty steps with floats are near those with doubles, and the self-test passes."""
    *_, told, _ = CASES[case]
    system, h = case_system(case), told["h"]
    system.export("c", folder, prefix="p", real="float", **told)
    for compiler in COMPILERS:
        steps = f"for (int k = 0; k < 20; k++) status = p_step(&s, &p, {float(h).hex()}F);\nshow(&s);"
        (found,) = results(folder, steps, compiler)
        expected = last_state(sl.solve(system, 20 * h, **told))
        for values in (slice(0, 1 + system.layout.storage), slice(-system.layout.dimension - system.layout.rows, None)):
            single, double = (x[values][: system.layout.dimension] for x in (found, expected))
            assert 0 < np.abs(single - double).max() <= SINGLE[case] * np.abs(double).max()
    build = [COMPILERS[0], *STRICT, "-O1", "p_selftest.c", "p.c", "-lm", "-o", "test"]
    subprocess.run(build, cwd=folder, check=True)
    assert "passed" in subprocess.run(["./test"], cwd=folder, capture_output=True, text=True, check=True).stdout


def test_floats_are_near_doubles(tmp_path: Path) -> None:
    """All numbers and functions are floats, and coefficient functions are those that are proved for floats."""
    check_single("constrained top", tmp_path)
    proofs = json.loads((tmp_path / "certificate.json").read_text(encoding="utf-8"))["functions"]
    assert {(f["precision"], f["status"]) for f in proofs} == {("float", "proved")}
    subprocess.run([COMPILERS[0], "-O2", "-c", "p.c", "-o", "p.o"], cwd=tmp_path, check=True)
    listed = subprocess.run(
        ["nm", "-u", "p.o"], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout.split()
    mathematics = {name for name in listed if name not in ("U", "memcpy", "memmove", "memset", "memcmp")}
    assert mathematics and all(name.endswith("f") for name in mathematics)
    page = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "entries of q and v may differ by\n0.00012, relative to their largest entry" in page
    size = results(tmp_path, 'p_real bytes = (p_real)sizeof s; print(&bytes, 1); printf("\\n");')[0][0]
    assert f"A state has {size:.0f} bytes." in page


@pytest.mark.slow
@pytest.mark.parametrize("case", [case for case in SINGLE if case != "constrained top"])
def test_floats_of_all_families_are_near_doubles(case: str, tmp_path: Path) -> None:
    check_single(case, tmp_path)


def test_unsuitable_floats_are_refused(tmp_path: Path) -> None:
    unknown: Any = "half"
    system = case_system("constrained top")
    with pytest.raises(sl.errors.UnknownNameError, match="Unknown number type 'half'"):
        system.export("c", tmp_path, real=unknown)
    with pytest.raises(sl.errors.ModelError, match="The numbers of a unit for fmu2 are doubles"):
        system.export("fmu2", tmp_path / "top.fmu", real="float")
    with pytest.raises(sl.errors.UnsupportedMethodError, match="'taylor' cannot be exported with floats"):
        system.export("c", tmp_path, method="taylor", real="float", h=0.01)
    with pytest.raises(sl.errors.ModelError, match="Tolerances below 1e-05 are below the rounding of floats"):
        system.export("c", tmp_path, real="float", rtol=1e-8)


def test_names_that_compilers_define_are_defined_again() -> None:
    """Numbers with tangents include headers twice; the definition that the compiler chose first does not remain."""
    size = "#if defined(__GNUC__) && !defined(PLAIN)\n#define SIZE 2\n#else\n#define SIZE 1\n#endif\n"
    files = {"twice.c": '#include "size.h"\n#define PLAIN\n#include "size.h"\n', "size.h": size}
    first, second = one_unit(files, "twice.c", {}).split("#define PLAIN")
    assert "#define SIZE 2" in first and second.split() == ["#define", "SIZE", "1"]
