"""Modified certificates: they are rejected with a reason, or their statements still hold.

The smallest certificates that cover everything: two cells on both sides of a guard, so that a proof takes milliseconds.
Accepted certificates are tested by evaluating the listed operations in floating point and comparing with sums of the
series.
"""

from __future__ import annotations

import collections
import copy
import functools
import itertools
import json
import math
import operator
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest

from symlie.certify.certificate import check_file
from symlie.certify.checker.check import digest
from symlie.errors import FormatError
from tests.certify.test_checker import CONTENT, ENTRIES, Entry
from tests.certify.test_series import ENTRIES as MATRIX_FUNCTIONS
from tests.mistakes.judge import limited

QUICK = 60
"""Changes of each kind in the default suite."""

UNCHECKED = ("series", "text_sha256", "versions")
"""Fields about the origin of a certificate and about sources that are not next to it."""

VALUES: tuple[Any, ...] = (
    None, [], {}, "", "x", "inf", "nan", "1e999999999", "0x1p+1000", True, False, 0, 1, -1, 0.5, 10**9, 10**400, 1e300,
    float("nan"), float("inf"), [[[]]], {"a": 1}, "c2", "c3", "s", "g", "float", "double", "proved", "f(0)", "z", "v0",
    "sub", "add", "mul", "div", "neg", "sqrt", "sin", "off", "on",
)  # fmt: skip
"""Replacements of each field: other types, signs and magnitudes, and values of other fields."""


def about_a_guard(name: str, precision: str) -> Entry:
    """The certificate of a function on the two cells that meet where its first branch ends."""
    entry = copy.deepcopy(ENTRIES[name, precision])
    guard = float.fromhex(entry["branches"][0]["upper"])
    (section,) = (s for s in entry["sections"] if float.fromhex(s["ends"][0]) < guard < float.fromhex(s["ends"][-1]))
    ends = [float.fromhex(e) for e in section["ends"]]
    first = next(k for k, (a, b) in enumerate(itertools.pairwise(ends)) if a < guard <= b)
    section["ends"] = section["ends"][first : first + 3]
    section["bounds_eps"] = section["bounds_eps"][first : first + 2]
    section["bound_eps"] = max(section["bounds_eps"])
    entry["sections"] = [section]
    entry["domain"] = [ends[first], ends[first + 2]]
    return entry


@functools.cache
def certificates() -> dict[str, str]:
    """The texts that are damaged: a function with a guard, one with a pole, and a bound of a matrix function."""
    pole = copy.deepcopy(ENTRIES["g0", "float"])
    pole["sections"] = pole["sections"][:1]
    pole["sections"][0] |= {key: pole["sections"][0][key][: 2 + (key == "ends")] for key in ("ends", "bounds_eps")}
    pole["domain"][1] = float.fromhex(pole["sections"][0]["ends"][-1])
    chosen = {"guard": about_a_guard("c3", "float"), "pole": pole, "matrix": MATRIX_FUNCTIONS["exp"]}
    return {key: json.dumps({**CONTENT, "functions": [entry]}) for key, entry in chosen.items()}


class Judge:
    """Checks changed certificates and counts what became of them."""

    def __init__(self, original: str, path: Path) -> None:
        self.original, self.path = json.loads(original), path
        self.counts = collections.Counter[str]()

    def judge(self, text: str | bytes) -> None:
        """A named error, or a true statement, each in little time."""
        self.path.write_bytes(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)
        with limited() as endless:
            found = self._outcome()
        assert not endless, text
        self.counts["tried"] += 1
        self.counts[found] += 1

    def _outcome(self) -> str:
        try:
            check_file(self.path)
        except FormatError as error:
            assert 0 < len(str(error).splitlines()) < 3 and len(str(error)) < 500
            return "refused by name"
        content = json.loads(self.path.read_text(encoding="utf-8"))
        if content == self.original:
            return "accepted, equal"
        if without(content, UNCHECKED) == without(self.original, UNCHECKED):
            return "accepted, equal in all that is checked"
        proved = [entry for entry in content["functions"] if entry["status"] == "proved"]
        with np.errstate(over="ignore"):
            assert all(map(is_true, proved)), json.dumps(content)
        return "accepted, another true statement" if proved else "accepted, nothing said to be proved to the last bit"


def without(content: Any, names: tuple[str, ...]) -> Any:
    """A copy of the certificate without some of its fields and of the fields of its functions."""
    kept = {key: value for key, value in content.items() if key not in names}
    return kept | {"functions": [{k: v for k, v in e.items() if k not in names} for e in kept["functions"]]}


