"""What a sweep is to do: an ensemble for each system, one where no option of the model is varied."""

from __future__ import annotations

import itertools
import os
from argparse import Namespace
from typing import TYPE_CHECKING

from symlie.cli.common import system_of
from symlie.cli.steps import end_of, steps_of
from symlie.cli.sweeping.over import Over, Sampling, placed, stated_rows
from symlie.errors import SymlieError

if TYPE_CHECKING:
    from symlie.ensembles.plan import EnsemblePlan
    from symlie.runtime.integrate.request import RunWords
    from symlie.runtime.system.system import System


def plans_of(arguments: Namespace) -> dict[str, EnsemblePlan]:
    """Plans by the name of their folder inside of that of the sweep; the only one has none.

    Raises
    ------
    SymlieError
        Something stated can not be used by any member.
    """
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
    plans = {}
    for values in itertools.product(*choices):
        chosen = {o.name: value for o, value in zip(own, values, strict=True)}
        system = system_of(arguments, **chosen)
        parameters, initial = placed(system, rows) if rows else own_values(system)
        label = ",".join(f"{name}={value}" for name, value in chosen.items()).replace(os.sep, "_")
        plans[label] = planned_ensemble(
            system,
            end_of(arguments),
            parameters=parameters,
            initial=initial,
            inputs=None,
            combine=arguments.combine,
            of="motion",
            modes=0,
            along=None,
            record=arguments.record,
            statistics=None,
            is_stored=arguments.out is not None,
            member_seconds=arguments.member_seconds,
            words=_words(arguments),
        )
    return plans


def own_values(system: System) -> tuple[dict[str, object], dict[str, dict[str, object]]]:
    """What a single member has of its system: a parameter, or without parameters an initial value, as it is."""
    for name, (place, *_) in system.layout.parameters.items():
        return {name: [system.parameters[place]]}, {}
    (node, field), rows = next(iter(system.initial_fields.items()))
    return {}, {node: {field: [rows]}}


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
