"""Layout of a model without the constraint equations of its contacts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from symlie.contract.manifest import ElementType, Instances, Label, Pattern
from symlie.runtime.layout.layout import Layout


@dataclass(frozen=True, eq=False)
class OpenLayout:
    """Equations of a model of which all contacts are open.

    Attributes
    ----------
    layout
        Layout without the equations of contacts.
    rows, values
        Equations that remain, and the stored values of their B, among those of the model.
    types_of_contacts
        Flags of element types with equations of contacts.
    has_mixed_types
        True if an element type has equations of contacts and others.
    """

    layout: Layout
    rows: NDArray[np.intp]
    values: NDArray[np.intp]
    types_of_contacts: list[bool]
    has_mixed_types: bool


def open_layout(layout: Layout) -> OpenLayout:
    """Return a layout without the equations of contacts."""
    types = [_without_contacts(e) for e in layout.elements]
    rows, values, first_value = [np.zeros(0, dtype=np.intp)], [np.zeros(0, dtype=np.intp)], 0
    for element, places in zip(layout.elements, layout.row_places, strict=True):
        kept = np.setdiff1d(np.arange(element.rows), element.rows_of_contacts)
        rows.append(places[:, kept].ravel().astype(np.intp))
        own = np.flatnonzero(np.isin(np.array(element.jacobian.rows, dtype=np.intp), kept))
        begin = first_value + element.jacobian.count * np.arange(len(places))
        values.append((begin[:, None] + own).ravel())
        first_value += element.jacobian.count * len(places)
    have_contacts = [bool(e.rows_of_contacts) for e in layout.elements]
    has_mixed_types = any(e.rows_of_contacts and t.rows for e, t in zip(layout.elements, types, strict=True))
    instances = tuple(
        replace(i, labels=_remaining_labels(e, i)) for e, i in zip(layout.elements, layout.instances, strict=True)
    )
    reduced = Layout(replace(layout.manifest, element_types=tuple(types), instances=instances))
    return OpenLayout(reduced, np.concatenate(rows), np.concatenate(values), have_contacts, has_mixed_types)


def _remaining_labels(element: ElementType, instances: Instances) -> tuple[tuple[Label, ...], ...]:
    """Labels without those of the constraints of contacts, which come first."""
    kept = [not of_contacts for of_contacts in _are_of_contacts(element)]
    count = len(kept)
    return tuple((*compress(labels, kept), *labels[count:]) for labels in instances.labels)


def _are_of_contacts(element: ElementType) -> list[bool]:
    """Flags of the constraints of an element type that belong to contacts."""
    ends = np.cumsum([c.size for c in element.constraints]).tolist()
    rows = [range(end - c.size, end) for end, c in zip(ends, element.constraints, strict=True)]
    return [bool({*element.rows_of_contacts}.intersection(own)) for own in rows]


def _without_contacts(element: ElementType) -> ElementType:
    if not element.rows_of_contacts:
        return element
    constraints = [c for c, own in zip(element.constraints, _are_of_contacts(element), strict=True) if not own]
    kept = [k for k in range(element.rows) if k not in element.rows_of_contacts]
    places = zip(element.jacobian.rows, element.jacobian.columns, strict=True)
    entries = [(kept.index(i), j) for i, j in places if i in kept]
    pattern = Pattern(tuple(i for i, _ in entries), tuple(j for _, j in entries))
    return replace(element, constraints=tuple(constraints), jacobian=pattern, contacts=())
