"""Exact tableaux of methods that compose exponentials, validated on construction."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from symlie.runtime.tableaux.exact import ExactRow, QuadraticNumber, exact_sum
from symlie.runtime.tableaux.tableau import Tableau


@dataclass(frozen=True)
class Chain:
    """Product of exponentials, applied to a starting point."""

    exponentials: tuple[ExactRow, ...] = ()
    """Weights of f_1, f_2, … in each exponential; the first exponential acts first."""
    start: int = 1
    """Stage at which the chain starts, counted from 1; the first stage is the start of the step."""


@dataclass(frozen=True, kw_only=True, repr=False)
class ChainTableau(Tableau):
    """Tableau of a commutator-free method; a `ModelError` reports wrong weight sums and use of later stages."""

    chains: tuple[Chain, ...]
    """Chain of each stage; the first one is empty."""
    result: Chain
    """Chain of the end of the step."""
    result_hat: Chain | None = None
    """Chain of the embedded end of the step, for the error estimate."""

    def __post_init__(self) -> None:
        self._check_orders()
        if (self.result_hat is None) != (self.order_hat is None):
            raise self._error("result_hat and order_hat must be given together")
        self._check_length("c", len(self.c), self.stages)
        for number, chain in enumerate(self.chains, start=1):
            what = f"stage {number}"
            self._check_chain(what, chain, number - 1)
            self._check_node(what, self._sum(chain), number)
        for what, chain in self.ends():
            self._check_chain(what, chain, self.stages)
            self._check_sum(what, self._sum(chain))

    @property
    def stages(self) -> int:
        return len(self.chains)

    def ends(self) -> Iterator[tuple[str, Chain]]:
        """Yield the chains that lead to the end of the step, with their names."""
        yield "result", self.result
        if self.result_hat is not None:
            yield "result_hat", self.result_hat

    def _sum(self, chain: Chain) -> QuadraticNumber:
        start = self.c[chain.start - 1] if self.c else QuadraticNumber()
        return start + exact_sum(entry for row in chain.exponentials for entry in row)

    def _check_chain(self, what: str, chain: Chain, known: int) -> None:
        if not known:
            if chain.exponentials or chain.start != 1:
                raise self._error(f"{what} must be the start of the step, without exponentials")
            return
        if not 1 <= chain.start <= known:
            raise self._error(f"{what} starts from stage {chain.start}, but only stages 1 to {known} come before it")
        for row in chain.exponentials:
            if len(row) > known:
                raise self._error(f"{what} has {len(row)} weights in an exponential, but only {known} slopes are known")
