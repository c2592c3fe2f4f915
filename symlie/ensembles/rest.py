"""Static members: equilibria and their modes, from separate initial values or along a load path."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from symlie.ensembles.chunk_rows import ChunkRows, StoppedError
from symlie.ensembles.design import Design
from symlie.ensembles.quantities import Recorded, values_of_members
from symlie.ensembles.results import MemberResults, MemberStatus
from symlie.errors import EquilibriumError, SymlieError
from symlie.runtime.layout.layout import Array
from symlie.runtime.statics.equilibrium import Equilibrium
from symlie.runtime.statics.linearization import Linearization
from symlie.runtime.system.system import System

SAME = 1e-6
"""Tolerance of the return path, relative to max(1, |q|), below which the path is regarded as reversible."""


@dataclass(frozen=True, eq=False)
class RestTask:
    """Task that computes static members."""

    design: Design
    """The members."""
    t: float
    """Time of the loads, in s."""
    wanted: tuple[Recorded, ...]
    """Recorded quantities of equilibria."""
    modes: int = 0
    """Number of modes, the slowest first; 0 for equilibria only."""
    line: int = 1
    """Number of consecutive members of a load path, each from the equilibrium of the previous one; 1 without path."""
    times: Array = field(default_factory=lambda: np.zeros(0))
    """Times of histories: empty."""

    def of(self, design: Design) -> Self:
        """Return the task for different members."""
        return replace(self, design=design)

    def part(self, begin: int, end: int) -> Self:
        """Return the task for a range of members, by index."""
        return self.of(self.design.part(begin, end))

    def again(self, row: int) -> Equilibrium | Linearization:
        """Compute a member again; on a load path after its predecessors."""
        first = row - row % self.line if self.line > 1 else row
        near: Array | None = None
        found: Equilibrium | None = None
        for k in range(first, row + 1):
            try:
                found = self._equilibrium(self.design.member(k), near)
                near = found.q
            except SymlieError:
                if k == row:
                    raise
        assert found is not None
        return self._modes(self.design.member(row), found) if self.modes else found

    def run(self, check: Callable[[], None]) -> MemberResults:
        """Find the equilibria of all members."""
        design, layout = self.design, self.design.system.layout
        rows = ChunkRows(design, 1)
        known = {name: np.full((len(design), *shape), np.nan) for name, shape in self.shapes.items()}
        before: tuple[int, Equilibrium] | None = None
        for row in range(len(design)):
            if row % self.line == 0:
                before = None
            if row in design.refused:
                continue
            begin = time.thread_time()
            try:
                check()
                member = design.member(row)
                found = self._equilibrium(member, before[1].q if before else None)
                if self.modes:
                    self._take_modes(self._modes(member, found), row, known)
            except StoppedError:
                rows.status[row - row % self.line : row] = MemberStatus.NOT_RUN  # a path is computed as a whole
                break
            except SymlieError as error:
                rows.fail(row, self._lost_path(error, design.first + before[0]) if before else error)
                continue
            rows.status[row], rows.end_time[row] = MemberStatus.OK, self.t
            rows.cpu_seconds[row] = time.thread_time() - begin
            rows.steps[row] = found.iterations
            states = (
                np.array(self.t),
                found.q,
                np.zeros(layout.dimension),
                found.multipliers,
                np.zeros(layout.carried_size),
            )
            for target, values in zip(rows.states.parts, states, strict=True):
                target[row, -1] = values
            if self.line > 1:
                rows.sentences[row] = self._said_of(member, found, before)
            before = row, found
        with np.errstate(all="ignore"):
            found_values = values_of_members(design, self.wanted, None, rows.states)
        return rows.results(design, {name: x[:, -1] for name, x in found_values.items()} | known)

    @property
    def shapes(self) -> Mapping[str, tuple[int, ...]]:
        """Shapes of the results of modes."""
        if not self.modes:
            return {}
        return {"frequencies": (self.modes,), "damping_ratios": (self.modes,), "growth_rate": ()}

    def _equilibrium(self, member: System, near: Array | None) -> Equilibrium:
        if near is None:
            return member.static_equilibrium(self.t)
        return member.with_configuration(near).static_equilibrium(self.t, stable=False)

    def _modes(self, member: System, found: Equilibrium) -> Linearization:
        return member.linearize(found.q, found.multipliers, self.t, modes=self.modes)

    @staticmethod
    def _take_modes(linear: Linearization, row: int, known: Mapping[str, Array]) -> None:
        chosen = linear.modes[: known["frequencies"].shape[1]]
        known["frequencies"][row, : len(chosen)] = linear.frequencies[chosen]
        known["damping_ratios"][row, : len(chosen)] = linear.damping_ratios[chosen]
        known["growth_rate"][row] = linear.eigenvalues.real.max(initial=-np.inf)

    @staticmethod
    def _lost_path(error: SymlieError, neighbour: int) -> SymlieError:
        if not isinstance(error, EquilibriumError):
            return error
        return EquilibriumError(
            f"No equilibrium is reached from the one of member {neighbour}; the path folds: {error}"
        )

    def _said_of(self, member: System, found: Equilibrium, before: tuple[int, Equilibrium] | None) -> str:
        """Return the remark on a member of a path: an unstable equilibrium or an irreversible path."""
        design = self.design
        said = []
        if not member.linearize(found.q, found.multipliers, self.t).is_stable:
            said.append("The equilibrium is not stable.")
        if before is not None:
            row, last = before
            try:
                back = self._equilibrium(design.member(row), found.q)
                way = np.abs(design.system.kernels.difference(last.q, back.q)).max(initial=0.0)
            except SymlieError:
                way = np.inf
            if not way <= SAME * max(1.0, float(np.abs(last.q).max())):
                said.append(
                    f"The path folds between member {design.first + row} and this one: the reverse continuation does "
                    "not return."
                )
        return " ".join(said)
