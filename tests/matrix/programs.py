"""Fill a folder with links to all programs on the path except C compilers: the path of a machine without one.

Usage: python tests/matrix/programs.py FOLDER
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

COMPILERS = ("cc", "gcc", "clang")
"""The names under which symlie looks for one."""


def link_programs(folder: Path) -> None:
    """Of programs with one name the first counts, as on the path itself."""
    folder.mkdir(parents=True)
    for place in filter(os.path.isdir, os.get_exec_path()):
        for program in sorted(Path(place).absolute().iterdir()):
            link = folder / program.name
            if program.name not in COMPILERS and os.access(program, os.X_OK) and not link.is_symlink():
                link.symlink_to(program)


if __name__ == "__main__":
    link_programs(Path(sys.argv[1]))
