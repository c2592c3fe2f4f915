"""Systems whose parameters are constants of their code: the same motions, and immutable values."""

from __future__ import annotations

import functools
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.contract.manifest import read_manifest
from symlie.derive.elimination.saddle import derive_elimination
from symlie.ensembles.results import MemberStatus
from symlie.errors import FrozenParameterError
from symlie.ir.kernels import SparsePattern
from symlie.models.registry import model_names, open_model
from symlie.models.systems import system_of_model
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.system import System
from tests import tolerances
from tests.evaluation import interpret
from tests.runtime.interruptions import content, interrupted
from tests.systems import heavy_top_equations

STEPS, H = 20, 1e-4


@functools.cache
def tops(backend: str = "numpy", group: str = "S3xR3") -> tuple[System, System]:
    """The heavy top with parameters as data and as constants."""
    equations = heavy_top_equations(group)
    return equations.compile(backend=backend), equations.compile(backend=backend, freeze="all")


def check_alike(systems: tuple[System, System], **options: Any) -> None:
    """Check that runs agree but for rounding."""
    free, frozen = (sl.solve(s, STEPS * H, h=H, **options) for s in systems)
    for a, b in ((free.q, frozen.q), (free.v, frozen.v), (free.multipliers, frozen.multipliers)):
        assert np.allclose(a, b, rtol=0, atol=tolerances.FROZEN * max(1, np.abs(a).max(initial=0)))


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_half_explicit_steps_agree_with_frozen_parameters(backend: str) -> None:
    check_alike(tops(backend), method="half_explicit_5")


@pytest.mark.slow
@pytest.mark.parametrize("method", ["generalized_alpha", "bdf2", "rattlie"])
def test_implicit_steps_agree_with_frozen_parameters(method: str) -> None:
    """Sets of kernels have the constants, too."""
    check_alike(tops(), method=method)


@pytest.mark.slow
@pytest.mark.parametrize("group", ["S3", "SO3"])
def test_free_tops_agree_with_frozen_parameters(group: str) -> None:
    check_alike(tops(group=group), method="rkmk_dopri5")


CASES = [(name, {}) for name in model_names()] + [
    (name, {option: choice})
    for name in model_names()
    for option, choices in open_model(name).choices.items()
    for choice in choices
]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::symlie.warnings.SymlieWarning")
@pytest.mark.parametrize(("name", "options"), CASES, ids=str)
def test_all_models_agree_with_frozen_parameters(name: str, options: dict[str, object]) -> None:
    """Of the package, with each choice of each option."""
    free, frozen = (system_of_model(name, options, freeze=freeze) for freeze in ("", "all"))
    assert frozen.layout.frozen[: len(free.layout.parameters)] == tuple(free.layout.parameters)
    check_alike((free, frozen))


def test_frozen_parameters_need_fewer_operations() -> None:
    """A symmetric top about its second axis has no gravity along it, and no gyroscopic moment."""
    free, frozen = (s.layout.manifest.operations for s in tops(group="S3"))
    assert free["heavy_top_force"] > 70 and frozen["heavy_top_force"] <= 20
    assert frozen["heavy_top_mass"] == frozen["heavy_top_prepare"] == frozen["factorize"] == 0


def test_manifest_and_summary_list_frozen_parameters() -> None:
    free, frozen = tops()
    assert read_manifest(frozen.files["manifest.json"]).frozen == ("mass", "inertia", "lever", "gravity")
    assert read_manifest(free.files["manifest.json"]).frozen == ()
    assert "constants: mass, inertia, lever, gravity" in repr(frozen) and "constants" not in repr(free)
    assert ">constant<" in frozen._repr_html_() and ">constant<" not in free._repr_html_()
    assert "a constant of the kernels" in frozen.files["heavy_top.h"]


