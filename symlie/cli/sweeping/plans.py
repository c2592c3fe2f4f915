"""Plans of a sweep: one ensemble for each combination of varied model options."""

from __future__ import annotations

import itertools
import os
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from symlie.cli.common import system_of
from symlie.cli.steps import end_of, steps_of
from symlie.cli.sweeping.over import Over, Rows, Sampling, placed, stated_rows
from symlie.errors import SymlieError

if TYPE_CHECKING:
    from symlie.ensembles.plan import EnsemblePlan
    from symlie.runtime.integrate.run_options import RunOptions
    from symlie.runtime.layout.layout import Array
    from symlie.runtime.system.system import System

OF_MOTION = {
    "--method": "method",
    "--method-option": "method_options",
    "--h": "h",
    "--rtol": "rtol",
    "--atol": "atol",
    "--h0": "h0",
    "--controller-option": "controller_options",
    "--max-steps": "max_steps",
    "--t-end": "t_end",
    "--t-eval": "t_eval",
    "--member-seconds": "member_seconds",
    "--lanes": "lanes",
}
"""Options for moving members only, with their argument names."""

OF_REST = {"--t": "t", "--modes": "modes", "--along": "along"}
"""Options for static members only."""

DEFAULT_MODES = 6
"""Default number of modes."""


@dataclass(frozen=True)
class Planned:
    """Plan of the members of one system."""

    plan: EnsemblePlan
    """The plan, possibly of the first members only."""
    members: int
    """Number of all members."""
    line: int
    """Number of members of a load path."""


def plans_of(arguments: Namespace, first: int | None = None) -> dict[str, Planned]:
    """Return plans by the name of their subfolder (empty for a single plan), optionally for about `first` members."""
    from symlie.ensembles.design import count_of
    from symlie.ensembles.plan import planned_ensemble
    from symlie.models.registry import option_names

    names = option_names(arguments.model)
    own: list[Over] = [o for o in arguments.over if o.name in names]
    others: list[Over] = [o for o in arguments.over if o.name not in names]
    choices = [o.options() for o in own]
    rows = stated_rows(others, Sampling(arguments.samples, arguments.seed, arguments.sampler), arguments.combine)
    if wrong := [name for name in rows if name in names]:
        raise SymlieError(f"'{wrong[0]}' is an option of the model, so it is varied separately: --over {wrong[0]}=….")
    if twice := [o.name for k, o in enumerate(own) if o.name in [x.name for x in own[:k]]]:
        raise SymlieError(f"--over defines '{twice[0]}' twice.")
    lengths = {name: len(values) for name, values in rows.items()} or {"": 1}
    count = count_of(lengths, arguments.combine)
    line = 1 if arguments.along is None else [*lengths.values()][-1]
    if first is not None:
        rows = first_rows(rows, arguments.combine, first)
    at, options = _asked(arguments)
    plans = {}
    for values in itertools.product(*choices):
        chosen = {o.name: value for o, value in zip(own, values, strict=True)}
        system = system_of(arguments, **chosen)
        parameters, initial = placed(system, rows) if rows else own_values(system)
        label = ",".join(f"{name}={value}" for name, value in chosen.items()).replace(os.sep, "_")
        plan = planned_ensemble(
            system,
            at,
            parameters=parameters,
            initial=initial,
            inputs=None,
            combine=arguments.combine,
            of=arguments.of,
            modes=DEFAULT_MODES if arguments.modes is None else arguments.modes,
            along=arguments.along,
            record=arguments.record,
            statistics=arguments.statistics,
            reference=None,
            is_stored=arguments.out is not None,
            member_seconds=arguments.member_seconds,
            lanes=arguments.lanes,
            options=options,
        )
        plans[label] = Planned(plan, count, line)
    return plans


def first_rows(rows: Rows, combine: str, members: int) -> Rows:
    """Return the values of the first members, at least the requested number."""
    if combine != "grid":
        return {name: values[:members] for name, values in rows.items()}
    found: dict[str, Sequence[object] | Array] = {}
    for name in reversed([*rows]):  # the last name varies fastest
        found[name] = rows[name][: max(members, 1)]
        members = -(-members // max(len(found[name]), 1))
    return dict(reversed(found.items()))


def own_values(system: System) -> tuple[dict[str, object], dict[str, dict[str, object]]]:
    """Return the data of a single unchanged member: one parameter or, without parameters, an initial value."""
    for name, (place, *_) in system.layout.parameters.items():
        return {name: [system.parameters[place]]}, {}
    (node, field), rows = next(iter(system.initial_fields.items()))
    return {}, {node: {field: [rows]}}


def _asked(arguments: Namespace) -> tuple[float, RunOptions]:
    """Return the end time of motions or the time of static loads, in s, and the options of runs."""
    if arguments.of == "motion":
        if given := _given(arguments, OF_REST):
            raise SymlieError(f"{given} applies to equilibria; use --of equilibrium or --of modes.")
        return end_of(arguments), _options(arguments)
    if given := _given(arguments, OF_MOTION):
        raise SymlieError(f"{given} applies to simulations, not to --of {arguments.of}.")
    return arguments.t or 0.0, replace(_options(arguments), t_eval=None, method_options=None)


def _given(arguments: Namespace, options: Mapping[str, str]) -> str:
    """Return the first given option, or an empty string."""
    return next((o for o, name in options.items() if getattr(arguments, name) not in (None, [])), "")


def _options(arguments: Namespace) -> RunOptions:
    from symlie.runtime.integrate.run_options import RunOptions

    return RunOptions(
        **steps_of(arguments),
        method=arguments.method,
        t_eval=arguments.t_eval or [end_of(arguments)],
        multipliers=arguments.multipliers,
    )
