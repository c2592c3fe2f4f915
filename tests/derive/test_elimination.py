"""Derived eliminations of random systems, run instruction by instruction in doubles, against LAPACK."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest

from symlie.derive.arrangement import assembled_patterns
from symlie.derive.elimination.kept import derive_kept_elimination
from symlie.derive.elimination.saddle import derive_elimination
from symlie.ir.kernels import Elimination, Kernel, SparsePattern
from symlie.runtime.layout.layout import Array
from tests import tolerances
from tests.evaluation import interpret
from tests.systems import HEAVY_TOPS, chain_equations, heavy_top_equations

MASSES = ("diagonal", "full", "banded", "arrow", "blocks")
"""Patterns of M."""

JACOBIANS = ("full", "sparse", "chain")
"""Patterns of B."""


@dataclass
class Case:
    """A random system and its derived elimination."""

    elimination: Elimination
    mass_pattern: SparsePattern
    jacobian_pattern: SparsePattern
    mass: Array
    jacobian: Array
    generator: np.random.Generator

    @property
    def dimension(self) -> int:
        """Number of velocities."""
        return len(self.mass)

    @property
    def rows(self) -> int:
        """Number of constraint rows."""
        return len(self.jacobian)

    def kernel(self, name: str) -> Callable[..., dict[str, Array]]:
        """A kernel as a function of named arrays that returns named arrays."""
        (kernel,) = (k for k in self.elimination.kernels if k.signature.name == name)
        return functools.partial(run, kernel)

    def factors(self) -> Array:
        """Factors stored by ``factorize``."""
        return self.kernel("factorize")(M=stored(self.mass_pattern, self.mass))["F"]


def run(kernel: Kernel, **arrays: Array) -> dict[str, Array]:
    """Evaluate a kernel in doubles."""
    names = [a.name for a in kernel.signature.arguments if not a.is_output]
    sizes = [a.size for a in kernel.signature.arguments if not a.is_output]
    assert sorted(names) == sorted(arrays)
    assert [len(arrays[n]) for n in names] == sizes
    inputs = {f"{name}[{k}]": np.float64(c) for name, values in arrays.items() for k, c in enumerate(values)}
    with np.errstate(all="ignore"):  # a pivot may vanish, as in C
        line = interpret(kernel.body, inputs)
    results, position = {}, 0
    for argument in (a for a in kernel.signature.arguments if a.is_output):
        assert argument.size is not None
        results[argument.name] = np.array(line[position : position + argument.size], dtype=float)
        position += argument.size
    assert position == len(line)
    return results


def stored(pattern: SparsePattern, matrix: Array) -> Array:
    """Stored values of a matrix; entries that several elements share are split among them."""
    places = list(zip(pattern.rows, pattern.columns, strict=True))
    shares = [places.count(p) for p in places]
    return np.array([matrix[p] / n for p, n in zip(places, shares, strict=True)])


def mass_pattern(kind: str, n: int) -> list[tuple[int, int]]:
    """Positions of the lower triangle of M."""
    inside = {
        "diagonal": lambda i, j: i == j,
        "full": lambda i, j: True,
        "banded": lambda i, j: i - j <= 2,
        "arrow": lambda i, j: i == j or j == 0 or i == n - 1,
        "blocks": lambda i, j: i // 3 == j // 3,
    }[kind]
    return [(i, j) for i in range(n) for j in range(i + 1) if inside(i, j)]


def jacobian_pattern(kind: str, m: int, n: int, generator: np.random.Generator) -> list[tuple[int, int]]:
    """Positions of B; the rows can be independent."""
    if kind == "full":
        return [(i, j) for i in range(m) for j in range(n)]
    if kind == "chain":
        return [(i, j) for i in range(m) for j in range(n) if i <= j <= i + 2]
    chosen = generator.random((m, n)) < 0.3
    chosen[np.arange(m), np.arange(m)] = True
    return [(int(i), int(j)) for i, j in np.argwhere(chosen)]


def pattern(places: list[tuple[int, int]], constants: dict[tuple[int, int], float] | None = None) -> SparsePattern:
    """A pattern, with constants where they are given."""
    known = constants or {}
    return SparsePattern(
        tuple(i for i, _ in places), tuple(j for _, j in places), tuple(known.get(place) for place in places)
    )


def random_case(mass: str, jacobian: str, n: int, m: int, seed: int) -> Case:
    """A random well-conditioned system with the given patterns; a third of the entries of B are constants."""
    generator = np.random.default_rng(seed)
    mass_places = mass_pattern(mass, n)
    matrix = np.zeros((n, n))
    for i, j in mass_places:
        matrix[i, j] = matrix[j, i] = generator.uniform(-1, 1)
    # Diagonally dominant, so that any pattern is positive definite.
    matrix[np.diag_indices(n)] = generator.uniform(1, 2, n) + np.abs(matrix).sum(axis=1)
    jacobian_places = jacobian_pattern(jacobian, m, n, generator)
    rows = np.zeros((m, n))
    constants = {}
    for place in jacobian_places:
        rows[place] = generator.uniform(0.5, 2) * generator.choice([-1, 1])
        if generator.random() < 1 / 3:
            rows[place] = generator.integers(-8, 9) / 4 or 1.0
            constants[place] = float(rows[place])
    first, second = pattern(mass_places), pattern(jacobian_places, constants)
    elimination = derive_elimination(first, second, [True] * n, m)
    return Case(elimination, first, second, matrix, rows, generator)


@functools.cache
def case(mass: str, jacobian: str) -> Case:
    """A system with given patterns, derived once."""
    return random_case(mass, jacobian, 7, 3, seed=MASSES.index(mass) + 10 * JACOBIANS.index(jacobian))


def close(found: Array, expected: Array, condition: float = 1.0) -> None:
    """Compare relative to the largest entry, times a condition number."""
    allowed = tolerances.ELIMINATION * condition * max(1.0, float(np.abs(expected).max()))
    assert float(np.abs(found - expected).max()) <= allowed


PATTERNS = [(mass, jacobian) for mass in MASSES for jacobian in JACOBIANS]


@pytest.mark.slow
@pytest.mark.parametrize("mass", MASSES)
def test_factors_reproduce_the_matrix(mass: str) -> None:
    """L and D as stored multiply to M."""
    system = case(mass, "full")
    n = system.dimension
    factors = system.factors()
    lower = np.eye(n)
    structure = np.argwhere(np.tril(np.linalg.cholesky(system.mass), -1))  # with the fill-in
    assert len(factors) == system.elimination.factor_size == n + len(structure)
    for k, (i, j) in enumerate(structure):
        lower[i, j] = factors[n + k]
    close(lower @ np.diag(1 / factors[:n]) @ lower.T, system.mass)
    assert (len(factors) == n) is (mass == "diagonal")


@pytest.mark.slow
@pytest.mark.parametrize(("mass", "jacobian"), PATTERNS)
def test_mass_matrix_is_solved(mass: str, jacobian: str) -> None:
    system = case(mass, jacobian)
    r, multipliers = system.generator.normal(size=system.dimension), system.generator.normal(size=system.rows)
    b = stored(system.jacobian_pattern, system.jacobian)
    found = system.kernel("solve_mass")(F=system.factors(), r=r, B=b, **{"lambda": multipliers})
    expected = np.linalg.solve(system.mass, r - system.jacobian.T @ multipliers)
    close(found["a"], expected, np.linalg.cond(system.mass))


def kept_kernels(system: Case, rows: int) -> tuple[Kernel, ...]:
    """The elimination of one matrix for many right-hand sides, with or without the rows of the system."""
    return derive_kept_elimination(system.mass_pattern, system.jacobian_pattern, [True] * system.dimension, rows)


def kept_solution(system: Case, r: Array, c: Array) -> dict[str, Array]:
    """Its solution; rows are omitted if they have no right-hand side."""
    first, second = kept_kernels(system, len(c))
    of_rows = {"B": stored(system.jacobian_pattern, system.jacobian)} if len(c) else {}
    known = {"F": system.factors(), **of_rows}
    return run(second, **known, **run(first, **known), r=r, **({"c": c} if len(c) else {}))


@pytest.mark.slow
@pytest.mark.parametrize(("mass", "jacobian"), PATTERNS)
def test_elimination_can_be_reused(mass: str, jacobian: str) -> None:
    system = case(mass, jacobian)
    n, m = system.dimension, system.rows
    r, c = system.generator.normal(size=n), system.generator.normal(size=m)
    matrix = np.block([[system.mass, system.jacobian.T], [system.jacobian, np.zeros((m, m))]])
    expected, found = np.linalg.solve(matrix, np.concatenate([r, c])), kept_solution(system, r, c)
    close(found["a"], expected[:n], np.linalg.cond(matrix))
    close(found["lambda"], expected[n:], np.linalg.cond(matrix))
    assert found["margin"][0] > 0
    free = kept_solution(system, r, c[:0])
    assert list(free) == ["a"]
    close(free["a"], np.linalg.solve(system.mass, r), np.linalg.cond(system.mass))


@pytest.mark.slow
def test_inverses_with_more_entries_than_factors_are_not_formed() -> None:
    """An inverse is full where M is sparse: a solution has no more products than its factors."""
    system = random_case("banded", "chain", 8, 4, seed=3)
    r, c = system.generator.normal(size=8), system.generator.normal(size=4)
    matrix = np.block([[system.mass, system.jacobian.T], [system.jacobian, np.zeros((4, 4))]])
    found = kept_solution(system, r, c)
    close(found["a"], np.linalg.solve(matrix, np.concatenate([r, c]))[:8], np.linalg.cond(matrix))
    (_, free), (_, dense) = kept_kernels(system, 0), kept_kernels(random_case("full", "chain", 8, 4, seed=3), 0)
    products = [sum(i.operator == "mul" for i in k.body.instructions) for k in (free, dense)]
    assert products[0] <= len(system.factors()) * 2 < products[1]


def test_reused_elimination_detects_lost_pivots() -> None:
    """Two rows that are equal."""
    system = case("full", "full")
    free = pattern(list(zip(system.jacobian_pattern.rows, system.jacobian_pattern.columns, strict=True)))
    equal = replace(system, jacobian_pattern=free, jacobian=np.repeat(system.jacobian[:1], system.rows, axis=0))
    assert not kept_solution(equal, np.ones(system.dimension), np.ones(system.rows))["margin"][0] > 0


@pytest.mark.parametrize(("mass", "jacobian"), PATTERNS)
def test_saddle_point_system_is_solved(mass: str, jacobian: str) -> None:
    """B0 and B1 differ, as they do within a step."""
    system = case(mass, jacobian)
    n, m = system.dimension, system.rows
    constant = np.zeros((m, n), dtype=bool)
    places = zip(system.jacobian_pattern.rows, system.jacobian_pattern.columns, strict=True)
    for place, value in zip(places, system.jacobian_pattern.constants, strict=True):
        constant[place] = value is not None
    left = np.where(constant, system.jacobian, system.jacobian * system.generator.uniform(0.9, 1.1, (m, n)))
    r, c = system.generator.normal(size=n), system.generator.normal(size=m)
    found = system.kernel("solve_saddle")(
        F=system.factors(),
        B0=stored(system.jacobian_pattern, system.jacobian),
        B1=stored(system.jacobian_pattern, left),
        r=r,
        c=c,
    )
    matrix = np.block([[system.mass, system.jacobian.T], [left, np.zeros((m, m))]])
    expected = np.linalg.solve(matrix, np.concatenate([r, c]))
    condition = np.linalg.cond(matrix)
    close(found["a"], expected[:n], condition)
    close(found["lambda"], expected[n:], condition)
    schur = left @ np.linalg.solve(system.mass, system.jacobian.T)
    assert 0 < found["margin"][0] <= np.abs(np.diag(schur)).min()


@pytest.mark.parametrize("n", [1, 2, 6])
def test_systems_without_constraints_are_solved(n: int) -> None:
    elimination = derive_elimination(pattern(mass_pattern("full", n)), pattern([]), [True] * n, 0)
    assert [k.signature.name for k in elimination.kernels] == ["factorize", "solve_mass"]
    generator = np.random.default_rng(n)
    root = generator.normal(size=(n, n))
    mass = root @ root.T + np.eye(n)
    system = Case(elimination, pattern(mass_pattern("full", n)), pattern([]), mass, np.zeros((0, n)), generator)
    r = generator.normal(size=n)
    close(system.kernel("solve_mass")(F=system.factors(), r=r)["a"], np.linalg.solve(mass, r), np.linalg.cond(mass))


def test_values_of_several_elements_are_summed() -> None:
    """A position may occur several times in a pattern: each element stores its part."""
    places = [(0, 0), (1, 0), (1, 1), (1, 1), (2, 1), (2, 2), (2, 2)]
    rows = [(0, 0), (0, 1), (0, 1), (1, 2)]
    generator = np.random.default_rng(4)
    mass = np.array([[4.0, 1, 0], [1, 5, -1], [0, -1, 3]])
    jacobian = np.array([[1.0, 2, 0], [0, 0, 1]])
    elimination = derive_elimination(pattern(places), pattern(rows), [True] * 3, 2)
    system = Case(elimination, pattern(places), pattern(rows), mass, jacobian, generator)
    r, c = generator.normal(size=3), generator.normal(size=2)
    b = stored(system.jacobian_pattern, jacobian)
    found = system.kernel("solve_saddle")(F=system.factors(), B0=b, B1=b, r=r, c=c)
    matrix = np.block([[mass, jacobian.T], [jacobian, np.zeros((2, 2))]])
    close(np.concatenate([found["a"], found["lambda"]]), np.linalg.solve(matrix, np.concatenate([r, c])), 100)


def dependent(mass: str, offset: float) -> float:
    """Margin of a system whose third row is the sum of the first two, up to an offset in one entry."""
    system = case(mass, "full")
    free = pattern(list(zip(system.jacobian_pattern.rows, system.jacobian_pattern.columns, strict=True)))
    elimination = derive_elimination(system.mass_pattern, free, [True] * system.dimension, system.rows)
    other = Case(elimination, system.mass_pattern, free, system.mass, system.jacobian.copy(), system.generator)
    other.jacobian[2] = other.jacobian[0] + other.jacobian[1]
    other.jacobian[2, 0] += offset
    b = stored(free, other.jacobian)
    found = other.kernel("solve_saddle")(F=other.factors(), B0=b, B1=b, r=np.ones(7), c=np.ones(3))
    return float(found["margin"][0])


@pytest.mark.slow
@pytest.mark.parametrize("mass", MASSES)
def test_margin_detects_dependent_constraints(mass: str) -> None:
    """The pivot goes as the square of the offset: 1e-6 loses twelve digits, 1e-3 only six."""
    assert not dependent(mass, 0.0) > 0  # may be NaN
    assert not dependent(mass, 1e-6) > 0
    assert dependent(mass, 1e-3) > 0


@pytest.mark.parametrize("group", HEAVY_TOPS)
def test_constant_entries_of_models_are_used(group: str) -> None:
    """The elimination of a model touches fewer values than a dense one, and B's constants are folded into it."""
    emitted = heavy_top_equations(group).emitted
    assert emitted.elimination is not None
    names = [k.signature.name for k in emitted.elimination.kernels]
    if group in ("SO3", "S3"):
        assert names == ["factorize", "solve_mass"]
        return
    assert names == ["factorize", "solve_mass", "solve_saddle"]
    (element,) = emitted.types.element_types
    assert element.mass.rows == element.mass.columns and emitted.elimination.factor_size == emitted.dimension
    body_fixed = group in ("SE3", "S3sR3")
    assert element.jacobian.count == (9 if body_fixed else 15)  # hat(Rᵀx) has 6 entries, I has 3, Rᵀ has 9
    assert sum(c is not None for c in element.jacobian.constants) == (3 if body_fixed else 0)


