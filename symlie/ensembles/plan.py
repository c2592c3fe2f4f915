"""What an ensemble is to do, checked before any member runs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from symlie.ensembles.chunk import Task, prepared_members, runs_together
from symlie.ensembles.design import stated_design
from symlie.ensembles.quantities import dimensions_of, recorded_quantities
from symlie.ensembles.statistics import check_statistics
from symlie.ensembles.store import EnsembleStore, begin_store
from symlie.ensembles.store_index import Quantity, StoreIndex
from symlie.ensembles.stored_task import write_task
from symlie.errors import ModelError
from symlie.runtime.integrate.compiled_method import CompiledMethod
from symlie.runtime.integrate.driver_library import kernel_sets
from symlie.runtime.integrate.request import Request, RunWords, requested
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.record import model_hash
from symlie.runtime.system.system import System
from symlie.showing import Brief


@dataclass(frozen=True, eq=False, repr=False)
class EnsemblePlan(Brief):
    """What an ensemble is to do.

    Attributes
    ----------
    task
        What is done with members.
    quantities
        What is recorded of each.
    settings
        The arguments of `solve` as JSON has them.
    statistics
        What is kept of the quantities in place of values; None for values.
    """

    task: Task
    quantities: tuple[Quantity, ...]
    settings: Mapping[str, object]
    statistics: Sequence[str] | None = None

    @property
    def index(self) -> StoreIndex:
        """What its store holds."""
        design = self.task.design
        return StoreIndex(
            hashlib.sha256(f"{design.digest} {json.dumps(self.settings, default=str)}".encode()).hexdigest(),
            model_hash(design.system),
            len(design),
            self.quantities,
            tuple(Quantity(name, "", _components(values)) for name, values in design.stated.items()),
            tuple(dict.fromkeys(e.name for e in design.system.layout.events)),
            {"solve": dict(self.settings), "shape": dict(design.shape), "model": design.system.name},
        )

    def begin(self, folder: str | Path) -> EnsembleStore:
        """The store of its results: a new one, or one of the same ensemble that is continued.

        Parameters
        ----------
        folder
            Where it is, or will be.

        Raises
        ------
        FormatError
            There is something else, or it can not be written.
        """
        times = self.task.times
        store = begin_store(folder, self.index, self.task.design.stated, times if len(times) else None)
        write_task(store.folder, self.task)
        return store


def planned_ensemble(
    system: System,
    t_span: tuple[float, float] | float,
    *,
    parameters: Mapping[str, object] | None,
    initial: Mapping[str, Mapping[str, object]] | None,
    inputs: Mapping[str, object] | None,
    combine: str,
    record: Sequence[str] | None,
    statistics: Sequence[str] | None,
    is_stored: bool,
    member_seconds: float | None,
    words: RunWords,
) -> EnsemblePlan:
    """Check what is asked of an ensemble, and find the code that it needs.

    Parameters
    ----------
    system, t_span, parameters, initial, inputs, combine, record, statistics, member_seconds
        As in `symlie.ensembles.ensemble.ensemble`.
    is_stored
        Whether results have a store.
    words
        The arguments of `solve`.

    Raises
    ------
    ModelError, UnknownNameError, UnsupportedMethodError
        Something stated can not be used by any member.
    """
    design = stated_design(system, parameters, initial, inputs, combine, is_stored=is_stored)
    t_eval = words["t_eval"]
    if record is not None and words["h"] is None and t_eval is None:
        raise ModelError(
            "Adaptive members have times of their own, so what is recorded of them needs t_eval; without record their "
            "ends are kept."
        )
    request = requested(system, t_span, **words)
    wanted = recorded_quantities(system.layout, record)
    if statistics is not None:
        check_statistics(system.layout, statistics, wanted)
        if is_stored:
            raise ModelError("A store keeps the values of members, of which statistics= keeps none; give one of them.")
    times = _times_of(request, t_eval)
    task = Task(design, t_span, words, wanted, times, member_seconds)
    for name in kernel_sets(request.method, system.layout):
        system.sets.files(name)  # which workers can not derive
    if system.backend == "c":
        CompiledMethod(system, request.method, request.control)
    dimensions = dimensions_of(design, wanted, prepared_members if runs_together(design) else None, len(times))
    quantities = tuple(Quantity(x.name, x.unit, dimensions[x.name]) for x in wanted)
    return EnsemblePlan(task, quantities, request.settings, statistics)


def _components(values: Array) -> dict[str, int]:
    """Dimensions of values of a parameter."""
    return {f"component_{size}": size for size in values.shape[1:]}


def _times_of(request: Request, t_eval: Sequence[float] | None) -> Array:
    """Times that all members record, in s; none where steps are adaptive and ``t_eval`` is not given."""
    if t_eval is not None:
        return np.array(t_eval, dtype=float)
    plan, every = request.plan, request.record_every
    if request.control.is_adaptive:
        return np.zeros(0)
    times, step = [np.array([request.t0])], 0
    for start, end, steps, recorded in zip(plan.start, plan.end, plan.steps, plan.record_end, strict=True):
        at = start + np.arange(1, steps + 1) * ((end - start) / steps)
        at[-1] = end
        kept = (step + np.arange(1, steps + 1)) % every == 0 if every else np.zeros(steps, dtype=bool)
        kept[-1] |= recorded
        times.append(at[kept])
        step += steps
    return np.concatenate(times)
