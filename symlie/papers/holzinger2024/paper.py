"""Items of [Holzinger2024]: an evaluation of Lie group methods against Euler angles and Euler parameters.

Formulations marked as ours are those that section 5 of the paper leaves to later work.
"""

from __future__ import annotations

from collections.abc import Sequence

from symlie.papers.holzinger2024.claims import claims
from symlie.papers.holzinger2024.data import data
from symlie.papers.holzinger2024.effort import effort
from symlie.papers.holzinger2024.formulas import DRAWINGS, formulas
from symlie.papers.holzinger2024.puma import puma
from symlie.papers.holzinger2024.rotor import rotor
from symlie.papers.holzinger2024.slider_crank import slider_crank
from symlie.papers.holzinger2024.small_steps import small_steps_claim
from symlie.papers.holzinger2024.tops import free_top, held_top
from symlie.papers.items import Item, Paper


def items(quick: bool) -> Sequence[Item]:
    """Return all items."""
    return [
        *data(quick),
        *free_top(quick),
        *held_top(quick),
        *rotor(quick),
        *slider_crank(quick),
        *puma(quick),
        *claims(quick),
        *effort(quick),
        small_steps_claim(quick),
        *formulas(),
        *DRAWINGS,
    ]


PAPER = Paper(
    "holzinger2024",
    "Holzinger2024",
    "S. Holzinger, M. Arnold, J. Gerstmayr: Evaluation and implementation of Lie group integration methods for "
    "rigid multibody systems. Multibody Syst. Dyn., 2024",
    "10.1007/s11044-024-09970-8",
    items,
    "RV denotes rotation vectors with Lie group steps, Rxyz Cardan angles in the sequence x, y, z, and EP Euler "
    "parameters. The rotational unknowns are angular velocities in form 1 and the rates of the rotation parameters in "
    "form 2. Rxyz and EP are in form 2 unless form 1 is mentioned. “Constrained” marks formulations of the heavy "
    "top with a stored position and the constraint x − R X = 0. The matrix of the paper is the iteration matrix of its "
    "implementation, which omits some derivatives. The derived matrix contains all derivatives of the forces, of M v' "
    "and of Bᵀλ, but not T(θ). Errors are norms of differences from a reference solution.",
)
