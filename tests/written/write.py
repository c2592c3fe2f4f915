"""Write a set of files as the present version writes them.

    python -m tests.written.write [FOLDER]

The folder is ``tests/data/written/VERSION`` unless another one is named; it must not exist yet. A set is added to the
repository by the change that makes a new version write files that differ from the last set. Where that version does not
read a file of an older set any more, ``reads`` becomes ``refused`` in the ``expected.json`` of that set. A checkpoint
can only be resumed by the version that wrote it, so it is ``refused`` from the start.
"""

from __future__ import annotations

import dataclasses
import json
import runpy
import shutil
import sys
from pathlib import Path

import symlie as sl
from symlie.cli import main as command
from symlie.errors import InterruptedIntegrationError
from tests.written.content import FILES, read

SETS = Path(__file__).parents[1] / "data" / "written"
"""Sets by version."""


def write(folder: Path) -> None:
    """Write all files of a set and their content.

    Parameters
    ----------
    folder
        Must not be there yet.
    """
    folder.mkdir(parents=True)
    for name in ("hoist.py", "ralston.toml"):
        shutil.copyfile(Path(__file__).with_name(name), folder / name)
    solutions(folder)
    generate = ("generate", "--out")
    command([*generate, str(folder / "generated" / "heavy_top"), "heavy_top", "-o", "group=S3xR3"])
    command([*generate, str(folder / "generated" / "free_rigid_body"), "free_rigid_body"])
    command(["verify", "c3", "--domain", "0,1", "--certificate", str(folder / "c3.json")])
    files = {}
    for name, kind in FILES.items():
        stored, computed = read(folder / name, kind)
        expected = "refused" if kind == "checkpoint" else "reads"
        files[name] = {"kind": kind, "expected": expected, "stored": stored, "computed": computed}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in files.items())
    text = f'{{"symlie": {json.dumps(sl.__version__)}, "files": {{\n{lines}\n}}}}\n'
    (folder / "expected.json").write_text(text, encoding="utf-8")


def solutions(folder: Path) -> None:
    """Write solutions of a hoist and of a rod, and the checkpoint of a run that was interrupted."""
    hoist = runpy.run_path(str(folder / "hoist.py"))["build"]().derive().compile(backend="numpy")
    solution = sl.solve(hoist, 0.5, rtol=1e-4, trace=True)
    solution = dataclasses.replace(solution, warnings=("The rope is short.",))
    dataclasses.replace(solution, trace=None).save(folder / "hoist.nc")
    solution.save(folder / "hoist.npz")
    rod = sl.Model("rod")
    sl.CosseratRod(
        rod,
        "rod",
        segments=3,
        length=1.0,
        constraint="kirchhoff",
        gravity=(0, 0, -9.81),
        stiffness=[2, 2, 1, 1e3, 1e3, 1e3],
        inertia=[0.01, 0.01, 0.02, 0.5, 0.5, 0.5],
        position=lambda s: (s, 0, 0),
        orientation=(0.5**0.5, 0, 0.5**0.5, 0),
    ).nodes.fix(0)
    sl.solve(rod.derive().compile(backend="numpy"), 0.004, h=1e-3).save(folder / "rod.npz")

    def stop(fraction: float) -> None:
        if fraction > 0.5:
            raise KeyboardInterrupt

    try:
        sl.solve(hoist, 0.25, h=1e-3, record_every=50, progress=stop, checkpoint=folder / "hoist.checkpoint")
    except InterruptedIntegrationError:
        return
    raise AssertionError("the run ended before it was interrupted")


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else SETS / sl.__version__)