def test_parameters_are_immutable() -> None:
    _, frozen = tops()
    constant = r"Parameter 'mass' of 'heavy_top' is a compiled constant, 15, and cannot be changed; compile or gen"
    for name in ("mass", "heavy_top.mass"):
        with pytest.raises(FrozenParameterError, match=constant):
            frozen.with_parameters(**{name: 16.0})
    with pytest.raises(FrozenParameterError, match=r"'lever' .*, \[0, 1, 0\], and"):
        frozen.with_parameters(lever=[0, 2, 0])
    assert np.array_equal(frozen.with_parameters(mass=15.0).parameters, frozen.parameters), "the same is no change"
    some = heavy_top_equations("S3xR3").compile(backend="numpy", freeze=["inertia", "lever"])
    assert some.with_parameters(mass=16.0).parameters[0] == 16.0
    with pytest.raises(FrozenParameterError, match="'inertia'"):
        some.with_parameters(mass=16.0, inertia=[1, 2, 3])


def test_members_cannot_differ_in_frozen_parameters() -> None:
    _, frozen = tops()
    with pytest.raises(FrozenParameterError, match="'mass'"):
        sl.ensemble(frozen, H, h=H, parameters={"mass": [15.0, 16.0]})
    turned = sl.ensemble(frozen, H, h=H, initial={"top": {"Omega": [[0, 150, 1], [0, 151, 2]]}})
    assert (turned.arrays["status"] == MemberStatus.OK).all()


def test_element_parameters_can_be_frozen() -> None:
    """One value of a type whose value is a constant, by all ways to name it."""
    model = sl.Model("row")
    load = model.parameter("load", 2.0)
    mass = sl.ElementType("mass", node="R1")
    m = mass.parameter("m", 1.0)
    mass.kinetic_energy(m * mass.node.x_dot[0] ** 2 / 2)
    nodes = model.node_array("nodes", "R1", 2)
    model.add(mass, nodes, names=["left", "right"], m=load)
    nodes.initial(x_dot=[[1.0], [2.0]])
    frozen = model.derive().compile("numpy", freeze="load")
    assert frozen.layout.frozen == ("load", "mass.m")
    assert sl.solve(frozen, 0.1, h=0.1).outputs["energy"][0] == 5.0
    with pytest.raises(FrozenParameterError, match="'load'"):
        frozen.with_parameters(load=3.0)
    own = sl.Model("own")
    nodes = own.node_array("nodes", "R1", 2)
    own.add(mass, nodes, names=["left", "right"])
    nodes.initial(x_dot=[[1.0], [2.0]])
    frozen = own.derive().compile("numpy", freeze="mass.m")
    for name in ("m", "mass.m", "left.m"):
        with pytest.raises(FrozenParameterError, match=r"'mass\.m' of 'own' is a compiled constant, 1, and"):
            frozen.with_parameters(**{name: 3.0})


@pytest.mark.slow
def test_pickles_files_and_checkpoints_keep_frozen_parameters(tmp_path: Path) -> None:
    _, frozen = tops()
    again = [pickle.loads(pickle.dumps(frozen))]
    heavy_top_equations("S3xR3").generate(tmp_path / "top", freeze="all")
    again.append(sl.load(tmp_path / "top", backend="numpy", trust=True))
    equations = (tmp_path / "top" / "equations.md").read_text()
    assert "\\mathrm{mass}" in equations and "Constants of the generated code" in equations
    whole = sl.solve(frozen, STEPS * H, h=H)
    whole.save(tmp_path / "run.npz")
    again.append(sl.load_solution(tmp_path / "run.npz", trust=True).system)
    interrupted(frozen, STEPS * H, 2, tmp_path / "run.checkpoint", h=H)
    resumed = sl.resume(tmp_path / "run.checkpoint", trust=True)
    assert content(resumed) == content(whole)
    for system in (*again, resumed.system):
        assert system.layout.frozen == frozen.layout.frozen
        assert np.array_equal(sl.solve(system, STEPS * H, h=H).q, whole.q)
        with pytest.raises(FrozenParameterError):
            system.with_parameters(mass=16.0)


