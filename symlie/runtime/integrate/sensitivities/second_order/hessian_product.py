"""`hessian_product`: second derivatives of a scalar function of outputs along directions, by tangents of adjoint
steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from symlie.contract.manifest import COST
from symlie.errors import ModelError
from symlie.runtime.integrate.run_options import RunOptions, SolveOptions
from symlie.runtime.integrate.sensitivities.gradient import Gradient, Loss, loss_of, weights_of_loss
from symlie.runtime.integrate.sensitivities.named_derivatives import weights_by_output
from symlie.runtime.integrate.sensitivities.second_order.second_order_run import ChangeOfWeights, SecondOrderRun
from symlie.runtime.integrate.sensitivities.sensitivity import check_multipliers
from symlie.runtime.integrate.sensitivities.variables import JumpVariable, Variable, variables_of
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.parameters import real_array
from symlie.runtime.system.system import System
from symlie.utilities.showing import line


@dataclass(frozen=True, eq=False, repr=False)
class HessianProduct(Gradient):
    """Gradient of a scalar function of a run, and products of its Hessian, from `hessian_product`; a mapping of
    variables to first derivatives.

    Attributes
    ----------
    product
        Products of the Hessian with the directions, shape (variables,) for one direction, otherwise (variables,
        directions), in the unit of the value divided by that of the variable, for directions without unit.
    """

    product: Array

    def __repr__(self) -> str:
        count = 1 if self.product.ndim == 1 else self.product.shape[1]
        directions = f"{count} direction{'s' if count > 1 else ''}"
        return line("HessianProduct", [f"'{self.solution.system.name}'", *self._summary(), directions])


def hessian_product(
    system: System,
    t_span: tuple[float, float] | float,
    loss: Loss | str = COST,
    *,
    wrt: str | Sequence[str],
    direction: ArrayLike,
    **options: Unpack[SolveOptions],
) -> HessianProduct:
    """Multiply the Hessian of the cost of a run, or of a scalar function of its outputs, by directions of variables.

    The product is the derivative of the gradient along the direction: adjoint steps are computed with numbers that have
    tangents, eight directions at a time. The derivatives are those of the steps of the method up to rounding; those of
    initial values are computed by central differences of order ten. All states are stored with their tangents.

    Parameters
    ----------
    system, t_span, wrt, **options
        As in `gradient`, for variables other than times of jumps.
    loss
        As in `gradient`. A function of the solution returns a third result, a function of the changes of all outputs
        along a direction by name. It returns the changes of the derivatives of the loss by outputs, with the same
        shapes; outputs without change can be omitted.
    direction
        Direction of the variables, shape (variables,), or several directions, shape (variables, directions). The
        identity matrix gives the Hessian.

    Returns
    -------
    HessianProduct
        The value, its derivatives and the products.

    Raises
    ------
    UnknownNameError
        As in `gradient`.
    ModelError
        If the direction has the wrong shape, if a function of the solution does not return three results, for times of
        jumps, and as in `gradient`.
    UnsupportedMethodError
        If the gradient is not computed by adjoint steps, without a compiler for C++, or if an event ends the run.
    IntegrationError
        As in `sensitivity`.
    """
    check_multipliers(options.get("multipliers", "stage"))
    function = loss_of(system, loss)
    variables = variables_of(system, wrt)
    given = _directions(variables, direction)
    run = SecondOrderRun.of(system, t_span, RunOptions.of(dict(options)))
    returned = function(run.solution)
    value, weights = weights_of_loss(run.solution, returned)
    columns = given.reshape(len(variables), -1)
    found = run.products(variables, columns, weights, _change_of_weights(run.solution, returned))
    labels = tuple(v.label for v in variables)
    return HessianProduct(value, found.gradient, labels, run.solution, found.products.reshape(given.shape))


def _directions(variables: Sequence[Variable], direction: ArrayLike) -> Array:
    """Return directions, shape (variables,) or (variables, directions); raise ModelError."""
    jump = next((v.label for v in variables if isinstance(v, JumpVariable)), None)
    if jump is not None:
        raise ModelError(
            f"Times of jumps such as '{jump}' have no second derivatives; differentiate by other variables."
        )
    found = real_array("The direction", direction)
    if found.ndim not in (1, 2) or len(found) != len(variables) or not found.size or not np.isfinite(found).all():
        raise ModelError(
            f"The direction must consist of finite numbers with shape ({len(variables)},) or ({len(variables)}, "
            f"directions), one row for each variable, not {found.shape}."
        )
    return found


def _change_of_weights(solution: Solution, returned: object) -> ChangeOfWeights:
    """Return the product with the Hessian of a loss as a function of arrays; raise ModelError if the loss has none."""
    if not (isinstance(returned, tuple) and len(returned) == 3 and callable(returned[2])):
        raise ModelError(
            "The loss must return three results for second derivatives: a number, its derivatives by outputs, and a "
            "function that returns their changes for changes of outputs, or {} if the loss is linear in the outputs."
        )
    product, layout = returned[2], solution.system.layout

    def change(tangents: Array) -> Array:
        shapes = {name: solution.outputs[name].shape for name in layout.outputs}
        by_name = {name: tangents[:, part].reshape(shapes[name]) for name, (part, _) in layout.outputs.items()}
        stated = product(by_name)
        if not isinstance(stated, Mapping):
            raise ModelError(
                "The third result of the loss must be a function that returns a mapping of outputs to changes, not "
                f"{stated!r}."
            )
        return weights_by_output(layout, len(tangents), stated, "change of the derivative")

    return change
