"""User-defined discrete Lagrangians: functions of two configurations and the step size, each in a Python file.

    def simpson(q0, q1, h):
        v = q0.difference(q1) / h
        middle = q0.interpolate(q1, 1 / 2)
        return h * (q0.lagrangian(v) + 4 * middle.lagrangian(v) + q1.lagrangian(v)) / 6

The function is evaluated once with objects that record the samples; a method stores only these samples.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from numbers import Real

from symlie.contract.discrete import DISCRETE_LAGRANGIANS, DiscreteLagrangian, DiscreteLagrangianLike
from symlie.errors import ModelError, UnknownNameError
from symlie.runtime.tableaux.order_conditions import FoundOrder, count_order
from symlie.runtime.tableaux.user_files import named_in_file

LARGEST_DENOMINATOR = 10**6
"""Largest denominator of fractions that replace decimal numbers."""


def _fraction(value: object) -> Fraction | None:
    """Return a number as a fraction, None for other objects."""
    if isinstance(value, str):
        return Fraction(value)
    if isinstance(value, Fraction | int):
        return Fraction(value)
    if isinstance(value, Real) or hasattr(value, "__float__"):
        return Fraction(float(str(value))).limit_denominator(LARGEST_DENOMINATOR)
    return None


@dataclass(frozen=True)
class _Sum:
    """Sum Σ c h^k x, where x is a sampled energy or 1."""

    terms: tuple[tuple[tuple[str, Fraction] | None, int, Fraction], ...]

    @classmethod
    def of(cls, terms: Iterable[tuple[tuple[str, Fraction] | None, int, Fraction]]) -> _Sum:
        """Return the sum with equal terms combined."""
        total: dict[tuple[tuple[str, Fraction] | None, int], Fraction] = {}
        for sample, power, weight in terms:
            total[sample, power] = total.get((sample, power), Fraction(0)) + weight
        return cls(tuple((sample, power, weight) for (sample, power), weight in total.items() if weight))

    @staticmethod
    def _read(other: object) -> _Sum:
        if isinstance(other, _Sum):
            return other
        number = _fraction(other)
        if number is None:
            raise ModelError(f"A discrete Lagrangian takes numbers, h and energies, not {other!r}.")
        return _Sum.of([(None, 0, number)])

    def __add__(self, other: object) -> _Sum:
        return _Sum.of([*self.terms, *self._read(other).terms])

    __radd__ = __add__

    def __neg__(self) -> _Sum:
        return _Sum.of((x, k, -w) for x, k, w in self.terms)

    def __sub__(self, other: object) -> _Sum:
        return self + -self._read(other)

    def __rsub__(self, other: object) -> _Sum:
        return self._read(other) - self

    def __mul__(self, other: object) -> _Sum:
        if isinstance(other, Increment):
            return NotImplemented
        found = []
        for x, k, w in self.terms:
            for y, n, c in self._read(other).terms:
                if x is not None and y is not None:
                    raise ModelError("A discrete Lagrangian must be a sum of sampled energies, not a product of them.")
                found.append((x or y, k + n, w * c))
        return _Sum.of(found)

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> _Sum:
        return self * self._read(other).reciprocal()

    def __rtruediv__(self, other: object) -> _Sum:
        return self._read(other) * self.reciprocal()

    def reciprocal(self) -> _Sum:
        """Return 1/(c h^k); other sums have no reciprocal."""
        if len(self.terms) != 1 or self.terms[0][0] is not None:
            raise ModelError("A discrete Lagrangian can be divided only by numbers and powers of h.")
        (_, power, weight), *_ = self.terms
        return _Sum.of([(None, -power, 1 / weight)])


@dataclass(frozen=True)
class Increment:
    """Multiple of θ = log(q₀⁻¹∘q₁): an increment, or a velocity after division by h."""

    factor: _Sum

    def __mul__(self, other: object) -> Increment:
        return Increment(self.factor * other)

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Increment:
        return Increment(self.factor / other)

    def __neg__(self) -> Increment:
        return Increment(-self.factor)

    def __add__(self, other: Increment) -> Increment:
        return Increment(self.factor + other.factor)

    def __sub__(self, other: Increment) -> Increment:
        return Increment(self.factor - other.factor)


_VELOCITY = ((None, -1, Fraction(1)),)


@dataclass(frozen=True)
class DiscreteConfiguration:
    """Configuration within a step, as an argument of discrete Lagrangians: q₀, q₁, or a point between them."""

    part: Fraction

    def difference(self, other: DiscreteConfiguration) -> Increment:
        """Return log(q⁻¹∘b) from this configuration q to another one b; θ from q₀ to q₁.

        Parameters
        ----------
        other
            The other configuration.
        """
        return Increment(_Sum.of([(None, 0, other.part - self.part)]))

    def interpolate(self, other: DiscreteConfiguration, xi: object) -> DiscreteConfiguration:
        """Return q∘exp(ξ log(q⁻¹∘b)), at the corresponding intermediate time.

        Parameters
        ----------
        other
            b.
        xi
            ξ, dimensionless: a number, or text such as ``"1/3"``.
        """
        part = _fraction(xi)
        if part is None:
            raise ModelError(f"The fraction of the step in a discrete Lagrangian must be a number, not {xi!r}.")
        return DiscreteConfiguration(self.part + part * (other.part - self.part))

    def kinetic_energy(self, velocity: Increment) -> _Sum:
        """Sample T at this configuration and time, in J.

        Parameters
        ----------
        velocity
            ``q0.difference(q1) / h``.
        """
        if not isinstance(velocity, Increment) or velocity.factor.terms != _VELOCITY:
            raise ModelError("The velocity in a discrete Lagrangian must be q0.difference(q1) / h.")
        return _Sum.of([(("T", self.part), 0, Fraction(1))])

    def potential_energy(self) -> _Sum:
        """Sample V at this configuration and time, in J; forces act at the samples of V, with the same weights."""
        return _Sum.of([(("V", self.part), 0, Fraction(1))])

    def lagrangian(self, velocity: Increment) -> _Sum:
        """Sample T - V at this configuration and time, in J.

        Parameters
        ----------
        velocity
            ``q0.difference(q1) / h``.
        """
        return self.kinetic_energy(velocity) - self.potential_energy()


def evaluated(name: str, function: object) -> DiscreteLagrangian:
    """Return the samples of L_d(q₀, q₁, h), a sum of sampled energies whose weights are constant multiples of h."""
    if not callable(function):
        raise ModelError(f"'{name}' is not a function; a discrete Lagrangian is a function of q0, q1 and h.")
    q0, q1 = (DiscreteConfiguration(Fraction(part)) for part in (0, 1))
    try:
        total = function(q0, q1, _Sum.of([(None, 1, Fraction(1))]))
    except ModelError:
        raise
    except Exception as error:
        raise ModelError(f"The discrete Lagrangian '{name}' fails with q0, q1 and h: {error!r}.") from error
    if not isinstance(total, _Sum):
        raise ModelError(f"The discrete Lagrangian '{name}' gives {total!r}, which is not a sum of sampled energies.")
    parts: dict[str, list[tuple[Fraction, Fraction]]] = {"T": [], "V": []}
    for sample, power, weight in total.terms:
        if sample is None or power != 1:
            raise ModelError(
                f"The discrete Lagrangian '{name}' must be a sum of sampled energies with weights that are numbers "
                f"times h; it has a term with h^{power}{'' if sample else ' alone'}."
            )
        parts[sample[0]].append((sample[1], weight if sample[0] == "T" else -weight))
    return checked(DiscreteLagrangian(name, tuple(parts["T"]), tuple(parts["V"])))


def checked(discrete: DiscreteLagrangian) -> DiscreteLagrangian:
    """Return a discrete Lagrangian after a check that L_d/h tends to L(q, v) as q₁ = q₀∘exp(h v) tends to q₀."""
    sums = [sum((w for _, w in part), Fraction(0)) for part in (discrete.kinetic, discrete.potential)]
    if sums != [1, 1]:
        raise ModelError(
            f"The discrete Lagrangian '{discrete.name}' is not consistent: as q1 = q0∘exp(h v) tends to q0, L_d/h "
            f"must tend to T - V, but it tends to {sums[0]} T - {sums[1]} V."
        )
    return discrete


def order_of(discrete: DiscreteLagrangian) -> FoundOrder:
    """Return the order: 2 if the samples have mean position 1/2, the maximum for samples of one increment, otherwise
    1."""

    def moments(power: int) -> list[Fraction]:
        exact = Fraction(1, power + 1)
        return [sum((w * xi**power for xi, w in part), -exact) for part in (discrete.kinetic, discrete.potential)]

    return count_order([moments(0), moments(1), [Fraction(1)]], 0.0)


def as_entry(discrete: DiscreteLagrangian) -> dict[str, object]:
    """Return a discrete Lagrangian as the data of a tableau."""
    parts = {"kinetic": discrete.kinetic, "potential": discrete.potential}
    return {"family": "variational", **{n: [[str(x), str(w)] for x, w in part] for n, part in parts.items()}}


def discrete_lagrangian(stated: DiscreteLagrangianLike) -> DiscreteLagrangian:
    """Return a discrete Lagrangian from its name, from ``FILE.py:name``, or from a function L_d(q₀, q₁, h)."""
    if not isinstance(stated, str):
        return evaluated(getattr(stated, "__name__", repr(stated)), stated)
    if ".py:" in stated:
        return evaluated(stated.rpartition(":")[2], named_in_file(stated))
    if stated not in DISCRETE_LAGRANGIANS:
        raise UnknownNameError(
            f"Unknown discrete Lagrangian '{stated}'; use one of: {', '.join(DISCRETE_LAGRANGIANS)}; FILE.py:name "
            "takes a function of q0, q1 and h."
        )
    return DISCRETE_LAGRANGIANS[stated]
