"""`optimal_control`: values of inputs that minimise effort and reach a target, by direct single shooting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack

import numpy as np
from numpy.typing import ArrayLike

from symlie.errors import ModelError, NotConvergedError, UnknownNameError
from symlie.runtime.integrate.run_options import RunOptions, SolveOptions
from symlie.runtime.integrate.segments import interval
from symlie.runtime.integrate.sensitivities.gradient import Loss, check_loss
from symlie.runtime.integrate.sensitivities.sensitivity import check_multipliers, output_names_of
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.evaluation.states import checked_state
from symlie.runtime.solution.solution import Solution
from symlie.runtime.solution.state import State
from symlie.runtime.study.shooting import Shooting
from symlie.runtime.system.parameters import real_array
from symlie.runtime.system.system import System
from symlie.utilities.number_checks import is_whole_number
from symlie.utilities.showing import Brief
from symlie.utilities.stated_names import stated_names

if TYPE_CHECKING:
    from symlie.options import Interpolation

MANY = 150
"""Number of values above which SciPy's ``trust-constr`` replaces ``SLSQP``, whose cost grows with their cube."""


@dataclass(frozen=True, eq=False, repr=False)
class OptimalControl(Brief):
    """Optimal inputs, from `optimal_control`.

    Attributes
    ----------
    system
        The system with the optimal tables of its inputs.
    solution
        Its run.
    times
        Times of the tables, in s, shape (knots,).
    values
        Values of each input at these times by name, shape (knots, size).
    cost
        Effort ∫ Σ w u² dt / 2 and loss.
    violation
        Largest deviation from the target, in the units of its components.
    iterations
        Number of iterations of the optimiser.
    """

    system: System
    solution: Solution
    times: Array
    values: Mapping[str, Array]
    cost: float
    violation: float
    iterations: int


def optimal_control(
    system: System,
    t_span: tuple[float, float] | float,
    *,
    controls: str | Sequence[str],
    knots: int = 21,
    interpolation: Interpolation = "linear",
    target: State | None = None,
    outputs: Mapping[str, ArrayLike] | None = None,
    loss: Loss | None = None,
    effort: float | Mapping[str, ArrayLike] = 1.0,
    bounds: Mapping[str, tuple[ArrayLike, ArrayLike]] | None = None,
    guess: Mapping[str, ArrayLike] | None = None,
    tolerance: float = 1e-8,
    max_iterations: int = 200,
    **options: Unpack[SolveOptions],
) -> OptimalControl:
    """Find inputs that minimise their effort and a loss, and lead to a target at the end of a run.

    The values of the inputs at equidistant times are the unknowns of a nonlinear program,

        min ∫ Σ w u² dt / 2 + loss   with   log(q_target⁻¹∘q) = 0,  v = v_target,  y = y_target  at the end,

    with exact derivatives from `sensitivity`. SciPy's SLSQP solves it, or trust-constr for more than 150 values.

    Parameters
    ----------
    system
        The system, at its initial state.
    t_span
        (t₀, t_end), or t_end, in s.
    controls
        Names of the inputs to be determined.
    knots
        Number of equidistant times of each input.
    interpolation
        Interpolation between them, as in `System.with_input`; ``"linear"`` or ``"hold"``.
    target
        State at the end, from `System.state`; for models with constraints use ``outputs``, since the components of a
        state depend on each other there.
    outputs
        Values of outputs at the end by name, in their units.
    loss
        Function of the solution with its derivatives, as in `gradient`.
    effort
        Weight w of the effort, a number or one for each component of an input by name; 0: no effort.
    bounds
        Lower and upper bounds of inputs by name, in their units.
    guess
        Values of inputs at the knots by name, shape (knots,) or (knots, size); default: zero.
    tolerance
        Tolerance of the optimiser on the cost, and on the deviation from the target.
    max_iterations
        Largest number of its iterations.
    **options
        Options of `solve` for the method and fixed steps, as in `sensitivity`.

    Returns
    -------
    OptimalControl
        The inputs and their run.

    Raises
    ------
    UnknownNameError
        If an input or an output does not exist.
    ModelError
        If an argument is invalid, or bounds exclude the guess.
    NotConvergedError
        If the optimiser finds no inputs that reach the target; the message gives the deviation.
    UnsupportedMethodError, IntegrationError
        As in `sensitivity`.
    """
    from scipy.optimize import Bounds, minimize

    check_multipliers(options.get("multipliers", "stage"))
    names = stated_names("controls", controls, "torque")
    if target is None and not outputs and loss is None:
        raise ModelError("Nothing is to be reached: give a target, outputs at the end, or a loss.")
    if loss is not None:
        check_loss(loss)
    run_options = RunOptions.of(dict(options))
    times = np.linspace(*interval(t_span, None), _checked_knots(knots))
    tabled = _with_tables(system, names, times, interpolation, guess or {})
    shooting = Shooting(
        tabled,
        t_span,
        run_options,
        names,
        target=None if target is None else _checked_target(system, target),
        outputs=_checked_outputs(system, outputs or {}),
        loss=loss,
    )
    start, weights = shooting.start, _effort_matrix(tabled, names, effort, interpolation)
    limits = _limits(tabled, names, bounds or {}, start)

    def cost(values: Array) -> tuple[float, Array]:
        shot = shooting.shot(values)
        along = weights @ values
        return float(values @ along) / 2 + shot.loss, along + shot.by_loss

    constrained = {
        "type": "eq",
        "fun": lambda values: shooting.shot(values).defects,
        "jac": lambda values: shooting.shot(values).by_defects,
    }
    many = len(start) > MANY
    found = minimize(
        cost,
        start,
        jac=True,
        method="trust-constr" if many else "SLSQP",
        bounds=Bounds(*limits),
        constraints=[constrained] if len(shooting.shot(start).defects) else [],
        options={"maxiter": max_iterations, "gtol" if many else "ftol": tolerance},
    )
    shot = shooting.shot(found.x)
    violation = float(np.abs(shot.defects).max(initial=0.0))
    if not violation <= max(tolerance, 1e-6) or not np.isfinite(found.fun):
        raise NotConvergedError(
            f"No inputs of '{system.name}' reach the target: after {found.nit} iterations the end deviates by "
            f"{violation:.3g} ({found.message}); use more knots, a longer time, wider bounds, or another guess"
        )
    best = shooting.system_with(found.x)
    tables = {name: best.inputs[name].values for name in names}
    return OptimalControl(best, shot.solution, times, tables, float(found.fun), violation, int(found.nit))


