"""Measured errors of derivatives: compiled ``function_series.h`` versus ball arithmetic."""

from __future__ import annotations

import ctypes
import functools
import math
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from flint import arb, arb_poly, ctx, fmpq_poly

from symlie.certify.derivatives import spherical
from symlie.certify.derivatives.amplitudes import polynomials
from symlie.certify.derivatives.bounds import DOWNWARDS, EPSILON, EVERYWHERE, UPWARDS, parsed
from symlie.certify.derivatives.scheme import Scheme
from symlie.certify.derivatives.spherical import WINDOW, Array, columns
from symlie.compile.compiler import LIBRARY_SUFFIX, flags, run_compiler
from symlie.compile.headers import with_headers
from symlie.contract.constants import constants_header
from symlie.errors import NoCompilerError

SOURCE = """
#include "primitives.h"
#define MOST_TERMS_OF_SERIES 1
#include "function_series.h"
const char *symlie_interface_hash(void) { return ""; }
void c(int k, int m, double z, int order, double *out) { coefficient_series(k, m, z, order, out); }
void g(int k, int m, double z, int order, double *out) { (void)m, cotangent_series(k, z, order, out); }
void a(int k, int m, double z, int order, double *out) { (void)m, angle_series(k, z, order, out); }
"""

COUNT = 24
"""Number of arguments on each side of a switch."""

BEYOND = 1e3
"""Range of measured ω above the start of forward recurrences."""

SMALLEST = 2.0**-1022
"""Smallest normal number, below which coefficients underflow."""

Function = Callable[[int, int, float, int], Array]


@functools.cache
def compiled(text: str) -> dict[str, Function] | None:
    """Compile the families of a text without fused operations; return None without a compiler."""
    with tempfile.TemporaryDirectory() as folder:
        for name, content in (
            with_headers({**constants_header(), "library.c": SOURCE}) | {"function_series.h": text}
        ).items():
            Path(folder, name).write_text(content, encoding="utf-8")
        output = Path(folder, f"library{LIBRARY_SUFFIX}")
        try:
            run_compiler(Path(folder, "library.c"), output, flags("default"))
        except NoCompilerError:
            return None
        library = ctypes.CDLL(str(output))
    return {family: _called(library, family) for family in "cga"}


def _called(library: ctypes.CDLL, family: str) -> Function:
    def values(k: int, m: int, z: float, order: int) -> Array:
        out = np.empty(order)
        call, pointer = getattr(library, family), ctypes.c_void_p(out.ctypes.data)
        call(ctypes.c_int(k), ctypes.c_int(m), ctypes.c_double(z), ctypes.c_int(order), pointer)
        return out

    return values


def measured_eps(scheme: Scheme, text: str, name: str, where: str, order: int) -> float | None:
    """Return the largest measured error of a function for order N in eps; None without a compiler."""
    functions = compiled(text)
    if functions is None:
        return None
    precision, ctx.prec = ctx.prec, spherical.BITS
    try:
        family, index, m = parsed(name)
        errors = _ERRORS[where](scheme, functions[family], (family, index, m), order)
        return max(errors) / EPSILON
    finally:
        ctx.prec = precision


def _downwards(scheme: Scheme, function: Function, name: tuple[str, int, int], order: int) -> Iterator[float]:
    _, k, m = name
    end = scheme.switches.begin_upwards(k, scheme.switches.last(k, m, order))
    for omega in [0.0, *_spread(1e-6, 1.0, 6), *np.linspace(1.0, math.nextafter(end, 0.0), COUNT)]:
        z = omega * omega
        yield from _relative(function(k, m, z, order), m, *_around(k, m + order, arb(z).sqrt()))


def _around(k: int, last: int, omega: arb) -> tuple[list[arb], list[arb]]:
    """Return c_{k,n} and its maximum within the window."""
    near = [omega + WINDOW * i / 4 for i in range(-4, 5)]
    tables = [_values(k, last, w) for w in [omega, *(w for w in near if w > 0)]]
    return tables[0], [max((abs(t[n]) for t in tables), key=lambda x: float(x.mid())) for n in range(last + 1)]


