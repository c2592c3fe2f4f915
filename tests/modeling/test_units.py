"""Units: parsing, comparison, and numbers without a unit, which are never an error."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
import sympy

import symlie as sl
from symlie.errors import ModelError
from symlie.modeling.node import Node
from symlie.runtime.system.system import System
from symlie.utilities.unit_names import UNITS, Unit, parse_unit, parse_units, unit_name
from tests import tolerances


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
    assert parse_unit(unit_name(parse_unit(text).dimension)) == parse_unit(text)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("mm", 1e-3), ("kN/mm", 1e6), ("cm^2", 1e-4), ("um", 1e-6), ("GPa", 1e9), ("mg", 1e-6), ("g", 1e-3),
        ("min", 60), ("km/h", 1 / 3.6), ("mrad", 1e-3), ("deg", math.pi / 180), ("rpm", math.pi / 30), ("kW h", 3.6e6),
        ("N m/deg", 180 / math.pi), ("deg^2", (math.pi / 180) ** 2), ("rev/min", math.pi / 30), ("ms", 1e-3), ("1", 1),
    ],
)  # fmt: skip
def test_units_with_prefixes_are_numbers(text: str, number: float) -> None:
    assert sl.unit(text) == pytest.approx(number, rel=tolerances.ROUNDING_OF_UNITS)


def test_units_are_numbers_in_the_namespace() -> None:
    assert 180 * sl.deg == math.pi and 5 * sl.mm == 0.005 and 60 * sl.rpm == pytest.approx(2 * math.pi)
    assert 2 * sl.kilo == 2000 and sl.milli * sl.mega == 1000 and sl.centi / sl.micro == pytest.approx(1e4)
    assert sl.giga * sl.nano == 1


@pytest.mark.parametrize(
    "text",
    [
        "mkg",
        "kilogram",
        "kdeg",
        "m^1000",
        "xm",
        "mmol",
        "m^2.5",
        "m^",
        "*/",
        "/m",
        "N m;",
        "m + s",
        "kg**2",
        "2",
        "",
        "m, s",
    ],
)
def test_unknown_units_are_rejected(text: str) -> None:
    with pytest.raises(ModelError, match="unit"):
        parse_unit(text)


def test_message_lists_known_units() -> None:
    with pytest.raises(ModelError, match=r"The unit 'furlong' is not known; .* of kg, m, s, A, K, mol, cd, 1, rad,"):
        sl.Model("lengths").parameter("length", 1.0, unit="furlong")


@pytest.mark.parametrize("text", ["kg\nm", "m\t", 3, None])
def test_unit_is_one_line_of_text(text: Any) -> None:
    with pytest.raises(ModelError, match=r"A unit is (a|one line of) text such as 'kg m\^2', not"):
        sl.Model("lengths").parameter("length", 1.0, unit=text)


def test_units_of_components_are_checked() -> None:
    assert parse_units("N m, N/m", 6) == 3 * [Unit(UNITS["J"])] + 3 * [parse_unit("kg/s^2")]
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
def test_wrong_units_are_reported(name: str) -> None:
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
def test_correct_and_unspecified_units_are_accepted(name: str) -> None:
    RIGHT[name](*body())


def test_units_of_elements_are_checked() -> None:
    spring = sl.ElementType("spring", left=sl.SE3, right=sl.SE3)
    k = spring.parameter("stiffness", [5, 5, 5, 9, 9, 9], unit="N m, N/m")
    strain = (spring.left.inverse() * spring.right).log()
    spring.potential_energy(strain.dot(sl.diag(k) * strain) / 2)
    other = spring.parameter("other", [1.0, 1.0], unit="N, N m")
    with pytest.raises(ModelError, match="The potential energy of 'spring' is in J"):
        spring.potential_energy(other[0] * strain[0] + other[1] * strain[4])
    spring.parameter("matrix", [[1.0, 0.0], [0.0, 1.0]], unit="N m, N")


@functools.cache
def in_other_units() -> System:
    """A pendulum all of whose numbers are given as an engineer has them."""
    model = sl.Model("pendulum")
    length = model.parameter("length", 500.0, unit="mm")
    tilt = model.parameter("tilt", 30.0, unit="deg")
    mass = model.parameter("mass", 2000.0, unit="g")
    spring = model.parameter("spring", [1.5, 2.0], unit="kN/m, N mm")
    wheel = model.parameter("speed", 30.0, unit="rpm")
    push = model.input("push", unit="kN")
    table = model.piecewise_linear("ramp", [0.0, 1.0], [0.0, 2.0], unit="kN")
    q = model.node("bob", sl.SE2)
    model.kinetic_energy(mass * (q.U.dot(q.U) + length**2 * q.Omega.dot(q.Omega)) / 2)
    model.potential_energy(9.81 * mass * q.x[1])
    model.force(sl.vector(push + table, 0), at=q.x)
    model.output("height", q.x[1], unit="mm")
    model.output("turning", q.Omega[0], unit="rpm")
    model.output("stiffness", sl.vector(spring[0], spring[1]), unit="N/m, N m")
    model.output("pushed", push + table, unit="N")
    model.initial(q, rotation=sl.rotation(angle=tilt), x=[0, -length], Omega=[wheel])
    return model.derive().compile(backend="numpy")


def test_values_are_given_and_shown_in_their_units() -> None:
    """Formulas use SI units; parameters, inputs and outputs use the declared ones."""
    system = in_other_units()
    solution = sl.solve(system, 1.0, h=0.5)
    near = functools.partial(pytest.approx, rel=tolerances.ROUNDING_OF_UNITS)
    assert solution.angle("bob")[0] == near(math.pi / 6)
    assert solution.field("bob", "x")[0].tolist() == near([0, -0.5])
    assert solution.field("bob", "Omega")[0, 0] == near(math.pi)
    assert solution.outputs["height"][0] == near(-500) and solution.outputs["turning"][0] == near(30)
    assert solution.outputs["stiffness"][0].tolist() == near([1500, 0.002])
    assert solution.outputs["pushed"].tolist() == near([0, 1000, 2000])
    kinetic = (math.pi * 0.5) ** 2  # m = 2 kg
    assert solution.outputs["energy"][0] == near(kinetic - 9.81 * 2 * 0.5)
    changed = system.with_parameters(tilt=90, length=1000).with_input("push", [0, 1], [1, 1])
    other = sl.solve(changed, 1.0, h=0.5)
    assert other.angle("bob")[0] == near(math.pi / 2) and other.outputs["height"][0] == near(-1000)
    assert other.outputs["pushed"].tolist() == near([1000, 2000, 3000])
    assert "500" in system._repr_html_() and "mm" in system._repr_html_()


def test_sums_are_compared_across_prefixes() -> None:
    model = sl.Model("rope")
    length, mass, tilt = (model.parameter(n, 1.0, unit=u) for n, u in (("l", "mm"), ("m", "g"), ("a", "deg")))
    q = model.node("bob", sl.SE3)
    model.output("reach", q.x[0] - length - sl.sin(tilt) * length, unit="cm")
    with pytest.raises(ModelError, match=r"in kg and .* in m are added"):
        model.output("nonsense", length / 2 + mass)
    with pytest.raises(ModelError, match=r"is in m, but .* is in kg"):
        model.output("weight", mass, unit="mm")
    with pytest.raises(ModelError, match="function of a quantity in m"):
        model.output("sine", sl.sin(length))
    with pytest.raises(ModelError, match=r"are in SI units such as m, not in 'mm'"):
        model.node("bead", "R3", unit="mm")
    with pytest.raises(ModelError, match=r"are in SI units such as m, not in 'mm'"):
        model.node_array("beads", "R3", 2).output("places", "x", unit="mm")
