"""Values that two straight lines both compute: which are shared, and that results stay the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
import sympy
from sympy import Expr

import symlie as sl
from symlie.derive.sets import derive_set
from symlie.ir.jets.derivation import jet_of
from symlie.ir.jets.sharing import Numbers, numbered, shared
from symlie.ir.program import Program
from symlie.ir.straightline import Operand, StraightLine, flatten
from symlie.models import heavy_top
from tests import tolerances

X, Y, V, A, P = sympy.symbols("x y v a P", real=True)
PLACES = {X: "q[0]", Y: "q[1]", V: "v[0]", A: "a[0]", P: "p[0]"}
VALUES = {"q[0]": 0.3, "q[1]": -1.7, "v[0]": 2.5, "a[0]": 0.9, "p[0]": 1.1}
OPERATORS = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "neg": np.negative, "sin": np.sin}


def line(*values: Expr) -> StraightLine:
    return flatten(Program(), values, PLACES)


def pair(first: Sequence[Expr], second: Sequence[Expr]) -> tuple[StraightLine, StraightLine, int]:
    return shared(line(*first), line(*second), ("p[",), ("v[",))


def evaluated(body: StraightLine, values: Mapping[str, float]) -> list[float]:
    known = dict(values)

    def value(operand: Operand) -> float:
        return operand if isinstance(operand, float) else known[operand]

    for i in body.instructions:
        known[i.target] = float(OPERATORS[i.operator](*map(value, i.operands)))
    return [value(o) for o in body.outputs]


def test_equal_factors_of_several_jets_have_the_same_name() -> None:
    """Values are identified by their computation, independent of preceding instructions, and inputs by name."""
    numbers: Numbers = {}
    first = jet_of("first", line(X * Y + sympy.sin(X + Y) * X), ("p[",), (), numbers).layout
    second = jet_of("second", line(A * V, A * (X + Y), A * sympy.sin(X + Y)), ("p[",), (), numbers).layout
    of_first, of_second = set(first.names), set(second.names)
    assert {name for name in of_first if "[" in name} == {"q[0]", "q[1]"}
    assert {name for name in of_second if "[" in name} == {"a[0]", "v[0]"}
    # sin(x + y), its slope times x + y, and both weighted by their orders
    assert len(of_first - {"q[0]", "q[1]"}) == 3
    assert of_first - {"q[0]", "q[1]"} < of_second


def test_shared_factors_have_equal_names() -> None:
    gives, takes, count = pair([(X * Y + 1) * V], [(X * Y + 1) * A])
    numbers: Numbers = {}
    of_values = numbered(gives.instructions, numbers, {})
    known = {f"shared[{k}]": of_values[str(o)] for k, o in enumerate(gives.outputs[-count:])}
    first = jet_of("first", gives, ("p[",), ("v[",), numbers).layout
    second = jet_of("second", takes, ("p[",), ("a[",), numbers, known).layout
    assert set(first.names) & set(second.names) == {known["shared[0]"]}


@pytest.mark.parametrize(
    ("first", "second", "count"),
    [
        ([(X * Y + 1) * V], [(X * Y + 1) * A], 1),
        ([(P * X * Y - Y) * V], [(P * X * Y - Y) * A + P * X * Y], 2),
        ([sympy.sin(X) * V + Y / X], [A * sympy.sin(X) - Y / X], 2),
        ([X * Y], [X * Y], 1),
    ],
)
def test_second_jet_shares_factors_of_products(first: list[Expr], second: list[Expr], count: int) -> None:
    gives, takes, number = pair(first, second)
    assert number == count
    *results, given = np.split(np.array(evaluated(gives, VALUES)), [len(first)])
    taken = {f"shared[{k}]": float(x) for k, x in enumerate(given)}
    assert list(results[0]) == evaluated(line(*first), VALUES)
    assert evaluated(takes, VALUES | taken) == evaluated(line(*second), VALUES)
    assert takes.operation_count < line(*second).operation_count


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param([(X + P * Y) * V], [(X + P * Y) * A], id="sums"),
        pytest.param([X / P + 2 * Y], [(X / P + 2 * Y) * A], id="constant factors"),
        pytest.param([sympy.sin(P) * X], [sympy.sin(P) * A], id="constants"),
        pytest.param([X * V], [X * V * A], id="known too late"),
        pytest.param([X * Y], [X * A], id="nothing in common"),
    ],
)
def test_unrelated_jets_share_nothing(first: list[Expr], second: list[Expr]) -> None:
    assert pair(first, second) == (line(*first), line(*second), 0)


def test_forces_share_jacobians_of_hidden_constraints() -> None:
    """x - R X = 0: products of R(q) X come from its rates; only B λ and ω × J ω remain in the forces."""
    model = heavy_top.build("S3xR3", constraint_frame="space")
    layouts = {jet.name: jet for jet in derive_set(model.derive(), "jets").jets}
    force, hidden = layouts["heavy_top_force_jet"], layouts["heavy_top_hidden_jet"]
    assert (hidden.given, force.taken) == (9, 9)
    assert (hidden.results, len(hidden.products), len(force.products)) == (3, 18, 12)


def beads(in_pieces: bool) -> sl.Model:
    """Beads on curves z = x y³, or with another power of x where y is negative."""
    model = sl.Model("beads")
    bead = sl.ElementType("bead", first="R3")
    x, velocity = bead.first.x, bead.first.x_dot
    bead.kinetic_energy(velocity.dot(velocity) / 2)
    bead.potential_energy(9.81 * x[2])
    height = x[0] * x[1] ** 3
    bead.constraint("curve", x[2] - (sl.select(x[1], height, x[0] * height) if in_pieces else height))
    nodes = [model.node(f"node_{k}", "R3") for k in range(40)]
    model.add(bead, [(node,) for node in nodes])
    for k, node in enumerate(nodes):
        y = 0.3 + 0.01 * k
        model.initial(node, x=[1, y, y**3])
    return model


@pytest.mark.parametrize("in_pieces", [False, True])
def test_sharing_jets_have_equal_layout(in_pieces: bool) -> None:
    """Parts of B belong to the hidden constraint alone; forces reuse their values."""
    equations = beads(in_pieces).derive()
    force, hidden = (jet for jet in derive_set(equations, "jets").jets if jet.name.startswith("bead_"))
    assert (hidden.given, force.taken, force.conditions, hidden.conditions) == (2, 2, 0, int(in_pieces))
    assert force.side_by_side == hidden.side_by_side == (not in_pieces)
    compiled, plain = (equations.compile(backend=backend) for backend in ("c", "numpy"))
    found = sl.solve(compiled, 0.5, method="taylor", rtol=1e-10).q[-1]
    same = sl.solve(plain, 0.5, method="taylor", rtol=1e-10).q[-1]
    other = sl.solve(compiled, 0.5, method="half_explicit_5", rtol=1e-11, atol=1e-11).q[-1]
    np.testing.assert_allclose(found, same, rtol=0, atol=tolerances.BACKENDS)
    np.testing.assert_allclose(found, other, rtol=0, atol=tolerances.SERIES_OF_MODELS)
