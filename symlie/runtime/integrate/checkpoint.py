"""Checkpoints: an interrupted or killed run resumes bitwise identically."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from symlie.errors import CheckpointError, ModelError
from symlie.runtime.integrate.c_loop import CompiledIntegration
from symlie.runtime.integrate.checkpoint_content import (
    NOTHING,
    lengths,
    new_records,
    read_records,
    state_bytes,
    state_of,
)
from symlie.runtime.integrate.checkpoint_controllers import ControllerRecords, recorded_sampling
from symlie.runtime.integrate.checkpoint_file import CheckpointFile, Content, read_checkpoint
from symlie.runtime.integrate.loop_state import LoopState
from symlie.runtime.integrate.progress import Progress
from symlie.runtime.integrate.run import MULTIPLIERS, Run, execute
from symlie.runtime.integrate.segments import Plan
from symlie.runtime.integrate.simulation.controlled_loop import ControlledLoop
from symlie.runtime.integrate.time_loop import RunLoop
from symlie.runtime.methods.chosen import recorded_method
from symlie.runtime.methods.controllers import StepControl
from symlie.runtime.solution.checks import check_array, check_fields, check_start, check_times
from symlie.runtime.solution.provenance import check_identity, check_sources, identity
from symlie.runtime.solution.recorder import Recorder
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.record import recorded_system, system_record
from symlie.runtime.system.values import Timings
from symlie.utilities.reading import reading
from symlie.utilities.trust import check_trust

SECONDS = 10.0
"""Default time between two checkpoints, in s."""


_LIBRARY = "the compiled code (its text, the compiler, or its flags)"


class CheckpointKeeper:
    """Writer of the state of a run to a file whenever a checkpoint is due; a context manager that closes the file."""

    def __init__(
        self,
        file: CheckpointFile,
        run: Run,
        recorder: Recorder,
        seconds: float,
        controllers: ControllerRecords | None,
    ) -> None:
        self._file, self._run, self._seconds, self._controllers = file, run, seconds, controllers
        self._written = lengths(recorder)
        self._last = time.monotonic()

    def is_due(self) -> bool:
        """Return whether a checkpoint is due."""
        return time.monotonic() - self._last >= self._seconds

    def keep(self, state: LoopState, recorder: Recorder) -> None:
        """Write a checkpoint now; raise `CheckpointError` if the file is not writable or a controller cannot be
        pickled."""
        records = new_records(recorder, self._written)
        if self._controllers is not None:
            try:
                records += self._controllers.new()
            except ModelError as error:
                raise CheckpointError(f"{error} The solution so far is attached.") from error
        self._file.append(_state_bytes(self._run, state), records)
        self._written = lengths(recorder)
        self._last = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.__exit__(kind, error, at)


def create_checkpoint(
    path: Path,
    run: Run,
    loop: RunLoop,
    recorder: Recorder,
    seconds: float = SECONDS,
    notes: Mapping[str, object] | None = None,
) -> CheckpointKeeper:
    """Create the checkpoint of a run, replacing an older one, with notes that JSON can represent.

    `ModelError` for a negative time between checkpoints or a controller that cannot be pickled, `FormatError` if the
    file is not writable or is not a checkpoint.
    """
    _check_seconds(seconds)
    control = {
        name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in vars(run.control).items()
    }
    header = {
        "identity": identity(),
        "library": _library(loop),
        "system": system_record(run.system if run.sampling is None else run.sampling.held.stated),
        "controlled": None if run.sampling is None else [*run.sampling.held.names],
        "method": run.method.record,
        "plan": run.plan._asdict(),
        "control": control,
        "record_every": run.record_every,
        "settings": dict(run.settings),
        "timings": dataclasses.asdict(run.timings),
        "begin": _state_bytes(run, run.begin).hex(),
        "notes": dict(notes or {}),
    }
    records, controllers = new_records(recorder, NOTHING), None
    if run.sampling is not None:
        controllers = ControllerRecords(run.sampling)
        records += controllers.new()
    file = CheckpointFile.create(path, header, _state_bytes(run, loop.captured()), records)
    return CheckpointKeeper(file, run, recorder, seconds, controllers)


def resume(
    path: str | Path, *, trust: bool = False, progress: Progress | None = None, checkpoint_seconds: float = SECONDS
) -> Solution:
    """Resume a run from its checkpoint, bitwise identical to a run without interruption.

    The run continues to write the checkpoint. If it was finished, its solution is returned.

    Parameters
    ----------
    path
        The checkpoint, from ``solve(..., checkpoint=path)`` or ``symlie run --checkpoint``.
    trust
        True: permit running the code in the checkpoint, which is necessary to resume it: the generated code, and the
        pickle of controllers.
    progress
        As in `solve`.
    checkpoint_seconds
        Time between two checkpoints, in s.

    Returns
    -------
    Solution
        The solution from the start of the run to its end.

    Raises
    ------
    CodeNotLoadedError
        If ``trust`` is not True.
    FormatError
        If the file is not a checkpoint, is damaged, or is in use, or if the result would differ: the version of symlie,
        Python, NumPy or the C library, the processor, the compiler or a file of the model has changed; or if the
        functions of controllers cannot be imported.
    NoCompilerError
        If the run used compiled code and no C compiler is found.
    ModelError
        If ``checkpoint_seconds`` is negative.
    IntegrationError
        As in `solve`.
    """
    path = Path(path)
    _check_seconds(checkpoint_seconds)
    file, content = CheckpointFile.reopen(path)
    with file:
        check_trust(f"The checkpoint {path}", "resume it", trust=trust)
        with reading(f"The checkpoint {path}"):
            run, state, recorder = _run_of(path, content)
            loop = run.controlled_loop(state)
            check_identity(path, {_LIBRARY: content.header["library"]}, {_LIBRARY: _library(loop)})
        controllers = None if run.sampling is None else ControllerRecords(run.sampling, is_resumed=True)
        keeper = CheckpointKeeper(file, run, recorder, checkpoint_seconds, controllers)
        return execute(run, loop, state, recorder, progress=progress, keeper=keeper)


def checkpoint_notes(path: str | Path) -> dict[str, Any]:
    """Return the notes passed to `solve` with a checkpoint.

    Raises
    ------
    FormatError
        The file is not a checkpoint, or is damaged.
    """
    with reading(f"The checkpoint {path}"):
        return dict(read_checkpoint(Path(path)).header["notes"])


def _check_seconds(seconds: float) -> None:
    if not seconds >= 0:
        raise ModelError(f"The time between two checkpoints must not be negative, but it is {seconds!r} s.")


def _state_bytes(run: Run, state: LoopState) -> bytes:
    layout = run.system.layout
    return state_bytes(layout, run.method.own_size(layout), state)


def _library(loop: RunLoop) -> str:
    """Name of the compiled library: a hash of its source code, the compiler and its flags."""
    if isinstance(loop, ControlledLoop):
        loop = loop.loop
    return loop.library.path.stem if isinstance(loop, CompiledIntegration) else "none"


def _run_of(path: Path, content: Content) -> tuple[Run, LoopState, Recorder]:
    header = content.header
    # The version is checked first, since another version may have written a different header.
    check_identity(path, header["identity"], identity())
    check_sources(path, header["system"]["sources"])
    system = recorded_system(header["system"])
    control: dict[str, Any] = {k: np.array(v) if isinstance(v, list) else v for k, v in header["control"].items()}
    method, layout = recorded_method(header["method"]), system.layout
    own, recorder = method.own_size(layout), Recorder(layout)
    state = state_of(layout, own, content.state)
    chunks, sampling = read_records(recorder, own, content.records), None
    if (names := header.get("controlled")) is not None:
        sampling = recorded_sampling(system, names, chunks)
        system = sampling.held.system
    run = Run(
        system,
        method,
        Plan(**{name: tuple(values) for name, values in header["plan"].items()}),
        StepControl(**control),
        header["record_every"],
        header["settings"],
        Timings(**header["timings"]),
        state_of(layout, own, bytes.fromhex(header["begin"])),
        sampling=sampling,
    )
    _check(run, state, recorder)
    return run, state, recorder


def _check(run: Run, state: LoopState, recorder: Recorder) -> None:
    """Check the types and values of a resumed state."""
    check_start("the state", state.at, run.system.layout)
    check_fields("counters", state.counters)
    check_fields("timings", run.timings)
    check_fields("the step control", run.control)
    for name in ("rtol", "atol", "weight"):
        check_array(name, getattr(run.control, name), (2 * run.system.layout.dimension,))
    check_times("the recorded times", recorder.times)
    for times in (run.plan.start, run.plan.end):
        check_times("the plan", np.array(times, dtype=float))
    lengths_of_plan = {len(part) for part in run.plan}
    if len(lengths_of_plan) != 1 or not 0 <= state.counters.segment <= max(lengths_of_plan):
        raise ValueError("the plan is not complete")
    if not all(isinstance(n, int) and n >= 0 for n in run.plan.steps):
        raise ValueError("the plan has steps that are not numbers")
    if not isinstance(run.record_every, int) or run.record_every < 0:
        raise ValueError(f"every {run.record_every!r} states are recorded")
    for name in ("t_span", "t_eval", "h"):
        _ = run.settings[name]
    if not isinstance(run.settings["trace"], bool) or run.settings["multipliers"] not in MULTIPLIERS:
        raise ValueError("the settings do not belong to a run")
