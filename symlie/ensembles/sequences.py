"""Uniform numbers for sampling, identical on all machines.

The streams of Philox and of seed sequences are stable across versions of NumPy; the operations on them use exact
integers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from symlie.errors import ModelError
from symlie.runtime.layout.layout import Array

BITS = 52
"""Bits of a uniform number; the midpoint between neighbours is still a double."""


def random_numbers(count: int, seed: int, labels: Sequence[str]) -> dict[str, Array]:
    """Return `count` independent uniform numbers from a separate stream for each label."""
    return {label: _fractions(_bits(seed, label, count)) for label in labels}


def sobol_points(count: int, seed: int, labels: Sequence[str]) -> dict[str, Array]:
    """Return the first points of a Sobol sequence, one dimension for each label, with the scrambling of Matoušek."""
    from scipy.stats import qmc

    if len(labels) > qmc.Sobol.MAXDIM:
        raise ModelError(f"A Sobol sequence has at most {qmc.Sobol.MAXDIM} numbers for each member, not {len(labels)}.")
    # SciPy warns of counts that are not a power of two; the points do not depend on the count.
    points = qmc.Sobol(len(labels), scramble=False, bits=BITS).random_base2((count - 1).bit_length())[:count]
    digits = np.ldexp(points, BITS).astype(np.uint64)
    return {label: _fractions(_scrambled(digits[:, k], _bits(seed, label, BITS + 1))) for k, label in enumerate(labels)}


def latin_hypercube(count: int, seed: int, labels: Sequence[str]) -> dict[str, Array]:
    """Return one number in each of `count` equal parts between 0 and 1, in a random order for each label."""
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
"""Generators of uniform numbers by user-visible name."""


def _bits(seed: int, label: str, count: int) -> NDArray[np.uint64]:
    """Return integers of `BITS` bits from the stream of a label."""
    key = np.frombuffer(hashlib.sha256(label.encode()).digest(), "<u4").tolist()
    stream = np.random.Philox(np.random.SeedSequence(seed, spawn_key=key))
    return stream.random_raw(count) >> np.uint64(64 - BITS)


def _fractions(bits: NDArray[np.uint64]) -> Array:
    """Return midpoints of the intervals with these leading bits, which exclude 0 and 1."""
    middle: Array = np.ldexp(bits + 0.5, -BITS)
    return middle


def _scrambled(digits: NDArray[np.uint64], random: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return bits multiplied by a random lower triangular matrix and shifted."""
    result = np.full_like(digits, random[BITS])
    for k in range(BITS):
        one = np.uint64(1 << k)
        column = one | (random[k] & (one - np.uint64(1)))
        result ^= np.where(digits & one, column, np.uint64(0))
    return result
