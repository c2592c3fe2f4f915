"""Jets: the coefficients x_k of x(t_n + s) = Σ x_k s^k of all values of a straight line, order by order.

For a product c = a b the coefficient of order k is

    c_k = a_0 b_k + a_k b_0 + Σ_{0<j<k} a_j b_{k-j}  (1)

Other operators follow from products by an equation that they satisfy: t b = a for quotients, t² = a for roots, and
t' = f(t, a) a' for elementary functions, whose products have the coefficients j a_j instead of a_j. An order first
needs the sums over 0 < j < k, which depend only on lower orders and are computed together, and then one pass through
the derivatives of the statements at order 0. The text of that pass is the same for all orders.

Non-elementary functions of one argument have separate sums (`symlie.ir.jets.compositions`), and piecewise laws have the
branch of order 0 (`symlie.ir.jets.pieces`).

Some inputs may follow from the results of an order. The pass omits them, and their contributions to factors, which are
linear in them, are added once they are known.
Source: [Griewank2008], section 13.2, for the rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from symlie.contract.set_table import JetLayout
from symlie.ir.jets import pieces
from symlie.ir.jets.compositions import functions_of
from symlie.ir.jets.one_pass import SUMS, JetValues, Pass
from symlie.ir.jets.rules import NEEDS, RULES
from symlie.ir.jets.sharing import Numbers, numbered
from symlie.ir.straightline import Lines, Operand, StraightLine, pruned


@dataclass(frozen=True)
class Jet:
    """Jet of a straight line, as straight lines ``begin`` (order 0), ``order`` (order k) and ``rest`` (late inputs)."""

    # ``begin``, from values of the inputs: results, values of order 0 that orders need, arguments of functions, and
    # switching functions with the sum of the magnitudes of their terms. ``order``, from those, k, the sums and the
    # inputs' coefficients of order k: results, the factors of all products, arguments of functions, and switching
    # functions. ``rest``, from k, values of order 0 and coefficients of late inputs: contributions to the last factors,
    # which are incomplete.

    begin: StraightLine
    order: StraightLine
    rest: StraightLine
    layout: JetLayout


def jet_of(
    name: str,
    body: StraightLine,
    constant: Sequence[str],
    later: Sequence[str] = (),
    numbers: Numbers | None = None,
    known: Mapping[str, str] | None = None,
) -> Jet:
    """Derive the jet of a straight line; raise `ModelError` for an operator without a rule."""
    # ``constant`` are name prefixes of inputs that are no functions of time, such as ``p[``; ``later`` those of inputs
    # that follow from the results; ``numbers`` and ``known`` belong to other jets of the type, see `numbered`.
    begin = Lines(body.instructions)
    for instruction in body.instructions:
        if instruction.operator in NEEDS:
            NEEDS[instruction.operator](begin, instruction.target, *instruction.operands)
    conditions = tuple(dict.fromkeys(pieces.conditions(begin, body.instructions)))
    values = JetValues(begin, {**RULES, **functions_of(body.schemes)}, tuple(constant), tuple(later))
    first, rest = Pass(values, of_rest=False), Pass(values, of_rest=True)
    found = {f: None for p in values.products for f in (p.left, p.right)}
    new = {f for f in found if values.is_later(f.operand) and first.factors([f]) == (0.0,)}
    factors = sorted(found, key=lambda f: (values.is_later(f.operand), f in new))
    late = [f for f in factors if values.is_later(f.operand)]
    places = {f: k for k, f in enumerate(factors)}
    # Products of new factors are contiguous, with these on the left, so that whole registers are stored once.
    turned = {name: p.turned() if p.right in new else p for p, name in values.products.items()}
    ordered = sorted(turned, key=lambda name: (turned[name].left not in new, turned[name].right not in new))
    names = {name: f"{SUMS}[{k}]" for k, name in enumerate(ordered)}
    results = tuple(first.coefficient(o) for o in body.outputs)
    arguments = tuple(map(first.coefficient, values.functions.arguments))
    chosen_by = pieces.changing(values, conditions)
    further = arguments + tuple(map(first.coefficient, chosen_by))
    order = pruned(first.lines.instructions, results + first.factors(factors) + further, {})
    sizes = [pieces.size_of(values.begin, c) for c in chosen_by]
    stored = (*body.outputs, *values.kept, *values.functions.arguments, *chosen_by, *sizes)
    products = tuple((places[turned[name].left], places[turned[name].right]) for name in ordered)
    counts = len(results), len(values.kept), len(factors), len(late)
    vanishes = not chosen_by and all(r == 0.0 for r in results)
    of_values = numbered(values.statements, {} if numbers is None else numbers, known or {})
    called = tuple(("k " if f.is_weighted else "") + of_values.get(str(f.operand), str(f.operand)) for f in factors)
    composed = len(arguments), values.functions.compositions, len(chosen_by), vanishes
    return Jet(
        pruned(values.begin.instructions, stored, {s.function: s for s in body.schemes}),
        _renamed(order, names | values.functions.names),
        pruned(rest.lines.instructions, rest.factors(late), {}),
        JetLayout(name, *counts, products, False, *composed, new=len(new), names=called),
    )


def _renamed(body: StraightLine, names: Mapping[str, str]) -> StraightLine:
    def place(operand: Operand) -> Operand:
        return names.get(operand, operand) if isinstance(operand, str) else operand

    instructions = tuple(replace(i, operands=tuple(map(place, i.operands))) for i in body.instructions)
    return replace(body, instructions=instructions, outputs=tuple(map(place, body.outputs)))
