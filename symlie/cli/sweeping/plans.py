"""What a sweep is to do: an ensemble for each system, one where no option of the model is varied."""

from __future__ import annotations

import itertools
import os
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from symlie.cli.common import system_of
from symlie.cli.steps import end_of, steps_of
from symlie.cli.sweeping.over import Over, Rows, Sampling, placed, stated_rows
from symlie.errors import SymlieError

if TYPE_CHECKING:
    from symlie.ensembles.plan import EnsemblePlan
    from symlie.runtime.integrate.request import RunWords
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
"""Options of members that move alone, with their names among the arguments."""

OF_REST = {"--t": "t", "--modes": "modes", "--along": "along"}
"""Options of members at rest alone."""

DEFAULT_MODES = 6
"""Modes where no other number is given."""


@dataclass(frozen=True)
class Planned:
    """What is to be done with members of one system.

    Attributes
    ----------
    plan
        The plan, which may have the first of them alone.
    members
        How many there are.
    line
        How many of them follow each other.
    """

    plan: EnsemblePlan
    members: int
    line: int


def plans_of(arguments: Namespace, first: int | None = None) -> dict[str, Planned]:
    """Plans by the name of their folder inside of that of the sweep; the only one has none.

    Parameters
    ----------
    arguments
        Those of the command.
    first
        About how many members the plans are to have, the first ones; default: all.

    Raises
    ------
    SymlieError
        Something stated can not be used by any member.
    """
    from symlie.ensembles.design import count_of
    from symlie.ensembles.plan import planned_ensemble
    from symlie.models.registry import option_names

    names = option_names(arguments.model)
    own: list[Over] = [o for o in arguments.over if o.name in names]
    others: list[Over] = [o for o in arguments.over if o.name not in names]
    choices = [o.options() for o in own]
    rows = stated_rows(others, Sampling(arguments.samples, arguments.seed, arguments.sampler), arguments.combine)
    if wrong := [name for name in rows if name in names]:
        raise SymlieError(f"'{wrong[0]}' is an option of the model, so it is varied by itself: --over {wrong[0]}=….")
    if twice := [o.name for k, o in enumerate(own) if o.name in [x.name for x in own[:k]]]:
        raise SymlieError(f"--over states '{twice[0]}' twice.")
    lengths = {name: len(values) for name, values in rows.items()} or {"": 1}
    count = count_of(lengths, arguments.combine)
    line = 1 if arguments.along is None else [*lengths.values()][-1]
    if first is not None:
        rows = first_rows(rows, arguments.combine, first)
    at, words = _asked(arguments)
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
            words=words,
        )
        plans[label] = Planned(plan, count, line)
    return plans


def first_rows(rows: Rows, combine: str, members: int) -> Rows:
    """Values of so many of the first members, or a few more.

    Parameters
    ----------
    rows
        Values by name.
    combine
        As in `symlie.ensemble`.
    members
        Number of members.
    """
    if combine != "grid":
        return {name: values[:members] for name, values in rows.items()}
    found: dict[str, Sequence[object] | Array] = {}
    for name in reversed([*rows]):  # the last one changes first
        found[name] = rows[name][: max(members, 1)]
        members = -(-members // max(len(found[name]), 1))
    return dict(reversed(found.items()))


def own_values(system: System) -> tuple[dict[str, object], dict[str, dict[str, object]]]:
    """What a single member has of its system: a parameter, or without parameters an initial value, as it is."""
    for name, (place, *_) in system.layout.parameters.items():
        return {name: [system.parameters[place]]}, {}
    (node, field), rows = next(iter(system.initial_fields.items()))
    return {}, {node: {field: [rows]}}


def _asked(arguments: Namespace) -> tuple[float, RunWords]:
    """The end of motions, or the time of loads on members at rest, in s; and the arguments of `solve`."""
    if arguments.of == "motion":
        if given := _given(arguments, OF_REST):
            raise SymlieError(f"{given} belongs to members at rest: --of equilibrium or --of modes.")
        return end_of(arguments), _words(arguments)
    if given := _given(arguments, OF_MOTION):
        raise SymlieError(f"{given} belongs to members that move, not to --of {arguments.of}.")
    words = _words(arguments)
    words["t_eval"], words["method_options"] = None, None
    return arguments.t or 0.0, words


def _given(arguments: Namespace, options: Mapping[str, str]) -> str:
    """The first of some options that was given."""
    return next((o for o, name in options.items() if getattr(arguments, name) not in (None, [])), "")


def _words(arguments: Namespace) -> RunWords:
    steps = steps_of(arguments)
    return {
        "method": arguments.method,
        "method_options": steps["method_options"],
        "h": steps["h"],
        "rtol": steps["rtol"],
        "atol": steps["atol"],
        "h0": steps["h0"],
        "controller": steps["controller"],
        "controller_options": steps["controller_options"],
        "t_eval": arguments.t_eval or [end_of(arguments)],
        "record_every": 1,
        "multipliers": arguments.multipliers,
        "stabilize": steps["stabilize"],
        "max_steps": arguments.max_steps,
    }
