"""Themes of the reference: groups of public names by module."""

from __future__ import annotations

import ast
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import symlie as sl

LIST = Path(sl.__file__).with_suffix(".pyi")


@dataclass(frozen=True)
class Theme:
    """A part of the reference."""

    title: str
    about: str
    """Sentence below the title."""
    modules: tuple[str, ...]
    """Modules of the theme, including submodules; the longest matching name takes precedence."""

    @property
    def page(self) -> str:
        """Name of the page."""
        return self.title.lower().replace(",", "").replace(" ", "_")


THEMES = (
    Theme("Models", "Definition of models.", ("symlie.modeling",)),
    Theme("Functions of expressions", "Functions of SymPy, with the names of SymPy.", ("sympy",)),
    Theme("Units", "Units of numbers in a model definition.", ("symlie.utilities.unit_names",)),
    Theme("Groups and manifolds", "Configuration spaces of nodes.", ("symlie.groups", "symlie.rotations")),
    Theme(
        "Bodies, rods and continua",
        "Built-in elements.",
        ("symlie.elements", "symlie.inertia", "symlie.section"),
    ),
    Theme("Joints", "Constraints between bodies.", ("symlie.elements.joints", "symlie.joints")),
    Theme("Robots from files", "Import of URDF and MJCF files.", ("symlie.importing",)),
    Theme("Forces", "Springs, drives of joints, contact.", ("symlie.elements.forces",)),
    Theme("Equations", "Derived equations of motion.", ("symlie.derive",)),
    Theme("Systems and runs", "Compiled models and their integration.", ("symlie.runtime",)),
    Theme(
        "Methods",
        "Integrators and their coefficients.",
        ("symlie.runtime.methods", "symlie.runtime.tableaux", "symlie.steps"),
    ),
    Theme("Solutions", "Results of runs.", ("symlie.runtime.solution",)),
    Theme(
        "Figures and views",
        "Figures and 3-D views of solutions.",
        ("symlie.runtime.plot", "symlie.view", "symlie.contract"),
    ),
    Theme(
        "Equilibria and small motions",
        "Statics, vibrations, mobility, steady and periodic motions.",
        ("symlie.runtime.statics",),
    ),
    Theme("Studies", "Errors versus step sizes.", ("symlie.runtime.study",)),
    Theme(
        "Sensitivities and fits",
        "Derivatives of runs and equilibria, parameters from measured outputs, and optimal inputs.",
        (
            "symlie.runtime.integrate.sensitivities",
            "symlie.runtime.statics.sensitivities",
            "symlie.runtime.study.fit",
            "symlie.runtime.study.control",
        ),
    ),
    Theme("Ensembles", "Many runs of one system.", ("symlie.ensembles",)),
    Theme("Errors and warnings", "Exceptions and warnings.", ("symlie.errors", "symlie.warnings")),
)


def public_modules() -> dict[str, str]:
    """Return the module of each public name, in the order of the list of public names."""
    imports = [s for s in ast.parse(LIST.read_text(encoding="utf-8")).body if isinstance(s, ast.ImportFrom)]
    pairs = ((alias.name, str(s.module)) for s in imports for alias in s.names)
    return {name: f"symlie.{name}" if module == "symlie" else module for name, module in pairs}


def names_by_theme() -> dict[Theme, list[str]]:
    """Return the public names of each theme.

    Raises
    ------
    LookupError
        A name has no theme.
    """
    found = defaultdict[Theme, list[str]](list)
    for name, module in public_modules().items():
        fitting = [(len(m), t) for t in THEMES for m in t.modules if f"{module}.".startswith(f"{m}.")]
        if not fitting:
            raise LookupError(f"symlie.{name} of {module} has no theme: add its module to {Path(__file__).name}")
        found[max(fitting, key=lambda pair: pair[0])[1]].append(name)
    return {theme: found[theme] for theme in THEMES}
