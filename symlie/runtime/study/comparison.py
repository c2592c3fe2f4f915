"""Quantities that are compared between the runs of a study: end states, outputs, or trajectories of nodes and curve
points."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Generic, TypeVar, get_args

import numpy as np

from symlie.contract.manifest import NodeType
from symlie.errors import ModelError, UnknownNameError
from symlie.options import Norm
from symlie.rotations import rotation_form
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.system import System
from symlie.utilities.showing import Brief

NORMS = get_args(Norm)
"""Norms: at the end time (for configurations the largest error of a node); the maximum of this error over the run; the
maximum over the run of the root mean square of all components."""

MOST_TIMES = 100
"""Largest number of times, in addition to the start, at which trajectories are compared."""

Seen = TypeVar("Seen")


@dataclass(frozen=True, repr=False)
class Measured(Brief):
    """One number for each kind of variable; ``None`` if the kind does not occur."""

    q: float | None = None
    """Largest ‖log(q_ref⁻¹∘q)‖ of a node, or ‖q - q_ref‖ of the stored components if the node is not on a group."""
    v: float | None = None
    """‖v - v_ref‖; ``None`` without velocities."""
    multipliers: float | None = None
    """‖λ - λ_ref‖ / ‖λ_ref‖; ``None`` without constraints."""
    outputs: float | None = None
    """‖y - y_ref‖ if outputs are compared; the other fields are then ``None``."""

    def to_json(self) -> dict[str, float | None]:
        """Return the errors by type of variable, of states or of outputs."""
        if self.outputs is not None:
            return {"outputs": self.outputs}
        return {"q": self.q, "v": self.v, "multipliers": self.multipliers}

    @property
    def has_errors(self) -> bool:
        """True if at least one kind was compared."""
        return any(getattr(self, f.name) is not None for f in fields(self))

    def order_against(self, coarser: Measured, ratio: float) -> Measured:
        """Compute the observed orders relative to a run whose step size is larger by the factor ``ratio``."""

        def order(fine: float | None, coarse: float | None) -> float | None:
            return math.log(coarse / fine) / math.log(ratio) if fine and coarse else None

        return Measured(**{f.name: order(getattr(self, f.name), getattr(coarser, f.name)) for f in fields(self)})


@dataclass(frozen=True, eq=False, repr=False)
class EndState(Brief):
    """State at the end time."""

    q: Array
    v: Array
    multipliers: Array

    @classmethod
    def of(cls, solution: Solution) -> EndState:
        """Return the last record of a solution."""
        return cls(solution.q[-1], solution.v[-1], solution.multipliers[-1])


def error_against(system: System, state: EndState, reference: EndState) -> Measured:
    """Compute the errors of a state against a reference; the error of multipliers is relative."""
    layout = system.layout
    difference = system.kernels.difference(reference.q, state.q)
    largest = max(float(np.linalg.norm(difference[node.velocity])) for node in layout.nodes if node.is_state)
    relative = None
    if system.layout.rows:
        size = float(np.linalg.norm(reference.multipliers))
        relative = float(np.linalg.norm(state.multipliers - reference.multipliers)) / (size or 1.0)
    own = layout.has_velocity & layout.integrated
    faster = float(np.linalg.norm((state.v - reference.v)[own])) if own.any() else None
    return Measured(largest, faster, relative)


@dataclass(frozen=True)
class Comparison(Generic[Seen]):
    """Method of comparison: output times in s, a function that extracts the compared quantities from a run or
    reference, and their error."""

    times: Sequence[float]
    seen: Callable[[EndState | Solution, float], Seen]
    error: Callable[[Seen, Seen], Measured]


def end_state(found: EndState | Solution) -> EndState:
    """Return the end state of a run, or the given state itself."""
    return found if isinstance(found, EndState) else EndState.of(found)


def check_norm(norm: Norm, at: Sequence[float] | None) -> None:
    """Check the name of a norm, and that arc lengths are given only with the norm l2."""
    if norm not in NORMS:
        raise UnknownNameError(f"Unknown norm {norm!r}; use {' or '.join(NORMS)}.")
    if at is not None and norm != "l2":
        raise ModelError("Arc lengths require the norm l2; omit 'at', or use norm='l2'.")


def check_outputs(layout: Layout, names: Sequence[str]) -> None:
    """Check that at least one output is named and that the model has all of them."""
    if not names:
        raise ModelError(f"'{layout.name}' has no outputs to compare; define some with Model.output.")
    for name in names:
        if name not in layout.outputs:
            raise UnknownNameError(f"'{layout.name}' has no output '{name}'; it has: {', '.join(layout.outputs)}.")


@dataclass(frozen=True, eq=False, repr=False)
class Course(Brief):
    """Trajectories (type, q, v) of each node array or curve, shape (times, points, components)."""

    parts: tuple[tuple[NodeType, Array, Array], ...]


def compared_times(t_end: float, h: float) -> list[float]:
    """Return at most `MOST_TIMES` equidistant multiples of the step size, and the end time, in s."""
    count = max(1, round(t_end / h))
    stride = math.ceil(count / MOST_TIMES)
    return [*(h * stride * k for k in range(math.ceil(count / stride))), t_end]


def states_over_time(system: System, t_end: float, h: float) -> Comparison[Sequence[EndState]]:
    """Return the comparison of states by the maximum of each error over the run, at `compared_times`."""
    times = compared_times(t_end, h)

    def seen(found: EndState | Solution, value: float) -> Sequence[EndState]:
        states = _over_time(found, times)
        return [EndState(*parts) for parts in zip(states.q, states.v, states.multipliers, strict=True)]

    def error(states: Sequence[EndState], others: Sequence[EndState]) -> Measured:
        errors = [error_against(system, one, other) for one, other in zip(states, others, strict=True)]

        def largest(name: str) -> float | None:
            known = [x for e in errors if (x := getattr(e, name)) is not None]
            return max(known) if known else None

        return Measured(largest("q"), largest("v"), largest("multipliers"))

    return Comparison(times, seen, error)


def outputs_over_time(names: Sequence[str], t_end: float, h: float, norm: Norm) -> Comparison[Array]:
    """Return the comparison of outputs in one norm of all components; it also applies to systems in other
    coordinates."""
    times = [t_end] if norm == "end" else compared_times(t_end, h)

    def seen(found: EndState | Solution, value: float) -> Array:
        states = _over_time(found, times)
        return np.hstack([np.reshape(states.outputs[name], (len(times), -1)) for name in names])

    def error(found: Array, reference: Array) -> Measured:
        squares = np.sum((found - reference) ** 2, axis=1) / (found.shape[1] if norm == "l2" else 1)
        return Measured(outputs=float(np.sqrt(squares.max())))

    return Comparison(times, seen, error)


def _over_time(found: EndState | Solution, times: Sequence[float]) -> Solution:
    """Return the states of a run at the compared times."""
    if isinstance(found, EndState):
        raise ModelError(
            "A comparison over the run, or of outputs, requires a solution as reference, or none; a final state is "
            "not enough."
        )
    if np.array_equal(found.t, times):
        return found
    states = found(times)
    assert isinstance(states, Solution)
    return states


def courses(t_end: float, h: float, points: Mapping[str, Array] | None) -> Comparison[Course]:
    """Return the comparison of trajectories in the discrete L² norm, at arc lengths in m on each curve or at nodes."""
    times = np.array(compared_times(t_end, h))

    def seen(found: EndState | Solution, value: float) -> Course:
        if isinstance(found, EndState):
            raise ModelError("The norm l2 compares over the whole run; give a solution as reference, or none.")
        if points is not None:
            on_curves = [found.at(name, s, times) for name, s in points.items()]
            return Course(tuple((states.type, states.q, states.v) for states in on_curves))
        states = found(times)
        nodes = [node for node in found.system.layout.nodes if node.is_state]
        return Course(
            tuple(
                (
                    node.type,
                    states.q[:, node.storage].reshape(len(times), node.count, -1),
                    states.v[:, node.velocity].reshape(len(times), node.count, -1),
                )
                for node in nodes
            )
        )

    return Comparison(times.tolist(), seen, l2_error)


def points_of(layout: Layout, at: Sequence[float] | None) -> dict[str, Array]:
    """Return the arc lengths at which each curve is compared: the specified ones, or those of its nodes."""
    if not layout.curves:
        raise ModelError(
            f"'{layout.name}' has no rod or other curve, so it has no arc lengths for a comparison; see Model.curve."
        )
    given = None if at is None else np.array(at, dtype=float)
    return {name: curve.arc if given is None else given for name, curve in layout.curves.items()}


def l2_error(found: Course, reference: Course) -> Measured:
    """Compute the maximum over time of √(Σ‖q - Q‖²/n), with n components of all points, and the same for v.

    Source: [Hante2022], section 5.2.
    """
    squares = [np.zeros(()), np.zeros(())]
    sizes = [0, 0]
    for (kind, *values), (_, *others) in zip(found.parts, reference.parts, strict=True):
        values[0] = nearer(kind, values[0], others[0])
        for k, (one, other) in enumerate(zip(values, others, strict=True)):
            if k == 1 and not kind.velocities:
                continue
            squares[k] = squares[k] + np.sum((one - other) ** 2, axis=(1, 2))
            sizes[k] += one.shape[1] * one.shape[2]
    q, v = (float(np.sqrt(np.max(total) / size)) if size else None for total, size in zip(squares, sizes, strict=True))
    return Measured(q, v)


def nearer(kind: NodeType, q: Array, reference: Array) -> Array:
    """Return configurations with the sign of each unit quaternion nearest to a reference: p and -p are the same
    rotation."""
    turned = q.copy()
    for field in kind.storage_fields:
        if rotation_form(field.name, field.shape) == "quaternion":
            agreement = np.sum(q[..., field.part] * reference[..., field.part], axis=-1, keepdims=True)
            turned[..., field.part] *= np.where(agreement < 0, -1.0, 1.0)
    return turned
