"""Residuals of a fit to static equilibria with their derivatives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from symlie.runtime.integrate.sensitivities.variables import variables_of
from symlie.runtime.layout.layout import Array
from symlie.runtime.statics.equilibrium import Equilibrium
from symlie.runtime.statics.sensitivities.equilibrium_derivative import EquilibriumDerivative, outputs_at
from symlie.runtime.study.fit.problem import Problem
from symlie.runtime.system.system import System
from symlie.utilities.showing import Brief


@dataclass(frozen=True, eq=False, repr=False)
class Equilibria(Brief):
    """Static equilibria of a system at several times.

    Attributes
    ----------
    system
        The system.
    t
        Times, in s, shape (n,).
    equilibria
        Equilibrium at each time; each search starts from the one before.
    outputs
        Outputs by name, in their units, shape (n,) or (n, components).
    """

    system: System
    t: Array
    equilibria: tuple[Equilibrium, ...]
    outputs: Mapping[str, Array]


class EquilibriumProblem(Problem):
    """Equilibria of several systems, one for each record, and their residuals."""

    def computed(self, x: Array) -> tuple[Equilibria, ...]:
        found = []
        for stated, record in zip(self.systems, self.records, strict=True):
            system = self.unknowns.moved(stated, x)
            equilibria: list[Equilibrium] = []
            for t in record.t.tolist():
                equilibria.append(system.static_equilibrium(t, start=equilibria[-1] if equilibria else None))
            values = [outputs_at(system, t, e) for t, e in zip(record.t.tolist(), equilibria, strict=True)]
            outputs = {n: np.array([v[n] for v in values]) for n in record.outputs}
            found.append(Equilibria(system, record.t, tuple(equilibria), outputs))
        return tuple(found)

    def differentiated(self, x: Array) -> Sequence[Mapping[str, Array]]:
        found = []
        for result in self.results(x):
            assert isinstance(result, Equilibria)
            variables = variables_of(result.system, self.unknowns.names)
            at_times = zip(result.t, result.equilibria, strict=True)
            rows = np.array([EquilibriumDerivative(result.system, t, e, variables).outputs() for t, e in at_times])
            parts = result.system.layout.outputs
            found.append({n: self.unknowns.derivative(rows[:, parts[n][0]]) for n in result.outputs})
        return found
