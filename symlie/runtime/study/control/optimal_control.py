"""`optimal_control`: inputs that minimise a cost and reach a target, by direct single or multiple shooting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack, get_args

import numpy as np
from numpy.typing import ArrayLike

from symlie.contract.manifest import COST
from symlie.errors import ModelError, NotConvergedError, UnknownNameError
from symlie.options import Optimizer
from symlie.runtime.integrate.run_options import RunOptions, SolveOptions
from symlie.runtime.integrate.segments import interval
from symlie.runtime.integrate.sensitivities.gradient import Loss
from symlie.runtime.integrate.sensitivities.sensitivity import check_multipliers
from symlie.runtime.integrate.solve import solve
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.solution import Solution
from symlie.runtime.solution.state import State
from symlie.runtime.study.control.control_tables import guessed_tables
from symlie.runtime.study.control.evaluation import Transcription
from symlie.runtime.study.control.multiple_shooting import MultipleShooting
from symlie.runtime.study.control.optimisers import Found, ScaledProblem, minimum
from symlie.runtime.study.control.single_shooting import SingleShooting
from symlie.runtime.study.control.target import Target, checked_target
from symlie.runtime.system.system import System
from symlie.utilities.number_checks import is_whole_number
from symlie.utilities.showing import Brief
from symlie.utilities.stated_names import stated_names
from symlie.warnings import warn

if TYPE_CHECKING:
    from symlie.options import Interpolation

LARGEST_DEVIATION = 1e-6
"""Largest deviation from a target, in the units of its components, if the tolerance of the optimiser is smaller."""


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
        Largest deviation of the run from the target, in the units of its components.
    iterations
        Number of iterations of the optimiser.
    has_converged
        False if the optimiser stopped before it found a minimum.
    """

    system: System
    solution: Solution
    times: Array
    values: Mapping[str, Array]
    cost: float
    violation: float
    iterations: int
    has_converged: bool


