"""Gradients of runs in compiled code, in reverse: their cost does not depend on the number of variables."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from symlie.runtime.integrate.request import beginning, requested
from symlie.runtime.integrate.run import Run
from symlie.runtime.integrate.run_options import RunOptions
from symlie.runtime.integrate.sensitivities.adjoint_method import AdjointMethod, Cotangents
from symlie.runtime.integrate.sensitivities.start import start_tangents
from symlie.runtime.integrate.sensitivities.tangent_parameters import knots_in
from symlie.runtime.integrate.sensitivities.tangent_run import check_with_tangents
from symlie.runtime.integrate.sensitivities.trail import Trail, trail_of
from symlie.runtime.integrate.sensitivities.variables import InputVariable, ParameterVariable, Variable
from symlie.runtime.layout.layout import Array
from symlie.runtime.layout.parameter_places import parameter_places
from symlie.runtime.methods.implicit import Implicit
from symlie.runtime.methods.programs.method import ProgrammedMethod
from symlie.runtime.steps.adjoint.transposition import missing_rule
from symlie.runtime.steps.program import features_of
from symlie.runtime.system.inputs import tables_in_use
from symlie.runtime.system.system import System

COLUMNS = 256
"""Number of values of a table whose polynomials are computed at once."""


@dataclass(frozen=True, eq=False)
class AdjointRun:
    """Run whose states are all known.

    Attributes
    ----------
    run
        The run.
    trail
        Its states and steps.
    """

    run: Run
    trail: Trail
    _method: ProgrammedMethod

    @classmethod
    def of(cls, system: System, t_span: tuple[float, float] | float, options: RunOptions) -> AdjointRun | None:
        """Return a run from the initial state, or None if its steps have no adjoint; raise UnsupportedMethodError if it
        has no derivatives, ModelError if a terminal event ends it, and the errors of `solve`."""
        request = requested(system, t_span, options)
        parts = request.method, request.plan, request.control, request.record_every, request.settings
        run = Run(system, *parts, system.timings, beginning(system, request))
        check_with_tangents(run)
        method = run.method
        if not isinstance(method, ProgrammedMethod) or refusal_of_adjoint(run, method):
            return None
        program = method.program(features_of(system.mechanics, compiled=True))
        return cls(run, trail_of(run, program, records_start=request.records_start), method)

    def gradient(self, variables: Sequence[Variable], weights: Array) -> Array:
        """Return the derivatives Σ weight·∂y/∂p of outputs y by variables p, shape (variables,), for weights of shape
        (states, components)."""
        system, run = self.run.system, self.run
        found = AdjointMethod(system, self._method, run.control).reverse(self.trail, weights)
        t0 = float(run.settings["t_span"][0])
        dq, dv = start_tangents(system, t0, run.begin.at.q, variables)
        total = dq @ found.q + dv @ found.v
        of_parameters = _by_parameters(system, found)
        names = dict.fromkeys(v.name for v in variables if isinstance(v, InputVariable))
        of_inputs = {name: _by_values(system, name, found) for name in names}
        for k, variable in enumerate(variables):
            if isinstance(variable, ParameterVariable):
                total[k] += variable.direction(system) @ of_parameters
            elif isinstance(variable, InputVariable):
                total[k] += of_inputs[variable.name][variable.index]
        return total


def refusal_of_adjoint(run: Run, method: ProgrammedMethod) -> str:
    """Return why the steps of a run have no adjoint; empty if they have."""
    system, layout = run.system, run.system.layout
    if system.backend != "c":
        return "the backend is NumPy"
    if isinstance(method, Implicit):
        return "the method is implicit"
    if method.coordinates != "exp" or method.composition is not None:
        return "steps are composed, or taken in other local coordinates than exp"
    features = features_of(system.mechanics, compiled=True)
    program = method.program(features)
    if program.carried or program.history:
        return "steps depend on earlier ones"
    if name := missing_rule(program):
        return f"the instruction {name} has no transposed rule"
    if layout.has_coordinate_rates or layout.has_placed_nodes or layout.manifest.motions:
        return "the model has coordinate rates, prescribed or dependent nodes"
    has_gaps = any(
        not a < b and is_recorded
        for a, b, is_recorded in zip(run.plan.start, run.plan.end, run.plan.record_end, strict=True)
    )
    return "states within a jump are recorded" if has_gaps else ""


def _by_parameters(system: System, found: Cotangents) -> Array:
    """Return the derivatives by all parameters, in the order of `parameter_places`."""
    layout = system.layout
    model, (size, places) = len(layout.parameter_defaults), parameter_places(layout)
    total, begin = np.zeros(size), model
    total[:model] = found.parameters[:model]
    for of_elements in places:
        own = of_elements[:, model:]
        np.add.at(total, own, found.parameters[begin : begin + own.size].reshape(own.shape))
        begin += own.size
    return total


def _by_values(system: System, name: str, found: Cotangents) -> Array:
    """Return the derivatives by the values of the table of an input, shape (knots, components)."""
    begin = system.layout.prepared_parameters
    for other, table in tables_in_use(system.layout, system.inputs).items():
        if other == name:
            break
        begin += len(table.packed)
    table = system.inputs[name]
    knots, components = table.values.shape
    by_numbers = found.tables[begin : begin + len(table.packed)]
    by_coefficients = by_numbers[knots_in(table) :].reshape(components, -1)
    total = np.zeros((knots, components))
    for first in range(0, knots, COLUMNS):
        units = np.eye(knots, min(COLUMNS, knots - first), -first)
        packed = dataclasses.replace(table, values=units).packed
        basis = packed[len(packed) - units.shape[1] * by_coefficients.shape[1] :].reshape(units.shape[1], -1)
        total[first : first + COLUMNS] = basis @ by_coefficients.T
    return total
