"""Choice between fixed and run-time topology, with or without a derived elimination, by counted operations.

The derived elimination uses only nonzeros, but its length is the number of its multiplications, and compilers do not
vectorise it. Elimination in loops treats blocks of nodes and constraints as dense. The number of multiplications with
nonzeros determines the faster one and the cost of the text. They are counted before any derivation, on the velocity
components in constraints and energies, since other models are cut into parts before.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from sympy import Symbol

from symlie.derive.pieces import Touched
from symlie.ir.program import Program, lower
from symlie.modeling.model import Model
from symlie.modeling.statement import Statement

Pattern = NDArray[np.bool_]
"""Nonzero mask of a matrix."""

LARGEST_WHOLE = 24
"""Largest number of velocities or constraint equations of a model of fixed topology that is not cut into parts: kernels
of a whole model grow quadratically. A chain of six bodies takes 1.3 to 1.6 times as long whole as in parts."""

LARGEST_FIXED = 36
"""Largest number of velocities or constraint equations of a model whose topology is part of the code, regardless of
operation counts, so that compilation takes seconds: six bodies in space."""

MOST_MULTIPLICATIONS = 6_000
"""Maximum number of multiplications of one solve. With 6,856, twelve full constraint equations of four nodes, loops
take three quarters of the time of derived text; six links on revolute joints take 4,632 to 5,334, and derived text
two thirds of the time of loops."""

MOST_MULTIPLICATIONS_COUPLED = 40_000
"""The same limit if M couples nodes, which loops do not support: the count for 24 velocities and 24 full equations."""


def has_fixed_topology(model: Model) -> bool:
    """Return whether the model is small and has only individual nodes, so that its tables become part of the code."""
    if model.arrays or model.motions or _size(model) > LARGEST_FIXED:
        return False
    mass, jacobian = velocity_patterns(model)
    node = np.repeat(np.arange(len(model.nodes)), [n.group.velocity_dimension for n in model.nodes])
    couples_nodes = bool(np.any(mass & (node[:, None] != node)))
    most = MOST_MULTIPLICATIONS_COUPLED if couples_nodes else MOST_MULTIPLICATIONS
    return multiplications(mass, jacobian) <= most


def is_whole(model: Model) -> bool:
    """Return whether a model of fixed topology is derived as a single statement."""
    return _size(model) <= LARGEST_WHOLE


def _size(model: Model) -> int:
    """Return the number of velocities or constraint equations, whichever is larger."""
    dimension = sum(n.group.dimension for n in model.nodes)
    rows = sum(len(c.rows) for c in model.constraints)
    return max(
        dimension, rows + sum(len(i.nodes) * sum(len(c.rows) for c in i.element.constraints) for i in model.instances)
    )


def velocity_patterns(model: Model) -> tuple[Pattern, Pattern]:
    """Return nonzero masks of M, shape (velocities, velocities), and B, shape (constraint equations, velocities)."""
    ends = np.cumsum([0, *(n.group.velocity_dimension for n in model.nodes)]).tolist()
    components = {n.name: list(range(*ends[k : k + 2])) for k, n in enumerate(model.nodes)}
    every = np.arange(ends[-1])
    mass, rows = np.eye(len(every), dtype=bool), [np.zeros((0, len(every)), dtype=bool)]
    own = [tuple((n.name, 0) for n in model.nodes)]
    for statement, places in ((model, own), *((i.element, i.nodes) for i in model.instances)):
        coupled, of_rows = list(_coupled(statement)), list(_components_of_rows(statement))
        for place in places:
            columns = every[[c for name, _ in place for c in components[name]]]
            for found in coupled:
                mass[np.ix_(columns[found], columns[found])] = True
            rows += [np.isin(every, columns[found])[None] for found in of_rows]
    return mass, np.vstack(rows)


def _coupled(statement: Statement) -> Iterator[list[int]]:
    """Return the velocity components that an addend of the kinetic energy of a definition couples."""
    program, energies = lower(statement.program, statement.kinetic_terms)
    touched = Touched(program, _of_velocities(statement))
    for energy in energies:
        yield from (sorted(touched.by([addend])) for addend in touched.addends(energy))


def _components_of_rows(statement: Statement) -> Iterator[list[int]]:
    """Return the velocity components in each constraint equation, from the rates of its arguments."""
    own = _of_velocities(statement)
    for node in statement.nodes:
        velocity = node.velocity.components[: node.group.velocity_dimension]
        if velocity:
            program = Program()
            rates = node.group.storage_tangent(program, node.value.components, velocity)
            reached = Touched(program, own)
            own |= {s: reached.by([rate]) for s, rate in zip(node.value.components, rates, strict=True)}
            own |= dict(zip(node.acceleration.components, map(own.__getitem__, velocity), strict=True))
    program, rows = lower(statement.program, [row for c in statement.constraints for row in c.rows])
    touched = Touched(program, own)
    yield from (sorted(touched.by([row])) for row in rows)


def _of_velocities(statement: Statement) -> dict[Symbol, frozenset[int]]:
    velocities = [s for n in statement.nodes for s in n.velocity.components[: n.group.velocity_dimension]]
    return {s: frozenset({k}) for k, s in enumerate(velocities)}


def multiplications(mass: Pattern, jacobian: Pattern) -> int:
    """Count multiplications and divisions of M = L D Lᵀ and of one solve by `symlie.derive.elimination`."""
    n = len(mass)
    lower, count = _factors(mass)
    # M⁻¹ Bᵀ and M⁻¹ times the right-hand side.
    x = np.vstack([jacobian, np.ones((1, n), dtype=bool)])
    for order, matrix in ((range(n), lower), (reversed(range(n)), lower.T)):
        for i in order:
            used = x & matrix[i]
            count += int(used.sum())
            x[:, i] |= used.any(axis=1)
    solved = x[:-1]
    complement = jacobian.astype(int) @ solved.T
    count += int(x.sum() + complement.sum() + jacobian.sum() + solved.sum())
    return count + _elimination(complement > 0)


def _factors(mass: Pattern) -> tuple[Pattern, int]:
    a, count = mass.copy(), len(mass)
    for k in range(len(a)):
        below = _behind(a[:, k], k)
        count += len(below) * (len(below) + 3) // 2
        a[np.ix_(below, below)] = True
    return np.tril(a, -1), count


def _elimination(matrix: Pattern) -> int:
    a, count = matrix.copy(), 0
    for k in range(len(a)):
        below, right = _behind(a[:, k], k), _behind(a[k], k)
        count += len(below) * (len(right) + 2) + len(right) + 2
        a[np.ix_(below, right)] = True
    return count


def _behind(entries: Pattern, k: int) -> NDArray[np.intp]:
    return np.flatnonzero(entries[k + 1 :]) + k + 1
