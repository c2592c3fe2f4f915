"""Items of [Tumiotto2024], section 2: the heavy top on four groups."""

from __future__ import annotations

from collections.abc import Sequence

from symlie.options import Multipliers
from symlie.papers.items import Curve, Item, Number, Panel
from symlie.papers.measures import error, error_at, growth, largest_residual, order, residuals
from symlie.papers.studies import Case, Course, Ladder

ORDERS = (2, 3, 4, 5)
METHODS = tuple(f"half_explicit_{p}" for p in ORDERS)

GROUPS = {"SO3xR3": "SO(3) × R³", "SE3": "SE(3)", "S3xR3": "S³ × R³", "S3sR3": "S³ ⋉ R³"}
TOPS = {group: Case("heavy_top", (("group", group),)) for group in GROUPS}
IS_DIRECT = {"SO3xR3": True, "SE3": False, "S3xR3": True, "S3sR3": False}

STEP = 2.0**-11
"""Step size of the drift figures, and of the comparison with known errors, in s."""

SLOW = Case("heavy_top", (("group", "SO3xR3"),), initial=(("top", "Omega", (0.0, 0.0, -4.61538)),))
"""Heavy top without the spin of 150 rad/s, whose oscillation would hide the drift."""

PROTOTYPE = "an independent prototype in NumPy"

KNOWN_ERRORS = {
    True: {2: (7.134e-3, 2.030e-2), 3: (2.902e-4, 3.328e-4), 4: (6.601e-7, 1.874e-5), 5: (5.173e-9, 3.943e-9)},
    False: {2: (1.020e-1, 3.501e-2), 3: (6.229e-3, 5.043e-3), 4: (2.673e-5, 1.401e-5), 5: (2.057e-7, 1.092e-7)},
}
"""Errors of q = (R, x) and relative errors of λ at t = 1 s with h = 2⁻¹¹ s, on direct (True) and semidirect products,
by order."""

LIKE = 0.01
"""Relative tolerance of errors that agree; the round-off of the finest of these runs is smaller."""

CLEAR = {"q": 1e-11, "multipliers": 5e-11}
"""Errors below which round-off dominates and no order is visible."""

LEAST_ORDER = {
    ("q", True): (1.9, 2.9, 3.9, 4.8),
    ("q", False): (1.9, 2.9, 3.9, 4.9),
    ("multipliers", True): (0.9, 1.9, 2.9, 3.9),
    ("multipliers", False): (0.9, 1.9, 3.9, 4.8),
}
MOST_ORDER = {
    ("q", True): (2.1, 3.1, 4.5, 5.2),
    ("q", False): (2.1, 3.1, 4.2, 5.1),
    ("multipliers", True): (1.1, 2.2, 3.1, 4.6),
    ("multipliers", False): (1.1, 2.7, 4.1, 5.2),
}
"""Bounds of the order observed between the two finest steps, by variable and direct product (True); wider where the
order is approached from above."""


def ladder(group: str, quick: bool, multipliers: Multipliers = "stage") -> Ladder:
    """Return the ladder of errors at t = 1 s against the shipped solution."""
    steps = tuple(2.0**-k for k in (range(10, 13) if quick else range(9, 14)))
    return Ladder(TOPS[group], METHODS, steps, 1.0, ("half_explicit_5", 2.0**-14), multipliers)


def fine_ladder(group: str) -> Ladder:
    """Return this ladder for the method of order 2, whose order is visible only at much smaller step sizes."""
    return Ladder(TOPS[group], METHODS[:1], (2.0**-16, 2.0**-17), 1.0, ("half_explicit_5", 2.0**-14))


def orders_panel(title: str, y: str, study: Ladder, part: str) -> Panel:
    """Return the errors of four orders versus step size."""
    curves = [Curve(f"order {p}", study, error(m, part), marked=True) for p, m in zip(ORDERS, METHODS, strict=True)]
    return Panel(title, "step size in s", y, curves, "loglog", ORDERS)


def orders_numbers(group: str, quick: bool) -> list[Number]:
    """Return the orders of q and λ, and their errors at one step size, bounded by known values."""
    study, direct = ladder(group, quick), IS_DIRECT[group]
    numbers = []
    for part, name, place in (("q", "q", 0), ("multipliers", "λ", 1)):
        bounds = zip(ORDERS, METHODS, LEAST_ORDER[part, direct], MOST_ORDER[part, direct], strict=True)
        for p, method, least, most in bounds:
            label = f"order of {name}, method of order {p}"
            rungs = fine_ladder(group) if p == 2 else study
            numbers.append(Number(label, order(method, part, above=CLEAR[part]), [rungs], least, most, printed=f"{p}"))
        for p, method in zip(ORDERS, METHODS, strict=True):
            known = KNOWN_ERRORS[direct][p][place]
            label = f"error of {name} with h = 2⁻¹¹ s, method of order {p}"
            value = error_at(method, part, STEP)
            numbers.append(Number(label, value, [study], (1 - LIKE) * known, (1 + LIKE) * known, source=PROTOTYPE))
    exact = ladder(group, quick, "index1")
    for p, method in zip(ORDERS[1:], METHODS[1:], strict=True):
        label = f"order of λ from accelerations, method of order {p}"
        value = order(method, "multipliers", above=CLEAR["multipliers"])
        numbers.append(Number(label, value, [exact], p - 0.3, p + 0.3))
    return numbers


