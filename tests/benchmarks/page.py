"""The page of all benchmark figures: run the yardsticks one after another and write their tables.

python -m tests.benchmarks.page [docs/performance.md] [--only chain,minimal_chain] [--busy]

Each yardstick is a command of this folder that prints tables in Markdown. Yardsticks that compare with a package
that is not installed are omitted. The machine must be idle unless ``--busy`` is given.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import os
import platform
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, StrictUndefined

import symlie
from symlie.compile.compiler import find_compiler

ROOT = Path(__file__).parents[2]
TEMPLATE = Path(__file__).parent / "performance.md.jinja"
IDLE = 0.5
"""Largest load average of a machine that counts as idle."""


@dataclass(frozen=True)
class Yardstick:
    """A command that prints one or more tables."""

    title: str
    task: str
    """Measured quantity and its unit."""
    words: str
    """Module or file, and its arguments."""
    peers: tuple[str, ...] = ()
    """Packages to compare with."""

    @property
    def command(self) -> str:
        """The command of a reader."""
        return f"python {self.words}"

    @property
    def name(self) -> str:
        """Name of the module."""
        found = re.match(r"(?:-m tests\.benchmarks\.|tests/benchmarks/)(\w+)", self.words)
        assert found is not None, self.words
        return found[1]

    @property
    def available(self) -> bool:
        """All packages to compare with are installed."""
        return all(importlib.util.find_spec(peer) is not None for peer in self.peers)


YARDSTICKS = (
    Yardstick(
        "Pendulum chains",
        "CPU time per step and link of `rkmk_dopri5`, minimum of alternating samples, and elapsed time of derivation "
        "and compilation, or of loading from the cache.",
        "tests/benchmarks/chain.py --sympy 5",
    ),
    Yardstick(
        "First runs",
        "CPU time in s of short runs with an empty cache, including processes of the compiler, minimum of samples.",
        "tests/benchmarks/cold_starts.py",
    ),
    Yardstick(
        "Long chains and rods",
        "CPU time in ns per step and node with fixed steps, minimum of alternating rounds.",
        "tests/benchmarks/long_chains.py",
    ),
    Yardstick(
        "Chains of hinges",
        "CPU seconds of preparation, and CPU time in ns per body and step of `rkmk_rk44` in minimal coordinates and of "
        "`half_explicit_4` with bodies and joints, minimum of alternating samples.",
        "tests/benchmarks/minimal_chain.py",
    ),
    Yardstick(
        "Bodies and joints",
        "CPU seconds of preparation, and CPU time in µs per body and step of 1 ms, minimum of alternating samples.",
        "tests/benchmarks/mechanisms.py",
    ),
    Yardstick(
        "Heavy top and Exudyn",
        "CPU time in µs per step of generalized-α with full Newton, minimum of alternating samples.",
        "tests/benchmarks/exudyn_top.py",
        ("exudyn",),
    ),
    Yardstick(
        "Puma 560 in minimal coordinates and Exudyn",
        "CPU time in µs per step of 2⁻¹¹ s of generalized-α, minimum of alternating samples. Exudyn's model is a "
        "kinematic tree.",
        "tests/benchmarks/exudyn_tree.py",
        ("exudyn",),
    ),
    Yardstick(
        "Mechanisms and Exudyn",
        "CPU time in µs per step of generalized-α with spectral radius 0.9, minimum of alternating samples, difference "
        "of the configurations at the end, and Newton iterations per step.",
        "tests/benchmarks/exudyn_mechanisms.py",
        ("exudyn",),
    ),
    Yardstick(
        "Contacts, Exudyn and MuJoCo",
        "Error and CPU time of 1 s: a ball with e = 0.5 that falls 1 m, a block that rocks on its corners, and ten "
        "bodies at rest on top of each other. Exudyn and MuJoCo replace contacts by springs and dampers. The times of "
        "symlie contain about 7 ms for the start of a run.",
        "-m tests.benchmarks.contact_peers",
        ("exudyn", "mujoco"),
    ),
    Yardstick(
        "Generalized-α",
        "CPU time of steps and Newton iterations, alternating samples.",
        "tests/benchmarks/generalized_alpha.py",
    ),
    Yardstick("Rods", "CPU time of explicit steps, medians.", "tests/benchmarks/rods.py"),
    Yardstick(
        "RATTLie",
        "CPU time of steps on the flying spaghetti, minimum of alternating samples.",
        "tests/benchmarks/variational.py --quick",
    ),
    Yardstick(
        "BDF of variable order",
        "Steps, iterations, and errors relative to rtol and to the largest component, with the stiff chain also by "
        "SciPy's BDF.",
        "-m tests.benchmarks.bdf",
    ),
    Yardstick(
        "Coefficient functions",
        "CPU time in ns of all seven coefficient functions together, by the published formulas with thresholds and by "
        "symlie, medians.",
        "tests/benchmarks/coefficients.py",
    ),
    Yardstick(
        "Series for the heavy top and heyoka",
        "CPU time of one second of motion with an error of 1e-10, minimum of alternating runs.",
        "-m tests.benchmarks.taylor heyoka",
        ("heyoka",),
    ),
    Yardstick(
        "Series for chains and heyoka",
        "CPU time of one second of motion with an error of 1e-10 of the directions, minimum of alternating runs.",
        "-m tests.benchmarks.taylor_chain heyoka --links 8 16 64 256",
        ("heyoka",),
    ),
    Yardstick(
        "Series for rods",
        "CPU time of five seconds of motion with an error of 1e-8, minimum of alternating runs.",
        "-m tests.benchmarks.taylor_rods",
    ),
    Yardstick(
        "Series in SIMD lanes and heyoka",
        "CPU time per member of 64 tops, one second of motion, minimum of alternating runs.",
        "-m tests.benchmarks.taylor_lanes heyoka",
        ("heyoka",),
    ),
    Yardstick(
        "SIMD lanes",
        "Throughput of lanes relative to single members, 64 members in one thread, minimum of alternating samples.",
        "-m tests.benchmarks.lanes",
    ),
    Yardstick(
        "Gradients, heyoka, CasADi and diffrax",
        "CPU time of ten seconds of a free top and of the gradient of the height of its axis by seven parameters and "
        "initial values, minimum of several calls after compilation. symlie uses `rkmk_dopri5`, diffrax `Dopri8`. "
        "Errors are relative to the largest component of the gradient.",
        "-m tests.benchmarks.gradient_peers heyoka casadi diffrax",
        ("heyoka", "casadi", "diffrax"),
    ),
    Yardstick(
        "Ensembles",
        "CPU time of all processes, minimum of alternating samples.",
        "-m tests.benchmarks.ensembles scipy heyoka",
        ("heyoka",),
    ),
)


@dataclass(frozen=True)
class Part:
    """A measured yardstick."""

    yardstick: Yardstick
    output: str
    """Tables in Markdown with their captions."""


def measured(yardstick: Yardstick) -> Part:
    """Run a yardstick in a new process."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))}
    words = [sys.executable, *shlex.split(yardstick.words)]
    done = subprocess.run(words, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    if "\n|---" not in done.stdout:
        raise ValueError(f"{yardstick.command} printed no table")
    return Part(yardstick, done.stdout.strip())


def processor() -> str:
    """Name of the processor."""
    info = Path("/proc/cpuinfo")
    names = re.findall(r"^model name\s*: (.*)$", info.read_text(), re.MULTILINE) if info.exists() else []
    return f"{names[0] if names else platform.processor() or platform.machine()}, {os.cpu_count()} cores"


def machine(peers: Iterable[str]) -> dict[str, str]:
    """Processor and versions."""
    compiler = find_compiler().command
    version = subprocess.run([*compiler, "--version"], capture_output=True, text=True, check=True).stdout
    found = {
        "processor": processor(),
        "operating system": " ".join([platform.system(), *filter(None, platform.libc_ver())]),
        "compiler": version.splitlines()[0],
        "Python": platform.python_version(),
        "symlie": symlie.__version__,
    }
    return found | {name: importlib.metadata.version(name) for name in ("numpy", "scipy", *sorted(set(peers)))}


def page(parts: list[Part], *, busy: bool = False) -> str:
    """The page in Markdown, with a remark if the machine had other load."""
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False)
    peers = [peer for part in parts for peer in part.yardstick.peers]
    text = environment.from_string(TEMPLATE.read_text(encoding="utf-8")).render(
        date=time.strftime("%Y-%m-%d"), machine=machine(peers), parts=parts, busy=busy
    )
    return text.rstrip("\n") + "\n"


