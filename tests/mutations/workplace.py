"""Copies of the repository in which mutations are tested: worktrees of Git with separate caches."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import cache_from_source
from pathlib import Path

from tests.mutations.mutation import Mutation

ROOT = Path(__file__).parents[2]
_PATHS = "symlie/utilities/paths.py"

_DIGEST_FUNCTION = 'def package_digest() -> str:\n    return "{digest}"\n'
"""Definition at the end of a module of a copy: the digest of the package names the cache entries of derived models."""


@dataclass(frozen=True)
class Workplace:
    """Copy of the repository at its last commit."""

    root: Path
    scratch: Path
    """Folder for caches and temporary files of tests."""
    paths: bytes
    """Module with the digest of the package."""

    def environment(self, cache: Path) -> dict[str, str]:
        """Return the environment in which Python, including the processes that tests start, imports the copy."""
        temporary = self.scratch / "temporary"
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir()
        return os.environ | {
            "PYTHONPATH": str(self.root),
            "SYMLIE_CACHE": str(cache),
            "TMPDIR": str(temporary),
        }

    @contextlib.contextmanager
    def changed(self, mutation: Mutation, digest: str) -> Iterator[None]:
        """Apply a mutation inside the block; derived models of the same digest are used again."""
        (self.root / _PATHS).write_bytes(self.paths + _DIGEST_FUNCTION.format(digest=digest).encode())
        path = self.root / mutation.path
        source, state = path.read_bytes(), path.stat()
        path.write_bytes(mutation.applied(source))
        # Python recognises only changes of the length, or of the time in s.
        compiled = Path(cache_from_source(str(path)))
        compiled.unlink(missing_ok=True)
        try:
            yield
        finally:
            path.write_bytes(source)
            os.utime(path, (state.st_atime, state.st_mtime))
            compiled.unlink(missing_ok=True)


@contextlib.contextmanager
def workplace() -> Iterator[Workplace]:
    """Yield a copy of the repository, which is removed afterwards."""
    scratch = Path(tempfile.mkdtemp(prefix="symlie-mutations-"))
    root = scratch / "symlie"
    git = ["git", "-C", str(ROOT), "worktree"]
    subprocess.run([*git, "add", "--quiet", "--detach", str(root), "HEAD"], check=True)
    try:
        yield Workplace(root, scratch, (root / _PATHS).read_bytes())
    finally:
        subprocess.run([*git, "remove", "--force", str(root)], check=True)
        shutil.rmtree(scratch, ignore_errors=True)
