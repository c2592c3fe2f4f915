"""Compiled kernels, NumPy kernels and the instructions they were printed from, at random states.

All three do the same operations in the same order, so they agree to the last bit unless the mathematical library is
involved; results are compared with the derived expressions in 40 digits.
"""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Mapping, Sequence
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy
from mpmath import mpf

import symlie as sl
from symlie.emit.c.model import LARGEST_UNROLLED, emit_c, stage_operations
from symlie.ir.kernels import Kernel
from symlie.runtime.layout.layout import Array
from tests import tolerances
from tests.emit.building import GENERAL, MODELS, equations_of, exposed, files_of, module_of, numpy_values
from tests.evaluation import Evaluation, interpret
from tests.groups.numeric import numeric

LIBRARY_FUNCTIONS = {
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log", "pow",
    "call half_angle_ratio",
}  # fmt: skip
"""Operators that end in the mathematical library, which may differ between backends in the last digit."""


def uses_library(kernel: Kernel) -> bool:
    """True if a kernel calls the mathematical library."""
    return any(i.operator in LIBRARY_FUNCTIONS for i in kernel.body.instructions)


class Inputs:
    """Random inputs of the kernels of a model; elements of groups where storage is meant.

    Parameters
    ----------
    model
        One of `MODELS`.
    seed
        Of the numbers.
    angle
        Length of the rotation vectors of elements and increments; two of the default stay below √10 together.
    """

    def __init__(self, model: str, seed: int, angle: float = 1.5) -> None:
        self._random = random.Random(seed)
        self._angle = angle
        self._kernels = equations_of(model).emitted.types
        self._module = module_of(model)
        self._types = {t.name: t for t in self._kernels.node_types}
        self.parameters = np.array([c for p in self._kernels.parameters for c in p.default])
        self.parameters *= [self._random.uniform(0.8, 1.2) for _ in self.parameters]
        prepare = f"{self._kernels.name}_prepare"
        self.prepared = np.array(self._module[prepare](self.parameters), dtype=float)
        self.element_parameters: dict[str, Array] = {}
        self.prepared_elements: dict[str, Array] = {}
        for e in self._kernels.element_types:
            values = np.array([c for p in e.parameters for c in p.default])
            values *= [self._random.uniform(0.8, 1.2) for _ in values]
            self.element_parameters[e.name] = values
            extended = self._module[f"{e.name}_prepare_element"](self.prepared, values)
            self.prepared_elements[e.name] = np.array(extended, dtype=float)

    def vector(self, n: int, length: float | None = None) -> Array:
        """Components up to one, or a vector of a given length."""
        x = np.array([self._random.uniform(-1, 1) for _ in range(n)])
        return x if length is None else x * (length / np.linalg.norm(x))

    def increment(self, type_name: str) -> Array:
        """An algebra vector whose first three components are as long as the angle."""
        n = self._types[type_name].dimension
        if type_name.startswith("R"):
            return self.vector(n)
        return np.concatenate([self.vector(3, self._angle), self.vector(n - 3)])

    def element(self, type_name: str) -> Array:
        """A group element."""
        identity = np.array(self._types[type_name].identity)
        moved = self._module[f"{type_name}_advance"](identity, self.increment(type_name))
        return np.array(moved, dtype=float)

    def of(self, kernel: Kernel) -> dict[str, Any]:
        """Inputs by name for a kernel."""
        owner = next((t.name for t in self._kernels.node_types if kernel in t.kernels), None)
        elements = {e.name: e for e in self._kernels.element_types if kernel in e.kernels}
        inputs: dict[str, Any] = {}
        for argument in (a for a in kernel.signature.arguments if not a.is_output):
            name, size = argument.name, argument.size
            if size is None:
                inputs[name] = self._random.uniform(0, 2)
            elif owner and name in ("q", "b"):
                inputs[name] = self.element(owner)
            elif owner:
                inputs[name] = self.increment(owner) if name == "u" else self.vector(size)
            elif name == "q":
                (element,) = elements.values()
                inputs[name] = np.concatenate([self.element(t) for t in element.node_types])
            elif name == "p":
                inputs[name] = self.parameters if size == len(self.parameters) else self.prepared
            elif name == "e":
                (element,) = elements.values()
                raw = kernel.signature.name.endswith("_prepare_element")
                inputs[name] = (self.element_parameters if raw else self.prepared_elements)[element.name]
            elif name == "F":
                inputs[name] = self.vector(size) / 10 + 1
            else:
                inputs[name] = 3 * self.vector(size)
        return inputs


