"""Types of options that are names: type checkers know all values, and messages about unknown values list them."""

from __future__ import annotations

from typing import Literal, TypeAlias

Backend: TypeAlias = Literal["auto", "c", "numpy"]
"""Implementations of the kernels of a system."""

Optimize: TypeAlias = Literal["default", "contract", "portable"]
"""Optimizations of compiled code."""

Multipliers: TypeAlias = Literal["stage", "index1"]
"""Sources of λ: the stages of the method, or the acceleration-level system."""

StabilizationName: TypeAlias = Literal["none", "projection", "projection+velocity", "velocity"]
"""Stabilisations of position constraints without a number."""

Stabilization: TypeAlias = StabilizationName | str
"""Stabilisations of position constraints, with ``baumgarte:ALPHA``."""

Redundant: TypeAlias = Literal["error", "minimal_norm"]
"""Treatments of redundant constraint equations."""

ControllerName: TypeAlias = Literal["tumiotto2024", "holzinger2024", "celledoni2022"]
"""Step size controllers."""

Combine: TypeAlias = Literal["zip", "grid"]
"""Combinations of the values of several names to members."""

Of: TypeAlias = Literal["motion", "equilibrium", "modes"]
"""Kinds of results of members."""

OnFailure: TypeAlias = Literal["keep", "raise"]
"""Treatments of members that fail."""

Statistic: TypeAlias = Literal["mean", "std", "min", "max"]
"""Statistics that can replace the values of members."""

Sampler: TypeAlias = Literal["random", "sobol", "latin_hypercube"]
"""Generators of uniform numbers."""

Norm: TypeAlias = Literal["end", "max", "l2"]
"""Norms: at the end time (of configurations the largest error of a node); the maximum of this error over the run; the
root mean square of all components, maximum over the run."""

Interpolation: TypeAlias = Literal["linear", "hold", "cubic", "quintic"]
"""Interpolations of tables."""

TableEnd: TypeAlias = Literal["not-a-knot", "clamped", "natural", "periodic"]
"""End conditions of splines, in SciPy's terms."""

Outside: TypeAlias = Literal["refuse", "hold", "continue"]
"""Treatments of arguments outside of a table."""

Direction: TypeAlias = Literal["any", "rising", "falling"]
"""Directions of the sign change of an event."""

Side: TypeAlias = Literal["left", "right"]
"""Sides from which a group acts."""

Axes: TypeAlias = Literal["body", "space"]
"""Axes of vectors: those of the body or cross section, or inertial axes."""

Quadrature: TypeAlias = Literal["midpoint", "trapezoid", "simpson"]
"""Quadratures over a segment of a continuum."""

End: TypeAlias = Literal["start", "end"]
"""Ends of a continuum."""

Convention: TypeAlias = Literal["standard", "modified"]
"""Conventions of Denavit-Hartenberg parameters."""

JointKind: TypeAlias = Literal["revolute", "prismatic"]
"""Joints of Denavit-Hartenberg links."""
