"""Reference solutions of models: JSON files with outputs and multipliers at some times."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from symlie.errors import FormatError, UnknownNameError
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.solution import Solution

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

TIME_TOLERANCE = 1e-12
"""Relative difference below which two times are considered equal."""


@dataclass(frozen=True, eq=False)
class ReferenceState:
    """Reference solution at one time."""

    source: str
    t: float
    outputs: dict[str, Array]
    multipliers: dict[str, Array]

    def errors(self, solution: Solution) -> dict[str, float]:
        """Return the Euclidean (for matrices Frobenius) error of the last record by output name, and the relative error
        of the multipliers."""
        outputs, multipliers = solution.outputs, solution.named_multipliers()
        errors = {
            name: float(np.linalg.norm(np.ravel(outputs[name][-1]) - known))
            for name, known in self.outputs.items()
            if name in outputs
        }
        shared = [name for name in self.multipliers if name in multipliers]
        if shared:
            known = np.concatenate([self.multipliers[name] for name in shared])
            found = np.concatenate([multipliers[name][-1] for name in shared])
            errors["multipliers"] = float(np.linalg.norm(found - known) / np.linalg.norm(known))
        if not errors:
            raise FormatError(f"The reference has none of the outputs of '{solution.system.name}'.")
        return errors


def read_reference(path: Path, t: float, options: Mapping[str, object]) -> ReferenceState:
    """Read the reference solution at a time in s, for the given options of the model."""
    try:
        data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        states = {float(time): state for time, state in data["states"].items()}
        needed: dict[str, object] = data.get("options", {})
    except FileNotFoundError:
        name = path.name.removesuffix("_reference.json")
        raise UnknownNameError(f"Model '{name}' has no reference solution ({path.name} next to the model).") from None
    except (ValueError, KeyError, AttributeError) as error:
        raise FormatError(f"{path} is not a reference solution ({error}).") from error
    for option, value in needed.items():
        if options.get(option, value) != value:
            raise UnknownNameError(f"The reference solution is valid only for the option {option}={value}.")
    for time, state in states.items():
        if abs(time - t) <= TIME_TOLERANCE * max(abs(time), abs(t)):
            return ReferenceState(data["source"], time, _arrays(state["outputs"]), _arrays(state["multipliers"]))
    raise UnknownNameError(
        f"The reference solution is known at t = {', '.join(f'{time:g}' for time in sorted(states))}, not at {t:g}."
    )


def _arrays(values: dict[str, ArrayLike]) -> dict[str, Array]:
    return {name: np.asarray(value, dtype=float).ravel() for name, value in values.items()}