def references(inputs: Mapping[str, Any]) -> dict[str, float]:
    """Inputs by the text that instructions refer to them with."""
    scalars = {n: float(v) for n, v in inputs.items() if np.ndim(v) == 0}
    return scalars | {f"{n}[{k}]": float(c) for n, v in inputs.items() if np.ndim(v) for k, c in enumerate(v)}


def same(kernel: Kernel, found: Array, expected: Array) -> None:
    """Equal bits, or a few units in the last place of the largest entry where the library takes part."""
    assert found.shape == expected.shape == (len(kernel.body.outputs),)
    if uses_library(kernel):
        scale = max(1.0, float(np.abs(expected).max(initial=0)))
        assert float(np.abs(found - expected).max(initial=0)) <= tolerances.LIBRARY * scale, kernel.signature.name
    else:
        assert np.array_equal(found, expected), kernel.signature.name


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_compiled_kernels_match_the_instructions(model: str) -> None:
    for seed in range(3):
        inputs = Inputs(model, seed)
        for name, kernel in exposed(model).kernels.items():
            given = inputs.of(kernel)
            same(kernel, exposed(model)(name, given), np.array(interpret(kernel.body, references(given))))


@pytest.mark.parametrize("model", MODELS)
def test_numpy_kernels_match_the_instructions(model: str) -> None:
    elimination = equations_of(model).emitted.elimination
    assert (elimination is None) is (model in GENERAL)
    eliminations = {k.signature.name for k in elimination.kernels} if elimination else set()
    compared = 0
    for seed in range(3):
        inputs = Inputs(model, 10 + seed)
        for name, kernel in exposed(model).kernels.items():
            if name in eliminations:
                assert name not in module_of(model)
                continue
            given = inputs.of(kernel)
            same(kernel, numpy_values(model, kernel, given), exposed(model)(name, given))
            compared += 1
    assert compared > 30 and (model in GENERAL or eliminations)


@pytest.mark.parametrize("model", ["heavy_top_SO3xR3", "heavy_top_SE3", "heavy_top_S3sR3", "heavy_top_S3"])
@pytest.mark.parametrize("angle", [3.1, 3.3, 4.5, 6.1])
def test_kernels_are_accurate_for_large_increments(model: str, angle: float) -> None:
    """Around and beyond the working interval of the polynomials (ω = √10), where closed forms take over."""
    inputs = Inputs(model, 5, angle)
    (node,) = equations_of(model).emitted.types.node_types
    for role in ("advance", "inverse_tangent_operator", "tangent_operator"):
        kernel = exposed(model).kernels[f"{node.name}_{role}"]
        given = inputs.of(kernel)
        assert np.linalg.norm(given["u"][:3]) == pytest.approx(angle)
        found = exposed(model)(kernel.signature.name, given)
        other = numpy_values(model, kernel, given)
        scale = max(1.0, float(np.abs(found).max()))
        assert float(np.abs(found - other).max()) <= tolerances.LIBRARY * scale
        close(found, node_value(node.name, role, given))


def close(found: Array, expected: Sequence[mpf]) -> None:
    """Doubles against 40 digits, relative to the largest entry."""
    scale = max([mpf(1), *(abs(e) for e in expected)])
    error = max(abs(mpf(float(a)) - b) for a, b in zip(found, expected, strict=True))
    assert error <= tolerances.KERNEL * scale, f"{mpmath.nstr(error, 3)} of {mpmath.nstr(scale, 3)}"


def node_value(name: str, role: str, inputs: Mapping[str, Array]) -> list[mpf]:
    """A kernel of a node type by the operations of the group in high precision."""
    group = numeric(name)
    exact = {k: [mpf(float(c)) for c in v] for k, v in inputs.items()}
    with mpmath.workdps(40):
        if role == "advance":
            return group.compose(exact["q"], group.exp(exact["u"]))
        if role == "inverse_tangent_operator":
            return group.tangent(exact["u"], exact["w"], inverse=True)
        if role == "tangent_operator":
            return group.tangent(exact["u"], exact["w"])
        if role == "bracket":
            return group.ad(exact["u"], exact["w"])
        if role == "normalize":
            return group.normalize(exact["q"])
        if role == "difference":
            return group.log(group.compose(group.inverse(exact["q"]), exact["b"]))
        assert role == "chart"
        return [mpmath.fsum(c * c for c in exact["u"][:3]) if not name.startswith("R") else mpf(0)]


@pytest.mark.parametrize("model", MODELS)
def test_node_kernels_match_high_precision(model: str) -> None:
    for node in equations_of(model).emitted.types.node_types:
        inputs = Inputs(model, 20)
        for kernel in node.kernels:
            given = inputs.of(kernel)
            role = kernel.signature.name.removeprefix(f"{node.name}_")
            close(exposed(model)(kernel.signature.name, given), node_value(node.name, role, given))


