"""Scheduling of chunks of members, and recovery from lost workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from symlie.ensembles.executors import Outcome, Part, Workers
from symlie.ensembles.results import MemberResults
from symlie.ensembles.tasks import MemberTask

CHUNK_SECONDS = 0.5
"""Target time of a chunk, in s."""

FIRST_CHUNK = 8
"""Number of members of the first chunks, which estimate the time of the others; fills the widest SIMD registers."""

FASTEST_GROWTH = 16
"""Largest ratio of successive chunk sizes, because the first members may be fast ones."""

LARGEST_CHUNK = 10_000
"""Largest number of members of a chunk."""

AHEAD = 2
"""Number of chunks submitted at a time for each worker, after the first results."""

SMALLEST_PART = 8
"""Largest reduction of the chunk size towards the end."""


class Dispatch:
    """Scheduler that submits ranges of members to workers and collects results; `line` members form a unit, and `lost`
    returns the results of a member that crashes workers."""

    def __init__(
        self,
        task: MemberTask,
        parts: list[Part],
        workers: Workers,
        lost: Callable[[MemberTask], MemberResults],
        line: int = 1,
    ) -> None:
        self._task, self._workers, self._lost = task, workers, lost
        self._left, self._size, self._line = list(reversed(parts)), FIRST_CHUNK, line
        self._suspects: list[Part] = []
        self._ahead = 1

    def results(self) -> Iterator[MemberResults]:
        """Yield results of chunks in order of completion."""
        while self._left or self._suspects or len(self._workers):
            is_alone = self._hand_over()
            for part, found in self._workers.done():
                if isinstance(found, MemberResults):
                    self._adapt(found)
                    yield found
                else:
                    yield from self._failed(part, found, is_alone)

    def _whole_lines(self, members: int) -> int:
        """Return the number of members in whole lines, at least `members`."""
        return max(1, -(-members // self._line)) * self._line

    def _submit(self, part: Part) -> None:
        self._workers.submit(part, self._task.part(*part))

    def _hand_over(self) -> bool:
        """Submit chunks while workers are free, and return whether a suspect chunk now runs alone."""
        while self._left and not self._suspects and len(self._workers) < self._ahead * self._workers.count:
            size = self._next_size()
            begin, end = self._left.pop()
            middle = min(end, begin + size)
            if middle < end:
                self._left.append((middle, end))
            self._submit((begin, middle))
        # A process pool loses all its chunks together; only running suspects alone identifies the cause.
        is_alone = bool(self._suspects) and not len(self._workers)
        if is_alone:
            self._submit(self._suspects.pop())
        return is_alone

    def _next_size(self) -> int:
        """Return the size of the next chunk, smaller towards the end to balance the workers."""
        left = sum(end - begin for begin, end in self._left)
        share = -(-left // self._workers.count)
        return self._whole_lines(min(self._size, max(share, self._size // SMALLEST_PART)))

    def _adapt(self, found: MemberResults) -> None:
        """Adapt the chunk size to the measured time per member."""
        self._ahead = AHEAD
        spent = float(found.cpu_seconds.sum()) / max(len(found), 1)
        if spent > 0:
            self._size = max(1, min(int(CHUNK_SECONDS / spent), FASTEST_GROWTH * self._size, LARGEST_CHUNK))

    def _failed(self, part: Part, error: Exception, is_alone: bool) -> Iterator[MemberResults]:
        """Retry a lost chunk alone, then its halves, until the member that crashes workers is isolated."""
        if not self._workers.is_lost(error):
            raise error
        begin, end = part
        if not is_alone:
            self._suspects.append(part)
        elif end - begin > self._line:
            middle = begin + self._whole_lines((end - begin) // 2)
            self._suspects += [(middle, end), (begin, middle)]
        else:
            yield self._lost(self._task.part(begin, end))

    def finish(self) -> Iterator[MemberResults]:
        """Yield results of running chunks after an interruption, without new submissions."""
        outcomes: Iterator[Outcome] = self._workers.finish()
        yield from (found for _, found in outcomes if isinstance(found, MemberResults))
