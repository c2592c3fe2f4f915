"""`ensemble`: many runs of one system, with other parameters, initial states or inputs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from symlie.ensembles.outcome import Ensemble
from symlie.ensembles.plan import planned_ensemble
from symlie.ensembles.running import ChunkDone, run_members
from symlie.errors import ModelError
from symlie.progress_bar import ProgressBar
from symlie.runtime.integrate.request import RunWords
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.chosen import MethodLike
from symlie.runtime.methods.controllers import Controller
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.system import System

WAIT = 30.0
"""Time in which a cluster must have a worker, in s."""


def ensemble(
    system: System,
    t_span: tuple[float, float] | float,
    *,
    parameters: Mapping[str, object] | None = None,
    initial: Mapping[str, Mapping[str, object]] | None = None,
    inputs: Mapping[str, object] | None = None,
    combine: str = "zip",
    of: str = "motion",
    modes: int = 6,
    along: str | None = None,
    record: Sequence[str] | None = None,
    statistics: Sequence[str] | None = None,
    reference: Solution | None = None,
    store: str | Path | None = None,
    executor: object = None,
    workers: int | None = None,
    lanes: int | None = None,
    on_failure: str = "keep",
    member_seconds: float | None = None,
    wait: float = WAIT,
    progress: bool | Callable[[int, int], None] = False,
    method: MethodLike | None = None,
    method_options: Mapping[str, object] | None = None,
    h: float | None = None,
    rtol: float | Array | None = None,
    atol: float | Array | None = None,
    h0: float | None = None,
    controller: str | Controller = "tumiotto2024",
    controller_options: Mapping[str, float] | None = None,
    t_eval: Sequence[float] | Array | None = None,
    record_every: int = 1,
    multipliers: str = "stage",
    stabilize: str = "none",
    redundant: str | None = None,
    max_steps: int | None = None,
) -> Ensemble:
    """Integrate members of an ensemble: one system with other parameters, initial states or inputs.

    Each member has the bits that `solve` gives it alone, whatever executes it, in whatever order. Members that fail
    have a status and a sentence, and NaN after the failure; the others go on.

    Parameters
    ----------
    system
        The system.
    t_span
        As in `solve`.
    parameters
        Values by name of the parameter, as in `System.with_parameters`, members first: shape (n,) of numbers, (n, size)
        of vectors; `samples` draws them.
    initial
        Initial values by node and field, as in `System.with_initial`, members first.
    inputs
        By input a list of tables (times, values) or (times, values, interpolation), one for each member; by smooth
        table a list of its points (points, values).
    combine
        ``"zip"``: row k of everything belongs to member k. ``"grid"``: all combinations, in the order in which names
        are given, the last one changing first.
    of
        ``"motion"``: what `solve` gives. ``"equilibrium"``: static equilibria, with loads as they are at the time
        ``t_span``. ``"modes"``: those and the small motions about them, recorded as ``frequencies`` (Hz),
        ``damping_ratios`` and ``growth_rate`` (1/s); `member` then gives an `Equilibrium` or a `Linearization`.
    modes
        Number of modes, the slowest first.
    along
        Name of a dimension along which each member starts from the equilibrium of the one before, so that a load path
        is a quasistatic run; with a grid the last name, else ``"member"``. Members that are not stable, and those from
        which the path does not lead back, say so in `Ensemble.remarks`.
    record
        Names of outputs, ``NODE.FIELD``, nodes, or ``multipliers_CONSTRAINT``. Default: all outputs. Histories are
        recorded at ``t_eval`` or with fixed steps; adaptive members without ``t_eval`` keep their end.
    statistics
        Some of ``"mean"``, ``"std"``, ``"min"``, ``"max"``: what is kept of the recorded quantities in place of the
        values of members. Members are added in their order, so bits do not depend on chunks.
    reference
        A solution near the members, for statistics of nodes that are recorded as a whole and have rotations or poses:
        these are of log(reference⁻¹∘q), and `Ensemble.on_group` tells their mean on the group and the spread about it.
    store
        A folder for the results, one file for each finished chunk; needed where results do not fit into memory. A
        folder of the same ensemble is continued.
    executor
        None: threads of this process. Any executor of `concurrent.futures`, or a client of Dask.
    workers
        Number of threads; default: one for each processor.
    lanes
        How many members go side by side in vector registers, 1, 2, 4, 8 or 16, each with the bits that it has alone.
        Default: as many as registers hold, where that gains more than it takes to compile the loop once more.
    on_failure
        ``"keep"``, or ``"raise"``: stop at the first member that fails.
    member_seconds
        Time that a member may take, in s.
    wait
        Time in which a cluster of Dask must have a worker, in s.
    progress
        True: a bar on a terminal or in a notebook, else lines. Or a function that is called with the number of members
        that are done and that of all.
    method, method_options, h, rtol, atol, h0, controller, controller_options
        As in `solve`.
    t_eval, record_every, multipliers, stabilize, redundant, max_steps
        As in `solve`.

    Returns
    -------
    Ensemble
        The results.

    Raises
    ------
    ModelError, UnknownNameError, UnsupportedMethodError
        Something stated can not be used by any member.
    FormatError
        The store is another one, damaged, or can not be written.
    ExecutorError
        The executor takes no work.
    InterruptedEnsembleError
        Ctrl-C; its ``result`` has the members that were done.
    """
    if on_failure not in ("keep", "raise"):
        raise ModelError(f"on_failure is 'keep' or 'raise', not {on_failure!r}.")
    if not isinstance(system, System):
        raise ModelError(f"A {type(system).__name__} has no members; take the system of model.derive().compile().")
    if redundant is not None:
        system = system.with_redundant(redundant)
    words: RunWords = {
        "method": method,
        "method_options": method_options,
        "h": h,
        "rtol": rtol,
        "atol": atol,
        "h0": h0,
        "controller": controller,
        "controller_options": controller_options,
        "t_eval": None if t_eval is None else [float(t) for t in t_eval],
        "record_every": record_every if h is not None or t_eval is not None else 0,
        "multipliers": multipliers,
        "stabilize": stabilize,
        "max_steps": max_steps,
    }
    plan = planned_ensemble(
        system,
        t_span,
        parameters=parameters,
        initial=initial,
        inputs=inputs,
        combine=combine,
        of=of,
        modes=modes,
        along=along,
        record=record,
        statistics=statistics,
        reference=reference,
        is_stored=store is not None,
        member_seconds=member_seconds,
        lanes=lanes,
        words=words,
    )
    kept = None if store is None else plan.begin(store)
    with _shown(progress, system.name, len(plan.task.design)) as chunk_done:
        return run_members(
            plan, kept, executor=executor, workers=workers, on_failure=on_failure, wait=wait, chunk_done=chunk_done
        )


@contextlib.contextmanager
def _shown(progress: bool | Callable[[int, int], None], label: str, count: int) -> Iterator[ChunkDone]:
    """What is called for each chunk, so that users see how far the ensemble is."""
    if callable(progress):
        told = progress
        yield lambda found, done: told(done, count)
    elif progress:
        with ProgressBar(label, total=count, plain=None) as bar:
            yield lambda found, done: bar(done, f"{done} of {count} members")
    else:
        yield lambda found, done: None
