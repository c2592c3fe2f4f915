"""Generalized-α methods: solutions of their equations that others computed, orders, iterations, and every door."""

from __future__ import annotations

import functools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.contract.constants import NEGLIGIBLE, NEWTON_SLOW
from symlie.derive.equations import Equations
from symlie.derive.sets import derive_set
from symlie.errors import (
    ModelError,
    NotConvergedError,
    UnknownNameError,
)
from symlie.models import heavy_top
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.library import method
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.system import System
from symlie.warnings import SymlieWarning
from tests import tolerances
from tests.rods.problems import spaghetti_system
from tests.runtime.interruptions import (
    assert_continued_with_the_same_bits,
    content,
    interrupted,
    resumed_in_pieces,
)
from tests.systems import CONSTRAINED, chain_model, heavy_top_system

BACKENDS = ("c", "numpy")
METHODS = ("generalized_alpha", "generalized_alpha_index2")
SOLUTIONS = Path(__file__).parents[1] / "data" / "rod_discrete_solutions.json"


def solution_of_others(name: str) -> tuple[float, Array, Array]:
    """h, and q and v of all nodes at t = 0.5."""
    data = json.loads(SOLUTIONS.read_text(encoding="utf-8"))[name]
    q, v = (np.concatenate([data[a], data[b]], axis=1) for a, b in (("p", "x"), ("Omega", "U")))
    return data["h"], q, v


def assert_closed(run: Solution) -> None:
    """Φ = 0 at the end of each step, but for rounding of coordinates."""
    assert run.statistics.max_constraint_residual <= tolerances.CLOSED * np.abs(run.q).max()


def assert_backends_agree(first: Solution, second: Solution, h: float, mass: float) -> None:
    """Velocities are differences of configurations over a step, multipliers masses times second differences."""
    q = np.abs(first.q).max()
    for part, size in {"t": 1, "q": q, "v": q / h, "multipliers": 4 * mass * q / h**2}.items():
        a, b = getattr(first, part), getattr(second, part)
        np.testing.assert_allclose(a, b, rtol=0, atol=tolerances.IMPLICIT_BACKENDS * size, err_msg=part)


def run_of_others(solution: str, name: str, ends: str, backend: str = "c") -> Solution:
    """A rod of 16 segments that others solved, whose residuals fall to their rounding, or to the tolerances."""
    floor = ends == "floor"
    h, q, v = solution_of_others(solution)
    options = {"newton_rtol": 0, "newton_atol": 0} if floor else {}
    found = sl.solve(spaghetti_system(backend=backend), 0.5, h=h, method=name, method_options=options)
    close_q, close_v = tolerances.DISCRETE, tolerances.DISCRETE_RATES
    if floor:
        close_q, close_v = tolerances.DISCRETE_FLOOR, tolerances.DISCRETE_FLOOR_RATES
    np.testing.assert_allclose(found.configuration("rod")[-1], q, rtol=0, atol=close_q)
    np.testing.assert_allclose(found.v[-1].reshape(v.shape), v, rtol=0, atol=close_v)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("ends", ["floor", "tolerance"])
def test_rod_matches_published_results(ends: str) -> None:
    """With K, C and H of the flying spaghetti."""
    found = run_of_others("generalized_alpha_stab2", "generalized_alpha_index2", ends)
    assert (found.statistics.rounding_floor == found.statistics.steps) == (ends == "floor")
    assert_closed(found)


@pytest.mark.slow
def test_rod_matches_published_results_in_numpy() -> None:
    run_of_others("generalized_alpha_stab2", "generalized_alpha_index2", "floor", "numpy")


@functools.cache
def exact_top(group: str) -> Any:
    """The top over a sixteenth of a second, λ of the acceleration-level system."""
    return sl.solve(heavy_top_system(group), 1 / 16, h=2.0**-13, method="half_explicit_5", multipliers="index1")


def errors(group: str, name: str, exponent: int, **options: Any) -> Array:
    """Largest errors of q, v and λ over the time of `exact_top`."""
    found = sl.solve(heavy_top_system(group), 1 / 16, h=2.0**-exponent, method=name, method_options=options)
    every, exact = 2 ** (13 - exponent), exact_top(group)
    parts = ("q", "v", "multipliers")
    return np.array([np.abs(getattr(found, p) - getattr(exact, p)[::every]).max() for p in parts])


