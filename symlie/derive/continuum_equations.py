"""Continuous equations of a continuum, derived from its densities by Hamilton's principle.

    ṗ = v̂ᵀ p + G' - ŵᵀ G - D_q U + F,   0 = Ψ(w),   p = ∂T/∂v,   G = ∂U/∂w + ∂P/∂ẇ + DΨᵀ λ

If Ψ, or strains e on whose rates P depends, depend on q, -(D_q Ψ)ᵀ λ - (D_q e)ᵀ ∂P/∂ė is part of F.

with δw = (δq)' + ŵ δq, δv = (δq)˙ + v̂ δq. Source: [Hante2022], equations 2, 7 to 11.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sympy import Add, Expr, Integer, Symbol

from symlie.elements.continua.continuum import Continuum
from symlie.elements.continua.densities import Load
from symlie.groups.operators import ad
from symlie.ir.differentiate import Matrix, columns, forward, gradient, reverse
from symlie.ir.program import Euclidean, Value, Vector, depends_on
from symlie.modeling.node import column
from symlie.utilities.showing import line


@dataclass(frozen=True, eq=False)
class EndCondition:
    """Boundary condition at an end of a continuum."""

    end: str
    """``"start"`` or ``"end"``."""
    how: str
    """``"free"``, ``"clamped"``, ``"prescribed"``, ``"joined"`` or ``"closed"``."""
    load: Vector
    """Generalised force at the end, in the order of v; empty without a load."""


@dataclass(frozen=True, eq=False, repr=False)
class ContinuumEquations:
    """Partial differential equations of a continuum, in the symbols of its definition, from `Continuum.derive`.

    With the densities T, U and P of kinetic energy, potential energy and dissipation, the section force G, the load F
    per length, and the derivative ' with respect to the material coordinate s, they are

        ṗ = v̂ᵀ p + G' - ŵᵀ G - D_q U + F,   0 = Ψ(w),   p = ∂T/∂v,   G = ∂U/∂w + ∂P/∂ẇ + DΨᵀ λ.

    Vectors are tuples of expressions in the order of v. Notebooks display an object of this class as LaTeX.

    Source: [Hante2022], equations (2) and (7) to (11).

    Attributes
    ----------
    continuum
        The continuum.
    momentum
        p, per length.
    mass
        M = ∂p/∂v, per length.
    section_force
        Components of G.
    force
        F - D_q U, per length, including the terms of constraints and of dissipation that depend on q.
    constraint
        Components of Ψ.
    ends
        Boundary conditions at the start and at the end.
    """

    continuum: Continuum
    momentum: Vector
    mass: Matrix
    section_force: Vector
    force: Vector
    constraint: Vector
    ends: tuple[EndCondition, ...]
    v_dot: Value
    """Symbols of v̇."""
    w_prime: Value
    """Symbols of w'."""
    w_dot_prime: Value
    """Symbols of ẇ'."""
    rates_prime: tuple[Value, ...]
    """Symbols of ė' for each strain function e whose rate occurs in P."""
    multipliers_prime: Value
    """Symbols of λ'."""
    parameters_prime: Value
    """Symbols of the derivatives of parameters that vary along s."""

    def __repr__(self) -> str:
        return line("ContinuumEquations", [self.continuum.name, str(self.continuum.group)])

    @property
    def balance(self) -> Vector:
        """Residual ṗ - v̂ᵀ p - G' + ŵᵀ G + D_q U - F, which is zero for solutions."""
        c = self.continuum
        program, v, w = c.stated.program, c.q.velocity, c.strain
        rate = forward(program, self.momentum, [(v, self.v_dot.components)])
        turned = ad(program, c.group, v.components, program.vector(self.momentum), transpose=True)
        force = program.vector(self.section_force)
        along = forward(program, force, self._along())
        bent = ad(program, c.group, w.components, force, transpose=True)
        return tuple(a - b - d + e - f for a, b, d, e, f in zip(rate, turned, along, bent, self.force, strict=True))

    def _along(self) -> list[tuple[Value, Vector]]:
        """Return the seeds of differentiation with respect to s."""
        c = self.continuum
        multipliers = Value(tuple(m for k in c.constraints for m in k.multipliers), self.multipliers_prime.space)
        varying = Value(_varying(c), self.parameters_prime.space)
        pairs = (
            (c.q.value, c.strain),
            (c.strain, self.w_prime),
            (c.strain_rate, self.w_dot_prime),
            *zip((r.value for r in c.rates), self.rates_prime, strict=True),
            (multipliers, self.multipliers_prime),
            (varying, self.parameters_prime),
        )
        return [*((value, prime.components) for value, prime in pairs), (c.place, (Integer(1),))]

    @property
    def has_constant_mass(self) -> bool:
        """True if M depends on parameters only, not on s, q or v."""
        c = self.continuum
        varying = [c.s, *c.q.velocity.components, *c.q.value.components]
        entries = [e for row in self.mass for e in row]
        return not depends_on(c.stated.program, entries, [s for s in varying if isinstance(s, Symbol)])

    def latex(self) -> str:
        """Return the equations as LaTeX."""
        from symlie.api import typeset_continuum

        return typeset_continuum(self, "latex")

    def markdown(self) -> str:
        """Return a Markdown page: densities, equations, boundary conditions, and the equations in inertial axes."""
        from symlie.api import typeset_continuum

        return typeset_continuum(self, "markdown")

    def _repr_latex_(self) -> str:
        return self.latex()


