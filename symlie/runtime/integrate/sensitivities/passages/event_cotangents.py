"""Cotangents at the start of passages from cotangents at their end.

The time of an event and the change of the state at it are solutions of equations, whose tangents follow from the
tangents of the state before the step. Tangents along all components of this state are the columns of the derivative of
a passage, and their products with cotangents are cotangents of these components: equations (6) and (7) of the page
*Sensitivities*.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symlie.runtime.integrate.loop_state import LoopState
from symlie.runtime.integrate.run import Run
from symlie.runtime.integrate.sensitivities.adjoint_method import Cotangents
from symlie.runtime.integrate.sensitivities.passages.passage_loop import (
    Part,
    PassageLoop,
    parts_of,
    without_first_stage,
)
from symlie.runtime.integrate.sensitivities.tangent_run import AT_ONCE, COUNTS
from symlie.runtime.integrate.sensitivities.trail import Start
from symlie.runtime.integrate.sensitivities.variables import InputVariable, ParameterVariable, Variable
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.programs.method import ProgrammedMethod


class EventCotangents:
    """Transposed derivatives of passages.

    Parameters
    ----------
    run, method, start
        The run, its method, and what the first stages of its steps start from.
    variables
        Variables of the gradient.
    weights
        Derivatives of the loss by recorded outputs, shape (states, components).

    Attributes
    ----------
    total
        Sum of the derivatives by variables that passages contain, shape (variables,).
    """

    def __init__(
        self, run: Run, method: ProgrammedMethod, start: Start, variables: Sequence[Variable], weights: Array
    ) -> None:
        self._run, self._start, self.total = run, start, np.zeros(len(variables))
        self._parts = parts_of(run.system, method, start)
        self._acting = [k for k, v in enumerate(variables) if isinstance(v, ParameterVariable | InputVariable)]
        outputs = run.system.layout.outputs
        names = [name for name, (part, _) in outputs.items() if weights[:, part].any()]
        chosen = [np.arange(weights.shape[1])[outputs[name][0]] for name in names]
        self._weights = weights[:, np.concatenate([np.zeros(0, dtype=np.intp), *chosen])]
        self._loops = self._columns([variables[k] for k in self._acting], [list(outputs).index(n) for n in names])
        self._stored = np.zeros(sum(p.size for p in self._parts if p.array == "q" and not p.is_element))

    def _columns(self, variables: Sequence[Variable], outputs: Sequence[int]) -> list[PassageLoop]:
        """Return loops for the derivatives by variables and by all components of the start."""
        sizes = [part.size for part in self._parts]
        count, ends = len(variables) + sum(sizes), np.cumsum(sizes)[:-1]
        # One of the tangents belongs to the time of an event.
        tangents = min(AT_ONCE, next((n for n in COUNTS if n > count), AT_ONCE))
        found = []
        for first in range(0, count, tangents - 1):
            last = min(first + tangents - 1, count)
            seeds = np.eye(last - first, sum(sizes), first - len(variables))
            own = variables[first:last]
            found.append(PassageLoop(self._run, own, tangents, np.split(seeds, ends, axis=1), self._parts, outputs))
        return found

    def reverse(self, before: LoopState, steps: int | None, first: int, cotangents: Cotangents) -> None:
        """Replace the cotangents at the end of a passage by cotangents at its start, for the state before it.

        The passage ends after some number of steps or at the end of the run; ``first`` is the number of recorded states
        up to its start.
        """
        if not self._start.from_acceleration:
            before = without_first_stage(before)
        at_end = [self._at(part, cotangents) for part in self._parts]
        found = []
        for loop in self._loops:
            outputs = loop.repeat(before, steps)
            column = np.einsum("nc,nck->k", self._weights[first : first + len(outputs)], outputs)
            found.append(column + sum(x @ y for x, y in zip(at_end, loop.ends(), strict=True)))
        by_all = np.concatenate(found)
        self.total[self._acting] += by_all[: len(self._acting)]
        begin = len(self._acting)
        for part, x in zip(self._parts, at_end, strict=True):
            x[:] = by_all[begin : begin + part.size]
            begin += part.size

    def _at(self, part: Part, cotangents: Cotangents) -> Array:
        """Return the cotangents of a part of a state, which steps between passages change unless contacts store it."""
        if part.array == "q" and not part.is_element:
            return self._stored
        first = int(part.places[0]) if part.array == "own" and part.places.size else 0
        return cotangents.array(part.array)[first : first + part.size]