@pytest.mark.slow
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("group", CONSTRAINED)
def test_all_variables_have_order_two(group: str, name: str) -> None:
    """With the optimal start also of λ, on groups where B changes along Φ = 0, too."""
    rows = [errors(group, name, exponent) for exponent in (10, 11, 12)]
    orders = np.log2(np.array(rows[:-1]) / np.array(rows[1:]))
    assert np.all(np.abs(orders - 2) < tolerances.IMPLICIT_ORDER), orders


PLAIN_START = 15 / 0.032
"""Largest error of λ with the plain start over that with the optimal one at h = 2⁻¹³ s; as 1/h. Source: a prototype."""


@pytest.mark.slow
def test_multipliers_have_order_one_with_the_plain_start() -> None:
    rows = [errors("SO3xR3", "generalized_alpha", exponent, start="plain")[2] for exponent in (11, 12)]
    assert abs(math.log2(rows[0] / rows[1]) - 1) < tolerances.IMPLICIT_ORDER
    lost = rows[1] / errors("SO3xR3", "generalized_alpha", 12)[2]
    assert lost == pytest.approx(PLAIN_START / 2, rel=tolerances.TWO_DIGITS)


@functools.cache
def top_in_space() -> System:
    """The top of the literature on implicit methods: rotation vectors, and x - R X = 0."""
    return heavy_top.build("SO3rvxR3", constraint_frame="space").derive().compile()


CONTINUED: dict[str, Any] = {"newton": "modified", "newton_renewal": "continue"}
"""Modified Newton whose matrix is renewed within iterations."""

ITERATIONS = {
    ("tangent", "reduced"): (3.00, 2.41, 2.00, 2.00),
    ("plain", "reduced"): (8.97, 6.00, 4.86, 4.00),
    ("tangent", "full"): (2.05, 2.00, 2.00, 2.00),
}
"""Per step at h = 1/400, 1/800, 1/1600, 1/3200. Source: [Holzinger2024], table 5; the last row is of exact matrices."""


@pytest.mark.slow
@pytest.mark.parametrize(("tangent", "stiffness"), ITERATIONS)
def test_newton_iterations_match_recorded_counts(tangent: str, stiffness: str) -> None:
    options = {"predictor": "zero", "start": "plain", "tangent": tangent == "tangent", "stiffness": stiffness}
    for h, expected in zip((1 / 400, 1 / 800, 1 / 1600, 1 / 3200), ITERATIONS[tangent, stiffness], strict=True):
        run = sl.solve(top_in_space(), 1, h=h, method="generalized_alpha", method_options=options, record_every=0)
        statistics = run.statistics
        assert abs(statistics.newton_iterations / statistics.steps - expected) < tolerances.NEWTON_COUNT
        assert statistics.jacobians == statistics.factorisations == statistics.newton_iterations
        assert statistics.back_substitutions == statistics.newton_iterations


RENEWED = {11: (11.99, 11.94, 10.00, 9.25), 9: (10.00, 9.99, 9.00, 8.33)}
"""Per step at the same h, by corrections with kept factors at most, without T.

Source: [Holzinger2024], table 5, and runs of Exudyn 1.13.6, which makes two corrections fewer with them.
"""


@pytest.mark.slow
@pytest.mark.parametrize("patience", RENEWED)
def test_newton_iterations_with_renewed_factors_match_recorded_counts(patience: int) -> None:
    options = {"predictor": "zero", "start": "plain", "tangent": False, "stiffness": "reduced", **CONTINUED}
    for h, expected in zip((1 / 400, 1 / 800, 1 / 1600, 1 / 3200), RENEWED[patience], strict=True):
        run = sl.solve(
            top_in_space(), 1, h=h, method="generalized_alpha", record_every=0,
            method_options={**options, "newton_patience": patience},
        )  # fmt: skip
        statistics = run.statistics
        assert abs(statistics.newton_iterations / statistics.steps - expected) < tolerances.NEWTON_COUNT
        assert statistics.jacobians == statistics.refreshes + 1 < statistics.newton_iterations


WITHOUT_STIFFNESS = (1.96, 1.90, 1.80, 1.60, 1.00)
"""Per step at h = 1e-3, 5e-4, 2.5e-4, 1.25e-4, 6.25e-5. Source: [Holzinger2024], table 4, RV."""