ORDERS_TEXT = (
    "The curves show the errors at t = 1 s relative to the reference solution of symlie. The paper specifies "
    "neither the end time nor the step sizes. q converges with the order p of the method. λ of equation (15) does "
    "not: its order conditions hold up to order p − 2 only, so that it has order p − 1 in general"
)


def orders_figure(number: str, group: str, further: str, quick: bool) -> Item:
    """Return figure 1, 2, 4 or 5."""
    stage, exact = ladder(group, quick), ladder(group, quick, "index1")
    panels = [
        orders_panel(f"q on {GROUPS[group]}", "error of q", stage, "q"),
        orders_panel("λ of equation (15)", "relative error of λ", stage, "multipliers"),
        orders_panel("λ from accelerations (ours)", "relative error of λ", exact, "multipliers"),
    ]
    title = f"orders of q and λ, heavy top on {GROUPS[group]}"
    text = (
        f"{ORDERS_TEXT}{further} For comparison, λ computed from the accelerations at the end of each step has order "
        "p for all methods. The orders of the method of order 2 are observed at the step sizes 2⁻¹⁶ s and 2⁻¹⁷ s, "
        "because λ approaches its order slowly."
    )
    return Item("figure", number, "corrected", title, text, panels, 3, numbers=orders_numbers(group, quick))


def drift(group: str, p: int, quick: bool) -> Course:
    """Return the run of figures 3 and 6 for a group and an order."""
    return Course(TOPS[group], 2.0 if quick else 10.0, f"half_explicit_{p}", STEP)


def drift_panel(group: str, quick: bool) -> Panel:
    """Return the residuals of four orders versus time."""
    curves = [Curve(f"order {p}", drift(group, p, quick), residuals) for p in ORDERS]
    return Panel(GROUPS[group], "time in s", "largest |Φ| in m", curves, "semilogy")


KNOWN_RESIDUALS = {2: 3.23e-4, 3: 8.51e-7, 4: 1.71e-8, 5: 1.08e-11}
"""Largest residuals on the direct products with this step size, in m, by order."""
RESIDUAL_DIGITS = 0.02
"""Relative tolerance of these residuals, which are known to three digits."""
MOST_SEMIDIRECT = {2: 2.1e-4, 3: 3e-7, 4: 1e-12, 5: 1e-12}
"""Bounds of the residuals on the semidirect products, in m, by order: round-off from order 4 on, which grows faster
with quaternions."""


def drift_numbers(direct: str, semidirect: str, quick: bool) -> list[Number]:
    """Return the largest residuals on both groups."""
    numbers = []
    for p, known in KNOWN_RESIDUALS.items():
        least, most = (1 - RESIDUAL_DIGITS) * known, (1 + RESIDUAL_DIGITS) * known
        label = f"largest residual on {GROUPS[direct]}, order {p}"
        study = drift(direct, p, quick)
        numbers.append(Number(label, largest_residual(), [study], least, most, "m", source=PROTOTYPE))
    for p, most in MOST_SEMIDIRECT.items():
        label = f"largest residual on {GROUPS[semidirect]}, order {p}"
        numbers.append(Number(label, largest_residual(), [drift(semidirect, p, quick)], None, most, "m"))
    return numbers


def drift_figure(number: str, status: str, direct: str, semidirect: str, text: str, quick: bool) -> Item:
    """Return figure 3 or 6."""
    title = f"residual of the position constraint, {GROUPS[direct]} and {GROUPS[semidirect]}"
    panels = [drift_panel(direct, quick), drift_panel(semidirect, quick)]
    return Item("figure", number, status, title, text, panels, numbers=drift_numbers(direct, semidirect, quick))


