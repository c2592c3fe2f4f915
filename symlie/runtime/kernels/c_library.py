"""Source files of the library of a model."""

from __future__ import annotations

from collections.abc import Mapping

from symlie.compile.headers import with_headers
from symlie.contract.constants import constants_header
from symlie.contract.sets import without_sets


def c_files(files: Mapping[str, str], model: str) -> dict[str, str]:
    """C source of a model without its additional kernel sets."""
    return {n: text for n, text in without_sets(files, model).items() if n.endswith((".c", ".h"))}


def library_files(files: Mapping[str, str], model: str, algebra: str) -> dict[str, str]:
    """Source files of the library of a model: ``library.c``, which is compiled, and its includes."""
    own = ["method.h", "start.h", "first_steps.h", "observe.h", "interpolate.h"]
    includes = [f"{model}.c", "constants.h", algebra, *own]
    library = "#define SYMLIE_NO_STEPS\n" + "".join(f'#include "{name}"\n' for name in includes)
    return with_headers({**c_files(files, model), "library.c": library, **constants_header()})
