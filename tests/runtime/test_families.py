"""Families of methods: one file each, with the equations of its C header, and no branches on the family elsewhere."""

from __future__ import annotations

import ast
import importlib
import io
import re
import tokenize
from collections import defaultdict
from pathlib import Path

import pytest

from symlie.errors import ModelError, UnknownNameError, UnsupportedMethodError
from symlie.runtime.integrate.request import check_method
from symlie.runtime.methods.chosen import recorded_method
from symlie.runtime.methods.family import Method
from symlie.runtime.methods.library import method, method_names
from symlie.runtime.methods.programs.method import ProgrammedMethod
from symlie.runtime.methods.programs.user_defined import UserDefined, UserDefinedImplicit, UserDefinedWithConstraints
from symlie.runtime.methods.registry import FAMILIES
from symlie.utilities.paths import PACKAGE, template_folder
from tests.systems import heavy_top_system

METHODS = PACKAGE / "runtime" / "methods"
PROGRAMS = METHODS / "programs"
HEADERS = template_folder() / "c" / "methods"
FILES = {family: importlib.import_module(cls.__module__).__file__ or "" for family, cls in FAMILIES.items()}


def numbers(text: str) -> set[str]:
    """Numbers of equations in a text."""
    return set(re.findall(r"\((\d+)\)", text))


def remarks(text: str) -> str:
    """Comments of Python."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return "\n".join(token.string for token in tokens if token.type == tokenize.COMMENT)


def equations_of_header(name: str) -> tuple[set[str], set[str]]:
    """Numbers in the opening comment of a header, and at its lines or the lines of an included formula."""
    text = (HEADERS / name).read_text(encoding="utf-8")
    opening, *others = re.findall(r"/\*.*?\*/", text, re.S)
    for formula in re.findall(r'#include "(\w+_formula\.h)"', text):
        others += re.findall(r"/\*.*?\*/", (HEADERS / formula).read_text(encoding="utf-8"), re.S)
    return numbers(opening), numbers("\n".join(others))


def test_c_and_python_name_the_same_equations() -> None:
    """C and Python cite the same equations in headers and at lines of code."""
    stated: dict[str, set[str]] = defaultdict(set)
    found: dict[str, set[str]] = defaultdict(set)
    for family, cls in FAMILIES.items():
        if issubclass(cls, ProgrammedMethod):
            continue
        text = Path(FILES[family]).read_text(encoding="utf-8")
        stated[cls.header] |= numbers(ast.get_docstring(ast.parse(text)) or "")
        series = (METHODS / "series_at.py").read_text(encoding="utf-8")
        found[cls.header] |= numbers(remarks("\n".join([text, series])))
    assert {path.name for path in HEADERS.iterdir()} >= set(stated)
    for header, equations in stated.items():
        opening, lines = equations_of_header(header)
        assert len(equations) > 1
        assert opening == lines == equations == found[header], header


STEPS = [path for path in sorted(PROGRAMS.glob("*.py")) if "_step(s: StepRecorder" in path.read_text("utf-8")]


@pytest.mark.parametrize("path", STEPS, ids=lambda p: p.stem)
def test_programs_have_their_equations_at_their_lines(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    stated = numbers(ast.get_docstring(ast.parse(text)) or "")
    assert len(stated) > 1 and stated == numbers(remarks(text))


def test_registry_has_every_family_of_the_library() -> None:
    of_users = {UserDefined, UserDefinedWithConstraints, UserDefinedImplicit}
    assert {type(method(name)) for name in method_names()} == set(FAMILIES.values()) - of_users
    assert all(cls.family == name for name, cls in FAMILIES.items())
    assert all(method(name).name == name for name in method_names())


@pytest.mark.slow
def test_code_does_not_branch_on_the_family_of_a_method() -> None:
    """Families know themselves; the registry knows their names; the command line prints them."""
    own = {Path(file).stem for file in FILES.values()}
    classes = {cls.__name__ for cls in FAMILIES.values()}
    asking = set()
    words = re.compile("|".join([r"\.family\b", *map(re.escape, classes)]))
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if (METHODS in path.parents and path.stem in own | {"registry"}) or not words.search(text):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("symlie.runtime.methods."):
                asking |= {path for alias in node.names if alias.name in classes}
            if isinstance(node, ast.Compare) and any(
                isinstance(part, ast.Attribute) and part.attr == "family" for part in (node.left, *node.comparators)
            ):
                asking.add(path)
    assert asking == set()


CONSTRAINED = (
    "half_explicit",
    "index1",
    "generalized_alpha",
    "bdf",
    "bdf_variable",
    "bdf_increments",
    "variational",
    "taylor",
)
"""Families that integrate systems with constraints."""


def test_rejections_are_explained_by_family() -> None:
    constrained, free = heavy_top_system("SE3", "numpy").layout, heavy_top_system("SO3", "numpy").layout
    taken = {name for name in method_names() if method(name).refusal(constrained) is None}
    assert taken == {name for name in method_names() if method(name).family in CONSTRAINED}
    assert {n for n in method_names() if method(n).refusal(free)} == {"symplectic_theta", "moreau_jean"}
    sentence = method("symplectic_theta").refusal(free)
    assert sentence is not None and sentence.endswith("or another explicit method.")
    with pytest.raises(UnsupportedMethodError, match="integrates Hamiltonian systems"):
        check_method(free, method("symplectic_theta"))


def test_options_are_defined_by_family() -> None:
    assert method("rkmk_rk44").options == {"commutators": "exact", "map": "exp"}
    assert method("symplectic_theta").options == {"theta": 0.5, "compose": "none"}
    assert method("rkmk4_two_commutators").options == method("cf4").options == {}
    with pytest.raises(
        UnknownNameError,
        match=r"^Methods have no option 'stages'; the options are commutators, map, error_metric, theta, .*, order\.$",
    ):
        method("cf4").with_options({"stages": 1})
    sentence = (
        "Method cf4 of the family commutator_free has no option map; commutators and map belong to tableaux of the "
        "family rkmk, error_metric to commutator-free pairs, error_metric to pairs of the family crouch_grossman, "
        "theta and compose to symplectic_theta, rho and alpha_m"
    )
    with pytest.raises(ModelError, match=f"^{re.escape(sentence)}"):
        method("cf4").with_options({"map": "cayley"})


@pytest.mark.parametrize("name", method_names())
def test_methods_are_compared_by_value(name: str) -> None:
    """Equal where coefficients and options are; the record makes the same method again."""
    found: Method = method(name)
    assert recorded_method(found.record) == found
    assert found.with_options({}) is found
    assert repr(found).startswith(f"Method({name}; {found.family}; order {found.order}")
