"""Elimination order and tables of a matrix for compiled code: as constants in the source code, or as data for large
systems."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symlie.runtime.kernels.c_text import c_integers, c_vector
from symlie.runtime.layout.layout import Array
from symlie.runtime.linear.elimination import EliminationStructure
from symlie.runtime.linear.saddle import REFINEMENTS, SaddleAlgebra

OF_MODELS = ("MASS_ROW", "MASS_COLUMN", "JACOBIAN_ROW", "JACOBIAN_COLUMN")
"""Tables contained in all models of fixed topology."""


@dataclass(frozen=True, eq=False)
class MatrixTables:
    """Order and tables of a matrix.

    Attributes
    ----------
    structure
        Storage of the matrix.
    tables
        Tables by name.
    sizes
        Sizes by name that depend on the topology.
    constants
        Other numbers by name.
    is_fixed
        True if the topology is part of the text.
    has_saddle, has_iteration
        Whether saddle point matrices are stored like this, and matrices of implicit steps.
    compliance
        Compliance of each constraint equation, where some may depend on others and have one.
    """

    structure: EliminationStructure
    tables: dict[str, NDArray[np.int32]]
    sizes: dict[str, int]
    constants: dict[str, int]
    is_fixed: bool
    has_saddle: bool = False
    has_iteration: bool = False
    compliance: Array | None = None

    @property
    def _all(self) -> dict[str, NDArray[np.int32]]:
        sizes = np.array([*self.sizes.values()], dtype=np.int32)
        return {**self.tables, "ELIMINATION": self.structure.tables, "MATRIX_LENGTHS": sizes}

    @property
    def packed(self) -> NDArray[np.int32]:
        """All tables in one array: the start of each table and the end, then the tables."""
        if self.is_fixed:
            return np.zeros(1, dtype=np.int32)
        sizes = [len(table) for table in self._all.values()]
        begins = len(sizes) + 1 + np.cumsum([0, *sizes])
        return np.concatenate([begins, *self._all.values()]).astype(np.int32)

    @property
    def header(self) -> str:
        """Source code with the tables of a fixed topology, or with their positions, and the elimination."""
        guard = ["#ifndef SYMLIE_SADDLE_TABLES_H", "#define SYMLIE_SADDLE_TABLES_H"] if self.has_saddle else []
        lines = guard.copy()
        lines += [f"#define {name} {value}" for name, value in self.constants.items()]
        if self.is_fixed:
            known = {**self.sizes, **self.structure.constants}
            lines += [f"#define {name} {value}" for name, value in known.items()]
            for name, table in self._all.items():
                lines.append(f"#define COUNT_OF_{name} {len(table)}")
                if name not in OF_MODELS:
                    lines.append(c_integers(name, table.tolist() or [0]))
        else:
            for k, name in enumerate(self._all):
                lines.append(f"#define {name} (P->iteration + P->iteration[{k}])")
                lines.append(f"#define COUNT_OF_{name} (P->iteration[{k + 1}] - P->iteration[{k}])")
            lines += [f"#define {name} (MATRIX_LENGTHS[{k}])" for k, name in enumerate(self.sizes)]
        if self.compliance is not None:
            lines += ["#define HAS_COMPLIANCE", c_vector("COMPLIANCE", self.compliance)]
        lines.append(f'#include "{self.structure.kind}.h"')
        return "\n".join([*lines, *(["#endif"] if guard else []), ""])

    @property
    def files(self) -> dict[str, str]:
        """Headers by name; the header for saddle point matrices includes the tables."""
        files = {}
        if self.has_saddle:
            files["saddle_tables.h"] = self.header
        if self.has_iteration:
            files["iteration_tables.h"] = '#include "saddle_tables.h"\n' if self.has_saddle else self.header
        return files


def saddle_of(solver: SaddleAlgebra) -> MatrixTables:
    """Saddle point matrix of a system, if it is eliminated as a whole."""
    structure = solver.structure
    sizes = {"MATRIX_VALUES": structure.values, "SADDLE_UNKNOWNS": len(structure.order)}
    constants = {"SADDLE_REFINEMENTS": REFINEMENTS[structure.kind], **probes_of(solver)}
    is_fixed, compliance = solver.layout.is_fixed, compliance_of(solver)
    return MatrixTables(structure, solver.tables, sizes, constants, is_fixed, has_saddle=True, compliance=compliance)


def probes_of(solver: SaddleAlgebra) -> dict[str, int]:
    """Additional constants for redundant constraint equations."""
    return {"PROBES": solver.probes} if solver.probes else {}


def compliance_of(solver: SaddleAlgebra | None) -> Array | None:
    """Compliances of constraint equations that may be redundant."""
    return solver.layout.compliance if solver and solver.probes and solver.layout.compliance.any() else None
