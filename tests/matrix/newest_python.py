"""Print the newest Python that is there: on the path, or among those of pyenv.

Programs that do not run, such as pyenv's place holders, and versions before their release do not count.
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


def newest() -> Path:
    """The newest one, and the first of equals."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    folders = [*os.get_exec_path(), *pyenv.glob("versions/*/bin")]
    programs = [p for folder in folders for p in Path(folder).glob("python3.[0-9]*") if p.suffix[1:].isdigit()]
    found = {Path(sys.executable): sys.version_info[:3], **{p: v for p in programs if (v := version(p))}}
    best = max(found, key=lambda program: found[program])
    if found[best][:2] == sys.version_info[:2]:
        about = "No Python newer than {}.{} was found; NEWEST_PYTHON=... names one, or a version that uv downloads."
        print(about.format(*sys.version_info), file=sys.stderr)
    return best


if __name__ == "__main__":
    print(newest())
