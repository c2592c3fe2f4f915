"""Kernels of nodes in NumPy for steps in other coordinates than exp, in ambient space, and for interpolation."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from symlie.contract.kernels import Gather, gathered
from symlie.runtime.kernels.numpy import Functions, node_groups, on_nodes
from symlie.runtime.layout.layout import Array, Layout


class StepKernels:
    """Kernels of a set (``cayley``, ``second_kind``, ``ambient`` or ``interpolation``) for all nodes, without its name
    prefix."""

    def __init__(self, layout: Layout, kind: str, functions: Functions) -> None:
        self._kind, self._functions = kind, functions
        self._groups = node_groups(layout)
        self._kernels = {
            row.name.removesuffix(f"_{kind}"): functools.partial(on_nodes, functions, self._groups, layout, row)
            for row in gathered(kind, Gather.NODES)
        }

    def __getattr__(self, name: str) -> Callable[..., Array]:
        if name not in self._kernels:
            raise AttributeError(f"The set of kernels '{self._kind}' has no '{name}'.")
        return self._kernels[name]

    def chart(self, q: Array, u: Array) -> float:
        """Largest value over all nodes of the quantity that must stay below (2π)²."""
        sizes = [self._functions[f"{n}_chart_{self._kind}"](q[s], u[v])[0] for n, s, v in self._groups]
        return max(0.0, *(float(np.max(size)) for size in sizes))
