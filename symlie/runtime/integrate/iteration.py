"""The matrix of implicit steps of a system as compiled code takes it: tables, in the text or beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symlie.compile.headers import included_headers
from symlie.runtime.kernels.iteration_tables import IterationTables, products_without_zeros
from symlie.runtime.methods.c_text import c_integers

if TYPE_CHECKING:
    from symlie.runtime.system.system import System

OF_MODELS = ("MASS_ROW", "MASS_COLUMN", "JACOBIAN_ROW", "JACOBIAN_COLUMN")
"""Tables that models of fixed topology have anyway."""

REPLACED = ("LOCAL", "TANGENT_ROW", "STIFFNESS_TO", "PUSH_TO", "HIDDEN_TO", "HIDDEN_COLUMN")
"""Tables of products with T that know nothing of zeros."""


@dataclass(frozen=True, eq=False)
class Iteration:
    """Order and tables of the matrix of implicit steps.

    Attributes
    ----------
    matrix
        How it is stored.
    tables
        Tables by name, as C takes them.
    """

    matrix: IterationTables
    tables: dict[str, NDArray[np.int32]]
    is_fixed: bool
    has_eta: bool
    is_holonomic: bool

    @property
    def packed(self) -> NDArray[np.int32]:
        """All tables in one array: where each begins and the end, then the tables."""
        if self.is_fixed:
            return np.zeros(1, dtype=np.int32)
        sizes = [len(table) for table in self.tables.values()]
        begins = len(sizes) + 1 + np.cumsum([0, *sizes])
        return np.concatenate([begins, *self.tables.values()]).astype(np.int32)

    @property
    def header(self) -> str:
        """``iteration_tables.h``: the tables of models of fixed topology, or where they are, and what is known."""
        structure = self.matrix.structure
        lines = [f"#define HAS_ETA {int(self.has_eta)}", f"#define HOLONOMIC {int(self.is_holonomic)}"]
        numbers = {"MATRIX_VALUES": structure.values, "SQUARES": self.matrix.squares, **structure.constants}
        if self.is_fixed:
            lines += [f"#define {name} {value}" for name, value in numbers.items()]
            for name, table in self.tables.items():
                lines.append(f"#define COUNT_OF_{name} {len(table)}")
                if name not in OF_MODELS:
                    lines.append(c_integers(name, table.tolist() or [0]))
        else:
            for k, name in enumerate(self.tables):
                lines.append(f"#define {name} (P->iteration + P->iteration[{k}])")
                lines.append(f"#define COUNT_OF_{name} (P->iteration[{k + 1}] - P->iteration[{k}])")
            lines += [f"#define {name} (MATRIX_LENGTHS[{k}])" for k, name in enumerate(("MATRIX_VALUES", "SQUARES"))]
        return "\n".join([*lines, f'#include "{structure.kind}.h"', ""])

    @property
    def files(self) -> dict[str, str]:
        """Headers by name."""
        headers = included_headers(("rows.h", f"{self.matrix.structure.kind}.h"))
        return {"iteration_tables.h": self.header, **headers}


def iteration_of(system: System, has_eta: bool) -> Iteration:
    """The matrix of implicit steps of a system.

    Parameters
    ----------
    system
        The system; its Newton matrices are derived if they are not known yet.
    has_eta
        Whether there is an η for each λ.
    """
    layout, matrix = system.layout, system.sets.iteration(has_eta)
    tables = {
        **{name: places for name, places in matrix.places.items() if name not in REPLACED},
        **products_without_zeros(layout, system.sets.table("tangent"), matrix),
        "ELIMINATION": matrix.structure.tables,
        "MATRIX_LENGTHS": np.array([matrix.structure.values, matrix.squares], dtype=np.int32),
    }
    return Iteration(matrix, tables, layout.is_fixed, has_eta, bool(layout.holonomic.all()))
