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
)
