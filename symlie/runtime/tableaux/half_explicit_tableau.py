"""Exact tableaux of half-explicit Runge–Kutta methods, validated on construction."""

from __future__ import annotations

from dataclasses import dataclass

from symlie.runtime.tableaux.exact import ExactRow, QuadraticNumber, exact_row, inner_product
from symlie.runtime.tableaux.tableau import RungeKuttaTableau


@dataclass(frozen=True, kw_only=True, repr=False)
class HalfExplicitTableau(RungeKuttaTableau):
    """Coefficients of a half-explicit Runge–Kutta method with explicit first stage, for systems of index 2.

    Stage i = 2 … s̄ solves for V̇_i and Λ_i such that the constraint holds at argument i + 1. Argument s + 1 is the end
    of the step, so row s + 1 of ``a`` contains the weights of q and v; later stages only serve λ.

    The s̄ embedded weights ``b_hat`` replace the last row of ``a`` when stage s̄ is solved again, so that the embedded
    velocity satisfies the constraint.

    Raises
    ------
    ModelError
        If a shape is wrong, a row does not sum to its node, weights do not sum to 1, a stage is unsolvable because
        its subdiagonal entry is zero, or an error in λ does not decay.
    """

    s: int
    """Number of stages that contribute to q and v; at most s̄."""
    d: ExactRow
    """Weights of λ, which is Σ d_i Λ_i at the end of the step."""

    def __post_init__(self) -> None:
        self._check_orders()
        if not 2 <= self.s <= self.stages:
            raise self._error(f"s is {self.s}, but it must be at least 2 and at most s_bar = {self.stages}")
        self._check_rows(self.stages + 1)
        for stage in range(2, self.stages + 1):
            if not self.a[stage][-1]:
                raise self._error(f"the last entry of row {stage + 1} of a is zero, so stage {stage} cannot be solved")
        self._check_weights(f"b (row {self.s + 1} of a)", self.b)
        self._check_weights("d", self.d)
        kappa = self.kappa
        if not (kappa * kappa - exact_row([1])[0]).is_negative:
            raise self._error(f"kappa is {kappa}, but it must be between -1 and 1, or errors in λ do not decay")
        if self.b_hat is not None:
            self._check_weights("b_hat", self.b_hat)
            if not self.b_hat[-1]:
                raise self._error(f"the last entry of b_hat is zero, so stage {self.stages} cannot be solved again")

    @property
    def stages(self) -> int:
        """Return the number of stages s̄, including those that only serve λ."""
        return len(self.d)

    @property
    def b(self) -> ExactRow:
        """Return the s̄ weights of q and v: row s + 1 of ``a``, padded with zeros."""
        return self.a[self.s] + exact_row([0] * (self.stages - self.s))

    @property
    def fsal(self) -> bool:
        """Return whether stage s + 1 is the end of the step together with its λ, so that its V̇ is the next first
        stage."""
        return self.c[self.s] == 1 and self.d == tuple(int(i == self.s) for i in range(self.stages))

    @property
    def kappa(self) -> QuadraticNumber:
        """Amplification of an error in λ over one step: κ = Σ d_i δ_i with δ_1 = 1 and Σ_{j ≤ i} a_{i+1,j} δ_j = 0.

        Λ_1 is λ_n, and B V̇ of later stages follows from the constraint alone: errors δ_i of Λ_i compensate an error
        δ_1 of λ_n and leave the velocities at later arguments unchanged. If |κ| < 1, the error decays as κⁿ, and q, v
        and λ have the orders given by the order conditions. Source: [Arnold1998].
        """
        errors = exact_row([1])
        for *known, unknown in self.a[2:]:
            errors += (-inner_product(known, errors) / unknown,)
        return inner_product(self.d, errors)
