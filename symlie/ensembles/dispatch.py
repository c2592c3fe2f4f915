"""Which members are handed over next, and what is done about workers that die."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from symlie.ensembles.executors import Outcome, Part, Workers
from symlie.ensembles.results import MemberResults
from symlie.ensembles.tasks import MemberTask

CHUNK_SECONDS = 0.5
"""Time that a chunk is to take."""

FIRST_CHUNK = 8
"""Members of the first chunks, whose time tells that of others; they fill the lanes of the widest registers."""

FASTEST_GROWTH = 16
"""How many times larger the next chunk is at most: the first members may be short ones."""

LARGEST_CHUNK = 10_000
"""Members of a chunk at most."""

AHEAD = 2
"""Chunks for each worker that are handed over at a time, once the first ones have told how long they take."""

SMALLEST_PART = 8
"""How many times smaller chunks become towards the end."""


class Dispatch:
    """Hands ranges of members to workers, and takes results as they are done.

    Parameters
    ----------
    task
        The whole task.
    parts
        Ranges of rows that are to be done.
    workers
        What chunks are handed to.
    lost
        Makes the results of a member that kills workers.
    line
        Number of members that stay together.
    """

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
        """Results of chunks in the order in which they are done."""
        while self._left or self._suspects or len(self._workers):
            is_alone = self._hand_over()
            for part, found in self._workers.done():
                if isinstance(found, MemberResults):
                    self._adapt(found)
                    yield found
                else:
                    yield from self._failed(part, found, is_alone)

    def _whole_lines(self, members: int) -> int:
        """At least so many members, in whole lines."""
        return max(1, -(-members // self._line)) * self._line

    def _submit(self, part: Part) -> None:
        self._workers.submit(part, self._task.part(*part))

    def _hand_over(self) -> bool:
        """Keep workers busy; whether a suspect is by itself now."""
        while self._left and not self._suspects and len(self._workers) < self._ahead * self._workers.count:
            size = self._next_size()
            begin, end = self._left.pop()
            middle = min(end, begin + size)
            if middle < end:
                self._left.append((middle, end))
            self._submit((begin, middle))
        # With a pool of processes all chunks are lost together; by itself the one that is to blame is found.
        is_alone = bool(self._suspects) and not len(self._workers)
        if is_alone:
            self._submit(self._suspects.pop())
        return is_alone

    def _next_size(self) -> int:
        """Members of the next chunk: fewer towards the end, so that workers end together."""
        left = sum(end - begin for begin, end in self._left)
        share = -(-left // self._workers.count)
        return self._whole_lines(min(self._size, max(share, self._size // SMALLEST_PART)))

    def _adapt(self, found: MemberResults) -> None:
        """Let chunks take as long as they should."""
        self._ahead = AHEAD
        spent = float(found.cpu_seconds.sum()) / max(len(found), 1)
        if spent > 0:
            self._size = max(1, min(int(CHUNK_SECONDS / spent), FASTEST_GROWTH * self._size, LARGEST_CHUNK))

    def _failed(self, part: Part, error: Exception, is_alone: bool) -> Iterator[MemberResults]:
        """A chunk that is lost is tried by itself, then its halves, until the member that kills workers is alone."""
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
        """Results of what was begun, after an interruption; nothing else is handed over."""
        outcomes: Iterator[Outcome] = self._workers.finish()
        yield from (found for _, found in outcomes if isinstance(found, MemberResults))
