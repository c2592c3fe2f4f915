"""Headers of the template folder that generated C includes, by name: they lie in one folder where it is compiled."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from pathlib import Path

from symlie.contract.kernels import REAL, SYSTEM_KERNELS, Gather, prototypes
from symlie.paths import template_folder

KERNEL_HEADERS = ("real.h", "primitives.h", "interface.h", "system_kernels.h")
"""Headers that every model includes."""

ALGEBRA_HEADERS = {
    "fixed_algebra.h": ("fixed_algebra.h", "fixed_products.h"),
    "structured_algebra.h": ("structured_algebra.h", "complement.h", "tridiagonal.h"),
    "saddle_algebra.h": ("saddle_algebra.h", "fixed_products.h", "held_mass.h", "complement.h"),
}
"""Headers with linear algebra, each with those that it includes."""

ELIMINATION_HEADERS = {
    "dense": ("rows.h", "dense.h"),
    "band": ("rows.h", "band.h"),
    "blocks": ("rows.h", "panels.h", "blocks.h"),
}
"""Headers that eliminate in a kind of structure."""

OBSERVATION_HEADERS = (
    "vectors.h", "method.h", "carried.h", "dependent_rows.h", "stages.h", "observe.h", "interpolate.h",
)  # fmt: skip
"""Headers that the library of a model includes besides those, with the algebra of the model."""

DRIVER_HEADERS = (
    "vectors.h", "method.h", "carried.h", "dependent_rows.h", "stages.h", "projection.h", "trial.h", "drift.h",
    "stiffness.h", "event_samples.h", "step_interpolation.h", "event_zeros.h", "event_search.h", "events.h", "driver.h",
    "shorter_steps.h",
)  # fmt: skip
"""Headers that every time loop includes, besides the algebra of the model and the method."""


@functools.cache
def _headers() -> dict[str, Path]:
    return {path.name: path for path in (template_folder() / "c").rglob("*.h")}


@functools.cache
def _printed() -> dict[str, str]:
    """Headers that are printed from the contract."""
    return {"system_kernels.h": prototypes(tuple(k for k in SYSTEM_KERNELS if k.gather is not Gather.OWN))}


def included_headers(names: Iterable[str]) -> dict[str, str]:
    """Text of headers, of the template folder or printed."""
    return {name: _printed().get(name) or _headers()[name].read_text(encoding="utf-8") for name in names}


def declarations() -> str:
    """What a library exports, as one text without directives."""
    text = "".join(included_headers(("interface.h", "system_kernels.h")).values())
    return f"typedef double {REAL};\n" + "".join(
        line for line in text.splitlines(keepends=True) if not line.startswith("#")
    )
