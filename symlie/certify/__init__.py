"""Proofs of coefficient functions: `symlie verify`, certificates, and their checker."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from symlie.ir.group_operators import GroupOperators


def operator_certificate(operators: GroupOperators) -> str:
    """Return the certificate of the coefficient functions of stand-alone operators as text."""
    # NumPy modules evaluate the same operations as the C sources.
    from symlie.certify.certificate import certificate_of_sources
    from symlie.certify.loops import loop_entries
    from symlie.emit.c.printing import coefficient_source

    sources = [coefficient_source(s) for s in operators.schemes]
    return certificate_of_sources(sources, others=loop_entries(operators))
