"""Discrete Lagrangians: what approximates the action of a step, L_d(q₀, q₁, h) ≈ ∫ L(q, v) dt from t₀ to t₀ + h.

A discrete Lagrangian is a function of two configurations and the step size. It samples the Lagrangian of whatever
system it is asked for: `TRAPEZOID` and `MIDPOINT` are two, users write their own.
Source: [Hante2022], equations 12 and 13.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import sympy
from sympy import Expr, Rational, Symbol

from symlie.contract.sets import DISCRETE, KernelSet
from symlie.errors import ModelError
from symlie.modeling.expressions import components
from symlie.modeling.node import column
from symlie.modeling.symbolic import SymbolicMatrix


@dataclass(frozen=True)
class Sample:
    """Where energies are sampled: between the configurations of a step, with a velocity for the kinetic one.

    Attributes
    ----------
    part
        Part ξ of the way q₀∘exp(ξ θ): 0 is q₀, 1 is q₁.
    velocity
        Its components; none of a potential energy.
    symbol
        What stands for the energy.
    """

    part: Expr
    velocity: tuple[Expr, ...]
    symbol: Symbol


class DiscreteAction:
    """What a discrete Lagrangian asks for, written down while it is evaluated.

    Parameters
    ----------
    increment
        Symbols of θ = log(q₀⁻¹∘q₁), of all nodes that move.
    """

    def __init__(self, increment: tuple[Symbol, ...]) -> None:
        self.increment = increment
        self.kinetic: list[Sample] = []
        self.potential: list[Sample] = []

    def sample(self, samples: list[Sample], stem: str, part: Expr, velocity: tuple[Expr, ...]) -> Expr:
        """The symbol of a sample, one for equal samples."""
        for known in samples:
            if (known.part, known.velocity) == (part, velocity):
                return known.symbol
        samples.append(Sample(part, velocity, Symbol(f"{stem}.{len(samples)}", real=True)))
        return samples[-1].symbol


class DiscreteConfiguration:
    """The configuration of a system at a time of a step, as discrete Lagrangians take it: q₀, q₁, or between both."""

    def __init__(self, action: DiscreteAction, part: Expr) -> None:
        self._action, self._part = action, part

    def difference(self, other: DiscreteConfiguration) -> SymbolicMatrix:
        """log(q⁻¹∘b) of all nodes from this configuration q to another one b, a column; θ from q₀ to q₁.

        Parameters
        ----------
        other
            The other configuration.
        """
        way = other._part - self._part
        return column([way * theta for theta in self._action.increment])

    def interpolate(self, other: DiscreteConfiguration, xi: Expr | float | str) -> DiscreteConfiguration:
        """q∘exp(ξ log(q⁻¹∘b)), at the time between both.

        Parameters
        ----------
        other
            b.
        xi
            ξ, dimensionless: a number, or text such as ``"1/3"``.
        """
        part = sympy.nsimplify(sympy.sympify(xi), rational=True)
        if not part.is_number:
            raise ModelError(f"The part of the way of a discrete Lagrangian must be a number, not {xi}.")
        return DiscreteConfiguration(self._action, self._part + part * (other._part - self._part))

    def kinetic_energy(self, velocity: SymbolicMatrix) -> Expr:
        """T at this configuration and time, in J.

        Parameters
        ----------
        velocity
            Velocities of all nodes, such as ``q0.difference(q1) / h``.
        """
        given = tuple(components(velocity))
        if len(given) != len(self._action.increment):
            raise ModelError(
                f"The velocity of a discrete Lagrangian has {len(given)} components, but the system has "
                f"{len(self._action.increment)}; take q0.difference(q1) / h."
            )
        return self._action.sample(self._action.kinetic, "T", self._part, given)

    def potential_energy(self) -> Expr:
        """V at this configuration and time, in J; forces act where it is sampled, with its weight."""
        return self._action.sample(self._action.potential, "V", self._part, ())

    def lagrangian(self, velocity: SymbolicMatrix) -> Expr:
        """T - V at this configuration and time, in J.

        Parameters
        ----------
        velocity
            Velocities of all nodes, such as ``q0.difference(q1) / h``.
        """
        return self.kinetic_energy(velocity) - self.potential_energy()


DiscreteLagrangian = Callable[[DiscreteConfiguration, DiscreteConfiguration, Symbol], Expr]
"""L_d(q₀, q₁, h)."""


def trapezoid(q0: DiscreteConfiguration, q1: DiscreteConfiguration, h: Symbol) -> Expr:
    """h (L(q₀, θ/h) + L(q₁, θ/h))/2, with θ = log(q₀⁻¹∘q₁). Source: [Hante2022], section 4.2."""
    v = q0.difference(q1) / h
    return h * (q0.lagrangian(v) + q1.lagrangian(v)) / 2


def midpoint(q0: DiscreteConfiguration, q1: DiscreteConfiguration, h: Symbol) -> Expr:
    """h L(q₀∘exp(θ/2), θ/h), with θ = log(q₀⁻¹∘q₁). Source: [Marsden2001], section 2.6."""
    v = q0.difference(q1) / h
    return h * q0.interpolate(q1, Rational(1, 2)).lagrangian(v)


DISCRETE_LAGRANGIANS: Mapping[str, DiscreteLagrangian] = {"trapezoid": trapezoid, "midpoint": midpoint}
"""Those that come with symlie, by name."""


@dataclass(frozen=True)
class SampledAction:
    """A discrete Lagrangian as samples with weights.

    Attributes
    ----------
    kinetic, potential
        Samples of T and of V with their weights over h: L_d = h (Σ w T - Σ w V).
    """

    kinetic: tuple[tuple[Sample, Rational], ...]
    potential: tuple[tuple[Sample, Rational], ...]

    def weight_at(self, part: int) -> Rational:
        """Weight over h of V at q₀ (0) or q₁ (1)."""
        return sum((w for sample, w in self.potential if sample.part == part), Rational(0))


def sampled(name: str, function: DiscreteLagrangian, increment: tuple[Symbol, ...], h: Symbol) -> SampledAction:
    """The samples of a discrete Lagrangian.

    Parameters
    ----------
    name
        Its name, for messages.
    function
        L_d(q₀, q₁, h).
    increment
        Symbols of θ.
    h
        Symbol of the step size.

    Raises
    ------
    ModelError
        It is no sum of sampled energies, or not consistent: L_d/h must tend to L(q, v) as q₁ = q∘exp(h v) tends to q.
    """
    action = DiscreteAction(increment)
    q0, q1 = (DiscreteConfiguration(action, Rational(part)) for part in (0, 1))
    stated = components(function(q0, q1, h))
    if len(stated) != 1:
        raise ModelError(f"The discrete Lagrangian '{name}' must be a scalar, but has {len(stated)} components.")
    total = sympy.expand(sympy.nsimplify(stated[0], rational=True))

    def weights(samples: list[Sample], sign: int) -> tuple[tuple[Sample, Rational], ...]:
        found = []
        for sample in samples:
            weight = sympy.cancel(sign * sympy.diff(total, sample.symbol) / h)
            if not weight.is_Rational:
                raise ModelError(
                    f"The discrete Lagrangian '{name}' must be a sum of energies that are sampled, with weights that "
                    f"are numbers times h; one has the weight {sympy.sstr(weight * h)}."
                )
            found.append((sample, weight))
        return tuple(found)

    result = SampledAction(weights(action.kinetic, 1), weights(action.potential, -1))
    rest = total - h * sum(w * s.symbol for s, w in result.kinetic) + h * sum(w * s.symbol for s, w in result.potential)
    velocities = [v / theta * h for s, _ in result.kinetic for v, theta in zip(s.velocity, increment, strict=True)]
    sums = [sum((w for _, w in part), Rational(0)) for part in (result.kinetic, result.potential)]
    if sympy.expand(rest) != 0 or any(sympy.cancel(v) != 1 for v in velocities) or sums != [1, 1]:
        raise ModelError(
            f"The discrete Lagrangian '{name}' is not consistent: for q₁ = q₀∘exp(h v) and h → 0 it must tend to "
            f"h (T - V) with the velocity q0.difference(q1) / h, but its weights are {sums[0]} of T and {sums[1]} of V."
        )
    return result


def discrete_lagrangian(chosen: KernelSet) -> tuple[str, DiscreteLagrangian]:
    """The discrete Lagrangian of a set of kernels, with its name.

    Parameters
    ----------
    chosen
        The set; its text, if it has one, defines the function.

    Raises
    ------
    ModelError
        The text defines no function of this name, or fails.
    """
    name = chosen.name.removeprefix(f"{DISCRETE}_")
    if not chosen.text:
        return name, DISCRETE_LAGRANGIANS[name]
    name = name.rpartition("_")[0]
    return name, stated_function(name, chosen.text)


def stated_function(name: str, text: str) -> DiscreteLagrangian:
    """A function by the text of the file that defines it.

    Parameters
    ----------
    name, text
        Its name, and the text.

    Raises
    ------
    ModelError
        The text fails, or defines no such function.
    """
    module: dict[str, object] = {"__name__": name}
    try:
        exec(compile(text, name, "exec"), module)
    except Exception as error:
        raise ModelError(f"The file of the discrete Lagrangian '{name}' fails: {error!r}.") from error
    found = module.get(name)
    if not callable(found):
        raise ModelError(f"The file of the discrete Lagrangian '{name}' defines no function of this name.")
    return found
