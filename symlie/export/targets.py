"""Targets of exports: a folder of C, or a functional mock-up unit."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import get_args

from numpy.typing import ArrayLike

from symlie.errors import ModelError, UnknownNameError, UnsupportedMethodError
from symlie.export.fmu.corotation import Corotation, corotations
from symlie.export.fmu.unit import write_unit
from symlie.export.folder import c_folder
from symlie.export.names import checked_prefix
from symlie.export.plan import ExportPlan, export_plan
from symlie.export.single import DEFAULT_TOLERANCE, LEAST_TOLERANCE
from symlie.options import ExportKind, ExportPlatform, ExportReal, ExportStates, ExportTarget, Stabilization
from symlie.publish.folders import write_files
from symlie.runtime.integrate.request import least_tolerance
from symlie.runtime.integrate.run_options import RunOptions
from symlie.runtime.methods.chosen import MethodLike
from symlie.runtime.system.system import System


def exported(
    system: System,
    target: ExportTarget,
    out: str | Path,
    *,
    method: MethodLike | None = None,
    method_options: Mapping[str, object] | None = None,
    h: float | None = None,
    rtol: ArrayLike | None = None,
    atol: ArrayLike | None = None,
    stabilize: Stabilization = "none",
    prefix: str | None = None,
    kind: ExportKind = "cs",
    real: ExportReal = "double",
    platforms: Sequence[ExportPlatform] = (),
    states: ExportStates = "own",
) -> Path:
    """See `symlie.runtime.system.system.System.export`."""
    if target not in get_args(ExportTarget):
        raise UnknownNameError(f"Unknown target '{target}'; use one of: {', '.join(get_args(ExportTarget))}.")
    if not str(out):
        raise ModelError("The name of the folder or file to write is empty.")
    out = Path(out)
    options = RunOptions(
        method=method, method_options=method_options, rtol=rtol, atol=atol, stabilize=stabilize, h=None
    )
    if kind not in get_args(ExportKind):
        raise UnknownNameError(f"Unknown kind '{kind}'; use one of: {', '.join(get_args(ExportKind))}.")
    if real not in get_args(ExportReal):
        raise UnknownNameError(f"Unknown number type '{real}'; use one of: {', '.join(get_args(ExportReal))}.")
    if real == "float":
        if target != "c":
            raise ModelError(f"The numbers of a unit for {target} are doubles; export C for floats.")
        options = single_tolerances(options, h)
    if states not in get_args(ExportStates):
        raise UnknownNameError(f"Unknown states '{states}'; use one of: {', '.join(get_args(ExportStates))}.")
    name = checked_prefix(system.name if prefix is None else prefix)
    plan = export_plan(system, options, h, real)
    if real == "float" and plan.method.is_polynomial:
        raise UnsupportedMethodError(
            f"Method '{plan.method.name}' cannot be exported with floats, because its orders and step sizes follow "
            "from the rounding of doubles; use doubles, or another method."
        )
    if plan.method.steps_over(plan.layout):
        raise UnsupportedMethodError(
            f"Exported code of '{system.name}' cannot step over the impacts of contacts, as '{plan.method.name}' does; "
            "use half_explicit_2, …, half_explicit_5."
        )
    rotating = rotating_parts(plan, target, kind) if states == "corotating" else []
    if target == "c":
        if platforms:
            raise ModelError("Binaries for other systems are part of units; C has none.")
        return write_files(c_folder(plan, name), out)
    if out.suffix != ".fmu" or not out.absolute().parent.is_dir():
        raise ModelError(f"{out} must be a file in an existing folder, and its name must end in .fmu.")
    if kind != "cs":
        check_exchange(plan)
        plan = dataclasses.replace(plan, with_rates=True)
    return write_unit(plan, int(target[-1]), name, step_of_unit(plan, h), kind, out, platforms, rotating)


def single_tolerances(options: RunOptions, h: float | None) -> RunOptions:
    """Return options with the tolerances of floats; raise `ModelError` if stated ones are below their rounding."""
    if options.rtol is None and options.atol is None:
        return options if h is not None else dataclasses.replace(options, rtol=DEFAULT_TOLERANCE)
    if least_tolerance(options.rtol, options.atol) < LEAST_TOLERANCE:
        raise ModelError(
            f"Tolerances below {LEAST_TOLERANCE} are below the rounding of floats over a step; use larger ones, or "
            "doubles."
        )
    return options


def check_exchange(plan: ExportPlan) -> None:
    """Raise `UnsupportedMethodError` if another program cannot integrate the states of a system."""
    if plan.layout.constrains_dependent_nodes:
        raise UnsupportedMethodError(
            f"Units for model exchange do not support constraints on dependent nodes, which '{plan.layout.name}' has, "
            "because projections move independent nodes alone; use kind='cs'."
        )


def rotating_parts(plan: ExportPlan, target: ExportTarget, kind: ExportKind) -> list[Corotation]:
    """Return the parts of the states that rotate with bodies; raise `ModelError` if the export has none."""
    if target == "c" or kind == "cs":
        raise ModelError("Only units for model exchange have co-rotating states; use kind='me' or kind='both'.")
    if not (found := corotations(plan.layout)):
        raise ModelError(
            "Co-rotating states need nodes with angular velocities, whose rotations are unit quaternions or matrices; "
            f"'{plan.layout.name}' has none. Use a group such as S3 or SE3, or states='own'."
        )
    return found


def step_of_unit(plan: ExportPlan, h: float | None) -> float:
    """Return the step size of a unit, in s; 0 for adaptive steps."""
    return plan.h if h is not None or plan.adaptive is None else 0.0
