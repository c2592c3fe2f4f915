"""symlie: from a symbolic statement of a mechanical system on a Lie group to fast kernels and their integration.

``import symlie`` is lazy: the names below are imported when first used, and running a generated folder never imports
SymPy.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sympy import (
        Abs,
        Heaviside,
        Max,
        Min,
        Piecewise,
        Rational,
        acos,
        asin,
        atan,
        atan2,
        cos,
        cosh,
        exp,
        pi,
        sign,
        sin,
        sinh,
        sqrt,
        tan,
        tanh,
    )

    from symlie import errors
    from symlie.elements.cosserat_rod import CosseratRod
    from symlie.groups.definition import lie_group
    from symlie.groups.frames import frame_space
    from symlie.groups.group import direct_product
    from symlie.groups.homogeneous import homogeneous_space
    from symlie.groups.matrix_group import matrix_group
    from symlie.groups.semidirect import semidirect_product
    from symlie.groups.spaces import S2, TS2, cotangent_space, dual_space, product_space, translation_space
    from symlie.groups.standard import S3, SE2, SE3, SO2, SO3, S3sR3, SO3rv, group_from_name, real_space
    from symlie.groups.stated_functions import analytic_function
    from symlie.modeling.element_type import ElementType
    from symlie.modeling.expressions import diag, eye, select, vector
    from symlie.modeling.model import Model
    from symlie.notices import Notice
    from symlie.rotations import rotation
    from symlie.runtime.integrate.checkpoint import resume
    from symlie.runtime.integrate.solve import solve
    from symlie.runtime.methods.chosen import load_tableau
    from symlie.runtime.plot.convergence_figure import plot_convergence
    from symlie.runtime.plot.step_figure import plot_steps
    from symlie.runtime.solution.file import load_solution
    from symlie.runtime.solution.solution import Solution
    from symlie.runtime.study.convergence import convergence
    from symlie.runtime.system.loading import load
    from symlie.runtime.system.system import System
    from symlie.unit_names import centi, deg, giga, kilo, mega, micro, milli, mm, nano, rpm, unit

_SOURCES: dict[str, tuple[str, ...]] = {
    "sympy": (
        "Abs",
        "Heaviside",
        "Max",
        "Min",
        "Piecewise",
        "Rational",
        "acos",
        "asin",
        "atan",
        "atan2",
        "cos",
        "cosh",
        "exp",
        "pi",
        "sign",
        "sin",
        "sinh",
        "sqrt",
        "tan",
        "tanh",
    ),
    "symlie": ("errors",),
    "symlie.groups.definition": ("lie_group",),
    "symlie.groups.frames": ("frame_space",),
    "symlie.groups.group": ("direct_product",),
    "symlie.groups.homogeneous": ("homogeneous_space",),
    "symlie.groups.matrix_group": ("matrix_group",),
    "symlie.groups.semidirect": ("semidirect_product",),
    "symlie.groups.spaces": ("S2", "TS2", "cotangent_space", "dual_space", "product_space", "translation_space"),
    "symlie.groups.standard": (
        "S3",
        "SE2",
        "SE3",
        "SO2",
        "SO3",
        "S3sR3",
        "SO3rv",
        "group_from_name",
        "real_space",
    ),
    "symlie.groups.stated_functions": ("analytic_function",),
    "symlie.modeling.element_type": ("ElementType",),
    "symlie.modeling.expressions": ("diag", "eye", "select", "vector"),
    "symlie.modeling.model": ("Model",),
    "symlie.elements.cosserat_rod": ("CosseratRod",),
    "symlie.notices": ("Notice",),
    "symlie.rotations": ("rotation",),
    "symlie.runtime.study.convergence": ("convergence",),
    "symlie.runtime.plot.convergence_figure": ("plot_convergence",),
    "symlie.runtime.integrate.solve": ("solve",),
    "symlie.runtime.solution.solution": ("Solution",),
    "symlie.runtime.plot.step_figure": ("plot_steps",),
    "symlie.runtime.integrate.checkpoint": ("resume",),
    "symlie.runtime.solution.file": ("load_solution",),
    "symlie.runtime.system.loading": ("load",),
    "symlie.runtime.methods.chosen": ("load_tableau",),
    "symlie.runtime.system.system": ("System",),
    "symlie.unit_names": ("centi", "deg", "giga", "kilo", "mega", "micro", "milli", "mm", "nano", "rpm", "unit"),
}
_MODULE_OF = {name: module for module, names in _SOURCES.items() for name in names}

__all__ = [
    "S2", "S3", "SE2", "SE3", "SO2", "SO3", "TS2", "Abs", "CosseratRod", "ElementType", "Heaviside", "Max", "Min",
    "Model", "Notice", "Piecewise", "Rational", "S3sR3", "SO3rv", "Solution", "System", "acos", "analytic_function",
    "asin", "atan", "atan2", "centi", "convergence", "cos", "cosh", "cotangent_space", "deg", "diag", "direct_product",
    "dual_space", "errors", "exp", "eye", "frame_space", "giga", "group_from_name", "homogeneous_space", "kilo",
    "lie_group", "load", "load_solution", "load_tableau", "matrix_group", "mega", "micro", "milli", "mm", "nano", "pi",
    "plot_convergence", "plot_steps", "product_space", "real_space", "resume", "rotation", "rpm", "select",
    "semidirect_product", "sign", "sin", "sinh", "solve", "sqrt", "tan", "tanh", "translation_space", "unit", "vector",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return importlib.import_module("symlie.version").VERSION
    module = _MODULE_OF.get(name)
    if module is None:
        hint = importlib.import_module("symlie.retired").hint(f"symlie.{name}")
        raise AttributeError(f"module 'symlie' has no attribute '{name}'{hint}")
    if module == "symlie":
        return importlib.import_module(f"symlie.{name}")
    return getattr(importlib.import_module(module), name)


def __dir__() -> list[str]:
    return sorted([*_MODULE_OF, "__version__"])
