"""The checker reproduces certificates, and rejects manipulated ones."""

from __future__ import annotations

import ast
import copy
import json
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from symlie.certify import certificate
from symlie.certify.checker import arithmetic as checker_arithmetic
from symlie.certify.checker import check as checker
from symlie.certify.checker import rounding as checker_rounding
from symlie.certify.checker import series as checker_series
from symlie.certify.checker.arithmetic import CertificateError
from symlie.certify.checker.check import check, check_function, digest
from symlie.errors import FormatError

Entry = dict[str, Any]
CHECKER = (checker, checker_arithmetic, checker_rounding, checker_series)
CONTENT = json.loads(certificate.SHIPPED.read_text(encoding="utf-8"))
ENTRIES = {(e["name"], e["precision"]): e for e in CONTENT["functions"]}
QUICK = [("c2", "double"), ("c2_1", "double"), ("g0", "double"), ("c3", "float"), ("c0", "double")]


def first_section(name: str, precision: str = "double") -> Entry:
    """A certificate that ends at π/2, to be quick."""
    entry = copy.deepcopy(ENTRIES[name, precision])
    entry["sections"] = entry["sections"][:1]
    entry["domain"][1] = float.fromhex(entry["sections"][0]["ends"][-1])
    return entry


@pytest.mark.slow
@pytest.mark.parametrize(("name", "precision"), QUICK)
def test_shipped_certificates_are_accepted(name: str, precision: str) -> None:
    check_function(ENTRIES[name, precision])


@pytest.mark.slow
@pytest.mark.parametrize(("name", "precision"), ENTRIES)
def test_all_shipped_certificates_are_accepted(name: str, precision: str) -> None:
    check_function(ENTRIES[name, precision])


def test_intervals_enclose_results() -> None:
    """Results of points of intervals are inside, and ends are results of points, up to rounding."""
    a, b = ((Fraction(9, 4), Fraction(4)), (Fraction(-3), Fraction(-1, 2)))
    first, second = (checker_arithmetic.exact(x)[:1] + checker_arithmetic.exact(y)[1:] for x, y in (a, b))
    cases = {
        "add": (checker_arithmetic.add(first, second), [x + y for x in a for y in b]),
        "sub": (checker_arithmetic.sub(first, second), [x - y for x in a for y in b]),
        "mul": (checker_arithmetic.mul(first, second), [x * y for x in a for y in b]),
        "div": (checker_arithmetic.div(first, second), [x / y for x in a for y in b]),
        "root": (checker_arithmetic.root(first), [Fraction(3, 2), Fraction(2)]),
    }
    for found, corners in cases.values():
        low, high = min(corners) * checker_arithmetic.ONE, max(corners) * checker_arithmetic.ONE
        assert low - 1 <= found[0] <= low and high <= found[1] <= high + 1


def rehashed(entry: Entry) -> Entry:
    """With the hash of the operations that it lists."""
    entry["operations_sha256"] = digest(entry["branches"])
    return entry


def first_constant(entry: Entry, factor: float) -> Entry:
    """With the coefficient of z multiplied."""
    for operation in entry["branches"][0]["operations"]:
        if operation[1] == "add" and operation[3] == (-1 / 24.0).hex():
            operation[3] = (-factor / 24.0).hex()
    return entry


def smaller_bounds(entry: Entry) -> Entry:
    section = entry["sections"][0]
    section["bounds_eps"] = [0.9 * b for b in section["bounds_eps"]]
    section["bound_eps"] *= 0.9
    return entry


def smaller_bound_of_section(entry: Entry) -> Entry:
    entry["sections"][0]["bound_eps"] *= 0.99
    return entry


def without_a_cell(entry: Entry) -> Entry:
    section = entry["sections"][0]
    del section["ends"][0], section["bounds_eps"][0]
    return entry


def a_longer_domain(entry: Entry) -> Entry:
    entry["domain"][1] = 9.8
    return entry


def beyond_its_interval(entry: Entry) -> Entry:
    """The operations of [0, 10] said to serve up to 14."""
    entry["branches"][0]["upper"] = (14.0).hex()
    entry["branches"][1]["lower"] = (14.000000000000002).hex()
    entry.update({key: copy.deepcopy(ENTRIES["c2", "double"][key]) for key in ("sections", "domain")})
    return rehashed(entry)


def with_a_gap(entry: Entry) -> Entry:
    entry["branches"][0]["upper"] = (1.0).hex()
    return rehashed(entry)


def another_function(entry: Entry) -> Entry:
    entry["definition"]["k"] = 3
    return entry


def another_precision(entry: Entry) -> Entry:
    entry["precision"] = "float"
    entry["sections"][0]["bounds_eps"] = [b * 1e-6 for b in entry["sections"][0]["bounds_eps"]]
    return entry


