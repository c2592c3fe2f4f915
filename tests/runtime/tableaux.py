"""Tableaux of methods by name."""

from __future__ import annotations

from typing import TypeVar

from symlie.runtime.methods.library import method

Tableau = TypeVar("Tableau")


def tableau_of(name: str, family: type[Tableau]) -> Tableau:
    """The tableau of a method of a family."""
    tableau = method(name).tableau
    assert isinstance(tableau, family)
    return tableau
