"""Display of the continuous equations of a continuum: LaTeX, and a Markdown page.

    M v̇ = v̂ᵀ M v + G' - ŵᵀ G + F,   0 = Ψ(w)

Source: [Hante2022], equations 9 to 11 and section 3.6.
"""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Add, Expr, Integer, Symbol, factor_terms

from symlie.derive.continuum_equations import ContinuumEquations, EndCondition
from symlie.ir.program import Assignment, Vector, lower, substitute
from symlie.typeset.display import block, protected
from symlie.typeset.notation import PARAMETER, STORAGE, VELOCITY, Letter, Notation, field_letter, letter, word
from symlie.typeset.view import Row
from symlie.utilities.templating import render

_PLACES = {"start": "s_0", "end": "s_K"}


class _Formulas:
    """Names of all quantities in the equations, and their formulas."""

    def __init__(self, equations: ContinuumEquations) -> None:
        self.equations, self.c = equations, equations.continuum
        self.notation = Notation()
        name = self.notation.name_vector
        self.notation.name(self.c.t, "t", STORAGE)
        self.notation.name(self.c.s, "s", STORAGE)
        for parameter in (*self.c.model.parameters, *self.c.stated.parameters):
            name(parameter.symbols, letter(parameter.name), PARAMETER, parameter.shape)
        self.notation.name_fields(self.c.q.value.components, self.c.group.storage_fields, STORAGE)
        self.notation.name_fields(self.c.q.velocity.components, self.c.group.velocity_fields, VELOCITY)
        name(self.c.strain.components, Letter("w"), VELOCITY)
        name(self.c.strain_rate.components, Letter(r"\dot{w}"), VELOCITY)
        self.strains = [
            Letter("e", "", f"{k}" if len(self.c.rates) > 1 else "") for k in range(1, len(self.c.rates) + 1)
        ]
        for rate, strain in zip(self.c.rates, self.strains, strict=True):
            name(rate.value.components, Letter(rf"\dot{{{strain.stem}}}", "", strain.index), VELOCITY)
        for constraint in self.c.constraints:
            index = word(constraint.name) if len(self.c.constraints) > 1 else ""
            name(constraint.multipliers, Letter(r"\lambda", "", index), VELOCITY)

    def written(self, expressions: Sequence[Expr]) -> Vector:
        """Return expressions in named symbols only."""
        lowered, found = lower(self.c.stated.program, expressions)
        known: dict[Symbol, Expr] = {}
        for statement in lowered.statements:
            assert isinstance(statement, Assignment)
            known[statement.symbol] = substitute(statement.expression, known)
        return tuple(factor_terms(substitute(e, known)) for e in found)

    def scalar(self, left: str, expression: Expr) -> Row:
        """Return an equation that shows a scalar."""
        return Row(left, (self.notation.latex(self.written([expression])[0]),))

    def vector(self, left: str, expressions: Sequence[Expr]) -> Row:
        """Return an equation that shows a column vector."""
        parts = self.written(expressions)
        return Row(left, ("0" if all(e == 0 for e in parts) else self.notation.column(parts),))

    def densities(self) -> list[Row]:
        """Typeset T, U, P and Ψ."""
        pairs = (("T", self.c.kinetic), ("U", self.c.potential), ("P", self.c.dissipated))
        rows = [self.vector(str(e), r.of) for e, r in zip(self.strains, self.c.rates, strict=True)]
        rows += [self.scalar(name, Add(*terms)) for name, terms in pairs if terms]
        return [*rows, *([self.vector(r"\Psi", self.equations.constraint)] if self.equations.constraint else [])]

    def terms(self) -> list[Row]:
        """Typeset M or p, G, and F."""
        e = self.equations
        rows = []
        if e.has_constant_mass:
            entries = [self.written(row) for row in e.mass]
            rows.append(
                Row("M", (self.notation.matrix(entries) if len(entries) > 1 else self.notation.latex(entries[0][0]),))
            )
        else:
            rows.append(self.vector("p", e.momentum))
        sources = [r"\frac{\partial U}{\partial w}"] if e.section_force and self.c.potential else []
        sources += [r"\frac{\partial P}{\partial \dot w}"] if self.c.dissipated else []
        sources += [r"\mathrm{D}\Psi^{\mathsf{T}} \lambda"] if e.constraint else []
        written = self.vector("G", e.section_force)
        rows.append(Row("G", (" + ".join(sources), *written.right) if sources else written.right))
        return [*rows, *([self.vector("F", e.force)] if self.has_force else [])]

    @property
    def has_force(self) -> bool:
        """Return whether forces other than section forces act between the ends."""
        return any(f != 0 for f in self.written(self.equations.force))

    def motion(self) -> list[Row]:
        """Typeset the equations of motion."""
        left, turned = (r"M \thinspace \dot v", "M v") if self.equations.has_constant_mass else (r"\dot p", "p")
        force = " + F" if self.has_force else ""
        right = rf"\widehat{{v}}^{{\mathsf{{T}}}} {turned} + G' - \widehat{{w}}^{{\mathsf{{T}}}} G{force}"
        rows = [Row(left, (right,))]
        return [*rows, *([Row("0", (r"\Psi(w)",))] if self.equations.constraint else [])]

    def ends(self) -> list[Row]:
        """Typeset the boundary conditions."""
        return [row for e in self.equations.ends for row in self._end(e)]

    def _end(self, e: EndCondition) -> list[Row]:
        s, sign = _PLACES[e.end], "-" if e.end == "start" else ""
        if e.how == "clamped":
            return [Row(f"q({s}, t)", (f"q({s}, 0)",))]
        if e.how == "closed":
            return [Row("q(s_K, t)", ("q(s_0, t)",)), Row("G(s_K, t)", ("G(s_0, t)",))]
        if e.how == "prescribed":
            return [Row(f"q({s}, t)", (rf"q_{{\mathrm{{{e.end}}}}}(t)",))]
        if e.how == "joined":
            return [Row(f"q({s}, t)", (r"q_{\mathrm{node}}(t)",))]
        if e.end == "start" and self.equations.ends[1].how == "closed":
            return []
        return [self.vector(f"{sign}G({s}, t)", e.load or (Integer(0),) * self.c.group.dimension)]

    def in_space(self) -> list[Row]:
        """Typeset the equations in inertial axes: of linear and angular momentum on groups of motions, by Ad on all
        groups."""
        force = self.has_force
        momentum = "M v" if self.equations.has_constant_mass else "p"
        fields = [f.name for f in self.c.group.velocity_fields]
        if fields == ["Omega", "U"] and self.c.group.rotation is not None:
            linear, angular = (rf"R {_part(momentum, k)}" for k in ("U", r"\Omega"))
            loads = (" + R F_U", r" + R F_\Omega") if force else ("", "")
            if len(self.c.q.x) == 2:
                angular, loads = _part(momentum, r"\Omega"), (loads[0], r" + F_\Omega" if force else "")
            return [
                Row(r"\partial_t \left(" + linear + r"\right)", (rf"\partial_s f{loads[0]}",)),
                Row(
                    r"\partial_t \left(" + angular + r"\right) + \dot x \times " + linear,
                    (rf"\partial_s m + \partial_s x \times f{loads[1]}",),
                ),
                Row("f", ("R \\thinspace G_U",)),
                Row("m", ("R \\thinspace G_\\Omega" if len(self.c.q.x) == 3 else r"G_\Omega",)),
            ]
        co = r"\operatorname{Ad}_{q^{-1}}^{\mathsf{T}}"
        last = rf" + {co} F" if force else ""
        return [Row(rf"\partial_t \left({co} {momentum}\right)", (rf"\partial_s \left({co} G\right){last}",))]


