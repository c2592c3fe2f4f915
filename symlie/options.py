"""Types of options with named values, for type checkers and for messages about unknown values."""

from __future__ import annotations

from typing import Literal, TypeAlias

Backend: TypeAlias = Literal["auto", "c", "numpy"]
"""Implementations of the kernels of a system."""

Optimize: TypeAlias = Literal["default", "contract", "portable"]
"""Optimizations of compiled code."""

ExportTarget: TypeAlias = Literal["c", "fmu2", "fmu3"]
"""Targets of exports."""

ExportReal: TypeAlias = Literal["double", "float"]
"""Types of all numbers of exported C."""

ExportPlatform: TypeAlias = Literal[
    "x86_64-linux", "aarch64-linux", "x86_64-windows", "x86_64-darwin", "aarch64-darwin"
]
"""Systems for which functional mock-up units contain binaries, as FMI 3.0 names them."""

ExportKind: TypeAlias = Literal["cs", "me", "both"]
"""Kinds of functional mock-up units."""

ExportStates: TypeAlias = Literal["own", "corotating"]
"""Continuous states of units for model exchange."""

MethodName: TypeAlias = Literal[
    "half_explicit_2", "half_explicit_3", "half_explicit_4", "half_explicit_5", "rkmk_euler", "lie_euler_heun",
    "rkmk_kutta3", "rkmk_rk44", "rkmk_38", "rkmk_bs32", "rkmk_dopri5", "rkmk_rk67", "rkmk4_two_commutators",
    "cf4", "cf32a", "cf32b", "cf43", "cg3", "cg4", "cg5", "index1_dopri5", "ambient_rk4", "ambient_dopri5",
    "symplectic_theta", "rattlie", "variational_midpoint", "moreau_jean", "abmk2", "abmk3", "abmk4",
    "generalized_alpha", "generalized_alpha_index2", "bdf1", "bdf2", "bdf3", "bdf4", "bdf5", "bdf1_index2",
    "bdf2_index2", "bdf3_index2", "bdf4_index2", "bdf5_index2", "bdf", "taylor", "bdf2_increments",
    "bdf2_increments_index2",
]  # fmt: skip
"""Integration methods."""

ImportCoordinates: TypeAlias = Literal["minimal", "bodies"]
"""Unknowns of imported robots: coordinates of joints, or poses of bodies."""

Multipliers: TypeAlias = Literal["stage", "index1"]
"""Sources of λ: the stages of the method, or the acceleration-level system."""

StabilizationName: TypeAlias = Literal["none", "projection", "projection+velocity", "velocity"]
"""Stabilisations of position constraints without a number."""

Stabilization: TypeAlias = StabilizationName | str
"""Stabilisations of position constraints, with ``baumgarte:ALPHA``."""

Redundant: TypeAlias = Literal["error", "minimal_norm"]
"""Treatments of redundant constraint equations."""

Impacts: TypeAlias = Literal["newton", "poisson", "sequential"]
"""Treatments of impacts of several contacts at one time."""

ControllerName: TypeAlias = Literal["tumiotto2024", "holzinger2024", "celledoni2022"]
"""Step size controllers."""

Combine: TypeAlias = Literal["zip", "grid"]
"""Combinations of the values of several names to members."""

Of: TypeAlias = Literal["motion", "equilibrium", "modes"]
"""Kinds of results of members."""

Measured: TypeAlias = Literal["motion", "equilibrium"]
"""States to which measured outputs belong."""

OnFailure: TypeAlias = Literal["keep", "raise"]
"""Treatments of members that fail."""

Statistic: TypeAlias = Literal["mean", "std", "min", "max"]
"""Statistics that can replace the values of members."""

Sampler: TypeAlias = Literal["random", "sobol", "latin_hypercube"]
"""Generators of uniform numbers."""

Norm: TypeAlias = Literal["end", "max", "l2"]
"""Norms: at the end time (of configurations the largest error of a node); the maximum of this error over the run; the
root mean square of all components, maximum over the run."""

Optimizer: TypeAlias = Literal["SLSQP", "trust-constr", "ipopt"]
"""Optimisers of optimal control."""

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

Wrt: TypeAlias = Literal["v", "q", "multipliers", "inputs"]
"""Variables of derivatives of outputs."""

Quadrature: TypeAlias = Literal["midpoint", "trapezoid", "simpson"]
"""Quadratures over a segment of a continuum."""

End: TypeAlias = Literal["start", "end"]
"""Ends of a continuum."""

Convention: TypeAlias = Literal["standard", "modified"]
"""Conventions of Denavit-Hartenberg parameters."""

JointKind: TypeAlias = Literal["revolute", "prismatic"]
"""Joints of Denavit-Hartenberg links."""
