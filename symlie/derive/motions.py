"""Prescribed motions of nodes: velocity and acceleration follow from the configuration as a function of time."""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Expr, Integer, Matrix, Symbol

from symlie.contract.signature import Argument, Signature
from symlie.groups.group import LieGroup, coordinates, storage_symbols
from symlie.groups.operators import tangent_operator
from symlie.ir.differentiate import forward
from symlie.ir.hoisting import ParameterHoisting
from symlie.ir.kernels import Kernel
from symlie.ir.program import Euclidean, Program, Vector
from symlie.ir.straightline import flatten
from symlie.modeling.model import Model


def motion_kernel(model: Model, number: int, parameters: Sequence[Symbol], hoisting: ParameterHoisting) -> Kernel:
    """Return the kernel of q(t), v and v' of a prescribed motion."""
    motion, program = model.motions[number], Program()
    group, moved = motion.group, derive_motion(model, number, program)
    references: dict[Symbol, str] = {model.time: "t"}
    references |= {s: f"p[{i}]" for i, s in enumerate(parameters)}
    arguments = (
        Argument("t", None),
        Argument("p", hoisting.size),
        Argument("q", group.storage_dimension, True),
        Argument("v", group.dimension, True),
        Argument("a", group.dimension, True),
    )
    body = flatten(program, [c for part in moved for c in part], references)
    description = f"Prescribed motion of node {motion.node}: q(t), v, v'."
    return Kernel(Signature(f"{model.name}_motion_{number}", arguments), body, description)


def derive_motion(model: Model, number: int, program: Program) -> tuple[Vector, Vector, Vector]:
    """Return q(t), v and v' of a prescribed motion as expressions of a program."""
    motion = model.motions[number]
    time = program.input("t", Euclidean(1), (model.time,))
    velocity: list[Expr] = []
    for g, start, _ in motion.group.simple_factors:
        velocity += _velocity(program, g, motion.storage[start : start + g.storage_dimension], model.time)
    return motion.storage, tuple(velocity), forward(program, velocity, [(time, (Integer(1),))])


def _velocity(program: Program, group: LieGroup, storage: Vector, time: Symbol) -> Vector:
    """Return the velocity v of q(t): from q⁻¹∘q(t + dt), or as T(θ) θ' and G(ρ) ρ' if coordinates are stored."""
    rate = tuple(c.diff(time) for c in storage)
    if group.stored_as is not None:
        return program.vector(list(group.stored_as.kinematic_matrix(program, storage) * Matrix(rate)))
    if group.coordinates_of is not None:
        return tangent_operator(program, group, storage, rate)
    target = storage_symbols(group, "h")
    between = Matrix(group.between(storage, target)).jacobian(Matrix(target))
    between = between.subs(dict(zip(target, storage, strict=True)), simultaneous=True)
    return tuple(coordinates(group) * between * Matrix(rate))