def _part(momentum: str, index: str) -> str:
    return rf"\left({momentum}\right)_{{{index}}}" if " " in momentum else f"{momentum}_{{{index}}}"


def latex(equations: ContinuumEquations) -> str:
    """Return LaTeX; see `symlie.derive.continuum_equations.ContinuumEquations.latex`."""
    f = _Formulas(equations)
    return "\n\n".join(block(rows) for rows in (f.motion(), f.terms(), f.ends(), f.in_space()) if rows)


def markdown(equations: ContinuumEquations) -> str:
    """Return Markdown; see `symlie.derive.continuum_equations.ContinuumEquations.markdown`."""
    f = _Formulas(equations)
    c = equations.continuum
    page = render(
        "continuum.md.jinja",
        name=c.name,
        group=c.group.name,
        q=", ".join(str(field_letter(x)) for x in c.group.storage_fields),
        v="; ".join(str(field_letter(x)) for x in c.group.velocity_fields),
        parameters=[(p.name, str(letter(p.name)), p.unit) for p in (*c.model.parameters, *c.stated.parameters)],
        densities=block(f.densities()),
        motion=block(f.motion()),
        terms=block(f.terms()),
        ends=block(f.ends()),
        joined=any(e.how == "joined" for e in equations.ends),
        in_space=block(f.in_space()),
    )
    return protected(page).rstrip() + "\n"
