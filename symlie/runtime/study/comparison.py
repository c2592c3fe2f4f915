"""What the runs of a study are compared by: states at the end, or the course of nodes or of points of curves."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Generic, TypeVar

import numpy as np

from symlie.contract.manifest import NodeType
from symlie.errors import ModelError, UnknownNameError
from symlie.rotations import rotation_form
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.system import System
from symlie.showing import Brief

NORMS = ("end", "max", "l2")
"""At the end time, of configurations the largest of a node; the largest of that over the run; root of the mean square
of all components, the largest over the run."""

MOST_TIMES = 100
"""Times that courses are compared at, at most, besides the start."""

Seen = TypeVar("Seen")


@dataclass(frozen=True, repr=False)
class Measured(Brief):
    """One number for each kind of variable; ``None`` where there is none."""

    q: float | None = None
    """Largest ‖log(q_ref⁻¹∘q)‖ of a node, or ‖q - q_ref‖ of stored components where it is on no group."""
    v: float | None = None
    """‖v - v_ref‖; ``None`` without velocities."""
    multipliers: float | None = None
    """‖λ - λ_ref‖ / ‖λ_ref‖; ``None`` without constraints."""
    outputs: float | None = None
    """‖y - y_ref‖ of outputs, where these are compared; then nothing else is."""

    def to_json(self) -> dict[str, float | None]:
        """Numbers by name of the kind: those of states, or that of outputs."""
        if self.outputs is not None:
            return {"outputs": self.outputs}
        return {"q": self.q, "v": self.v, "multipliers": self.multipliers}

    @property
    def has_errors(self) -> bool:
        """Whether something was compared."""
        return any(getattr(self, f.name) is not None for f in fields(self))

    def order_against(self, coarser: Measured, ratio: float) -> Measured:
        """Observed orders from a coarser step that is ``ratio`` times as long."""

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
        """Last record of a solution."""
        return cls(solution.q[-1], solution.v[-1], solution.multipliers[-1])


def error_against(system: System, state: EndState, reference: EndState) -> Measured:
    """Errors of a state."""
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
    """How runs are compared.

    Attributes
    ----------
    times
        Times that runs hit exactly, in s.
    seen
        What is compared of a run, or of a reference, on the grid of a value.
    error
        Errors of what is seen, against another.
    """

    times: Sequence[float]
    seen: Callable[[EndState | Solution, float], Seen]
    error: Callable[[Seen, Seen], Measured]


def end_state(found: EndState | Solution) -> EndState:
    """The state at the end of a run, or one that is given."""
    return found if isinstance(found, EndState) else EndState.of(found)


def check_norm(norm: str, at: Sequence[float] | None) -> None:
    """Check the name of a norm, and that arc lengths belong to it.

    Raises
    ------
    UnknownNameError
        There is no such norm.
    ModelError
        Arc lengths without the norm that uses them.
    """
    if norm not in NORMS:
        raise UnknownNameError(f"There is no norm {norm!r}; it is {' or '.join(NORMS)}.")
    if at is not None and norm != "l2":
        raise ModelError("Arc lengths belong to the norm l2; leave out 'at', or take norm='l2'.")


def check_outputs(layout: Layout, names: Sequence[str]) -> None:
    """Check names of outputs.

    Raises
    ------
    UnknownNameError
        The model has no such output.
    ModelError
        No output is named, since the model has none.
    """
    if not names:
        raise ModelError(f"'{layout.name}' has no outputs to compare; state some with Model.output.")
    for name in names:
        if name not in layout.outputs:
            raise UnknownNameError(f"'{layout.name}' has no output '{name}'; it has: {', '.join(layout.outputs)}.")


@dataclass(frozen=True, eq=False, repr=False)
class Course(Brief):
    """Configurations and velocities over time of nodes or points of some types, shape (times, points, components)."""

    parts: tuple[tuple[NodeType, Array, Array], ...]


def compared_times(t_end: float, h: float) -> list[float]:
    """Multiples of a step size, at most `MOST_TIMES`, and the end time.

    Parameters
    ----------
    t_end, h
        In s.
    """
    count = max(1, round(t_end / h))
    stride = math.ceil(count / MOST_TIMES)
    return [*(h * stride * k for k in range(math.ceil(count / stride))), t_end]


def states_over_time(system: System, t_end: float, h: float) -> Comparison[Sequence[EndState]]:
    """The comparison of states, each error the largest over the run.

    Parameters
    ----------
    system
        The system.
    t_end, h
        End time and a step size, in s, see `compared_times`.
    """
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


def outputs_over_time(names: Sequence[str], t_end: float, h: float, norm: str) -> Comparison[Array]:
    """The comparison of outputs, which systems with other coordinates have as well.

    Parameters
    ----------
    names
        Names of outputs.
    t_end, h
        End time and a step size, in s, see `compared_times`.
    norm
        A norm, of all components of the outputs together.
    """
    times = [t_end] if norm == "end" else compared_times(t_end, h)

    def seen(found: EndState | Solution, value: float) -> Array:
        states = _over_time(found, times)
        return np.hstack([np.reshape(states.outputs[name], (len(times), -1)) for name in names])

    def error(found: Array, reference: Array) -> Measured:
        squares = np.sum((found - reference) ** 2, axis=1) / (found.shape[1] if norm == "l2" else 1)
        return Measured(outputs=float(np.sqrt(squares.max())))

    return Comparison(times, seen, error)


def _over_time(found: EndState | Solution, times: Sequence[float]) -> Solution:
    """A run at the times that are compared."""
    if isinstance(found, EndState):
        raise ModelError(
            "What is compared over the run, or by outputs, needs a solution as reference, or none; a state at the end "
            "is not enough."
        )
    if np.array_equal(found.t, times):
        return found
    states = found(times)
    assert isinstance(states, Solution)
    return states


def courses(t_end: float, h: float, points: Mapping[str, Array] | None) -> Comparison[Course]:
    """The comparison of courses in the discrete L² norm.

    Parameters
    ----------
    t_end, h
        End time and a step size, in s: times are multiples of it, at most `MOST_TIMES`.
    points
        Arc lengths on each curve, in m; ``None`` takes the nodes.
    """
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
    """Arc lengths at which each curve of a model is compared: those given, or those of its nodes.

    Raises
    ------
    ModelError
        The model has no curve.
    """
    if not layout.curves:
        raise ModelError(
            f"'{layout.name}' has no rod or other curve, so there are no arc lengths to compare at; see Model.curve."
        )
    given = None if at is None else np.array(at, dtype=float)
    return {name: curve.arc if given is None else given for name, curve in layout.curves.items()}


def l2_error(found: Course, reference: Course) -> Measured:
    """Largest over the times of √(Σ‖q - Q‖²/n) with n components of all points, and that of v.

    Unit quaternions p and -p are one rotation; the nearer sign is taken. Source: [Hante2022], section 5.2.
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
    """Configurations whose unit quaternions have the sign that is nearer to a reference."""
    turned = q.copy()
    for field in kind.storage_fields:
        if rotation_form(field.name, field.shape) == "quaternion":
            agreement = np.sum(q[..., field.part] * reference[..., field.part], axis=-1, keepdims=True)
            turned[..., field.part] *= np.where(agreement < 0, -1.0, 1.0)
    return turned
