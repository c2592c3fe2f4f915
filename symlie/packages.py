"""Optional packages: what needs one asks for it before it begins."""

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
"""Modules: the package that brings each, and the extra of symlie that installs it."""


def is_installed(*modules: str) -> bool:
    """Whether modules can be imported; this imports none of them.

    Parameters
    ----------
    *modules
        Keys of `OPTIONAL`.
    """
    return not _missing(modules)


def require(purpose: str, *modules: str, alternative: str = "") -> None:
    """Check that modules can be imported.

    Parameters
    ----------
    purpose
        What needs them, the beginning of the message, such as ``"Drawing"``.
    *modules
        Keys of `OPTIONAL`, all of one extra.
    alternative
        What does without them, the end of the message.

    Raises
    ------
    MissingDependencyError
        One of them is not installed.
    """
    missing = _missing(modules)
    if missing:
        packages, extra = " and ".join(package for package, _ in missing), missing[0][1]
        raise MissingDependencyError(
            f'{purpose} needs {packages}; install with: pip install "symlie[{extra}]"{alternative}.'
        )


def _missing(modules: tuple[str, ...]) -> list[tuple[str, str]]:
    return [OPTIONAL[module] for module in modules if importlib.util.find_spec(module) is None]
