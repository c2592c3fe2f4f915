"""Results of a mechanism in SI units and the inertial frame of its description, for any statement of the model."""

from __future__ import annotations

import re
import shutil
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import symlie as sl
from tests.metamorphic import writing as w
from tests.metamorphic.building import Builder
from tests.metamorphic.drawing import drawn
from tests.metamorphic.resting import Statics

BETWEEN = (0.033, 0.11, 0.16, 0.2)
"""Times of dense output, in s."""

STEP = 1 / 128
"""Length of fixed steps, in s."""

BACKEND = "c" if any(map(shutil.which, ("cc", "gcc", "clang"))) else "numpy"
"""Backend of all runs unless a transformation changes it: compiling takes less time than steps in NumPy."""

DRAWN = 4
"""Each n-th mechanism is drawn, too."""


@dataclass
class Results:
    """Numbers by name, or the reason of a refusal."""

    numbers: dict[str, w.Array] = field(default_factory=dict)
    refusal: str = ""
    """Class of the error, and its message without names and numbers."""
    warnings: list[str] = field(default_factory=list)
    statics: Statics | None = None
    """Searches for equilibria; None for refusals."""


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
    backend: str = BACKEND
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
            found.statics = Statics(builder, system)
        except sl.errors.SymlieError as error:
            found.refusal = f"{type(error).__name__}: {masked(str(error))}"
    found.warnings = sorted({masked(str(c.message)) for c in caught if issubclass(c.category, sl.SymlieWarning)})
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
        if int(builder.mechanism.seed) % DRAWN == 1:
            _read_figure(builder, found, last)
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
    multipliers = solution.named_multipliers()
    for own, read in builder.multipliers.items():
        found.numbers[f"{label}multipliers of {own}"] = read(multipliers[name(own)])
    for curve in builder.curves:
        found.numbers[label + curve] = builder.writing.read_point(solution.field(name(curve), "x"))
    energy = builder.writing.read_number(outputs["energy"], w.ENERGY)
    found.numbers[label + "energy"] = energy - energy[-1]


def _read_figure(builder: Builder, found: Results, solution: sl.Solution) -> None:
    """Outputs of a body, and of a joint, as a figure shows them."""
    body = builder.mechanism.crossings[0].body
    names = [f"{body}_place", f"{body}_spin", *(f"{joint.name}_force" for joint in builder.mechanism.joints[:1])]
    times, values, marks = drawn(solution, [builder.writing.name(name) for name in names])
    found.numbers["drawn times"] = builder.writing.read_time(times)
    found.numbers["drawn events"] = builder.writing.read_time(marks)
    for name, shown in zip(names, values, strict=True):
        found.numbers[f"drawn {name}"] = builder.readers[name](shown)
