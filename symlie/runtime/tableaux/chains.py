"""Tableaux of methods by chains of exponentials, exact, and checked when they are made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from symlie.runtime.tableaux.exact import ExactRow, QuadraticNumber, exact_sum
from symlie.runtime.tableaux.tableau import Tableau


@dataclass(frozen=True)
class Chain:
    """Exponentials one after the other from a starting point."""

    exponentials: tuple[ExactRow, ...] = ()
    """For each exponential the weights of f_1, f_2, …; the first one acts first."""
    start: int = 1
    """The stage it starts from, counted from 1; the first stage is the start of the step."""


@dataclass(frozen=True, kw_only=True, repr=False)
class ChainTableau(Tableau):
    """A commutator-free method.

    Raises
    ------
    ModelError
        If a chain uses a stage that is not before it, or its weights do not sum to its node, or to 1 at the end.
    """

    chains: tuple[Chain, ...]
    """How each stage is reached; the first one is empty."""
    result: Chain
    """How the end of the step is reached."""
    result_hat: Chain | None = None
    """How the embedded end of the step is reached, for the estimate of the error."""

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
        """The chains that lead to the end of the step, with their names."""
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
