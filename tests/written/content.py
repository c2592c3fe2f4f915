"""Content of a file of an earlier version as JSON, read by the current version."""

from __future__ import annotations

import runpy
import shutil
import tempfile
from pathlib import Path
from typing import Any

import symlie as sl
from symlie.certify.certificate import check_file
from symlie.models.systems import system_of_model
from symlie.runtime.solution.solution import Solution

FILES: dict[str, str] = {
    "hoist.py": "model",
    "hoist.nc": "solution",
    "hoist.npz": "solution",
    "hoist.checkpoint": "checkpoint",
    "rod.npz": "solution",
    "ralston.toml": "tableau",
    "generated/heavy_top": "folder",
    "generated/free_rigid_body": "folder",
    "c3.json": "certificate",
}
"""Kinds of the files of a set."""

END, STEP = 0.0625, 0.0078125
"""Time and step size of new computations, in s; short numbers in binary."""

Content = dict[str, Any]


def read(path: Path, kind: str) -> tuple[Content, Content]:
    """The content of a file: stored and computed values.

    Parameters
    ----------
    path
        File or folder in a set.
    kind
        One of those in `FILES`.
    """
    if kind == "solution":
        solution = sl.load_solution(path, trust=True)
        return stored(solution), computed(solution)
    if kind == "checkpoint":
        with tempfile.TemporaryDirectory() as folder:  # the run continues in its file
            return stored(sl.resume(shutil.copy(path, folder), trust=True)), {}
    if kind == "certificate":
        return dict(check_file(path)), {}
    if kind == "tableau":
        method = sl.load_tableau(path)
        body = system_of_model("free_rigid_body", {}, backend="numpy")
        end = sl.solve(body, END, h=STEP, method=method, record_every=0)
        return {"name": method.name, "order": method.order}, last_state(end)
    system = sl.load(path, trust=True) if kind == "folder" else runpy.run_path(str(path))["build"]().derive().compile()
    return {"name": system.name}, last_state(sl.solve(system, END, h=STEP, record_every=0))


def last_state(solution: Solution) -> Content:
    """The end of a run."""
    return {"q": solution.q[-1].tolist(), "v": solution.v[-1].tolist()}


def stored(solution: Solution) -> Content:
    """Content of the file of a solution."""
    return {
        "method": solution.method,
        "status": solution.status,
        "notices": list(solution.warnings),
        "steps": solution.statistics.steps,
        "t": solution.t.tolist(),
        "q": solution.q.tolist(),
        "v": solution.v.tolist(),
        "multipliers": solution.multipliers.tolist(),
        "outputs": {name: values.tolist() for name, values in solution.outputs.items()},
        "events": [[e.name, e.t, e.q.tolist(), e.v.tolist()] for e in solution.events],
        "tried steps": [] if solution.trace is None else solution.trace.h.tolist(),
    }


def computed(solution: Solution) -> Content:
    """Values computed from a solution with the kernels in its file."""
    between = solution(float(solution.t[:2].mean()))
    angles = {"angle": solution.angle("drum").tolist()} if solution.system.name == "hoist" else {}
    return {"q between": between.q.tolist(), "v between": between.v.tolist(), **angles}
