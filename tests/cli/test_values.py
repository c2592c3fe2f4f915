"""Values on the command line."""

from __future__ import annotations

from argparse import ArgumentTypeError

import pytest

from symlie.cli.values import node_quantity, number, numbers, option, quantity


@pytest.mark.parametrize(
    ("text", "value"),
    [("2**-11", 2.0**-11), ("1e-3", 1e-3), ("1/2048", 1 / 2048), (" .5 ", 0.5), ("-3", -3.0), ("2 ** 3", 8.0)],
)
def test_numbers_are_parsed(text: str, value: float) -> None:
    assert number(text) == value


@pytest.mark.parametrize(
    "text",
    ["", "x", "2**", "1/0", "10**400", "nan", "inf", "(-8)**0.5", "-8**0.5", "__import__('os')", "1+1", "2**2**2"],
)
def test_invalid_numbers_are_rejected(text: str) -> None:
    with pytest.raises(ArgumentTypeError, match=r"number|finite"):
        number(text)


def test_lists_are_parsed() -> None:
    assert numbers("0.5,2**-1") == [0.5, 0.5]


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("group=SE3", ("group", "SE3")),
        ("segments=16", ("segments", 16)),
        ("x=true", ("x", True)),
        ("x=NaN", ("x", "NaN")),
        ("a=b=c", ("a", "b=c")),
    ],
)
def test_options_are_parsed(text: str, pair: tuple[str, object]) -> None:
    assert option(text) == pair


def test_quantities_with_units_are_parsed() -> None:
    assert quantity("mass=1/4") == ("mass", 0.25)
    assert quantity("lever=[0, 1, 0]") == ("lever", [0, 1, 0])
    assert node_quantity("top.Omega=[0,1,0]") == ("top", "Omega", [0, 1, 0])
    assert node_quantity("Omega=1") == ("", "Omega", 1)


@pytest.mark.parametrize(
    ("convert", "text"),
    [(option, "group"), (quantity, "mass"), (quantity, "mass=heavy"), (quantity, "=1"), (node_quantity, "top.=1")],
)
def test_malformed_values_are_rejected(convert: object, text: str) -> None:
    assert callable(convert)
    with pytest.raises(ArgumentTypeError):
        convert(text)
