"""Kernels of the momenta of a discrete Lagrangian: of each element type, in a separate set.

With q = q₀∘exp(ξ θ) at samples of V between q₀ and q₁, p⁺ = … + h w A_ξ(θ)ᵀ l and p⁻ = … - h w A_{1-ξ}(-θ)ᵀ l.
A node has one A (`symlie.groups.interpolation`), which drivers apply to the sum of the loads l of all elements. Kernels
of elements compute the other terms of p⁺ and p⁻, l, and its derivatives, from which the derivatives of p⁺ follow by the
chain rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sympy import Expr, Symbol

from symlie.contract.kernels import KERNELS
from symlie.contract.sets import KernelSet
from symlie.contract.signature import Argument, Signature
from symlie.derive.derived_statement import DerivedStatement
from symlie.derive.discrete.momenta import VariationalStep, derive_variational
from symlie.derive.discrete.slopes import LoadSlopes, MomentumSlopes
from symlie.derive.kernels import configuration_symbols, instance_symbols, parameter_symbols
from symlie.derive.matrices.kernels import nonzeros, whole_rows
from symlie.ir.directions import LOOPED, all_see_all, direction
from symlie.ir.kernels import Kernel, SparsePattern
from symlie.ir.sets import ElementTypeSet, SetKernels
from symlie.ir.straightline import flatten
from symlie.modeling.model import Model
from symlie.modeling.statement import Statement


def discrete_kernels(model: Model, derived: Sequence[DerivedStatement], chosen: KernelSet) -> SetKernels:
    """Return the kernels of a discrete Lagrangian; raise `GroupError` if a node is on no Lie group."""
    stated = chosen.discrete
    assert stated is not None
    at_ends = replace(stated, potential=())
    elements = tuple(
        _element(model, d.statement, derive_variational(d, at_ends), load_is_sampled=bool(stated.between))
        for d in derived
    )
    return SetKernels(model.name, chosen, elements=elements, weights=tuple(map(float, stated.ends)))


def _element(model: Model, statement: Statement, step: VariationalStep, *, load_is_sampled: bool) -> ElementTypeSet:
    nodes = statement.nodes
    configuration = configuration_symbols(statement)
    before = [*(a.before for a in statement.angles), *(a.symbol for a in statement.activities)]
    rows = len(step.rolling)
    inputs: dict[str, Sequence[Symbol]] = {
        "q": configuration,
        "b": [*step.end, *before],
        "u": step.increment,
        "v": [s for n in nodes for s in n.velocity.components],
        "p": parameter_symbols(model),
        "e": instance_symbols(statement),
    }
    references = {s: f"{label}[{k}]" for label, symbols in reversed(inputs.items()) for k, s in enumerate(symbols)}
    references |= {statement.time: "t", step.step_size: "h"}
    size = sum(node.group.dimension for node in step.nodes)
    along, operands = direction(size)
    references |= operands
    results: dict[str, tuple[Sequence[Expr], ...]] = {
        "conjugate_momentum": (step.momentum,),
        "load": (step.load,),
        "start_momentum": (step.start_momentum,),
        "end_momentum": (step.end_momentum,),
        "rolling": (step.rolling,),
    }
    kernels, patterns = [], list[SparsePattern]()

    def add(name: str, parts: Sequence[Sequence[Expr]], directions: int = 0) -> None:
        if all(e == 0 for part in parts for e in part):
            return
        row = KERNELS[name]
        arguments = [Argument(x, len(inputs[x]) if x in inputs else None) for x in row.element_arguments]
        sizes = [len(part) * (directions or 1) for part in parts]
        arguments += [Argument(r, size, True) for r, size in zip(row.result_names, sizes, strict=True)]
        body = flatten(step.program, [e for part in parts for e in part], references)
        kernels.append(Kernel(Signature(f"{statement.name}_{name}", tuple(arguments)), body, row.meaning, directions))

    for name, parts in results.items():
        add(name, parts)
    slopes = {
        "momentum_slopes": MomentumSlopes(step),
        "load_slopes": LoadSlopes(step, by_configuration=load_is_sampled),
    }
    for name, derivatives in slopes.items():
        rates = derivatives.along(along) if size >= LOOPED else ()
        body = flatten(step.program, [e for part in rates for e in part if e != 0], references)
        is_looped = bool(rates) and all_see_all(body, size)
        matrices = [whole_rows(r, size) for r in rates] if is_looped else list(map(nonzeros, derivatives.matrices()))
        found, values = zip(*matrices, strict=True)
        patterns += found
        add(name, values, size if is_looped else 0)
    velocities = sum(n.group.velocity_dimension for n in nodes)
    return ElementTypeSet(statement.name, len(configuration), velocities, rows, tuple(patterns), tuple(kernels), True)
