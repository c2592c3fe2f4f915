"""`static_sensitivity`: derivatives of a static equilibrium and of outputs at it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from symlie.runtime.integrate.sensitivities.named_derivatives import OutputDerivatives
from symlie.runtime.integrate.sensitivities.sensitivity import output_names_of
from symlie.runtime.integrate.sensitivities.variables import variables_of
from symlie.runtime.layout.layout import Array
from symlie.runtime.statics.equilibrium import Equilibrium, starting_point
from symlie.runtime.statics.sensitivities.equilibrium_derivative import EquilibriumDerivative, outputs_at
from symlie.runtime.system.system import System
from symlie.utilities.packages import require
from symlie.utilities.showing import line

if TYPE_CHECKING:
    import xarray


@dataclass(frozen=True, eq=False, repr=False)
class StaticSensitivity(OutputDerivatives):
    """Derivatives of an equilibrium, from `static_sensitivity`; a mapping of the names of outputs to their derivatives,
    shape (components, variables), in the unit of the output divided by that of the variable.

    Attributes
    ----------
    system
        The system.
    equilibrium
        Its equilibrium.
    variables
        Names of the variables with their components, such as ``"stiffness"`` and ``"lever[1]"``.
    configuration
        Derivatives of the configuration in the Lie algebra, δq = q∘(δ)~, shape (dimension, variables).
    multipliers
        Derivatives of λ, shape (constraint equations, variables).
    output_values
        Values of the outputs by name, in their units, shape () or (components,).
    """

    system: System
    equilibrium: Equilibrium
    variables: tuple[str, ...]
    configuration: Array
    multipliers: Array
    output_values: Mapping[str, Array]
    _outputs: Mapping[str, Array]

    def __repr__(self) -> str:
        return line("StaticSensitivity", [f"'{self.system.name}'", f"by {', '.join(self.variables)}"])

    def to_xarray(self) -> xarray.Dataset:
        """Return the derivatives of outputs as an xarray dataset with the dimensions component and variable.

        Raises
        ------
        MissingDependencyError
            If the package xarray is not installed.
        """
        require("A dataset", "xarray")
        import xarray

        units = {name: unit for name, (_, unit) in self.system.layout.outputs.items()}
        arrays = {
            name: ((f"{name}_component", "variable"), values, {"numerator_units": units[name]})
            for name, values in self._outputs.items()
        }
        return xarray.Dataset(arrays, {"variable": list(self.variables)})


def static_sensitivity(
    system: System,
    *,
    wrt: str | Sequence[str],
    of: str | Sequence[str] | None = None,
    t: float = 0.0,
    equilibrium: Equilibrium | None = None,
) -> StaticSensitivity:
    """Differentiate a static equilibrium with respect to parameters, tables of inputs and initial values.

    The derivatives follow from the stiffness matrix at the equilibrium by the implicit function theorem. They are exact
    up to rounding, except those of fixed and prescribed nodes by variables that move them, which are central
    differences of order six. The page *Statics* of the documentation contains the equations.

    Parameters
    ----------
    system
        The system.
    wrt
        Names of variables, as in `sensitivity`. Initial values of nodes that loads can move have no effect.
    of
        Names of outputs of the model; default: all. Velocities are zero.
    t
        Time at which loads, constraints and prescribed nodes are evaluated, in s.
    equilibrium
        Equilibrium of this system at this time, from `System.static_equilibrium`, stable or not; default: the result
        of `System.static_equilibrium`.

    Returns
    -------
    StaticSensitivity
        The equilibrium and its derivatives.

    Raises
    ------
    UnknownNameError
        If a variable or an output does not exist.
    ModelError
        If a variable has no derivatives, the model has first-order states, or ``equilibrium`` has the wrong size.
    SmoothnessError
        If a parameter, an input or the equilibrium is at a corner of a piecewise law.
    EquilibriumError
        If no equilibrium is found, ``equilibrium`` is none, or a motion meets no stiffness.
    RedundantConstraintsError
        If constraint equations are redundant.
    UnsupportedFeatureError
        If redundant equations are permitted by ``with_redundant``, or the model has dependent nodes or rotation
        parameters with angular velocities.
    """
    names, found = output_names_of(system, of), derivative_at(system, wrt, t, equilibrium)
    values, outputs = outputs_at(system, t, found.equilibrium), found.outputs()
    configuration, multipliers = found.forward
    return StaticSensitivity(
        system,
        found.equilibrium,
        tuple(v.label for v in found.variables),
        configuration,
        multipliers,
        {name: values[name] for name in names},
        {name: outputs[system.layout.outputs[name][0]] for name in names},
    )


def derivative_at(
    system: System, wrt: str | Sequence[str], t: float, equilibrium: Equilibrium | None
) -> EquilibriumDerivative:
    """Return the derivative of an equilibrium, which is computed unless it is given."""
    variables = variables_of(system, wrt)
    if equilibrium is None:
        equilibrium = system.static_equilibrium(t)
    else:
        starting_point(system, equilibrium)
    return EquilibriumDerivative(system, t, equilibrium, variables)
