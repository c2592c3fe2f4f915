"""Values of the members of an ensemble, drawn from distributions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from symlie.ensembles.distributions import Distribution, stated_distribution
from symlie.ensembles.sequences import SAMPLERS
from symlie.errors import ModelError, UnknownNameError
from symlie.options import Sampler
from symlie.runtime.layout.layout import Array
from symlie.utilities.number_checks import is_whole_number
from symlie.utilities.showing import line, table


@dataclass(frozen=True, eq=False, repr=False)
class Samples(Mapping[str, Array]):
    """Mapping of names to values of the members of an ensemble, members first; from `samples`."""

    count: int
    """Number of members, N."""
    seed: int
    """Seed of the random numbers."""
    sampler: str
    """Generator of the numbers: ``"random"``, ``"sobol"`` or ``"latin_hypercube"``."""
    distributions: Mapping[str, str]
    """Distribution of each name, as text such as ``norm(15, 0.5)``."""
    arrays: Mapping[str, Array]
    """Read-only arrays by name, shape (N,) or (N, components…)."""

    def __getitem__(self, name: str) -> Array:
        return self.arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.arrays)

    def __len__(self) -> int:
        return len(self.arrays)

    def __repr__(self) -> str:
        return line("Samples", [self._origin, *(f"{name}: {text}" for name, text in self.distributions.items())])

    def _repr_html_(self) -> str:
        return table(self._origin, self.distributions.items(), ("name", "distribution"))

    @property
    def _origin(self) -> str:
        return f"{self.count} {self.sampler}, seed {self.seed}"


def samples(count: int, /, *, seed: int = 0, sampler: Sampler = "random", **distributions: object) -> Samples:
    """Draw values for the members of an ensemble from distributions of `scipy.stats`.

    Each value is the inverse distribution function at a number between 0 and 1, which ``sampler`` generates from the
    seed and the names, independent of the order of the names. Draw all values of an ensemble in one call, since the
    points of two Sobol sequences are correlated.

    Parameters
    ----------
    count
        Number of members, N.
    seed
        Seed of the random numbers, a non-negative whole number.
    sampler
        ``"random"``: independent numbers. Member k is the same for every N, and the values of a name do not depend on
        other names. ``"sobol"``: the first N points of a scrambled Sobol sequence; N should be a power of two. Member k
        is the same for every N; an additional name changes the values of names after it in alphabetical order.
        ``"latin_hypercube"``: the interval of each number is divided into N equal parts with one member in each. The
        values depend on N, but the values of a name do not depend on other names.
    **distributions
        For each name, a frozen distribution, such as ``stats.norm(15, 0.5)``; a number, equal for all members; or a
        list of these for the components of a vector, nested for a matrix. Normal vectors may be
        ``stats.multivariate_normal(mean, cov)``. Pass names with a dot as ``**{"left.mass": …}``.

    Returns
    -------
    Samples
        Arrays by name, shape (N,) or (N, components…), in the unit of the parameter.

    Raises
    ------
    ModelError
        If the number of members is not a positive whole number, the seed is not a non-negative whole number, a value is
        not a distribution, no name is random, a Sobol sequence has too many components, or a drawn value is not finite.
    UnknownNameError
        If the sampler does not exist.

    Examples
    --------
    >>> import symlie as sl
    >>> from scipy import stats
    >>> draws = sl.samples(1000, seed=1, sampler="sobol", mass=stats.norm(15, 0.5), damping=stats.uniform(0, 2))
    >>> draws["mass"].shape, draws.distributions["mass"]
    ((1000,), 'norm(15, 0.5)')
    """
    if not is_whole_number(count) or count < 1:
        raise ModelError(f"The number of samples must be a positive whole number, not {count!r}.")
    if not is_whole_number(seed) or seed < 0:
        raise ModelError(f"The seed of samples must be a whole number that is not negative, not {seed!r}.")
    if sampler not in SAMPLERS:
        raise UnknownNameError(f"Unknown sampler '{sampler}'; use one of: {', '.join(SAMPLERS)}.")
    stated = {name: stated_distribution(name, value) for name, value in distributions.items()}
    labels = [label for name in sorted(stated) for label in stated[name].labels]
    if not labels:
        raise ModelError("Samples need a distribution by name, such as mass=stats.norm(15, 0.5).")
    uniforms = SAMPLERS[sampler](int(count), int(seed), labels)
    values = {name: _drawn(name, part, int(count), uniforms) for name, part in stated.items()}
    texts = {name: part.text for name, part in stated.items()}
    return Samples(int(count), int(seed), sampler, texts, values)


def _drawn(name: str, stated: Distribution, count: int, uniforms: Mapping[str, Array]) -> Array:
    with np.errstate(all="ignore"):  # non-finite values raise an error below
        values = np.array(np.broadcast_to(stated.values(uniforms), (count, *stated.shape)))
    wrong = np.argwhere(~np.isfinite(values))
    if len(wrong):
        raise ModelError(
            f"'{name}', drawn from {stated.text}, is {values[tuple(wrong[0])]} for member {wrong[0][0]}; "
            "check the arguments of the distribution."
        )
    values.flags.writeable = False
    return values
