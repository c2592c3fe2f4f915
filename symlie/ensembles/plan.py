"""Plan of an ensemble, validated before any member runs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import get_args

import numpy as np

from symlie.compile.compiler import vector_numbers
from symlie.ensembles.design import Design, stated_design
from symlie.ensembles.group_statistics import GroupSums, NodeGroup, reference_configurations
from symlie.ensembles.motions import MotionTask, prepared_members, runs_together
from symlie.ensembles.quantities import Recorded, dimensions_of, recorded_quantities
from symlie.ensembles.rest import RestTask
from symlie.ensembles.statistics import check_statistics
from symlie.ensembles.store import EnsembleStore, begin_store
from symlie.ensembles.store_index import Quantity, StoreIndex, group_records
from symlie.ensembles.stored_task import write_task
from symlie.errors import ModelError, UnknownNameError
from symlie.options import Combine, Of, Statistic
from symlie.runtime.integrate.compiled_method import CompiledMethod
from symlie.runtime.integrate.driver_library import kernel_sets
from symlie.runtime.integrate.lanes import lanes_for
from symlie.runtime.integrate.request import Request, requested
from symlie.runtime.integrate.run_options import RunOptions
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.record import model_hash
from symlie.runtime.system.system import System
from symlie.utilities.number_checks import is_number, is_whole_number
from symlie.utilities.showing import Brief

OF = get_args(Of)
"""Kinds of results of members."""

FILE_BYTES = 35_000
"""Size of a file of members without values."""

COLUMN_BYTES = 73
"""Size of a member without values: number, status, texts, steps, times."""


@dataclass(frozen=True, eq=False, repr=False)
class EnsemblePlan(Brief):
    """Plan of an ensemble."""

    task: MotionTask | RestTask
    """Task of the members."""
    quantities: tuple[Quantity, ...]
    """Recorded quantities of each member."""
    settings: Mapping[str, object]
    """Arguments of `solve` in JSON form."""
    statistics: Sequence[Statistic] | None = None
    """Statistics that replace the values of quantities, or None."""
    on_groups: Mapping[str, str] = field(default_factory=dict)
    """Quantities on groups with their nodes, for statistics about the reference."""
    reference: Array = field(default_factory=lambda: np.zeros((0, 0)))
    """Configurations of the reference, shape (times, storage)."""

    def group_sums(self) -> dict[str, GroupSums]:
        """Return empty sums, by node."""
        system = self.task.design.system
        nodes = dict.fromkeys(self.on_groups.values())
        return {node: GroupSums(NodeGroup(system, node), self.reference) for node in nodes}

    @property
    def index(self) -> StoreIndex:
        """Index of the store."""
        design = self.task.design
        return StoreIndex(
            hashlib.sha256(f"{design.digest} {json.dumps(self.settings, default=str)}".encode()).hexdigest(),
            model_hash(design.system),
            len(design),
            self.quantities,
            tuple(Quantity(name, "", _components(values)) for name, values in design.stated.items()),
            tuple(dict.fromkeys(e.name for e in design.system.layout.events)),
            {
                "solve": dict(self.settings),
                "shape": dict(design.shape),
                "model": design.system.name,
                "groups": group_records(design.system.layout, self.quantities),
            },
        )

    def begin(self, folder: str | Path) -> EnsembleStore:
        """Create or continue the store of the results, or raise `FormatError` if the folder has different content."""
        times = self.task.times
        store = begin_store(folder, self.index, self.task.design.stated, times if len(times) else None)
        write_task(store.folder, self.task)
        return store

    def stored_bytes(self, members: int, files: float) -> float:
        """Estimate the size of a store, in bytes; the plan may contain only the first of its members."""
        design = self.task.design
        given = sum(values.nbytes for values in design.stated.values())
        own = design.parameters.nbytes + sum(rows.nbytes for rows in (*design.elements, *design.initial.values()))
        each = (2 * given + own) / len(design) + sum(8 * int(np.prod(q.shape)) for q in self.quantities) + COLUMN_BYTES
        return members * each + (files + 1) * FILE_BYTES


def planned_ensemble(
    system: System,
    t_span: tuple[float, float] | float,
    *,
    parameters: Mapping[str, object] | None,
    initial: Mapping[str, Mapping[str, object]] | None,
    inputs: Mapping[str, object] | None,
    combine: Combine,
    of: Of,
    modes: int,
    along: str | None,
    record: Sequence[str] | None,
    statistics: Sequence[Statistic] | None,
    reference: Solution | None,
    is_stored: bool,
    member_seconds: float | None,
    lanes: int | None,
    options: RunOptions,
) -> EnsemblePlan:
    """Validate the arguments of an ensemble, and generate the code that it needs."""
    design = stated_design(system, parameters, initial, inputs, combine, is_stored=is_stored)
    wanted = recorded_quantities(system.layout, record)
    on_groups: dict[str, str] = {}
    if statistics is not None:
        on_groups = check_statistics(system.layout, statistics, wanted, has_reference=reference is not None)
        if is_stored:
            raise ModelError(
                "A store records the values of members, and statistics= only their statistics; give one of them."
            )
    if reference is not None and not on_groups:
        raise ModelError("A reference requires statistics of nodes on groups; record such a node, with statistics=.")
    if of != "motion":
        plan = EnsemblePlan(*_rest(design, t_span, of, modes, along, options, wanted), statistics)
        return _with_reference(plan, on_groups, reference)
    t_eval = options.t_eval
    if record is not None and options.h is None and t_eval is None:
        raise ModelError(
            "Adaptive members have different step times, so record= requires t_eval; without record, final outputs "
            "are recorded."
        )
    request = requested(system, t_span, options)
    for name in kernel_sets(request.method, system.layout):
        system.sets.files(name)  # workers cannot derive
    side_by_side = _lanes(design, request, member_seconds, lanes)
    if system.backend == "c":
        compiled = CompiledMethod(system, request.method, request.control)
        if (here := side_by_side or vector_numbers(system.optimize)) > 1:
            compiled.lanes_library(system, here)
    task = MotionTask(design, t_span, options, wanted, _times_of(request, t_eval), member_seconds, side_by_side)
    plan = EnsemblePlan(task, _quantities(task, wanted), request.settings, statistics)
    return _with_reference(plan, on_groups, reference)


def _with_reference(plan: EnsemblePlan, on_groups: Mapping[str, str], reference: Solution | None) -> EnsemblePlan:
    """Return the plan with the reference configurations of statistics on groups."""
    if reference is None:
        return plan
    q = reference_configurations(reference, plan.task.design.system, plan.task.times)
    return replace(plan, on_groups=on_groups, reference=q)


def _lanes(design: Design, request: Request, member_seconds: float | None, wanted: int | None) -> int | None:
    """Return the number of SIMD lanes; 1 for members with a time limit or with different stop times."""
    alone = {
        "member_seconds limits the time of each member": member_seconds is not None,
        "members are integrated individually": not runs_together(design),
    }
    reason = next((reason for reason, holds in alone.items() if holds), None)
    if reason is None:
        return lanes_for(design.system, request, len(design), wanted)
    if wanted is not None and wanted != 1:
        raise ModelError(f"Members cannot be integrated in SIMD lanes, because {reason}; omit lanes.")
    return 1


def _rest(
    design: Design,
    t_span: tuple[float, float] | float,
    of: Of,
    modes: int,
    along: str | None,
    options: RunOptions,
    wanted: tuple[Recorded, ...],
) -> tuple[RestTask, tuple[Quantity, ...], dict[str, object]]:
    """Return the task of static members, the recorded quantities, and the settings that identify the task."""
    if of not in OF:
        raise UnknownNameError(f"Unknown of '{of}'; use one of: {', '.join(OF)}.")
    if isinstance(t_span, tuple) or not is_number(t_span):
        raise ModelError(f"Equilibria are computed at one time, not at {t_span!r}.")
    named = ("method", "method_options", "h", "rtol", "atol", "h0", "t_eval", "max_steps")
    if given := [name for name in named if getattr(options, name) is not None]:
        raise ModelError(f"{given[0]} applies to simulations, not to of='{of}'.")
    if not is_whole_number(modes) or modes < 1:
        raise ModelError(f"The number of modes must be a positive whole number, not {modes!r}.")
    last = list(design.shape)[-1]
    if along is not None and along != last:
        raise ModelError(f"Members follow each other along the last dimension, '{last}', not along '{along}'.")
    line = design.shape[last] if along is not None else 1
    for name in ("newton", "tangent"):
        design.system.sets.files(name)
    task = RestTask(design, float(t_span), wanted, modes if of == "modes" else 0, line)
    return task, _quantities(task, wanted), {"of": of, "t": float(t_span), "modes": task.modes, "line": line}


def _quantities(task: MotionTask | RestTask, wanted: tuple[Recorded, ...]) -> tuple[Quantity, ...]:
    """Return the quantities in the results of each member."""
    serves_all = isinstance(task, MotionTask) and runs_together(task.design)
    dimensions = dimensions_of(task.design, wanted, prepared_members if serves_all else None, len(task.times))
    found = [Quantity(x.name, x.unit, dimensions[x.name]) for x in wanted]
    if isinstance(task, RestTask):
        units = {"frequencies": "Hz", "growth_rate": "1/s"}
        found += [
            Quantity(name, units.get(name, ""), dict(zip(("mode",), shape, strict=False)))
            for name, shape in task.shapes.items()
        ]
    return tuple(found)


def _components(values: Array) -> dict[str, int]:
    """Return the dimensions of the values of a parameter."""
    return {f"component_{size}": size for size in values.shape[1:]}


def _times_of(request: Request, t_eval: Sequence[float] | Array | None) -> Array:
    """Return the times that all members record, in s; empty for adaptive steps without ``t_eval``."""
    if t_eval is not None:
        return np.array(t_eval, dtype=float)
    plan, every = request.plan, request.record_every
    if request.control.is_adaptive:
        return np.zeros(0)
    times, step = [np.array([request.t0])], 0
    for start, end, steps, recorded in zip(plan.start, plan.end, plan.steps, plan.record_end, strict=True):
        if not start < end:
            times.append(np.full(int(recorded), end))
            continue
        at = start + np.arange(1, steps + 1) * ((end - start) / steps)
        at[-1] = end
        kept = (step + np.arange(1, steps + 1)) % every == 0 if every else np.zeros(steps, dtype=bool)
        kept[-1] |= recorded
        times.append(at[kept])
        step += steps
    return np.concatenate(times)
