"""Print the newest Python on the path or among those of pyenv, or the one of a given version.

Programs that do not run, such as placeholders of pyenv, and versions before their release do not count. A version that
was not found is printed as it is, for uv to download.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ABOUT = "import json, sys; print(json.dumps([*sys.version_info]))"


def version(program: Path) -> tuple[int, ...] | None:
    """Major, minor and micro version of a released Python."""
    result = subprocess.run([program, "-c", ABOUT], capture_output=True, text=True, check=False)
    if result.returncode:
        return None
    *numbers, level, _ = json.loads(result.stdout)
    return tuple(numbers) if level == "final" else None


def found() -> dict[Path, tuple[int, ...]]:
    """Versions of all programs, this one first."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    folders = [*os.get_exec_path(), *pyenv.glob("versions/*/bin")]
    programs = [p for folder in folders for p in Path(folder).glob("python3.[0-9]*") if p.suffix[1:].isdigit()]
    return {Path(sys.executable): sys.version_info[:3], **{p: v for p in programs if (v := version(p))}}


def newest() -> Path:
    """The newest one, and the first of equals."""
    known = found()
    best = max(known, key=lambda program: known[program])
    if known[best][:2] == sys.version_info[:2]:
        about = "No Python newer than {}.{} was found; NEWEST_PYTHON=... names one, or a version that uv downloads."
        print(about.format(*sys.version_info), file=sys.stderr)
    return best


def of_version(wanted: str) -> str:
    """The first program of a version such as 3.12, else the version."""
    return next((str(p) for p, v in found().items() if ".".join(map(str, v[:2])) == wanted), wanted)


if __name__ == "__main__":
    print(of_version(sys.argv[1]) if len(sys.argv) > 1 else newest())
