"""Fixtures shared with the tests of runs."""

from tests.runtime.conftest import often as often
