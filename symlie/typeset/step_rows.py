"""Equations of a variational step that are common to all statements, as aligned LaTeX equations.

    L_d = h (Σ w T(q_ξ, θ/h) - Σ w V(q_ξ)),   y = ∂L_d/∂θ
    p⁺ = T⁻ᵀ(-θ) y - D_{q_n} L_d,             p⁻ = T⁻ᵀ(θ) y + D_{q_{n+1}} L_d

V at both ends is part of the load l there, with external forces and damping; L_d without it is written with a bar.
Source: [Hante2022], equations 12 to 18.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import lcm

from symlie.contract.discrete import DiscreteLagrangian, Samples
from symlie.groups.homogeneous import acting_group
from symlie.modeling.statement import Statement
from symlie.typeset.operator_formulas import operator_rows
from symlie.typeset.step_view import INCREMENT, Section, StepView
from symlie.typeset.view import Row

_RATE = r"\frac{\theta}{h}"


def step_sections(views: Sequence[StepView], discrete: DiscreteLagrangian) -> list[Section]:
    """Return the discrete Lagrangian, its momenta, and both stages as sections."""
    statements = [view.derived.statement for view in views]
    return [_lagrangian(discrete), _momenta(views, statements, discrete), *_stages(statements, discrete)]


def _lagrangian(discrete: DiscreteLagrangian) -> Section:
    between = sorted({part for part, _ in discrete.kinetic + discrete.potential if part not in (0, 1)})
    kinetic = _terms(discrete.kinetic, lambda q: rf"T\left({q}, {_RATE}\right)")
    potential = _terms(discrete.potential, lambda q: rf"V\left({q}\right)", -1)
    text = r"Numbers of equations are those of Hante, Tumiotto, Arnold (2022). $\theta$ is the increment of all nodes."
    if between:
        text += r" Samples at $q_{n+\xi}$ belong to the time $t_{n} + \xi h$."
    rows = [
        Row(INCREMENT, (r"\log\left(q_{n}^{-1} \circ q_{n+1}\right)",)),
        *(Row(_at("q", part), (rf"q_{{n}} \circ \exp\left({_times(part, INCREMENT)}\right)",)) for part in between),
        Row("L_d", (_sum([*kinetic, *potential]),)),
    ]
    return Section("Discrete Lagrangian", text, rows)


def _momenta(views: Sequence[StepView], statements: Sequence[Statement], discrete: DiscreteLagrangian) -> Section:
    groups = {factor for s in statements for n in s.nodes for factor, _, _ in acting_group(n.group).simple_factors}
    curved = any(operator_rows(group) for group in groups)
    first, second = (rf"T^{{-\mathsf{{T}}}}({sign}\theta) \thinspace y" if curved else "y" for sign in ("-", ""))
    at_ends = any(discrete.ends)
    inner = r"\bar{L}_d" if at_ends else "L_d"
    forces = _Forces(statements, discrete)
    moved = {
        "n": any(c != 0 for view in views for c in view.step.by_start),
        "n+1": any(c != 0 for view in views for c in view.step.by_end),
    }
    exact = [] if forces.worked(INCREMENT) else [rf"-\mathrm{{D}}_{{1}} {inner}", rf"\mathrm{{D}}_{{2}} {inner}"]
    without = "".join(_added(w, f"h V({q})") for w, q in zip(discrete.ends, ("q_{n}", "q_{n+1}"), strict=True))
    rows = [
        *([Row(inner, (f"L_d{without}",))] if at_ends else []),
        Row("y", (rf"\frac{{\partial {inner}}}{{\partial \theta}}{forces.worked(INCREMENT)}",)),
        *([Row("d_{n}", (rf"\mathrm{{D}}_{{q_{{n}}}} {inner}{forces.worked('q_{n}')}",))] if moved["n"] else []),
        *([Row("d_{n+1}", (rf"\mathrm{{D}}_{{q_{{n+1}}}} {inner}",))] if moved["n+1"] else []),
        Row("p^{+}", (*exact[:1], first + " - d_{n}" * moved["n"])),
        Row("p^{-}", (*exact[1:], second + " + d_{n+1}" * moved["n+1"])),
        Row("p", (r"\frac{\partial T}{\partial v}",)),
        *([Row("l", (r"\mathrm{D}_q V" + forces.opposite,))] if at_ends else []),
    ]
    texts = ["Equations (14)."]
    if curved:
        texts.append(r"$T^{-\mathsf{T}}$, by node, is what derivatives of $\theta$ by both configurations bring.")
    if any(moved.values()):
        texts.append(r"Derivatives $d$ are those at fixed $\theta$.")
    if at_ends:
        texts.append("$V$ at the ends is part of the loads $l$ there, which are external forces in (18).")
    return Section("Discrete momenta", " ".join(texts), rows)


def _stages(statements: Sequence[Statement], discrete: DiscreteLagrangian) -> list[Section]:
    levels = {c.level for s in statements for c in s.constraints}
    start, end = discrete.ends
    one = "p^{+}" + _added(start, "h l_{n}")
    two = "p^{-}" + _added(-end, "h l_{n+1}")
    if levels:
        one += r" + \frac{h}{2} B_{n}^{\mathsf{T}} \lambda_{n}^{+}"
        two += r" - \frac{h}{2} B_{n+1}^{\mathsf{T}} \lambda_{n+1}^{-}"
    first = [Row("p_{n}", (one,)), Row("q_{n+1}", (r"q_{n} \circ \exp\left(\theta\right)",))]
    if 0 in levels:
        first.append(Row(r"\Phi\left(t_{n+1}, q_{n+1}\right)", ("0",)))
    if 1 in levels:
        rates = _terms(discrete.kinetic, lambda q: rf"\left(B \thinspace v + b\right)\left({q}, {_RATE}\right)")
        first.append(Row(r"\rho", (_sum(rates), "0")))
    second = [Row("p_{n+1}", (two,))]
    if levels:
        second.append(Row(r"B_{n+1} \thinspace v_{n+1} + b_{n+1}", ("0",)))
    texts = [r"Equations (15a), for $\theta$.", "Equations (15b), for $v_{n+1}$."]
    if levels:
        texts[0] = r"Equations (15a), for $\theta$ and $\lambda_{n}^{+}$."
        texts[1] = r"Equations (15b) with the hidden constraints (16), for $v_{n+1}$ and $\lambda_{n+1}^{-}$."
    if 1 in levels:
        texts[0] += r" Rows without $\Phi$ hold as the discrete Lagrangian samples velocities."
    return [Section("First stage", texts[0], first), Section("Second stage", texts[1], second)]


class _Forces:
    """External forces and damping, by name."""

    def __init__(self, statements: Sequence[Statement], discrete: DiscreteLagrangian) -> None:
        forced = any(s.applied_forces or s.generalized_forces for s in statements)
        damped = any(s.dissipated != 0 for s in statements)
        damping = r"\frac{\partial D}{\partial v}"
        self.opposite = f" + {damping}" * damped + " - f" * forced
        self._force = rf"\left(f - {damping}\right)" if forced and damped else "f" if forced else damping
        samples = [(part, w if forced else -w) for part, w in sorted(discrete.potential) if part not in (0, 1)]
        self._samples = samples if forced or damped else []

    def worked(self, by: str) -> str:
        """Return the load terms at interior samples, for a derivative by θ or q_n."""
        terms = [
            (w, rf"h \left(\frac{{\partial {_at('q', part)}}}{{\partial {by}}}\right)^{{\mathsf{{T}}}} {self._force}")
            for part, w in self._samples
        ]
        return "".join(_added(w, term) for w, term in terms)


def _at(letter: str, part: Fraction) -> str:
    index = "n" if part == 0 else f"n+{part}"
    return f"{letter}_{{{index}}}"


def _terms(samples: Samples, shown: Callable[[str], str], sign: int = 1) -> list[tuple[Fraction, str]]:
    """Return samples with their weights as terms of a sum."""
    return [(sign * weight, shown(_at("q", part))) for part, weight in sorted(samples)]


def _sum(terms: Sequence[tuple[Fraction, str]]) -> str:
    """Return h times the sum of the terms, over their common denominator."""
    whole = lcm(*(weight.denominator for weight, _ in terms))
    inner = "".join(_added(weight * whole, term) for weight, term in terms).removeprefix(" + ").strip()
    factor = "h" if whole == 1 else rf"\frac{{h}}{{{whole}}}"
    return rf"{factor} \left({inner}\right)"


def _added(weight: Fraction, term: str) -> str:
    """Return a term to be appended to others; empty if its weight is zero."""
    return f" {'-' if weight < 0 else '+'} {_times(abs(weight), term)}" if weight else ""


def _times(number: Fraction, term: str) -> str:
    """Return a multiple of a term whose first letter becomes part of the fraction."""
    letter, space, rest = term.partition(" ")
    numerator = letter if abs(number.numerator) == 1 else f"{abs(number.numerator)} {letter}"
    sign = "-" if number < 0 else ""
    if number.denominator == 1:
        return f"{sign}{numerator}{space}{rest}"
    return rf"{sign}\frac{{{numerator}}}{{{number.denominator}}}{space}{rest}"
