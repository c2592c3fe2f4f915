"""The reference is in docstrings: everything that users reach has one, with all of its parameters."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import pytest

import symlie as sl


def public() -> Iterator[tuple[str, Any]]:
    """Classes, functions, methods and properties by name; names of SymPy are documented elsewhere."""
    names = {name: getattr(sl, name) for name in sl.__all__}
    for name, thing in names.items():
        if inspect.ismodule(thing):
            yield from ((f"{name}.{k}", c) for k, c in vars(thing).items() if inspect.isclass(c))
            continue
        thing = inspect.unwrap(thing) if callable(thing) else thing
        if not getattr(thing, "__module__", "").startswith("symlie"):
            continue
        if inspect.isclass(thing):
            yield name, thing
            for member in dir(thing):
                found = inspect.getattr_static(thing, member)
                found = getattr(found, "__func__", found)
                if (not member.startswith("_") or member == "__call__") and _is_documented_kind(found):
                    yield f"{name}.{member}", found
        elif inspect.isfunction(thing):
            yield name, thing


def function_of(member: Any) -> Any:
    """The function of a property; other objects unchanged."""
    if isinstance(member, property):
        return member.fget
    return member.func if isinstance(member, cached_property) else member


def _is_documented_kind(member: Any) -> bool:
    function = function_of(member)
    is_stated = inspect.isfunction(function) and function.__name__ != "<lambda>"
    return is_stated and function.__module__.startswith("symlie")


PUBLIC = dict(public())


def parameters_of(docstring: str) -> set[str]:
    """Names of the section on parameters in NumPy style."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[\w ]*\n-+$|\Z)", docstring, re.S | re.M)
    lines = section.group(1).splitlines() if section else []
    heads = [line for line in lines if re.fullmatch(r"\*{0,2}\w+(, \*{0,2}\w+)*", line)]
    return {name.strip(" *") for head in heads for name in head.split(",")}


@pytest.mark.parametrize("name", PUBLIC)
def test_reference_is_complete(name: str) -> None:
    thing = PUBLIC[name]
    docstring = inspect.getdoc(thing) or ""
    assert docstring, f"{name} has no docstring"
    if inspect.isfunction(thing):
        taken = [p for p in inspect.signature(thing).parameters if p not in ("self", "cls")]
        missing = set(taken) - parameters_of(docstring)
        assert not missing, f"{name} does not document {', '.join(sorted(missing))}"


def test_public_objects_are_checked() -> None:
    """The walk reaches functions, methods of subclasses, cached functions, and errors."""
    assert {"solve", "Model.kinetic_energy", "ElementType.force", "real_space", "Solution.__call__"} <= set(PUBLIC)
    assert "errors.ModelError" in PUBLIC
    assert "cos" not in PUBLIC
    text = "A.\n\nParameters\n----------\na, b\n    Both.\n**c\n    Rest.\n\nReturns\n-------\nd\n    D."
    assert parameters_of(text) == {"a", "b", "c"}
