"""A system: generated code, its layout, parameter values and initial values, ready to be integrated."""

from __future__ import annotations

import dataclasses
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from symlie.compile.cache import DRIVER_HEADERS, KERNEL_HEADERS, compiled_library, included_headers
from symlie.compile.compiler import OPTIMIZATIONS
from symlie.compile.library import Library
from symlie.errors import FormatError, ModelError, NoCompilerError, UnknownNameError
from symlie.runtime.algebra import BandedAlgebra, DenseAlgebra, algebra_of
from symlie.runtime.c_kernels import CKernels
from symlie.runtime.initial import InitialState, consistent_initial_state
from symlie.runtime.inputs import InputTable, breakpoints_of, input_table, slots_and_tables
from symlie.runtime.kernels import Kernels, Prepared
from symlie.runtime.layout import Array, Layout, NodeSlice, read_manifest
from symlie.runtime.numpy_kernels import NumpyKernels
from symlie.runtime.tangents import LazyTangents, NewtonMatrices

BACKENDS = ("auto", "c", "numpy")
"""Values of ``backend``."""


@dataclass(frozen=True)
class Timings:
    """Seconds spent before the integration."""

    derive: float = 0.0
    compile: float = 0.0


@dataclass(frozen=True, eq=False)
class System:
    """A model ready to run.

    Build one with `Equations.compile` or `symlie.load`. A system is immutable; `with_parameters`, `with_initial` and
    `with_input` return changed copies without deriving or compiling.
    """

    layout: Layout
    files: Mapping[str, str]
    backend: str
    optimize: str
    kernels: Kernels
    algebra: DenseAlgebra | BandedAlgebra
    parameters: Array
    element_parameters: tuple[Array, ...]
    tangents: LazyTangents
    initial_values: Mapping[tuple[str, str], Array] = field(default_factory=dict)
    inputs: Mapping[str, InputTable] = field(default_factory=dict)
    timings: Timings = Timings()
    sources: Mapping[str, str] = field(default_factory=dict)
    """The user's own files that the model was built from, with the hashes of their contents."""

    @property
    def name(self) -> str:
        """Name of the model."""
        return self.layout.name

    def with_parameters(self, /, **values: Any) -> System:
        """A copy with other parameter values.

        Parameters
        ----------
        **values
            Values by name of the parameter, numbers or arrays of its shape.

        Raises
        ------
        UnknownNameError
            There is no such parameter.
        ModelError
            Wrong number of components, or not finite.
        """
        parameters = self.parameters.copy()
        for name, value in values.items():
            if name not in self.layout.parameters:
                raise UnknownNameError(
                    f"Model '{self.name}' has no parameter '{name}'; it has: {', '.join(self.layout.parameters)}."
                )
            position = self.layout.parameters[name][0]
            parameters[position] = _numbers(f"parameter '{name}'", value, position.stop - position.start)[0]
        return dataclasses.replace(self, parameters=parameters)

    def with_initial(self, node: str, /, **fields: Any) -> System:
        """A copy with other initial values of a node, by field: ``with_initial("top", Omega=[0, 1, 0])``.

        Fields of a node array take one row of components for each node, or one for all nodes.

        Parameters
        ----------
        node
            Name of a node or a node array.
        **fields
            Values by name of a field of its configuration or velocity.

        Raises
        ------
        UnknownNameError
            There is no such node or field.
        ModelError
            Wrong number of components, or not finite.
        """
        part = self.layout.node(node)
        kind = part.type
        sizes = {f["name"]: int(np.prod(f["shape"])) for f in kind["storage_fields"] + kind["velocity_fields"]}
        changed = dict(self.initial_values)
        for name, value in fields.items():
            if name not in sizes:
                raise UnknownNameError(f"Node '{node}' has no field '{name}'; it has: {', '.join(sizes)}.")
            changed[node, name] = _numbers(f"initial value {node}.{name}", value, sizes[name], part.count)
        return dataclasses.replace(self, initial_values=changed)

    def with_input(self, name: str, times: Any, values: Any, interpolation: str = "linear") -> System:
        """A copy with a table for a run-time input; steps end at its points.

        Parameters
        ----------
        name
            The input, from `Model.input`.
        times
            Times that increase, in s, shape (n,).
        values
            Values at these times, shape (n,) or (n, size); the first and the last hold before and after.
        interpolation
            ``"linear"``, or ``"hold"``: each value holds from its time to the next.

        Raises
        ------
        UnknownNameError
            There is no such input or interpolation.
        ModelError
            Times do not increase, or the numbers do not fit.
        """
        table = input_table(self.layout, name, times, values, interpolation)
        return dataclasses.replace(self, inputs={**self.inputs, name: table})

    @cached_property
    def prepared(self) -> Prepared:
        """Parameters with the constants computed from them and the tables of inputs, as the kernels take them."""
        slots, tables = slots_and_tables(self.layout, self.inputs)
        prepared = self.kernels.prepare(np.concatenate([self.parameters, slots]), self.element_parameters)
        return Prepared(np.concatenate([prepared.model, tables]), prepared.elements)

    @property
    def newton_matrices(self) -> NewtonMatrices:
        """K and C, derived and compiled when first needed; see `NewtonMatrices`."""
        return self.tangents.matrices

    @property
    def breakpoints(self) -> dict[float, float]:
        """Times that must be step boundaries, each with the time at which steps after it begin.

        These are kinks of functions of time, and jumps of inputs, after which steps begin a few units in the last
        place later.
        """
        positions = [self.layout.parameters[name][0] for name in self.layout.manifest["breakpoints"]]
        kinks = {float(t): float(t) for part in positions for t in self.parameters[part]}
        return kinks | breakpoints_of(list(self.inputs.values()))

    @cached_property
    def initial_state(self) -> InitialState:
        """Consistent q₀, v₀, λ₀ at t = 0: given values checked, velocities completed, multipliers computed."""
        return self.consistent_state(0.0)

    def consistent_state(self, t: float) -> InitialState:
        """Consistent initial state at time t; see `initial_state`.

        Parameters
        ----------
        t
            Time, in s.
        """
        q, v = self._stated_initial()
        given = np.concatenate([n.velocity_given for n in self.layout.nodes])
        for (name, label), value in self.initial_values.items():
            node = self.layout.node(name)
            for fields, vector, part in (
                ("storage_fields", q, node.storage),
                ("velocity_fields", v, node.velocity),
            ):
                for entry in node.type[fields]:
                    if entry["name"] == label:
                        columns = slice(entry["offset"], entry["offset"] + value.shape[1])
                        vector[part].reshape(node.count, -1)[:, columns] = value
                        if fields == "velocity_fields":
                            given[part].reshape(node.count, -1)[:, columns] = True
        self._check_numbers(q, v)
        q = self._checked_configuration(q, "initial configuration")
        self.check_motions(t)
        return consistent_initial_state(self.layout, self.kernels, self.algebra, self.prepared, t, q, v, given)

    def _check_numbers(self, q: Array, v: Array) -> None:
        """Check that all parameters and initial values are finite, and that tables of time are in order."""
        for name, (position, _, _) in self.layout.parameters.items():
            if not np.all(np.isfinite(self.parameters[position])):
                raise ModelError(f"Parameter '{name}' of '{self.name}' is not finite.")
        for element, rows in zip(self.layout.elements, self.element_parameters, strict=True):
            if not np.all(np.isfinite(rows)):
                raise ModelError(f"A parameter of element '{element['name']}' of '{self.name}' is not finite.")
        for name in self.layout.manifest["breakpoints"]:
            if not np.all(np.diff(self.parameters[self.layout.parameters[name][0]]) > 0):
                raise ModelError(f"The times of parameter '{name}' of '{self.name}' must increase.")
        for node in self.layout.nodes:
            if not (np.all(np.isfinite(q[node.storage])) and np.all(np.isfinite(v[node.velocity]))):
                raise ModelError(f"An initial value of node '{node.name}' of '{self.name}' is not finite.")

    def check_motions(self, t: float) -> None:
        """Check that prescribed nodes are in their groups.

        Parameters
        ----------
        t
            Time of the check, in s.

        Raises
        ------
        ModelError
            One is not.
        """
        if len(self.layout.motion_storage):
            q, v = self._stated_initial()
            self.kernels.prescribe(self.prepared, t, q, v)
            self._checked_configuration(q, f"prescribed motion at t = {t:g}")

    def _stated_initial(self) -> tuple[Array, Array]:
        """Stated initial values of all nodes."""
        single_q, single_v = self.kernels.initial(self.prepared)
        q, v = np.empty(self.layout.storage), np.empty(self.layout.dimension)
        position_q = position_v = 0
        stated = {n["name"]: n for n in self.layout.manifest["nodes"]}
        for node in self.layout.nodes:
            if node.is_array:
                q[node.storage] = np.ravel(stated[node.name]["storage"])
                v[node.velocity] = np.ravel(stated[node.name]["velocity"])
            else:
                width, dimension = node.type["storage"], node.type["dimension"]
                q[node.storage] = single_q[position_q : position_q + width]
                v[node.velocity] = single_v[position_v : position_v + dimension]
                position_q += width
                position_v += dimension
        return q, v

    def _checked_configuration(self, q: Array, what: str) -> Array:
        # normalize returns to the group quadratically, so a stated element that is off by more than rounding moves.
        moved = self.kernels.normalize(q)
        for node in self.layout.nodes:
            with np.errstate(invalid="ignore"):
                defect = float(np.abs(moved[node.storage] - q[node.storage]).max())
            if not defect <= 1e-6 or _is_degenerate(node, q[node.storage]):
                raise ModelError(
                    f"The {what} of node '{node.name}' is not in {node.type['name']} "
                    f"(off by {defect:.2g}); rotation matrices must be orthogonal with determinant 1, quaternions of "
                    "unit length."
                )
        return self.kernels.normalize(moved)

    def driver_library(self, source: Mapping[str, str]) -> tuple[Library, float]:
        """The library of this model with a method's time loop, and the seconds it took to compile.

        Parameters
        ----------
        source
            Text of the driver, by file name.
        """
        start = time.perf_counter()
        algebra = "fixed_algebra.h" if self.layout.is_fixed else "structured_algebra.h"
        headers = included_headers((*KERNEL_HEADERS, algebra, *DRIVER_HEADERS))
        path, compiled = compiled_library({**_c_files(self.files), **headers, **source}, "driver.c", self.optimize)
        library = Library(path, self.layout.interface_hash)
        return library, time.perf_counter() - start if compiled else 0.0


