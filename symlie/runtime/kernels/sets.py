"""Optional kernel sets of a system. Each is derived, emitted and loaded on first use."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from symlie.contract.set_table import SetTable, read_table
from symlie.contract.sets import kernel_set, known_sets
from symlie.errors import FormatError
from symlie.runtime.kernels.discrete import DiscreteKernels
from symlie.runtime.kernels.iteration_tables import IterationTables, discrete_tables, iteration_tables, newton_sets
from symlie.runtime.kernels.jets import Jets
from symlie.runtime.kernels.matrices import (
    CompiledMatrices,
    MatrixKernels,
    NumpyMatrices,
    SystemMatrices,
    matrix_positions,
)
from symlie.runtime.kernels.node_steps import StepKernels
from symlie.runtime.kernels.numpy import Functions, NumpyKernels
from symlie.runtime.kernels.protocol import Prepared
from symlie.runtime.layout.layout import Layout
from symlie.utilities.reading import reading
from symlie.utilities.showing import Brief

Source = Callable[[str], Mapping[str, str]]
"""Function that derives and emits the files of a set."""


@dataclass(frozen=True, eq=False, repr=False)
class KernelSets(Brief):
    """Access to the kernel sets of a system, shared by all copies of the system."""

    layout: Layout
    known: Mapping[str, str]
    """Available generated files."""
    source: Source | None
    compiles: bool
    optimize: str
    _files: dict[str, dict[str, str]] = field(default_factory=dict)
    _matrices: dict[str, SystemMatrices] = field(default_factory=dict)
    _jets: dict[str, tuple[Functions, SetTable]] = field(default_factory=dict)
    _discrete: dict[str, DiscreteKernels] = field(default_factory=dict)
    _iterations: dict[tuple[bool | str, bytes], IterationTables] = field(default_factory=dict)

    @cached_property
    def in_numpy(self) -> NumpyKernels:
        """Kernels of the system in NumPy, for many states at once."""
        return NumpyKernels(self.layout, self.known[f"{self.layout.name}.py"])

    def files(self, name: str) -> dict[str, str]:
        """Generated files of a set by name: C header and source, NumPy module, and table.

        `FormatError` if the system was loaded without them and its model is unknown, or if they belong to another
        version of the model; `GroupError` if a group of the model does not have these coordinates.
        """
        if name not in self._files:
            model, names = self.layout.name, kernel_set(name).files(self.layout.name)
            found = self.known
            if not all(file in found for file in names):
                if self.source is None:
                    described = f"'{name}', {kernel_set(name).meaning}"
                    raise FormatError(
                        f"The generated files of '{model}' lack the set {described}; use the model, or write "
                        f"the set with 'symlie generate {model} --sets {','.join((*self.present, name))}'."
                    )
                found = self.source(name)
            self._files[name] = {file: found[file] for file in names}
            self._table(name)
        return self._files[name]

    def _table(self, name: str) -> SetTable:
        file = kernel_set(name).files(self.layout.name)[-1]
        with reading(file, "is damaged; generate the model again"):
            table = read_table(self._files[name][file])
        if table.model_interface_hash != self.layout.interface_hash:
            del self._files[name]
            raise FormatError(f"{file} does not belong to this manifest.json; generate the model again.")
        return table

    @property
    def present(self) -> tuple[str, ...]:
        """Names of the available sets."""
        model = self.layout.name
        return tuple(n for n, s in known_sets().items() if n in self._files or set(s.files(model)) <= set(self.known))

    @property
    def present_files(self) -> dict[str, str]:
        """Files of the available sets by name."""
        return {file: text for name in self.present for file, text in self.files(name).items()}

    def functions(self, name: str) -> Functions:
        """Generated NumPy functions of a set by name."""
        file, table = kernel_set(name).files(self.layout.name)[2], self.table(name)
        module = types.ModuleType(f"symlie_generated_{self.layout.name}_{name}")
        exec(compile(self.files(name)[file], file, "exec"), module.__dict__)
        if module.__dict__.get("INTERFACE_HASH") != table.interface_hash:
            raise FormatError(
                f"{file} does not belong to the generated files in the same folder; generate the model again."
            )
        return module.__dict__

    def table(self, name: str) -> SetTable:
        """Table of the storage indices of the matrices of a set."""
        self.files(name)
        return self._table(name)

    def nodes(self, name: str) -> StepKernels:
        """Kernels of nodes of a set, in NumPy."""
        return StepKernels(self.layout, name, self.functions(name))

    def jets(self, p: Prepared, order: int) -> Jets:
        """Jets up to an order, in NumPy, to be initialised at a state."""
        if "jets" not in self._jets:
            self._jets["jets"] = self.functions("jets"), self.table("jets")
        return Jets(self.layout, *self._jets["jets"], p, order)

    def discrete(self, name: str) -> DiscreteKernels:
        """Kernels of a discrete Lagrangian, in NumPy."""
        if name not in self._discrete:
            known = kernel_set(name), self.table(name), self.functions(name)
            self._discrete[name] = DiscreteKernels(self.layout, *known)
        return self._discrete[name]

    def discrete_matrix(self, name: str, massless: NDArray[np.intp]) -> IterationTables:
        """Matrices of both stages of a variational step, for the set of a discrete Lagrangian."""
        key = (name, massless.tobytes())
        if key not in self._iterations:
            positions = [places for places, _ in matrix_positions(self.layout, kernel_set(name), self.table(name))]
            stated = kernel_set(name).discrete
            sampled = stated is not None and bool(stated.between)
            self._iterations[key] = discrete_tables(self.layout, positions, massless, is_sampled=sampled)
        return self._iterations[key]

    def matrices(self, name: str) -> SystemMatrices:
        """Matrices of a set, in C or in NumPy."""
        if name not in self._matrices:
            table = self.table(name)
            with reading(kernel_set(name).files(self.layout.name)[-1], "is damaged; generate the model again"):
                kernels: MatrixKernels
                if self.compiles:
                    files = {**self.known, **self.files(name)}
                    kernels = CompiledMatrices(self.layout, kernel_set(name), table, files, self.optimize)
                else:
                    kernels = NumpyMatrices(self.layout, kernel_set(name), table, self.functions(name))
                self._matrices[name] = SystemMatrices(self.layout, kernel_set(name), table, kernels)
        return self._matrices[name]

    def iteration(self, has_eta: bool, massless: NDArray[np.intp]) -> IterationTables:
        """Matrix of implicit steps, with an η for each λ if `has_eta`."""
        key = (has_eta, massless.tobytes())
        if key not in self._iterations:
            tables = {name: self.table(name) for name in newton_sets(self.layout)}
            self._iterations[key] = iteration_tables(self.layout, has_eta, tables, massless)
        return self._iterations[key]
