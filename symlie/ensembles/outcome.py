"""Results of an ensemble: values of all members, failures, and repeated runs of single members."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, overload

import numpy as np

from symlie.ensembles.group_statistics import GroupStatistics, GroupSums, statistics_on_group
from symlie.ensembles.results import MemberResults, MemberStatus
from symlie.ensembles.store import MISSING, EnsembleStore
from symlie.ensembles.store_index import Quantity, StoredGroup, stored_group
from symlie.ensembles.stored_task import read_task
from symlie.ensembles.tasks import MemberTask
from symlie.errors import ModelError, UnknownNameError
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.solution import Solution
from symlie.runtime.statics.equilibrium import Equilibrium
from symlie.runtime.statics.linearization import Linearization
from symlie.runtime.system.system import System
from symlie.utilities.packages import require
from symlie.utilities.showing import line, table
from symlie.view.view import View

if TYPE_CHECKING:
    import xarray

Variable: TypeAlias = tuple[str | tuple[str, ...], np.ndarray, dict[str, object]]
"""Dimensions, values and attributes, as in xarray."""


@dataclasses.dataclass(frozen=True)
class FailedMember:
    """A member with a message."""

    member: int
    """Number of the member, from 0."""
    kind: str
    """Name of the exception that ended the member; empty for a remark."""
    sentence: str
    """The message."""

    def __str__(self) -> str:
        return f"{self.kind}: {self.sentence}" if self.kind else self.sentence


FIELDS = {"sentence": "sentences", "exception": "kinds"}
"""Fields of results with a different name as arrays."""


class FailedMembers(Sequence[FailedMember]):
    """Sequence of `FailedMember` in the order of the members; notebooks display it as a table."""

    def __init__(self, members: Sequence[FailedMember]) -> None:
        self._members = tuple(members)

    @overload
    def __getitem__(self, index: int) -> FailedMember: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[FailedMember]: ...

    def __getitem__(self, index: int | slice) -> FailedMember | Sequence[FailedMember]:
        return self._members[index]

    def __len__(self) -> int:
        return len(self._members)

    def __repr__(self) -> str:
        return "\n".join(f"{m.member}: {m}" for m in self) or "none"

    def _repr_html_(self) -> str:
        return table(f"{len(self)} members", ((str(m.member), str(m)) for m in self), ("member", "why"))


class EnsembleArrays(Mapping[str, Array]):
    """Arrays of all N members by name, shape (N, …): values, parameters, and the course of the runs.

    The names are those of the recorded quantities, of the given parameters and initial values (the latter as
    ``"initial.NODE.FIELD"``), and ``"status"``, ``"sentence"`` (message), ``"exception"``, ``"steps"``, ``"rejected"``,
    ``"end_time"`` and ``"cpu_seconds"``, both in s. The status is 0 for a complete member, 1 after a terminal event, 2
    after a failure, 3 after the time limit, and 5 if the member was not run; the results of such a member are NaN, 0 or
    empty. An unknown name raises an `UnknownNameError`.
    """

    def __init__(
        self,
        stated: Mapping[str, Array],
        quantities: Sequence[Quantity],
        source: MemberResults | EnsembleStore,
        count: int,
    ) -> None:
        self._stated, self._source, self._count = stated, source, count
        self._shapes = {q.name: q.shape for q in quantities}

    def __getitem__(self, name: str) -> Array:
        if name not in self._shapes and name in self._stated:
            return self._stated[name]
        if name not in self._shapes and name not in MISSING:
            raise UnknownNameError(f"The ensemble has no '{name}'; it has: {', '.join(self)}.")
        if isinstance(self._source, EnsembleStore):
            stored = self._source.index.stored_names()
            return self._source.values(stored.get(("value", name), name))
        columns = self._source.columns
        found = self._source.values[name] if name in self._shapes else columns[FIELDS.get(name, name)]
        if len(found) == self._count:
            return found
        missing = np.nan if name in self._shapes else MISSING[name]
        shape = (self._count, *self._shapes.get(name, ()))
        whole = np.full(shape, missing, dtype=found.dtype)
        whole[self._source.members] = found
        return whole

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self._shapes, *self._stated, *MISSING]))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __contains__(self, name: object) -> bool:
        return name in list(self)


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Ensemble:
    """Results of all members of an ensemble, from `ensemble` or `open_ensemble`.

    Attributes
    ----------
    model
        Name of the model.
    quantities
        Recorded quantities of each member, with unit and dimensions; empty if only statistics were recorded.
    source
        The results, in memory or in a store.
    stated
        Parameter and initial values of the members by name, shape (N, …).
    shape
        Lengths of the dimensions by name: those of a grid, or ``"member"``.
    times
        Times of the histories, in s, shape (times,); empty if only final values were recorded.
    origin
        Task of the members, or the store that contains it.
    statistics
        Statistics instead of the values of members, by quantity and name, such as ``statistics["energy"]["mean"]``.
        ``"count"`` is the number of members with a finite value.
    sums
        Accumulated statistics on the group, by node, from which `on_group` computes its result.
    trust
        True if code in the store of an opened ensemble may run.
    """

    model: str
    quantities: tuple[Quantity, ...]
    source: MemberResults | EnsembleStore
    stated: Mapping[str, Array]
    shape: Mapping[str, int]
    times: Array
    origin: MemberTask | Path
    statistics: Mapping[str, Mapping[str, Array]] = dataclasses.field(default_factory=dict)
    sums: Mapping[str, GroupSums] = dataclasses.field(default_factory=dict)
    trust: bool = False

    def __len__(self) -> int:
        return math.prod(self.shape.values())

    def __repr__(self) -> str:
        status = self.arrays["status"]
        counted = [f"{int((status == s).sum())} {s.name.lower().replace('_', ' ')}" for s in MemberStatus]
        return line("Ensemble", [self.model, *(c for c in counted if not c.startswith("0 "))])

    def _repr_html_(self) -> str:
        status = self.arrays["status"]
        rows: list[tuple[str, object]] = [("members", len(self))]
        rows += [(s.name.lower().replace("_", " "), n) for s in MemberStatus if (n := int((status == s).sum()))]
        rows += [("quantities", ", ".join(q.name for q in self.quantities))] if self.quantities else []
        rows += [("in space", "ensemble.view(0, 1)")]
        return table(f"ensemble of {self.model}", rows)

    def view(self, *members: int) -> View:
        """Integrate members again and return an animated 3-D view of them; see `Solution.view`.

        Parameters
        ----------
        *members
            Numbers of the members; all except the first are drawn as ghosts. Default: member 0.

        Raises
        ------
        ModelError
            If a member does not exist or is not a motion, or if the model has no positions.
        CodeNotLoadedError, FormatError, SymlieError
            As in `member`.
        """
        found = [self.member(number) for number in members or (0,)]
        solutions = [m for m in found if isinstance(m, Solution)]
        if len(solutions) < len(found):
            raise ModelError(f"A view shows motions; the members of this ensemble of '{self.model}' are not motions.")
        return View(solutions)

    @cached_property
    def arrays(self) -> EnsembleArrays:
        """Arrays of all members by name, such as ``arrays["energy"]``; see `EnsembleArrays`."""
        return EnsembleArrays(self.stated, self.quantities, self.source, len(self))

    @cached_property
    def results(self) -> MemberResults:
        """Results of all finished members; for a store, the first access reads all its files."""
        return self.source.read() if isinstance(self.source, EnsembleStore) else self.source

    @cached_property
    def _task(self) -> MemberTask:
        """Task of the members; for an opened ensemble it is read with `read_task`, which runs code from the store."""
        return read_task(self.origin, trust=self.trust) if isinstance(self.origin, Path) else self.origin

    @property
    def failed(self) -> FailedMembers:
        """Failed members, with the name and the message of the exception."""
        status, kinds, sentences = (self.arrays[name] for name in ("status", "exception", "sentence"))
        rows = [k for k in np.flatnonzero(status > MemberStatus.EVENT).tolist() if status[k] != MemberStatus.NOT_RUN]
        return FailedMembers([FailedMember(k, str(kinds[k]), str(sentences[k])) for k in rows])

    @property
    def remarks(self) -> FailedMembers:
        """Successful members with a remark, such as an unstable equilibrium."""
        status, sentences = self.arrays["status"], self.arrays["sentence"]
        rows = [k for k in np.flatnonzero(status <= MemberStatus.EVENT).tolist() if sentences[k]]
        return FailedMembers([FailedMember(k, "", str(sentences[k])) for k in rows])

    def member(self, number: int) -> Solution | Equilibrium | Linearization:
        """Compute a member again, bitwise identical, and return its complete result.

        On a load path, the preceding members of the path are computed as well.

        Parameters
        ----------
        number
            Number of the member, from 0.

        Returns
        -------
        Solution or Equilibrium or Linearization
            As returned by `solve`, `System.static_equilibrium` or `System.linearize`.

        Raises
        ------
        ModelError
            If the member does not exist.
        CodeNotLoadedError
            If the ensemble was opened without ``trust=True``.
        FormatError
            If the store does not contain the task of the members: its method is a function that cannot be pickled.
        SymlieError
            If the member fails; the exception is that of the ensemble.
        """
        if not 0 <= number < len(self):
            raise ModelError(f"Member {number} does not exist; the ensemble has members 0 … {len(self) - 1}.")
        return self._task.again(number)

    def on_group(self, node: str) -> GroupStatistics:
        """Return the mean m of a node on its group, with Σ_k log(m⁻¹∘q_k) = 0, and the deviations log(m⁻¹∘q_k).

        If the ensemble recorded statistics about a reference, m follows from sigma points with the mean and the
        covariance of log(reference⁻¹∘q_k). Its error is of third order in the spread, and zero if the reference is the
        mean.

        Source: [JulierUhlmann2004].

        Parameters
        ----------
        node
            Name of a node that was recorded as a whole.

        Raises
        ------
        UnknownNameError
            If the node does not exist.
        ModelError
            If the node was not recorded as a whole, or no member reached a recorded time.
        CodeNotLoadedError
            If the group is not a standard one, and the ensemble was opened without ``trust=True``.
        OutsideChartError
            If a rotation from the mean or from the reference is at least a quarter turn, or the iteration for the mean
            does not converge.
        """
        if node in self.sums:
            return self.sums[node].statistics()
        system = self._system_with(node)
        part = system.layout.node(node)
        names = [f"{node}.{f.name}" for f in part.type.storage_fields]
        known = {q.name for q in self.quantities}
        values = {name: self.arrays[name] for name in names if name in known}
        if not len(self.times):
            values = {name: rows[:, None] for name, rows in values.items()}
        return statistics_on_group(system, values, node)

    def _system_with(self, node: str) -> System:
        """Return a system that contains a node on its group; for standard groups without code from the store."""
        if isinstance(self.source, EnsembleStore) and isinstance(self.origin, Path):
            stored = stored_group(self.source.index, node)
            found = None if stored is None else self._standard_system(stored)
            if found is not None:
                return found
        return self._task.design.system

    def _standard_system(self, stored: StoredGroup) -> System | None:
        """Return a system of one node on a standard group."""
        from symlie.api import system_on_group

        return system_on_group(stored)

    @property
    def dataset(self) -> xarray.Dataset:
        """Recorded quantities, status and events as an xarray dataset.

        Parameter and initial values are coordinates. A grid has one dimension for each name. Messages and `statistics`
        are not included.

        Raises
        ------
        MissingDependencyError
            If the package xarray or pandas is not installed.
        """
        require("Datasets of xarray", "xarray", "pandas")
        import xarray

        shape = self.shape
        dims, lengths = tuple(shape), tuple(shape.values())

        def variable(values: Array, more: Mapping[str, int], about: Mapping[str, object]) -> Variable:
            return (*dims, *more), np.asarray(values).reshape(*lengths, *values.shape[1:]), dict(about)

        variables: dict[str, Variable | np.ndarray] = {}
        for q in self.quantities:
            variables[q.name] = variable(self.arrays[q.name], q.dimensions, {"units": q.unit} if q.unit else {})
        flags = {
            "flag_values": np.array([int(s) for s in MemberStatus], dtype=np.int8),
            "flag_meanings": " ".join(s.name.lower() for s in MemberStatus),
        }
        units: dict[str, Mapping[str, object]] = {
            "end_time": {"units": "s"},
            "cpu_seconds": {"units": "s"},
            "status": flags,
        }
        for name in ("status", "steps", "rejected", "end_time", "cpu_seconds"):
            variables[name] = variable(self.arrays[name], {}, units.get(name, {}))
        coordinates: dict[str, Variable | np.ndarray] = {}
        for name, values in self.stated.items():
            more = {f"component_{n}": n for n in values.shape[1:]}
            if name in shape and values.ndim == 1:
                first = np.moveaxis(values.reshape(lengths), dims.index(name), 0).reshape(shape[name], -1)[:, 0]
                coordinates[name] = (name, first, {})
            else:
                coordinates[name if name not in shape else f"{name}_values"] = variable(values, more, {})
        if dims == ("member",):
            coordinates["member"] = np.arange(len(self))
        if len(self.times):
            coordinates["time"] = ("time", self.times, {"units": "s"})
        results = self.results
        if results.event_names:
            variables["event_member"] = ("event", results.event_member, {"long_name": "index of the member"})
            meanings = " ".join("_".join(name.split()) for name in results.event_names)
            about = {"flag_values": np.arange(len(results.event_names)), "flag_meanings": meanings}
            variables["event_index"] = ("event", results.event_index, about)
            variables["event_instance"] = ("event", results.event_instance, {})
            variables["event_time"] = ("event", results.event_time, {"units": "s"})
        return xarray.Dataset(variables, coordinates, {"model": self.model})


def ensemble_of(
    task: MemberTask,
    quantities: tuple[Quantity, ...],
    source: MemberResults | EnsembleStore,
    statistics: Mapping[str, Mapping[str, Array]],
    sums: Mapping[str, GroupSums],
) -> Ensemble:
    """Return the ensemble of a task in this process, with statistics and sums that replace values, if any."""
    design = task.design
    name = design.system.name
    return Ensemble(name, quantities, source, design.stated, design.shape, task.times, task, statistics, sums)
