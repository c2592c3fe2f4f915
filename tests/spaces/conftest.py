"""Precision of the tests of the derivation."""

from __future__ import annotations

from collections.abc import Iterator

import mpmath
import pytest

from tests.derive.matrices import DIGITS


@pytest.fixture(autouse=True, scope="package")
def precision() -> Iterator[None]:
    """All arithmetic of these tests is done in 50 digits."""
    with mpmath.workdps(DIGITS):
        yield