@functools.cache
def element_expressions(model: str, name: str) -> dict[str, Evaluation]:
    """Derived expressions that each kernel of an element type must return."""
    (derived,) = (d for d in equations_of(model).derived if d.statement.name == name)
    dynamics, constraints, statement = derived.dynamics, derived.constraints, derived.statement
    if model in GENERAL:  # B as one dense block for each node
        ends = list(itertools.accumulate(n.group.dimension for n in statement.nodes))
        places = list(itertools.pairwise([0, *ends]))
        jacobian = [e for start, end in places for row in constraints.jacobian for e in row[start:end]]
    else:
        jacobian = [e for row in constraints.jacobian for e in row if e != 0]
    expressions = {
        "mass": [e for i, row in enumerate(dynamics.mass) for e in row[: i + 1] if e != 0],
        "force": dynamics.force,
        "energy": [statement.kinetic, statement.potential],
        **{f"output_{o.name}": o.components for o in statement.outputs},
        "constraint": constraints.position,
        "jacobian": jacobian,
        "curvature": constraints.curvature,
        "constraint_rate": constraints.rate,
    }
    return {name: Evaluation(statement.program, list(e)) for name, e in expressions.items()}


@pytest.mark.parametrize("model", MODELS)
def test_element_kernels_match_high_precision(model: str) -> None:
    """The whole way from a derived term to compiled code: flattening, hoisting, printing."""
    equations = equations_of(model)
    stated = equations.model
    elements = equations.emitted.types.element_types
    assert [e.name for e in elements] == [d.statement.name for d in equations.derived]
    inputs = Inputs(model, 30)
    for element, derived in zip(elements, equations.derived, strict=True):
        statement = derived.statement
        own = () if statement is stated else statement.parameters
        roles = set()
        for kernel in element.kernels:
            given = inputs.of(kernel)
            role = kernel.signature.name.removeprefix(f"{element.name}_")
            if role == "prepare_element":
                given_raw = inputs.element_parameters[element.name]
                assert np.array_equal(inputs.prepared_elements[element.name][: len(given_raw)], given_raw)
                continue
            roles.add(role)
            values = {statement.time: mpf(given["t"])}
            for parameters, numbers in (
                (stated.parameters, inputs.parameters),
                (own, inputs.element_parameters[element.name]),
            ):
                names = [s for p in parameters for s in p.symbols]
                values |= {s: mpf(c) for s, c in zip(names, numbers, strict=True)}
            for label, spaces in (
                ("q", [n.value for n in statement.nodes]),
                ("v", [n.velocity for n in statement.nodes]),
            ):
                components = [s for value in spaces for s in value.components]
                numbers = given.get(label, np.zeros(len(components)))
                values |= {s: mpf(c) for s, c in zip(components, numbers, strict=True)}
            expected = element_expressions(model, element.name)[role](values)
            close(exposed(model)(kernel.signature.name, given), expected)
            close(numpy_values(model, kernel, given), expected)
        # What has no kernel is zero.
        with mpmath.workdps(40):
            point = {s: mpf(1) for s in values} | values
            for role in set(element_expressions(model, element.name)) - roles:
                assert not any(element_expressions(model, element.name)[role](point)), role


@pytest.mark.parametrize("model", MODELS)
def test_numpy_kernels_accept_many_elements(model: str) -> None:
    """Components may be arrays over instances; each instance gets the same bits as alone."""
    for element in equations_of(model).emitted.types.element_types:
        inputs = Inputs(model, 40)
        for kernel in (k for k in element.kernels if k.signature.arguments[0].name == "t"):
            rows = [{**inputs.of(kernel), "t": 0.7} for _ in range(5)]
            shared = {n: x for n, x in rows[0].items() if n in ("t", "p", "e")}
            stacked = {n: np.array([row[n] for row in rows]).T for n in rows[0] if n not in shared}
            names = [a.name for a in kernel.signature.arguments if not a.is_output]
            together = module_of(model)[kernel.signature.name](*({**shared, **stacked}[n] for n in names))
            for k, row in enumerate(rows):
                found = np.array([np.broadcast_to(c, 5)[k] for c in together])
                same(kernel, found, numpy_values(model, kernel, row))
    for node in equations_of(model).emitted.types.node_types:
        for kernel in node.kernels:
            rows = [Inputs(model, seed).of(kernel) for seed in range(5)]
            names = [a.name for a in kernel.signature.arguments if not a.is_output]
            together = module_of(model)[kernel.signature.name](*(np.array([row[n] for row in rows]).T for n in names))
            for k, row in enumerate(rows):
                alone = numpy_values(model, kernel, row)
                found = np.array([np.broadcast_to(c, 5)[k] for c in together])
                assert np.array_equal(found, alone), kernel.signature.name


