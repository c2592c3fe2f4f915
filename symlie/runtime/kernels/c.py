"""Kernels of a system in compiled code."""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from symlie.compile.library import Library, Pointer
from symlie.runtime.kernels.c_structures import Member, Structures, in_memory
from symlie.runtime.kernels.c_tables import ProblemTables, ProblemTemplate, problem_tables
from symlie.runtime.kernels.hermite import INVERSE_SERIES, LAST_TERM, QUINTIC
from symlie.runtime.kernels.protocol import QUANTITIES, Prepared, States, result_size, system_kernel
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.linear.schur import Products


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


class _OneState(threading.local):
    """Arguments of ``symlie_observe`` for the acceleration at one state: arrays of each thread with fixed addresses."""

    def __init__(self, layout: Layout, library: Library) -> None:
        self.t, self.q, self.v = np.empty(1), np.empty(layout.storage), np.empty(layout.dimension)
        self.a, self.multipliers = np.empty(layout.dimension), np.empty(layout.rows)
        self.states, self.values = library.new("symlie_states *"), library.new("symlie_values *")
        self.states.count = 1
        for name in ("t", "q", "v"):
            setattr(self.states, name, library.pointer(getattr(self, name)))
        self.values.acceleration = library.pointer(self.a)
        if layout.rows:
            self.values.multipliers = library.pointer(self.multipliers)


class CKernels:
    """Kernels of a compiled library.

    Parameters
    ----------
    layout
        Layout of the system.
    library
        The library.
    tables
        Integer tables of the topology; default: those of the layout.
    """

    def __init__(self, layout: Layout, library: Library, tables: ProblemTables | None = None) -> None:
        self._layout = layout
        self.library = library
        self._template = ProblemTemplate(library, layout, tables or problem_tables(layout))
        self._starts, self._starts_held = in_memory(library, starts_structure(layout))
        self._nothing = np.zeros(1)
        self._widths = quantity_sizes(layout)
        self._one = _OneState(layout, library)

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
    def _products(self) -> Products:
        return Products(self._layout)

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
        sizes = sum(layout.outputs[name][0].stop - layout.outputs[name][0].start for name in outputs)
        found = {name: np.zeros((count, *self._widths[name])) for name in quantities}
        found["outputs"] = np.empty((count, sizes))
        values = self.library.ffi.new("symlie_values *", {"outputs_wanted": len(wanted)})
        kept = {name: self.library.pointer(array) for name, array in found.items()}
        kept["wanted"] = self.library.pointer(wanted, "long long[]")
        for name, memory in kept.items():
            setattr(values, name, memory)
        of_each = count // len(p.model) if p.model.ndim > 1 else 0
        described, held = c_states(self.library, states, of_each)
        problem = self.problem(p)
        self.library.call.symlie_observe(problem, described, values, self.observation_workspace(problem))
        del held
        return found

    def observation_workspace(self, problem: Pointer) -> Pointer:
        """Workspace of a call of ``symlie_observe``; calls in several threads must not share it."""
        if self._layout.is_fixed:
            return self.library.ffi.NULL
        return self.library.pointer(np.empty(self.library.call.symlie_observation_workspace(problem)))

    def accelerations(self, p: Prepared, states: States) -> tuple[Array, Array, int]:
        layout, library = self._layout, self.library
        count, pointer = len(states.t), library.pointer
        a, multipliers = np.empty((count, layout.dimension)), np.empty((count, layout.rows))
        described = library.new("symlie_states *")
        described.count, described.t = count, pointer(states.t)
        described.q, described.v = pointer(states.q), pointer(states.v)
        if p.model.ndim > 1:
            described.of_each = count // len(p.model)
        values = library.new("symlie_values *")
        values.acceleration = pointer(a)
        if layout.rows:
            values.multipliers = pointer(multipliers)
        problem = self.problem(p)
        determined = library.call.symlie_observe(problem, described, values, self.observation_workspace(problem))
        return a, multipliers, determined

    def acceleration_at(self, p: Prepared, t: float, q: Array, v: Array) -> tuple[Array, Array, bool]:
        one, problem = self._one, self.problem(p)
        one.t[0], one.q[:], one.v[:] = t, q, v
        workspace = self.observation_workspace(problem)
        determined = self.library.call.symlie_observe(problem, one.states, one.values, workspace)
        return one.a.copy(), one.multipliers.copy(), determined == 1

    def inverse_dynamics_of(self, p: Prepared, states: States, acceleration: Array) -> Array:
        layout, library = self._layout, self.library
        if not layout.has_inverse_dynamics:
            terms = self.observe(p, states, ("mass", "force"))
            return self._products.apply_mass(terms["mass"], acceleration) + terms["force"]
        found, given = np.empty_like(acceleration), np.ascontiguousarray(acceleration)
        of_each = len(states.t) // len(p.model) if p.model.ndim > 1 else 0
        described, held = c_states(library, states, of_each)
        values = library.new("symlie_values *")
        values.given, values.inverse_dynamics = library.pointer(given), library.pointer(found)
        problem = self.problem(p)
        library.call.symlie_observe(problem, described, values, self.observation_workspace(problem))
        del held
        return found

    def normalize_rows(self, q: Array) -> Array:
        out, pointer = np.empty_like(q), self.library.pointer
        self.library.call.symlie_normalize_rows(self.problem(self._topology), len(q), pointer(q), pointer(out))
        return out

    def prescribe_rows(self, p: Prepared, t: Array, q: Array, v: Array) -> None:
        pointer = self.library.pointer
        self.library.call.symlie_prescribe_rows(self.problem(p), len(t), pointer(t), pointer(q), pointer(v))

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


def quantity_sizes(layout: Layout) -> dict[str, tuple[int, ...]]:
    """Return the shape of each quantity of `Kernels.observe` at one state."""
    of_velocities = ("constraint_force", "acceleration", "force")
    sizes: dict[str, tuple[int, ...]] = dict.fromkeys(of_velocities, (layout.dimension,))
    sizes |= dict.fromkeys(("multipliers", "constraint", "hidden_residual"), (layout.rows,))
    sizes |= {name: (len(layout.assembled(name)[0]),) for name in ("mass", "jacobian")}
    return {name: sizes.get(name, ()) for name in QUANTITIES}


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
