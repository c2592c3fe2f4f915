"""Named outputs of recorded states, computed for all states on first access."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symlie.errors import UnknownNameError
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.solution.summaries import outputs_table
from symlie.utilities.showing import ListsPublicNames, line
from symlie.warnings import warn

if TYPE_CHECKING:
    from symlie.runtime.solution.solution import Solution

OF_EVERY_MODEL = ("energy",)
OF_CONSTRAINED_MODELS = ("constraint_residual", "velocity_residual")


def output_names(layout: Layout) -> list[str]:
    """Return the names of all outputs of a model; the names common to all models come first."""
    residuals = OF_CONSTRAINED_MODELS if layout.rows else ()
    return [*OF_EVERY_MODEL, *residuals, *layout.outputs, *layout.node_outputs]


class Outputs(ListsPublicNames, Mapping[str, "Array"]):
    """Mapping of output names to arrays over time, shape (n,) or (n, components), from `Solution.outputs`.

    An output is computed on first access. Unknown names raise an `UnknownNameError`; values that are not finite issue a
    `SymlieWarning`.

    Parameters
    ----------
    solution
        Solution of the outputs.
    known
        Outputs that are already computed.
    """

    INTERNAL = frozenset({"at_states", "known"})

    def __init__(self, solution: Solution, known: Mapping[str, Array] | None = None) -> None:
        self._solution = solution
        self._names = output_names(solution.system.layout)
        self._known: dict[str, Array] = dict(known or {})
        self.warnings: list[str] = []
        """Warnings about outputs that are not finite."""

    @property
    def known(self) -> dict[str, Array]:
        """Outputs that are computed so far."""
        return dict(self._known)

    def at_states(self, solution: Solution, chosen: NDArray[np.intp]) -> Outputs:
        """Return the outputs of a solution with a subset of the states; known values are reused.

        Parameters
        ----------
        solution
            The solution with these states.
        chosen
            Indices of the states.
        """
        return Outputs(solution, {name: values[chosen] for name, values in self._known.items()})

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __getitem__(self, name: str) -> Array:
        if name not in self._known:
            if name not in self._names:
                known = ", ".join(self._names)
                raise UnknownNameError(f"Model '{self._solution.system.name}' has no output '{name}'; it has: {known}.")
            self._known[name] = self._computed(name)
            self._look_at(name)
        return self._known[name]

    def _look_at(self, name: str) -> None:
        """Issue a warning if an output is not finite at some time."""
        values, times = self._known[name], self._solution.t
        without = np.flatnonzero(~np.isfinite(values).all(axis=tuple(range(1, values.ndim))))
        if len(without):
            where = f"t = {times[without[0]]:.9g} s"
            others = f" and at {len(without) - 1} other times" if len(without) > 1 else ""
            sentence = f"Output '{name}' of '{self._solution.system.name}' is not finite at {where}{others}."
            self.warnings.append(sentence)
            warn(sentence)

    def _computed(self, name: str) -> Array:
        solution, layout = self._solution, self._solution.system.layout
        if name in layout.node_outputs:
            node, field, _ = layout.node_outputs[name]
            return solution.field(node.name, field.name)[:, ~node.fixed]
        system = solution.system
        kernels = system.mechanics.observer if layout.has_accelerated_energy else system.kernels
        observe, prepared = kernels.observe, system.prepared
        if name in layout.outputs:
            block = observe(prepared, solution.states, (), (name,))["outputs"]
            return block[:, 0] if block.shape[1] == 1 else block
        return observe(prepared, solution.states, (name,))[name]

    def __repr__(self) -> str:
        return line("Outputs", self._names)

    def _repr_html_(self) -> str:
        return outputs_table(self._solution, self._names)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._names)
