"""Convergence orders detect mistakes in step programs: wrong weights, signs, nodes, points, and missing operators."""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import IntegrationError
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.library import method
from symlie.runtime.methods.programs.method import ProgrammedMethod
from symlie.runtime.steps.expressions import Value
from symlie.runtime.steps.instructions import (
    Add,
    Advance,
    InverseTangent,
    Multipliers,
    Sum,
)
from symlie.runtime.steps.program import Features, Line, Program, features_of
from symlie.runtime.steps.stage_instructions import (
    MultiplierSum,
    Stage,
    StageBetween,
)
from symlie.runtime.steps.values import Configuration
from symlie.runtime.system.system import System
from tests.steps.probes import Probe, probe
from tests.tolerances import ORDER_SLACK

END = 0.25
METHODS = {"rkmk_rk44": "free", "rkmk4_two_commutators": "free", "cf4": "free", "half_explicit_4": "constrained"}
COUNT = 20
"""Mutations, drawn with a fixed seed from all of all methods."""

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


@dataclass(frozen=True, repr=False)
class Mutated(Probe):
    """Method with a given program."""

    changed: Program | None = None

    def program(self, features: Features) -> Program:
        assert self.changed is not None
        return self.changed


def replaced(lines: Lines, index: int, **changes: Any) -> Lines:
    """Lines with other constants or inputs of one instruction."""
    line = lines[index]
    return (*lines[:index], replace(line, instruction=replace(line.instruction, **changes)), *lines[index + 1 :])


def substituted(lines: Lines, old: Value, new: Value) -> Lines:
    """Lines that read another value."""

    def of(part: Any) -> Any:
        if isinstance(part, tuple):
            return tuple(map(of, part))
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
        if isinstance(line.instruction, Multipliers) or any(x.number in read for x in line.results):
            inputs = line.instruction.inputs if line.instruction is not program.end else ()
            read |= {x.number for x in inputs}
    return read


def mutations(program: Program) -> Iterator[tuple[str, Lines]]:
    """Yield programs with one mistake each, with a description."""
    lines = tuple(line for line in program.lines if not line.for_estimate)
    read = numbers_read(program)
    for k, line in enumerate(lines):
        if not any(x.number in read for x in line.results):
            continue
        match line.instruction:
            case Sum(_, weights, terms) | MultiplierSum(weights, terms):
                for j, weight in enumerate(weights):
                    others = weights[:j], weights[j + 1 :]
                    yield f"line {k}: weight {j}", replaced(lines, k, weights=(*others[0], weight * 1.0625, *others[1]))
                    yield f"line {k}: sign {j}", replaced(lines, k, weights=(*others[0], -weight, *others[1]))
                if len(set(weights)) > 1:
                    yield f"line {k}: order of terms", replaced(lines, k, terms=(*terms[1:], terms[0]))
            case Add(_, _, weight, _):
                yield f"line {k}: sign", replaced(lines, k, weight=-weight)
            case Stage(c, _, _, _):
                yield f"line {k}: node", replaced(lines, k, c=c + 0.0625)
            case StageBetween(c, _, _, _, next_c, _, _, _, weight, _, _):
                yield f"line {k}: node", replaced(lines, k, c=c + 0.0625)
                yield f"line {k}: following node", replaced(lines, k, next_c=next_c + 0.0625)
                yield f"line {k}: weight", replaced(lines, k, weight=weight * 1.0625)
            case InverseTangent(_, x):
                yield f"line {k}: no operator", substituted(lines, line.results[0], x)
            case Advance(q, _):
                points = [x for other in lines[:k] for x in other.results if isinstance(x, Configuration)]
                if points and points[-1] != q:
                    yield f"line {k}: point", replaced(lines, k, q=points[-1])


@functools.cache
def exact(name: str) -> tuple[Array, Array]:
    """State and λ at the end."""
    return ends(system(name), "half_explicit_5", 2.0**-9)


def ends(used: System, stated: Any, h: float) -> tuple[Array, Array]:
    """State and λ at the end."""
    solution = sl.solve(used, END, method=stated, h=h, record_every=0)
    return np.concatenate([solution.q[-1], solution.v[-1]]), solution.multipliers[-1]


def has_its_order(stated: Any, name: str, order: int) -> bool:
    """True if state and λ converge with the order of the method, and B v + b = 0 holds."""
    try:
        errors = []
        for h in (2.0**-6, 2.0**-7):
            found = ends(system(name), stated, h)
            errors.append([float(np.abs(x - y).max(initial=0)) for x, y in zip(found, exact(name), strict=True)])
    except IntegrationError:
        return False
    of_state, of_multipliers = (np.log2(a / b) if b else np.inf for a, b in zip(*errors, strict=True))
    return bool(of_state > order - ORDER_SLACK and of_multipliers > order - 1 - ORDER_SLACK)


@functools.cache
def drawn() -> list[tuple[str, str, Lines]]:
    """The mutations of this test."""
    found = []
    for name, of in METHODS.items():
        used = method(name)
        assert isinstance(used, ProgrammedMethod)
        program = used.program(features_of(system(of).mechanics, compiled=False))
        found += [(name, description, lines) for description, lines in mutations(program)]
    return random.Random(48).sample(found, COUNT)


@pytest.mark.parametrize("name", METHODS)
def test_unchanged_programs_have_their_order(name: str) -> None:
    assert has_its_order(name, METHODS[name], method(name).order)


@pytest.mark.parametrize("number", range(COUNT))
def test_mutated_programs_lose_their_order(number: int) -> None:
    name, description, lines = drawn()[number]
    of = METHODS[name]
    features = features_of(system(of).mechanics, compiled=False)
    mutated = Mutated(probe(lambda s: None).tableau, changed=Program(lines, features, "exp"))
    assert not has_its_order(mutated, of, method(name).order), f"{name}, {description}"
