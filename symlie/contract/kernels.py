"""Table of system kernels: functions of a whole system, assembled from generated functions of its types.

An entry lists the arguments of a function and the way in which results of nodes or instances form the result of the
system. It determines the prototype and the loop in C, the export, the evaluation in C and NumPy, and the arguments of
the generated functions.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symlie.contract.manifest import ElementType
from symlie.contract.sets import ADJOINT, COORDINATE_RATES, CORE, DISCRETE, DISCRETE_GRADIENTS, SETS

REAL = "symlie_real"
"""C type of numbers of one member, or of several in SIMD lanes."""

SCALAR = "symlie_scalar"
"""C type of numbers that belong to no member."""

LANE = "symlie_lane"
"""Type of numbers of one member of several systems in SIMD lanes."""


class Gather(enum.Enum):
    """Ways to assemble the results of nodes or elements into the result of a system."""

    NODES = "components of each node, one node after the other"
    LARGEST = "the largest of all nodes"
    STORED = "values of all instances, one instance after the other"
    VELOCITIES = "sums over the velocity components of the nodes of each instance"
    TOTAL = "sums over all instances"
    OWN = "in a way of its own"


@dataclass(frozen=True)
class SystemKernel:
    """Entry of the table."""

    name: str
    arguments: str
    """Letters of the arguments: time t, configurations q and b, velocities v, accelerations a, multipliers λ,
    increments u, algebra vectors w and x, fractions ξ of a step."""
    results: str
    """Names of the results, separated by blanks."""
    gather: Gather
    size: str = ""
    """Length of a result: a size of nodes or of instances, see `instance_size`, or a number."""
    meaning: str = ""
    in_stages: bool = False
    """True if stages of a method may evaluate it; all others are evaluated at the end of a step."""
    of_increments: bool = False
    """True if fixed nodes are skipped: they keep their configuration, and their rates are zero."""
    set: str = CORE

    @property
    def of_nodes(self) -> bool:
        """Return whether the kernel is assembled from nodes and has no parameters."""
        return self.gather in (Gather.NODES, Gather.LARGEST)

    @property
    def is_value(self) -> bool:
        """Return whether the result is a scalar."""
        return self.gather is Gather.LARGEST

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the arguments in C."""
        return tuple(_LETTERS.get(letter, letter) for letter in self.arguments)

    @property
    def result_names(self) -> tuple[str, ...]:
        """Names of the results."""
        return tuple(self.results.split())

    @property
    def element_arguments(self) -> tuple[str, ...]:
        """Arguments of the generated functions of element types, including parameters."""
        return (*("multipliers" if letter == "λ" else letter for letter in self.arguments), "p", "e")

    def declaration(self, prefix: str, qualifier: str = "") -> str:
        """Return the C declaration; ``qualifier`` (``restrict `` or nothing) follows the stars of pointers."""
        real, star = REAL, f"*{qualifier}"
        inputs = [f"{real} {name}" if name in SCALARS else f"const {real} {star}{name}" for name in self.names]
        outputs = [] if self.is_value else [f"{real} {star}{name}" for name in self.result_names]
        arguments = ", ".join([f"const symlie_problem {star}P", *inputs, *outputs])
        return f"{real if self.is_value else 'void'} {prefix}{self.name}({arguments})"


_LETTERS = {"λ": "lambda", "θ": "theta", "ξ": "xi"}

SCALARS = ("t", "h", "theta", "xi")
"""Arguments that are single numbers."""

