"""Matrices that the time loop of a method eliminates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from symlie.runtime.kernels.iteration_tables import IterationTables, components, products_without_zeros
from symlie.runtime.linear.contact_tables import contact_tables
from symlie.runtime.linear.elimination import EliminationStructure
from symlie.runtime.linear.eta_tables import WITHOUT_ETA
from symlie.runtime.linear.saddle import REFINEMENTS, SaddleAlgebra, saddle_tables
from symlie.runtime.methods.family import Method
from symlie.runtime.system.matrix_tables import MatrixTables, compliance_of, probes_of, saddle_of
from symlie.runtime.system.system import System

REPLACED = (
    "LOCAL", "TANGENT_ROW", "STIFFNESS_TO", "PUSH_TO", "HIDDEN_TO", "HIDDEN_COLUMN", "STATE_TO", "CURVATURE_TO",
    "FURTHER", "FOLLOWING_TO", "FOLLOWING_COLUMN", "FOLLOWING_RATE_TO", "FOLLOWING_RATE_COLUMN",
)  # fmt: skip
"""Tables of products with T that do not exploit structural zeros."""


def matrix_of(system: System, method: Method) -> MatrixTables | None:
    """Matrix of implicit steps, or the saddle point matrix if it is eliminated as a whole, otherwise None."""
    has_eta = method.iteration(system.layout)
    if has_eta is not None:
        return iteration_of(system, has_eta)
    if method.element_set is not None and (found := discrete_of(system, method.element_set, method)) is not None:
        return found
    solver = system.mechanics.solver
    if not isinstance(solver, SaddleAlgebra):
        return None
    found = saddle_of(solver)
    if not method.steps_over(system.layout):
        return found
    return replace(found, tables={**found.tables, **_stepped_tables(system, found.structure)})


def _stepped_tables(system: System, structure: EliminationStructure) -> dict[str, NDArray[np.int32]]:
    """Tables of time stepping: equations of contacts, and those that remain while all contacts are open."""
    rows = system.mechanics.open_rows
    open_tables = {"OPEN_ROW": rows.rows.astype(np.int32), "OPEN_VALUE": rows.values.astype(np.int32)}
    return {**contact_tables(system.layout, structure), **open_tables}


def iteration_of(system: System, has_eta: bool) -> MatrixTables:
    """Matrix of implicit steps, with an η for each λ if `has_eta`. The Newton matrices are derived on first use."""
    layout = system.layout
    matrix = system.sets.iteration(has_eta, system.mechanics.massless)
    tables = {
        **({} if has_eta else WITHOUT_ETA),
        **{name: places for name, places in matrix.places.items() if name not in REPLACED},
        **products_without_zeros(layout, system.sets.table("tangent"), matrix),
    }
    if matrix.structure.kind == "dense" and not has_eta:
        found = components(matrix.structure, tables)
        tables |= {"COMPONENT": found} if found.any() else {}
    constants = {"HAS_ETA": int(has_eta), "HOLONOMIC": int(layout.holonomic.all())}
    return _with_saddle(system, matrix, tables, constants)


def discrete_of(system: System, name: str, method: Method) -> MatrixTables | None:
    """Matrix of both stages of a variational step; None if M alone suffices."""
    if not (method.takes_element_matrix or system.sets.discrete(name).loads_see_velocity):
        return None
    matrix = system.sets.discrete_matrix(name, system.mechanics.massless)
    if not method.takes_element_matrix:
        matrix = replace(matrix, sampled=None)
    used = ("MASS_TO", "MASS_MIRROR", "DAMPING_TO", "END_TO", "ROLLING_TO", "PULL_TO", "REST_TO", "UNIT_TO")
    tables = {name: matrix.places[name] for name in used}
    if method.takes_element_matrix:
        products = products_without_zeros(system.layout, system.sets.table("tangent"), matrix)
        tables |= {name: table for name, table in products.items() if name.startswith("PUSH")}
        if matrix.sampled is not None:
            tables |= {name: table for name, table in products.items() if name.startswith("STIFFNESS")}
            tables |= {name: matrix.places[name] for name in ("SAMPLE_DAMPING_TO", "SAMPLE_ROWS", "SLOPE_ROWS")}
    if method.steps_over(system.layout):
        tables |= _stepped_tables(system, matrix.structure)
    return _with_saddle(system, matrix, tables, {"SAMPLED_VALUES": 0} if matrix.sampled is None else {})


def _with_saddle(
    system: System, matrix: IterationTables, tables: dict[str, NDArray[np.int32]], constants: dict[str, int]
) -> MatrixTables:
    layout, saddle, structure = system.layout, system.mechanics.saddle_algebra, matrix.structure
    sizes = {"MATRIX_VALUES": structure.values, "SQUARES": matrix.squares, "BLOCKS": matrix.blocks}
    sizes["SOLVED"] = len(structure.order)
    if matrix.sampled is not None:
        sizes["SAMPLED_VALUES"] = matrix.sampled
    if saddle is not None:
        tables |= saddle_tables(layout, structure, system.mechanics.massless)
        sizes["SADDLE_UNKNOWNS"] = len(structure.order)
        constants |= {"SADDLE_REFINEMENTS": REFINEMENTS[structure.kind], **probes_of(saddle)}
    return MatrixTables(
        structure, tables, sizes, constants, layout.is_fixed, saddle is not None, has_iteration=True,
        compliance=compliance_of(saddle),
    )  # fmt: skip
