"""The package needs no modules or parts of ``os`` and ``signal`` that exist on one operating system only."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from symlie.utilities.paths import PACKAGE
from tests.rooms import modules

OF_ONE_SYSTEM = (
    "crypt", "fcntl", "grp", "msvcrt", "nis", "nt", "ossaudiodev", "posix", "pty", "pwd", "resource", "spwd", "syslog",
    "termios", "tty", "winreg", "winsound",
)  # fmt: skip
"""Modules of the standard library that are not on Linux, macOS and Windows alike."""

OF_UNIX = {
    "os": (
        "chown", "chroot", "fchdir", "fchmod", "fchown", "fdatasync", "fork", "forkpty", "getegid", "geteuid", "getgid",
        "getgroups", "getloadavg", "getpgid", "getpgrp", "getpriority", "getsid", "getuid", "killpg", "lchown", "lockf",
        "mkfifo", "mknod", "nice", "openpty", "posix_fadvise", "posix_fallocate", "posix_spawn", "pread", "pwrite",
        "readv", "register_at_fork", "sched_getaffinity", "sched_setaffinity", "sched_yield", "setpgid", "setpriority",
        "setsid", "statvfs", "sync", "uname", "wait", "wait3", "wait4", "waitid", "writev", "O_DIRECTORY", "O_NOFOLLOW",
        "O_NONBLOCK", "O_SYNC",
    ),
    "signal": ("SIGALRM", "SIGHUP", "SIGKILL", "SIGQUIT", "SIGUSR1", "SIGUSR2", "alarm", "pthread_kill", "setitimer"),
}  # fmt: skip
"""Names that these modules have on Linux and not on Windows."""


def imported(text: str) -> set[str]:
    """The packages that lines of a module import from, at the top or inside of a function."""
    return set(re.findall(r"^\s*(?:import|from) (\w+)", text, re.MULTILINE))


def test_no_platform_specific_module_is_imported() -> None:
    found = {name: imported(path.read_text(encoding="utf-8")) & set(OF_ONE_SYSTEM) for name, path in modules().items()}
    assert {name: names for name, names in found.items() if names} == {}
    assert imported("def f():\n    import fcntl\n    from msvcrt import locking") == {"fcntl", "msvcrt"}


ELSEWHERE = """
import asyncio, concurrent.futures, multiprocessing.connection, os, signal, sqlite3, subprocess, sys
import cffi, jinja2, mpmath, numpy, sympy
for name in MODULES:
    sys.modules[name] = None
for owner, names in UNIX.items():
    for name in names:
        if hasattr(sys.modules[owner], name):
            delattr(sys.modules[owner], name)
try:
    import fcntl
    raise SystemExit("there is fcntl")
except ModuleNotFoundError:
    assert not hasattr(os, "geteuid")

import importlib, pathlib, pickle
import symlie as sl
from symlie.compile.compiler import find_compiler
from symlie.errors import IntegrationError, NoCompilerError

for name in sys.argv[1:]:
    importlib.import_module("symlie." + name)

model = sl.Model("point")
q = model.node("q", "R2")
model.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)
model.potential_energy(q.x[1])
model.constraint("circle", (q.x.dot(q.x) - 1) / 2)
model.initial(q, x=[1, 0], x_dot=[0, 0])
equations = model.derive()

class Interrupt:
    def __call__(self, fraction):
        raise KeyboardInterrupt

try:
    find_compiler()
    assert equations.compile(backend="c").initial_state.q.tolist() == [1, 0]
except NoCompilerError:
    pass
system = equations.compile(backend="numpy")
expected = sl.solve(system, 0.5, h=2.0**-7)
try:
    sl.solve(system, 0.5, h=2.0**-7, progress=Interrupt(), checkpoint="run.checkpoint")
except IntegrationError:
    pass
resumed = sl.resume("run.checkpoint", trust=True)
resumed.save("run.npz")
again = sl.solve(pickle.loads(pickle.dumps(system)), 0.5, h=2.0**-7)
assert {s.q.tobytes() for s in (resumed, sl.load_solution("run.npz", trust=True), again)} == {expected.q.tobytes()}
print(sorted(p.name for p in pathlib.Path().iterdir()))
"""


@pytest.mark.slow
def test_package_runs_without_platform_modules(tmp_path: Path) -> None:
    """A Python without platform-specific names imports all modules, compiles, runs, stops and resumes."""
    script = ELSEWHERE.replace("MODULES", repr(OF_ONE_SYSTEM)).replace("UNIX", repr(OF_UNIX))
    names = [name for name in modules() if not name.endswith("__main__")]
    # platformdirs chooses by ``sys.platform``, and needs user IDs on this one.
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent), "SYMLIE_CACHE": str(tmp_path / "cache")}
    folder = tmp_path / "run"
    folder.mkdir()
    command = [sys.executable, "-c", script, *names]
    result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout == "['run.checkpoint', 'run.npz']\n"
