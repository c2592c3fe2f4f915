"""Every mistake in a model is refused by name."""

from __future__ import annotations

import pytest

from symlie.errors import SymlieError
from tests.random.mutations import MISTAKES, make_mistake

COUNT = 200
"""Mutated models of the slow test."""


def check(name: str, seed: str) -> None:
    """One named error with a sentence."""
    with pytest.raises(SymlieError) as caught:
        make_mistake(name, seed)
    assert str(caught.value).endswith(".") and "\n" not in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize("name", MISTAKES)
def test_invalid_input_is_reported(name: str) -> None:
    check(name, f"mistake of {name}")


@pytest.mark.slow
@pytest.mark.parametrize("number", range(COUNT))
def test_many_invalid_models_are_reported(number: int) -> None:
    check(list(MISTAKES)[number % len(MISTAKES)], f"bad:{number}")
