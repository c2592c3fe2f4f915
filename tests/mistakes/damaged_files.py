"""Files that commands read: checkpoints, certificates, reference solutions, custom groups."""

from __future__ import annotations

import functools
import json
import random
import tempfile
from pathlib import Path

import symlie as sl
from tests.mistakes.case import Case

JSON = (
    b"", b"null", b"[]", b"{}", b"1", b'"x"', b"[" * 100_000, b'{"a":' * 50_000, b"\xff\xfe", b"NaN", b"9" * 5_000,
    b'{"format": 1}', b'{"t": [0], "q": []}', b'{"status": "ok"}', b'{"times": null}', b"{" + b" " * 100_000,
)  # fmt: skip

GROUPS = (
    "G = None",
    "G = 1",
    "G = sl.SE3\nraise SystemExit",
    "import sys; sys.exit(0)",
    "G = sl.lie_group('G', None)",
    "",
    "G = sl.Model('x')",
    "G = lambda: 0",
    "(",
    "raise GeneratorExit",
    "raise KeyError('x' * 100000)",
    "G = 'SE9'",
)


@functools.cache
def checkpoint() -> bytes:
    """The bytes of a checkpoint of a finished run."""
    model = sl.Model("point")
    q = model.node("q", "R1")
    model.kinetic_energy(q.x_dot[0] ** 2 / 2)
    model.potential_energy(q.x[0] ** 2 / 2)
    system = model.derive().compile(backend="numpy")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "a.checkpoint")
        sl.solve(system, 0.3, h=0.1, checkpoint=file)
        return file.read_bytes()


def damaged(content: bytes, draw: random.Random) -> bytes:
    """Bytes with some changed, left out, or added."""
    changed = bytearray(content)
    for _ in range(draw.choice((1, 1, 3, 100))):
        kind, place = draw.randrange(4), draw.randrange(max(1, len(changed)))
        if kind == 0 and changed:
            changed[place] ^= 1 << draw.randrange(8)
        elif kind == 1:
            del changed[place : place + draw.choice((1, 10, len(changed)))]
        elif kind == 2:
            changed[place:place] = draw.randbytes(draw.choice((1, 10, 1000)))
        else:
            changed[place : place + 8] = b"\xff" * 8
    return bytes(changed)


def bad_file(draw: random.Random) -> Case:
    """A command with an invalid file."""
    kind = draw.randrange(4)
    if kind == 0:
        content = damaged(checkpoint(), draw)
        return Case(("resume", "a.checkpoint", "--trust", "--out", "a.npz"), {"a.checkpoint": content})
    if kind == 1:
        content = draw.choice(JSON)
        if draw.random() < 0.5:
            valid = {"model": "point", "options": {}, "t": [0.2], "q": {"q": [[0.1]]}, "status": "ok"}
            content = damaged(json.dumps(valid).encode(), draw)
        words = ("converge", "point.py", "--backend", "numpy", "--steps", "0.1,0.05", "--t-end", "0.2", "--methods",
                 "rkmk_rk4", "--reference", "a.json")  # fmt: skip
        return Case(words, {"a.json": content})
    if kind == 2:
        return Case(("verify", "--check", "a.json"), {"a.json": draw.choice(JSON)})
    return Case(("operators", "bad.py:G", "--out", "a"), {"bad.py": "import symlie as sl\n" + draw.choice(GROUPS)})
