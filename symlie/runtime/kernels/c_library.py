"""Source files that make the library of a model."""

from __future__ import annotations

from collections.abc import Mapping

from symlie.compile.headers import KERNEL_HEADERS, OBSERVATION_HEADERS, included_headers
from symlie.contract.constants import constants_header
from symlie.runtime.kernels.coordinates import STEP_KINDS
from symlie.runtime.kernels.newton import MATRIX_KINDS


def c_files(files: Mapping[str, str]) -> dict[str, str]:
    """The C text of a model without what only some runs need."""
    kinds = (".c", ".h")
    apart = (*(f"_{kind}.c" for kind in MATRIX_KINDS), *(f"_{kind}.h" for kind in STEP_KINDS))
    return {n: text for n, text in files.items() if n.endswith(kinds) and not n.endswith(apart)}


def library_source(model: str, algebra: str) -> dict[str, str]:
    """Source files that make a library of a model: the file to compile, ``library.c``, and what it includes."""
    includes = [f"{model}.c", "constants.h", algebra, "method.h", "observe.h", "interpolate.h"]
    return {
        "library.c": "".join(f'#include "{name}"\n' for name in includes),
        **constants_header(),
        **included_headers((*KERNEL_HEADERS, algebra, *OBSERVATION_HEADERS)),
    }
