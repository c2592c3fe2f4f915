"""Sets of kernels: derived, emitted and loaded together, each on first use.

Every model has the set ``core``; the other sets have separate files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from symlie.contract.discrete import DISCRETE_LAGRANGIANS, DiscreteLagrangian
from symlie.errors import UnknownNameError

CORE = "core"
"""Set of every run; its files are named after the model only."""

ADJOINT = "adjoint"
"""Set of gradients by states, parameters and inputs, for derivatives of runs in reverse."""

COORDINATE_RATES = "coordinate_rates"
"""Part of the core files if nodes are stepped in stored coordinates of rotations."""


@dataclass(frozen=True)
class MatrixKind:
    """Matrix of derivatives of a whole system."""

    # Rows and columns are ``velocities`` (components), ``components`` of local coordinates of all nodes, ``rows``
    # (constraint equations), ``inputs``, ``parameters`` (of the model, then of all elements), ``outputs`` or
    # ``local_outputs``, or ``one`` column.

    name: str
    letter: str
    rows: str
    columns: str
    meaning: str


@dataclass(frozen=True)
class KernelSet:
    """Set of kernels of node types, or of one kernel of element types that computes the stored values of matrices."""

    name: str
    meaning: str
    matrices: tuple[MatrixKind, ...] = ()
    kind: str = ""
    """Set name of its entries in the table of system kernels; by default the name of the set."""
    discrete: DiscreteLagrangian | None = None
    """Discrete Lagrangian from which it is derived."""
    parameters: tuple[str, ...] | None = None
    """Parameters of its derivatives, NAME of the model or TYPE.NAME of element types; None: all."""

    @property
    def rows(self) -> str:
        """Set name of its entries in the table of system kernels."""
        return self.kind or self.name

    def files(self, model: str) -> tuple[str, ...]:
        """Names of its files: C header and source, NumPy module, and table."""
        return tuple(f"{model}_{self.name}{end}" for end in (".h", ".c", ".py", ".json"))


_NEWTON = (
    MatrixKind("stiffness", "K", "velocities", "velocities", "D_q(M a + g + Bᵀ λ)"),
    MatrixKind("damping", "C", "velocities", "velocities", "∂g/∂v"),
    MatrixKind("hidden", "H", "rows", "velocities", "D_q(B v + b)"),
)

_PORTS = (
    MatrixKind("force_by_input", "Fu", "velocities", "inputs", "∂(M a + g + Bᵀ λ)/∂u"),
    MatrixKind("constraint_by_input", "Pu", "rows", "inputs", "∂Φ/∂u"),
    MatrixKind("hidden_by_input", "Bu", "rows", "inputs", "∂(B v + b)/∂u"),
    MatrixKind("output_by_configuration", "Yq", "outputs", "velocities", "D_q y"),
    MatrixKind("output_by_velocity", "Yv", "outputs", "velocities", "∂y/∂v"),
    MatrixKind("output_by_multipliers", "Yl", "outputs", "rows", "∂y/∂λ"),
    MatrixKind("output_by_input", "Yu", "outputs", "inputs", "∂y/∂u"),
)

_VARIATIONS = (
    MatrixKind("curvature_by_configuration", "Zq", "rows", "components", "D_q(B a + Z)"),
    MatrixKind("curvature_by_velocity", "Zv", "rows", "velocities", "∂Z/∂v"),
)

_DEPENDENTS = (
    MatrixKind("configuration_by_configuration", "Fq", "components", "components", "D_q F of dependent nodes"),
    MatrixKind("velocity_by_configuration", "Vq", "components", "components", "D_q of their velocities"),
    MatrixKind("velocity_by_velocity", "Vv", "components", "velocities", "∂/∂v of their velocities"),
)

_FIELDS = (
    MatrixKind("field_by_configuration", "Sq", "components", "components", "D_y [M v' + g + Bᵀ λ; -f], unless in K"),
    MatrixKind("field_by_velocity", "Sv", "components", "velocities", "∂(-f)/∂v"),
    MatrixKind("field_by_acceleration", "Sa", "components", "velocities", "∂(-f)/∂v'"),
    MatrixKind("field_by_multipliers", "Sl", "components", "rows", "∂(-f)/∂λ"),
)

_SENSITIVITIES = (
    MatrixKind("force_by_parameter", "Fp", "velocities", "parameters", "∂(M a + g + Bᵀ λ)/∂p"),
    MatrixKind("constraint_by_parameter", "Pp", "rows", "parameters", "∂Φ/∂p"),
    MatrixKind("hidden_by_parameter", "Hp", "rows", "parameters", "∂(B v + b)/∂p"),
    MatrixKind("curvature_by_parameter", "Zp", "rows", "parameters", "∂(B a + Z)/∂p"),
    MatrixKind("field_by_parameter", "Sp", "components", "parameters", "∂(-f)/∂p"),
    MatrixKind("output_by_parameter", "Yp", "outputs", "parameters", "∂y/∂p"),
    MatrixKind("output_by_state", "Ys", "outputs", "components", "D_y of outputs by first-order states"),
    MatrixKind("curvature_by_input", "Zu", "rows", "inputs", "∂(B a + Z)/∂u"),
    MatrixKind("field_by_input", "Su", "components", "inputs", "∂(-f)/∂u"),
)

_LOCAL_OUTPUTS = (MatrixKind("local_outputs", "y", "local_outputs", "one", "outputs of each instance"),)

_DISCRETE = (
    MatrixKind("momentum_by_increment", "S", "velocities", "velocities", "dp⁺/dθ"),
    MatrixKind("rolling_by_increment", "N", "rows", "velocities", "the derivative of h (B v + b) by θ"),
    MatrixKind("load_by_configuration", "K", "velocities", "velocities", "D_q l"),
    MatrixKind("load_by_velocity", "D", "velocities", "velocities", "∂l/∂v"),
)

DISCRETE = "discrete"
"""Kind of the sets of variational methods."""


def discrete_set(stated: DiscreteLagrangian) -> KernelSet:
    """Return the set of momenta of a discrete Lagrangian and register it under its name."""
    meaning = f"momenta of the discrete Lagrangian {stated.name}"
    found = KernelSet(f"{DISCRETE}_{stated.identifier}", meaning, _DISCRETE, DISCRETE, stated)
    return _STATED.setdefault(found.name, found)


DISCRETE_GRADIENTS = "discrete_gradients"
"""Kind of the sets of gradients of these methods, for derivatives of runs in reverse."""


def discrete_gradient_set(stated: DiscreteLagrangian) -> KernelSet:
    """Return the set of gradients of a discrete Lagrangian and register it under its name."""
    meaning = f"gradients of the momenta of the discrete Lagrangian {stated.name}"
    name = f"{DISCRETE_GRADIENTS}_{stated.identifier}"
    return _STATED.setdefault(name, KernelSet(name, meaning, (), DISCRETE_GRADIENTS, stated))


SENSITIVITIES = "sensitivities"
"""Set of derivatives by all parameters, and kind of the sets by some of them."""


def sensitivity_set(parameters: Iterable[str]) -> KernelSet:
    """Return the set of derivatives by some parameters, NAME of the model or TYPE.NAME of element types, and register
    it under its name."""
    names = tuple(sorted(set(parameters)))
    digest = hashlib.sha256("\n".join(names).encode()).hexdigest()[:12]
    meaning = f"derivatives by {', '.join(names) or 'inputs'}"
    found = KernelSet(f"{SENSITIVITIES}_{digest}", meaning, _SENSITIVITIES, SENSITIVITIES, parameters=names)
    return _STATED.setdefault(found.name, found)


_STATED: dict[str, KernelSet] = {}


def kernel_set(name: str) -> KernelSet:
    """Return the set of this name, built-in or of a user-defined discrete Lagrangian."""
    return known_sets()[name]


def known_sets() -> dict[str, KernelSet]:
    """Return all sets by name, including sets of user-defined discrete Lagrangians and of some parameters."""
    return {**SETS, **_STATED}


SETS: Mapping[str, KernelSet] = {
    s.name: s
    for s in (
        KernelSet("newton", "Newton matrices", _NEWTON),
        KernelSet("ports", "derivatives by inputs and of outputs", _PORTS),
        KernelSet("variations", "derivatives of constraints on accelerations", _VARIATIONS),
        KernelSet("dependents", "derivatives of dependent nodes", _DEPENDENTS),
        KernelSet("fields", "derivatives of fields f, and of forces by what they move", _FIELDS),
        KernelSet(SENSITIVITIES, "derivatives by parameters", _SENSITIVITIES),
        KernelSet("local_outputs", "outputs of each instance", _LOCAL_OUTPUTS),
        KernelSet("tangent", "tangent operators as matrices"),
        KernelSet("slopes", "derivatives of inverse tangent operators"),
        KernelSet("cayley", "steps in coordinates of the Cayley map"),
        KernelSet("second_kind", "steps in coordinates of the second kind"),
        KernelSet("increments", "products of increments"),
        KernelSet("ambient", "steps of the stored components"),
        KernelSet("interpolation", "interpolation between configurations"),
        KernelSet("jets", "Taylor coefficients"),
        KernelSet(ADJOINT, "gradients by states, parameters and inputs"),
        *(discrete_set(stated) for stated in DISCRETE_LAGRANGIANS.values()),
        *(discrete_gradient_set(stated) for stated in DISCRETE_LAGRANGIANS.values()),
    )
}
"""All sets except ``core``."""

IN_FOLDERS = ("newton", "ports")
"""Sets that generated folders contain by default."""


def chosen_sets(text: str) -> tuple[str, ...] | None:
    """Return the sets in a comma-separated text besides ``core``; None for ``all``. Raise `UnknownNameError` for
    unknown ones."""
    if text == "all":
        return None
    names = [name.strip() for name in text.split(",")]
    unknown = [name for name in names if name not in (CORE, *SETS)]
    if unknown:
        raise UnknownNameError(f"Unknown set of kernels '{unknown[0]}'; use: {', '.join((CORE, *SETS))}.")
    return tuple(name for name in SETS if name in names)


def without_sets(files: Mapping[str, str], model: str) -> dict[str, str]:
    """Return the files by name without files of sets, including sets of unknown user-defined discrete Lagrangians."""
    apart = {name for s in SETS.values() for name in s.files(model)}
    others = tuple(f"{model}_{kind}_" for kind in (DISCRETE, SENSITIVITIES))
    return {n: text for n, text in files.items() if n not in apart and not n.startswith(others)}
