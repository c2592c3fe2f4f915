"""`derive`: a stated model becomes equations of motion, shown as LaTeX and compiled to kernels."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from symlie.derive.constraints import ConstraintTerms, derive_constraints
from symlie.derive.dynamics import Dynamics, derive_dynamics
from symlie.errors import ModelError
from symlie.modeling.model import Model
from symlie.modeling.statement import Statement

if TYPE_CHECKING:
    from pathlib import Path

    from symlie.ir.kernels import ModelKernels
    from symlie.runtime.system import System


@dataclass(frozen=True)
class DerivedStatement:
    """A statement with its derived terms."""

    statement: Statement
    dynamics: Dynamics
    constraints: ConstraintTerms


@dataclass(frozen=True, eq=False)
class Equations:
    """Equations of motion M(q) v' = -g(t, q, v) - B(q)ᵀ λ, Φ(t, q) = 0 of a model."""

    model: Model
    derived: tuple[DerivedStatement, ...]
    options: tuple[tuple[str, Any], ...] = ()

    @functools.cached_property
    def kernels(self) -> ModelKernels:
        """The model as kernels, ready to be emitted."""
        from symlie.derive.kernels import model_kernels

        return model_kernels(self)

    def compile(self, backend: str = "auto", optimize: str = "default") -> System:
        """Emit, compile and load.

        Parameters
        ----------
        backend
            ``"c"``, ``"numpy"``, or ``"auto"``: C if there is a compiler, else NumPy with a notice.
        optimize
            ``"default"``, ``"contract"`` (allow fused multiply-add) or ``"portable"``.

        Raises
        ------
        NoCompilerError
            ``backend="c"`` without a C compiler.
        """
        from symlie.api import compile_equations

        return compile_equations(self, backend=backend, optimize=optimize)

    def generate(self, folder: str | Path) -> Path:
        """Write the generated files into a folder, from which `symlie.load` runs without SymPy."""
        from symlie.api import write_generated

        return write_generated(self, folder)

    def latex(self) -> str:
        """The equations as LaTeX."""
        from symlie.derive.display import latex

        return latex(self)

    def markdown(self) -> str:
        """A readable page of all derived terms."""
        from symlie.derive.display import markdown

        return markdown(self)

    def _repr_latex_(self) -> str:
        return self.latex()

    def __repr__(self) -> str:
        return f"Equations({self.model.name}, {sum(len(d.dynamics.force) for d in self.derived)} velocities)"


def derive(model: Model, options: tuple[tuple[str, Any], ...] = ()) -> Equations:
    """Derive all terms of a model.

    Raises
    ------
    ModelError
        No nodes; a node without mass; an energy of the wrong kind; a constraint without configuration.
    """
    if not model.nodes:
        raise ModelError(f"Model '{model.name}' has no nodes; add one with model.node(name, group).")
    if model.kinetic == 0:
        raise ModelError(f"Model '{model.name}' has no kinetic energy; state it with model.kinetic_energy(...).")
    dynamics = derive_dynamics(model)
    position = 0
    for node in model.nodes:
        for k in range(node.group.dimension):
            if all(entry == 0 for entry in dynamics.mass[position + k]):
                raise ModelError(f"Velocity component {k} of node '{node.name}' has no mass; add its kinetic energy.")
        position += node.group.dimension
    return Equations(model, (DerivedStatement(model, dynamics, derive_constraints(model)),), options)
