"""Time to import a robot of 30 links: ``python -m tests.benchmarks.importing``.

Each time is measured in a new process; the imports of Python packages are not part of it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.importing.trees import random_tree, write_urdf

LINKS = 30

MEASURE = """
import resource, sys, time, warnings
import symlie as sl, mujoco, scipy.sparse.csgraph, scipy.optimize, cffi
warnings.simplefilter("ignore")
sl.solve, sl.Model, sl.from_urdf
start, began = time.perf_counter(), time.process_time()
sl.from_urdf(sys.argv[1]).compile()
used = resource.getrusage(resource.RUSAGE_CHILDREN)
compilers = used.ru_utime + used.ru_stime
print(f"{time.perf_counter() - start:.2f} s, CPU time {time.process_time() - began + compilers:.2f} s")
"""


def main() -> None:
    """Print the times of a first and of a second import."""
    with tempfile.TemporaryDirectory() as folder:
        path = write_urdf(random_tree(11, LINKS, ("hinge",)), Path(folder, "tree.urdf"))
        known = {**os.environ, "SYMLIE_CACHE": str(Path(folder, "cache"))}
        for what in ("derived and compiled", "from the cache"):
            command = [sys.executable, "-c", MEASURE, str(path)]
            done = subprocess.run(command, env=known, capture_output=True, text=True, check=True)
            print(f"{LINKS} links, {what}: {done.stdout.strip()}")


if __name__ == "__main__":
    main()
