"""`gradient`: derivatives of a scalar function of outputs, in reverse by adjoint steps or by matrices of steps, or
forward."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import TypeAlias, Unpack

import numpy as np

from symlie.contract.manifest import COST
from symlie.errors import ModelError
from symlie.runtime.integrate.run import Run
from symlie.runtime.integrate.run_options import RunOptions, SolveOptions
from symlie.runtime.integrate.sensitivities.adjoint_run import AdjointRun
from symlie.runtime.integrate.sensitivities.named_derivatives import ScalarDerivatives, loss_weights
from symlie.runtime.integrate.sensitivities.propagation import DifferentiatedRun
from symlie.runtime.integrate.sensitivities.recorded_steps import recorded_states, recorded_steps
from symlie.runtime.integrate.sensitivities.sensitivity import check_multipliers, output_names_of
from symlie.runtime.integrate.sensitivities.step_maps import refusal_of_matrices
from symlie.runtime.integrate.sensitivities.tangent_run import TangentRun, gradient_with_tangents, has_tangents
from symlie.runtime.integrate.sensitivities.variables import JumpVariable, check_without_jumps, variables_of
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.system import System
from symlie.utilities.showing import line
from symlie.warnings import warn

MOST_FORWARD = 128
"""Largest number of variables for which forward derivatives in compiled code cost less than the reverse of matrices."""

FEWEST_REVERSE = 5
"""Smallest number of variables for which the adjoint of steps costs less than forward derivatives."""

LARGEST_MATRICES = 64
"""Largest number of velocities for which dense matrices of steps are used."""

Product: TypeAlias = Callable[[Mapping[str, Array]], Mapping[str, Array]]
"""Function of changes of all outputs that returns the changes of the derivatives of a loss by outputs, with the shapes
of the outputs."""

Loss: TypeAlias = Callable[[Solution], tuple[float, Mapping[str, Array]] | tuple[float, Mapping[str, Array], Product]]
"""Function of a solution that returns a number, its derivatives by outputs, with the shapes of the outputs, and, for
second derivatives, the products of its Hessian with changes of outputs."""


@dataclass(frozen=True, eq=False, repr=False)
class Gradient(ScalarDerivatives):
    """Value and derivatives of a scalar function of a run, from `gradient`; a mapping of variables to derivatives.

    Attributes
    ----------
    solution
        The run.
    """

    solution: Solution

    def __repr__(self) -> str:
        return line("Gradient", [f"'{self.solution.system.name}'", *self._summary()])


def gradient(
    system: System,
    t_span: tuple[float, float] | float,
    loss: Loss | str = COST,
    *,
    wrt: str | Sequence[str],
    memory: float | None = None,
    **options: Unpack[SolveOptions],
) -> Gradient:
    """Differentiate the cost of a run, or a scalar function of its outputs, by parameters, inputs and initial values.

    For five or more variables, the derivatives of the function are propagated backwards by adjoint steps of explicit
    methods, generalized-α, BDF, variational methods and the symplectic θ family in compiled code, also of runs with
    events, at a cost that hardly depends on the number of variables; all states of the run are stored. Fewer variables,
    and up to 128 variables of other methods and models, are differentiated forward. Gradients by more of them are
    propagated backwards through the matrices of the steps, if the model is small and the method has such matrices. All
    results are equal to those of `sensitivity` up to rounding.

    Parameters
    ----------
    system, t_span, wrt, **options
        As in `sensitivity`.
    loss
        Name of an output with one component, whose last recorded value is differentiated; default: the cost that
        `Model.cost` states. Or a function of the solution, which returns a number and a mapping of names of outputs to
        the derivatives of the number by the recorded values of these outputs, shape (n,) or (n, components) as in
        `Solution.outputs`. A third result, for `hessian_product`, is ignored.
    memory
        Largest memory for the states that adjoint steps start from, in bytes; the steps of a run are then repeated from
        checkpoints. Default: all states are stored. Forward derivatives store no states, and a `SymlieWarning` reports
        that it has no effect.

    Returns
    -------
    Gradient
        The value and its derivatives.

    Raises
    ------
    UnknownNameError
        If a variable, an output of the loss, or an option does not exist.
    ModelError
        If the loss is not a scalar, if the function returns something else, or derivatives of the wrong shape, if the
        memory is not enough for even one checkpoint, or matrices of steps need all states, and as in `sensitivity`.
    UnsupportedMethodError, IntegrationError
        As in `sensitivity`.
    """
    check_multipliers(options.get("multipliers", "stage"))
    function = loss_of(system, loss)
    bound = _checked_memory(memory)
    variables = variables_of(system, wrt)
    options_of_run, labels = RunOptions.of(dict(options)), tuple(v.label for v in variables)
    adjoint = None
    moves_jumps = any(isinstance(v, JumpVariable) for v in variables)
    if len(variables) >= FEWEST_REVERSE and not moves_jumps:
        adjoint = AdjointRun.of(system, t_span, options_of_run, memory=bound)
    if adjoint is not None and adjoint.is_worthwhile(len(variables)):
        value, weights = weights_of_loss(adjoint.solution, function(adjoint.solution))
        return Gradient(value, adjoint.gradient(variables, weights), labels, adjoint.solution)
    run = TangentRun.of(system, t_span, options_of_run) if has_tangents(system) else None
    in_reverse = len(variables) > MOST_FORWARD and not moves_jumps
    if run is not None and not (in_reverse and not has_no_matrices(run.run) and not ends_at_event(run)):
        if bound is not None:
            warn(
                f"memory has no effect: the gradient of '{system.name}' is computed forward and stores no states here."
            )
        value, weights = weights_of_loss(run.solution, function(run.solution))
        outputs = system.layout.outputs
        names = [name for name, (part, _) in outputs.items() if weights[:, part].any()]
        chosen = [np.arange(len(weights[0]))[outputs[name][0]] for name in names]
        columns = np.concatenate([np.zeros(0, dtype=np.intp), *chosen])
        found = gradient_with_tangents(run, variables, names, weights[:, columns])
        return Gradient(value, found, labels, run.solution)
    if bound is not None:
        raise ModelError(
            f"memory bounds the states of adjoint steps, but this gradient of '{system.name}' is computed by matrices "
            "of steps, which need all states; leave memory out, or use a method with adjoint steps and backend='c'."
        )
    check_without_jumps(variables)
    recorded = recorded_steps(system, t_span, options_of_run)
    value, weights = weights_of_loss(recorded.solution, function(recorded.solution))
    steps = DifferentiatedRun(system, recorded, variables)
    found = steps.reverse(recorded_states(recorded), lambda chosen: weights[chosen])
    return Gradient(value, found, labels, recorded.solution)


def _checked_memory(memory: object) -> int | None:
    """Return a number of bytes, or None; raise ModelError for anything else."""
    if memory is None:
        return None
    if not isinstance(memory, Real) or not 0 < float(memory) < np.inf:
        raise ModelError(f"memory must be a positive number of bytes, not {memory!r}.")
    return int(float(memory))


def loss_of(system: System, loss: Loss | str) -> Loss:
    """Return a loss as a function, that of a name being the last value of the output; raise UnknownNameError, or
    ModelError unless it is a scalar."""
    if not isinstance(loss, str):
        if not callable(loss):
            raise ModelError(
                "The loss must be the name of an output, or a function of the solution that returns a number and its "
                f"derivatives, not {loss!r}."
            )
        return loss
    outputs = system.layout.outputs
    if loss == COST and loss not in outputs:
        raise ModelError(f"Model '{system.name}' has no cost; state one by model.cost, or give a loss.")
    (name,) = output_names_of(system, loss)
    part, _ = outputs[name]
    if part.stop - part.start != 1:
        raise ModelError(
            f"A loss must be a scalar, but output '{name}' has {part.stop - part.start} components; state an output "
            "with one component, or a cost by model.cost."
        )
    return functools.partial(_last_value, name)


def _last_value(name: str, solution: Solution) -> tuple[float, Mapping[str, Array], Product]:
    values = np.asarray(solution.outputs[name], dtype=float)
    weights = np.zeros_like(values)
    weights[-1] = 1.0
    return values[-1].item(), {name: weights}, no_change


def no_change(changes: Mapping[str, Array]) -> Mapping[str, Array]:
    """Product with the Hessian of a loss that is linear in the outputs."""
    return {}


def has_no_matrices(run: Run) -> bool:
    """Return whether the steps of a run have no matrices, which are needed in reverse, or dense ones are too large."""
    layout = run.system.layout
    return layout.dimension > LARGEST_MATRICES or bool(refusal_of_matrices(run.system, run.method, run.control))


def ends_at_event(run: TangentRun) -> bool:
    """Return whether a terminal event ends a run."""
    return any(e.is_terminal for e in run.run.system.layout.events) and run.solution.status == "event"


def weights_of_loss(solution: Solution, returned: object) -> tuple[float, Array]:
    """Return the value of a loss and its derivatives by all output components, shape (n, components); raise ModelError
    or UnknownNameError."""
    return loss_weights(solution.system.layout, len(solution.t), returned)
