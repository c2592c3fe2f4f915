"""Removed names: the changelog lists all of them, and an `AttributeError` names the successor."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import itertools
import re
import textwrap
from operator import attrgetter
from pathlib import Path

import pytest
from mypy import api as mypy_api

import symlie as sl
from symlie.modeling.node import Node
from symlie.retired import SUCCESSORS
from symlie.version import VERSION
from tests.rooms import modules
from tests.test_api_reference import PUBLIC, function_of

ROOT = Path(__file__).parents[1]
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
KNOWN = ROOT / "tests" / "data" / "public_names.txt"
"""Names of the last version; each stays, or has a successor."""


def public_names() -> set[str]:
    """Names of the package, classes, and attributes by the name of their class."""
    names = {f"symlie.{name}" for name in sl.__all__} | PUBLIC.keys()
    for thing in PUBLIC.values():
        if inspect.isclass(thing) and dataclasses.is_dataclass(thing):
            names |= {f"{thing.__name__}.{f.name}" for f in dataclasses.fields(thing) if not f.name.startswith("_")}
    return names


def owner_of(name: str) -> object:
    """The package, or an object of a class."""
    owner = name.partition(".")[0]
    if owner == "symlie":
        return sl
    if owner == "Node":
        return sl.Model("m").node("q", sl.SO3)
    kinds = [thing for thing in PUBLIC.values() if inspect.isclass(thing) and thing.__name__ == owner]
    assert kinds, f"{owner} is no public class"
    return object.__new__(kinds[0])


@pytest.mark.parametrize("name", SUCCESSORS)
def test_removed_name_reports_its_successor(name: str) -> None:
    attribute, successor = name.partition(".")[2], SUCCESSORS[name]
    with pytest.raises(AttributeError, match=f"no (attribute|field) '{attribute}'.*; use {re.escape(successor)}"):
        getattr(owner_of(name), attribute)
    assert ".".join(successor.split(".")[:2]) in public_names(), "the successor exists"
    assert name not in public_names()


def test_unknown_names_have_no_successor() -> None:
    for owner in (sl, *(owner_of(f"{kind}.x") for kind in ("Node", "System", "Linearization"))):
        with pytest.raises(AttributeError, match="nonsense") as caught:
            attrgetter("nonsense")(owner)
        assert "; use" not in str(caught.value)


def test_changelog_lists_removed_names() -> None:
    table = CHANGELOG.partition("## Removed names")[2]
    assert dict(re.findall(r"^\| `([\w.]+)` \| `([\w.]+)` \|$", table, re.M)) == SUCCESSORS


def test_every_removed_name_has_a_successor() -> None:
    known = set(KNOWN.read_text(encoding="utf-8").split())
    assert len(known) > 200
    assert known <= public_names() | SUCCESSORS.keys() | {name.removeprefix("symlie.") for name in SUCCESSORS}


def test_versions_agree() -> None:
    versions = re.findall(r"^## \[(.+)\]", CHANGELOG, re.M)
    assert versions[0] == "Unreleased"
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    stated = dict(re.findall(r"^([\w-]+): (.+)$", citation, re.M))
    assert stated["cff-version"] == "1.2.0"
    assert stated["version"] == VERSION
    assert {"message", "title", "type", "license"} <= stated.keys()
    assert re.search(r"^authors:\n  - name: ", citation, re.M)


INTERNAL = {
    "Arrangement", "Coefficients", "Composition", "DerivedStatement", "EmittedModel", "EventPiece", "FoundOrder",
    "Input", "Instant", "Mechanics", "OwnArray", "Prepared", "ScalarStages", "SmoothTable", "StatedState",
    "States", "Trial", "Value",
}  # fmt: skip
"""Classes that public properties return for use by the package itself."""


def test_returned_objects_are_public() -> None:
    received, classes = set[str](), set[str]()
    for function in map(function_of, PUBLIC.values()):
        received |= set(re.findall(r"\w+", str(getattr(function, "__annotations__", {}).get("return", ""))))
    for path in modules().values():
        statements = ast.parse(path.read_text(encoding="utf-8")).body
        classes |= {s.name for s in statements if isinstance(s, ast.ClassDef)}
    assert received & classes <= {*sl.__all__, *sl.joints.__all__, *sl.steps.__all__} | INTERNAL
    assert {"Equations", "LieGroup", "Linearization", "Node", "StateAt", "SystemMatrices"} <= received


SCRIPT = """
import symlie as sl
from symlie import Model, deg

def top() -> sl.Equations:
    model: sl.Model = Model("top")
    node: sl.Node = model.node("q", sl.SO3)
    model.kinetic_energy(node.v.dot(node.v) / 2)
    return model.derive()

def end(solution: sl.Solution) -> sl.StateAt | sl.Solution:
    events: tuple[sl.Event, ...] = solution.events
    return solution(solution.t[-1] - deg)

reveal_type(sl.solve(top().compile(), 1.0))
group: sl.LieGroup = sl.solve
sl.nonsense
"""


@pytest.mark.slow
def test_type_checkers_accept_public_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYPYPATH", str(ROOT))
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    options = ["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(tmp_path / "cache")]
    report, trouble, _ = mypy_api.run([*options, str(script)])
    found = re.findall(r"script.py:(\d+): (?:error|note): (.*)", report)
    revealed, assigned, missing = (message for _, message in found)
    assert "Solution" in revealed and not trouble
    assert assigned.startswith("Incompatible types in assignment")
    assert missing.startswith('Module has no attribute "nonsense"')


def test_public_names_are_documented() -> None:
    assert isinstance(inspect.getattr_static(Node, "v_dot"), property)
    assert {"symlie.solve", "System.newton_matrices", "Linearization.eigenvalues", "symlie.errors"} <= public_names()


def documented_names(kind: type) -> set[str]:
    """Names of a class with docstrings, and attributes with docstrings below them."""
    found = set()
    for base in kind.__mro__:
        if not base.__module__.startswith("symlie"):
            continue
        found |= {name for name, value in vars(base).items() if getattr(value, "__doc__", None)}
        found |= {name for names in re.findall(r"^(\w+(?:, \w+)*)$", inspect.getdoc(base) or "", re.M)
                  for name in names.split(", ")}  # fmt: skip
        for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(base)))):
            body = getattr(node, "body", None)
            for assigned, after in itertools.pairwise(body if isinstance(body, list) else []):
                if isinstance(assigned, ast.Assign | ast.AnnAssign) and is_text(after):
                    targets = assigned.targets if isinstance(assigned, ast.Assign) else [assigned.target]
                    found |= {ast.unparse(target).removeprefix("self.") for target in targets}
    return found


def is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def test_completion_lists_documented_names() -> None:
    model = sl.Model("point")
    node = model.node("p", "R1")
    model.kinetic_energy(node.x_dot[0] ** 2 / 2)
    equations = model.derive()
    system = equations.compile(backend="numpy")
    solution = sl.solve(system, 0.1, h=0.1)
    for thing in (model, equations, system, solution, solution.statistics):
        shown = {name for name in dir(thing) if not name.startswith("_")}
        assert shown <= documented_names(type(thing)), type(thing).__name__
        assert "INTERNAL" not in shown
    assert {"linearize", "initial_state"} <= set(dir(system)) and "mechanics" not in dir(system)
