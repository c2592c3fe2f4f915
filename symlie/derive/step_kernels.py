"""Further kernels of a node type, for steps in other coordinates than exp and for steps in ambient space.

They are derived and compiled when a method first needs them, apart from the kernels of a run.
"""

from __future__ import annotations

import functools

from symlie.contract.kernels import KERNELS
from symlie.contract.signature import Argument, Signature
from symlie.derive.node_types import array_symbols
from symlie.groups import operators
from symlie.groups.cayley import cayley, cayley_tangent
from symlie.groups.homogeneous import ConfigurationSpace, HomogeneousSpace, acting_group
from symlie.groups.operations import Compose
from symlie.groups.second_kind import second_kind, second_kind_chart, second_kind_inverse
from symlie.ir.kernels import Kernel
from symlie.ir.program import Program, Value, Vector
from symlie.ir.straightline import flatten


@functools.cache
def step_kernels(space: ConfigurationSpace, kind: str) -> tuple[Kernel, ...]:
    """Derive the further kernels of a node type.

    ``cayley`` and ``second_kind``: ``advance`` q∘φ(u), ``rate`` T⁻¹(u) w of the coordinates φ, and ``chart``, which
    must stay below (2π)²; with an action from the left ``advance`` φ(u)·q and the ``rate`` that belongs to it.
    ``ambient``: ``storage_rate``, the rate of the stored components along w.

    Parameters
    ----------
    space
        Group or homogeneous space of the nodes.
    kind
        ``cayley``, ``second_kind`` or ``ambient``.

    Raises
    ------
    GroupError
        The group does not have these coordinates.
    """
    group = acting_group(space)
    is_left = isinstance(space, HomogeneousSpace) and space.is_left
    n, m = space.dimension, space.storage_dimension
    symbols = {"q": array_symbols("q", m), "u": array_symbols("u", n), "w": array_symbols("w", n)}
    q, u, w = (found for found, _ in symbols.values())

    def kernel(name: str, program: Program, outputs: Vector) -> Kernel:
        row = KERNELS[name]
        references = {s: text for letter in row.arguments for s, text in symbols[letter][1].items()}
        arguments = (Argument(letter, len(symbols[letter][0])) for letter in row.arguments)
        signature = Signature(f"{space.name}_{name}", (*arguments, Argument(row.results, len(outputs), True)))
        return Kernel(signature, flatten(program, outputs, references), row.meaning)

    program = Program()
    if kind == "ambient":
        rate = space.storage_tangent(program, q, w)
        return (kernel("storage_rate", program, rate),)
    mapped = cayley(program, group, u) if kind == "cayley" else second_kind(program, group, u)
    step = Value(program.vector(mapped), group)
    if isinstance(space, HomogeneousSpace):
        moved = space.action(step.components, q)
    else:
        moved = program.apply(Compose(group), Value(q, group), step).components
    inverse, chart = Program(), Program()
    if kind == "cayley":
        # cay(-u) is the inverse of cay(u), so the right-trivialised tangent is that of -u.
        coordinates = tuple(-c for c in u) if is_left else u
        rate = cayley_tangent(inverse, group, coordinates, w, inverse=True)
        size = operators.chart(chart, group, u)
    else:
        rate = second_kind_inverse(inverse, group, u, w, is_left=is_left)
        size = second_kind_chart(chart, group, u)
    return (
        kernel(f"advance_{kind}", program, moved),
        kernel(f"rate_{kind}", inverse, rate),
        kernel(f"chart_{kind}", chart, (size,)),
    )
