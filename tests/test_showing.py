"""Representations of objects: one line each as text; tables, formulas and figures in notebooks."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient

import symlie as sl
from symlie.derive.equations import Equations
from symlie.errors import ModelError
from symlie.runtime.methods.library import method, method_names
from symlie.runtime.solution.solution import Solution
from symlie.utilities.paths import PACKAGE
from symlie.utilities.showing import LONGEST_LINE, MOST_ROWS, brief, line, table


def pendulum() -> sl.Model:
    model = sl.Model("pendulum")
    m = model.parameter("mass", 1.0, unit="kg")
    q = model.node("bob", "SO3xR3")
    model.kinetic_energy((m * q.x_dot.dot(q.x_dot) + q.Omega.dot(q.Omega)) / 2)
    model.potential_energy(9.81 * m * q.x[2])
    model.constraint("rod", q.x + q.R * [0, 0, 1])
    model.event("lowest", model.rate(q.x[2]), direction="rising", terminal=False)
    model.output("height", q.x[2], unit="m")
    model.initial(q, x=[0, 0, -1], Omega=[1, 0.2, 0])
    return model


def rope() -> sl.Model:
    model = sl.Model("rope")
    six = [1.0] * 6
    model.rod = sl.CosseratRod(
        model, "rod", segments=3, length=1.0, stiffness=six, inertia=six,
        position=lambda s: (0, 0, s), orientation=(1, 0, 0, 0),
    )  # fmt: skip
    model.rod.nodes.fix(0)
    return model


@functools.cache
def equations() -> Equations:
    return pendulum().derive()


@functools.cache
def solution() -> Solution:
    return sl.solve(equations().compile(backend="numpy"), 2.0, rtol=1e-4, trace=True)


def parts(value: Any, depth: int) -> Iterator[Any]:
    """An object, and the objects of this package that its public attributes hold."""
    yield value
    if depth == 0 or not type(value).__module__.startswith("symlie"):
        return
    for name in dir(value):
        # Attributes that compile or integrate are not read.
        if name.startswith("_") or name in ("matrices", "newton_matrices", "emitted"):
            continue
        found = getattr(value, name)
        members = found.values() if isinstance(found, dict) else found if isinstance(found, list | tuple) else [found]
        for member in list(members)[:3]:
            if type(member).__module__.startswith("symlie"):
                yield from parts(member, depth - 1)


def objects() -> Iterator[Any]:
    model, run = pendulum(), solution()
    q = model.nodes[0]
    yield from parts(rope(), 2)
    yield from parts(model, 2)
    yield from (q.R, q.R.T, q.inverse() * q, (q.inverse() * q).inverse(), sl.ElementType("spring", left=sl.SE3))
    yield from (sl.S3sR3, sl.TS2, sl.dual_space(sl.SE3), model.rate, run.plot)
    yield from parts(equations(), 1)
    yield from parts(run, 2)
    yield from parts(run(0.5), 1)
    yield run([0.5, 1.0])
    yield from parts(run.system.linearize(t=0.0), 1)
    yield run.system.assembled().assembly
    yield from (method(name) for name in method_names())
    yield from (method(name).tableau for name in method_names())
    yield from sl.convergence(run.system, 0.2, ["half_explicit_2"], [0.1, 0.05])


NAMED = {
    "Model", "Node", "NodeArray", "RotationMatrix", "GroupElement", "ElementType", "CosseratRod", "Equations",
    "System", "Solution", "StateAt", "Statistics", "Linearization", "Rkmk", "Parameter", "Constraint", "Event",
    "Trace", "LieGroup", "HomogeneousSpace",
}  # fmt: skip
"""Classes whose objects people look at."""


@pytest.mark.slow
def test_every_object_is_displayed_in_one_line() -> None:
    shown = [(type(value).__name__, repr(value)) for value in objects()]
    assert not [(kind, text[:300]) for kind, text in shown if "\n" in text or len(text) > LONGEST_LINE]
    assert not [text for kind, text in shown if kind in NAMED and " object at 0x" in text]
    assert {kind for kind, _ in shown} >= NAMED


def test_lines_show_the_essential_values() -> None:
    model, run = pendulum(), solution()
    assert repr(model) == "Model(pendulum; nodes: bob on SO3xR3; parameters: mass; constraints: rod)"
    assert repr(model.nodes[0].R.T) == "RotationMatrix(Rᵀ(bob); of SO3xR3)"
    assert repr(run).startswith("Solution(pendulum; half_explicit_5; t = 0 … 2 s; ")
    assert f"{run.statistics.steps} steps" in repr(run) and repr(run).endswith("ok)")
    assert repr(run(0.5)) == "StateAt(pendulum; t = 0.5 s; q shape (12,); v shape (6,); multipliers shape (3,))"


def test_long_lines_and_tables_are_cut() -> None:
    assert len(line("Model", ["x" * 500])) == LONGEST_LINE
    assert brief(np.zeros((3, 2))) == "shape (3, 2)" and brief("x" * 100).endswith("…") and brief({1: 2}) == "1 entry"
    text = table("<b>", [[k, k] for k in range(100)], ("a", "b"))
    assert text.count("<tr>") == MOST_ROWS + 2 and "80 more" in text and "&lt;b&gt;" in text
    assert table("nothing", []) == ""


def test_notebooks_display_tables() -> None:
    model, run = pendulum(), solution()
    for text, words in (
        (model._repr_html_(), ("bob", "SO3xR3", "mass", "kg", "rod", "height")),
        (run.system._repr_html_(), ("bob on SO3xR3", "mass", "rod")),
        (run.outputs._repr_html_(), ("energy", "J", "height", "velocity_residual")),
        (run._repr_html_(), ("half_explicit_5", "0 … 2", "rejected", "largest |Φ|", "energy", "height")),
    ):
        assert all(word in text for word in words), text
        assert "<script" not in text and len(text) < 5000
    assert run.outputs._ipython_key_completions_() == list(run.outputs)


def test_traceback_in_notebooks_ends_at_the_line_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ModelError) as caught:
        pendulum().kinetic_energy("nonsense")
    lines = caught.value._render_traceback_()
    assert lines[0].startswith("Traceback") and lines[-1] == f"{type(caught.value).__name__}: {caught.value}"
    assert 'pendulum().kinetic_energy("nonsense")' in lines[-2]
    assert not any(str(PACKAGE) in line for line in lines)
    monkeypatch.setenv("SYMLIE_TRACEBACK", "1")
    assert any(str(PACKAGE) in line for line in caught.value._render_traceback_())


FOREVER = 86_400
"""In s; nothing but the limit of all tests ends one that hangs."""

CELLS = (
    "import symlie as sl\n"
    "model = sl.Model('pendulum')\n"
    "q = model.node('bob', sl.S3)\n"
    "model.kinetic_energy(q.Omega.dot(q.Omega) / 2)\n"
    "model.potential_energy(9.81 * (q.R * [0, 0, 1])[2])\n"
    "model.initial(q, Omega=[1, 0.2, 0])\n"
    "model",
    "q.R",
    "q.inverse() * q",
    "solution = sl.solve(model.derive().compile(backend='numpy'), 1, h=0.1)\nsolution",
    "solution.plot()",
    "figure = solution.plot()",
    "%matplotlib inline\nimport matplotlib.pyplot\nsolution.plot()",
    "solution.system",
)


@pytest.mark.slow
def test_notebook_displays_all_objects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a fresh kernel: tables, LaTeX, and each figure exactly once."""
    for name in ("JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in CELLS])
    patience: Any = {"timeout": None, "startup_timeout": FOREVER, "iopub_timeout": FOREVER}
    NotebookClient(notebook, kernel_name="python3", **patience).execute()
    shown = [
        [set(o["data"]) for o in cell["outputs"] if o["output_type"] in ("execute_result", "display_data")]
        for cell in notebook["cells"]
    ]
    model, rotation, product, run, figure, kept, inline, system = shown
    assert model == run == system == [{"text/plain", "text/html"}]
    assert rotation == product == [{"text/plain", "text/latex"}]
    assert figure == inline == [{"text/plain", "image/png"}]
    assert kept == []
