"""`static_gradient`: derivatives of a scalar function of outputs at a static equilibrium, in reverse."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from symlie.errors import ModelError
from symlie.runtime.integrate.sensitivities.named_derivatives import ScalarDerivatives, loss_weights
from symlie.runtime.layout.layout import Array
from symlie.runtime.statics.equilibrium import Equilibrium
from symlie.runtime.statics.sensitivities.equilibrium_derivative import outputs_at
from symlie.runtime.statics.sensitivities.static_sensitivity import derivative_at
from symlie.runtime.system.system import System

StaticLoss: TypeAlias = Callable[[Mapping[str, Array]], tuple[float, Mapping[str, Array]]]
"""Function of the outputs by name that returns a number and its derivatives by outputs, with the shapes of the
outputs."""


@dataclass(frozen=True, eq=False, repr=False)
class StaticGradient(ScalarDerivatives):
    """Value and derivatives of a scalar function of an equilibrium, from `static_gradient`; a mapping of variables to
    derivatives.

    Attributes
    ----------
    equilibrium
        The equilibrium.
    """

    equilibrium: Equilibrium


def static_gradient(
    system: System,
    loss: StaticLoss,
    *,
    wrt: str | Sequence[str],
    t: float = 0.0,
    equilibrium: Equilibrium | None = None,
) -> StaticGradient:
    """Differentiate a scalar function of the outputs at a static equilibrium.

    One system of equations with the transposed stiffness matrix is solved, regardless of the number of variables. The
    result equals that of `static_sensitivity` up to rounding.

    Parameters
    ----------
    system, wrt, t, equilibrium
        As in `static_sensitivity`.
    loss
        Function of the outputs at the equilibrium by name, arrays of shape () or (components,). It returns a number and
        a mapping of names of outputs to the derivatives of the number by these outputs.

    Returns
    -------
    StaticGradient
        The value and its derivatives.

    Raises
    ------
    UnknownNameError
        If a variable, or an output among the derivatives, does not exist.
    ModelError
        If the function returns something else, or derivatives of the wrong shape, and as in `static_sensitivity`.
    EquilibriumError, RedundantConstraintsError, UnsupportedFeatureError
        As in `static_sensitivity`.
    """
    if not callable(loss):
        raise ModelError(
            f"The loss must be a function of the outputs that returns a number and its derivatives, not {loss!r}."
        )
    found = derivative_at(system, wrt, t, equilibrium)
    value, weights = loss_weights(system.layout, 1, loss(outputs_at(system, t, found.equilibrium)))
    return StaticGradient(value, found.reverse(weights[0]), tuple(v.label for v in found.variables), found.equilibrium)
