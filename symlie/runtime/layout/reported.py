"""Named quantities of results: constraints, outputs and events of element types or of named elements."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from symlie.contract.manifest import ConstraintRows, ElementType, EventFunction, Instances, Label, OutputComponents
from symlie.runtime.layout.slices import ConstraintSlice, EventValue, OutputPart

Stated = TypeVar("Stated", ConstraintRows, OutputComponents, EventFunction)

Types = Sequence[tuple[ElementType, Instances]]
"""Element types of a model with their elements."""


def labels_of(element: ElementType, instances: Instances) -> tuple[tuple[Label, ...], ...]:
    """Labels of each element; `ValueError` if their number differs from that of elements or quantities."""
    size = len(element.constraints) + len(element.outputs) + len(element.events)
    labels = instances.labels or ((),) * instances.count
    if len(labels) != instances.count or any(len(row) not in (0, size) for row in labels):
        raise ValueError(f"labels of '{element.name}' do not fit to its instances")
    return labels


def without_labels(labels: Sequence[Sequence[Label]]) -> NDArray[np.int64]:
    """Elements without labels, which appear under the name of their type."""
    return np.array([k for k, row in enumerate(labels) if not row], dtype=np.int64)


def _named(
    stated: Sequence[Stated], first: int, labels: Sequence[Sequence[Label]]
) -> Iterator[tuple[int, Stated, int, Label]]:
    """Quantities of labelled elements: number of the element within the type, the quantity, the element, its label.

    ``first`` is the position of the first quantity among the labels of an element.
    """
    for instance, row in enumerate(labels):
        for k, quantity in enumerate(stated if row else ()):
            yield k, quantity, instance, row[first + k]


def named_constraints(types: Types, rows: Sequence[NDArray[np.int64]], model: str) -> dict[str, ConstraintSlice]:
    """Equations of each named constraint, from the equations of the elements of each type, shape (elements, rows).

    `model` names the element type of the model definition. `ValueError` if the equations of a constraint are not
    adjacent.
    """
    named: dict[str, ConstraintSlice] = {}
    parts: dict[str, list[tuple[int, ConstraintRows, NDArray[np.int64]]]] = {}
    for (element, instances), place in zip(types, rows, strict=True):
        labels = labels_of(element, instances)
        own = without_labels(labels)
        ends = np.cumsum([0, *(c.size for c in element.constraints)])
        columns = [slice(a, b) for a, b in itertools.pairwise(ends)]
        if len(own) or not labels:
            for constraint, part in zip(element.constraints, columns, strict=True):
                is_array = element.name != model
                named[constraint.name] = ConstraintSlice(constraint, place[own, part], is_array, element.name, own)
        for k, constraint, instance, label in _named(element.constraints, 0, labels):
            parts.setdefault(label.name, []).append((label.first, constraint, place[instance, columns[k]]))
    for name, found in parts.items():
        ordered = sorted(found, key=lambda part: part[0])
        joined = np.concatenate([part for *_, part in ordered])
        starts = itertools.accumulate((len(part) for *_, part in ordered[:-1]), initial=0)
        if [first for first, *_ in ordered] != [*starts]:
            raise ValueError(f"parts of constraint '{name}' do not follow each other")
        stated = ConstraintRows(name, len(joined), ordered[0][1].level, ordered[0][1].is_affine)
        named[name] = ConstraintSlice(stated, joined[None], False, model, np.zeros(1, dtype=np.int64))
    return named


def output_parts(types: Types, first: Sequence[str]) -> dict[str, tuple[str, list[OutputPart]]]:
    """Unit and summands of each named output: the outputs ``first``, then all others in the order of the types."""
    found: dict[str, tuple[str, list[OutputPart]]] = {}
    for index, (element, instances) in enumerate(types):
        labels = labels_of(element, instances)
        own = without_labels(labels)
        if len(own) or not labels:
            for k, output in enumerate(element.outputs):
                found.setdefault(output.name, (output.unit, []))[1].append(OutputPart(index, k, own, 0))
        for k, output, instance, label in _named(element.outputs, len(element.constraints), labels):
            part = OutputPart(index, k, np.array([instance]), label.first)
            found.setdefault(label.name, (output.unit, []))[1].append(part)
    return {name: found[name] for name in dict.fromkeys((*first, *found))}


def event_values(types: Types, model: str) -> list[EventValue]:
    """All event functions in the order of their values."""
    found = []
    for element, instances in types:
        first = len(element.constraints) + len(element.outputs)
        for instance, row in enumerate(labels_of(element, instances)):
            for k, event in enumerate(element.events):
                owner = (event.name, element.name, instance) if not row else (row[first + k].name, model, 0)
                found.append(EventValue(owner[0], event.direction, event.is_terminal, *owner[1:]))
    return found
