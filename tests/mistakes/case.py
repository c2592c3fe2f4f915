"""One mistake: the words of a command, and the files that lie in its folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

POINT = '''"""A point on a spring."""
import symlie as sl

def build(stiffness=2.0):
    m = sl.Model("point")
    q = m.node("q", "R1")
    k = m.parameter("stiffness", stiffness)
    push = m.input("push")
    m.kinetic_energy(q.x_dot[0] ** 2 / 2)
    m.potential_energy(k * q.x[0] ** 2 / 2 - push * q.x[0])
    m.initial(q, x=[0.5])
    m.output("place", q.x[0])
    return m
'''
"""A model file without mistakes."""

TABLEAU = """name = "mine"
family = "rkmk"
order = 2
a = [[], ["1/2"]]
b = ["0", "1"]
b_hat = ["1", "0"]
order_hat = 1
"""
"""A tableau without mistakes."""


@dataclass(frozen=True)
class Case:
    """A command and its folder."""

    words: tuple[str, ...]
    files: Mapping[str, str | bytes] = field(default_factory=dict)
    """Content by name, besides those that every folder has."""

    def lay_out(self, folder: Path) -> None:
        """Write the files into an empty folder, together with common obstacles."""
        for name, content in {"point.py": POINT, "mine.toml": TABLEAU, **self.files}.items():
            if isinstance(content, bytes):
                (folder / name).write_bytes(content)
            else:
                (folder / name).write_text(content, encoding="utf-8", errors="surrogateescape")
        for suffix in ("", ".nc", ".npz", ".png", ".py", ".toml", ".json"):
            (folder / f"folder{suffix}").mkdir()
            os.symlink(f"loop{suffix}", folder / f"loop{suffix}")
            (folder / f"empty{suffix}").touch()
