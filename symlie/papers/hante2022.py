"""Items of [Hante2022]: a variational integrator for rods."""

from __future__ import annotations

from collections.abc import Sequence

from symlie.papers.items import Curve, Item, Number, Panel, Paper
from symlie.papers.measures import output, spread, trend
from symlie.papers.studies import Case, Course

SPAGHETTI = Case("flying_spaghetti", (("segments", 8),))

UNLOADED = 5.0
"""Time from which there is no load, in s."""
METHODS = {"rattlie": "variational integrator", "generalized_alpha": "generalized-α"}


def long_run(method: str, quick: bool) -> Course:
    """The rod without damping, long after its load is gone."""
    return Course(SPAGHETTI, 30.0 if quick else 110.0, method, 2.0**-8, record_every=32)


def energy_figure(quick: bool) -> Item:
    """Figure 7."""
    panels = [
        Panel(name, "time in s", "energy in J", [Curve("energy", long_run(method, quick), output("energy", UNLOADED))])
        for method, name in METHODS.items()
    ]
    variational, damped = (long_run(method, quick) for method in METHODS)
    return Item(
        "figure", "7", "reproduced", "energy of the flying spaghetti once its load is gone",
        "Without damping, 8 segments, steps of 2⁻⁸ s. The energy of the variational integrator oscillates without "
        "trend; the numerical damping of generalized-α, which we add, takes energy away.",
        panels,
        numbers=[
            Number("oscillation, variational integrator", spread("energy", UNLOADED), [variational], None, 5e-3, "J"),
            Number("trend, variational integrator", trend("energy", UNLOADED), [variational], -1e-5, 1e-5, "J/s"),
            Number("trend, generalized-α", trend("energy", UNLOADED), [damped], -1e-1, -1e-4, "J/s"),
        ],
    )  # fmt: skip


def items(quick: bool) -> Sequence[Item]:
    """All items."""
    return [energy_figure(quick)]


PAPER = Paper(
    "hante2022",
    "Hante2022",
    "S. Hante, D. Tumiotto, M. Arnold: A Lie group variational integration approach to the full discretization "
    "of a constrained geometrically exact Cosserat beam model. Multibody Syst. Dyn. 54, 97–123, 2022",
    "10.1007/s11044-021-09807-8",
    items,
)
