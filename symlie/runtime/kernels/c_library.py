"""Source files that make the library of a model."""

from __future__ import annotations

from collections.abc import Mapping

from symlie.compile.headers import ALGEBRA_HEADERS, KERNEL_HEADERS, OBSERVATION_HEADERS, included_headers
from symlie.contract.constants import constants_header
from symlie.contract.sets import without_sets


def c_files(files: Mapping[str, str], model: str) -> dict[str, str]:
    """The C text of a model without that of further sets of kernels."""
    return {n: text for n, text in without_sets(files, model).items() if n.endswith((".c", ".h"))}


def library_source(model: str, algebra: str) -> dict[str, str]:
    """Source files that make a library of a model: the file to compile, ``library.c``, and what it includes."""
    includes = [f"{model}.c", "constants.h", algebra, "method.h", "observe.h", "interpolate.h"]
    return {
        "library.c": "".join(f'#include "{name}"\n' for name in includes),
        **constants_header(),
        **included_headers((*KERNEL_HEADERS, *ALGEBRA_HEADERS[algebra], *OBSERVATION_HEADERS)),
    }
