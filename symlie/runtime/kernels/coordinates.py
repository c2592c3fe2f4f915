"""Kernels of nodes for steps in other coordinates than exp and in ambient space, made when they are first needed."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from symlie.errors import FormatError
from symlie.runtime.kernels.numpy import Functions, node_groups, on_nodes
from symlie.runtime.layout.layout import Array, Layout
from symlie.showing import Brief

STEP_KINDS = ("cayley", "second_kind", "ambient")
"""Kinds of kernels of nodes that some methods need besides those of a model."""


@dataclass(frozen=True, eq=False, repr=False)
class LazyStepKernels(Brief):
    """What it takes to get these kernels for a system; copies of a system share it."""

    layout: Layout
    known: Mapping[str, str]
    """Generated files that are there."""
    source: Callable[[str], Mapping[str, str]] | None
    """Derives and emits files of a kind."""
    _made: dict[str, dict[str, str]] = field(default_factory=dict)

    def files(self, kind: str) -> dict[str, str]:
        """Generated files of a kind by name: a C header and a NumPy module.

        Raises
        ------
        FormatError
            The system was loaded without them, and its model is not known.
        GroupError
            A group of the model does not have these coordinates.
        """
        names = self._names(kind)
        if kind not in self._made:
            found = self.known
            if not all(name in found for name in names):
                if self.source is None:
                    raise FormatError(
                        f"The generated files of '{self.layout.name}' lack {names[0]}; take the model itself, or "
                        "another method with map=exp."
                    )
                found = self.source(kind)
            self._made[kind] = {name: found[name] for name in names}
        return self._made[kind]

    @property
    def present(self) -> dict[str, str]:
        """Files that are there or were made, of all kinds."""
        names = [name for kind in STEP_KINDS for name in self._names(kind)]
        made = {name: text for files in self._made.values() for name, text in files.items()}
        return {name: text for name, text in {**self.known, **made}.items() if name in names}

    def _names(self, kind: str) -> list[str]:
        return [f"{self.layout.name}_{kind}{end}" for end in (".h", ".py")]

    def numpy(self, kind: str) -> StepKernels:
        """The kernels of a kind in NumPy."""
        module = types.ModuleType(f"symlie_generated_{self.layout.name}_{kind}")
        name = f"{self.layout.name}_{kind}.py"
        exec(compile(self.files(kind)[name], name, "exec"), module.__dict__)
        return StepKernels(self.layout, kind, module.__dict__)


class StepKernels:
    """Kernels of one kind for all nodes of a system.

    Parameters
    ----------
    layout
        Layout of the system.
    kind
        ``cayley``, ``second_kind`` or ``ambient``.
    functions
        The generated functions by name.
    """

    def __init__(self, layout: Layout, kind: str, functions: Functions) -> None:
        self._layout, self._kind, self._functions = layout, kind, functions
        self._groups = node_groups(layout)

    def advance(self, q: Array, u: Array) -> Array:
        """q∘φ(u)."""
        name, size = f"advance_{self._kind}", self._layout.storage
        return on_nodes(self._functions, self._groups, name, size, True, (q, True), (u, False))

    def rate(self, u: Array, w: Array) -> Array:
        """T⁻¹(u) w of these coordinates."""
        name, size = f"rate_{self._kind}", self._layout.dimension
        return on_nodes(self._functions, self._groups, name, size, False, (u, False), (w, False))

    def chart(self, u: Array) -> float:
        """What must stay below (2π)², the largest value of all nodes."""
        sizes = [self._functions[f"{n}_chart_{self._kind}"](u[velocity])[0] for n, _, velocity in self._groups]
        return max(0.0, *(float(np.max(size)) for size in sizes))

    def storage_rate(self, q: Array, w: Array) -> Array:
        """Rate of the stored components along w."""
        return on_nodes(
            self._functions, self._groups, "storage_rate", self._layout.storage, True, (q, True), (w, False)
        )
