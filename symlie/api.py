"""Overview of the stages: define → derive → emit → compile → run.

    model      = build(**options)                     symlie.modeling
    equations  = derive(model)                        symlie.derive
    files      = generated_files(equations)           symlie.emit, symlie.publish
    system     = load_system(files)                   symlie.compile, symlie.runtime
    solution   = solve(system, t_span, method, h)     symlie.runtime

Generated files are cached under a hash of the canonical text of the model definition, so the origin of a model and the
way in which its definition was computed do not matter. Ready-made models are found by name and options alone, before
SymPy is imported: symlie.models.systems.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symlie.contract.sets import CORE
from symlie.errors import GroupError, ModelError, UnknownNameError
from symlie.options import Backend, ExportTarget, Optimize
from symlie.publish.folders import folder_files, write_files
from symlie.publish.sets import generated_files, is_published, set_files
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.initial_values import InitialQuantity, InitialValues, Quantities
from symlie.runtime.system.loading import load_system
from symlie.runtime.system.system import System
from symlie.runtime.system.values import Timings
from symlie.utilities.reading import reading
from symlie.utilities.stages import watched_stages

if TYPE_CHECKING:
    from symlie.contract.discrete import DiscreteLagrangianLike
    from symlie.derive.continuum_equations import ContinuumEquations
    from symlie.derive.equations import Equations
    from symlie.elements.continua.continuum import Continuum
    from symlie.ensembles.store_index import StoredGroup
    from symlie.groups.group import LieGroup
    from symlie.groups.homogeneous import ConfigurationSpace
    from symlie.groups.rotation_parameters import RotationParameters
    from symlie.modeling.freezing import Freeze
    from symlie.modeling.model import Model


def derive(
    model: Model,
    options: tuple[tuple[str, object], ...] = (),
    *,
    freeze: Freeze = (),
    progress: bool | None = None,
) -> Equations:
    """Derive the equations of a model, unless the cache holds the kernels of an equal model definition."""
    from symlie.derive.equations import equations_of
    from symlie.elements.joints.placing import guess_outboard_velocities

    guess_outboard_velocities(model)
    for joint in model.joints:
        joint.check_placement()
    with watched_stages(progress):
        equations = equations_of(model, options).with_constants(freeze)
        if not is_published(equations, CORE):
            _ = equations.derived
    return equations


def compile_equations(
    equations: Equations, *, backend: Backend, optimize: Optimize, progress: bool | None = None
) -> System:
    """Emit, compile and load."""
    with watched_stages(progress) as stages:
        files = generated_files(equations)
        system = load_system(
            files,
            backend=backend,
            optimize=optimize,
            timings=Timings(equations.seconds.get("derive", 0.0), stages.seconds["emit"]),
            set_source=lambda name: set_files(equations, name),
        )
    return with_starts_of(system, lambda: equations.model)


def typeset(equations: Equations, form: str, *, newton: bool, variational: DiscreteLagrangianLike | None) -> str:
    """Typeset equations as ``"latex"`` or ``"markdown"``."""
    from symlie.runtime.tableaux.discrete_lagrangian import discrete_lagrangian
    from symlie.typeset.display import latex, markdown

    discrete = None if variational is None else discrete_lagrangian(variational)
    return (latex if form == "latex" else markdown)(equations, newton=newton, discrete=discrete)


def derive_continuum(continuum: Continuum) -> ContinuumEquations:
    """Derive the continuous equations of a continuum from its densities."""
    from symlie.derive.continuum_equations import continuum_equations

    return continuum_equations(continuum)


def typeset_continuum(equations: ContinuumEquations, form: str) -> str:
    """Typeset continuous equations as ``"latex"`` or ``"markdown"``."""
    from symlie.typeset.continuum_formulas import latex, markdown

    return (latex if form == "latex" else markdown)(equations)


def write_generated(equations: Equations, folder: str | Path) -> Path:
    """Write the generated files of a model into a folder."""
    return write_files(folder_files(equations), folder)


def with_starts_of(system: System, model: Callable[[], Model]) -> System:
    """Return the system with the derived initial quantities of its model: quantities of arrays and joint
    coordinates.
    """
    return dataclasses.replace(
        system,
        quantity_source=functools.cache(lambda: initial_quantities(model())),
        joint_source=lambda: {joint.name: joint.placed_values for joint in model().joints},
        branch_check=(lambda values: _check_branches(model(), values)) if system.layout.joints else None,
    )


def _check_branches(model: Model, values: InitialValues) -> None:
    from symlie.elements.joints.placing import starting_from

    with starting_from(model, values):
        for joint in model.joints:
            joint.check_branch()


def initial_quantities(model: Model) -> Quantities:
    """Return the quantities that may replace fields as initial values of the nodes of a model, by node and name."""
    from symlie.groups.rotation_parameters import stepped_rotation

    found = {
        (array.name, name): InitialQuantity(quantity.field.name, quantity.size, quantity.function, quantity.arguments)
        for array in model.arrays
        for name, quantity in array.quantities.items()
    }
    for node in model.nodes:
        if (turned := stepped_rotation(node.group)) is not None:
            quantity = _initial_turning(turned.parameters, [f.name for f in node.group.velocity_fields])
            found[node.name, quantity.arguments[0]] = quantity
    for name, (angle, rate) in model.joint_coordinates.items():
        for label, field in ((angle, "x"), (rate, "x_dot")):
            found[name, label] = InitialQuantity(field, 1, lambda **given: next(iter(given.values())), (label,))
    return found


def _initial_turning(parameters: RotationParameters, velocities: Sequence[str]) -> InitialQuantity:
    """Return Ω as an alternative to the rates of rotation parameters, or the rates as an alternative to Ω."""
    field, rates = parameters.field, f"{parameters.field}_dot"
    given, own, matrix = ("Omega", rates, parameters.rates_by_spin)
    if own not in velocities:
        given, own, matrix = rates, "Omega", parameters.spin_by_rates

    def turning(**stated: Array) -> list[Array]:
        return [matrix(rho) @ value for rho, value in zip(stated[field], stated[given], strict=True)]

    return InitialQuantity(own, 3 if given == "Omega" else parameters.size, turning, (given, field))


def system_on_group(stored: StoredGroup) -> System | None:
    """Return a system with one node or node array on the group named in a store index, or None for a nonstandard
    group.
    """
    from symlie.groups.classical.coordinates import classical_group
    from symlie.groups.group import LieGroup
    from symlie.modeling.element_type import ElementType
    from symlie.modeling.model import Model
    from symlie.modeling.values import given_space

    group: ConfigurationSpace | None
    try:
        group = given_space(stored.group)
    except (GroupError, ModelError, UnknownNameError):
        group = classical_group(stored.group)
    if not isinstance(group, LieGroup):
        return None
    with reading("The index of the store"):
        model, element = Model("on_group"), ElementType("moving", node=group)
        element.kinetic_energy(element.node.v.dot(element.node.v) / 2)
        if stored.count:
            nodes = model.node_array(stored.node, group, stored.count)
            model.add(element, [nodes[k] for k in range(stored.count)])
        else:
            model.add(element, [model.node(stored.node, group)])
    found = derive(model).compile(backend="numpy")
    return found if stored.is_of(found.layout) else None


def export(system: System, target: ExportTarget, out: str | Path, **stated: Any) -> Path:
    """Write self-contained C or a functional mock-up unit; see `System.export`."""
    from symlie.export.targets import exported

    return exported(system, target, out, **stated)


def operator_files(
    group: LieGroup,
    target: str,
    *,
    prefix: str,
    real: str = "double",
    progress: Callable[[float], None] | None = None,
) -> dict[str, str]:
    """Return stand-alone source of exp, log, Ad, T, T⁻¹ and derivatives of a group with a self-test, by file name."""
    from symlie.certify import operator_certificate
    from symlie.derive.operators.group import group_operators
    from symlie.emit.operators.files import check_options, emit_operators

    check_options(target, prefix, real)
    operators = group_operators(group, real, progress)
    files = emit_operators(operators, target, prefix)
    return files | {"certificate.json": operator_certificate(operators)}
