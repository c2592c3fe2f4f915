"""Exported C on emulated boards: a Cortex-M4 without and a Cortex-M7 with a unit for doubles."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.export.c import exported_names
from symlie.export.plan import export_plan
from symlie.export.stack import stack_use
from symlie.runtime.integrate.run_options import RunOptions
from tests import tolerances
from tests.conftest import Programs
from tests.export.programs import STRICT, exported, numbers, results, system_with

pytestmark = pytest.mark.export

BOARD = Path(__file__).parent / "board"
CROSS = "arm-none-eabi-gcc"
STEPS = 1000
LARGEST_TEXT = 52 * 1024
"""Of 64 KB of memory, 12 KB remain for the program that uses the code."""
LARGEST_STACK = 8 * 1024
EPS = 2.0**-52


@dataclass(frozen=True)
class Board:
    """A processor, its compiler flags, and the emulated board."""

    flags: tuple[str, ...]
    machine: str


BOARDS = {
    "M4": Board(("-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=soft"), "mps2-an386"),
    "M7": Board(("-mcpu=cortex-m7", "-mthumb", "-mfpu=fpv5-d16", "-mfloat-abi=hard"), "mps2-an500"),
}
SINGLE = Board(("-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"), "mps2-an386")
"""A Cortex-M4 with a unit for floats."""

OPTIONS = ("-O2", "-ffp-contract=off")

CASES: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "heavy top": ("heavy_top", {"group": "SE3"}, {"h": 2.0**-10}),
    "free top": ("heavy_top", {"group": "SO3"}, {"h": 2.0**-10, "method": "rkmk_rk44"}),
    "implicit top": ("heavy_top", {"group": "SE3"}, {"h": 2.0**-10, "method": "generalized_alpha"}),
    "quadrotors": ("quadrotors", {}, {"h": 2.0**-10}),
}

PRINTED = f"for (int k = 0; k < {STEPS} && status == P_OK; k++) status = p_step(&s, &p, 0x1p-10);\nshow(&s);"


@pytest.fixture(autouse=True)
def _tools(needs: Programs) -> None:
    needs("gcc", CROSS, "qemu-system-arm")


def on_board(board: Board, folder: Path, main: str) -> str:
    """Output of a program on a board."""
    for file in BOARD.iterdir():
        shutil.copy(file, folder)
    subprocess.run([CROSS, *board.flags, *STRICT, *OPTIONS, "-c", "p.c", "-o", "p.o"], cwd=folder, check=True)
    link = ["--specs=rdimon.specs", "-nostartfiles", "-T", "link.ld", "start.c", main, "p.o", "-lm", "-o", "p.elf"]
    subprocess.run([CROSS, *board.flags, "-std=gnu99", *OPTIONS, *link], cwd=folder, check=True)
    emulated = ["qemu-system-arm", "-M", board.machine, "-nographic", "-semihosting-config", "enable=on,target=native"]
    ran = subprocess.run(
        [*emulated, "-kernel", "p.elf"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    return ran.stdout


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("case", CASES)
def test_boards_have_the_bits_of_the_host(case: str, board: str, tmp_path: Path) -> None:
    """Mathematical functions of newlib and glibc may differ in their last digits."""
    model, options, told = CASES[case]
    exported(system_with(model, **options), tmp_path, **told)
    (host,) = results(tmp_path, PRINTED, options=OPTIONS)
    found = numbers(on_board(BOARDS[board], tmp_path, "main.c"))
    if case == "implicit top":
        np.testing.assert_allclose(found, host, rtol=0, atol=2 * EPS * STEPS * np.abs(host).max())
    else:
        np.testing.assert_array_equal(found, host)


@pytest.mark.parametrize("board", BOARDS)
def test_self_tests_pass_on_boards(board: str, tmp_path: Path) -> None:
    exported(system_with("heavy_top", group="SE3"), tmp_path, h=2.0**-10)
    assert "passed" in on_board(BOARDS[board], tmp_path, "p_selftest.c")


@pytest.mark.parametrize("board", BOARDS)
def test_text_and_stack_are_small(board: str, tmp_path: Path) -> None:
    system = system_with("heavy_top", group="SE3")
    folder = exported(system, tmp_path, h=2.0**-10)
    flags = BOARDS[board].flags
    subprocess.run([CROSS, *flags, *STRICT, *OPTIONS, "-c", "p.c", "-o", "p.o"], cwd=folder, check=True)
    sizes = subprocess.run(["arm-none-eabi-size", "p.o"], cwd=folder, capture_output=True, text=True, check=True)
    text, data, bss = (int(x) for x in sizes.stdout.splitlines()[1].split()[:3])
    assert text <= LARGEST_TEXT and data == bss == 0
    files = {name: (folder / name).read_text(encoding="utf-8") for name in ("p.h", "p.c")}
    names = exported_names(export_plan(system, RunOptions(), 2.0**-10), "p")
    stack = stack_use([CROSS, *flags, "-std=c99", *OPTIONS], files, "p.c", names)
    assert stack is not None and 1000 < stack <= LARGEST_STACK


def test_floats_are_near_doubles_on_boards(tmp_path: Path) -> None:
    """A unit for floats computes all steps; the reference is a run with doubles."""
    system = system_with("heavy_top", group="SE3")
    exported(system, tmp_path, h=2.0**-10, real="float")
    (host,) = results(tmp_path, PRINTED, options=OPTIONS)
    found = numbers(on_board(SINGLE, tmp_path, "main.c"))
    np.testing.assert_array_equal(found, host)
    solution = sl.solve(system, STEPS * 2.0**-10, h=2.0**-10)
    for values, expected in ((found[1:13], solution.q[-1]), (found[13:19], solution.v[-1])):
        difference = np.abs(values - expected).max() / np.abs(expected).max()
        assert 0 < difference <= tolerances.SINGLE_ON_BOARDS
    assert "passed" in on_board(SINGLE, tmp_path, "p_selftest.c")


def test_static_analysis_finds_no_errors(needs: Programs, tmp_path: Path) -> None:
    """Errors, warnings and portability of cppcheck; its notes on style concern kernels that are data."""
    needs("cppcheck")
    exported(system_with("heavy_top", group="SE3"), tmp_path, h=2.0**-10)
    checks = ["--enable=warning,portability", "--std=c99", "--error-exitcode=1", "--inline-suppr", "--quiet"]
    ran = subprocess.run(["cppcheck", *checks, "p.c"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
