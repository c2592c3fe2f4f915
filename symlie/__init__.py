"""symlie: from a symbolic statement of a mechanical system on a Lie group to fast kernels and their integration.

``import symlie`` is lazy: the names below are imported when first used, and running a generated folder never imports
SymPy.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sympy import cos as cos
    from sympy import diag as diag
    from sympy import exp as exp
    from sympy import eye as eye
    from sympy import pi as pi
    from sympy import sin as sin
    from sympy import sqrt as sqrt
    from sympy import tan as tan

    from symlie.groups.group import direct_product as direct_product
    from symlie.groups.standard import S3 as S3
    from symlie.groups.standard import SE3 as SE3
    from symlie.groups.standard import SO3 as SO3
    from symlie.groups.standard import S3sR3 as S3sR3
    from symlie.groups.standard import group_from_name as group_from_name
    from symlie.groups.standard import translations as R
    from symlie.modeling.model import Model as Model
    from symlie.modeling.model import vector as vector

_SOURCES = {
    "Model": "symlie.modeling.model",
    "vector": "symlie.modeling.model",
    "diag": "symlie.modeling.model",
    "eye": "sympy",
    "cos": "sympy",
    "sin": "sympy",
    "tan": "sympy",
    "exp": "sympy",
    "sqrt": "sympy",
    "pi": "sympy",
    "SO3": "symlie.groups.standard",
    "S3": "symlie.groups.standard",
    "SE3": "symlie.groups.standard",
    "S3sR3": "symlie.groups.standard",
    "group_from_name": "symlie.groups.standard",
    "direct_product": "symlie.groups.group",
    "solve": "symlie.runtime.integrate",
    "System": "symlie.runtime.system",
    "Solution": "symlie.runtime.solution",
    "load": "symlie.runtime.system",
    "errors": "symlie.errors",
}


def __getattr__(name: str) -> Any:
    if name == "R":
        return importlib.import_module("symlie.groups.standard").translations
    if name == "__version__":
        return importlib.import_module("symlie.version").VERSION
    source = _SOURCES.get(name)
    if source is None:
        raise AttributeError(f"module 'symlie' has no attribute '{name}'")
    module = importlib.import_module(source)
    return module if source == f"symlie.{name}" else getattr(module, name)


def __dir__() -> list[str]:
    return sorted([*_SOURCES, "R", "__version__"])