def relative_to_a_larger_number(entry: Entry) -> Entry:
    entry["sections"][0]["relative_to"] = "f(0)"
    return smaller_bounds(entry)


TAMPERED: list[Callable[[Entry], Entry]] = [
    lambda e: first_constant(e, 1 + 1e-9),
    lambda e: rehashed(first_constant(e, 1 + 1e-9)),
    smaller_bounds, smaller_bound_of_section, without_a_cell, a_longer_domain, beyond_its_interval, with_a_gap,
    another_function, another_precision, relative_to_a_larger_number,
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("change", TAMPERED)
def test_tampered_certificates_are_rejected(change: Callable[[Entry], Entry]) -> None:
    check_function(first_section("c2"))
    with pytest.raises(CertificateError):
        check_function(change(first_section("c2")))


def beside_the_pole() -> Entry:
    """A certificate of g0 on one cell, where its list of operations ends with a division by 4π² - z."""
    entry = copy.deepcopy(ENTRIES["g0", "float"])
    section = entry["sections"][-1]
    guard = float.fromhex(entry["branches"][0]["upper"])
    first = next(k for k, end in enumerate(section["ends"]) if float.fromhex(end) > guard)
    section["ends"] = section["ends"][first : first + 2]
    section["bounds_eps"] = section["bounds_eps"][first : first + 1]
    entry["sections"] = [section]
    entry["domain"] = [float.fromhex(end) for end in section["ends"]]
    return entry


def test_divisors_of_the_wrong_sign_are_rejected() -> None:
    """The numerator remains correct, so that only the divisor has an error, larger than itself."""
    check_function(beside_the_pole())
    entry = beside_the_pole()
    operations = entry["branches"][1]["operations"]
    (difference, addition) = operations[:2]
    assert difference[1:] == ["sub", difference[2], "z"] and addition[1:3] == ["add", difference[0]]
    difference[2:] = ["z", difference[2]]
    addition[3] = (-float.fromhex(addition[3])).hex()
    with pytest.raises(CertificateError, match="cannot be reproduced"):
        check_function(rehashed(entry))


def test_other_assumptions_are_rejected() -> None:
    content = {"format": 1, "assumptions": CONTENT["assumptions"], "functions": [first_section("c3")]}
    assert check(content) == ["c3"]
    for key, value in (("assumptions", ["sin is exact"]), ("format", 2)):
        with pytest.raises(CertificateError):
            check(content | {key: value})


def test_checker_shares_no_code_with_the_prover() -> None:
    """Imports of its modules: each other and the standard library."""
    own = {m.__name__ for m in CHECKER}
    for module in CHECKER:
        assert module.__file__
        for node in ast.walk(ast.parse(Path(module.__file__).read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                assert node.module in own or str(node.module).split(".")[0] in sys.stdlib_module_names
            elif isinstance(node, ast.Import):
                assert all(a.name in sys.stdlib_module_names for a in node.names)


def test_checker_runs_without_symlie(tmp_path: Path) -> None:
    content = {"format": 1, "assumptions": CONTENT["assumptions"], "functions": [first_section("c3")]}
    path = tmp_path / "certificate.json"
    path.write_text(json.dumps(content))
    command = [sys.executable, "-m", "symlie.certify.checker", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "proved anew: c3" in done.stdout
    path.write_text(json.dumps(content | {"functions": [smaller_bounds(first_section("c3"))]}))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "cannot be reproduced" in done.stderr


HEADER = Path(__file__).parents[2] / "generated" / "heavy_top_SE3" / "heavy_top.h"


def test_model_certificates_are_accepted(tmp_path: Path) -> None:
    text = certificate.certificate_of_sources([HEADER.read_text(encoding="utf-8")])
    entries = {e["name"]: e["status"] for e in json.loads(text)["functions"]}
    assert {"c1", "c2", "c3", "g0", "g1"} <= set(entries) and set(entries.values()) == {"proved"}


def test_certificate_of_other_sources_is_rejected(tmp_path: Path) -> None:
    header = HEADER.read_text(encoding="utf-8")
    source = header[: header.index("/* q∘exp(u)")] if "/* q∘exp(u)" in header else header
    (tmp_path / "heavy_top.h").write_text(source)
    entries = [first_section(n) | {"name": n} for n in certificate.named_functions(source, "symlie_")]
    path = tmp_path / "certificate.json"
    path.write_text(certificate.certificate(entries, {}))
    assert set(certificate.check_file(path).values()) == {"proved"}
    (tmp_path / "heavy_top.h").write_text(source.replace("0.041666666666666664", "0.041666666666666666"))
    with pytest.raises(FormatError, match="not match the function"):
        certificate.check_file(path)
    path.write_text("{}")
    with pytest.raises(FormatError, match="proves nothing"):
        certificate.check_file(path)
