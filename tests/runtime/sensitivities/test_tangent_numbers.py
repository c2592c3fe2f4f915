"""Numbers with tangents in C++: minimum, maximum and sign against their derivatives."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest

from symlie.compile.compiler import compiles_cpp, flags, run_compiler
from symlie.compile.headers import with_headers

pytestmark = pytest.mark.skipif(not compiles_cpp(), reason="the C compiler does not compile C++")

PROBE = """
#define SYMLIE_TANGENTS 1
#include "tangents.h"
extern "C" void find(double x, double y, double *out)
{
    const symlie_real a(x, 2.0), b(y, 3.0), found[] = {fmin(a, b), fmax(a, b), copysign(a, b)};
    for (int k = 0; k < 3; k++) out[2 * k] = found[k].value, out[2 * k + 1] = found[k].tangent;
}
"""


def test_extrema_and_signs_have_the_tangents_of_their_arguments(tmp_path: Path) -> None:
    for name, text in with_headers({"probe.c": PROBE}).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    run_compiler(tmp_path / "probe.c", tmp_path / "probe.so", flags("default", takes_steps=False, is_cpp=True))
    library = ctypes.CDLL(str(tmp_path / "probe.so"))
    library.find.argtypes = [ctypes.c_double, ctypes.c_double, ctypes.c_void_p]
    for x, y in ((1.0, 4.0), (4.0, 1.0), (-1.0, 4.0), (4.0, -1.0)):
        found = np.zeros((3, 2))
        library.find(x, y, found.ctypes.data)
        a, b = (x, 2.0), (y, 3.0)
        signed = a if x * y > 0 else (-x, -2.0)
        assert found.tolist() == [list(min(a, b)), list(max(a, b)), list(signed)]
