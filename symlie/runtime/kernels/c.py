"""Kernels of a system in compiled code."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from symlie.compile.library import Library, Pointer
from symlie.runtime.kernels.c_structures import Member, Structures, in_memory
from symlie.runtime.kernels.c_tables import ProblemTemplate, problem_tables
from symlie.runtime.kernels.hermite import INVERSE_SERIES, LAST_TERM, QUINTIC
from symlie.runtime.kernels.protocol import Prepared, States, result_size, system_kernel
from symlie.runtime.layout.layout import Array, Layout


class OrdinaryStarts(NamedTuple):
    """Initial states of n systems; entries of states that need the full check are meaningless.

    Attributes
    ----------
    is_ordinary
        Flags of states that need no further check, shape (n,).
    q, v, multipliers
        q₀ (n, storage), v₀ (n, dimension), λ₀ (n, rows).
    """

    is_ordinary: NDArray[np.bool_]
    q: Array
    v: Array
    multipliers: Array


class ErrorNorm(NamedTuple):
    """Tolerances and weights of the errors of (θ, v), shape (2 dimension,)."""

    rtol: Array
    atol: Array
    weight: Array


class CKernels:
    """Kernels of a compiled library.

    Attributes
    ----------
    library
        The library.
    """

    def __init__(self, layout: Layout, library: Library) -> None:
        self._layout = layout
        self.library = library
        self._template = ProblemTemplate(library, layout, problem_tables(layout))
        self._starts, self._starts_held = in_memory(library, starts_structure(layout))
        self._nothing = np.zeros(1)

    def __getattr__(self, name: str) -> Callable[..., Array]:
        kernel = system_kernel(name)
        size = result_size(kernel, self._layout)
        if kernel.of_nodes:
            function = functools.partial(self._call, name, size, None)
        else:
            function = functools.partial(self._call, name, size)
        self.__dict__[name] = function
        return function

    def prepare(self, parameters: Array, elements: Sequence[Array]) -> Prepared:
        """Preprocess parameters as `Kernels.prepare`; several systems add a leading axis."""
        counts = parameters.shape[:-1]
        size = self._layout.prepared_parameters
        model = self._prepared_rows(-1, size, _flat(parameters), self._nothing[None], 1)
        prepared = []
        for k, (element, rows) in enumerate(zip(self._layout.elements, elements, strict=True)):
            each = rows.shape[-2]
            found = self._prepared_rows(k, element.prepared_parameters, model, _flat(rows), each)
            prepared.append(found.reshape(*counts, each, element.prepared_parameters))
        return Prepared(model.reshape(*counts, size), tuple(prepared))

    def _prepared_rows(self, element: int, size: int, models: Array, rows: Array, each: int) -> Array:
        pointer, count = self.library.pointer, len(models) * each
        models, rows = np.ascontiguousarray(models), np.ascontiguousarray(rows)
        out = np.empty((count, size))
        self.library.call.symlie_prepare_rows(
            element, count, each, pointer(models), models.shape[1], pointer(rows), rows.shape[1], pointer(out), size
        )
        return out

    def problem(self, p: Prepared) -> Pointer:
        """C structure of the system with these parameters."""
        if id(self) not in p.cache:
            p.cache[id(self)] = self._template.problem(p)
        return p.cache[id(self)][0]

    def _call(self, name: str, size: int, p: Prepared | None, *arguments: Array | float) -> Array:
        out = np.empty(size)
        pointer = self.library.pointer
        converted = [
            pointer(np.ascontiguousarray(a, dtype=float)) if isinstance(a, np.ndarray) else a for a in arguments
        ]
        problem = self.problem(p if p is not None else self._topology)
        getattr(self.library.call, f"symlie_{name}")(problem, *converted, pointer(out))
        return out

    @functools.cached_property
    def _topology(self) -> Prepared:
        """C structure with zero parameters, for node kernels, which depend only on the number of nodes."""
        zeros = tuple(np.zeros((1, e.prepared_parameters)) for e in self._layout.elements)
        return Prepared(np.zeros(self._layout.prepared_parameters), zeros)

    def initial(self, p: Prepared) -> tuple[Array, Array]:
        """Initial values as `Kernels.initial`; several systems add a leading axis."""
        counts = p.model.shape[:-1]
        q, v = (np.empty((*counts, size)) for size in self._layout.computed_initially)
        pointer = self.library.pointer
        rows = (part for x in (q, v) for part in (pointer(x), x.shape[-1]))
        self.library.call.symlie_initial_rows(self.problem(p), math.prod(counts), *rows)
        return q, v

    def begin(self, p: Prepared, t: float, stated: Array, v: Array, given: NDArray[np.bool_]) -> OrdinaryStarts:
        """Complete specified states (n, storage) and (n, dimension) at time t in s, unless they need the full check.

        `given` marks the specified velocity components, shape (dimension,); `p` has the parameters of one system per
        state.
        """
        pointer, layout, count = self.library.pointer, self._layout, len(stated)
        held, problem = given | ~layout.free, self.problem(p)
        stated = np.ascontiguousarray(stated, dtype=float)
        q, multipliers = np.empty((count, layout.storage)), np.zeros((count, layout.rows))
        v = np.where(held & layout.free, v, 0.0)
        is_ordinary, is_open = np.zeros(count, dtype=bool), ~held
        described = self.library.ffi.new("symlie_starts *", self._starts[0])
        described.count, described.t = count, t
        for name, array in (("stated", stated), ("q", q), ("v", v), ("lambda", multipliers)):
            setattr(described, name, pointer(array))
        described.is_ordinary = pointer(is_ordinary, "unsigned char[]")
        described.is_open = pointer(is_open, "unsigned char[]")
        workspace = np.empty(self.library.call.symlie_begin_workspace(problem))
        self.library.call.symlie_begin(problem, described, pointer(workspace))
        return OrdinaryStarts(is_ordinary, q, v, multipliers)

    def first_steps(self, p: Prepared, states: States, norm: ErrorNorm, order: int, longest: float) -> Array:
        """Initial step sizes for an adaptive method of the given order, in s, shape (n,), at most `longest`."""
        pointer, problem, h = self.library.pointer, self.problem(p), np.empty(len(states.t))
        held = {name: pointer(array) for name, array in norm._asdict().items()}
        control = self.library.ffi.new("symlie_control *", held)
        described, kept = c_states(self.library, states)
        workspace = pointer(np.empty(self.library.call.symlie_first_step_workspace(problem)))
        self.library.call.symlie_first_steps(problem, described, control, order, longest, pointer(h), workspace)
        del held, kept
        return h

    def chart(self, q: Array, u: Array) -> float:
        q, u, pointer = np.ascontiguousarray(q), np.ascontiguousarray(u), self.library.pointer
        return float(self.library.call.symlie_chart(self.problem(self._topology), pointer(q), pointer(u)))

    def prescribe(self, p: Prepared, t: float, q: Array, v: Array) -> None:
        pointer = self.library.pointer
        self.library.call.symlie_prescribe(self.problem(p), t, pointer(q), pointer(v))

    def prescribed_acceleration(self, p: Prepared, t: float) -> Array:
        return self._call("prescribed_acceleration", self._layout.dimension, p, t)

    def field(self, p: Prepared, t: float, q: Array, a: Array, multipliers: Array, v: Array) -> Array:
        if not self._layout.has_fields:
            return v
        moved = np.array(v, dtype=float)
        pointer = self.library.pointer
        inputs = [np.ascontiguousarray(x, dtype=float) for x in (q, a, multipliers)]
        self.library.call.symlie_field(self.problem(p), t, *map(pointer, inputs), pointer(moved))
        return moved

    def symplectic(self, p: Prepared, t: float, q: Array, u: Array, h: float, theta: float) -> tuple[Array, Array]:
        residual, matrix = np.empty(len(u)), np.empty((len(u), len(u)))
        pointer = self.library.pointer
        q, u = np.ascontiguousarray(q), np.ascontiguousarray(u)
        outputs = pointer(residual), pointer(matrix)
        self.library.call.symlie_symplectic(self.problem(p), t, pointer(q), pointer(u), h, theta, *outputs)
        return residual, matrix

    def symplectic_end(self, p: Prepared, t: float, q: Array, u: Array, h: float, theta: float) -> Array:
        return self._call("symplectic_end", self._layout.storage, p, t, q, u, h, theta)

    def outputs(self, p: Prepared, t: float, q: Array, v: Array, multipliers: Array) -> Array:
        state = States(np.array([t], dtype=float), q[None], v[None], multipliers[None])
        values = self.observe(p, state, (), tuple(self._layout.outputs))["outputs"]
        return values.ravel()

    def observe(
        self, p: Prepared, states: States, quantities: Collection[str], outputs: Sequence[str] = ()
    ) -> dict[str, Array]:
        layout, count = self._layout, len(states.t)
        number = {name: k for k, name in enumerate(layout.outputs)}
        wanted = np.array([number[name] for name in outputs], dtype=np.int64)
        widths = {"constraint_force": layout.dimension, "acceleration": layout.dimension, "multipliers": layout.rows}
        sizes = sum(layout.outputs[name][0].stop - layout.outputs[name][0].start for name in outputs)
        found = {name: np.zeros((count, widths[name]) if name in widths else count) for name in quantities}
        found["outputs"] = np.empty((count, sizes))
        values = self.library.ffi.new("symlie_values *", {"outputs_wanted": len(wanted)})
        kept = {name: self.library.pointer(array) for name, array in found.items()}
        kept["wanted"] = self.library.pointer(wanted, "long long[]")
        for name, memory in kept.items():
            setattr(values, name, memory)
        of_each = count // len(p.model) if p.model.ndim > 1 else 0
        described, held = c_states(self.library, states, of_each)
        problem = self.problem(p)
        workspace = np.empty(self.library.call.symlie_observation_workspace(problem))
        self.library.call.symlie_observe(problem, described, values, self.library.pointer(workspace))
        del held
        return found

    def interpolate(self, p: Prepared, recorded: States, interval: NDArray[np.int64], t: Array) -> States:
        pointer, problem = self.library.pointer, self.problem(p)
        described, held = c_states(self.library, recorded)
        series, hermite = pointer(INVERSE_SERIES), pointer(QUINTIC)
        rule = self.library.ffi.new("symlie_interpolation *", (series, len(INVERSE_SERIES), LAST_TERM, hermite))
        found, asked = asked_states(self.library, self._layout, interval, t)
        workspace = pointer(np.empty(self.library.call.symlie_interpolation_workspace(problem)))
        self.library.call.symlie_interpolate_states(problem, described, rule, *asked, workspace)
        del held
        return found


def starts_structure(layout: Layout) -> Structures:
    """The structure ``symlie_starts``: specified states to be completed."""
    rotations, parts = checked_places(layout)
    places: dict[str, Member] = {}
    if not layout.is_fixed:
        for name in ("mass", "jacobian"):
            for what, indices in zip(("row", "column"), layout.assembled(name), strict=True):
                places[f"{name}_{what}"] = indices.astype(np.int32)
    known: dict[str, Member] = {
        "rotations": len(rotations),
        "rotation_place": rotations,
        "parts": len(parts),
        "part_place": parts,
        "of_velocities": layout.of_velocities.astype(float),
        "is_free": layout.free.astype(np.uint8),
    }
    return Structures("symlie_starts", (known | places,))


def checked_places(layout: Layout) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the first indices of rotation matrices, and the ranges of parts that are nonzero on their groups."""
    rotations, parts = [], []
    for node in layout.nodes:
        for f in node.type.storage_fields:
            starts = range(node.storage.start + f.part.start, node.storage.stop, node.type.storage)
            rotations += list(starts) if f.shape == (3, 3) else []
            if np.any(node.type.identity[f.part]):
                parts += [(begin, begin + f.part.stop - f.part.start) for begin in starts]
    return np.array(rotations, dtype=np.int32), np.array(parts, dtype=np.int32).reshape(-1, 2)