def _c_files(files: Mapping[str, str]) -> dict[str, str]:
    kinds = (".c", ".h")
    return {n: text for n, text in files.items() if n.endswith(kinds) and not n.endswith("_tangents.c")}


def _is_degenerate(node: NodeSlice, storage: Array) -> bool:
    """Whether a stored matrix is a reflection or a projection, or a quaternion zero: normalize leaves these alone."""
    rows = storage.reshape(node.count, -1)
    for f in node.type["storage_fields"]:
        part = slice(f["offset"], f["offset"] + int(np.prod(f["shape"])))
        if np.any(node.type["identity"][part]) and not np.all(np.abs(rows[:, part]).max(axis=1) > 1e-6):
            return True
        if f["shape"] == [3, 3] and np.any(np.linalg.det(rows[:, part].reshape(-1, 3, 3)) < 1e-6):
            return True
    return False


def _numbers(what: str, value: Any, size: int, count: int = 1) -> Array:
    """Rows of ``size`` numbers, shape (count, size), or (1, size) for all of them."""
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise ModelError(f"The {what} must be numbers, not {value!r}.") from error
    if array.size not in (size, count * size):
        several = f"{count} × {size} or {size}" if count > 1 else str(size)
        raise ModelError(f"The {what} needs {several} components, not {array.size}.")
    if not np.all(np.isfinite(array)):
        raise ModelError(f"The {what} is not finite: {value!r}.")
    return array.reshape(-1, size)