OPERATIONS: dict[str, Callable[..., Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv, "neg": operator.neg,
    "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos,
}  # fmt: skip


def is_true(entry: Entry) -> bool:
    """Whether the errors at some points of each cell are below its bound."""
    number = {"double": np.float64, "float": np.float32}[entry["precision"]]
    eps = float(np.finfo(number).eps)
    draw = random.Random(1)
    for section in entry["sections"]:
        ends = [float.fromhex(e) for e in section["ends"]]
        for a, b, bound in zip(ends, ends[1:], section["bounds_eps"], strict=False):
            for point in (a, b, *(a + (b - a) * draw.random() for _ in range(6))):
                z = number(point)
                if not a <= z <= b:
                    continue
                exact = definition(entry["definition"], float(z))
                scale = abs(definition(entry["definition"], 0.0) if section["relative_to"] != "f" else exact)
                if not abs(value(entry, z, number) - exact) <= bound * eps * scale * (1 + 1e-12):
                    return False
    return True


def value(entry: Entry, z: Any, number: Callable[[float], Any]) -> Any:
    """Value of the listed operations, with the given type of numbers."""
    branch = next(b for b in entry["branches"] if z <= float.fromhex(b["upper"]))
    values = {"z": z}
    for target, kind, *operands in branch["operations"]:
        values[target] = OPERATIONS[kind](*(values[p] if p in values else number(float.fromhex(p)) for p in operands))
    return mpmath.mpf(float(values[branch["result"]]))


@functools.cache
def _definition(family: str, k: int, m: int, z: float) -> Any:
    with mpmath.workdps(40):
        if family == "g":
            return 2 ** (m + 1) * mpmath.factorial(m) * mpmath.nsum(
                lambda n: (4 * mpmath.pi**2 * n**2 - z) ** (-m - 1), [1, mpmath.inf]
            )  # fmt: skip
        return mpmath.fsum(
            mpmath.mpf(-1) ** (j + m) * 2**m * math.factorial(j + m) * mpmath.mpf(z) ** j
            / (math.factorial(j) * math.factorial(2 * j + 2 * m + k))
            for j in range(60)
        )  # fmt: skip


def definition(stated: dict[str, Any], z: float) -> Any:
    """f(z) by its series."""
    return _definition(stated["family"], stated.get("k", 0), stated["m"], z)


Place = tuple[Any, ...]


def places(part: Any, at: Place = ()) -> Iterator[Place]:
    """Paths of all parts of a JSON value."""
    if at:
        yield at
    items = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for key, inner in items:
        yield from places(inner, (*at, key))


def with_change(content: Any, at: Place, change: Callable[[Any, Any], None]) -> Any:
    """A copy in which a function was applied to the parent of a part and its key."""
    copied = copy.deepcopy(content)
    change(functools.reduce(operator.getitem, at[:-1], copied), at[-1])
    return copied


def changed_fields(content: Any) -> Iterator[Any]:
    """Every field dropped, doubled, and replaced by each of the values and by neighbouring numbers."""
    for at in places(content):
        old = functools.reduce(operator.getitem, at, content)
        yield with_change(content, at, operator.delitem)
        if isinstance(at[-1], int):
            yield with_change(content, at, inserter(old))
        for other in (*VALUES, *neighbours(old)):
            yield with_change(content, at, setter(other))


def inserter(value: Any) -> Callable[[Any, Any], None]:
    """Puts a value before another one."""
    return lambda parent, key: parent.insert(key, value)


def setter(other: Any) -> Callable[[Any, Any], None]:
    """Replaces a value by another one."""
    return lambda parent, key: operator.setitem(parent, key, other)


def neighbours(old: Any) -> tuple[Any, ...]:
    """Numbers a little larger and smaller, also those that are spelled in hexadecimal digits."""
    if isinstance(old, str) and old.removeprefix("-").startswith("0x"):
        number = float.fromhex(old)
        near = (number * (1 + 2**-20), number * (1 - 1e-3), -number, number + 0.5, math.nextafter(number, 9))
        return tuple(map(float.hex, near))
    if isinstance(old, float) and not isinstance(old, bool):
        return (0.5 * old, 0.99 * old, 1.01 * old, 2 * old, -old)
    return ()


def rehashed(content: Any) -> Any:
    """With the hashes of the operations that are listed."""
    for entry in content["functions"]:
        entry["operations_sha256"] = digest(entry["branches"])
    return content


def changed_bytes(text: str) -> Iterator[bytes]:
    """Every bit flipped, every byte left out, and every beginning."""
    original = text.encode()
    for at, byte in enumerate(original):
        for bit in range(8):
            yield original[:at] + bytes([byte ^ 1 << bit]) + original[at + 1 :]
        yield original[:at] + original[at + 1 :]
        yield original[:at]


DAMAGES = [(key, kind) for key in ("guard", "pole") for kind in ("fields", "operations", "bytes")]
DAMAGES += [("matrix", "fields"), ("matrix", "bytes")]


def changes(key: str, kind: str) -> Iterator[str | bytes]:
    """Modified texts: fields, fields of operations with correct hashes, and bytes."""
    text = certificates()[key]
    if kind == "bytes":
        yield from changed_bytes(text)
        return
    content = json.loads(text)
    if kind == "fields":
        yield from map(json.dumps, changed_fields(content))
        return
    branches = content["functions"][0]["branches"]
    for changed in changed_fields(branches):
        yield json.dumps(rehashed({**content, "functions": [{**content["functions"][0], "branches": changed}]}))


@pytest.fixture(params=[pytest.param(True, marks=pytest.mark.slow, id="all"), pytest.param(False, id="some")])
def everything(request: pytest.FixtureRequest) -> bool:
    """True if every modification is tested."""
    return bool(request.param)


@pytest.mark.slow
@pytest.mark.parametrize(("key", "kind"), DAMAGES)
def test_damaged_certificates_are_rejected(key: str, kind: str, everything: bool, tmp_path: Path) -> None:
    judge = Judge(certificates()[key], tmp_path / "certificate.json")
    judge.judge(certificates()[key])
    assert judge.counts["accepted, equal"] == 1
    texts = list(changes(key, kind))
    for text in texts if everything else random.Random(1).sample(texts, min(len(texts), QUICK)):
        judge.judge(text)
    print(key, kind, dict(judge.counts))
    assert judge.counts["refused by name"] > judge.counts["tried"] / 2


def test_accepted_certificates_are_correct() -> None:
    """The judge of accepted certificates finds wrong ones."""
    entry = about_a_guard("c3", "float")
    assert is_true(entry)
    for change in ({"definition": {"family": "c", "k": 2, "m": 0}}, {"precision": "double"}):
        assert not is_true(entry | change)
    entry["sections"][0]["bounds_eps"] = [1e-3, 1e-3]
    assert not is_true(entry)