def _flat(rows: Array) -> Array:
    """Merge all leading axes into one."""
    return rows.reshape(math.prod(rows.shape[:-1]), rows.shape[-1])


def c_states(library: Library, states: States, of_each: int = 0) -> tuple[Pointer, list[Pointer]]:
    """States as C structure, the same number for each system or all for one, and the objects that own the memory."""
    arrays = (states.t, states.q, states.v, states.multipliers, states.carried)
    held = [library.pointer(np.ascontiguousarray(array, dtype=float)) for array in arrays]
    return library.ffi.new("symlie_states *", (len(states.t), of_each, *held)), held


def asked_states(
    library: Library, layout: Layout, interval: NDArray[np.int64], t: Array
) -> tuple[States, tuple[Pointer, ...]]:
    """Empty states for C to fill, at times between recorded ones, and the arguments of the call."""
    times, count = np.ascontiguousarray(t, dtype=float), len(t)
    q, v = np.empty((count, layout.storage)), np.empty((count, layout.dimension))
    multipliers, carried = np.empty((count, layout.rows)), np.empty((count, layout.carried_size))
    places = library.pointer(np.ascontiguousarray(interval, dtype=np.int64), "long long[]")
    pointers = map(library.pointer, (times, q, v, multipliers, carried))
    return States(times, q, v, multipliers, carried), (count, places, *pointers)
