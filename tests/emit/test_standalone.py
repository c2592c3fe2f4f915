"""Folders that compile by themselves: without warnings, and with the bits of `solve`."""

from __future__ import annotations

import functools
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.compile.compiler import find_compiler, flags
from symlie.models.registry import build_model
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.system import System
from tests import tolerances

COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]
if not COMPILERS:
    pytest.skip("the warnings are those of gcc and clang, and neither is installed", allow_module_level=True)

STRICT = ("-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Wpedantic", "-Wdouble-promotion", "-Werror")
EXACT = ("-O0", "-ffp-contract=off")
"""At any optimization level sums and products are rounded separately."""
SANITIZERS = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")

CASES: dict[str, tuple[str, dict[str, Any], str, float]] = {
    "constrained top": ("heavy_top", {"group": "SE3"}, "half_explicit_5", 2.0**-9),
    "free top": ("heavy_top", {"group": "SO3"}, "rkmk_rk44", 2.0**-9),
    "rod": ("roll_up", {"segments": 2}, "half_explicit_4", 1e-4),
    "fields": ("pendulum_chain", {}, "rkmk_dopri5", 0.01),
    "own state": ("heavy_top", {"group": "SO3"}, "abmk3", 2.0**-9),
    "implicit": ("heavy_top", {"group": "SE3"}, "generalized_alpha", 2.0**-9),
    "implicit rod": ("roll_up", {"segments": 2}, "generalized_alpha_index2", 2.0**-9),
    "Cayley": ("heavy_top", {"group": "SO3"}, "rkmk_rk44", 2.0**-9),
}
"""Model, its options, method, and step size."""


def test_constants_are_compiled_in(tmp_path: Path) -> None:
    """Parameters inlined as numbers are reported, and a program with different numbers does not run."""
    system = build_model("roll_up", {"segments": 2}).derive("all").compile(backend="c")
    system.write_standalone(tmp_path, h=1e-4)
    assert "Constants of the equations, which only a new folder changes: bending_stiffness" in (
        tmp_path / "README.md"
    ).read_text(encoding="utf-8")
    data = tmp_path / "main_data.h"
    build = [COMPILERS[0], *STRICT, *EXACT, "main.c", "driver.c", "-lm", "-o", "program"]

    def run() -> subprocess.CompletedProcess[str]:
        subprocess.run(build, cwd=tmp_path, check=True)
        return subprocess.run(["./program", "0.001"], cwd=tmp_path, capture_output=True, text=True)

    assert run().returncode == 0
    text = data.read_text(encoding="utf-8")
    for array in ("parameters", "parameters_of_element_1"):
        head, name, values = text.partition(f" {array}[")
        opening, brace, rest = values.partition("{")
        data.write_text(f"{head}{name}{opening}{brace} 1 + {rest.lstrip()}", encoding="utf-8")
        found = run()
        assert found.returncode == 2 and "compiled as constants" in found.stderr


def system_of(case: str) -> System:
    model, options, *_ = CASES[case]
    return system_with(model, **options)


@functools.cache
def system_with(model: str, **options: Any) -> System:
    return build_model(model, options).derive().compile(backend="c")


def written(case: str, folder: Path) -> dict[str, Any]:
    """Write the folder of a case; returns equivalent arguments of `solve`."""
    _, _, method, h = CASES[case]
    told: dict[str, Any] = {"method": method, "h": h, "method_options": {"map": "cayley"} if case == "Cayley" else None}
    assert system_of(case).write_standalone(folder, **told) == folder
    return told


def compiled(folder: Path, compiler: str, *options: str) -> Path:
    """The program of a folder."""
    program = folder / f"by_{Path(compiler).name}"
    command = [compiler, *STRICT, *options, "main.c", "driver.c", "-lm", "-o", str(program)]
    result = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    assert result.returncode == 0, f"{' '.join(command)}\n{result.stderr[:4000]}"
    return program


