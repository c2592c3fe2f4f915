"""Lookup of groups by name, or by file and name of a definition in Python."""

from __future__ import annotations

from symlie.errors import UnknownNameError
from symlie.groups.group import LieGroup
from symlie.groups.standard import group_from_name
from symlie.models.registry import import_file, model_path


def group_of(text: str) -> LieGroup:
    """Return the group ``SE3``, ``SO3xR3`` or ``file.py:NAME``; raise `UnknownNameError` if it does not exist,
    `ModelError` if the file cannot be imported."""
    file, colon, name = text.rpartition(":")
    if not colon and not text.endswith(".py"):
        return group_from_name(text)
    if not colon:
        raise UnknownNameError(f"Select a group of {text} as {text}:NAME.")
    if not file.endswith(".py"):
        raise UnknownNameError(f"{file} is not a Python file; give a group as FILE.py:NAME.")
    try:
        path = model_path(file)
    except UnknownNameError:
        raise UnknownNameError(f"There is no Python file {file}, which should define '{name}'.") from None
    module = import_file(path)
    group = getattr(module, name, None)
    if not isinstance(group, LieGroup):
        known = sorted(n for n, value in vars(module).items() if isinstance(value, LieGroup))
        has = f"it defines: {', '.join(known)}" if known else "it defines none"
        raise UnknownNameError(f"{file} has no group '{name}'; {has}.")
    return group