@pytest.mark.slow
def test_newton_iterations_without_stiffness_match_recorded_counts() -> None:
    system = heavy_top.build("SO3rv").derive().compile()
    options = {"predictor": "zero", "start": "plain", "tangent": False, "stiffness": "none"}
    for k, expected in enumerate(WITHOUT_STIFFNESS):
        run = sl.solve(
            system, 1, h=1e-3 / 2**k, method="generalized_alpha", method_options=options, record_every=0
        )  # fmt: skip
        assert abs(run.statistics.newton_iterations / run.statistics.steps - expected) < tolerances.NEWTON_COUNT


@pytest.mark.slow
def test_full_newton_corrections_pass_the_singularity() -> None:
    """Halved ones do not pass the singularity of Euler angles. Source: [Holzinger2024], table 4, Rxyz."""
    system = heavy_top.build("SO3", coordinates="euler_angles").derive().compile()
    options = {"predictor": "zero", "start": "plain", "tangent": False, "stiffness": "reduced"}

    def run(h: float, halvings: int) -> Solution:
        chosen = options | {"newton_halvings": halvings}
        return sl.solve(system, 1, h=h, method="generalized_alpha", method_options=chosen, record_every=0)

    for h, expected in ((6.25e-5, 2.36), (3.125e-5, 2.09)):
        statistics = run(h, 0).statistics
        assert statistics.halvings == 0
        assert abs(statistics.newton_iterations / statistics.steps - expected) < tolerances.NEWTON_COUNT
    with pytest.raises(NotConvergedError):
        run(6.25e-5, 10)


@pytest.mark.slow
@pytest.mark.parametrize("name", METHODS)
def test_modified_newton_keeps_factors_over_steps(name: str) -> None:
    """On SE(3) the matrix of the top hardly changes; elsewhere slow steps are followed by ones with new factors."""
    system, h = heavy_top_system("SE3"), 2.0**-11
    full, modified = (
        sl.solve(system, 1 / 16, h=h, method=name, method_options={"newton": newton}) for newton in ("full", "modified")
    )
    assert modified.statistics.jacobians <= 2 < full.statistics.jacobians
    np.testing.assert_allclose(modified.q, full.q, rtol=0, atol=tolerances.NEWTON_END)
    with_more = sl.solve(heavy_top_system("SO3xR3"), 1 / 16, h=h, method=name, method_options={"newton": "modified"})
    statistics = with_more.statistics
    assert 2 < statistics.jacobians <= statistics.steps
    assert statistics.newton_iterations <= (NEWTON_SLOW + 1) * statistics.steps


CUTS = np.sort(np.modf(np.arange(1, 38) * math.sqrt(2))[0]) / 16


@pytest.mark.parametrize("newton", ["full", "modified"])
@pytest.mark.parametrize("name", METHODS)
def test_step_size_changes_preserve_the_order(name: str, newton: str) -> None:
    """Accelerations are converted to the new length; with index 3 so is the residual of the hidden constraints."""
    system = heavy_top_system("SO3xR3")
    exact = sl.solve(system, 1 / 16, h=2.0**-13, method="half_explicit_5", multipliers="index1", t_eval=CUTS)
    rows = []
    for exponent in (10, 12):
        run = sl.solve(system, 1 / 16, h=2.0**-exponent, method=name, t_eval=CUTS, method_options={"newton": newton})
        rows.append([np.abs(getattr(run, p) - getattr(exact, p)).max() for p in ("q", "v", "multipliers")])
    orders = np.log2(np.array(rows[0]) / np.array(rows[1])) / 2
    assert np.all(orders > 2 - tolerances.IMPLICIT_ORDER), orders


@functools.cache
def machine_equations() -> Equations:
    """Bodies on SE(3) and S³⋉R³ that hang from a pivot in motion; the upper one is damped, and driven by an input."""
    model = chain_model()
    upper = model.nodes[0]
    torque = model.input("torque", size=3)
    model.generalized_force(upper, Omega=torque - 0.02 * upper.Omega)
    model.event("height", upper.x[2] + 0.4, terminal=False)
    return model.derive()


@functools.cache
def machine(backend: str, jumps: bool = True) -> System:
    """The bodies, ready to run."""
    system = machine_equations().compile(backend=backend)
    if jumps:
        return system.with_input("torque", [0, 0.11], [[0, 0, 0], [0.1, -0.2, 0.1]], "hold")
    return system.with_input("torque", [0, 9], [[0.1, 0, 0], [0.1, 0, 0]], "linear")


