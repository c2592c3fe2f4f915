"""The folder of a sweep: the command that made it, and the stores in it."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from symlie.errors import FormatError
from symlie.reading import reading
from symlie.version import VERSION

if TYPE_CHECKING:
    from symlie.ensembles.store import EnsembleStore


@dataclass(frozen=True)
class Command:
    """A command: its words after ``symlie sweep``, and the folder in which it was given."""

    words: tuple[str, ...]
    place: str


def write_command(folder: str, words: list[str]) -> None:
    """Note the command that makes a store, so that it can go on.

    Raises
    ------
    FormatError
        The file can not be written.
    """
    from symlie.ensembles.store import COMMAND, durable

    with durable(Path(folder) / COMMAND) as file:
        file.write_text(json.dumps({"symlie": VERSION, "place": os.getcwd(), "words": words}, indent=1) + "\n")


def read_command(folder: str) -> Command:
    """The command that made a store.

    Raises
    ------
    FormatError
        No command did, the file is damaged, or of another version.
    """
    from symlie.ensembles.store import COMMAND

    path = Path(folder) / COMMAND
    if not path.is_file():
        raise FormatError(
            f"{folder} has no {COMMAND}, so no 'symlie sweep --out {folder}' made it; stores of symlie.ensemble go on "
            "where it is called again."
        )
    with reading(path):
        match json.loads(path.read_text(encoding="utf-8")):
            case {"symlie": str(version), "place": str(place), "words": list(words)}:
                pass
            case _:
                raise TypeError("it is no command")
    if version != VERSION:
        raise FormatError(
            f"{folder} was begun by symlie {version}; this is symlie {VERSION}: go on with that version, or give "
            "another folder."
        )
    if not Path(place).is_dir():
        raise FormatError(f"The sweep {folder} was begun in {place}, which is not there; repeat its command.")
    return Command(tuple(map(str, words)), place)


def check_folder(folder: str, *, is_single: bool) -> None:
    """Check that stores of several systems can be in a folder; that of a single one is checked by itself.

    Raises
    ------
    FormatError
        There is something else.
    """
    from symlie.ensembles.store import COMMAND
    from symlie.ensembles.store_index import INDEX

    place = Path(folder)
    if is_single or not place.exists():
        return
    if not place.is_dir():
        raise FormatError(f"The store {folder} is a file; give a folder.")
    if (place / INDEX).exists() or (any(place.iterdir()) and not (place / COMMAND).exists()):
        raise FormatError(f"The folder {folder} has other files than stores of several systems; give another one.")


def stores_in(folder: str) -> dict[str, EnsembleStore]:
    """Stores of a sweep by the names of their folders; the only one has no name.

    Raises
    ------
    FormatError
        There is none, or one is damaged.
    """
    from symlie.ensembles.store import open_store
    from symlie.ensembles.store_index import INDEX

    place = Path(folder)
    if (place / INDEX).is_file() or not place.is_dir():
        return {"": open_store(place)}
    found = {part.name: open_store(part) for part in sorted(place.iterdir()) if (part / INDEX).is_file()}
    return found or {"": open_store(place)}