def load_system(
    files: Mapping[str, str],
    manifest: dict[str, Any],
    *,
    backend: str = "auto",
    optimize: str = "default",
    derive_seconds: float = 0.0,
    tangent_source: Callable[[], Mapping[str, str]] | None = None,
) -> System:
    """Build a system from generated files.

    Parameters
    ----------
    files
        Generated files by name.
    manifest
        The parsed manifest.
    backend, optimize
        As in `Equations.compile`.
    derive_seconds
        Reported in the statistics.
    tangent_source
        Gives the files of the Newton matrices when they are first needed, if the generated files lack them.

    Raises
    ------
    NoCompilerError
        ``backend="c"`` without a compiler.
    FormatError
        Files are missing or do not belong together.
    """
    if backend not in BACKENDS:
        raise UnknownNameError(f"Unknown backend '{backend}'; use one of: {', '.join(BACKENDS)}.")
    if optimize not in OPTIMIZATIONS:
        raise UnknownNameError(f"Unknown optimize '{optimize}'; use one of: {', '.join(OPTIMIZATIONS)}.")
    layout = Layout(manifest)
    seconds = 0.0
    kernels: Kernels | None = None
    if backend != "numpy":
        try:
            start = time.perf_counter()
            sources = {**_c_files(files), **included_headers(KERNEL_HEADERS)}
            path, compiled = compiled_library(sources, f"{layout.name}.c", optimize)
            seconds = time.perf_counter() - start if compiled else 0.0
            kernels = CKernels(layout, Library(path, layout.interface_hash))
        except NoCompilerError as error:
            if backend == "c":
                raise
            print(f"symlie: {error} Continuing with NumPy, which is slower.", file=sys.stderr)
    chosen = "c" if kernels is not None else "numpy"
    if kernels is None:
        name = f"{layout.name}.py"
        if name not in files:
            raise FormatError(f"The generated files of '{layout.name}' lack {name}; generate the model again.")
        kernels = NumpyKernels(layout, files[name])
    return System(
        layout,
        files,
        chosen,
        optimize,
        kernels,
        algebra_of(layout),
        layout.parameter_defaults,
        layout.element_parameters,
        LazyTangents(layout, files, tangent_source, chosen == "c", optimize),
        timings=Timings(derive_seconds, seconds),
    )


def load(folder: str | Path, *, backend: str = "auto", optimize: str = "default") -> System:
    """Load a folder written by `symlie generate`; SymPy is not needed.

    Parameters
    ----------
    folder
        The generated folder.
    backend
        ``"c"``, ``"numpy"`` or ``"auto"``.
    optimize
        ``"default"``, ``"contract"`` or ``"portable"``.

    Raises
    ------
    FormatError
        It is not a generated folder of this version.
    """
    folder = Path(folder)
    manifest = read_manifest(folder)
    kinds = {".c", ".h", ".py", ".json"}
    files = {p.name: p.read_text(encoding="utf-8") for p in folder.iterdir() if p.suffix in kinds}
    return load_system(files, manifest, backend=backend, optimize=optimize)
