"""Self-contained C of a system with a method: header, one translation unit, self-test, and description."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from symlie.compile.headers import with_headers
from symlie.export import description
from symlie.export.comments import commented
from symlie.export.constants import constants_of
from symlie.export.definitions import local, used
from symlie.export.names import checked_prefix
from symlie.export.plan import ExportPlan
from symlie.export.single import in_single
from symlie.export.start import start_rule
from symlie.export.unit import one_unit
from symlie.runtime.integrate.driver_library import driver_files
from symlie.utilities.templating import environment, render
from symlie.version import VERSION

API = (
    "initialize", "step", "advance", "outputs", "events", "energy", "residuals", "project", "save", "restore",
    "acceleration", "inverse_dynamics",
)  # fmt: skip
"""Functions of every exported program."""


RATES = ("rates", "drift", "take_state")
"""Functions for programs that integrate the states themselves."""

CHANGES = ("change", "idle_events")
"""Functions for these programs if events change the state."""

KERNELS = (
    "mass", "jacobian", "constraint", "constraint_rate", "force", "inverse_dynamics", "energy", "events", "normalize",
    "prescribe",
)  # fmt: skip
"""Kernels that initial values and evaluations call, which time loops inline."""


TYPES = ("real", "state", "parameters", "status")
"""Types of every exported program."""


def exported_names(plan: ExportPlan, prefix: str) -> list[str]:
    """Return the names with external linkage."""
    names = [*API, "default_parameters", *(["linearize"] if plan.linearizes else [])]
    names += RATES if plan.with_rates else ()
    names += CHANGES if plan.with_changes else ()
    names += ["complete"] if plan.completes_steps else []
    for i in plan.tables.inputs:
        names += [f"set_input_{i.identifier}", f"set_input_rate_{i.identifier}"]
    return [f"{prefix}_{name}" for name in names]


def source_files(plan: ExportPlan, prefix: str) -> dict[str, str]:
    """Return ``PREFIX.h`` and ``PREFIX.c``."""
    known = template_values(plan, checked_prefix(prefix))
    header = render("c/export/header.h.jinja", **known)
    files = dict(driver_files(plan.system, plan.method))
    lines = files.pop("driver.c").rstrip("\n").split("\n")
    if plan.linearizes:
        files |= {n: text for n, text in plan.system.sets.files("newton").items() if n.endswith(".h")}
    known["identity"] = int(hashlib.sha256(header.encode()).hexdigest()[:15], 16)
    if plan.with_rates:
        files |= {n: text for n, text in plan.system.sets.files("ambient").items() if n.endswith(".h")}
    exported = exported_names(plan, prefix)
    files = {name: _without(text, [*exported, *(f"{prefix}_{end}" for end in TYPES)]) for name, text in files.items()}
    files["exported.c"] = render("c/export/source.c.jinja", **known, driver_lines=lines, data=constants_of(plan))
    files = with_headers(files)
    unit = commented(used(local(one_unit(files, "exported.c", {}), exported), exported), plan)
    if plan.real == "float":
        unit = in_single(unit)
    head = render("c/export/opening.h.jinja", **known)
    return {f"{prefix}.h": header, f"{prefix}.c": head + unit}


def _without(text: str, names: Sequence[str]) -> str:
    """Return a text of kernels in which none of the names of the program occurs."""
    return re.sub(rf"\b({'|'.join(names)})\b(?!\.)", r"\1_kernel", text)


def template_values(plan: ExportPlan, prefix: str) -> dict[str, object]:
    """Return the values of the templates of an exported program."""
    environment().filters.setdefault("at_least_one", lambda n: max(int(n), 1))
    layout = plan.layout
    return {
        "p": prefix,
        "P": prefix.upper(),
        "model": layout.name,
        "method": plan.method.name,
        "version": VERSION,
        "real": plan.real,
        "h": repr(plan.h),
        "sizes": description.sizes(plan),
        "fixed": plan.fixed is not None,
        "adaptive": plan.adaptive is not None,
        "statuses": description.statuses(),
        "counters": description.counters(),
        "outputs": description.outputs(layout),
        "events": description.events(layout),
        "parameters": description.parameter_fields(plan),
        "elements": description.element_places(plan),
        "inputs": [{**vars(i), "comment": f"{i.name}{f' in {i.unit}' if i.unit else ''}"} for i in plan.tables.inputs],
        "q_comment": description.node_comment(layout, "storage"),
        "v_comment": description.node_comment(layout, "velocity"),
        "lambda_comment": description.constraint_comment(layout),
        "linearizes": plan.linearizes,
        "rates": plan.with_rates,
        "changes": plan.with_changes,
        "completes": plan.completes_steps,
        "includes_newton": plan.includes_newton,
        "first_order": plan.method.first_order,
        "polynomial": plan.method.is_polynomial,
        "dependent_rows": plan.dependent_rows,
        "start": start_rule(plan),
        "kernels": KERNELS,
    }
