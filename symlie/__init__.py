"""symlie: a compiler from symbolic models of mechanical systems on Lie groups to fast kernels, with integrators.

``import symlie`` is lazy: the names listed in ``__init__.pyi`` are imported on first use, and running a generated
folder never imports SymPy.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil


def _listed_modules() -> dict[str, str]:
    """Return the module of each public name."""
    statements = ast.parse(pkgutil.get_data(__name__, "__init__.pyi") or b"").body
    imports = [s for s in statements if isinstance(s, ast.ImportFrom)]
    return {alias.name: str(s.module) for s in imports for alias in s.names}


_MODULES = _listed_modules()

__all__ = list(_MODULES)


def __getattr__(name: str) -> object:
    if name == "__version__":
        return importlib.import_module("symlie.version").VERSION
    module = _MODULES.get(name)
    if module is None:
        hint = importlib.import_module("symlie.retired").hint(f"symlie.{name}")
        raise AttributeError(f"module 'symlie' has no attribute '{name}'{hint}")
    if module == __name__:
        return importlib.import_module(f"symlie.{name}")
    return getattr(importlib.import_module(module), name)


def __dir__() -> list[str]:
    return sorted([*_MODULES, "__version__"])
