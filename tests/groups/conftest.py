"""Precision of the group tests."""

from __future__ import annotations

from collections.abc import Iterator

import mpmath
import pytest

from tests.groups.numeric import DIGITS


@pytest.fixture(autouse=True, scope="package")
def precision() -> Iterator[None]:
    """All arithmetic of these tests is done in 50 digits."""
    with mpmath.workdps(DIGITS):
        yield
