"""Arrays as text: they are decoded to the requested precision."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from hypothesis.extra.numpy import arrays

from symlie.utilities.encoding import compact_json, decoded, encoded, encoded_series

NUMBERS = some.floats(-1e6, 1e6, width=32)


@given(arrays(np.float32, some.tuples(some.integers(0, 9), some.integers(1, 3)), elements=NUMBERS))
def test_decoded_arrays_are_bit_identical(values: np.ndarray) -> None:
    assert np.array_equal(decoded(encoded(values)), values)


@given(
    arrays(np.float64, some.tuples(some.integers(1, 40), some.integers(1, 3)), elements=some.floats(-1e3, 1e3)),
    some.sampled_from([0.0, 1e-12, 1e-3, 1.0]),
)
def test_decoded_series_are_exact_to_quantisation(values: np.ndarray, step: float) -> None:
    content = encoded_series(values, step)
    found = decoded(content)
    unit = float(str(content["unit"]))
    # Half a unit, and what single precision leaves.
    assert np.abs(found - values).max(initial=0) <= unit / 2 + 2.0**-23 * np.abs(values).max(initial=0)
    assert unit <= max(step, np.abs(values).max(initial=0) / 2**26) or not values.any()


@pytest.mark.parametrize("kind", ["float64", "int32", "uint8"])
def test_other_types_are_encoded(kind: str) -> None:
    values = np.arange(12).reshape(3, 4)
    assert np.array_equal(decoded(encoded(values, kind)), values)


def test_smooth_series_are_short() -> None:
    t = np.linspace(0, 10, 1000)
    values = np.stack([np.sin(t), np.cos(t), t], axis=1)
    short, plain = encoded_series(values, 2.0**-20), encoded(values)
    assert 5 * len(str(short["base64"])) < len(str(plain["base64"]))
    assert compact_json(short) == compact_json(encoded_series(values, 2.0**-20))
