"""Hand-written C files to compare with, on the processor that everything else is timed on."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from symlie.compile.compiler import OPTIMIZATIONS, find_compiler


def stay_on_one_processor() -> None:
    """Keep this process and its children on one processor where the system can."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


@contextlib.contextmanager
def built(source: Path, optimize: str, *flags: str) -> Iterator[Callable[[int], dict[str, float]]]:
    """A hand-written file as a function of the number of samples: medians in ns by name.

    It prints them as lines ``NAME MEDIAN min LEAST``. It is built with the same contraction setting as generated code.
    """
    with tempfile.TemporaryDirectory() as folder:
        binary = Path(folder, "yardstick")
        options = ["-O3", "-fno-tree-slp-vectorize", "-fno-math-errno", *flags, *OPTIMIZATIONS[optimize]]
        subprocess.run([*find_compiler().command, *options, str(source), "-o", str(binary), "-lm"], check=True)

        def measured(samples: int) -> dict[str, float]:
            text = subprocess.run([binary, str(samples)], capture_output=True, text=True, check=True).stdout
            rows = [line.split() for line in text.splitlines()]
            return {row[0]: float(row[1]) for row in rows if row[2:3] == ["min"]}

        yield measured