def state_from(program: Path, *words: str) -> list[float]:
    """Time and state that a program prints last."""
    result = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return [float(word) for word in result.stdout.splitlines()[-1].split()]


def last_state(solution: Solution) -> list[float]:
    return [float(x) for x in (solution.t[-1], *solution.q[-1], *solution.v[-1], *solution.multipliers[-1])]


@pytest.mark.slow
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("case", CASES)
def test_program_is_bit_identical_to_solve(case: str, compiler: str, tmp_path: Path) -> None:
    told = written(case, tmp_path)
    program = compiled(tmp_path, compiler, *EXACT)
    for t in (0.05, 0.033):
        assert state_from(program, repr(t)) == last_state(sl.solve(system_of(case), t, t_eval=[t], **told))


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
    system.write_standalone(tmp_path, method=method, h=2.0**-6)
    program = compiled(tmp_path, COMPILERS[0], *EXACT)
    with pytest.warns(sl.SymlieWarning, match="Multipliers are determined by compliances"):
        expected = sl.solve(system, 0.1, t_eval=[0.1], method=method, h=2.0**-6)
    assert state_from(program, "0.1") == last_state(expected)


@pytest.mark.slow
@pytest.mark.parametrize(("method", "first"), [("half_explicit_5", -0.3), ("bdf2", 0.2), ("taylor", 0.2)])
def test_periodic_tables_are_supported(method: str, first: float, tmp_path: Path) -> None:
    """Knots are ends of steps in all periods, wherever the table begins."""
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
    system.write_standalone(tmp_path, method=method, h=2.0**-6)
    # Sums of method taylor are in the lanes that the library's compiler finds in the processor.
    processor = [flag for flag in flags("default") if flag.startswith("-m")]
    program = compiled(tmp_path, *find_compiler().command, *EXACT, *processor)
    for t in (0.15, 1.7):
        assert state_from(program, repr(t)) == last_state(sl.solve(system, t, t_eval=[t], method=method, h=2.0**-6))


@pytest.mark.slow
def test_documented_flags_compile_the_program(tmp_path: Path) -> None:
    """The README's second compiler command equals that of compiled systems; the default duration is one second."""
    told = written("constrained top", tmp_path)
    own = [flag for flag in flags("default") if flag not in ("-shared", "-fPIC")]
    assert f"cc {' '.join(own)} main.c driver.c -lm\n" in (tmp_path / "README.md").read_text(encoding="utf-8")
    program = compiled(tmp_path, COMPILERS[0], *own)
    expected = last_state(sl.solve(system_of("constrained top"), 1.0, **told))
    assert state_from(program) == expected
    assert len((tmp_path / "README.md").read_text(encoding="utf-8").splitlines()) < 50, "one screen"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("case", "tolerance"), [("constrained top", tolerances.SINGLE_STEPS), ("rod", tolerances.SINGLE_STEPS_OF_RODS)]
)
def test_single_precision_program_runs(case: str, tolerance: float, tmp_path: Path) -> None:
    """The type of all numbers is a word to the compiler: models, methods and time loops name it alone."""
    written(case, tmp_path)
    ends = []
    for real in ("double", "float"):
        command = [COMPILERS[0], "-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", f"-DSYMLIE_REAL={real}"]
        subprocess.run([*command, "main.c", "driver.c", "-lm", "-o", real], cwd=tmp_path, check=True)
        ends.append(state_from(tmp_path / real, "0.05"))
    sizes = system_of(case).layout
    for values in (slice(0, 1 + sizes.storage), slice(1 + sizes.storage, 1 + sizes.storage + sizes.dimension)):
        double, single = (np.array(end[values]) for end in ends)
        assert 0 < np.abs(single - double).max() <= tolerance * np.abs(double).max()


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_program_passes_sanitizers(case: str, tmp_path: Path) -> None:
    told = written(case, tmp_path)
    program = compiled(tmp_path, COMPILERS[0], *EXACT, *SANITIZERS)
    assert state_from(program, "0.05") == last_state(sl.solve(system_of(case), 0.05, t_eval=[0.05], **told))


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


