"""Gradient of the motion of a prescribed node by parameters, for weights of the tangent of q, of v and of v'."""

from __future__ import annotations

from sympy import Symbol

from symlie.contract.signature import Argument
from symlie.derive.adjoint.gradient_kernel import gradient_kernel
from symlie.derive.kernels import parameter_symbols, symbols_of
from symlie.derive.motions import derive_motion
from symlie.ir.differentiate import reverse, stored_weights
from symlie.ir.kernels import Kernel
from symlie.ir.program import Euclidean, Program, Value
from symlie.modeling.model import Model


def motion_gradient(model: Model, number: int) -> tuple[Kernel, tuple[int, ...]]:
    """Return the kernel, and the places of the components that it computes.

    Inputs in motions are differentiated by the model, so that derivatives by their tables do not exist.
    """
    program, group, slots = Program(), model.motions[number].group, parameter_symbols(model)
    parts = derive_motion(model, number, program)
    weights = [program.fresh("w", group.dimension) for _ in parts]
    by_stored = stored_weights(program, group.algebra_tangent, program.vector(parts[0]), weights[0])
    term, factors = program.vector([c for part in parts for c in part]), (*by_stored, *weights[1], *weights[2])
    parameters = tuple(symbols_of(model.parameters))
    found = reverse(program, list(zip(term, factors, strict=True)), [Value(parameters, Euclidean(len(parameters)))])
    references: dict[Symbol, str] = {model.time: "t", **{s: f"p[{k}]" for k, s in enumerate(slots)}}
    references |= {s: f"w[{k}]" for k, s in enumerate(w for part in weights for w in part)}
    arguments = [Argument("t", None), Argument("w", 3 * group.dimension), Argument("p", len(slots))]
    owner = f"{model.name}_{number}"
    kernel, places = gradient_kernel(owner, "motion_gradient", "motions", program, found, arguments, references)
    return kernel, dict(places.places)["pb"]
