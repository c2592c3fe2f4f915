"""`ensemble`: many runs of one system with different parameters, initial states or inputs."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Unpack, get_args

from symlie.ensembles.outcome import Ensemble
from symlie.ensembles.plan import planned_ensemble
from symlie.ensembles.running import ChunkDone, run_members
from symlie.errors import ModelError
from symlie.options import Combine, Of, OnFailure, Statistic
from symlie.runtime.integrate.run_options import RunOptions, SolveOptions
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.system import System
from symlie.utilities.progress_bar import ProgressBar

WAIT = 30.0
"""Time within which a cluster must provide a worker, in s."""


class EnsembleOptions(SolveOptions, total=False):
    """Further keyword arguments of `ensemble`: options of `solve`, see `SolveOptions`, and of the execution.

    Attributes
    ----------
    executor
        An executor of `concurrent.futures`, or a Dask client; default: threads of this process.
    workers
        Number of threads; default: one for each processor. It cannot be combined with an executor.
    lanes
        Number of members that one processor core integrates together with SIMD instructions: 1, 2, 4, 8 or 16. The
        results do not depend on it. Default: as many numbers as a register holds, if the ensemble is so large that this
        saves more time than the compilation costs; otherwise 1.
    member_seconds
        Limit of the elapsed time of each integration, in s; default: none.
    wait
        Time within which a Dask cluster must provide a worker, in s; default: 30.
    """

    executor: object
    workers: int | None
    lanes: int | None
    member_seconds: float | None
    wait: float


def ensemble(
    system: System,
    t_span: tuple[float, float] | float,
    *,
    parameters: Mapping[str, object] | None = None,
    initial: Mapping[str, Mapping[str, object]] | None = None,
    inputs: Mapping[str, object] | None = None,
    combine: Combine = "zip",
    of: Of = "motion",
    modes: int = 6,
    along: str | None = None,
    record: Sequence[str] | None = None,
    statistics: Sequence[Statistic] | None = None,
    reference: Solution | None = None,
    store: str | Path | None = None,
    on_failure: OnFailure = "keep",
    progress: bool | Callable[[int, int], None] = False,
    **options: Unpack[EnsembleOptions],
) -> Ensemble:
    """Integrate an ensemble: one system with different parameters, initial values or inputs.

    Each member is bitwise identical to a single run with `solve`, independent of executor and order. A member that
    fails has a status, a message, and NaN at the times that it did not reach; the other members continue.

    Parameters
    ----------
    system
        The system, from `Equations.compile` or `load`.
    t_span
        As in `solve`; for ``of="equilibrium"`` and ``"modes"`` the time of the loads, in s.
    parameters
        Values by name of the parameter, as in `System.with_parameters`, members first: shape (n,) for scalars, (n,
        size) for vectors. `samples` draws them from distributions.
    initial
        Initial values by node and field, as in `System.with_initial`, members first.
    inputs
        For each input, a list with a table (times, values) or (times, values, interpolation) for each member; for each
        smooth table, a list with (points, values) for each member.
    combine
        ``"zip"``: value k of each name belongs to member k. ``"grid"``: all combinations of values; the value of the
        last name varies fastest.
    of
        ``"motion"``: solutions, as from `solve`. ``"equilibrium"``: static equilibria. ``"modes"``: equilibria and
        small motions about them, recorded as ``frequencies`` (Hz), ``damping_ratios`` (dimensionless) and
        ``growth_rate`` (1/s). `Ensemble.member` then returns an `Equilibrium` or a `Linearization`.
    modes
        Number of modes for ``of="modes"``, the slowest first.
    along
        For equilibria: name of the dimension along which each member starts from the equilibrium of the previous one
        (quasistatic load path), the last name of a grid, otherwise ``"member"``. `Ensemble.remarks` reports unstable
        members, and members between which the path folds.
    record
        Names of outputs, ``NODE.FIELD``, nodes, or ``multipliers_CONSTRAINT``; default: all outputs. Histories are
        recorded at ``t_eval``, or at every ``record_every``-th of the fixed steps. Without ``t_eval``, members with
        adaptive steps cannot have ``record``, and only their final outputs are recorded.
    statistics
        Some of ``"mean"``, ``"std"``, ``"min"``, ``"max"``, which replace the values of the members in the result. They
        are bitwise independent of the executor. They cannot be combined with ``store``.
    reference
        A solution near the members, which statistics of rotations and poses require: the ensemble accumulates
        statistics of log(reference⁻¹∘q) for nodes that are recorded as a whole, and `Ensemble.on_group` computes mean
        and standard deviation on the group from them.
    store
        Folder for the results, with one file for each finished chunk of members, for results larger than the memory. An
        existing folder of the same ensemble is continued.
    on_failure
        ``"keep"``: record failures. ``"raise"``: stop at the first member that fails.
    progress
        True: show a progress bar on a terminal or in a notebook, otherwise lines. Or a function of the number of
        finished members and the number of all members.
    **options
        Options of `solve` and of the execution, see `EnsembleOptions`.

    Returns
    -------
    Ensemble
        The results.

    Raises
    ------
    TypeError
        If an argument does not exist; the message contains the most similar name.
    ModelError, UnknownNameError, UnsupportedMethodError
        If an argument is invalid for all members.
    MemberFailedError
        If a member fails and ``on_failure="raise"``.
    FormatError
        If the store belongs to a different ensemble, is damaged, or cannot be written.
    MissingDependencyError
        If a store is requested and neither netCDF4 nor h5netcdf is installed.
    ExecutorError
        If the executor is invalid, accepts no work, or has no workers.
    WorkerLostError
        If a worker of an executor other than a process pool or a Dask cluster dies.
    InterruptedEnsembleError
        After Ctrl-C; its ``result`` contains the finished members.
    """
    for name in options:
        if name not in EnsembleOptions.__optional_keys__:
            raise _unexpected(name)
    if on_failure not in get_args(OnFailure):
        raise ModelError(f"on_failure must be 'keep' or 'raise', not {on_failure!r}.")
    if not isinstance(system, System):
        raise ModelError(f"A {type(system).__name__} is not a system; use the result of model.derive().compile().")
    run = RunOptions.of({name: value for name, value in options.items() if name in SolveOptions.__optional_keys__})
    if run.redundant is not None:
        system, run = system.with_redundant(run.redundant), replace(run, redundant=None)
    if run.t_eval is not None:
        run = replace(run, t_eval=[float(t) for t in run.t_eval])
    elif run.h is None:
        run = replace(run, record_every=0)
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
        member_seconds=options.get("member_seconds"),
        lanes=options.get("lanes"),
        options=run,
    )
    kept = None if store is None else plan.begin(store)
    with _shown(progress, system.name, len(plan.task.design)) as chunk_done:
        return run_members(
            plan,
            kept,
            executor=options.get("executor"),
            workers=options.get("workers"),
            on_failure=on_failure,
            wait=options.get("wait", WAIT),
            chunk_done=chunk_done,
        )


def _unexpected(name: str) -> TypeError:
    """Return the `TypeError` for an unknown argument, worded as by Python, with the nearest name."""
    from difflib import get_close_matches

    known = [*inspect.signature(ensemble).parameters, *EnsembleOptions.__optional_keys__]
    similar = get_close_matches(name, known, n=1)
    hint = f". Did you mean {similar[0]!r}?" if similar else ""
    return TypeError(f"ensemble() got an unexpected keyword argument {name!r}{hint}")


@contextlib.contextmanager
def _shown(progress: bool | Callable[[int, int], None], label: str, count: int) -> Iterator[ChunkDone]:
    """Yield the progress callback for finished chunks."""
    if callable(progress):
        told = progress
        yield lambda found, done: told(done, count)
    elif progress:
        with ProgressBar(label, total=count, plain=None) as bar:
            yield lambda found, done: bar(done, f"{done} of {count} members")
    else:
        yield lambda found, done: None
