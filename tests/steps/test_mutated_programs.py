"""Convergence orders detect mistakes in step programs: wrong weights, signs, nodes, points, and missing operators."""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import IntegrationError
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.library import method
from symlie.runtime.methods.programs.method import ProgrammedMethod
from symlie.runtime.steps.equations import Solve
from symlie.runtime.steps.expressions import Scalar, Value
from symlie.runtime.steps.implicit_instructions import Formula, ImplicitEnd
from symlie.runtime.steps.instructions import Carried, Kernel, Operation, Result, Sum
from symlie.runtime.steps.program import Line, Program, features_of
from symlie.runtime.steps.stage_instructions import NextPoint, Stage
from symlie.runtime.steps.values import Algebra, Configuration
from symlie.runtime.system.system import System
from tests.tolerances import ORDER_SLACK

END = 0.25
METHODS = {
    "rkmk_rk44": "free",
    "rkmk4_two_commutators": "free",
    "cf4": "free",
    "half_explicit_4": "constrained",
    "generalized_alpha_index2": "constrained",
    "bdf2_increments": "free",
    "bdf2_index2": "constrained",
    "rattlie": "constrained",
}
COUNT = 20
"""Mutations of explicit methods, and of implicit ones, drawn with a fixed seed from all of them."""
QUICK = 3
"""Number of mutations of implicit methods in quick tests."""
EXPLICIT = ("rkmk_rk44", "rkmk4_two_commutators", "cf4", "half_explicit_4")

UNREAD = Algebra(-1)
"""Value instead of initial guesses, which do not change results."""

GUESSES = {"discrete_start": (4, 6), "hidden_violation": (1,)}
"""Positions of initial guesses, and of a velocity without effect in steps of equal length."""

Lines = tuple[Line, ...]


@functools.cache
def system(name: str) -> System:
    """A top under a torque that depends on time, free or with a moving pivot."""
    model = sl.Model(name)
    time = model.t
    if name == "free":
        body, x = model.node("body", "SO3"), None
    else:
        body, x = model.node("body", "SO3"), model.node("centre", "R3")
    inertia = (0.3, 0.5, 0.9)
    energy = sum(i * body.Omega[k] ** 2 for k, i in enumerate(inertia)) / 2
    model.generalized_force(body, Omega=[sl.sin(3 * time), 0.5 * sl.cos(5 * time), 0.3])
    if x is None:
        model.potential_energy(4 * body.R[2, 2] + body.R[0, 1] * body.R[2, 1])
    else:
        energy += x.x_dot.dot(x.x_dot)
        model.potential_energy(9.81 * 2 * x.x[2])
        lever = body.R @ [0.0, 0.3, 1.0]
        model.constraint("pivot", [x.x[k] - lever[k] - (0.2 * sl.sin(4 * time) if k == 0 else 0) for k in range(3)])
        model.initial(x, x=[0, 0.3, 1.0])
    model.kinetic_energy(energy)
    model.initial(body, Omega=[0.4, 1.0, -0.7])
    return model.derive().compile(backend="numpy")


def mutated(stated: ProgrammedMethod, changed: Program) -> ProgrammedMethod:
    """The method with another program."""
    cls = type("Mutated", (type(stated),), {"program": lambda self, features: changed})
    found = cls(**{f.name: getattr(stated, f.name) for f in fields(stated)})
    assert isinstance(found, ProgrammedMethod)
    return found


def replaced(lines: Lines, index: int, **changes: Any) -> Lines:
    """Lines with other constants or inputs of one instruction."""
    line = lines[index]
    return (*lines[:index], replace(line, instruction=replace(line.instruction, **changes)), *lines[index + 1 :])


def substituted(lines: Lines, old: Value, new: Value) -> Lines:
    """Lines that read another value."""

    def of(part: Any) -> Any:
        if isinstance(part, tuple):
            return type(part)(*map(of, part)) if hasattr(part, "_fields") else tuple(map(of, part))
        return new if part == old else part

    def changed(line: Line) -> Line:
        instruction = line.instruction
        parts = {f.name: of(getattr(instruction, f.name)) for f in fields(instruction)}
        return replace(line, instruction=replace(instruction, **parts))

    return tuple(map(changed, lines))


def numbers_read(program: Program) -> set[int]:
    """Numbers of the values on which the state and λ at the end depend."""
    read = {program.end.q.number, program.end.v.number}
    for line in reversed(program.lines):
        instruction = line.instruction
        is_multiplier = isinstance(instruction, Result) and instruction.name == "lambda"
        if is_multiplier or any(x.number in read for x in line.results):
            if isinstance(instruction, ImplicitEnd):
                instruction = replace(instruction, guess=UNREAD, multiplier=None)
            if isinstance(instruction, Solve):
                guesses = GUESSES.get(instruction.name, ())
                values = tuple(UNREAD if k in guesses else x for k, x in enumerate(instruction.values))
                instruction = replace(instruction, values=values)
            read |= {x.number for x in instruction.inputs} if instruction is not program.end else set()
    return read - {UNREAD.number}


def numbers_of_ratios(program: Program) -> set[int]:
    """Numbers that depend on the length of the previous step, without effect on steps of equal length."""
    found: set[int] = set()
    for line in program.lines:
        is_length = isinstance(line.instruction, Carried) and line.instruction.name.startswith("length")
        if is_length or any(isinstance(x, Scalar) and x.number in found for x in line.instruction.inputs):
            found |= {x.number for x in line.results if isinstance(x, Scalar)}
    return found


