"""Outputs at single states, evaluated many times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from symlie.runtime.kernels.c import CKernels
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.evaluation.outputs import outputs
from symlie.runtime.solution.state import State

if TYPE_CHECKING:
    from symlie.runtime.system.system import System


class SingleOutputs:
    """Outputs of a system by name, as from `outputs`, at one state after the other.

    Parameters
    ----------
    system
        The system; its parameters and inputs may change in place.
    names
        Names of the outputs.
    """

    def __init__(self, system: System, names: Sequence[str]) -> None:
        self._system, self._names, layout = system, names, system.layout
        kernels = system.mechanics.evaluator
        self._compiled: _CompiledOutputs | None = None
        if isinstance(kernels, CKernels) and all(name in layout.outputs for name in names):
            self._compiled = _CompiledOutputs(kernels, system, names)

    def __call__(self, state: State) -> list[float | Array]:
        """Return the values at a state: numbers, and arrays of shape (components,)."""
        if self._compiled is not None:
            return self._compiled.values(state)
        found = outputs(self._system, state, self._names, None)
        return [value if value.ndim else float(value) for value in (found[name] for name in self._names)]


class _CompiledOutputs:
    """Arguments of ``symlie_observe`` at one state, in arrays with fixed addresses."""

    def __init__(self, kernels: CKernels, system: System, names: Sequence[str]) -> None:
        layout, library = system.layout, kernels.library
        self._kernels, self._system, self._has_rows = kernels, system, bool(layout.rows)
        numbers = {name: k for k, name in enumerate(layout.outputs)}
        ends = np.cumsum([layout.outputs[name][0].stop - layout.outputs[name][0].start for name in names])
        self._parts = [slice(begin, end) for begin, end in zip([0, *ends[:-1]], ends, strict=True)]
        self._t, self._q, self._v = np.empty(1), np.empty(layout.storage), np.empty(layout.dimension)
        self._multipliers, self._found = np.empty(layout.rows), np.empty(ends[-1])
        self._wanted = np.array([numbers[name] for name in names], dtype=np.int64)
        self._states, self._values = library.new("symlie_states *"), library.new("symlie_values *")
        self._states.count = 1
        arrays = {"t": self._t, "q": self._q, "v": self._v, "lambda": self._multipliers}
        for name, array in arrays.items():
            setattr(self._states, name, library.pointer(array))
        self._values.outputs, self._values.outputs_wanted = library.pointer(self._found), len(names)
        self._values.wanted = library.pointer(self._wanted, "long long[]")

    def values(self, state: State) -> list[float | Array]:
        kernels, p = self._kernels, self._system.prepared
        t, q, v = float(state.t), state.q, state.v
        self._t[0], self._q[:], self._v[:] = t, q, v
        if state.of_solution is not None and state.system is self._system:
            self._multipliers[:] = state.of_solution
        elif self._has_rows:
            self._multipliers[:] = kernels.acceleration_at(p, t, q, v)[1]
        problem = kernels.problem(p)
        workspace = kernels.observation_workspace(problem)
        kernels.library.call.symlie_observe(problem, self._states, self._values, workspace)
        found = self._found.copy()
        return [found[part] if part.stop - part.start > 1 else float(found[part.start]) for part in self._parts]
