"""Formulations, methods and options that items of [Holzinger2024] compare, and their curves and tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from symlie.papers.formulations import (
    Formulations,
    Found,
    error_at,
    errors,
    iterations,
)
from symlie.papers.items import Curve, Panel, Points, Table
from symlie.papers.studies import Case, Options
from symlie.runtime.solution.solution import Solution

RXYZ, RV, EP = "Rxyz", "RV (Lie)", "EP"
FORM_1 = "Rxyz, form 1"
COORDINATES: dict[str, Options] = {
    RV: (("coordinates", "rotation_vector"),),
    RXYZ: (("coordinates", "euler_angles"),),
    EP: (("coordinates", "euler_parameters"),),
}
"""Formulations of the paper; the first one integrates on the group."""

OF_FORM_1: dict[str, Options] = {FORM_1: (("coordinates", "euler_angles"), ("form", "angular_velocity"))}
"""Euler angles with angular velocities as unknowns, form 1 of the paper, whose figures have form 2 with rates."""

MINIMAL = "minimal"
OF_JOINTS: dict[str, Options] = {MINIMAL: (("coordinates", "minimal"),)}
"""Joint coordinates, which the paper uses for the Puma."""

SE3 = "SE(3), ours"
OURS: dict[str, Options] = {
    SE3: (("group", "SE3"),),
    "S³ × R³, ours": (("group", "S3xR3"),),
    "S³ ⋉ R³, ours": (("group", "S3sR3"),),
}
QUATERNION = "S³, ours"
OF_QUATERNION: dict[str, Options] = {QUATERNION: (("group", "S3"),)}
"""Group of a body that rotates about a point and stores no position: all three groups reduce to their rotation."""
HELD: dict[str, Options] = {
    name.replace("ours", "constrained, ours"): (*options, ("constraint_frame", "space"))
    for name, options in OURS.items()
}
"""Formulations of the same motion with a position constrained by x - R X = 0."""

EXPLICIT = {"RK44": "rkmk_rk44", "DOPRI5": "rkmk_dopri5", "ODE23": "rkmk_bs32", "RK67": "rkmk_rk67"}
HALF_EXPLICIT = "half-explicit"
"""Label of the method that replaces these for constrained systems."""

GUESS: Options = (("predictor", "zero"), ("start", "plain"))
"""Initialisation and predictor of the paper."""

FULL: Options = (*GUESS, ("tangent", False), ("stiffness", "full"))
"""Derived matrix, without T(θ) as in the paper."""

REDUCED: Options = (*GUESS, ("tangent", False), ("stiffness", "reduced"))
"""Matrix of equation (42) of the paper, without derivatives of M v' and Bᵀλ."""

WITHOUT_STIFFNESS: Options = (*GUESS, ("tangent", False), ("stiffness", "none"), ("newton_halvings", 0))
"""Matrix of the paper for gravity forces, which it does not differentiate; no correction is halved."""

UNDAMPED: Options = (*REDUCED, ("newton_halvings", 0))

WITH_TANGENT: Options = (*GUESS, ("tangent", True), ("stiffness", "reduced"))
RENEWED: Options = (("newton", "modified"), ("newton_renewal", "continue"), ("newton_patience", 11))
"""Modified Newton method of section 3.4 of the paper; the number of corrections is inferred from its table 5."""

MODIFIED: Options = (*REDUCED, *RENEWED)
MODIFIED_WITH_TANGENT: Options = (*WITH_TANGENT, *RENEWED)

FREE_TOP = Case("heavy_top", (("group", "SO3"),))
HELD_TOP = Case("heavy_top", (("group", "SO3xR3"), ("constraint_frame", "space")))
ROTOR = Case("rotor")
SLIDER_CRANK = Case("slider_crank")

ITERATIONS = "Newton iterations per step"

RELATIVE = "processor time, relative to RV at the largest step"

TIMES = "Processor times are relative to RV at the largest step size. They depend on the machine and are not checked."


def halved(first: float, count: int) -> tuple[float, ...]:
    """Return step sizes h 2^(1-n), n = 1, …, count."""
    return tuple(first * 0.5**n for n in range(count))


