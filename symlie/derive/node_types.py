"""Kernels of a node type: all operations on a configuration space that an integrator needs."""

from __future__ import annotations

import functools
import itertools

import sympy
from sympy import Expr, Integer, Rational, Symbol, expand, sqrt

from symlie.contract.kernels import KERNELS
from symlie.contract.manifest import AngleLayout, FieldLayout
from symlie.contract.signature import Argument, Signature
from symlie.groups import operators
from symlie.groups.group import Field, LieGroup, step_group
from symlie.groups.homogeneous import ConfigurationSpace, HomogeneousSpace, acting_group, is_translated
from symlie.groups.operations import Compose, Exponential, Inverse, Logarithm
from symlie.groups.rotation_parameters import parametrised_rotation
from symlie.ir.kernels import Kernel, NodeTypeKernels
from symlie.ir.program import Euclidean, Program, Value, Vector
from symlie.ir.straightline import flatten
from symlie.rotations import SINGULAR_ANGLES

PART = Symbol("xi", real=True)
"""ξ, a fraction of a step."""


def array_symbols(name: str, count: int) -> tuple[Vector, dict[Symbol, str]]:
    """Return the symbols of an array argument and the name of each."""
    symbols = tuple(Symbol(f"{name}{i}", real=True) for i in range(count))
    return symbols, {s: f"{name}[{i}]" for i, s in enumerate(symbols)}


_FAR = 10**40
"""Factor that raises a positive value beyond a coordinate singularity above every limit of `operators.chart`."""


def _chart(program: Program, group: LieGroup, q: Vector, u: Vector) -> Expr:
    """Return `operators.chart`, or a larger value if rotation parameters become singular between q and q + u."""
    # With the regularity r of the coordinates, r(q) r(q + u) - SINGULAR_ANGLES |r(q)| is negative there.
    angle = operators.chart(program, group, u)
    turned = parametrised_rotation(group)
    if turned is None or turned.parameters.regularity is None:
        return angle
    regularity, part = turned.parameters.regularity, turned.part
    before = regularity(program, q[part])
    after = regularity(program, program.vector(a + b for a, b in zip(q[part], u[part], strict=True)))
    lost = program.scalar(Rational(str(SINGULAR_ANGLES)) * sympy.Abs(before) - before * after)
    return sympy.Max(angle, _FAR * lost)


def _coordinate_rate(program: Program, group: LieGroup, q: Vector, w: Vector) -> Vector:
    """Return ρ' for factors that are integrated in their stored components, and w for others."""
    result: list[Expr] = []
    for factor, stored, offset in group.simple_factors:
        part = w[offset : offset + factor.dimension]
        if factor.stepped_in is not None:
            part = factor.storage_tangent(program, q[stored : stored + factor.storage_dimension], part)
        result += part
    return tuple(result)


def field_layouts(fields: tuple[Field, ...]) -> tuple[FieldLayout, ...]:
    """Return the layout of named fields."""
    return tuple(FieldLayout(f.name, f.offset, f.shape) for f in fields)


def angle_layouts(space: ConfigurationSpace) -> tuple[AngleLayout, ...]:
    """Return pairs (c, s) of stored components with c² + s² = 1 and (c', s') = (-s, c) w_k for one component w_k of a
    rate."""
    q, _ = array_symbols("q", space.storage_dimension)
    w, _ = array_symbols("w", space.dimension)
    relations = {expand(r) for r in space.relations(q)}
    pairs = [
        (i, j)
        for i, j in itertools.permutations(range(len(q)), 2)
        if {q[i] ** 2 + q[j] ** 2 - 1, 1 - q[i] ** 2 - q[j] ** 2} & relations
    ]
    if not pairs:
        return ()
    rates = [expand(r) for r in space.storage_tangent(Program(), q, w)]
    return tuple(
        AngleLayout(field.name, i, j, k)
        for (i, j), k, field in itertools.product(pairs, range(len(w)), space.storage_fields)
        if rates[i] == -q[j] * w[k] and rates[j] == q[i] * w[k] and 0 <= i - field.offset < field.size
    )


