"""Linearised stage with contacts as a contact problem, as in ``contact_cone.h``.

The stage is linear about an iterate: c = c_0 + G y for the impulses y of contacts, with the momentum and all other
constraints satisfied. Contacts that could be closed are candidates: those that are or become closed, and those that
would penetrate without being candidates. Their contact problem has few equations and may be redundant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symlie.contract.constants import CONE_ROUNDS, LARGEST_CONE
from symlie.errors import ContactModeError
from symlie.runtime.layout.layout import Array
from symlie.runtime.linear.cone_problem import solved_cone
from symlie.runtime.linear.factors import SingularMatrixError

if TYPE_CHECKING:
    from symlie.runtime.implicit.contact_equations import ContactMatrix
    from symlie.runtime.implicit.contact_solution import ContactStage
    from symlie.runtime.system.contacts.table import ContactTable


UNSOLVED = "Contacts have no consistent impulses"
"""Message of a contact problem without solution."""


def cone_correction(
    stage: ContactStage,
    table: ContactTable,
    matrix: ContactMatrix,
    r: Array,
    impulse: Array,
    is_eligible: NDArray[np.bool_],
    is_closed: NDArray[np.bool_],
    slack: float,
) -> Array | None:
    """Return the correction of a stage that solves its linearised contact problem, or None if the problem is too large
    or singular; raise ContactModeError if no solution is found.

    Parameters
    ----------
    stage, table, matrix
        The stage at the iterate, the contacts of the system, and the elimination of its matrix.
    r
        Residual of the momentum, and all equations c, at the iterate.
    impulse
        Impulses -y of all equations there.
    is_eligible, is_closed
        Contacts that may close, and first candidates.
    slack
        Penetration that is rounding.
    """
    try:
        factors = matrix.open_factors(stage.mass, stage.jacobian_start, stage.jacobian)
    except SingularMatrixError:
        return None
    n = len(r) - len(impulse)
    columns: dict[int, Array] = {}
    c = r[n:]

    def along(x: Array) -> Array:
        return matrix.along(stage.jacobian, x[:n])

    def solved(right: Array) -> Array:
        x = np.zeros(matrix.size)
        x[: len(right)] = right
        return factors.solve(x)[: len(right)]

    # A unit block of each contact makes the right-hand side the change of its impulse.
    right = np.concatenate([r[:n], np.where(table.rows, impulse, c)])
    free = solved(right)
    open_c = c - along(free)
    candidate = is_eligible & (is_closed | (open_c[table.normal] <= slack))
    for _ in range(CONE_ROUNDS):
        chosen = np.flatnonzero(candidate)
        rows = [
            [int(table.normal[i]), *(int(t) for t in table.tangents[i] if t >= 0 and table.friction[i] > 0)]
            for i in chosen
        ]
        every = np.array([row for own in rows for row in own], dtype=np.intp)
        if len(every) > LARGEST_CONE:
            return None
        for row in every.tolist():
            if row not in columns:
                columns[row] = -along(solved(np.eye(1, len(right), n + row)[0]))
        G = np.array([columns[row] for row in every.tolist()]).T[every] if len(every) else np.zeros((0, 0))
        begin = np.cumsum([0, *(len(own) for own in rows)])[:-1].astype(np.intp)
        P = solved_cone(G, open_c[every], begin, table.friction[chosen], np.zeros(len(every)), start=-impulse[every])
        if P is None:
            raise ContactModeError(UNSOLVED)
        right[n + every] = P + impulse[every]
        d = solved(right)
        missed = is_eligible & ~candidate & ((c - along(d))[table.normal] < -slack)
        if not missed.any():
            return d
        candidate |= missed
    raise ContactModeError(UNSOLVED)