@functools.cache
def sleigh_equations() -> Equations:
    """A blade that slips along itself alone: a row without Φ."""
    model = sl.Model("sleigh")
    q = model.node("sleigh", sl.SE2)
    model.kinetic_energy((3 * q.U.dot(q.U) + 0.4 * q.Omega[0] ** 2) / 2)
    model.potential_energy(q.x[0] ** 2 + 0.5 * q.x[1] ** 2)
    model.nonholonomic_constraint("blade", q.U[1])
    model.initial(q, x=[0.3, -0.2], Omega=[1.5])
    return model.derive()


@functools.cache
def sleigh(backend: str) -> System:
    """The sleigh, ready to run."""
    return sleigh_equations().compile(backend=backend)


NEWTON: dict[str, dict[str, Any]] = {
    "full": {"newton": "full"},
    "modified": {"newton": "modified"},
    "renewed": CONTINUED,
    "impatient": CONTINUED | {"newton_patience": 2, "newton_contraction": 0.01},
    "without stiffness": {"stiffness": "none", "newton_halvings": 0},
}
"""Newton's method in its forms."""


@pytest.mark.slow
@pytest.mark.parametrize("newton", NEWTON)
@pytest.mark.parametrize("name", METHODS)
def test_both_backends_agree(name: str, newton: str) -> None:
    """Also at cuts, events and jumps of inputs."""
    options: dict[str, Any] = {"method": name, "h": 1 / 128, "method_options": NEWTON[newton]}
    first, second = (sl.solve(machine(backend), 0.25, t_eval=[0.05, 0.1234, 0.25], **options) for backend in BACKENDS)
    assert_backends_agree(first, second, options["h"], mass=3.5)
    assert first.statistics.newton_iterations == second.statistics.newton_iterations
    assert first.statistics.jacobians == second.statistics.jacobians
    assert first.statistics.rhs_evaluations == second.statistics.rhs_evaluations
    assert [e.name for e in first.events] == [e.name for e in second.events]


def falling(*, jumps: bool) -> sl.Model:
    """A spinning body whose weight is the same everywhere, or pulls to the plane x₂ = 0 from both sides."""
    model = sl.Model("falling")
    q = model.node("body", "S3xR3")
    model.kinetic_energy((q.Omega.dot(sl.diag(0.2, 0.5, 0.3) * q.Omega) + 2 * q.v[3:, :].dot(q.v[3:, :])) / 2)
    model.force(sl.vector(0, 0, -20) * (sl.sign(q.x[2]) if jumps else 1), at=q.x)
    model.initial(q, x=[0, 0, 0.2], Omega=[3, 0.1, 0])
    return model


