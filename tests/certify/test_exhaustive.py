"""All single precision numbers up to π², against the functions in double precision, which are proved to 4 eps."""

from __future__ import annotations

import ctypes
import math
from pathlib import Path

import pytest

pytest.importorskip("flint")

from symlie.certify.source_text import function_text
from symlie.certify.subjects import named_subject, standard_names
from symlie.certify.verification import prove_subject
from symlie.compile.compiler import flags, run_compiler
from symlie.ir.primitives import evaluate
from tests.tolerances import EPSILON

NAMES = [n for n in standard_names() if "_to_" not in n]
SINGLE_EPSILON = 2.0**-23

LOOP = """
#include <math.h>
#include <stdint.h>
#include <string.h>
#define SYMLIE_COLD static
#define SYMLIE_UNLIKELY(x) (x)
{single}
{double}
double largest(float end, double scale, float *at, long long *count)
{{
    uint32_t last;
    memcpy(&last, &end, 4);
    double worst = 0;
    for (uint32_t start = 0; start <= last; start += 4096) {{
        double largest = 0;
        for (uint32_t k = 0; k < 4096; k++) {{
            const uint32_t bits = start + k <= last ? start + k : last;
            float z;
            memcpy(&z, &bits, 4);
            const double exact = {name}(z), error = fabs(single_{name}(z) - exact) / (scale > 0 ? scale : fabs(exact));
            largest = error > largest || error != error ? error : largest;
        }}
        if (!(largest <= worst)) {{ worst = largest; memcpy(at, &start, 4); }}
    }}
    *count = (long long)last + 1;
    return worst;
}}
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_errors_of_all_floats_are_below_the_bound(name: str, tmp_path: Path) -> None:
    single, double = named_subject(name, "float"), named_subject(name, "double")
    function = f"symlie_{name}"
    text = function_text(single.source, function).replace(function, f"single_{function}")
    source = LOOP.format(single=text, double=function_text(double.source, function), name=function)
    (tmp_path / "loop.c").write_text(source)
    at, count = ctypes.c_float(), ctypes.c_longlong()
    scale = abs(float(evaluate(name, 0))) if name in ("c0", "c1") else 0.0
    proof = prove_subject(single)
    bound = max(s.absolute / scale if scale else s.relative for s in proof.sections[:2])
    for optimize in ("default", "contract"):
        run_compiler(tmp_path / "loop.c", tmp_path / f"{optimize}.so", flags(optimize))
        largest = ctypes.CDLL(str(tmp_path / f"{optimize}.so")).largest
        largest.restype = ctypes.c_double
        found = largest(ctypes.c_float(math.pi**2), ctypes.c_double(scale), ctypes.byref(at), ctypes.byref(count))
        print(f"{name} {optimize}: {found / SINGLE_EPSILON:.4f} eps32 near z = {at.value}, {count.value} numbers")
        assert count.value > 1_000_000_000
        assert found <= bound + 4 * EPSILON
        assert found <= 4 * SINGLE_EPSILON
