"""Tangents of a∘exp(ξ log(a⁻¹∘b)) against the composed tangents of its operations."""

from __future__ import annotations

import pytest
from sympy import Rational, Symbol

from symlie.groups.interpolation import interpolation_tangent
from symlie.groups.operations import Compose, Difference, Exponential
from symlie.ir.differentiate import forward
from symlie.ir.program import Euclidean, Program, Value
from tests.evaluation import distance, evaluate, symbols
from tests.groups.numeric import EVERY, add, dot, numeric, random_vector

PART = Rational(3, 10)
QUICK = ("R3", "SE2", "S3", "SO3xR3", "S3sR3")


@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(n, marks=pytest.mark.slow) for n in EVERY if n not in QUICK)])
def test_interpolation_tangents_are_correct(name: str) -> None:
    algebra = numeric(name)
    group, program = algebra.group, Program()
    n, part = group.dimension, Symbol("xi", real=True)
    a, b = (Value(symbols(stem, group.storage_dimension), group) for stem in "ab")
    da, db, w = (symbols(stem, n) for stem in ("da", "db", "w"))
    theta = program.apply(Difference(group), a, b)
    scaled = Value(program.vector([part * c for c in theta.components]), Euclidean(n))
    c = program.apply(Compose(group), a, program.apply(Exponential(group), scaled))
    rates = forward(program, c.components, [(a, da), (b, db)])
    turned = program.vector([-x for x in theta.components])
    maps = [(part, theta.components, da), (1 - part, turned, db)]
    moved = [interpolation_tangent(program, group, *of) for of in maps]
    pulled = [interpolation_tangent(program, group, xi, u, w, transpose=True) for xi, u, _ in maps]

    start = algebra.exp(algebra.vector(1.2, 1))
    numbers = {
        a.components: start,
        b.components: algebra.compose(start, algebra.exp(algebra.vector(1.2, 2))),
        **{vector: random_vector(n, seed) for seed, vector in ((3, da), (4, db), (5, w))},
    }
    values = {s: x for vector, found in numbers.items() for s, x in zip(vector, found, strict=True)}
    values[part] = PART
    outputs = [c.components, rates, *moved, *pulled]
    point, rate, *maps_found = (evaluate(program, vector, values) for vector in outputs)
    forward_found, back_found = maps_found[:2], maps_found[2:]
    assert distance(algebra.storage_tangent(point, add(*forward_found)), rate) <= algebra.tolerance
    for tangent, direction, cotangent in zip(forward_found, (da, db), back_found, strict=True):
        gap = dot(tangent, numbers[w]) - dot(numbers[direction], cotangent)
        assert abs(gap) <= algebra.tolerance