@pytest.mark.slow
@pytest.mark.parametrize("compiler", COMPILERS)
def test_inputs_and_events_are_supported(compiler: str, tmp_path: Path) -> None:
    """Steps end where the input jumps; events on the way change nothing, and a terminal one ends the program."""
    system = driven_model().derive().compile(backend="c").with_parameters(mass=1.5)
    system = system.with_initial("cart", x_dot=[0.3]).with_input("push", [0.0, 0.123, 0.4], [5.0, -1.0, 8.0], "hold")
    system.write_standalone(tmp_path, h=0.01)
    program = compiled(tmp_path, compiler, *EXACT)
    for t in (0.123, 0.3, 2.0):
        solution = sl.solve(system, t, h=0.01)
        assert state_from(program, repr(t)) == last_state(solution)
    assert solution.status == "event" and len(solution.events) == 2


@pytest.mark.slow
def test_parameters_and_steps_can_be_edited_in_the_source(tmp_path: Path) -> None:
    system = system_of("free top")
    system.write_standalone(tmp_path, h=0.01)
    data = tmp_path / "main_data.h"
    text = data.read_text(encoding="utf-8")
    assert "#define STEP 0.01 " in text
    name = next(iter(system.layout.parameters))
    first = system.parameters[0]
    line = next(line for line in text.splitlines() if f"/* {name}" in line)
    changed = line.replace(repr(float(first)), "0.75", 1)
    assert changed != line
    data.write_text(text.replace(line, changed).replace("STEP 0.01 ", "STEP 0.02 "), encoding="utf-8")
    value = system.parameters[system.layout.parameters[name][0]].copy()
    value[0] = 0.75
    expected = sl.solve(system.with_parameters(**{name: value}), 0.2, h=0.02)
    assert state_from(compiled(tmp_path, COMPILERS[0], *EXACT), "0.2") == last_state(expected)


def test_programs_report_errors(tmp_path: Path) -> None:
    system_of("constrained top").write_standalone(tmp_path, h=0.5)
    program = compiled(tmp_path, COMPILERS[0], *EXACT)
    for word in ("0", "-1", "soon", "nan", "inf"):
        result = subprocess.run([program, word], capture_output=True, text=True, check=False)
        assert result.returncode == 2 and "the time must be positive" in result.stderr and not result.stdout
    result = subprocess.run([program], capture_output=True, text=True, check=False)
    assert result.returncode == 1 and "fails with status" in result.stderr
    assert result.stdout.startswith("0 ")


def test_unsupported_features_are_rejected(tmp_path: Path) -> None:
    system = system_of("constrained top")
    with pytest.raises(sl.errors.UnsupportedMethodError, match="constraint"):
        system.write_standalone(tmp_path, method="rkmk_rk44")
    for h in (0.0, -1.0, float("nan")):
        with pytest.raises(sl.errors.ModelError, match="step size"):
            system.write_standalone(tmp_path, h=h)
    with pytest.raises(sl.errors.UnsupportedMethodError, match="Baumgarte"):
        system_of("free top").write_standalone(tmp_path, method="rkmk_rk44", stabilize="baumgarte:10")
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_model_values_can_be_edited_in_the_source(tmp_path: Path) -> None:
    """Instances that take a parameter of the model follow it in the program too."""
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
    told: dict[str, Any] = {"method": "half_explicit_3", "h": 2.0**-6}
    data = system.write_standalone(tmp_path, **told) / "main_data.h"
    text = data.read_text(encoding="utf-8")
    data.write_text(text.replace("    2.0, /* weight */", "    5.0, /* weight */"), encoding="utf-8")
    assert data.read_text(encoding="utf-8") != text
    program = compiled(tmp_path, COMPILERS[0], *EXACT)
    heavier = sl.solve(system.with_parameters(weight=5.0), 0.5, t_eval=[0.5], **told)
    assert state_from(program, "0.5") == last_state(heavier)
