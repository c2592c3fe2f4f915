"""Gauss–Seidel sweeps for contacts, from which the Newton method starts again, as in ``contact_sweeps.h``.

The equations are linear about an iterate: c + B δ with M δ = -r - B_nᵀ Δμ. A sweep solves the equations of one contact
or constraint after the other. M must couple only components of the same node.

Source: [AnitescuTasora2010].
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from symlie.runtime.layout.layout import Array
from symlie.runtime.system.contacts.table import ContactTable


class ContactSweeps:
    """Sweeps about an iterate, for M, B_n and B as stored values; see `contact_tables` for the tables."""

    def __init__(
        self, tables: Mapping[str, NDArray[np.int32]], table: ContactTable, mass: Array, right: Array, left: Array,
        columns: NDArray[np.intp],
    ) -> None:  # fmt: skip
        self._t, self._table, self._right, self._left, self._columns = tables, table, right, left, columns
        count = int(tables["NODE_ROW"][-1])
        values = np.zeros(count + 1)
        np.add.at(values, tables["NODE_MASS"], mass)
        np.add.at(values, tables["NODE_MIRROR"], mass)
        self._inverse: dict[int, Array] = {}
        begin, row = tables["NODE_BEGIN"], tables["NODE_ROW"]
        for first in np.unique(begin[:-1]).tolist():
            size = int(row[first + 1] - row[first])
            block = values[row[first] : row[first] + size * size].reshape(size, size)
            block = block + np.diag((np.diag(block) == 0).astype(float))
            self._inverse[first] = np.asarray(np.linalg.inv(block), dtype=float)

    def _push(self, delta: Array, row: int, change: float) -> None:
        """Subtract M⁻¹ B_nᵀ of a row times a change of its multiplier."""
        for k in self._values(row):
            component = int(self._columns[k])
            first = int(self._t["NODE_BEGIN"][component])
            inverse = self._inverse[first]
            delta[first : first + len(inverse)] -= inverse[:, component - first] * (self._right[k] * change)

    def _values(self, row: int) -> list[int]:
        begin = self._t["ROW_BEGIN"]
        found: list[int] = self._t["ROW_VALUE"][begin[row] : begin[row + 1]].tolist()
        return found

    def _along(self, row: int, delta: Array) -> float:
        return float(sum(self._left[k] * delta[self._columns[k]] for k in self._values(row)))

    def swept(
        self, r: Array, c: Array, impulse: Array, is_eligible: NDArray[np.bool_], sweeps: int
    ) -> tuple[Array, Array]:
        """Return δ and the multipliers after sweeps, for the residual r of the momentum, the equations c, and the
        multipliers at the iterate."""
        table, n = self._table, len(r)
        delta, mu, G = np.zeros(n), impulse.copy(), np.zeros(len(c))
        for first, inverse in self._inverse.items():
            delta[first : first + len(inverse)] = -inverse @ r[first : first + len(inverse)]
        for row in range(len(c)):
            unit = np.zeros(n)
            self._push(unit, row, -1.0)
            G[row] = self._along(row, unit)
        others = np.flatnonzero(~table.rows & (G > 0)).tolist()
        contacts = np.flatnonzero(is_eligible & (G[table.normal] > 0)).tolist()

        def change(row: int, value: float) -> None:
            self._push(delta, row, value - mu[row])
            mu[row] = value

        for _ in range(sweeps):
            for row in others:
                change(row, mu[row] + (c[row] + self._along(row, delta)) / G[row])
            for i in contacts:
                row = int(table.normal[i])
                change(row, min(0.0, mu[row] + (c[row] + self._along(row, delta)) / G[row]))
                rows = [int(t) for t in table.tangents[i] if t >= 0]
                trace = sum(G[t] for t in rows)
                if not trace > 0:
                    continue
                wanted = np.array([mu[t] + (c[t] + self._along(t, delta)) / trace for t in rows])
                size, radius = float(np.linalg.norm(wanted)), -table.friction[i] * mu[row]
                wanted = wanted if size <= radius else radius * wanted / size
                for t, value in zip(rows, wanted.tolist(), strict=True):
                    change(t, value)
        return delta, mu
