"""Optional packages, which are checked before the work that needs them."""

from __future__ import annotations

import importlib.util

from symlie.errors import MissingDependencyError

OPTIONAL = {
    "matplotlib": ("matplotlib", "plot"),
    "netCDF4": ("netCDF4", "io"),
    "pandas": ("pandas", "tables"),
    "xarray": ("xarray", "tables"),
    "distributed": ("distributed", "cluster"),
    "mpi4py": ("mpi4py", "mpi"),
    "trimesh": ("trimesh", "view"),
    "flint": ("python-flint", "verify"),
    "pycparser": ("pycparser", "verify"),
}
"""Package of each optional module, and the extra of symlie that installs it."""


def is_installed(*modules: str) -> bool:
    """Return whether the modules, keys of `OPTIONAL`, can be imported, without importing them."""
    return not _missing(modules)


def require(purpose: str, *modules: str, alternative: str = "") -> None:
    """Raise MissingDependencyError unless the modules, keys of `OPTIONAL` of one extra, can be imported."""
    missing = _missing(modules)
    if missing:
        packages, extra = " and ".join(package for package, _ in missing), missing[0][1]
        raise MissingDependencyError(
            f'{purpose} needs {packages}; install with: pip install "symlie[{extra}]"{alternative}.'
        )


def _missing(modules: tuple[str, ...]) -> list[tuple[str, str]]:
    return [OPTIONAL[module] for module in modules if importlib.util.find_spec(module) is None]
