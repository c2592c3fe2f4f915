"""Source files of the library of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symlie.compile.headers import with_headers
from symlie.contract.constants import constants_header
from symlie.contract.sets import without_sets


def c_files(files: Mapping[str, str], model: str) -> dict[str, str]:
    """C source of a model without its additional kernel sets."""
    return {n: text for n, text in without_sets(files, model).items() if n.endswith((".c", ".h"))}


def library_files(files: Mapping[str, str], model: str, algebra: str) -> dict[str, str]:
    """Source files of the library of a model: ``library.c``, which is compiled, and its includes."""
    own = ["method.h", "start.h", "first_steps.h", "observe.h", "interpolate.h"]
    return _files(files, model, [algebra, *own])


def observer_files(files: Mapping[str, str], model: str, tables: Mapping[str, str]) -> dict[str, str]:
    """Source files of a library of a model that eliminates whole saddle point matrices, given by the headers
    ``tables``: ``library.c``, which evaluates quantities at states, and its includes."""
    return _files({**files, **tables}, model, ["saddle_algebra.h", "method.h", "observe.h", "interpolate.h"])


def _files(files: Mapping[str, str], model: str, further: Sequence[str]) -> dict[str, str]:
    includes = [f"{model}.c", "constants.h", *further]
    library = "#define SYMLIE_NO_STEPS\n" + "".join(f'#include "{name}"\n' for name in includes)
    return with_headers({**c_files(files, model), "library.c": library, **constants_header()})