@pytest.mark.slow
@pytest.mark.parametrize("jumps", [False, True])
def test_forces_with_and_without_configuration_agree(jumps: bool) -> None:
    """K = 0 in both, where only one of them depends on the configuration."""
    equations = falling(jumps=jumps).derive()
    (newton,) = derive_set(equations, "newton").elements
    assert newton.patterns[0].count == 0 and newton.sees_configuration == jumps
    first, second = (
        sl.solve(equations.compile(backend=b), 0.25, h=1 / 64, method="generalized_alpha") for b in BACKENDS
    )
    assert_backends_agree(first, second, 1 / 64, mass=2)
    assert np.any(first.field("body", "x")[:, 2] < 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", METHODS)
def test_velocity_constraints_are_satisfied(name: str) -> None:
    """Constraints on velocities hold at the end of each step, with order two of q, v and λ, in both backends."""
    exact = sl.solve(sleigh("c"), 1, h=2.0**-9, method="half_explicit_5", multipliers="index1")
    rows = []
    for exponent in (5, 6, 7):
        run = sl.solve(sleigh("c"), 1, h=2.0**-exponent, method=name)
        every = 2 ** (9 - exponent)
        rows.append([np.abs(getattr(run, p) - getattr(exact, p)[::every]).max() for p in ("q", "v", "multipliers")])
        assert run.statistics.max_velocity_residual <= tolerances.HELD_ROW
    orders = np.log2(np.array(rows[:-1]) / np.array(rows[1:]))
    assert np.all(np.abs(orders - 2) < tolerances.SLOW_ORDER), orders
    first, second = (sl.solve(sleigh(backend), 0.5, h=2.0**-5, method=name) for backend in BACKENDS)
    assert_backends_agree(first, second, 2.0**-5, mass=3)


@pytest.mark.slow
def test_prescribed_motions_and_inputs_are_supported() -> None:
    """A moving pivot, damping and a jump of an input cost no order; constraints of the pivot depend on time."""
    exact = sl.solve(machine("c"), 0.25, h=2.0**-10, method="half_explicit_5", multipliers="index1", t_eval=[0.25])
    for name in METHODS:
        runs = [sl.solve(machine("c"), 0.25, h=2.0**-k, method=name, t_eval=[0.25]) for k in (7, 9)]
        for part in ("q", "v", "multipliers"):
            coarse, fine = (np.abs(getattr(r, part) - getattr(exact, part)).max() for r in runs)
            assert math.log2(coarse / fine) / 2 > 2 - tolerances.OBSERVED_ORDER, (name, part)


@pytest.mark.slow
@pytest.mark.usefixtures("often")
@pytest.mark.parametrize("newton", ["full", "modified", "renewed"])
@pytest.mark.parametrize("backend", BACKENDS)
def test_resumed_and_continued_runs_are_bit_identical(newton: str, backend: str, tmp_path: Path) -> None:
    """Kept factors are taken once more where they were taken before."""
    options: dict[str, Any] = {"method": METHODS[1], "h": 1 / 128, "method_options": NEWTON[newton]}
    system = machine(backend, jumps=False)
    expected, path = sl.solve(system, 0.1, **options), tmp_path / "run"
    interrupted(system, 0.1, 3, path, **options)
    assert content(resumed_in_pieces(path, 5)) == content(expected)
    assert_continued_with_the_same_bits(system, 0.0625, 0.09375, tmp_path, **options)


def test_stiff_systems_take_long_steps() -> None:
    """Axial forces a thousand times as large: far beyond what explicit methods can take."""
    system = spaghetti_system(8)
    stiff = system.with_parameters(extension_stiffness=1e7)
    h = 1 / 64
    run = sl.solve(stiff, 1.0, h=h, method="generalized_alpha_index2")
    assert run.status == "ok"
    assert_closed(run)
    with pytest.raises(sl.errors.IntegrationError):
        sl.solve(stiff, 1.0, h=h, method="half_explicit_5")


MISTAKES: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"rho": 1.5}, ModelError, "rho is 1.5, but it must be a number from 0 to 1"),
    ({"newton_renewal": "never"}, UnknownNameError, "Unknown newton_renewal 'never'; use one of: restart, continue"),
    ({"newton_contraction": 2}, ModelError, "newton_contraction is 2, but it must be a number from 0.001 to 1"),
    ({"newton_halvings": -1}, ModelError, "newton_halvings is -1, but it must be a whole number from 0 to 100"),
    ({"newton": "fast"}, UnknownNameError, "Unknown newton 'fast'; use one of: full, modified"),
    ({"tangent": "perhaps"}, UnknownNameError, "Unknown tangent 'perhaps'; use one of: true, false"),
    ({"rho": 0.5, "alpha_m": 0.1}, ModelError, "give rho, or alpha_m and alpha_f, not both"),
    ({"newton_max": 0}, ModelError, "newton_max is 0, but it must be a whole number from 1"),
    ({"beta": "many"}, ModelError, "beta is 'many', but it must be a number"),
]


@pytest.mark.parametrize(("options", "kind", "sentence"), MISTAKES)
def test_invalid_options_are_reported(options: dict[str, Any], kind: type[Exception], sentence: str) -> None:
    with pytest.raises(kind, match=sentence):
        method("generalized_alpha").with_options(options)


UNUSUAL = [
    ({"alpha_m": 0.6, "alpha_f": 0.4}, "are not alpha_m <= alpha_f <= 1/2"),
    ({"beta": 0.1}, "beta = 0.1 is below 1/4"),
    ({"gamma": 0.7}, "the method has order 1"),
]


@pytest.mark.parametrize(("options", "sentence"), UNUSUAL)
def test_unusual_parameters_give_a_warning(options: dict[str, float], sentence: str) -> None:
    with pytest.warns(SymlieWarning, match=sentence):
        found = method("generalized_alpha").with_options(options)
    assert found.order == (1 if "gamma" in options else 2)


def test_spectral_radius_determines_the_parameters() -> None:
    """ρ = 1 is the trapezoidal rule, ρ = 0 has the highest damping; both have order two, none has three."""
    for rho in (0, "1/2", 0.9, 1):
        found = method("generalized_alpha").with_options({"rho": rho})
        assert found.orders()[0].order == 2 and found.orders()[0].violated > 0
    parameters = method("generalized_alpha").with_options({"rho": 1}).parameters
    assert (parameters.alpha_m, parameters.alpha_f, parameters.beta, parameters.gamma) == (0.5, 0.5, 0.25, 0.5)