def main(arguments: list[str] | None = None) -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "file", type=Path, nargs="?", help="page to write after each benchmark, otherwise standard output"
    )
    parser.add_argument("--only", default=",".join(y.name for y in YARDSTICKS), help="names, separated by commas")
    parser.add_argument("--busy", action="store_true", help="measure on a machine with other load")
    options = parser.parse_args(arguments)
    names = options.only.split(",")
    if unknown := set(names) - {y.name for y in YARDSTICKS}:
        parser.error(f"unknown yardsticks: {', '.join(sorted(unknown))}")
    if not options.busy and os.getloadavg()[0] > IDLE:
        parser.error(f"the load average is {os.getloadavg()[0]:.1f}; stop other processes or use --busy")
    parts = []
    for yardstick in (y for y in YARDSTICKS if y.name in names):
        if yardstick.available:
            print(f"{yardstick.title}: {yardstick.command}", file=sys.stderr, flush=True)
            parts.append(measured(yardstick))
        else:
            print(f"{yardstick.title}: omitted, {', '.join(yardstick.peers)} not installed", file=sys.stderr)
        if options.file:
            options.file.write_text(page(parts, busy=options.busy), encoding="utf-8")
    if not options.file:
        print(page(parts, busy=options.busy), end="")


if __name__ == "__main__":
    main()