DRIFT_TEXT = (
    "The curves show the residual of the heavy top with h = 2⁻¹¹ s. The paper does not specify its step size. On "
    "the direct product, the residual is O(h^p) for a method of order p. For this fast top, it oscillates with the "
    "spin and hardly grows. On SE(3), the residuals of the methods of order 4 and 5 stay at round-off. Those of the "
    "methods of order 2 and 3 do not, because their λ is not the exact multiplier of the next step. Only the "
    "methods of order 4 and 5 preserve the constraint on SE(3)."
)
QUATERNION_DRIFT_TEXT = (
    "The runs are those of figure 3 with unit quaternions. The caption of the paper names the direct product twice, "
    "but the second panel shows the semidirect product. The residuals agree with those for rotation matrices up to "
    "round-off, because the local coordinates are the same."
)


def figures(quick: bool) -> list[Item]:
    """Return figures 1 to 6."""
    direct = ". This is the case on the direct product."
    semidirect = ". On the semidirect product, λ keeps order p for p = 4 and p = 5, because B is constant there."
    twice = " The caption of the paper names the direct product by mistake."
    return [
        orders_figure("1", "SO3xR3", direct, quick),
        orders_figure("2", "SE3", semidirect, quick),
        drift_figure("3", "corrected", "SO3xR3", "SE3", DRIFT_TEXT, quick),
        orders_figure("4", "S3xR3", direct, quick),
        orders_figure("5", "S3sR3", semidirect + twice, quick),
        drift_figure("6", "corrected", "S3xR3", "S3sR3", QUATERNION_DRIFT_TEXT, quick),
    ]


SLOW_END = 40.0
"""End time of the runs of the slow top, in s."""


def claims(quick: bool) -> Sequence[Item]:
    """Return the claims on the heavy top."""
    pairs = (("S3xR3", "SO3xR3"), ("S3sR3", "SE3"))
    constants = [
        Number(
            f"method of order {p}: error of q on {GROUPS[one]} / on {GROUPS[other]}",
            lambda a, b, m=method: error_at(m, "q", STEP)(a) / error_at(m, "q", STEP)(b),
            [ladder(one, quick), ladder(other, quick)], 1 - LIKE, 1 + LIKE, printed="slightly above 1",
        )
        for one, other in pairs
        for p, method in zip(ORDERS, METHODS, strict=True)
    ]  # fmt: skip
    slow = Course(SLOW, SLOW_END, h=2.0**-6)
    on_direct, on_semidirect = (drift(group, 5, quick) for group in ("SO3xR3", "SE3"))
    index1 = {group: Course(TOPS[group], 10.0, "index1_dopri5", STEP) for group in ("SO3xR3", "SE3")}
    return [
        Item(
            "claim", "quaternions", "refuted", "Unit quaternions give a slightly larger error constant",
            "The local coordinates of a step are the same for unit quaternions p and rotation matrices R(p). All "
            "errors measured in R(p) are therefore the same. A different error constant can only result from "
            "another measure of the error, such as the norm of the stored components.",
            numbers=constants,
        ),
        Item(
            "claim", "linear-drift", "refuted", "The residual of the position constraints grows linearly",
            "On the top of the paper, the oscillation with the spin dominates the residual, and no growth is "
            "visible within ten seconds. On a slow top without this oscillation, the residual grows tenfold between "
            "the first and the last tenth of the run.",
            numbers=[
                Number("residual in the last tenth / in the first tenth of the run, slow top", growth, [slow], 9.0,
                       11.0),
                Number("residual in the last tenth / in the first tenth of the run, top of the paper", growth,
                       [on_direct], 0.9, 1.1),
            ],
        ),
        Item(
            "claim", "group-drift", "confirmed", "The drift depends on the group",
            "The method of order 5 drifts on the direct product. On the semidirect product, its residual stays at "
            "round-off.",
            numbers=[
                Number("largest residual on SO(3) × R³", largest_residual(), [on_direct], 1e-11, None, "m"),
                Number("largest residual on SE(3)", largest_residual(), [on_semidirect], None, 1e-13, "m"),
            ],
        ),
        Item(
            "claim", "index-1", "confirmed", "Methods that rely on the formulation of index 1 drift more",
            "The claim is checked with the method of Dormand and Prince for the index-1 equations, with the same "
            "step size. On the direct product, its residual grows with the square of the time, by a factor of about "
            "100 between the first and the last tenth of the run. On SE(3), it grows less.",
            numbers=[
                Number("index 1, SO(3) × R³: residual in the last tenth / in the first tenth of the run", growth,
                       [index1["SO3xR3"]], 90.0, 110.0),
                Number("index 1, SE(3): residual in the last tenth / in the first tenth of the run", growth,
                       [index1["SE3"]], 10.0, 90.0),
                *(Number(
                    f"{GROUPS[group]}: largest residual of index 1 / of index 2",
                    lambda one, two: largest_residual()(one) / largest_residual()(two),
                    [index1[group], drift(group, 5, False)], 50.0,
                )
                for group in ("SO3xR3", "SE3")),
            ],
        ),
    ]  # fmt: skip
