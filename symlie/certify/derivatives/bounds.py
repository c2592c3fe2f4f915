"""Proved and recorded error bounds of derivatives of named coefficient functions, of all orders."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from symlie.certify.certificate import ALLOWANCE, prover_versions
from symlie.certify.checker.check import ASSUMPTIONS
from symlie.certify.derivatives.angles import angle_bounds
from symlie.certify.derivatives.coefficients import CoefficientProver
from symlie.certify.derivatives.cotangents import cotangent_bounds
from symlie.certify.derivatives.scheme import Scheme, scheme_of, shipped_text
from symlie.certify.derivatives.spherical import Array
from symlie.contract.constants import MOST_ORDER
from symlie.errors import UnknownNameError
from symlie.ir.jets.compositions import MOST_DERIVATIVES

EPSILON = 2.0**-52

MOST_P = 1
"""Largest p of a_p, which logarithms need."""

FORMAT = 1

RECORDED = Path(__file__).parents[1] / "standard_derivatives.json"
"""Bounds of the shipped scheme."""

DOWNWARDS, UPWARDS, EVERYWHERE = "downwards", "upwards", "everywhere"
"""Ranges of validity of bounds: backward recurrences, forward recurrences, or all arguments."""

REFERENCES = {
    DOWNWARDS: "the largest |f| within 2 rad of ω",
    UPWARDS: "the amplitude of f, whose argument is z to within 1 eps",
    EVERYWHERE: "f",
}
"""References of relative errors, with f⁽ʲ⁾(z)/j! instead of f."""

NAME = re.compile(r"(?P<family>[cga])(?P<index>\d+)(_(?P<m>\d+))?$")


@dataclass(frozen=True)
class Bounds:
    """Error bounds of f⁽ʲ⁾(z)/j!, j = 1 … N, for the evaluation of one function up to order N."""

    name: str
    where: str
    eps: tuple[float, ...]
    """Maximum over j ≤ N in units of 2**-52, by N = 1, 2, …."""


def all_names() -> list[str]:
    """Return the names of c_k with all m, g_m and a_p."""
    return [
        *(f"c{k}" for k in range(MOST_DERIVATIVES + 1)),
        *(f"g{m}" for m in range(MOST_DERIVATIVES + 1)),
        *(f"a{p}" for p in range(MOST_P + 1)),
    ]


def parsed(name: str) -> tuple[str, int, int]:
    """Return family, index and m of a name such as ``c2_1``, or raise `UnknownNameError`."""
    match = NAME.fullmatch(name)
    if match is None or (match["m"] and match["family"] != "c"):
        raise UnknownNameError(f"'{name}' has no derivative bounds; the names are c2, c2_1, …, g0, g1, …, a0 and a1.")
    index, m = int(match["index"]), int(match["m"] or 0)
    if max(index, m) > (MOST_P if match["family"] == "a" else MOST_DERIVATIVES):
        raise UnknownNameError(f"Derivatives of '{name}' are not evaluated, because an index exceeds its maximum.")
    return match["family"], index, m


def prove_derivatives(
    scheme: Scheme,
    names: Sequence[str],
    most_m: int | None = None,
    most_order: int = MOST_ORDER,
    progress: Callable[[float], None] | None = None,
) -> list[Bounds]:
    """Return the bounds of functions for all orders; the bounds of c_k are valid for m up to ``most_m``."""
    wanted = [(name, *parsed(name)) for name in names]
    ks = [(k, m) for _, family, k, m in wanted if family == "c"]
    largest = max((m for _, m in ks), default=0) if most_m is None else most_m
    prover = CoefficientProver(scheme.switches, [k for k, _ in ks], largest, most_order) if ks else None
    found: list[Bounds] = []
    for i, (name, family, index, m) in enumerate(wanted):
        if prover is not None and family == "c":
            found += _of_coefficient(prover, name, index, [m] if most_m is None else range(most_m + 1), most_order)
        elif family == "g":
            found.append(_of_rows(name, cotangent_bounds(scheme.poles, index, most_order)[index]))
        else:
            table = angle_bounds(scheme.ratios, index, most_order)[index]
            found.append(_of_rows(name, np.nanmax(table, axis=1)))
        if progress:
            progress((i + 1) / len(wanted))
    return found


def _of_coefficient(prover: CoefficientProver, name: str, k: int, ms: Iterable[int], most_order: int) -> list[Bounds]:
    bounds = [prover.bounds(k, m, most_order) for m in ms]
    return [
        Bounds(name, where, tuple(map(float, np.max([getattr(b, where) for b in bounds], axis=0) / EPSILON)))
        for where in (DOWNWARDS, UPWARDS)
    ]


def _of_rows(name: str, relative: Array) -> Bounds:
    return Bounds(name, EVERYWHERE, tuple(map(float, np.maximum.accumulate(relative) / EPSILON)))


def record(scheme: Scheme, bounds: Iterable[Bounds]) -> str:
    """Return the proved bounds, increased by the safety margin, as text with one line for each function."""
    head = {
        "format": FORMAT,
        "versions": prover_versions(),
        "assumptions": [*ASSUMPTIONS, "neither over- nor underflow; what is less than 2**-1022 counts as nothing"],
        "eps": "2**-52",
        "source": {"file": "function_series.h", "sha256": scheme.digest},
        "statement": "errors of f^(j)(z)/j!, j = 1 ... N, by N = 1 ...; c_k stands for c_{k,m} with all "
        f"m <= {MOST_DERIVATIVES}",
    }
    lines = ",\n".join(
        json.dumps(
            {
                "name": b.name,
                "where": b.where,
                "relative_to": REFERENCES[b.where],
                "bounds_eps": [float(f"{x * ALLOWANCE:.4g}") for x in b.eps],
            },
            ensure_ascii=False,
        )
        for b in bounds
    )
    return json.dumps(head)[:-1] + ',\n"functions": [\n' + lines + "\n]}\n"


@functools.cache
def recorded() -> dict[tuple[str, str], tuple[float, ...]]:
    """Return the recorded bounds by name and range of validity."""
    content = json.loads(RECORDED.read_text(encoding="utf-8"))
    return {(e["name"], e["where"]): tuple(e["bounds_eps"]) for e in content["functions"]}


def recorded_digest() -> str:
    """Return the SHA-256 of the text whose bounds are recorded."""
    return str(json.loads(RECORDED.read_text(encoding="utf-8"))["source"]["sha256"])


def target(name: str, where: str, order: int) -> float:
    """Return the recorded bound of a function in eps; the bound of c_{k,m} covers all m."""
    family, index, _ = parsed(name)
    return recorded()[f"{family}{index}", where][order - 1]


def main() -> None:
    """Prove and record all bounds."""
    scheme = scheme_of(shipped_text())
    bounds = prove_derivatives(scheme, all_names(), MOST_DERIVATIVES)
    RECORDED.write_text(record(scheme, bounds), encoding="utf-8")


if __name__ == "__main__":
    main()