def node_kernel(space: ConfigurationSpace, name: str, program: Program, outputs: Vector, meaning: str = "") -> Kernel:
    """Return the kernel ``name`` of a node type, computed from the `array_symbols` of its arguments."""
    row = KERNELS[name]
    vectors = [letter for letter in row.arguments if letter != "ξ"]
    sizes = {letter: space.storage_dimension if letter in "qb" else space.dimension for letter in vectors}
    references = {s: text for letter, size in sizes.items() for s, text in array_symbols(letter, size)[1].items()}
    references[PART] = PART.name
    inputs = (Argument(name, sizes.get(name)) for name in row.names)
    signature = Signature(f"{space.name}_{name}", (*inputs, Argument(row.results, len(outputs), True)))
    return Kernel(signature, flatten(program, outputs, references), meaning or row.meaning)


@functools.cache
def node_type_kernels(space: ConfigurationSpace) -> NodeTypeKernels:
    """Derive the kernels of the node type of a group under right multiplication q∘exp(u), or of a homogeneous space."""
    # ``advance`` q∘exp(u); ``tangent_operator`` T(u) w, and its inverse; ``difference`` log(a⁻¹∘b), or on a space that
    # is no group the distance |b - a| of stored components, followed by zeros; ``bracket`` [u, w]; ``normalize``;
    # ``chart`` the largest squared rotation angle of u, or its equivalent (`operators.chart`), which must stay below
    # (2π)². If steps are taken in stored components, ∘, exp and T are those of Rⁿ, and ``coordinate_rate`` converts
    # velocities to rates of these local coordinates.
    # With a left action, where points move to exp(u)·q, the signs of u in ``tangent_operator`` and its inverse and of
    # ``bracket`` are reversed, so that formulas for right multiplication hold unchanged. For a frame, whose flows are
    # no action, only ``advance`` is meaningful.
    group = step_group(acting_group(space))
    is_left = isinstance(space, HomogeneousSpace) and space.is_left
    sign = "-" if is_left else ""
    n, m = group.dimension, space.storage_dimension
    (q, other), (u, w) = (array_symbols(x, m)[0] for x in "qb"), (array_symbols(x, n)[0] for x in "uw")
    kernel = functools.partial(node_kernel, space)
    kernels = []

    program = Program()
    step = program.apply(Exponential(group), Value(u, Euclidean(n)))
    if isinstance(space, HomogeneousSpace):
        moved, text = space.action(step.components, q), "exp(u)·q." if is_left else "q·exp(u)."
    else:
        moved, text = program.apply(Compose(group), Value(q, group), step).components, "q∘exp(u)."
    kernels.append(kernel("advance", program, moved, text))

    program = Program()
    inverse = operators.tangent_operator(program, group, u, w, inverse=True, negative=is_left)
    text = f"T⁻¹({sign}u) w, the rate of local coordinates."
    kernels.append(kernel("inverse_tangent_operator", program, inverse, text))

    program = Program()
    tangent = operators.tangent_operator(program, group, u, w, negative=is_left)
    kernels.append(kernel("tangent_operator", program, tangent, f"T({sign}u) w."))

    program = Program()
    bracket = operators.ad(program, group, w, u) if is_left else operators.ad(program, group, u, w)
    kernels.append(kernel("bracket", program, bracket, f"{sign}[u, w]."))

    program = Program()
    if isinstance(space, LieGroup):
        backward = program.apply(Inverse(group), Value(q, group))
        between = program.apply(Compose(group), backward, Value(other, group))
        apart, text = program.apply(Logarithm(group), between).components, "log(q⁻¹∘b)."
    else:
        squares = sum(((y - x) ** 2 for x, y in zip(q, other, strict=True)), Integer(0))
        apart, text = (sqrt(squares), *(Integer(0),) * (n - 1)), "|b - q| of stored components."
    kernels.append(kernel("difference", program, apart, text))

    where = "group" if isinstance(space, LieGroup) else "manifold"
    kernels.append(kernel("normalize", Program(), tuple(space.normalize(q)), f"One step back to the {where}."))
    program = Program()
    kernels.append(kernel("chart", program, (_chart(program, group, q, u),), "Largest ω² of u."))
    if isinstance(space, LieGroup) and group is not space:
        program = Program()
        kernels.append(kernel("coordinate_rate", program, _coordinate_rate(program, space, q, w)))
    return NodeTypeKernels(
        name=space.name,
        storage=m,
        dimension=n,
        velocities=space.velocity_dimension,
        is_frame=isinstance(space, HomogeneousSpace) and space.is_frame,
        is_translated=isinstance(space, HomogeneousSpace) and is_translated(space),
        identity=tuple(float(c) for c in space.identity),
        storage_fields=field_layouts(space.storage_fields),
        velocity_fields=field_layouts(space.velocity_fields),
        angles=angle_layouts(space),
        kernels=tuple(kernels),
    )
