"""Methods by chains of exponentials: commutator-free ones, and those of Crouch and Grossman.

Every stage, and the result, is reached from the start of the step or from an earlier stage by exponentials one after
the other. The first of a chain acts first: q∘exp(h Σ_j α_j f_j)∘exp(h Σ_j β_j f_j) under right multiplication,
exp(h Σ_j β_j f_j)·exp(h Σ_j α_j f_j)·y under an action from the left. There are no commutators, so signs are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from symlie.runtime.methods.exact import ExactRow, QuadraticNumber, exact_row, exact_sum
from symlie.runtime.methods.tableau import Tableau


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

    Parameters
    ----------
    name : str
        Name of the method.
    order, order_hat : int
        Orders of ``result`` and ``result_hat``.
    c : tuple of QuadraticNumber
        Nodes of the s stages.
    chains : tuple of Chain
        How each stage is reached; the first one is empty.
    result : Chain
        How the end of the step is reached.
    result_hat : Chain, optional
        How the embedded end of the step is reached, for the estimate of the error.
    source : str
        Where the coefficients were published.

    Raises
    ------
    ModelError
        If a chain uses a stage that is not before it, or its weights do not sum to its node, or to 1 at the end.
    """

    chains: tuple[Chain, ...]
    result: Chain
    result_hat: Chain | None = None

    family: ClassVar[str] = "commutator_free"

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
        """Number of stages s."""
        return len(self.chains)

    @property
    def has_estimate(self) -> bool:
        """Whether there is an embedded result."""
        return self.result_hat is not None

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


@dataclass(frozen=True, kw_only=True, repr=False)
class CrouchGrossmanTableau(ChainTableau):
    """A method of Crouch and Grossman: each exponential is along one slope, f_1 first.

    Y_i = q∘exp(h a_i1 f_1)∘…∘exp(h a_i,i-1 f_{i-1}), and the same with b at the end of the step.
    """

    family: ClassVar[str] = "crouch_grossman"


def along_slopes(weights: Sequence[QuadraticNumber]) -> Chain:
    """A chain from the start of the step with one exponential along each slope of nonzero weight, the first first."""
    rows = ((*exact_row([0] * k), weight) for k, weight in enumerate(weights) if weight)
    return Chain(tuple(rows))
