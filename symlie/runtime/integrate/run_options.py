"""Options of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import Self, TypedDict, cast

from numpy.typing import ArrayLike

from symlie.errors import UnknownNameError
from symlie.options import ControllerName, Impacts, Multipliers, Redundant, Stabilization
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.chosen import MethodLike
from symlie.runtime.methods.controllers import Controller


class SolveOptions(TypedDict, total=False):
    """Keyword arguments that `solve` and `ensemble` share, as a typed dictionary.

    A dictionary with some of these keys, such as ``{"method": "bdf", "rtol": 1e-6}``, is passed as ``**options``.

    Attributes
    ----------
    method, method_options, h, rtol, atol, h0, controller, controller_options
        As in `solve`.
    t_eval, record_every, multipliers, stabilize, redundant, impacts, max_steps
        As in `solve`.
    """

    method: MethodLike | None
    method_options: Mapping[str, object] | None
    h: float | None
    rtol: ArrayLike | None
    atol: ArrayLike | None
    h0: float | None
    controller: ControllerName | Controller
    controller_options: Mapping[str, float] | None
    t_eval: Sequence[float] | Array | None
    record_every: int
    multipliers: Multipliers
    stabilize: Stabilization
    redundant: Redundant | None
    impacts: Impacts
    max_steps: int | None


@dataclass(frozen=True)
class RunOptions:
    """Options of `solve` that determine the steps and the recorded states, as there."""

    method: MethodLike | None = None
    method_options: Mapping[str, object] | None = None
    h: float | None = None
    rtol: ArrayLike | None = None
    atol: ArrayLike | None = None
    h0: float | None = None
    controller: ControllerName | Controller = "tumiotto2024"
    controller_options: Mapping[str, float] | None = None
    t_eval: Sequence[float] | Array | None = None
    record_every: int = 1
    multipliers: Multipliers = "stage"
    stabilize: Stabilization = "none"
    redundant: Redundant | None = None
    impacts: Impacts = "newton"
    max_steps: int | None = None
    trace: bool = False

    @classmethod
    def of(cls, arguments: Mapping[str, object]) -> Self:
        """Return some options, with defaults for others; raise UnknownNameError for other names."""
        names = [field.name for field in fields(cls)]
        unknown = next((name for name in arguments if name not in names), None)
        if unknown is not None:
            similar = get_close_matches(unknown, names, n=1)
            hint = f" Did you mean '{similar[0]}'?" if similar else ""
            raise UnknownNameError(f"Runs have no option '{unknown}' here.{hint} Options are: {', '.join(names)}.")
        return cls(**cast(SolveOptions, arguments))

    @property
    def arguments(self) -> SolveOptions:
        """The options as arguments of `solve`."""
        return cast(SolveOptions, dict(vars(self)))
