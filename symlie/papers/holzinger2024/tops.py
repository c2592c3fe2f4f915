"""Items of [Holzinger2024] on heavy tops, and the formulations that all its items compare."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from symlie.papers.formulations import (
    Formulations,
    Found,
    error_at,
    errors,
    iterations,
    iterations_at,
    ran,
    step_for,
    time_for,
    times,
    work,
)
from symlie.papers.items import Curve, Item, Number, Panel, Points, Table
from symlie.papers.studies import Case, Course, Options
from symlie.runtime.solution.solution import Solution

RXYZ, RV, EP = "Rxyz", "RV (Lie)", "EP"
FORM_1 = "Rxyz, form 1"
COORDINATES: dict[str, Options] = {
    RV: (("coordinates", "rotation_vector"),),
    RXYZ: (("coordinates", "euler_angles"),),
    EP: (("coordinates", "euler_parameters"),),
}
"""The formulations of the paper; the one that steps on the group is the first."""

OF_FORM_1: dict[str, Options] = {FORM_1: (("coordinates", "euler_angles"), ("form", 1))}
"""Euler angles with angular velocities as unknowns, which the paper states beside those of its figures, form 2."""

MINIMAL = "minimal"
OF_JOINTS: dict[str, Options] = {MINIMAL: (("coordinates", "minimal"),)}
"""Coordinates of joints, which the paper has of the Puma."""

SE3 = "SE(3), ours"
OURS: dict[str, Options] = {
    SE3: (("group", "SE3"),),
    "S³ × R³, ours": (("group", "S3xR3"),),
    "S³ ⋉ R³, ours": (("group", "S3sR3"),),
}
QUATERNION = "S³, ours"
OF_QUATERNION: dict[str, Options] = {QUATERNION: (("group", "S3"),)}
"""A body that turns about a point stores no position: of all three groups it leaves the rotation."""
HELD: dict[str, Options] = {
    name.replace("ours", "held, ours"): (*options, ("constraint_frame", "space")) for name, options in OURS.items()
}
"""The same motion with a position that is held by x - R X = 0."""

EXPLICIT = {"RK44": "rkmk_rk44", "DOPRI5": "rkmk_dopri5", "ODE23": "rkmk_bs32", "RK67": "rkmk_rk67"}
HALF_EXPLICIT = "half-explicit"
"""In the place of these where there are constraints."""

GUESS: Options = (("predictor", "zero"), ("start", "plain"))
"""Start and guess of the paper."""

FULL: Options = (*GUESS, ("tangent", False), ("stiffness", "full"))
"""The derived matrix, without T(θ) as in the paper."""

REDUCED: Options = (*GUESS, ("tangent", False), ("stiffness", "reduced"))
"""The matrix of the paper's equation (42), without derivatives of M v' and of Bᵀλ."""

WITH_TANGENT: Options = (*GUESS, ("tangent", True), ("stiffness", "reduced"))
MODIFIED: Options = (*REDUCED, ("newton", "modified"))

FREE_TOP = Case("heavy_top", (("group", "SO3"),))
HELD_TOP = Case("heavy_top", (("group", "SO3xR3"), ("constraint_frame", "space")))
ROTOR = Case("rotor")
SLIDER_CRANK = Case("slider_crank")

ITERATIONS = "Newton iterations per step"

RELATIVE = "processor time in that of RV at the largest step"

UNJUDGED = "Times are of one machine and are not judged."

BESIDE = (
    "Below are ours beside RV: S³, which is what all three groups are for a body that stores no position, and the "
    "groups themselves for the same motion with the position held by x - R X = 0."
)


def halved(first: float, count: int) -> tuple[float, ...]:
    """Steps h 2^(1-n)."""
    return tuple(first * 0.5**n for n in range(count))


def study(
    case: Case, names: Sequence[str], method: str, steps: tuple[float, ...], t_end: float, output: str,
    options: Options = (),
) -> Formulations:  # fmt: skip
    """Runs of formulations by name."""
    every = {**COORDINATES, **OF_FORM_1, **OF_JOINTS, **OURS, **OF_QUATERNION, **HELD}
    reference = ("rkmk_rk67" if case in (FREE_TOP, ROTOR) else "half_explicit_5", steps[-1] / 2)
    chosen = tuple((name, every[name]) for name in names)
    return Formulations(case, chosen, method, steps, t_end, output, reference, options)


Reading = Callable[[str], Callable[[Found], Points]]


def curves(
    found: Formulations, reading: Reading, method: str = "", names: Sequence[str] | None = None
) -> list[Curve]:  # fmt: skip
    """A curve for each formulation, or for these: a formulation has its colour, a method its dashes."""
    return [
        Curve(f"{method} {name}".lstrip(), found, reading(name), True, colour=name, dashes=method or name)
        for name in names or dict(found.options)
    ]


def explicit_and_implicit(
    y: str, reading: Reading, explicit: Mapping[str, Formulations], implicit: Formulations,
    ours: Mapping[str, Sequence[str]], *, x: str = "step size in s",
) -> list[Panel]:  # fmt: skip
    """The two panels of the paper, and below them what is ours beside RV.

    Parameters
    ----------
    y, x
        Labels of the axes.
    reading
        What is drawn.
    explicit, implicit
        Runs, the explicit ones by the name of their method.
    ours
        Formulations that are ours, by the name of an explicit method, and by ``""`` for the implicit one.
    """
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
    """Logarithmic axes, but for counts of iterations."""
    return Panel(title, x, y, drawn, "semilogx" if y == ITERATIONS else "loglog")


def counted_text(value: float) -> str:
    """Iterations per step as text."""
    return "failed" if np.isnan(value) else f"{value:.2f}"


def stated_text(known: Sequence[float | None], k: int) -> str:
    """A printed number as text, if there is one."""
    value = known[k] if k < len(known) else None
    return "–" if value is None else f"{value:g}"


def iteration_table(found: Formulations, printed: Mapping[str, Sequence[float | None]]) -> Table:
    """Iterations per step beside the printed ones, if there are such of a formulation."""
    names = [*printed, *(name for name, _ in found.options if name not in printed)]
    head = ["h in s", *(t for name in names for t in ((name, f"{name}, printed") if name in printed else (name,)))]

    def rows(result: Found) -> list[list[str]]:
        table = []
        for k, h in enumerate(found.steps):
            row = [f"{h:.3g}"]
            for name in names:
                row.append(counted_text(iterations(name)(result)[1][k]))
                if name in printed:
                    row.append(stated_text(printed[name], k))
            table.append(row)
        return table

    return Table(head, rows, [found])


def center_of_mass(axis: int) -> Callable[[Solution], Points]:
    """A coordinate of the centre of mass over time."""
    return lambda solution: (solution.t, solution.outputs["center_of_mass"][:, axis])


def velocity_of_center(axis: int) -> Callable[[Solution], Points]:
    """A component of R (Ω × X) over time, X = (0, 1, 0)."""

    def points(solution: Solution) -> Points:
        R = solution.outputs["rotation"].reshape(len(solution.t), 3, 3)
        lever = np.cross(solution.velocity("top"), [0.0, 1.0, 0.0])
        return solution.t, np.einsum("tij,tj->ti", R, lever)[:, axis]

    return points


def output_over_time(name: str) -> Callable[[Solution], Points]:
    """A scalar output over time."""
    return lambda solution: (solution.t, solution.outputs[name])


def least_ratio(name: str, other: str) -> Callable[[Found], float]:
    """The least ratio of errors of two formulations of all steps where both ran."""
    return lambda found: float(np.nanmin(errors(name)(found)[1] / errors(other)(found)[1]))


def over_rv(name: str, h: float) -> Callable[[Found], float]:
    """Error of a formulation over that of rotation vectors at one step size."""
    return lambda found: error_at(name, h)(found) / error_at(RV, h)(found)


def free_top(quick: bool) -> list[Item]:
    """Section 4.1.1."""
    count, t_end, at = (5 if quick else 8), 1.0, "center_of_mass"
    steps, printed_steps = halved(1e-4, count), halved(1e-3, 6 if quick else 8)
    names = {name: [RV, RXYZ, FORM_1, QUATERNION] for name in EXPLICIT} | {HALF_EXPLICIT: [RV, *HELD]}
    methods = EXPLICIT | {HALF_EXPLICIT: "half_explicit_5"}
    explicit = {name: study(FREE_TOP, names[name], method, steps, t_end, at) for name, method in methods.items()}
    longer = study(FREE_TOP, [RV], EXPLICIT["RK44"], halved(1e-3, 4), t_end, at)
    formulations = [RV, RXYZ, EP, QUATERNION, *HELD]
    implicit = study(FREE_TOP, formulations, "generalized_alpha", steps, t_end, at, FULL)
    counted = study(FREE_TOP, formulations, "generalized_alpha", printed_steps, t_end, at, FULL)
    course = Course(Case("heavy_top", (("group", "SO3"),)), t_end, "generalized_alpha", 1e-4 if quick else 2.5e-5)
    ours = {"RK44": [QUATERNION], "RK67": [QUATERNION], HALF_EXPLICIT: [*HELD], "": [QUATERNION, *HELD]}

    def panels(y: str, reading: Reading, x: str = "step size in s") -> list[Panel]:
        return explicit_and_implicit(y, reading, explicit, implicit, ours, x=x)

    letters = "xyz"
    return [
        Item(
            "figure", "2", "reproduced", "time histories of the heavy top",
            "Position and velocity of the centre of mass by generalized-α on the group; the paper draws the solution "
            "of another program behind them. The bound is for the error against the known solution at the end.",
            [
                Panel("position", "time in s", "position in m",
                      [Curve(c, course, center_of_mass(k)) for k, c in enumerate(letters)]),
                Panel("velocity", "time in s", "velocity in m/s",
                      [Curve(c, course, velocity_of_center(k)) for k, c in enumerate(letters)]),
            ],
            numbers=[
                Number("error of generalized-α at h = 2.5e-5 s", error_at(RV, 2.5e-5), [implicit], None, 1e-4, "m",
                       "about 1e-5"),
                *(Number(f"error of {name}", error_at(name, 2.5e-5), [implicit], None, 1e-3, "m")
                  for name in (QUATERNION, *HELD)),
            ],
        ),
        Item(
            "figure", "3", "reproduced", "errors of the free heavy top over step sizes",
            "Error of the centre of mass at 1 s, explicit methods on the left, generalized-α on the right. On the "
            "group explicit methods are more accurate by orders of magnitude; Euler angles pass their singularity at "
            "cos b = 0.022 in each turn. Rxyz is form 2, as the paper's list of abbreviations and its remark on a mass "
            "matrix that varies say; form 1, which its section 4 names for explicit methods, is three orders more "
            f"accurate there. With generalized-α Euler parameters are the most accurate. {BESIDE}",
            panels("error in m", errors),
            numbers=[
                Number("RK44, error of Rxyz over that of RV at h = 1e-4 s",
                       lambda f: error_at(RXYZ, 1e-4)(f) / error_at(RV, 1e-4)(f), [explicit["RK44"]], 1e4, None),
                Number("RK44, error of Rxyz at h = 1e-4 s", error_at(RXYZ, 1e-4), [explicit["RK44"]], 1.8e-2, 2e-2,
                       "m"),
                Number("RK44, error of Rxyz at h = 5e-5 s", error_at(RXYZ, 5e-5), [explicit["RK44"]], 9e-4, 9.6e-4,
                       "m"),
                Number("RK44, error of Rxyz in form 1 at h = 1e-4 s", error_at(FORM_1, 1e-4), [explicit["RK44"]],
                       8.5e-6, 9.5e-6, "m"),
                Number("generalized-α, error of RV over that of EP at h = 2.5e-5 s",
                       lambda f: error_at(RV, 2.5e-5)(f) / error_at(EP, 2.5e-5)(f), [implicit], 2, None),
                Number(f"RK44, error of {QUATERNION} over that of RV at h = 1e-4 s", over_rv(QUATERNION, 1e-4),
                       [explicit["RK44"]], 0.99, 1.01),
                *(Number(f"generalized-α, error of {name} over that of RV at h = 2.5e-5 s", over_rv(name, 2.5e-5),
                         [implicit]) for name in HELD),
            ],
        ),
        Item(
            "figure", "4", "reproduced", "processor times of the free heavy top",
            f"In units of RV at the largest step, of each method. {UNJUDGED} Below are ours.",
            panels(RELATIVE, lambda name: times(name, RV)),
            numbers=[Number("largest error of RV with DOPRI5", error_at(RV, 1e-4), [explicit["DOPRI5"]], None, 1e-8,
                            "m")],
        ),
        Item(
            "figure", "5", "reproduced", "work and precision of the free heavy top",
            "Errors over times in units of RV at the largest step. The factors between Rxyz and RV with RK44 are those "
            "of steps interpolated to an error of 1e-6 m, for which RV takes longer ones than are drawn. The factor of "
            "the paper is one of form 2: in form 1 steps may be six times longer. Below are ours.",
            panels("error in m", lambda name: work(name, RV), RELATIVE),
            numbers=[
                Number("RK44 at 1e-6 m, time of Rxyz over that of RV",
                       lambda f, g: time_for(RXYZ, 1e-6)(f) / time_for(RV, 1e-6)(g), [explicit["RK44"], longer],
                       printed="about 40"),
                Number("RK44 at 1e-6 m, time of Rxyz in form 1 over that of RV",
                       lambda f, g: time_for(FORM_1, 1e-6)(f) / time_for(RV, 1e-6)(g), [explicit["RK44"], longer]),
                Number("RK44 at 1e-6 m, step of RV over that of Rxyz",
                       lambda f, g: step_for(RV, 1e-6)(g) / step_for(RXYZ, 1e-6)(f), [explicit["RK44"], longer],
                       28, 36),
                Number("RK44 at 1e-6 m, step of RV over that of Rxyz in form 1",
                       lambda f, g: step_for(RV, 1e-6)(g) / step_for(FORM_1, 1e-6)(f), [explicit["RK44"], longer],
                       4, 6),
                Number("RK44, error of RV at h = 1e-4 s", error_at(RV, 1e-4), [explicit["RK44"]], None, 1e-6, "m"),
            ],
        ),
        Item(
            "table", "4", "reproduced", "Newton iterations per step, free heavy top",
            "With the start and the guess of the paper, and with the derived matrix, where the paper leaves out the "
            "derivative of the weight; so RV takes fewer iterations. Euler angles run at 1.25e-4 s as well; at larger "
            "steps they pass their singularity. Ours are of the same motion, the last three with the position held.",
            table=iteration_table(counted, {
                RXYZ: [None, None, None, None, 2.36, 2.09, 2.01, 1.96],
                RV: [1.96, 1.9, 1.8, 1.6, 1.0, 1.0, 1.0, 1.0],
                EP: [3.0, 2.52, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0],
            }),
            numbers=[
                *(Number(f"RV at h = {h:g} s", iterations_at(RV, h), [counted], known - 0.02, known + 0.02,
                         printed=stated, source="an independent program with the derived matrix")
                  for h, known, stated in zip(printed_steps, [1.88, 1.48, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
                                              ["1.96", "1.9", "1.8", "1.6", "1", "1", "1", "1"], strict=False)),
                *(Number(f"Rxyz at h = {h:g} s", iterations_at(RXYZ, h), [counted], None, stated, printed=f"{stated:g}")
                  for h, stated in zip(printed_steps[4:], [2.36, 2.09, 2.01, 2.0], strict=False)),
                Number("Rxyz runs at h = 5e-4 s (0: it fails)", ran(RXYZ, 5e-4), [counted], None, 0, printed="fails"),
                *(Number(f"EP at h = {h:g} s", iterations_at(EP, h), [counted], None, stated + 0.02,
                         printed=f"{stated:g}")
                  for h, stated in zip(printed_steps, [3.0, 2.52, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0], strict=False)),
            ],
        ),
    ]  # fmt: skip


def held_top(quick: bool) -> list[Item]:
    """Section 4.1.2."""
    at, names = "center_of_mass", [RV, RXYZ, EP, *OURS]
    steps, printed_steps = halved(1e-4, 4 if quick else 8), halved(2.5e-3, 5 if quick else 7)
    full = study(HELD_TOP, names, "generalized_alpha", steps, 1.0, at, WITH_TANGENT)
    modified = study(HELD_TOP, names, "generalized_alpha", steps, 1.0, at, MODIFIED)
    groups = [RV, *OURS]
    counted = {
        label: study(HELD_TOP, groups, "generalized_alpha", printed_steps, 1.0, at, options)
        for label, options in (
            ("with T", WITH_TANGENT), ("without T", REDUCED), ("without T, modified", MODIFIED),
        )
    }  # fmt: skip
    printed = {
        "with T": [3.0, 2.41, 2.0, 2.0, 2.0, 2.0, 2.0],
        "without T": [8.98, 6.0, 4.86, 4.0, 3.0, 2.75, 2.0],
        "without T, modified": [11.99, 11.94, 10.0, 9.25, 8.79, 8.55, 8.37],
    }

    def table_rows(*results: Found) -> list[list[str]]:
        return [
            [name, f"{h:.3g}", *(t for result, known in zip(results, printed.values(), strict=True)
                                 for t in (counted_text(iterations(name)(result)[1][k]),
                                           stated_text(known if name == RV else [], k)))]
            for name in groups for k, h in enumerate(printed_steps)
        ]  # fmt: skip

    def two(reading: Reading, y: str) -> list[Panel]:
        return [panel("full Newton", y, curves(full, reading)), panel("modified Newton", y, curves(modified, reading))]

    return [
        Item(
            "figure", "6", "reproduced", "errors of the held heavy top over step sizes",
            "Error of the centre of mass at 1 s by generalized-α with x - R X = 0. Euler parameters are the most "
            "accurate of the paper's formulations. Of those that are ours, S³ × R³ has the errors of RV, and SE(3) and "
            "S³ ⋉ R³ have those of the free top: both keep the fixed point exactly along a step.",
            two(errors, "error in m"),
            numbers=[
                Number("error of RV over that of EP at h = 2.5e-5 s",
                       lambda f: error_at(RV, 2.5e-5)(f) / error_at(EP, 2.5e-5)(f), [full], 1.5, None),
            ],
        ),
        Item(
            "figure", "7", "reproduced", "Newton iterations of the held heavy top",
            "Per step, with T(θ) in the matrix on the left. SE(3) and S³ ⋉ R³, ours, need fewer without it.",
            two(iterations, ITERATIONS),
            numbers=[
                Number("iterations of EP over those of RV at h = 1e-4 s",
                       lambda f: iterations_at(EP, 1e-4)(f) / iterations_at(RV, 1e-4)(f), [full], 1.0, None),
                Number("iterations of SE(3) at h = 1e-4 s", iterations_at("SE(3), ours", 1e-4), [full]),
            ],
        ),
        Item(
            "figure", "8", "reproduced", "processor times of the held heavy top",
            f"In units of RV at the largest step. {UNJUDGED}",
            two(lambda name: times(name, RV), RELATIVE),
            numbers=[Number("error of RV at h = 1e-4 s", error_at(RV, 1e-4), [full], None, 2e-3, "m")],
        ),
        Item(
            "table", "5", "reproduced", "Newton iterations with and without the tangent operator",
            "RV with the constraint x - R X = 0 and the reduced stiffness. Our modified Newton keeps factors until a "
            "step takes more than three corrections, which is not the rule of the paper: only full Newton is judged. "
            "Below RV are ours: where the group moves with the body, T(θ) hardly matters.",
            table=Table(["formulation", "h in s", *(t for name in printed for t in (name, "printed"))], table_rows,
                        [counted[name] for name in printed]),
            numbers=[
                Number(f"{name} at h = {h:.3g} s", iterations_at(RV, h), [counted[name]], stated - 0.02, stated + 0.02,
                       printed=f"{stated:g}")
                for name in ("with T", "without T")
                for h, stated in zip(printed_steps, printed[name], strict=False)
            ],
        ),
    ]  # fmt: skip
