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
    "gymnasium": ("gymnasium", "gym"),
    "mujoco": ("mujoco", "import"),
    "cyipopt": ("cyipopt", "optimize"),
    "flint": ("python-flint", "verify"),
    "pycparser": ("pycparser", "verify"),
}
"""Package of each optional module, and the extra of symlie that installs it."""

ALTERNATIVES = {"netCDF4": "h5netcdf"}
"""Module that replaces another one if this is not installed."""


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


def is_present(module: str) -> bool:
    """Return whether a module can be imported, without importing it."""
    return importlib.util.find_spec(module) is not None


def _missing(modules: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return the packages and extras of modules for which neither the package nor an alternative is installed."""
    return [OPTIONAL[m] for m in modules if not any(map(is_present, (m, *_alternatives(m))))]


def _alternatives(module: str) -> tuple[str, ...]:
    return (ALTERNATIVES[module],) if module in ALTERNATIVES else ()
