"""Vector fields of nodes without velocity, and the motion of dependent nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import sympy
from sympy import Expr, Integer, Symbol

from symlie.contract.locations import located_in_order
from symlie.errors import ModelError
from symlie.ir.differentiate import forward
from symlie.ir.program import Assignment, Program, Vector, depends_on, free_symbols, substitute
from symlie.modeling.model import Model
from symlie.modeling.statement import Statement

MOST_OPERATIONS = 500
"""Largest operation count of an expression that is expanded to find cancelling terms."""


def moved_nodes(statement: Statement) -> tuple[int, ...]:
    """Return the indices of the nodes for which a statement defines fields."""
    return tuple(k for k, node in enumerate(statement.nodes) if any(n is node for n, _ in statement.fields))


def total_field(statement: Statement, place: int) -> tuple[Expr, ...]:
    """Return the sum of the vector fields defined for a local node."""
    node = statement.nodes[place]
    parts = [f for n, f in statement.fields if n is node]
    return tuple(sum(column, Integer(0)) for column in zip(*parts, strict=True))


def placed_offsets(statement: Statement) -> list[Expr]:
    """Return offset and rate of each dependent node, where q' = v and y' = ψ_*(f)|_y; rates must not contain
    accelerations."""
    seeds = statement.motion()
    seeds += [
        (statement.nodes[k].value, statement.program.vector(total_field(statement, k))) for k in moved_nodes(statement)
    ]
    accelerations = [s for n in statement.nodes for s in n.acceleration.components]
    result: list[Expr] = []
    for placement in statement.placements:
        if not placement.has_velocity:
            result += [*placement.offset, *(Integer(0) for _ in placement.offset)]
            continue
        rates = forward(statement.program, placement.offset, seeds)
        if depends_on(statement.program, rates, accelerations):
            raise ModelError(
                f"The offset of node '{statement.nodes[placement.place].name}' has a rate that depends on "
                "accelerations; the rate must be a function of the state."
            )
        result += [*placement.offset, *rates]
    return result


Placed = tuple[str, int]
"""Node by the name of its array and its number; 0 for single nodes."""


def check_placements(model: Model) -> None:
    """Check that each node is dependent at most once, follows its references, and depends only on first-order states of
    the same definition."""
    stated = list(_rows(model))
    waiting = {row[p.place] for statement, row in stated for p in statement.placements}
    used_by = {s: _used(s) for s in dict.fromkeys(s for s, _ in stated) if s.placements}
    for statement, row in stated:
        # Offsets are computed before any dependent node of the element.
        late = [row[k] for k in used_by.get(statement, []) if row[k] in waiting]
        for p in statement.placements:
            place, reference = row[p.place], row[p.reference]
            if place not in waiting:
                raise ModelError(f"Node '{_shown(place)}' is defined as dependent twice, last by '{statement.name}'.")
            if reference in waiting:
                late.append(reference)
            if late:
                raise ModelError(
                    f"Dependent node '{_shown(place)}' uses node '{_shown(late[0])}', which is defined later; add "
                    "elements in the order of their dependencies."
                )
            waiting.remove(place)
    moved_by: dict[Placed, list[str]] = {}
    for statement, row in stated:
        for node, _ in statement.fields:
            moved_by.setdefault(row[statement.nodes.index(node)], []).append(statement.name)
    for statement, row in stated:
        used = [s for p in statement.placements for s in p.offset]
        for node, place in zip(statement.nodes, row, strict=True):
            is_used = bool(used) and depends_on(statement.program, used, node.value.components)
            is_moved_here = set(moved_by.get(place, [])) == {statement.name}
            if is_used and not node.group.velocity_dimension and not is_moved_here:
                raise ModelError(
                    f"Dependent nodes of '{statement.name}' use node '{_shown(place)}'; '{statement.name}' must define "
                    "the whole field of that node."
                )


def check_locations(model: Model) -> None:
    """Raise `ModelError` if a node is defined as dependent more than once, or if dependencies are circular."""
    places: dict[Statement, list[int]] = {}
    members: dict[Statement, list[tuple[Placed, ...]]] = {}
    taken: dict[Placed, str] = {}
    for statement, row in _rows(model):
        places[statement] = [located.place for located in statement.locations]
        members.setdefault(statement, []).append(row)
        for k in (*places[statement], *(p.place for p in statement.placements)):
            if row[k] in taken:
                raise ModelError(
                    f"Node '{_shown(row[k])}' is defined as dependent twice, by '{taken[row[k]]}' and by "
                    f"'{statement.name}'."
                )
            taken[row[k]] = statement.name
    _, circle = located_in_order(list(places.values()), list(members.values()))
    if circle:
        raise ModelError(f"Node '{_shown(min(circle))}' depends on nodes that depend on it.")


def _used(statement: Statement) -> list[int]:
    """Return the local nodes on which offsets or their rates depend."""
    offsets = placed_offsets(statement)
    return [
        k
        for k, node in enumerate(statement.nodes)
        if depends_on(statement.program, offsets, [*node.value.components, *node.velocity.components])
    ]


def _rows(model: Model) -> Iterator[tuple[Statement, tuple[Placed, ...]]]:
    """Yield each definition with the nodes of each of its elements."""
    yield model, tuple((node.name, 0) for node in model.nodes)
    for instances in model.instances:
        backwards = any(p.last_first for p in instances.element.placements)
        for row in reversed(instances.nodes) if backwards else instances.nodes:
            yield instances.element, row


def _shown(node: Placed) -> str:
    return f"{node[0]}[{node[1]}]"


def collected_rates(statement: Statement, place: int, field: Vector) -> list[Expr]:
    """Return S(q) f of a local node with the vector field f, without terms that cancel."""
    # A vector field on a manifold may have components that move no point, such as the component along q of q (q·d) - d,
    # which cancels in q' = f × q.
    node, program = statement.nodes[place], statement.program
    q, tangent = node.value.components, node.group.storage_tangent
    stated = tangent(program, q, field)
    inlined = tangent(program, q, tuple(_inlined(program, f, q) for f in field))
    return [_collected(program, rate, by_parts, q) for rate, by_parts in zip(stated, inlined, strict=True)]


def _inlined(program: Program, expression: Expr, symbols: Sequence[Symbol]) -> Expr:
    """Substitute the statements that depend on some symbols into an expression."""
    while True:
        found: dict[Symbol, Expr] = {}
        for symbol in free_symbols(expression):
            line = program.line_of(symbol)
            statement = None if line is None else program.statements[line]
            if isinstance(statement, Assignment) and depends_on(program, [symbol], symbols):
                found[symbol] = statement.expression
        if not found or sympy.count_ops(expression) > MOST_OPERATIONS:
            return expression
        expression = substitute(expression, found)


def _collected(program: Program, stated: Expr, inlined: Expr, symbols: Sequence[Symbol]) -> Expr:
    """Return an expression after cancellation, as a sum of powers of symbols times factors, if that is shorter."""
    known = sympy.count_ops(inlined)
    if known > MOST_OPERATIONS:
        return stated
    factors: dict[Expr, Expr] = {}
    for term in sympy.Add.make_args(sympy.expand(inlined)):
        factor, power = term.as_independent(*symbols, as_Add=False)
        factors[power] = factors.get(power, Integer(0)) + factor
    left: Expr = Integer(0)
    for power, factor in factors.items():
        # The sign is fixed, so that components that differ only in sign share the factor.
        signed = {sign: sympy.factor_terms(sympy.expand(sign * factor)) for sign in (1, -1)}
        sign = min(signed, key=lambda sign: str(signed[sign]))
        left += sign * power * program.scalar(signed[sign])
    return left if sympy.count_ops(left) < known else stated