def small_saddle(rows: int, scale: float, dependent: bool) -> tuple[dict[str, float], Array, Array]:
    """References of ``solve_saddle`` with M = diag(1, …, 4), and the whole matrix with its right-hand side."""
    numbers = np.random.default_rng(rows)
    b = scale * numbers.uniform(-1, 1, (rows, 4))
    b[-1] = b[0] if dependent else b[-1]
    r, c = numbers.uniform(-1, 1, 4), numbers.uniform(-1, 1, rows)
    references = {f"{name}[{k}]": x for name, part in (("B0", b), ("B1", b), ("r", r), ("c", c))
                  for k, x in enumerate(part.ravel().tolist())}  # fmt: skip
    mass = np.diag(np.arange(1.0, 5.0))
    matrix = np.block([[mass, b.T], [b, np.zeros((rows, rows))]])
    return references, matrix, np.concatenate([r, c])


def computed(kernel: str, rows: int, references: dict[str, float]) -> list[float]:
    """Result of a kernel of the elimination of constants."""
    places = tuple((i, j) for i in range(rows) for j in range(4))
    jacobian = SparsePattern(tuple(i for i, _ in places), tuple(j for _, j in places), (None,) * len(places))
    mass = SparsePattern((0, 1, 2, 3), (0, 1, 2, 3), (1.0, 2.0, 3.0, 4.0))
    kernels = derive_elimination(mass, jacobian, [True] * 4, rows, with_numbers=True).kernels
    body = next(k.body for k in kernels if k.signature.name == kernel)
    assert not any("F[" in str(o) for i in body.instructions for o in i.operands), "factors are numbers"
    with np.errstate(all="ignore"):
        return interpret(body, {name: np.float64(x) for name, x in references.items()})


def solved(rows: int, references: dict[str, float]) -> list[float]:
    """a, λ and the margin."""
    return computed("solve_saddle", rows, references)


def test_constant_constraint_matrix_products_are_exact() -> None:
    references, matrix, right = small_saddle(3, 1.0, dependent=False)
    references |= {f"v[{k}]": x for k, x in enumerate(right[:4].tolist())}
    found = computed("multiply_rows", 3, {f"B{k[2:]}" if k.startswith("B1") else k: x for k, x in references.items()})
    assert np.allclose(found, matrix[4:, :4] @ right[:4], rtol=0, atol=tolerances.CONDITIONED)


@pytest.mark.parametrize("rows", [1, 2, 3, 4])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_elimination_uses_frozen_parameters(rows: int, scale: float) -> None:
    references, matrix, right = small_saddle(rows, scale, dependent=False)
    *found, margin = solved(rows, references)
    weights = np.array([1.0] * 4 + [scale] * rows)  # so that all unknowns are of one size
    condition = np.linalg.cond(matrix / np.outer(weights, weights))
    expected = np.linalg.solve(matrix, right)
    size = np.abs(weights * expected).max()
    assert margin > 0
    assert np.abs(weights * (found - expected)).max() <= tolerances.CONDITIONED * condition * size


@pytest.mark.parametrize("rows", [2, 3, 4])
def test_margin_reveals_dependent_constraints(rows: int) -> None:
    """The margin reveals the dependency, so the whole matrix is used."""
    *_, margin = solved(rows, small_saddle(rows, 1.0, dependent=True)[0])
    assert not margin > 0


@pytest.mark.parametrize("scale", [1e-60, 1e60])
def test_margin_reveals_overflowing_pivot_products(scale: float) -> None:
    *_, margin = solved(3, small_saddle(3, scale, dependent=False)[0])
    assert not margin > 0


def test_zero_pivots_prevent_a_derived_elimination() -> None:
    """Rows that are equal as numbers have no derived elimination; the whole matrix reports the error."""
    jacobian = SparsePattern((0, 1), (0, 0), (1.0, 1.0))
    mass = SparsePattern((0,), (0,), (2.0,))
    assert derive_elimination(mass, jacobian, [True], 2, with_numbers=True).kernels == ()
