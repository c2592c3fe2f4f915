"""Kernel of the gradient of a weighted term, which computes the components that do not vanish."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sympy import Symbol

from symlie.contract.kernels import KERNELS
from symlie.contract.signature import Argument, Signature
from symlie.ir.kernels import Kernel
from symlie.ir.program import Program, Vector
from symlie.ir.sets import GradientPlaces
from symlie.ir.straightline import by_output, flatten

STATES = ("qb", "bb", "tb", "vb", "ab")
"""Results with components of all nodes."""


def gradient_kernel(
    owner: str,
    name: str,
    weights: str,
    program: Program,
    parts: Sequence[Vector],
    arguments: Sequence[Argument],
    references: Mapping[Symbol, str],
) -> tuple[Kernel, GradientPlaces]:
    """Return the kernel with the results of an entry of the table, and the places of their components."""
    results = dict(zip(KERNELS[name].result_names, parts, strict=True))
    places = {label: _places_of(label, part) for label, part in results.items()}
    outputs = [results[label][k] for label, part in places.items() for k in part]
    signature = Signature(
        f"{owner}_{name}", (*arguments, *(Argument(label, len(part), True) for label, part in places.items()))
    )
    body = by_output(flatten(program, outputs, dict(references)))
    return Kernel(signature, body, KERNELS[name].meaning), GradientPlaces(name, weights, tuple(places.items()))


def _places_of(label: str, part: Vector) -> tuple[int, ...]:
    """Return the places of the computed components; all components of nodes are added to the system together."""
    found = tuple(k for k, e in enumerate(part) if e != 0)
    return tuple(range(len(part))) if found and label in STATES else found
