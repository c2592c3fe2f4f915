"""The orders that the coefficients of a method have, by exact order conditions."""

from __future__ import annotations

from symlie.errors import ModelError
from symlie.runtime.methods.commutator_free import ChainTableau
from symlie.runtime.methods.exact import QuadraticNumber
from symlie.runtime.methods.index2_conditions import half_explicit_orders
from symlie.runtime.methods.method import Method
from symlie.runtime.methods.order_conditions import MOST_NODES, FoundOrder, chain_series, order_of, rkmk_series
from symlie.runtime.methods.tableau import ExplicitTableau, HalfExplicitTableau


def method_orders(method: Method) -> tuple[FoundOrder, FoundOrder | None]:
    """The order of a method, up to six (five if it is half-explicit), and that of its embedded formula.

    For maps other than exp, for the index-1 system and for ambient space these are the orders of the tableau, which
    are the same as with the exact dexp⁻¹.

    Parameters
    ----------
    method
        The method.

    Raises
    ------
    ModelError
        Its family has no order conditions here.
    """
    tableau = method.tableau
    if isinstance(tableau, HalfExplicitTableau):
        return half_explicit_orders(tableau)
    if isinstance(tableau, ChainTableau):
        first, *second = [
            order_of(chain_series(tableau, end, MOST_NODES), tableau.tolerance) for _, end in tableau.ends()
        ]
        return first, second[0] if second else None
    if not isinstance(tableau, ExplicitTableau):
        raise ModelError(
            f"Method {method.name}: there are no order conditions of the family {method.family}; its order is stated "
            f"as {method.order}, and 'symlie converge' shows it."
        )

    def found(weights: tuple[QuadraticNumber, ...]) -> FoundOrder:
        return order_of(rkmk_series(tableau, weights, method.commutators, MOST_NODES), tableau.tolerance)

    return found(tableau.b), None if tableau.b_hat is None else found(tableau.b_hat)
