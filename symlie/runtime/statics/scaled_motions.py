"""Equations of small motions in components of equal mass, which makes results independent of units."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from symlie.runtime.layout.layout import Array
from symlie.runtime.statics.steady_motion import Coefficients

if TYPE_CHECKING:
    from symlie.runtime.statics.linearization import Linearization

MASSLESS = 1e-30
"""Mass of a component, relative to the largest one in units of the component sizes, that counts as zero."""


def scaled_motions(linear: Linearization) -> tuple[Linearization, Coefficients, Array]:
    """Return the equations in components of mass one, the rounding of their entries, and the units of these components,
    which are powers of two."""
    from scipy.sparse import diags_array

    mass = linear.mass.diagonal()
    sizes = linear.motion.now.statics.sizes(linear.q).length
    weights = np.abs(mass) * sizes**2
    has_mass = weights > MASSLESS * weights.max(initial=0.0)
    # Massless components get the units of other components of their size.
    usual = float(np.mean(weights[has_mass])) if has_mass.any() else 1.0
    unit = 2.0 ** -np.round(np.log2(np.where(has_mass, np.abs(mass), usual / sizes**2)) / 2)
    scale, inverse = diags_array(unit, format="csr"), diags_array(1 / unit, format="csr")

    def scaled(matrices: Coefficients) -> Coefficients:
        mass, damping, stiffness = (scale @ m @ scale for m in (matrices.mass, matrices.damping, matrices.stiffness))
        return Coefficients(
            mass.tocsr(),
            damping.tocsr(),
            stiffness.tocsr(),
            (matrices.jacobian @ scale).tocsr(),
            (matrices.hidden @ scale).tocsr(),
        )

    found = Coefficients(linear.mass, linear.damping, linear.stiffness, linear.jacobian, linear.hidden)
    drift, spin = ((inverse @ m @ scale).tocsr() for m in (linear.drift, linear.spin))
    equations = replace(linear, **vars(scaled(found)), drift=drift, spin=spin)
    return equations, scaled(linear.motion.rounding(found, linear.multipliers)), unit
