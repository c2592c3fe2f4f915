"""Layout of a model without the constraint equations of its contacts."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from symlie.contract.manifest import ElementType, Pattern
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
    reduced = Layout(replace(layout.manifest, element_types=tuple(types)))
    return OpenLayout(reduced, np.concatenate(rows), np.concatenate(values), have_contacts, has_mixed_types)


def _without_contacts(element: ElementType) -> ElementType:
    of_contacts = {*element.rows_of_contacts}
    if not of_contacts:
        return element
    first, constraints, kept = 0, [], list[int]()
    for c in element.constraints:
        own = range(first, first + c.size)
        first += c.size
        if not of_contacts.intersection(own):
            constraints.append(c)
            kept += own
    places = zip(element.jacobian.rows, element.jacobian.columns, strict=True)
    entries = [(kept.index(i), j) for i, j in places if i in kept]
    pattern = Pattern(tuple(i for i, _ in entries), tuple(j for _, j in entries))
    return replace(element, constraints=tuple(constraints), jacobian=pattern, contacts=())
