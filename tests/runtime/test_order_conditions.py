"""Exact order conditions: declared orders, truncation of dexp⁻¹, and errors that destroy an order."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction

import pytest

from symlie.errors import ModelError
from symlie.runtime.methods.commutator_free import CommutatorFree, CrouchGrossman, along_slopes
from symlie.runtime.methods.library import method, method_names
from symlie.runtime.methods.rkmk import Rkmk, order_of_truncation
from symlie.runtime.tableaux import order_conditions
from symlie.runtime.tableaux.chains import Chain, ChainTableau
from symlie.runtime.tableaux.exact import exact_row
from symlie.runtime.tableaux.order_conditions import chain_series, flow, inverse_weights, order_of, rkmk_series
from symlie.runtime.tableaux.tableau import ExplicitTableau
from tests import tolerances
from tests.runtime.tableaux import tableau_of


def test_flow_series_is_exact() -> None:
    """Forests are counted by Catalan's numbers, and trees are weighted by the flow's integrals."""
    series = flow(6)
    assert [len(level) for level in series] == [1, 1, 2, 5, 14, 42, 132]
    leaf = ()
    assert series[1] == {(leaf,): 1}
    assert series[2] == {(leaf, leaf): Fraction(1, 2), ((leaf,),): Fraction(1, 2)}
    bushy, tall = ((leaf, leaf),), (((leaf,),),)
    assert (series[3][bushy], series[3][tall]) == (Fraction(1, 6), Fraction(1, 6))
    # α' = α B⁺(α) makes the last tree the latest, so the order of a word matters.
    assert (series[3][leaf, (leaf,)], series[3][(leaf,), leaf]) == (Fraction(1, 3), Fraction(1, 6))


def test_weights_of_the_inverse_are_exact() -> None:
    """(-1)^k B_k/k!."""
    expected = ["1", "1/2", "1/12", "0", "-1/720", "0", "1/30240"]
    assert list(inverse_weights(7)) == [Fraction(x) for x in expected]


EXPLICIT = [n for n in method_names() if n not in ("symplectic_theta", "moreau_jean", "taylor")]


def test_methods_without_conditions_are_named() -> None:
    with pytest.raises(ModelError, match=r"the family symplectic has no order conditions; the specified order is 2"):
        method("symplectic_theta").orders()


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPLICIT)
def test_methods_have_exactly_the_declared_orders(name: str) -> None:
    known = method(name)
    found, embedded = known.orders()
    assert found.order == known.order
    assert (embedded.order if embedded else None) == known.order_hat
    assert found.residual <= tolerances.DECIMAL_CONDITIONS if known.tableau.is_decimal else found.residual == 0
    assert found.violated > 0 or known.order >= 5


TRUNCATED = {
    "lie_euler_heun": (2, 2, 2, 2),
    "rkmk_kutta3": (2, 3, 3, 3),
    "rkmk_rk44": (2, 3, 4, 4),
    "rkmk_38": (2, 3, 4, 4),
    "rkmk_dopri5": (2, 3, 5, 5),
    "rkmk_rk67": (2, 3, 5, 6),
}
"""Orders with dexp⁻¹ truncated after 0, 1, 2 commutators, and with all of them."""


@pytest.mark.slow
@pytest.mark.parametrize("name", TRUNCATED)
def test_truncated_methods_have_their_order(name: str) -> None:
    for commutators, order in zip((0, 1, 2, None), TRUNCATED[name], strict=True):
        truncated = Rkmk(tableau_of(name, ExplicitTableau), commutators)
        assert truncated.orders()[0].order == order == truncated.order


@pytest.mark.parametrize(("commutators", "orders"), [(0, (2,)), (1, (3,)), (2, (4,)), (None, (4,))])
def test_truncated_embedded_formula_has_its_order(commutators: int | None, orders: tuple[int]) -> None:
    truncated = Rkmk(tableau_of("rkmk_dopri5", ExplicitTableau), commutators)
    embedded = truncated.orders()[1]
    assert embedded is not None and (embedded.order,) == orders == (truncated.order_hat,)


def test_truncation_uses_only_useful_commutators() -> None:
    """B₃ = B₅ = 0: an odd number of commutators above one gains nothing."""
    assert [order_of_truncation(k) for k in range(6)] == [2, 3, 5, 5, 7, 7]
    chosen = [method(n).with_options({"commutators": "auto"}).options for n in TRUNCATED]
    assert [options["commutators"] for options in chosen] == [0, 1, 2, 2, 2, 4]


def test_wrong_sign_of_commutators_leaves_order_two(monkeypatch: pytest.MonkeyPatch) -> None:
    tableau = tableau_of("rkmk4_two_commutators", ExplicitTableau)
    turned = tuple(dataclasses.replace(b, weight=-b.weight) for b in tableau.brackets)
    assert Rkmk(dataclasses.replace(tableau, brackets=turned), 0).orders()[0].order == 2
    monkeypatch.setattr(
        order_conditions, "inverse_weights", lambda n: [x * (-1) ** k for k, x in enumerate(inverse_weights(n))]
    )
    for name in ("rkmk_kutta3", "rkmk_rk44", "rkmk_dopri5", "rkmk_rk67"):
        assert method(name).orders()[0].order == 2


@pytest.mark.parametrize("name", ["cf4", "cf43"])
def test_swapped_factors_leave_order_two(name: str) -> None:
    tableau = tableau_of(name, ChainTableau)
    for _, end in tableau.ends():
        swapped = Chain(end.exponentials[::-1], end.start)
        assert order_of(chain_series(tableau, swapped, 6), 0.0).order == 2


def test_crouch_grossman_needs_more_than_classical_conditions() -> None:
    """The classical method of order four, with its weights along single slopes, has order two only."""
    classical = tableau_of("rkmk_rk44", ExplicitTableau)
    rows = (*classical.a, classical.b)
    *stages, end = map(along_slopes, rows)
    mixed = ChainTableau(name="mixed", order=1, c=classical.c, chains=tuple(stages), result=end, source="")
    assert CommutatorFree(mixed).orders()[0].order == 2


def test_published_digits_are_sufficient() -> None:
    """The coefficients of Jackiewicz, Marthinsen and Owren with the 16 digits that they printed."""
    tableau = tableau_of("cg4", ChainTableau)

    def shortened(chain: Chain) -> Chain:
        digits = [[round(x.rational, 16) for x in row] for row in chain.exponentials]
        return Chain(tuple(map(exact_row, digits)), chain.start)

    rounded = dataclasses.replace(
        tableau, chains=tuple(map(shortened, tableau.chains)), result=shortened(tableau.result)
    )
    found = CrouchGrossman(rounded).orders()[0]
    assert found.order == 4 and 0 < found.residual < tolerances.SIXTEEN_DIGITS


def test_commutative_algebra_has_classical_conditions() -> None:
    """The shuffle sum over all words of leaves is that of the exponential: Σ b = 1 once for each power."""
    classical = tableau_of("rkmk_rk44", ExplicitTableau)
    series = rkmk_series(classical, classical.b, None, 4)
    assert [series[n][((),) * n] for n in range(5)] == [Fraction(1, math.factorial(n)) for n in range(5)]
