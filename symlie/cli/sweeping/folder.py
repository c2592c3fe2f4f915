"""Folder of a sweep: the command that created it, and its stores."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from symlie.errors import FormatError
from symlie.utilities.reading import reading
from symlie.version import VERSION

if TYPE_CHECKING:
    from symlie.ensembles.store import EnsembleStore


@dataclass(frozen=True)
class Command:
    """Command of a sweep: its arguments and its working directory."""

    words: tuple[str, ...]
    place: str


def write_command(folder: str, words: list[str]) -> None:
    """Write the command that creates a store, for resuming it, or raise `FormatError`."""
    from symlie.ensembles.store import COMMAND, durable

    with durable(Path(folder) / COMMAND) as file:
        file.write_text(json.dumps({"symlie": VERSION, "place": os.getcwd(), "words": words}, indent=1) + "\n")


def read_command(folder: str) -> Command:
    """Read the command that created a store, or raise `FormatError` if it is absent, damaged or of a
    different version."""
    from symlie.ensembles.store import COMMAND

    path = Path(folder) / COMMAND
    if not path.is_file():
        raise FormatError(
            f"{folder} has no {COMMAND}, so no 'symlie sweep --out {folder}' created it; to continue a store of "
            "symlie.ensemble, repeat its call."
        )
    with reading(path):
        match json.loads(path.read_text(encoding="utf-8")):
            case {"symlie": str(version), "place": str(place), "words": list(words)}:
                pass
            case _:
                raise TypeError("it is not a command")
    if version != VERSION:
        raise FormatError(
            f"{folder} was created by symlie {version}; this is symlie {VERSION}: continue with that version, or "
            "give another folder."
        )
    if not Path(place).is_dir():
        raise FormatError(f"The sweep {folder} was started in {place}, which does not exist; repeat its command.")
    return Command(tuple(map(str, words)), place)


def check_folder(folder: str, *, is_single: bool) -> None:
    """Raise `FormatError` if a folder cannot hold stores of several systems; a single store checks itself."""
    from symlie.ensembles.store import COMMAND
    from symlie.ensembles.store_index import INDEX

    place = Path(folder)
    if is_single or not place.exists():
        return
    if not place.is_dir():
        raise FormatError(f"The store {folder} is a file; give a folder.")
    if (place / INDEX).exists() or (any(place.iterdir()) and not (place / COMMAND).exists()):
        raise FormatError(f"The folder {folder} contains files other than stores of several systems; use another one.")


def stores_in(folder: str) -> dict[str, EnsembleStore]:
    """Return the stores of a sweep by folder name (empty for a single store), or raise `FormatError`."""
    from symlie.ensembles.store import open_store
    from symlie.ensembles.store_index import INDEX

    place = Path(folder)
    if (place / INDEX).is_file() or not place.is_dir():
        return {"": open_store(place)}
    found = {part.name: open_store(part) for part in sorted(place.iterdir()) if (part / INDEX).is_file()}
    return found or {"": open_store(place)}
