"""Parameters of generalized-α methods.

Source: [Holzinger2024], equations 33 to 37.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, TypeVar

from symlie.contract.constants import ROUNDING

PARAMETERS = ("alpha_m", "alpha_f", "beta", "gamma")
"""Names of the options that are parameters of the equations."""

Number = TypeVar("Number", float, Fraction)


@dataclass(frozen=True)
class Parameters(Generic[Number]):
    """α_m, α_f, β and γ."""

    alpha_m: Number
    alpha_f: Number
    beta: Number
    gamma: Number

    @property
    def rate_gamma(self) -> float:
        """γ' of first-order states."""
        return float(1 - self.alpha_f)

    @property
    def rate_alpha_m(self) -> float:
        """α_m' of first-order states, for order two and the spectral radius α_f/(1 - α_f) = ρ at infinity."""
        return float(2 * self.alpha_f - 0.5)

    def remarks(self) -> list[str]:
        """Return warnings about unusual parameters, as sentences."""
        found = []
        if not self.alpha_m <= self.alpha_f <= 0.5:
            found.append(
                f"alpha_m = {float(self.alpha_m):g} and alpha_f = {float(self.alpha_f):g} are not "
                "alpha_m <= alpha_f <= 1/2: the method is unstable at high frequencies."
            )
        least, wanted = 0.25 + (self.alpha_f - self.alpha_m) / 2, 0.5 - self.alpha_m + self.alpha_f
        if not self.beta >= least - 8 * ROUNDING:
            found.append(
                f"beta = {float(self.beta):g} is below 1/4 + (alpha_f - alpha_m)/2 = {float(least):g}: the method is "
                "unstable at high frequencies."
            )
        if abs(self.gamma - wanted) > 8 * ROUNDING:
            found.append(
                f"gamma = {float(self.gamma):g} is not 1/2 - alpha_m + alpha_f = {float(wanted):g}: the method has "
                "order 1."
            )
        return found


def parameters_of(options: Mapping[str, Number | None], one: Number) -> Parameters[Number]:
    """Return the parameters in the number type of ``one``; unspecified α_m and α_f follow from ρ, and β and γ from α_m
    and α_f."""
    rho = _given(options.get("rho"), 9 * one / 10)
    alpha_m = _given(options.get("alpha_m"), (2 * rho - 1) / (rho + 1))
    alpha_f = _given(options.get("alpha_f"), rho / (rho + 1))
    beta = _given(options.get("beta"), (1 - alpha_m + alpha_f) ** 2 / 4)
    return Parameters(alpha_m, alpha_f, beta, _given(options.get("gamma"), one / 2 - alpha_m + alpha_f))


def _given(value: Number | None, default: Number) -> Number:
    return default if value is None else value