def _checked_knots(knots: int) -> int:
    if not (is_whole_number(knots) and knots >= 2):
        raise ModelError(f"The number of knots must be a whole number of at least two, not {knots!r}.")
    return int(knots)


def _with_tables(
    system: System, names: Sequence[str], times: Array, interpolation: Interpolation, guess: Mapping[str, ArrayLike]
) -> System:
    """Return the system with a table of the guess, by default zero, for each control."""
    if not names:
        raise ModelError("No input is to be determined; name at least one in controls.")
    for name in (*names, *guess):
        if name not in system.layout.inputs:
            known = ", ".join(system.layout.inputs) or "none"
            raise UnknownNameError(f"Model '{system.name}' has no input '{name}'; it has: {known}.")
    for name in names:
        size = system.layout.inputs[name][0]
        given = real_array(f"The guess of input '{name}'", guess.get(name, np.zeros((len(times), size))))
        if given.size != len(times) * size:
            raise ModelError(f"The guess of input '{name}' needs {len(times)} × {size} values, not {given.size}.")
        system = system.with_input(name, times, given.reshape(len(times), size), interpolation)
    return system


def _checked_target(system: System, target: State) -> State:
    if system.layout.rows:
        raise ModelError(
            f"The components of a state of '{system.name}' depend on each other by its constraints; give outputs at "
            "the end instead of a target state, or use minimal coordinates."
        )
    found = checked_state(system, target)
    if found.shape:
        raise ModelError(f"The target must be one state, not an array of the shape {found.shape}.")
    return found


def _checked_outputs(system: System, outputs: Mapping[str, ArrayLike]) -> dict[str, Array]:
    found = {}
    for name in output_names_of(system, list(outputs)):
        part, value = system.layout.outputs[name][0], real_array(f"The value of output '{name}'", outputs[name]).ravel()
        if len(value) != part.stop - part.start or not np.isfinite(value).all():
            raise ModelError(f"Output '{name}' needs {part.stop - part.start} finite numbers, not {outputs[name]!r}.")
        found[name] = value
    return found


def _effort_matrix(
    system: System, names: Sequence[str], effort: float | Mapping[str, ArrayLike], interpolation: Interpolation
) -> Array:
    """Return W of ∫ Σ w u² dt = uᵀ W u for the values u of all tables."""
    blocks = []
    for name in names:
        table = system.inputs[name]
        stated = effort.get(name, 0.0) if isinstance(effort, Mapping) else effort
        weight = np.broadcast_to(real_array(f"The effort of input '{name}'", stated), table.values.shape[1])
        if not np.all(weight >= 0):
            raise ModelError(f"The weight of the effort of input '{name}' must not be negative, but it is {stated!r}.")
        h = np.diff(table.times)
        if interpolation == "hold":
            gram = np.diag(np.append(h, 0.0))
        else:
            gram = np.diag(np.append(h, 0.0) + np.append(0.0, h)) / 3 + (np.diag(h, 1) + np.diag(h, -1)) / 6
        blocks.append(np.kron(gram, np.diag(weight)))
    size = sum(len(block) for block in blocks)
    found, begin = np.zeros((size, size)), 0
    for block in blocks:
        found[begin : begin + len(block), begin : begin + len(block)] = block
        begin += len(block)
    return found


def _limits(
    system: System, names: Sequence[str], bounds: Mapping[str, tuple[ArrayLike, ArrayLike]], start: Array
) -> tuple[Array, Array]:
    """Return the lower and upper bounds of all values."""
    unknown = next((name for name in bounds if name not in names), None)
    if unknown is not None:
        raise UnknownNameError(f"Bounds are given for '{unknown}', which is none of the controls {', '.join(names)}.")
    sides: list[list[Array]] = [[], []]
    for name in names:
        shape = system.inputs[name].values.shape
        for side, limit in zip(sides, bounds.get(name, (-np.inf, np.inf)), strict=True):
            side.append(np.broadcast_to(np.asarray(limit, dtype=float), shape).ravel())
    low, high = (np.concatenate(side) for side in sides)
    if not np.all(low <= high):
        raise ModelError("A lower bound of an input is above its upper bound; exchange them.")
    if np.any(start < low) or np.any(start > high):
        raise ModelError("The bounds of an input exclude its guess; give a guess within the bounds.")
    return low, high
