"""Names from models are refused, or are harmless in C, Python, comments and file names."""

from __future__ import annotations

import dataclasses
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import symlie as sl
from symlie.errors import ModelError

STRANGE = [
    "", "my model", "1st", "a-b", "a.b", "a/b", "../a", "$(touch x)", "`x`", "a;b", 'a"b', "a\nb", "*/ int x; /*",
    "größe", "λ", "a\\n", "%s", "{{ 1 }}", "a\x00b",
]  # fmt: skip
KEYWORDS = ["while", "lambda", "None", "class"]
TAKEN = ["system", "system_x", "symlie", "symlie_force", "primitives", "interface", "driver",
         "constants", "event_tables", "tableau", "math", "_x"]  # fmt: skip

STATED: dict[str, Callable[[sl.Model, sl.Node, str], object]] = {
    "node": lambda m, q, name: m.node(name, "R1"),
    "array": lambda m, q, name: m.node_array(name, "R1", 2),
    "parameter": lambda m, q, name: m.parameter(name, 1.0),
    "input": lambda m, q, name: m.input(name),
    "constraint": lambda m, q, name: m.constraint(name, q.x),
    "nonholonomic": lambda m, q, name: m.nonholonomic_constraint(name, q.x_dot),
    "output": lambda m, q, name: m.output(name, q.x),
    "event": lambda m, q, name: m.event(name, q.x[0]),
    "model": lambda m, q, name: sl.Model(name),
    "element": lambda m, q, name: sl.ElementType(name, node="R1"),
    "local node": lambda m, q, name: sl.ElementType("element", **{name: "R1"}),
}


@pytest.mark.parametrize("kind", STATED)
def test_invalid_names_are_rejected(kind: str) -> None:
    model = sl.Model("names")
    q = model.node("point", "R1")
    for name in STRANGE:
        with pytest.raises(ModelError, match=r"name .* is not usable; use letters, digits and underscores"):
            STATED[kind](model, q, name)
    for name in KEYWORDS:
        with pytest.raises(ModelError, match="is not usable, because it is a keyword of Python"):
            STATED[kind](model, q, name)
    if kind in ("model", "element"):
        for name in TAKEN:
            with pytest.raises(ModelError, match="generated code has functions or files of this name"):
                STATED[kind](model, q, name)


@pytest.mark.slow
def test_names_of_generated_symbols_do_not_collide(tmp_path: Path) -> None:
    """Arguments of kernels, library functions, macros and Python's names: results are the same under any name."""
    names = ["q", "v", "p", "e", "P", "out", "s0", "sin", "exp", "fabs", "double_", "DIMENSION", "EVENTS", "np", "self",
             "y0", "int", "restrict", "NULL", "INFINITY", "main", "printf", "M_PI"]  # fmt: skip
    model = sl.Model("sin")
    masses = [model.parameter(name, 1.0 + k) for k, name in enumerate(names)]
    element = sl.ElementType("exp", fabs="R1")
    stiffness = element.parameter("q", 3.0)
    element.potential_energy(stiffness * sl.sin(element.fabs.x[0]) ** 2)
    nodes = [model.node(name, "R1") for name in names[:4]]
    for node in nodes:
        model.kinetic_energy(sum(masses) * node.x_dot[0] ** 2 / 2)
    for k, name in enumerate(names):
        model.output(name, k * nodes[0].x[0])
        model.event(name, nodes[0].x[0] - k)
        if k < 2:
            model.constraint(name, nodes[k].x[0] - nodes[k + 1].x[0])
    model.add(element, nodes)
    equations = model.derive()
    runs = [sl.solve(equations.compile(backend=b), 0.1, h=0.05) for b in ("c", "numpy")]
    assert runs[0].q == pytest.approx(runs[1].q)
    assert (equations.generate(tmp_path / "names") / "sin.c").exists()


def test_groups_have_separate_names() -> None:
    model = sl.Model("two")
    line = sl.real_space(1)
    scaled = dataclasses.replace(line, basis=2 * line.basis)
    for name, group in (("plain", line), ("scaled", scaled)):
        model.kinetic_energy(model.node(name, group).x_dot[0] ** 2)
    with pytest.raises(ModelError, match="Two different groups of model 'two' are both called 'R1'; rename one"):
        _ = model.derive().emitted
    with pytest.raises(ModelError, match=r"Group name 'SE_2\(3\)' is not usable"):
        model.node("pose", dataclasses.replace(line, name="SE_2(3)"))


def test_units_cannot_escape_their_comment() -> None:
    with pytest.raises(ModelError, match=r"unit '\*/ int x;'"):
        sl.Model("units").parameter("mass", 1.0, unit="*/ int x;")


@pytest.mark.slow
def test_names_are_not_passed_to_a_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    run = subprocess.run

    def spy(*arguments: object, **options: object) -> object:
        seen.append((arguments[0], options.get("shell", False)))
        return run(*arguments, **options)

    monkeypatch.setattr(subprocess, "run", spy)
    model = sl.Model("never_compiled_before")
    q = model.node("point", "R1")
    model.kinetic_energy(q.x_dot[0] ** 2 * sl.Rational(7919, 7907))
    model.derive().compile(backend="c")
    assert all(isinstance(command, list) and not shell for command, shell in seen)
