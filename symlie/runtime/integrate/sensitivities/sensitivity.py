"""`sensitivity`: derivatives of all states and outputs of a run, by tangents of its steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Unpack

import numpy as np

from symlie.errors import ModelError, UnknownNameError
from symlie.runtime.integrate.monitors.branch_changes import BranchChange, branch_changes
from symlie.runtime.integrate.run import Run
from symlie.runtime.integrate.run_options import RunOptions, SolveOptions
from symlie.runtime.integrate.sensitivities.forward import forward_tangents
from symlie.runtime.integrate.sensitivities.named_derivatives import OutputDerivatives
from symlie.runtime.integrate.sensitivities.passages.event_tangents import EventSensitivity
from symlie.runtime.integrate.sensitivities.tangent_loop import StateTangents
from symlie.runtime.integrate.sensitivities.variables import variables_of
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.system import System
from symlie.utilities.packages import require
from symlie.utilities.showing import line
from symlie.utilities.stated_names import stated_names

if TYPE_CHECKING:
    import xarray


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(OutputDerivatives):
    """Derivatives of a run, from `sensitivity`; a mapping of the names of outputs to their derivatives, shape (n,
    components, variables), in the unit of the output divided by that of the variable.

    ``derivatives["tip", "lever"]`` selects those by one name, with the shape of the values of the variable at the end.

    Attributes
    ----------
    solution
        The run, with the bits of `solve`, shape (n,).
    variables
        Names of the variables with their components, such as ``"mass"`` and ``"lever[1]"``.
    configuration
        Derivatives of configurations in the Lie algebra, δq = q∘(δ)~, shape (n, dimension, variables).
    velocity
        Derivatives of velocities, shape (n, dimension, variables).
    multipliers
        Derivatives of λ, shape (n, constraint equations, variables).
    time
        Derivatives of the times of the states, in s per unit of the variable, shape (n, variables): zero except at
        events. Other derivatives are those of the values at these times.
    events
        Derivatives of the events of the run.
    """

    solution: Solution
    variables: tuple[str, ...]
    configuration: Array
    velocity: Array
    multipliers: Array
    time: Array
    events: tuple[EventSensitivity, ...]
    _outputs: Mapping[str, Array]
    _run: Run

    @cached_property
    def branch_changes(self) -> tuple[BranchChange, ...]:
        """Steps in which piecewise laws change their branches, found by a repeated run: (t, jumps) for each.

        The derivatives are exact across kinks. Where accelerations jump (``jumps``), they lack the change of the time
        of the jump: state it as an event with a reset, or smooth the law.
        """
        return branch_changes(self._run)

    def __repr__(self) -> str:
        return line("Sensitivity", [f"'{self.solution.system.name}'", f"{len(self.solution.t)} states",
                                    f"by {', '.join(self.variables)}"])  # fmt: skip

    @property
    def t(self) -> Array:
        """Times, in s, shape (n,)."""
        return self.solution.t

    def to_xarray(self) -> xarray.Dataset:
        """Return the derivatives of outputs as an xarray dataset with the dimensions time, component and variable.

        Raises
        ------
        MissingDependencyError
            If the package xarray is not installed.
        """
        require("A dataset", "xarray")
        import xarray

        units = {name: unit for name, (_, unit) in self.solution.system.layout.outputs.items()}
        coordinates = {"time": ("time", self.t, {"units": "s"}), "variable": list(self.variables)}
        arrays = {
            name: (("time", f"{name}_component", "variable"), values, {"numerator_units": units[name]})
            for name, values in self._outputs.items()
        }
        return xarray.Dataset(arrays, coordinates)


def sensitivity(
    system: System,
    t_span: tuple[float, float] | float,
    *,
    wrt: str | Sequence[str],
    of: str | Sequence[str] | None = None,
    **options: Unpack[SolveOptions],
) -> Sensitivity:
    """Differentiate a run with respect to parameters, tables of inputs and initial values.

    The steps of the method are differentiated, so that the derivatives are those of the computed numbers up to
    rounding. Adaptive steps are differentiated with constant ends, and events with their times. Derivatives of
    piecewise functions are those of the pieces of the run. Specified initial values as functions of parameters, and
    completed velocities, are differentiated by central differences of order six. The page *Sensitivities* of the
    documentation contains the equations.

    Parameters
    ----------
    system
        The system.
    t_span
        (t₀, t_end), or t_end, in s, as in `solve`.
    wrt
        Names of variables: parameters as in `System.with_parameters`; inputs with a table, differentiated by each of
        its values; initial values NODE.FIELD, or JOINT.COORDINATE.
    of
        Names of outputs of the model; default: all.
    **options
        Options of `solve` for the method, steps, tolerances, output times and stabilisation.

    Returns
    -------
    Sensitivity
        The run and its derivatives.

    Raises
    ------
    UnknownNameError
        If a variable, an output or an option does not exist.
    UnsupportedMethodError
        If steps of the method, or for the system, have no derivatives; the message gives the reason.
    ModelError
        If a variable has no derivatives; if an event that ends the run or changes the state has none, since its
        function is zero at the start of the run or touches zero; in NumPy, if an event ends the run.
    SmoothnessError
        If the motion begins at rest at a corner of a piecewise law from which a variable moves it, or a parameter is at
        such a corner, or an input remains there.
    IntegrationError
        If the run fails; its ``solution`` contains the results up to the last valid step.
    """
    names = output_names_of(system, of)
    check_multipliers(options.get("multipliers", "stage"))
    variables = variables_of(system, wrt)
    run = forward_tangents(system, t_span, RunOptions.of(dict(options)), variables, names)
    sizes = [part.stop - part.start for part, _ in (system.layout.outputs[name] for name in names)]

    def by_name(found: StateTangents) -> dict[str, Array]:
        parts = np.split(found.outputs, np.cumsum(sizes)[:-1], axis=1) if names else []
        return dict(zip(names, parts, strict=True))

    labels, found, at_events = tuple(v.label for v in variables), run.states, run.events
    events = []
    if at_events is not None:
        of_events = by_name(at_events)
        for k, event in enumerate(run.solution.events):
            own = labels, at_events.t[k, 0], at_events.q[k], at_events.v[k], at_events.multipliers[k]
            events.append(EventSensitivity(event, *own, {name: values[k] for name, values in of_events.items()}))
    parts = found.q, found.v, found.multipliers, found.t[:, 0], tuple(events)
    return Sensitivity(run.solution, labels, *parts, by_name(found), run.run)


def check_multipliers(chosen: str) -> None:
    """Raise ModelError for recorded multipliers that are not those of the steps."""
    if chosen != "stage":
        raise ModelError(
            f'Sensitivities are those of the multipliers of the method; use multipliers="stage", not {chosen!r}.'
        )


def output_names_of(system: System, of: str | Sequence[str] | None) -> list[str]:
    """Return names of outputs of a model, all by default; raise UnknownNameError."""
    known = list(system.layout.outputs)
    names = known if of is None else stated_names("of", of, "height")
    for name in names:
        if name not in known:
            raise UnknownNameError(
                f"Model '{system.name}' has no output '{name}' that can be differentiated; it has: "
                f"{', '.join(known) or 'none'}."
            )
    return names
