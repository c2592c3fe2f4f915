"""Explanations, as sentences, of why a method does not support a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symlie.runtime.layout.layout import Layout

if TYPE_CHECKING:
    from symlie.runtime.methods.family import Method


def has_frames(layout: Layout) -> bool:
    """Return whether some nodes are on manifolds with a frame, whose flows have no known commutators."""
    return any(node.type.is_frame for node in layout.nodes)


def refusal_of_constraints(method: Method, layout: Layout) -> str | None:
    """Return the explanation for a method that supports no configuration or velocity constraints."""
    if method.takes_constraints or not layout.of_velocities.any():
        return None
    others = "half_explicit_2, …, half_explicit_5"
    if layout.has_gaps:
        name = next(name for name, row in zip(layout.contact_names, layout.contacts, strict=True) if row[0] >= 0)
        return (
            f"Method '{method.name}' integrates systems without contacts, but '{layout.name}' has contact '{name}'; "
            f"use {others}, or rattlie with a fixed step."
        )
    if not layout.of_velocities.all() or (layout.has_fields and layout.has_dependents):
        others = "index1_dopri5"
    return (
        f"Method '{method.name}' integrates systems without constraints, but '{layout.name}' has {layout.rows} "
        f"constraint equations; use {others}."
    )


def refusal_of_friction(method: Method, layout: Layout) -> str | None:
    """Return the explanation for a method whose stages do not support friction of contacts."""
    if method.takes_friction or method.steps_over(layout) or not layout.has_friction:
        return None
    name = next(name for name, row in zip(layout.contact_names, layout.contacts, strict=True) if row[1] >= 0)
    return (
        f"Method '{method.name}' does not support friction, but contact '{name}' of '{layout.name}' has a friction "
        "coefficient; use half_explicit_2, …, half_explicit_5, or rattlie with a fixed step."
    )


def refusal_of_frames(method: Method, layout: Layout) -> str | None:
    """Return the explanation for a method with commutators and a manifold with a frame."""
    if method.is_free_of_commutators or not has_frames(layout):
        return None
    return (
        f"Method '{method.name}' needs commutators, which the frame of vector fields of '{layout.name}' does not "
        "have; use cf4, cf32a, cf43, cg3, cg4, cg5, or lie_euler_heun."
    )


def refusal_of_angular_velocities(method: Method, layout: Layout) -> str | None:
    """Return the explanation for a method that requires rates of classical coordinates as unknowns."""
    if method.takes_coordinate_rates or not layout.has_coordinate_rates:
        return None
    node = next(n.name for n in layout.nodes if layout.is_stepped_in_storage(n.type.name))
    return (
        f"Method '{method.name}' supports rotation parameters with their rates as unknowns, but node '{node}' of "
        f"'{layout.name}' has angular velocities; use form=parameter_rates, or half_explicit_5 or another explicit "
        "method."
    )


def refusal_of_further_friction(method: Method, layout: Layout) -> str | None:
    """Return the explanation for time stepping and a model with friction of joints or constraints."""
    if not (method.steps_over(layout) and layout.has_friction_alone):
        return None
    return (
        f"Method '{method.name}' steps over the impacts of the contacts of '{layout.name}' and does not support "
        "friction of joints and constraints in addition; use half_explicit_2, …, half_explicit_5."
    )
