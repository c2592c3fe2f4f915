"""Units: what is parsed, what is compared, and that numbers without a unit are never an error."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
import sympy

import symlie as sl
from symlie.errors import ModelError
from symlie.modeling.node import Node
from symlie.modeling.units import UNITS, parse_unit, parse_units, unit_name


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("kg m^2/s^2", "J"), ("N m", "J"), ("N/m", "kg/s^2"), ("rad/s", "1/s"), ("N m s", "kg m^2 s^-1"), ("W", "J/s"),
        ("kg·m*s^-2", "N"), ("1", "rad"), ("V A", "W"), ("Pa m^2", "N"), ("T", "Wb/m^2"), ("F", "C/V"), ("H", "Wb/A"),
        ("Ohm S", "1"), ("  m ", "m"), ("kg/m/s^2", "Pa"), ("Hz", "1/s"), ("K mol cd", "cd mol K"),
    ],
)  # fmt: skip
def test_units_are_products(text: str, same: str) -> None:
    assert parse_unit(text) == parse_unit(same)
    assert parse_unit(unit_name(parse_unit(text))) == parse_unit(text)


@pytest.mark.parametrize(
    "text", ["mm", "kilogram", "m^2.5", "m^", "*/", "/m", "N m;", "m + s", "kg**2", "2", "", "m, s"]
)
def test_other_units_are_refused(text: str) -> None:
    with pytest.raises(ModelError, match="unit"):
        parse_unit(text)


def test_the_message_lists_what_is_known() -> None:
    with pytest.raises(ModelError, match=r"The unit 'furlong' is not known; .* of kg, m, s, A, K, mol, cd, 1, rad,"):
        sl.Model("lengths").parameter("length", 1.0, unit="furlong")


@pytest.mark.parametrize("text", ["kg\nm", "m\t", 3, None])
def test_a_unit_is_one_line_of_text(text: Any) -> None:
    with pytest.raises(ModelError, match=r"A unit is (a|one line of) text such as 'kg m\^2', not"):
        sl.Model("lengths").parameter("length", 1.0, unit=text)


def test_units_of_parts() -> None:
    assert parse_units("N m, N/m", 6) == 3 * [UNITS["J"]] + 3 * [parse_unit("kg/s^2")]
    assert parse_units("", 2) == [None, None]
    assert UNITS["N"][:3] == (Fraction(1), Fraction(1), Fraction(-2))
    with pytest.raises(ModelError, match="2 units are given for 3 components"):
        parse_units("m, s", 3)


def body() -> tuple[sl.Model, Node, dict[str, sympy.Symbol]]:
    """A body with parameters of every kind."""
    model = sl.Model("body")
    units = {
        "m": "kg",
        "g": "m/s^2",
        "k": "N/m",
        "c": "N s/m",
        "L": "m",
        "w": "rad/s",
        "J": "kg m^2",
        "F": "N",
        "a": "",
    }
    given = {name: model.parameter(name, 1.0, unit=unit) for name, unit in units.items()}
    return model, model.node("top", sl.SE3), given


Stated = Callable[[sl.Model, Node, dict[str, sympy.Symbol]], object]

WRONG: dict[str, tuple[Stated, str]] = {
    "energy": (
        lambda o, q, p: o.potential_energy(p["m"] * q.x[2]),
        r"The potential energy of 'body' is in J, but 'm\*top.x\[2\]' is in kg m\.",
    ),
    "one term": (
        lambda o, q, p: o.kinetic_energy((p["m"] * q.U.dot(q.U) + p["m"] * q.Omega.dot(q.Omega)) / 2),
        r"The kinetic energy of 'body' is in J, but 'm\*.*top.Omega\[0\].*' is in kg s\^-2\.",
    ),
    "sum of parameters": (
        lambda o, q, p: o.potential_energy((p["L"] + p["w"]) * p["F"]),
        r"In 'body', 'L' in m and 'w' in s\^-1 are added; check the units of the parameters\.",
    ),
    "sum with a field": (
        lambda o, q, p: o.constraint("c", q.x[0] - p["w"]),
        r"'-w' in s\^-1 and 'top.x\[0\]' in m are added",
    ),
    "rotated vector": (
        lambda o, q, p: o.constraint("c", q.R.T * q.x - sl.vector(p["m"], p["L"], p["L"])),
        "'-m' in kg and 'pulled.* in m are added",
    ),
    "force": (
        lambda o, q, p: o.force(sl.vector(p["k"], 0, 0), at=q.x),
        r"A force of 'body' is in N, but 'k' is in kg s\^-2\.",
    ),
    "torque": (
        lambda o, q, p: o.generalized_force(q, Omega=[p["F"], 0, 0]),
        "The force on node 'top' of 'body' is in J, but 'F' is in N",
    ),
    "dissipation": (lambda o, q, p: o.dissipation(p["c"] * q.x.dot(q.x) / 2), "dissipation function .* is in W, but"),
    "sine of a length": (lambda o, q, p: o.output("s", sl.sin(p["L"])), r"'sin\(L\)' is a function of a quantity in m"),
    "output": (lambda o, q, p: o.output("speed", p["L"] * p["w"], unit="m"), "Output 'speed' of 'body' is in m, but"),
    "rate": (
        lambda o, q, p: o.output("r", o.rate(p["L"] * q.x[0]) - p["F"]),
        "in m\\^2 s\\^-1 and '-F' in N are added",
    ),
    "event": (lambda o, q, p: o.event("e", p["L"] - p["m"]), "'L' in m and '-m' in kg are added"),
    "pieces": (
        lambda o, q, p: o.output("s", sl.select(q.x[0], p["L"], p["w"])),
        r"'L' in m and 'w' in s\^-1 are added",
    ),
    "input": (lambda o, q, p: o.output("s", o.input("u", unit="N") + p["L"]), "in m and .* in N are added|in N and"),
    "coordinates": (
        lambda o, q, p: o.output("s", o.node("point", "R2", unit="m").x[1] - p["m"]),
        r"'-m' in kg and 'point.x\[1\]' in m",
    ),
    "strain": (
        lambda o, q, p: o.output("s", q.log()[4] - p["w"]),
        r"'-w' in s\^-1 and 'log.* in m are added|'log.* in m and '-w' in s\^-1",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_units_are_named(name: str) -> None:
    state, message = WRONG[name]
    with pytest.raises(ModelError, match=message):
        state(*body())


RIGHT: dict[str, Stated] = {
    "energies": lambda o, q, p: (
        o.kinetic_energy((p["m"] * q.U.dot(q.U) + p["J"] * q.Omega.dot(q.Omega)) / 2),
        o.potential_energy(p["m"] * p["g"] * q.x[2] + p["k"] * (q.x - sl.vector(p["L"], 0, 0)).dot(q.x) / 2),
        o.dissipation(p["c"] * q.U.dot(q.U) / 2),
    ),
    "numbers are quantities": lambda o, q, p: (
        o.kinetic_energy((2 * q.U.dot(q.U) + p["J"] * q.Omega.dot(q.Omega)) / 2),
        o.potential_energy(9.81 * p["m"] * q.x[2] + q.x.dot(q.x) + 3),
        o.generalized_force(q, U=-q.U - p["c"] * q.U),
    ),
    "a length of one": lambda o, q, p: o.output("s", q.U + q.Omega.cross(sl.vector(0, 0, -1))),
    "unknown parameters": lambda o, q, p: o.potential_energy(p["a"] * p["m"] + p["a"]),
    "amplitudes of one": lambda o, q, p: o.torque(sl.vector(sl.sin(p["w"] * o.t), p["F"] * p["L"], 0), on=q),
    "angles": lambda o, q, p: o.output("s", p["w"] * o.t + sl.atan2(q.x[0], p["L"]), unit="rad"),
    "parabola": lambda o, q, p: o.constraint("c", q.x[2] - q.x[0] ** 2),
    "circle": lambda o, q, p: o.constraint("c", (q.x.dot(q.x) - p["L"] ** 2) / 2),
    "roots": lambda o, q, p: o.output("s", sl.sqrt(p["k"] / p["m"]), unit="rad/s"),
    "rates": lambda o, q, p: o.output("s", o.rate(p["L"] * q.x[0]), unit="m^2/s"),
    "force along a distance": lambda o, q, p: o.force([p["F"]], at=[sl.sqrt(q.x.dot(q.x) + p["L"] ** 2)]),
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_and_unknown_units_pass(name: str) -> None:
    RIGHT[name](*body())


def test_units_of_elements() -> None:
    spring = sl.ElementType("spring", left=sl.SE3, right=sl.SE3)
    k = spring.parameter("stiffness", [5, 5, 5, 9, 9, 9], unit="N m, N/m")
    strain = (spring.left.inverse() * spring.right).log()
    spring.potential_energy(strain.dot(sl.diag(k) * strain) / 2)
    other = spring.parameter("other", [1.0, 1.0], unit="N, N m")
    with pytest.raises(ModelError, match="The potential energy of 'spring' is in J"):
        spring.potential_energy(other[0] * strain[0] + other[1] * strain[4])
    spring.parameter("matrix", [[1.0, 0.0], [0.0, 1.0]], unit="N m, N")