@pytest.mark.parametrize("model", ["heavy_top_S3sR3", "heavy_top_S3xR3", "heavy_top_S3"])
@pytest.mark.parametrize("angle", [3.1, 3.3, 6.2])
def test_quaternion_differences_beyond_pi_are_correct(model: str, angle: float) -> None:
    """log treats p and -p as the same rotation: beyond π it gives the shorter rotation."""
    inputs = Inputs(model, 8, angle)
    (node,) = equations_of(model).emitted.types.node_types
    q, u = Inputs(model, 9).element(node.name), inputs.increment(node.name)
    b = exposed(model)(f"{node.name}_advance", {"q": q, "u": u})
    kernel = exposed(model).kernels[f"{node.name}_difference"]
    shortest = u[:3] if angle < np.pi else u[:3] * (1 - 2 * np.pi / angle)
    opposite = np.concatenate([-b[:4], b[4:]])
    for end in (b, opposite):
        given = {"q": q, "b": end}
        for found in (exposed(model)(kernel.signature.name, given), numpy_values(model, kernel, given)):
            assert float(np.abs(found[:3] - shortest).max()) <= tolerances.KERNEL * 2 * np.pi
            close(found, node_value(node.name, "difference", given))
            back = exposed(model)(f"{node.name}_advance", {"q": q, "u": found})
            sign = 1 if back[:4] @ b[:4] > 0 else -1
            assert float(np.abs(back - np.concatenate([sign * b[:4], b[4:]])).max()) <= tolerances.KERNEL * 2 * np.pi


@pytest.mark.slow
def test_every_kernel_of_a_model_is_correct() -> None:
    """Each function that may appear in a model, in C and in NumPy, against mpmath."""
    model = sl.Model("functions")
    q = model.node("point", "R2")
    model.kinetic_energy(q.v.dot(q.v) / 2)
    x, y = q.x
    expressions = {
        "sin": sympy.sin(x), "cos": sympy.cos(x), "tan": sympy.tan(x), "asin": sympy.asin(x), "acos": sympy.acos(x),
        "atan": sympy.atan(x), "atan2": sympy.atan2(x, y), "sinh": sympy.sinh(x), "cosh": sympy.cosh(x),
        "tanh": sympy.tanh(x), "exp": sympy.exp(x), "log": sympy.log(2 - y), "abs": sympy.Abs(y),
        "maximum": sympy.Max(x, y, model.t), "minimum": sympy.Min(x, y, model.t), "sign": sympy.sign(y),
        "sqrt": sympy.sqrt(x), "inverse_root": 1 / sympy.sqrt(x), "cubic_root_power": x ** sympy.Rational(5, 3),
        "half_powers": x ** sympy.Rational(5, 2) - x ** sympy.Rational(-3, 2), "seventh": y**7, "inverse_cube": y**-3,
        "quotient": (1 + x) / (y * (2 + x**2)), "power": x**y, "pi": sympy.pi * x, "rational": sympy.Rational(1, 3) * y,
        "negative": -x - y - 1, "minus_product": -2 * x * y,
    }  # fmt: skip
    for name, expression in expressions.items():
        model.output(name, expression)
    equations = model.derive()
    position, t = np.array([0.7, -0.3]), 0.2
    values = {x: mpf(position[0]), y: mpf(position[1]), model.t: mpf(t)}
    expected = Evaluation(model.program, list(expressions.values()))(values)
    for backend in ("c", "numpy"):
        system = equations.compile(backend=backend)
        found = system.kernels.outputs(system.prepared, t, position, np.zeros(2), np.zeros(0))
        for name, a, b in zip(expressions, found, expected, strict=True):
            assert abs(mpf(a) - b) <= tolerances.LIBRARY * abs(b), name


def test_generated_code_is_reproducible() -> None:
    emitted = equations_of("heavy_top_SE3").emitted
    first, second = emit_c(emitted, "hash"), emit_c(emitted, "hash")
    assert first == second and set(first) == {"heavy_top.h", "heavy_top.c"}
    assert set(files_of("chain")) == {"chain.h", "chain.c", "chain.py", "manifest.json"}


def test_large_models_are_not_unrolled() -> None:
    assert stage_operations(equations_of("heavy_top_SE3").emitted) <= LARGEST_UNROLLED
    assert "#define UNROLL_STAGES 1" in files_of("heavy_top_SE3")["heavy_top.h"]
    for model, name in (("large", "large.h"), ("spaghetti", "flying_spaghetti.h")):
        assert "#define UNROLL_STAGES 0" in files_of(model)[name]
        assert "#define FIXED_TOPOLOGY 0" in files_of(model)[name]
