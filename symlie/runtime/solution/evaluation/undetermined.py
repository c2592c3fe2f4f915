"""Reasons why a state has no accelerations."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import numpy as np

from symlie.errors import NotFiniteError, RedundantConstraintsError, SingularMassMatrixError
from symlie.runtime.kernels.protocol import Prepared, States
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.solvability import check_solvable, lost_mass

if TYPE_CHECKING:
    from symlie.runtime.system.system import System


def refuse(system: System, p: Prepared, states: States, index: int) -> NoReturn:
    """Raise the error that explains why accelerations and multipliers are not determined at a state."""
    t, q, v = float(states.t[index]), states.q[index], states.v[index]
    mechanics, kernels = system.mechanics, system.kernels
    mass, jacobian = kernels.mass(p, t, q), kernels.jacobian(p, t, q, v)
    lost, redundant = lost_mass(mechanics.algebra, mass), mechanics.takes_redundant_rows
    number = f"state {index}, " if len(states.t) > 1 else ""
    where = f"No acceleration at {number}t = {t:g} s"
    try:
        check_solvable(mechanics.algebra, lost, jacobian, takes_redundant_rows=redundant, where="this state")
    except (RedundantConstraintsError, SingularMassMatrixError, NotFiniteError) as error:
        raise type(error)(f"{where}: {error}") from None
    reason = _first_infinite(system, kernels.force(p, t, q, v))
    raise NotFiniteError(f"{where}: {reason}")


def _first_infinite(system: System, force: Array) -> str:
    lost = np.flatnonzero(~np.isfinite(force))
    if not len(lost):
        return f"the matrix of the equations of '{system.name}' is singular to rounding."
    return f"the force of '{system.name}' along {system.layout.velocity_name(int(lost[0]))} is not finite."