def mutations(program: Program) -> Iterator[tuple[str, Lines]]:
    """Yield programs with one mistake each, with a description."""
    lines = tuple(line for line in program.lines if not line.for_estimate)
    read = numbers_read(program) - numbers_of_ratios(program)
    perturbations = {
        x.number for line in lines if getattr(line.instruction, "name", "") == "perturbation" for x in line.results
    }
    for k, line in enumerate(lines):
        if not any(x.number in read for x in line.results):
            continue
        match line.instruction:
            case Operation(operator, x, y):
                for name, operand in (("x", x), ("y", y)):
                    if isinstance(operand, float) and operand != 0:
                        yield f"line {k}: constant", replaced(lines, k, **{name: operand * 1.0625})
                other = {"+": "-", "-": "+", "*": "/", "/": "*"}[operator]
                if not (operator in "*/" and y in (1.0, -1.0)):
                    yield f"line {k}: operator", replaced(lines, k, operator=other)
            case ImplicitEnd(_, _, velocity, acceleration, _, _, unknowns):
                increment = unknowns[int(len(unknowns) > 1)]
                for name, formula in (("velocity", velocity), ("acceleration", acceleration)):
                    for j in range(len(formula.terms)):
                        if formula.terms[j] == increment:
                            continue
                        shorter = Formula(*(part[:j] + part[j + 1 :] for part in formula))
                        yield f"line {k}: {name} without term {j}", replaced(lines, k, **{name: shorter})
            case Sum(_, _, _, weights, terms):
                for j, weight in enumerate(weights):
                    # Perturbations of v_n are zero in index-2 form.
                    if isinstance(weight, Scalar) or terms[j].number in perturbations:
                        continue
                    others = weights[:j], weights[j + 1 :]
                    yield f"line {k}: weight {j}", replaced(lines, k, weights=(*others[0], weight * 1.0625, *others[1]))
                    yield f"line {k}: sign {j}", replaced(lines, k, weights=(*others[0], -weight, *others[1]))
                if len(set(weights)) > 1:
                    yield f"line {k}: order of terms", replaced(lines, k, terms=(*terms[1:], terms[0]))
            case Stage(c):
                yield f"line {k}: node", replaced(lines, k, c=c + 0.0625)
                if isinstance(point := line.instruction.condition, NextPoint):
                    for name, changed in {
                        "following node": point._replace(c=point.c + 0.0625),
                        "weight": point._replace(weight=point.weight * 1.0625),
                    }.items():
                        yield f"line {k}: {name}", replaced(lines, k, condition=changed)
            case Kernel("inverse_tangent_operator", (_, x)):
                yield f"line {k}: no operator", substituted(lines, line.results[0], x)
            case Kernel("advance", (q, theta)):
                points = [x for other in lines[:k] for x in other.results if isinstance(x, Configuration)]
                if points and points[-1] != q:
                    yield f"line {k}: point", replaced(lines, k, values=(points[-1], theta))


@functools.cache
def exact(name: str) -> tuple[Array, Array]:
    """State and λ at the end."""
    return ends(system(name), "half_explicit_5", 2.0**-9)


def ends(used: System, stated: Any, h: float) -> tuple[Array, Array]:
    """State and λ at the end."""
    solution = sl.solve(used, END, method=stated, h=h, record_every=0)
    return np.concatenate([solution.q[-1], solution.v[-1]]), solution.multipliers[-1]


def has_its_order(stated: Any, name: str, order: int) -> bool:
    """True if the state converges with the order of the method, and λ with at most one less."""
    try:
        errors = []
        for h in (2.0**-6, 2.0**-7):
            found = ends(system(name), stated, h)
            errors.append([float(np.abs(x - y).max(initial=0)) for x, y in zip(found, exact(name), strict=True)])
    except IntegrationError:
        return False
    state, multipliers = (np.log2(a / b) if b else np.inf for a, b in zip(*errors, strict=True))
    return bool(state > order - ORDER_SLACK and multipliers > order - 1 - ORDER_SLACK)


@functools.cache
def drawn(*, is_explicit: bool) -> list[tuple[str, str, Lines]]:
    """The mutations of this test."""
    found = []
    for name, of in METHODS.items():
        used = method(name)
        assert isinstance(used, ProgrammedMethod)
        program = used.program(features_of(system(of).mechanics, compiled=False))
        if (name in EXPLICIT) == is_explicit:
            found += [(name, description, lines) for description, lines in mutations(program)]
    return random.Random(48).sample(found, COUNT)


@pytest.mark.parametrize("name", METHODS)
def test_unchanged_programs_have_their_order(name: str) -> None:
    assert has_its_order(name, METHODS[name], method(name).order)


LEAVES_CONSTRAINTS = pytest.mark.filterwarnings("ignore:The last configuration")
"""Mutated programs may leave the constraints."""


def check_mutation(name: str, description: str, lines: Lines) -> None:
    """Check that a mutated program does not have the order of its method."""
    of, used = METHODS[name], method(name)
    assert isinstance(used, ProgrammedMethod)
    features = features_of(system(of).mechanics, compiled=False)
    changed = mutated(used, replace(used.program(features), lines=lines))
    assert not has_its_order(changed, of, used.order), f"{name}, {description}"


@LEAVES_CONSTRAINTS
@pytest.mark.parametrize("number", range(COUNT))
def test_mutated_programs_lose_their_order(number: int) -> None:
    check_mutation(*drawn(is_explicit=True)[number])


@LEAVES_CONSTRAINTS
@pytest.mark.parametrize("number", [k if k < QUICK else pytest.param(k, marks=pytest.mark.slow) for k in range(COUNT)])
def test_mutated_implicit_programs_lose_their_order(number: int) -> None:
    check_mutation(*drawn(is_explicit=False)[number])