def study(
    case: Case, names: Sequence[str], method: str, steps: tuple[float, ...], t_end: float, output: str,
    options: Options = (),
) -> Formulations:  # fmt: skip
    """Return the study of the named formulations."""
    every = {**COORDINATES, **OF_FORM_1, **OF_JOINTS, **OURS, **OF_QUATERNION, **HELD}
    reference = ("rkmk_rk67" if case in (FREE_TOP, ROTOR) else "half_explicit_5", steps[-1] / 2)
    chosen = tuple((name, every[name]) for name in names)
    return Formulations(case, chosen, method, steps, t_end, output, reference, options)


Reading = Callable[[str], Callable[[Found], Points]]


def curves(
    found: Formulations, reading: Reading, method: str = "", names: Sequence[str] | None = None
) -> list[Curve]:  # fmt: skip
    """Return one curve for each formulation, or each named one; colours denote formulations, and dashes methods."""
    return [
        Curve(f"{method} {name}".lstrip(), found, reading(name), True, colour=name, dashes=method or name)
        for name in names or dict(found.options)
    ]


def explicit_and_implicit(
    y: str, reading: Reading, explicit: Mapping[str, Formulations], implicit: Formulations,
    ours: Mapping[str, Sequence[str]], *, x: str = "step size in s",
) -> list[Panel]:  # fmt: skip
    """Return the explicit and implicit panel of the paper, and two panels that compare our formulations with RV."""
    # Keys of `ours` are names of explicit methods, and "" for the implicit one.
    every = {name for names in ours.values() for name in names}

    def drawn(method: str, found: Formulations, *, is_ours: bool) -> list[Curve]:
        names = [RV, *ours.get(method, ())] if is_ours else [n for n, _ in found.options if n not in every]
        return curves(found, reading, method, names)

    return [
        panel("explicit", y, [c for method in EXPLICIT for c in drawn(method, explicit[method], is_ours=False)], x),
        panel("implicit", y, drawn("", implicit, is_ours=False), x),
        panel("explicit, ours", y,
              [c for method, found in explicit.items() if method in ours for c in drawn(method, found, is_ours=True)],
              x),
        panel("implicit, ours", y, drawn("", implicit, is_ours=True), x),
    ]  # fmt: skip


def panel(title: str, y: str, drawn: Sequence[Curve], x: str = "step size in s") -> Panel:
    """Return a panel with logarithmic axes, except for counts of iterations."""
    return Panel(title, x, y, drawn, "semilogx" if y == ITERATIONS else "loglog")


def counted_text(value: float) -> str:
    """Return the number of iterations per step as text."""
    return "failed" if np.isnan(value) else f"{value:.2f}"


def stated_text(known: Sequence[float | None], k: int) -> str:
    """Return a printed number as text, or a dash if it is missing."""
    value = known[k] if k < len(known) else None
    return "–" if value is None else f"{value:g}"


def iteration_table(
    found: Formulations, of_paper: Mapping[str, Formulations], printed: Mapping[str, Sequence[float | None]]
) -> Table:
    """Return the table of iterations per step: as printed, with the matrix of the paper (`of_paper`), and with the
    derived matrix (`found`)."""
    names = [*printed, *(name for name, _ in found.options if name not in printed)]
    columns = {name: (f"{name}, printed", "matrix of the paper", "derived") if name in printed else (name,)
               for name in names}  # fmt: skip

    def rows(derived: Found, *others: Found) -> list[list[str]]:
        by_name = dict(zip(of_paper, others, strict=True))
        table = []
        for k, h in enumerate(found.steps):
            row = [f"{h:.3g}"]
            for name in names:
                if name in printed:
                    row += [stated_text(printed[name], k), counted_text(iterations(name)(by_name[name])[1][k])]
                row.append(counted_text(iterations(name)(derived)[1][k]))
            table.append(row)
        return table

    return Table(["h in s", *(t for name in names for t in columns[name])], rows, [found, *of_paper.values()])


def output_over_time(name: str) -> Callable[[Solution], Points]:
    """Return a reader of a scalar output versus time."""
    return lambda solution: (solution.t, solution.outputs[name])


def least_ratio(name: str, other: str) -> Callable[[Found], float]:
    """Return a reader of the smallest ratio of the errors of two formulations over the step sizes at which both ran."""
    return lambda found: float(np.nanmin(errors(name)(found)[1] / errors(other)(found)[1]))


def over_rv(name: str, h: float) -> Callable[[Found], float]:
    """Return a reader of the error of a formulation relative to rotation vectors at one step size."""
    return lambda found: error_at(name, h)(found) / error_at(RV, h)(found)
