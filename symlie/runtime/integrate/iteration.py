"""The matrices that the time loop of a method eliminates, for a system."""

from __future__ import annotations

from symlie.runtime.integrate.matrix_tables import MatrixTables
from symlie.runtime.kernels.iteration_tables import components, products_without_zeros
from symlie.runtime.linear.saddle import REFINEMENTS, SaddleAlgebra, saddle_tables
from symlie.runtime.methods.family import Method
from symlie.runtime.system.system import System

REPLACED = ("LOCAL", "TANGENT_ROW", "STIFFNESS_TO", "PUSH_TO", "HIDDEN_TO", "HIDDEN_COLUMN", "STATE_TO")
"""Tables of products with T that know nothing of zeros."""


def matrix_of(system: System, method: Method) -> MatrixTables | None:
    """The matrix of implicit steps, or the saddle point matrix where M has no inverse, or none."""
    has_eta = method.iteration(system.layout)
    if has_eta is not None:
        return iteration_of(system, has_eta)
    solver = system.mechanics.solver
    return saddle_of(solver) if isinstance(solver, SaddleAlgebra) else None


def saddle_of(solver: SaddleAlgebra) -> MatrixTables:
    """The saddle point matrix of a system whose M has no inverse."""
    structure = solver.structure
    sizes = {"MATRIX_VALUES": structure.values, "SADDLE_UNKNOWNS": len(structure.order)}
    constants = {"SADDLE_REFINEMENTS": REFINEMENTS[structure.kind], **_probes(solver)}
    return MatrixTables(structure, solver.tables, sizes, constants, solver.layout.is_fixed, has_saddle=True)


def _probes(solver: SaddleAlgebra) -> dict[str, int]:
    """What is there only where rows may depend on each other."""
    return {"PROBES": solver.probes} if solver.probes else {}


def iteration_of(system: System, has_eta: bool) -> MatrixTables:
    """The matrix of implicit steps of a system; the saddle point matrix is stored as it is, where M has no inverse.

    Parameters
    ----------
    system
        The system; its Newton matrices are derived if they are not known yet.
    has_eta
        Whether there is an η for each λ.
    """
    layout, saddle = system.layout, system.mechanics.saddle_algebra
    matrix = system.sets.iteration(has_eta, system.mechanics.massless)
    structure = matrix.structure
    tables = {
        **{name: places for name, places in matrix.places.items() if name not in REPLACED},
        **products_without_zeros(layout, system.sets.table("tangent"), matrix),
    }
    if structure.kind == "dense" and not has_eta:
        found = components(structure, tables)
        tables |= {"COMPONENT": found} if found.any() else {}
    sizes = {"MATRIX_VALUES": structure.values, "SQUARES": matrix.squares}
    constants = {"HAS_ETA": int(has_eta), "HOLONOMIC": int(layout.holonomic.all())}
    if saddle is not None:
        tables |= saddle_tables(layout, structure, system.mechanics.massless)
        sizes["SADDLE_UNKNOWNS"] = len(structure.order)
        constants |= {"SADDLE_REFINEMENTS": REFINEMENTS[structure.kind], **_probes(saddle)}
    return MatrixTables(structure, tables, sizes, constants, layout.is_fixed, saddle is not None, has_iteration=True)
