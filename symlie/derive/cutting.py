"""Splitting of a model into element types and their elements.

A model that is defined node by node is a sum of terms, each on a few nodes. Terms on the same nodes form one element,
and elements that differ only in node names and parameter values are instances of one element type. So the code grows
with the kinds of terms, and the cost of a step with their number.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from sympy import Expr, Float, Symbol

from symlie.derive.pieces import Piece, Term, pieces_of
from symlie.derive.spelling import Restated, Spelled, Speller
from symlie.modeling.element_type import ElementType, add_instances
from symlie.modeling.model import Model
from symlie.modeling.terms import Constraint, Event, Output, Parameter

LARGEST_TURNED = 3
"""Largest number of nodes of parts that are compared for all permutations of their nodes."""


def can_be_cut(model: Model) -> bool:
    """Return whether the model definition contains separable terms of different nodes."""
    # Dependent nodes, acceleration-level constraints, balances of massless components and trees of bodies belong to a
    # recursion over all nodes, or to all forces on a node. Changes at events involve all nodes.
    of_all = any(c.level == 2 or c.balances for c in model.constraints)
    whole = model.dependents or model.trees or of_all
    changes = model.resets or model.engagements or model.contacts
    return len(model.nodes) > 1 and not (whole or changes)


def cut(model: Model) -> Model:
    """Return a copy of the model split into elements, or the model itself if all its terms depend on the same nodes."""
    pieces = pieces_of(model)
    if len(pieces) < 2:
        return model
    speller = Speller(model)
    kinds: dict[str, list[Spelled]] = {}
    for piece in pieces:
        spelled = next((s for s in _spellings(speller, piece) if s.text in kinds), None) or next(
            _spellings(speller, piece)
        )
        kinds.setdefault(spelled.text, []).append(spelled)
    result = model.without_own_statement()
    names = _free_names(model, len(kinds))
    for name, members in zip(names, kinds.values(), strict=True):
        _add(result, speller, name, members)
    return result


def _spellings(speller: Speller, piece: Piece) -> Iterator[Spelled]:
    orders = itertools.permutations(piece.nodes) if len(piece.nodes) <= LARGEST_TURNED else [piece.nodes]
    return (speller.spelled(piece, order) for order in orders)


def _free_names(model: Model, count: int) -> list[str]:
    """Return unused names for element types."""
    taken = {i.element.name for i in model.instances} | {g.name for g in model.spaces}
    candidates = (f"{model.name}_part{k}" for k in itertools.count(1))
    return list(itertools.islice((name for name in candidates if name not in taken), count))


@dataclass(frozen=True, eq=False)
class _Values:
    """Values that differ between the elements of a type: entries of its parameters, or values common to all
    elements.
    """

    columns: tuple[int | None, ...]
    """Parameter number of each hole; None if the value is the same in all elements."""
    values: NDArray[np.float64]
    sources: NDArray[np.int32]


def _values_of(members: Sequence[Spelled], positions: dict[Symbol, int]) -> _Values:
    distinct: dict[tuple[Expr, ...], int] = {}
    columns: list[int | None] = []
    for column in zip(*(m.holes for m in members), strict=True):
        shared = all(c == column[0] for c in column)
        columns.append(None if shared else distinct.setdefault(column, len(distinct)))
    shape = (len(members), len(distinct))
    values, sources = np.zeros(shape), np.full(shape, -1, dtype=np.int32)
    for j, column in enumerate(distinct):
        for i, entry in enumerate(column):
            if isinstance(entry, Float):
                values[i, j] = float(entry)
            else:
                sources[i, j] = positions[entry]
    return _Values(tuple(columns), values, sources)


def _add(result: Model, speller: Speller, name: str, members: Sequence[Spelled]) -> None:
    """Define an element type by its first element, and add all elements."""
    positions = {s: k for k, s in enumerate(s for p in result.parameters for s in p.symbols)}
    held = _values_of(members, positions)
    defaults = [c for p in result.parameters for c in p.default]
    values = np.where(held.sources < 0, held.values, np.array([*defaults, 0.0])[held.sources])
    first = members[0]
    groups = {f"node{k + 1}": result.nodes[number].group for k, number in enumerate(first.order)}
    element = ElementType(name, **groups)
    for j in range(values.shape[1]):
        stem = f"{name}.value{j + 1}"
        element.parameters.append(
            Parameter(f"value{j + 1}", (), (float(values[0, j]),), "", (Symbol(stem, real=True),))
        )
    symbols = [p.symbols[0] for p in element.parameters]

    def fill(hole: int) -> Expr:
        column = held.columns[hole]
        return first.holes[hole] if column is None else symbols[column]

    _state(element, first.piece.terms, Restated(speller, first, element, result.nodes, fill))
    places = [tuple((result.nodes[k].name, 0) for k in m.order) for m in members]
    labels = [
        tuple(t.label for role in _LABELLED for t in m.piece.terms if t.role == role and t.label is not None)
        for m in members
    ]
    add_instances(result, element, places, values, held.sources, labels)


_LABELLED = ("constraints", "outputs", "events")
"""Terms with names in results, in the order of the labels of an element."""


def _state(element: ElementType, terms: Sequence[Term], restated: Restated) -> None:
    """Add terms to an element type without repeating the checks made when they were defined."""
    rows = [s for t in terms for s in t.multipliers]
    multipliers = {s: Symbol(f"lambda[{element.name},{k}]", real=True) for k, s in enumerate(rows)}
    for mine, new in multipliers.items():
        restated.define(mine, new)
    count = itertools.count(1)
    for term in terms:
        given = tuple(map(restated.expression, term.expressions))
        node = element.nodes[restated.place(term.node)] if term.node is not None else None
        match term.stated:
            case Constraint():
                own = tuple(multipliers[m] for m in term.multipliers)
                name = f"{element.name}_rows{next(count)}"
                element.constraints.append(replace(term.stated, name=name, rows=given, multipliers=own))
            case Output():
                element.outputs.append(
                    replace(term.stated, name=f"{element.name}_output{next(count)}", components=given)
                )
            case Event():
                element.events.append(
                    replace(term.stated, name=f"{element.name}_event{next(count)}", expression=given[0])
                )
            case None if node is not None:
                getattr(element, term.role).append((node, given))
            case None:
                getattr(element, term.role).append(given if len(given) > 1 else given[0])
    element.units.skip()