def _values(k: int, last: int, omega: arb) -> list[arb]:
    centre = float(omega.mid())
    rows = last + 30 + math.ceil(1.3 * centre)
    return [(-1) ** n * p for n, p in enumerate(columns(spherical.chain(k), omega, arb(1), rows)[k][: last + 1])]


def _relative(found: Array, m: int, exact: list[arb], scale: list[arb]) -> Iterator[float]:
    for j, value in enumerate(found, start=1):
        factor = arb(2) ** j * arb.fac_ui(j)
        error = abs(arb(float(value)) - exact[m + j] / factor) if math.isfinite(value) else arb(math.inf)
        # Bounds hold in the absence of underflow.
        yield float((error * factor / scale[m + j]).mid()) if not error < SMALLEST else 0.0


def _upwards(scheme: Scheme, function: Function, name: tuple[str, int, int], order: int) -> Iterator[float]:
    _, k, m = name
    begin = scheme.switches.begin_upwards(k, scheme.switches.last(k, m, order))
    for root in _spread(begin * (1 + 1e-12), begin + BEYOND, COUNT):
        omega = math.sqrt(root * root)
        exact, scale = _amplitudes(k, m + order, arb(omega))
        yield from _relative(function(k, m, root * root, order), m, exact, scale)


def _amplitudes(k: int, last: int, omega: arb) -> tuple[list[arb], list[arb]]:
    exact, scale, t = [], [], 1 / omega
    sine, cosine = omega.sin_cos()
    for n in range(last + 1):
        steady, waves = polynomials(k, n)
        a, re, im = (_at(p, t) for p in (steady, *waves))
        exact.append((-1) ** n * (a + re * cosine - im * sine) / omega**n)
        scale.append((abs(a) + (re * re + im * im).sqrt()) / omega**n)
    return exact, scale


def _at(p: fmpq_poly, t: arb) -> arb:
    value: arb = arb_poly(p)(t)
    return value


def _everywhere(scheme: Scheme, function: Function, name: tuple[str, int, int], order: int) -> Iterator[float]:
    family, index, _ = name
    if family == "g":
        pole = scheme.poles.square[0]
        points = [
            0.0,
            *_spread(1e-6, 30.0, COUNT),
            *(pole - d for d in (1.0, 1e-3, 1e-9)),
            math.nextafter(pole, 0.0),
            pole,
        ]
    else:
        points = [*np.linspace(scheme.ratios.least, scheme.ratios.most, COUNT), 0.0, 1e-9]
    for x in map(float, points):
        exact = _cotangent if family == "g" else _angle
        for j, value in enumerate(function(index, 0, x, order), start=1):
            if math.isfinite(value):
                reference = exact(index, j, arb(x))
                yield float(abs(arb(float(value)) / reference - 1).mid())
            elif not abs(exact(index, j, arb(x))) > arb(2) ** 1023:
                yield math.inf


def _cotangent(m: int, j: int, z: arb) -> arb:
    """Return 2^{m+1} (m+j)!/j! Σ_p (4π²p² - z)^{-m-j-1}, by some poles and a series in powers of z."""
    n, square, explicit = m + j, 4 * arb.pi() ** 2, 12
    total = sum(((square * p * p - z) ** (-n - 1) for p in range(1, explicit + 1)), arb(0))
    for i in range(n, n + 60):
        zeta = arb(2 * i + 2).zeta() - sum((arb(p) ** (-2 * i - 2) for p in range(1, explicit + 1)), arb(0))
        total += arb.bin_uiui(i, n) * zeta / square ** (i + 1) * z ** (i - n)
    return arb(2) ** (m + 1) * arb.fac_ui(n) / arb.fac_ui(j) * total


def _angle(p: int, j: int, x: arb) -> arb:
    half = arb(p + j) + arb(1) / 2
    value = (-x).hypgeom_2f1(arb(j + 1), half, half + 1)
    return arb(-1) ** j * value / (2 * half)


def _spread(lower: float, upper: float, count: int) -> list[float]:
    return [float(x) for x in np.geomspace(lower, upper, count)]


_ERRORS = {DOWNWARDS: _downwards, UPWARDS: _upwards, EVERYWHERE: _everywhere}
