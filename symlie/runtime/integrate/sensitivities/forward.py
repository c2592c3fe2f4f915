"""Forward derivatives of a run: in compiled code, or by matrices of its steps for the NumPy backend and without a C++
compiler."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from symlie.runtime.integrate.run import Run
from symlie.runtime.integrate.run_options import RunOptions
from symlie.runtime.integrate.sensitivities.propagation import DifferentiatedRun
from symlie.runtime.integrate.sensitivities.recorded_steps import recorded_states, recorded_steps
from symlie.runtime.integrate.sensitivities.tangent_loop import StateTangents
from symlie.runtime.integrate.sensitivities.tangent_run import Sink, TangentRun, has_tangents
from symlie.runtime.integrate.sensitivities.variables import Variable, check_without_jumps
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.solution import Solution
from symlie.runtime.solution.start import Start
from symlie.runtime.system.system import System


@dataclass(frozen=True, eq=False)
class DifferentiatedStart:
    """Consistent state from which a run starts.

    Attributes
    ----------
    state
        The state.
    tangents
        Tangents of q, in the Lie algebra, and of v by the variables, shape (variables, dimension).
    """

    state: Start
    tangents: tuple[Array, Array]


@dataclass(frozen=True, eq=False)
class ForwardRun:
    """Run with tangents.

    Attributes
    ----------
    run, solution
        The run and its solution.
    states
        Tangents of its recorded states.
    events
        Tangents of the states at its events, or None if it has none or they are not computed.
    """

    run: Run
    solution: Solution
    states: StateTangents
    events: StateTangents | None = None


def forward_tangents(
    system: System,
    t_span: tuple[float, float] | float,
    options: RunOptions,
    variables: Sequence[Variable],
    names: Sequence[str],
    start: DifferentiatedStart | None = None,
) -> ForwardRun:
    """Return a run with the tangents of its states, events and named outputs by variables, from the initial state or
    from another one; raise the errors of `solve`."""
    if not has_tangents(system):
        check_without_jumps(variables)
        return _by_matrices(system, t_span, options, variables, names, start)
    run = TangentRun.of(system, t_span, options, None if start is None else start.state)
    found = list[list[StateTangents]]()

    def sink(_: slice) -> Sink:
        found.append([])
        return found[-1].append

    run.by_variables(variables, names, sink, None if start is None else start.tangents)
    states = StateTangents.side_by_side([StateTangents.joined(parts) for parts in found])
    return ForwardRun(run.run, run.solution, states, run.events)


def _by_matrices(
    system: System,
    t_span: tuple[float, float] | float,
    options: RunOptions,
    variables: Sequence[Variable],
    names: Sequence[str],
    start: DifferentiatedStart | None,
) -> ForwardRun:
    """Return the same from the matrices of all steps, without events; raise ModelError if one ends the run."""
    recorded = recorded_steps(system, t_span, options, None if start is None else start.state)
    run = DifferentiatedRun(system, recorded, variables, None if start is None else start.tangents)
    states = recorded_states(recorded)
    parts = run.parts(run.forward())
    outputs = run.outputs(states, parts) if names else np.zeros((len(states), len(variables), 0))
    chosen = [np.arange(part.start, part.stop) for part, _ in (system.layout.outputs[name] for name in names)]
    found = [np.zeros((len(states), len(variables), 1))]
    found += [parts[name][states] for name in ("q", "v", "multipliers")]
    found.append(outputs[..., np.concatenate(chosen)] if names else outputs)
    return ForwardRun(recorded.run, recorded.solution, StateTangents(*(np.swapaxes(x, 1, 2) for x in found)))