def _varying(continuum: Continuum) -> tuple[Symbol, ...]:
    """Return the symbols of parameters that are functions of s."""
    found = [p for p in continuum.stated.parameters if callable(continuum.values.get(p.name))]
    return tuple(s for p in found for s in p.symbols)


def continuum_equations(continuum: Continuum) -> ContinuumEquations:
    """Return the equations of a continuum in its current definition."""
    c = continuum
    program, v, q = c.stated.program, c.q.velocity, c.q.value
    momentum = c.derivative(Add(*c.kinetic), v)
    acting = [generalized(c, load) for load in c.loads]
    stored = gradient(program, Add(*c.potential), q)
    bound = [gradient(program, strain, q) for _, strain in c.strain_forces]
    held = [tuple(-f * e for e in by) for (f, _), by in zip(c.strain_forces, bound, strict=True)]
    force = tuple(Add(*(f[k] for f in (*acting, *held)), -stored[k]) for k in range(c.group.dimension))

    def primed(letter: str, value: Sequence[Expr]) -> Value:
        return Value(tuple(Symbol(f"{s}{letter}", real=True) for s in value), Euclidean(len(value)))

    return ContinuumEquations(
        c,
        momentum,
        columns(program, momentum, [v]),
        c.section_force,
        force,
        tuple(row for k in c.constraints for row in k.rows),
        tuple(_condition(c, end) for end in ("start", "end")),
        c.q.acceleration,
        primed("'", c.strain.components),
        primed("'", c.strain_rate.components),
        tuple(primed("'", r.value.components) for r in c.rates),
        primed("'", [m for k in c.constraints for m in k.multipliers]),
        primed("'", _varying(c)),
    )


def generalized(continuum: Continuum, load: Load) -> Vector:
    """Return a load with its components in the order of v."""
    c = continuum
    total = list(load.generalized or [Integer(0)] * c.group.dimension)
    if load.force:
        pairs = list(zip(c.q.x, load.force, strict=True))
        total = [a + b for a, b in zip(total, reverse(c.stated.program, pairs, [c.q.value])[0], strict=True)]
    if load.moment:
        turning = next(f for f in c.group.velocity_fields if f.name == "Omega")
        own = c.q.R.T * column(load.moment) if turning.size > 1 else load.moment
        for k, part in enumerate(own):
            total[turning.offset + k] += part
    return tuple(total)


def _condition(continuum: Continuum, end: str) -> EndCondition:
    found = [generalized(continuum, load) for where, load in continuum.end_loads if where == end]
    total = tuple(Add(*parts) for parts in zip(*found, strict=True)) if found else ()
    return EndCondition(end, continuum.ends.how(end), total)
