"""Modes of contacts at the start of a run."""

from __future__ import annotations

import numpy as np

from symlie.contract.constants import NEWTON_IMPACTS, POSITION_TOLERANCE
from symlie.errors import InconsistentInitialValuesError, ModelError
from symlie.runtime.layout.event_changes import CONTACT_TABLE, UNDETERMINED
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.system.contacts.switching import ContactSwitching, Fired
from symlie.runtime.system.contacts.table import ContactTable
from symlie.runtime.system.mechanics import Mechanics
from symlie.warnings import warn


def with_contacts(mechanics: Mechanics, t: float, q: Array, v: Array, *, is_jump: bool) -> tuple[Array, Array]:
    """Return a state with the modes of its contacts, after an impact of those that approach each other.

    States that contain modes already are not changed, unless a jump has changed their velocities. Raise
    InconsistentInitialValuesError if a gap is negative, and ModelError if a coefficient is out of its bounds.
    """
    layout = mechanics.layout
    _check_laws(mechanics, t, q)
    largest = layout.contacts[:, CONTACT_TABLE.index("largest_speed")]
    if not is_jump and not (q[largest] == UNDETERMINED).any():
        return q, v
    contacts = ContactSwitching(mechanics, treatment=NEWTON_IMPACTS)
    _check_gaps(layout, q, contacts.gaps(t, q))
    found = contacts.switched(t, q, v, Fired(), np.inf)
    normal = layout.contacts[:, 0]
    met = [layout.contact_names[k] for k in np.flatnonzero((normal >= 0) & (found.impulses[normal] > 0))]
    if met and not is_jump:
        what = f"Contacts {', '.join(met)} of '{layout.name}' close" if len(met) > 1 else f"Contact {met[0]} of "
        what += "" if len(met) > 1 else f"'{layout.name}' closes"
        warn(f"{what} at the start t = {t:g}; the run starts with the velocities after this impact.")
    return found.q, found.v


def open_contacts(mechanics: Mechanics, t: float, q: Array) -> Array:
    """Return a configuration with open contacts, whose first step contains the impacts at the start. Raise
    InconsistentInitialValuesError if a gap is negative, and ModelError if a coefficient is out of its bounds."""
    _check_laws(mechanics, t, q)
    table = ContactTable(mechanics)
    _check_gaps(mechanics.layout, q, mechanics.constraint(t, table.full(q))[table.normal])
    return table.opened(q)


def _check_laws(mechanics: Mechanics, t: float, q: Array) -> None:
    """Raise ModelError if a coefficient of friction, a coefficient of restitution or a limit of friction at the start
    is out of its bounds."""
    layout = mechanics.layout
    laws = mechanics.kernels.contacts(mechanics.p, t, q).reshape(-1, 2).tolist()
    for name, normal, (friction, other) in zip(layout.contact_names, layout.contacts[:, 0], laws, strict=True):
        if friction < 0:
            found = f"friction coefficient {friction:.6g}, which must not be negative"
        elif normal >= 0 and not 0 <= other <= 1:
            found = f"coefficient of restitution {other:.6g}, which must be from 0 to 1"
        elif normal < 0 and other < 0:
            found = f"limit {other:.6g} at the start, which must not be negative"
        else:
            continue
        kind = "Contact" if normal >= 0 else "Friction"
        raise ModelError(f"{kind} '{name}' of '{layout.name}' has the {found}; correct the parameters.")


def _check_gaps(layout: Layout, q: Array, gaps: Array) -> None:
    """Raise InconsistentInitialValuesError if a gap is negative."""
    bound = POSITION_TOLERANCE * max(1.0, float(np.abs(q[: layout.node_storage]).max(initial=0)))
    if (gaps < -bound).any():
        k = int(np.argmin(gaps))
        raise InconsistentInitialValuesError(
            f"Contact '{layout.contact_names[k]}' of '{layout.name}' penetrates initially: its gap is {gaps[k]:.6g}; "
            "correct the initial values."
        )