@pytest.mark.slow
def test_models_with_momenta_only_have_order_two() -> None:
    """A top by its momenta, on a dual space: order two as for velocities."""
    system = heavy_top.build(formulation="se3_dual").derive().compile()
    exact = sl.solve(system, 1 / 16, method="rkmk_dopri5", h=2.0**-13, record_every=0).q[-1]
    runs = (sl.solve(system, 1 / 16, h=0.5**k, method=METHODS[0], record_every=0) for k in (11, 12))
    errors = [np.abs(run.q[-1] - exact).max() for run in runs]
    assert abs(np.log2(errors[0] / errors[1]) - 2) <= tolerances.IMPLICIT_ORDER


@functools.cache
def cable(links: int, backend: str = "c") -> System:
    """Beads on links of constant length that hang from a clamped one, and fall from a straight line."""
    model, space = sl.Model("cable"), sl.real_space(3)
    beads = model.node_array("beads", space, links + 1)
    beads.initial(x=np.outer(np.linspace(0, 1, links + 1), [8, 0, -6]))
    beads.fix(0)
    bead = sl.ElementType("bead", node=space)
    mass = bead.parameter("mass", 1 / links, unit="kg")
    bead.kinetic_energy(mass * bead.node.x_dot.dot(bead.node.x_dot) / 2)
    bead.potential_energy(9.81 * mass * bead.node.x[2])
    model.add(bead, beads)
    link = sl.ElementType("link", left=space, right=space)
    length = link.parameter("length", 10 / links, unit="m")
    apart = link.right.x - link.left.x
    link.constraint("length", (apart.dot(apart) / length**2 - 1) * length / 2)
    model.add(link, [(beads[k], beads[k + 1]) for k in range(links)])
    return model.derive().compile(backend=backend)


@pytest.mark.slow
@pytest.mark.parametrize("name", METHODS)
def test_clamped_cable_node_has_zero_velocity(name: str) -> None:
    """A clamped node retains zero velocity, also where η acts on it."""
    options: dict[str, Any] = {"method": name, "h": 1 / 200}
    first, second = (sl.solve(cable(6, backend), 0.05, **options) for backend in BACKENDS)
    assert_backends_agree(first, second, options["h"], mass=7 / 6)
    assert not first.v[:, :3].any() and not second.v[:, :3].any()
    assert first.statistics.newton_iterations == second.statistics.newton_iterations


@pytest.mark.slow
@pytest.mark.parametrize("name", METHODS)
def test_two_thousand_links_are_integrated(name: str) -> None:
    run = sl.solve(cable(2000), 0.1, method=name, h=1 / 200)
    assert run.statistics.newton_iterations < 5 * run.statistics.steps
    assert_closed(run)
    energy = run.outputs["energy"]
    assert np.abs(energy - energy[0]).max() < tolerances.STEP_ENERGY


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_too_long_step_is_explained(backend: str) -> None:
    """The error names the largest residual and a sufficient step size, and has the partial solution."""
    system = heavy_top_system("SO3xR3", backend)
    with pytest.raises(
        NotConvergedError, match=r"the residual remains largest at .*'top' after \w+ .*\); steps of \S+ s can"
    ) as failure:
        sl.solve(system, 1.0, h=0.02, method=METHODS[0])
    assert failure.value.solution is not None
    possible = float(str(failure.value).partition("steps of ")[2].split()[0])
    assert sl.solve(system, 2 * possible, h=possible, method=METHODS[0]).status == "ok"


@pytest.mark.parametrize("backend", BACKENDS)
def test_damped_velocities_decay_to_zero(backend: str) -> None:
    """Not at numbers with few digits: rho = 0.1 takes 150 decimal places in 150 steps, and squares twice as many."""
    model = sl.Model("damped")
    q = model.node("q", "R2")
    model.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)
    model.potential_energy((1e12 * q.x[0] ** 2 + q.x[1] ** 2) / 2)
    model.initial(q, x=[1e-3, 1])
    system = model.derive().compile(backend=backend)
    options = {"rho": 0.1, "start": "plain"}
    with pytest.warns(sl.SymlieWarning, match="conserves, changed within one step"):
        run = sl.solve(system, 4, h=0.01, method="generalized_alpha", method_options=options, record_every=1)
    assert np.abs(run.v[0:100, 0]).max() > 1 and np.all(run.v[300:, 0] == 0)
    assert np.all(np.abs(run.v[run.v != 0]) >= NEGLIGIBLE)
