"""Recipes for what can be added to the library: each is followed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.recipes import RECIPES, follow

PRINTED = {
    "command": "S3sR3",
    "element": "",
    "group": "9.98750260e-01",
    "kernel": "top",
    "method": "3 hold exactly",
    "target": "folder",
}
"""Something that is printed on the way."""


def test_each_extension_has_a_recipe() -> None:
    assert {recipe.stem for recipe in RECIPES} == set(PRINTED)


@pytest.mark.slow
@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.stem)
def test_recipes_work(recipe: Path, tmp_path: Path) -> None:
    assert PRINTED[recipe.stem] in follow(recipe, tmp_path)