SYSTEM_KERNELS = (
    SystemKernel("advance", "qu", "out", Gather.NODES, "storage", "q∘exp(u).", of_increments=True),
    SystemKernel("inverse_tangent_operator", "uw", "out", Gather.NODES, "dimension", "T⁻¹(u) w.", of_increments=True),
    SystemKernel("tangent_operator", "uw", "out", Gather.NODES, "dimension", "T(u) w."),
    SystemKernel("bracket", "uw", "out", Gather.NODES, "dimension", "[u, w]."),
    SystemKernel("difference", "qb", "out", Gather.NODES, "dimension",
                 "log(q⁻¹∘b), on groups; (|b - q|, 0, …) of stored components of nodes on other spaces."),
    SystemKernel("normalize", "q", "out", Gather.NODES, "storage", "q after one step back to the group."),
    SystemKernel("chart", "qu", "out", Gather.LARGEST, "",
                 "Largest squared rotation angle in u; more where coordinates pass a singularity on the way from q.",
                 of_increments=True),
    SystemKernel("coordinate_rate", "qw", "out", Gather.NODES, "dimension",
                 "Rates of local coordinates at q along velocities w, of models whose nodes have other ones than w.",
                 set=COORDINATE_RATES),
    SystemKernel("mass", "tq", "M", Gather.STORED, "mass", "Lower triangle of M(q).", in_stages=True),
    SystemKernel("constraint", "tq", "Phi", Gather.STORED, "rows", "Φ(t, q).", in_stages=True),
    SystemKernel("jacobian", "tqv", "B", Gather.STORED, "jacobian", "Nonzeros of B(t, q, v).", in_stages=True),
    SystemKernel("constraint_rate", "tqv", "b", Gather.STORED, "rows",
                 "b of B v + b = 0; of nonlinear constraints psi - B v, so that B v + b is psi.", in_stages=True),
    SystemKernel("curvature", "tqv", "Z", Gather.STORED, "rows", "Z of d/dt (B v + b) = B v' + Z.", in_stages=True),
    SystemKernel("force", "tqv", "g", Gather.VELOCITIES, "", "g(t, q, v) of M v' = -g - Bᵀ λ.", in_stages=True),
    SystemKernel("inverse_dynamics", "tqva", "r", Gather.VELOCITIES, "",
                 "M a + g, of models with trees of bodies, where it costs less than M and g."),
    SystemKernel("energy", "tqv", "E", Gather.TOTAL, "2", "Kinetic and potential energy."),
    SystemKernel("accelerated_energy", "tqva", "E", Gather.TOTAL, "1", "Energy that depends on accelerations."),
    SystemKernel("events", "tqvλ", "out", Gather.STORED, "events", "Scalars whose zeros are events."),
    SystemKernel("resets", "tqvλ", "out", Gather.STORED, "resets", "New values of components of the state at events."),
    SystemKernel("columns", "tqv", "C", Gather.STORED, "jacobian",
                 "Nonzeros of C of the constraint forces -Cᵀλ of models with friction; without friction, C = B.",
                 in_stages=True),
    SystemKernel("contacts", "tq", "out", Gather.STORED, "contacts",
                 "Coefficients of friction and of restitution of contacts; coefficients and limits of other friction."),
    SystemKernel("reactions", "tqvλ", "out", Gather.STORED, "reactions",
                 "Components of the reactions of constraints with friction.", in_stages=True),
    SystemKernel("switches", "tqv", "out", Gather.STORED, "switches",
                 "Functions whose signs choose pieces of forces and constraints."),
    SystemKernel("unwrapped", "tq", "out", Gather.STORED, "unwrapped", "Unwrapped angles, nearest to the values in q."),
    SystemKernel("unwrapped_rate", "tqv", "out", Gather.STORED, "unwrapped", "Rates of unwrapped angles."),
    SystemKernel("unwrapped_start", "tq", "out", Gather.STORED, "unwrapped", "Initial values of unwrapped angles."),
    SystemKernel("field", "tqvaλ", "f", Gather.OWN, "", "Algebra-valued field of nodes without velocity.",
                 in_stages=True),
    SystemKernel("dependent", "tqv", "x", Gather.OWN, "", "Dependent nodes, as differences from references if any."),
    SystemKernel("output", "tqvλ", "out", Gather.OWN, "", "The output {name}."),
    SystemKernel("symplectic", "tquhθ", "r J", Gather.OWN, "",
                 "u - h f(stage) of the symplectic θ-family, and its derivative by u."),
    SystemKernel("symplectic_end", "tquhθ", "out", Gather.OWN, "", "End of a step of the symplectic θ-family."),
    *(SystemKernel(s.name, "tqvaλ", " ".join(m.letter for m in s.matrices), Gather.STORED, "",
                   f"Nonzeros of {', '.join(f'{m.letter} = {m.meaning}' for m in s.matrices)}.", set=s.name)
      for s in SETS.values() if s.matrices and not s.kind),
    SystemKernel("conjugate_momentum", "tqv", "out", Gather.VELOCITIES, "", "p = ∂T/∂v.", set=DISCRETE),
    SystemKernel("load", "tqv", "out", Gather.VELOCITIES, "", "l = D_q V + ∂D/∂v - f.", set=DISCRETE),
    SystemKernel("start_momentum", "tqbuh", "out", Gather.VELOCITIES, "",
                 "p⁺ = -D₁L_d from q to b = q∘exp(u), without loads.", set=DISCRETE),
    SystemKernel("end_momentum", "tqbuh", "out", Gather.VELOCITIES, "",
                 "p⁻ = D₂L_d from q to b = q∘exp(u), without loads.", set=DISCRETE),
    SystemKernel("rolling", "tqbuh", "out", Gather.STORED, "rows",
                 "h (B v + b) of rows without Φ as L_d samples it, zero of others.", set=DISCRETE),
    SystemKernel("momentum_slopes", "tqbuh", "S N", Gather.STORED, "",
                 "Nonzeros of dp⁺/dθ, without loads, and of that of rolling.", set=DISCRETE),
    SystemKernel("load_slopes", "tqv", "K D", Gather.STORED, "", "Nonzeros of D_q l and of ∂l/∂v.", set=DISCRETE),
    SystemKernel("tangent_matrix", "u", "out", Gather.NODES, "square", "T(u), row by row of each node.", set="tangent"),
    SystemKernel("inverse_tangent_slope", "uwx", "out", Gather.NODES, "dimension",
                 "The derivative of T⁻¹(u) w by u along x.", set="slopes"),
    SystemKernel("advance_cayley", "qu", "out", Gather.NODES, "storage", "q∘cay(u); cay(u)·q of actions from the left.",
                 set="cayley"),
    SystemKernel("inverse_tangent_operator_cayley", "uw", "out", Gather.NODES, "dimension",
                 "T⁻¹(u) w of these coordinates.", set="cayley"),
    SystemKernel("chart_cayley", "qu", "out", Gather.LARGEST, "", "Below (2π)² where they are regular.", set="cayley"),
    SystemKernel("advance_second_kind", "qu", "out", Gather.NODES, "storage",
                 "q∘φ(u) with φ(u) = exp(u₁e₁)∘…∘exp(u_n e_n); φ(u)·q of actions from the left.", set="second_kind"),
    SystemKernel("inverse_tangent_operator_second_kind", "uw", "out", Gather.NODES, "dimension",
                 "T⁻¹(u) w of these coordinates.", set="second_kind"),
    SystemKernel("chart_second_kind", "qu", "out", Gather.LARGEST, "", "Below (2π)² where they are regular.",
                 set="second_kind"),
    SystemKernel("exponential", "u", "out", Gather.NODES, "storage", "exp(u).", set="increments"),
    SystemKernel("compose", "qb", "out", Gather.NODES, "storage", "q∘b.", set="increments"),
    SystemKernel("inverse", "q", "out", Gather.NODES, "storage", "q⁻¹.", set="increments"),
    SystemKernel("increment", "qb", "out", Gather.NODES, "dimension", "log(q⁻¹∘b) of elements near to each other.",
                 set="increments"),
    SystemKernel("storage_rate", "qw", "out", Gather.NODES, "storage", "Rate of the stored components along w.",
                 set="ambient"),
    SystemKernel("advance_interpolation", "quξ", "out", Gather.NODES, "storage", "q∘exp(ξ u).", set="interpolation"),
    SystemKernel("cotangent_interpolation", "uwξ", "out", Gather.NODES, "dimension",
                 "A_ξ(u)ᵀ w, at q, of w at q∘exp(ξ u), where u = log(q⁻¹∘b).", set="interpolation"),
    SystemKernel("matrix_interpolation", "uξ", "out", Gather.NODES, "square", "A_ξ(u), row by row of each node.",
                 set="interpolation"),
    SystemKernel("slopes_interpolation", "uwξ", "out", Gather.NODES, "square",
                 "The derivative of A_ξ(u)ᵀ w by u, row by row of each node.", set="interpolation"),
    SystemKernel("tangent_transpose", "uw", "out", Gather.NODES, "dimension", "T(u)ᵀ w.", set=ADJOINT),
    SystemKernel("inverse_tangent_transpose", "uw", "out", Gather.NODES, "dimension", "T⁻¹(u)ᵀ w.", set=ADJOINT),
    SystemKernel("inverse_tangent_gradient", "uwx", "out", Gather.NODES, "dimension",
                 "The gradient of xᵀ T⁻¹(u) w by u.", of_increments=True, set=ADJOINT),
    SystemKernel("bracket_transpose", "uw", "out", Gather.NODES, "dimension", "ad(u)ᵀ w, where ad(u) w = [u, w].",
                 set=ADJOINT),
    *(SystemKernel(f"{name}_gradient", "tqvaλ", "qb vb ab lb pb eb ub", Gather.OWN, "", f"The gradient of {meaning}.",
                   set=ADJOINT)
      for name, meaning in (("balance", "wᵀ(M a + g + Bᵀ λ) for fixed a"), ("position", "wᵀΦ"),
                            ("hidden", "wᵀ(B v + b)"), ("curvature", "wᵀ(B a + Z) for fixed a"),
                            ("field", "wᵀf of fields f"),
                            ("dependent", "wᵀ(F, V) of dependent nodes"),
                            ("dependent_increment", "wᵀ(F, D_q F v) of dependent nodes for increments v of all nodes"),
                            ("output", "wᵀy of outputs y"))),
    SystemKernel("motion_gradient", "t", "pb", Gather.OWN, "", "The gradient of wᵀ(q, v, v') of a prescribed node.",
                 set=ADJOINT),
    *(SystemKernel(name, "tquhθ", "qb tb pb eb ub", Gather.OWN, "", f"The gradient of {meaning}.", set=ADJOINT)
      for name, meaning in (("symplectic_gradient", "wᵀ(u - h f(stage)) of the symplectic θ-family"),
                            ("symplectic_end_gradient", "the end of a step of the symplectic θ-family along w"))),
    *(SystemKernel(f"{name}_gradient", "tqbuvh", "qb bb tb vb pb eb ub", Gather.OWN, "", f"The gradient of {meaning}.",
                   set=DISCRETE_GRADIENTS)
      for name, meaning in (("start_momentum", "wᵀp⁺"), ("end_momentum", "wᵀp⁻"),
                            ("rolling", "wᵀ(h (B v + b)) as L_d samples it"), ("momentum", "wᵀ∂T/∂v at q"),
                            ("load", "wᵀl at q"))),
)  # fmt: skip
"""All system kernels."""

KERNELS: Mapping[str, SystemKernel] = {k.name: k for k in SYSTEM_KERNELS}
"""Entries by name."""


def gathered(which: str, *ways: Gather) -> tuple[SystemKernel, ...]:
    """Return the kernels of a set that are assembled in the given ways, by default in any way but ``Gather.OWN``."""
    chosen = ways or tuple(way for way in Gather if way is not Gather.OWN)
    return tuple(k for k in SYSTEM_KERNELS if k.set == which and k.gather in chosen)


def instance_size(element: ElementType, size: str) -> int:
    """Return the number of stored values per element of a result whose size is named ``mass``, ``rows`` or the like."""
    sizes = {
        "mass": element.mass.count,
        "jacobian": element.jacobian.count,
        "rows": element.rows,
        "events": len(element.events),
        "resets": len(element.resets),
        "contacts": 2 * len(element.contacts),
        "reactions": sum(c.reactions for c in element.contacts),
        "switches": element.switches,
        "unwrapped": element.unwrapped,
    }
    return sizes[size]


def prototypes(kernels: Sequence[SystemKernel]) -> str:
    """Return the prototypes of exported functions."""
    return "".join(f"/* {k.meaning} */\n{k.declaration('symlie_')};\n" for k in kernels)
