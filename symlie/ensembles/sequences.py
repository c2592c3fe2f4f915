"""Numbers between 0 and 1 from which samples are drawn, the same on every machine.

The streams of Philox and of seed sequences are those that NumPy keeps from version to version; what is made of them is
whole numbers and exact.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from symlie.errors import ModelError
from symlie.runtime.layout.layout import Array

BITS = 52
"""Of a uniform number; the middle between two neighbours is still a number in double precision."""


def random_numbers(count: int, seed: int, labels: Sequence[str]) -> dict[str, Array]:
    """Independent uniform numbers.

    Parameters
    ----------
    count
        How many of each.
    seed
        Of all streams.
    labels
        Each has a stream of its own.
    """
    return {label: _fractions(_bits(seed, label, count)) for label in labels}


def sobol_points(count: int, seed: int, labels: Sequence[str]) -> dict[str, Array]:
    """The first points of a Sobol sequence with a dimension for each label, scrambled as Matoušek does.

    Parameters
    ----------
    count
        Number of points.
    seed
        Of the scrambling.
    labels
        Of the dimensions, in their order.

    Raises
    ------
    ModelError
        More dimensions than direction numbers are known for.
    """
    from scipy.stats import qmc

    if len(labels) > qmc.Sobol.MAXDIM:
        raise ModelError(f"A Sobol sequence has at most {qmc.Sobol.MAXDIM} numbers for each member, not {len(labels)}.")
    # SciPy warns of numbers that are no power of two; points do not depend on how many follow.
    points = qmc.Sobol(len(labels), scramble=False, bits=BITS).random_base2((count - 1).bit_length())[:count]
    digits = np.ldexp(points, BITS).astype(np.uint64)
    return {label: _fractions(_scrambled(digits[:, k], _bits(seed, label, BITS + 1))) for k, label in enumerate(labels)}


def latin_hypercube(count: int, seed: int, labels: Sequence[str]) -> dict[str, Array]:
    """One number in each of equal parts between 0 and 1, in an order that is random for each label.

    Parameters
    ----------
    count
        Number of parts.
    seed
        Of all streams.
    labels
        Each has a stream of its own.
    """
    largest = 1 - 2.0**-53
    found = {}
    for label in labels:
        order, place = np.split(_bits(seed, label, 2 * count), 2)
        found[label] = np.minimum((np.argsort(order, kind="stable") + _fractions(place)) / count, largest)
    return found


SAMPLERS: Mapping[str, Callable[[int, int, Sequence[str]], dict[str, Array]]] = {
    "random": random_numbers,
    "sobol": sobol_points,
    "latin_hypercube": latin_hypercube,
}
"""Where uniform numbers come from, by the name that users give."""


def _bits(seed: int, label: str, count: int) -> NDArray[np.uint64]:
    """Whole numbers of `BITS` bits from the stream of a label."""
    key = np.frombuffer(hashlib.sha256(label.encode()).digest(), "<u4").tolist()
    stream = np.random.Philox(np.random.SeedSequence(seed, spawn_key=key))
    return stream.random_raw(count) >> np.uint64(64 - BITS)


def _fractions(bits: NDArray[np.uint64]) -> Array:
    """The middle of the interval of numbers that begin with these bits, so that none is 0 or 1."""
    middle: Array = np.ldexp(bits + 0.5, -BITS)
    return middle


def _scrambled(digits: NDArray[np.uint64], random: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Bits multiplied by a random lower triangular matrix, and shifted."""
    result = np.full_like(digits, random[BITS])
    for k in range(BITS):
        one = np.uint64(1 << k)
        column = one | (random[k] & (one - np.uint64(1)))
        result ^= np.where(digits & one, column, np.uint64(0))
    return result
