"""Headers of the template folder that generated C includes, by name: all are in one folder for compilation."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping

from symlie.contract.kernels import LANE, REAL, SCALAR, SYSTEM_KERNELS, Gather, prototypes
from symlie.utilities.paths import template_folder

_INCLUDE = re.compile(r'^#include "(.+)"$', re.MULTILINE)


@functools.cache
def _headers() -> dict[str, str]:
    """Return the text of headers by name; prototypes of kernels are printed from the contract."""
    headers = {path.name: path.read_text(encoding="utf-8") for path in (template_folder() / "c").rglob("*.h")}
    return headers | {"system_kernels.h": prototypes(tuple(k for k in SYSTEM_KERNELS if k.gather is not Gather.OWN))}


def with_headers(files: Mapping[str, str]) -> dict[str, str]:
    """Return source files with all headers that they include directly or indirectly."""
    known, texts = dict(files), list(files.values())
    while texts:
        for name in _INCLUDE.findall(texts.pop()):
            if name not in known and name in _headers():
                known[name] = _headers()[name]
                texts.append(known[name])
    return known


def declarations() -> str:
    """Return all exports of a library as one text without directives."""
    text = _headers()["interface.h"] + _headers()["system_kernels.h"]
    return "".join(f"typedef double {name};\n" for name in (REAL, SCALAR, LANE)) + "".join(
        line for line in text.splitlines(keepends=True) if not line.startswith("#")
    )
