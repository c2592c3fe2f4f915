"""Deviation of the last state from the constraint equations.

Runs that do not project configurations keep the residual of Φ that earlier steps left, so that the last state shows it.
The deviation is the Newton step δ back to the constraints, relative to the sizes of the components in any units:

    [M  Bᵀ; B  0] [δ; μ] = [0; -Φ].
"""

from __future__ import annotations

import numpy as np

from symlie.errors import IntegrationError
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.component_sizes import component_sizes
from symlie.runtime.system.system import System

LIMIT = 0.01
"""Acceptable deviation relative to the size of a component: a larger one is visible in figures."""

ROUNDING = 1e-8
"""Smallest size relative to the coordinates: nodes may coincide up to rounding."""


def deviation(system: System, solution: Solution) -> list[str]:
    """Return a finding if the last state deviates from the constraint equations."""
    layout, mechanics = system.layout, system.mechanics
    if not layout.rows or not solution.statistics.max_constraint_residual > 0:
        return []
    t, q, v = float(solution.t[-1]), solution.q[-1], solution.v[-1]
    mass, jacobian, residual = mechanics.mass(t, q), mechanics.jacobian(t, q, v), mechanics.constraint(t, q)
    try:
        step, _ = mechanics.saddle(mass, jacobian, jacobian, np.zeros_like(v), -residual)
    except (np.linalg.LinAlgError, IntegrationError):
        return []  # A change of rank has a finding of its own.
    if np.abs(step).max() <= LIMIT * ROUNDING * np.abs(q).max():
        return []
    relative = np.zeros(layout.dimension)
    relative[layout.free] = np.abs(step[layout.free]) / _lengths(system, solution)
    place = int(np.argmax(relative))
    if not relative[place] > LIMIT:
        return []
    node = next(node.name for node in layout.nodes if node.velocity.start <= place < node.velocity.stop)
    return [
        f"The last configuration of node '{node}' deviates from the constraints by {relative[place]:.2g} of its "
        "size; use smaller steps or tolerances, or stabilize='projection'."
    ]


def _lengths(system: System, solution: Solution) -> Array:
    """Return the sizes of the free components, which are the larger ones of the first and the last state."""
    found = np.zeros(np.count_nonzero(system.layout.free))
    for k in (0, -1):
        mass = system.mechanics.mass(float(solution.t[k]), solution.q[k])
        sizes = component_sizes(system, solution.q[k], system.algebra.mass_diagonal(mass))
        found = np.maximum(found, np.maximum(sizes.length, ROUNDING * sizes.magnitude))
    return found