def optimal_control(
    system: System,
    t_span: tuple[float, float] | float,
    *,
    controls: str | Sequence[str],
    knots: int = 21,
    interpolation: Interpolation = "linear",
    target: State | None = None,
    outputs: Mapping[str, ArrayLike] | None = None,
    loss: Loss | str | None = None,
    effort: float | Mapping[str, ArrayLike] | None = None,
    bounds: Mapping[str, tuple[ArrayLike, ArrayLike]] | None = None,
    guess: Mapping[str, ArrayLike] | None = None,
    intervals: int = 1,
    optimizer: Optimizer | None = None,
    tolerance: float = 1e-8,
    max_iterations: int = 500,
    **options: Unpack[SolveOptions],
) -> OptimalControl:
    """Find inputs that minimise their effort and a loss, and lead to a target at the end of a run.

    The values of the inputs at equidistant times are the unknowns of a nonlinear program,

        min ∫ Σ w u² dt / 2 + loss   with   log(q_target⁻¹∘q) = 0,  v = v_target,  y = y_target  at the end,

    with exact derivatives of the steps, in reverse if the values are many. With several intervals, the states between
    them are unknowns, too (direct multiple shooting). trust-constr and IPOPT use exact second derivatives of compiled
    runs that have adjoint steps. An optimiser whose trial values let a run fail shortens its step.
    Source: [Bock1984].

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
        Name of an output with one component, whose value at the end is added, or a function of the solution with its
        derivatives, as in `gradient`. Default: the cost that `Model.cost` states, if it does.
    effort
        Weight w of the effort, a number or one for each component of an input by name; 0: no effort. Default: 1
        without a loss, and 0 with one.
    bounds
        Lower and upper bounds of inputs by name, in their units.
    guess
        Values of inputs at the knots by name, shape (knots,) or (knots, size); default: zero.
    intervals
        Number of intervals between whose ends each run extends; 1: single shooting.
    optimizer
        ``"SLSQP"`` or ``"trust-constr"`` of SciPy, or ``"ipopt"``. Default: SLSQP; trust-constr for more than 150
        unknowns, and for several intervals if runs have second derivatives.
    tolerance
        Tolerance of the optimiser on the cost, relative to its size, and on the deviation from the target.
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
        If an input, an output, an optimiser or an option does not exist.
    ModelError
        If an argument is invalid, bounds exclude the guess, the loss is not a scalar, or the model has no independent
        states for several intervals.
    MissingDependencyError
        If ``optimizer="ipopt"``, and cyipopt is not installed.
    NotConvergedError
        If the optimiser finds no inputs that reach the target; the message gives the deviation.
    UnsupportedMethodError, IntegrationError
        As in `sensitivity`, for the run with the guess.
    """
    check_multipliers(options.get("multipliers", "stage"))
    names = stated_names("controls", controls, "torque")
    if loss is None and COST in system.layout.outputs:
        loss = COST
    if target is None and not outputs and loss is None:
        raise ModelError("Nothing is to be reached: give a target, outputs at the end, or a loss.")
    if optimizer is not None and optimizer not in get_args(Optimizer):
        raise UnknownNameError(f"Unknown optimizer {optimizer!r}; choose one of {', '.join(get_args(Optimizer))}.")
    if effort is None:
        effort = 1.0 if loss is None else 0.0
    span = interval(t_span, None)
    tables = guessed_tables(system, names, span, knots, interpolation, guess or {})
    end = checked_target(system, target, outputs or {})
    transcription: Transcription
    if _checked_intervals(intervals, loss) == 1:
        transcription = SingleShooting(tables, span, RunOptions.of(dict(options)), end, loss)
    else:
        assert loss is None or isinstance(loss, str)
        transcription = MultipleShooting(tables, span, RunOptions.of(dict(options)), end, loss, intervals)
    weights, limits = tables.effort(effort), tables.limits(bounds or {})
    unbounded = np.full(len(transcription.start) - len(tables.start), np.inf)
    lower, upper = (np.concatenate([limits[0], -unbounded]), np.concatenate([limits[1], unbounded]))
    found = minimum(ScaledProblem(transcription, weights, lower, upper), optimizer, tolerance, max_iterations)
    best = tables.system_with(found.unknowns[: len(tables.start)])
    solution = _checked_run(best, span, found, end, max(tolerance, LARGEST_DEVIATION), options)
    if not found.has_converged:
        warn(
            f"The inputs of '{system.name}' reach the target, but the optimiser stopped before a minimum "
            f"({found.message}); increase max_iterations, or give another guess."
        )
    values = {name: best.inputs[name].values for name in names}
    times = best.inputs[names[0]].times
    violation = _largest(end.deviation(solution))
    return OptimalControl(best, solution, times, values, found.cost, violation, found.iterations, found.has_converged)


def _checked_run(
    system: System, t_span: tuple[float, float], found: Found, target: Target, limit: float, options: SolveOptions
) -> Solution:
    """Return the run of the inputs found; raise NotConvergedError if it, or one of several, deviates from its end."""
    deviation = _largest(found.evaluation.defects)
    if deviation <= limit and np.isfinite(found.cost):
        solution = solve(system, t_span, **options)
        deviation = _largest(target.deviation(solution))
        if deviation <= limit:
            return solution
    raise NotConvergedError(
        f"No inputs of '{system.name}' reach the target: after {found.iterations} iterations the end deviates by "
        f"{deviation:.3g} ({found.message}); use more knots, a longer time, wider bounds, or another guess"
    )


def _largest(deviation: Array) -> float:
    return float(np.abs(deviation).max(initial=0.0))


def _checked_intervals(intervals: int, loss: Loss | str | None) -> int:
    """Return a number of intervals; raise ModelError."""
    if not (is_whole_number(intervals) and intervals >= 1):
        raise ModelError(f"The number of intervals must be a positive whole number, not {intervals!r}.")
    if intervals > 1 and callable(loss):
        raise ModelError(
            "A loss over several intervals must be the name of an output, such as the cost that model.cost states; use "
            "intervals=1 for a function."
        )
    return int(intervals)
