"""MuJoCo's compiler, which resolves defaults, includes, units and inertias of both formats."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from symlie.errors import FormatError, MissingDependencyError
from symlie.utilities.packages import require
from symlie.warnings import warn

if TYPE_CHECKING:
    from mujoco import MjModel

LOWEST, BELOW = (3, 3), (5, 0)
"""Supported versions of MuJoCo, as in the extra ``import``."""


def compiled_file(path: Path) -> MjModel:
    """Return the compiled model of a checked MJCF file."""
    mujoco = _mujoco()
    return _reported(mujoco, path, lambda: mujoco.MjSpec.from_file(str(path)).compile())


def compiled_text(path: Path, root: ElementTree.Element, *, floats: bool) -> MjModel:
    """Return the compiled model of the XML of a file, whose first body optionally floats."""
    mujoco = _mujoco()

    def compiled() -> MjModel:
        spec = mujoco.MjSpec.from_string(ElementTree.tostring(root, encoding="unicode"))
        if floats:
            spec.worldbody.first_body().add_freejoint()
        result: MjModel = spec.compile()
        return result

    return _reported(mujoco, path, compiled)


def _reported(mujoco: ModuleType, path: Path, compiled: Callable[[], MjModel]) -> MjModel:
    """Return a compiled model; report errors in one sentence, and warnings as such instead of in MUJOCO_LOG.TXT."""
    before, said = mujoco.get_mju_user_warning(), list[str]()
    mujoco.set_mju_user_warning(said.append)
    try:
        model = compiled()
    except (ValueError, mujoco.FatalError) as error:
        raise _refused(path, error) from error
    finally:
        mujoco.set_mju_user_warning(before)
    for text in dict.fromkeys(said):
        warn(f"MuJoCo's compiler warns about {path}: {' '.join(text.split()).rstrip('.')}.")
    return model


def _mujoco() -> ModuleType:
    require("The import of robots", "mujoco")
    mujoco: ModuleType = importlib.import_module("mujoco")
    version = tuple(int(part) for part in re.findall(r"\d+", mujoco.__version__)[:2])
    if not LOWEST <= version < BELOW:
        raise MissingDependencyError(
            f"The import of robots needs mujoco from version {LOWEST[0]}.{LOWEST[1]} to below {BELOW[0]}, not "
            f'{mujoco.__version__}; install with: pip install "symlie[import]".'
        )
    return mujoco


def _refused(path: Path, error: Exception) -> FormatError:
    """Return one sentence for an error of the compiler."""
    text = " ".join(str(error).split()).removeprefix("Error: ").rstrip(".")
    if "mass and inertia of moving bodies" in text:
        body = re.search(r"[Ee]lement name '([^']*)'", text)
        named = f" '{body[1]}'" if body else ""
        return FormatError(
            f"The moving body{named} of {path} has zero mass or inertia; give it mass, or make it a fixed part of "
            "another body."
        )
    if "repeated" in text:
        named = ", ".join(re.findall(r"'([^']*)'", text)) or text
        return FormatError(f"{path} defines two parts of one name ({named}); rename one.")
    return FormatError(f"MuJoCo's compiler rejects {path}: {text}.")
