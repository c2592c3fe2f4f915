"""Results of a mechanism in SI units and the inertial frame of its description, whatever the writing of the model."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import symlie as sl
from tests.metamorphic import writing as w
from tests.metamorphic.building import Builder

BETWEEN = (0.033, 0.11, 0.16, 0.2)
"""Times of dense output, in s."""

STEP = 1 / 128
"""Length of fixed steps, in s."""


@dataclass
class Results:
    """Numbers by name, or the reason of a refusal."""

    numbers: dict[str, w.Array] = field(default_factory=dict)
    refusal: str = ""
    """Class of the error, and its message without names and numbers."""
    warnings: list[str] = field(default_factory=list)


def masked(text: str) -> str:
    """The beginning of a message without names, numbers and what depends on them."""
    words = re.sub(r"'[^']*'", "NAME", text)
    words = re.sub(r"[-+]?\d[\d.,]*(?:e[-+]?\d+)?", "N", words)
    return " ".join(words.split()[:6])


Run = Callable[[sl.System, dict[str, Any]], list[sl.Solution]]
"""Integrates a system with given options of `sl.solve`, in one part or several."""


def run_at_once(system: sl.System, options: dict[str, Any]) -> list[sl.Solution]:
    """One call of `sl.solve`."""
    return [sl.solve(system, **options)]


@dataclass(frozen=True)
class Way:
    """A way to compile and run a model.

    Attributes
    ----------
    run
        Integrates the system.
    backend, freeze
        Options of `Equations.compile`.
    adaptive
        Tolerance of adaptive steps, whose results are those of dense output; None for fixed steps.
    """

    run: Run = run_at_once
    backend: str = "numpy"
    freeze: str = ""
    adaptive: float | None = None


def observe(builder: Builder, way: Way = Way()) -> Results:
    """Build, run and read back."""
    found = Results()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            system = builder.with_inputs(builder.build().derive().compile(backend=way.backend, freeze=way.freeze or ()))
            _observe_motion(builder, found, system, way)
        except sl.errors.SymlieError as error:
            found.refusal = f"{type(error).__name__}: {masked(str(error))}"
    found.warnings = sorted({masked(str(c.message)) for c in caught if issubclass(c.category, sl.Notice)})
    return found


def _observe_motion(builder: Builder, found: Results, system: sl.System, way: Way) -> None:
    writing, duration = builder.writing, builder.mechanism.duration
    options: dict[str, Any] = {"t_span": tuple(writing.time([0.0, duration])), "multipliers": "index1"}
    if way.adaptive is None:
        options["h"] = float(writing.number(STEP, w.TIME))
    else:
        options |= {"rtol": way.adaptive, "atol": way.adaptive * 1e-3}
    parts = way.run(system, options)
    last = parts[-1]
    if way.adaptive is None:
        _read(builder, found, last, "")
    begin = float(writing.read_time(last.t[0]))
    _read(builder, found, last(writing.time([t for t in BETWEEN if t > begin])), "between ")
    events = [float(writing.read_time(event.t)) for part in parts for event in part.events]
    found.numbers["events"] = np.array(events)


def _read(builder: Builder, found: Results, solution: sl.Solution, label: str) -> None:
    name = builder.writing.name
    outputs = solution.outputs
    for own, read in builder.readers.items():
        if name(own) in outputs:
            found.numbers[label + own] = read(outputs[name(own)])
    for rod in (*builder.mechanism.rods, *builder.mechanism.strings):
        found.numbers[label + rod.name] = builder.writing.read_point(solution.field(name(rod.name), "x"))
    energy = builder.writing.read_number(outputs["energy"], w.ENERGY)
    found.numbers[label + "energy"] = energy - energy[-1]
