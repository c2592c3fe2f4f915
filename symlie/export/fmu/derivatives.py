"""Derivatives of units: the equations of motion for numbers with tangents, as C++."""

from __future__ import annotations

import dataclasses

from symlie.contract.kernels import REAL, SCALAR
from symlie.export.c import template_values
from symlie.export.constants import problem_constants
from symlie.export.plan import ExportPlan, export_plan
from symlie.export.structures import c_array
from symlie.export.unit import one_unit
from symlie.runtime.integrate.driver_library import tangents_files
from symlie.runtime.integrate.run_options import RunOptions
from symlie.utilities.templating import render

DERIVATIVES = "derivatives.cpp"
"""The file to be compiled as C++."""


def has_derivatives(plan: ExportPlan) -> bool:
    """Return whether rates and outputs have derivatives: multipliers of redundant constraints result from an iteration,
    which is not differentiated, and code of changes at events has no numbers with tangents."""
    return plan.dependent_rows == 0 and not plan.layout.changes_state and not plan.layout.has_activities


def derivatives_source(plan: ExportPlan, prefix: str) -> str:
    """Return the source that evaluates rates, multipliers, outputs and event functions with one tangent."""
    if plan.method.is_polynomial:
        # Derivatives are those of the equations, and series have no numbers with tangents.
        other = export_plan(plan.system, RunOptions(), plan.h)
        plan = dataclasses.replace(plan, method=other.method, fixed=other.fixed, adaptive=other.adaptive)
    system, name = plan.system, plan.layout.name
    files = dict(tangents_files(system, plan.method, 1))
    lines = [line for line in files.pop("tangents.cpp").splitlines() if line != '#include "differentiate.h"']
    files |= {n: text for n, text in system.sets.files("ambient").items() if n.endswith(".h")}
    known = template_values(plan, prefix)
    data = [problem_constants(plan), c_array("default_slots", plan.tables.slots)]
    # Tables hold numbers without tangents.
    constants = "\n\n".join(data).replace(REAL, SCALAR)
    files[DERIVATIVES] = render("fmi/derivatives.cpp.jinja", **known, lines=lines, data=constants)
    head = f"/* Derivatives of {name}, written by symlie; C++ of GCC and Clang. */\n"
    return head + one_unit(files, DERIVATIVES, {})