def test_singular_constant_mass_has_no_elimination() -> None:
    """If a pivot vanishes for all parameters, a pivoted elimination is required."""
    places = [(0, 0), (1, 0), (1, 1)]
    singular = pattern(places, dict.fromkeys(places, 0.1))
    assert derive_elimination(singular, pattern([(0, 0)]), [True, True], 1).kernels == ()
    regular = pattern(places, {(0, 0): 0.1, (1, 0): 0.1, (1, 1): 0.2})
    assert len(derive_elimination(regular, pattern([(0, 0)]), [True, True], 1).kernels) == 3


def test_assembled_patterns_of_a_chain() -> None:
    """Nodes are ordered by type, rows by order of definition; the pattern of M is the lower triangle."""
    emitted = chain_equations().emitted
    assert [n.name for n in emitted.arrangement.nodes] == ["upper", "lower"]
    mass, jacobian = assembled_patterns(emitted.types, emitted.arrangement)
    assert all(i >= j for i, j in zip(mass.rows, mass.columns, strict=True))
    assert set(mass.rows) == set(range(12))
    first = {j for i, j in zip(jacobian.rows, jacobian.columns, strict=True) if i < 3}
    second = {j for i, j in zip(jacobian.rows, jacobian.columns, strict=True) if i >= 3}
    assert max(first) < 6 <= max(second)
