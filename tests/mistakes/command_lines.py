"""Commands with words changed: values that are none, paths that lead nowhere, options that do not exist."""

from __future__ import annotations

import random

from tests.mistakes.case import Case

LONG = 5_000

ANYTHING = (
    "", " ", "\0", "a\0b", "nan", "inf", "-inf", "null", "true", "[]", "{}", "[[]]", "x" * LONG, "9" * LONG, "\udcff",
    "ü", "🙂", "\n", "a\nb\nc\nd\ne\nf\ng\nh", "--", "-", "'", '"', "$HOME", "../../x", "%s", "{0}", "1e400", "-1e400",
    "1e-400", "0", "-0", "-1", "2**9999", "1/0", "0x10", "1_000", "٣", "1,2,3", ",", ",,", "=", "==", "a=", "=1",
)  # fmt: skip

NUMBERS = ("0", "-0.1", "nan", "1e-320", "1e300", "-1e300", "1e-30", "true", "0.1.2", "1e", "2**-2000", "[0.1]", "0,1")

PATHS = (
    "", ".", "..", "\0", "a\0.nc", "a\0.png", "nowhere/a.nc", "nowhere/a.png", "folder", "folder.nc", "folder.npz",
    "folder.png", "loop", "loop.nc", "loop.npz", "loop.png", "loop.py", "loop.toml", "loop.json", "empty", "empty.nc",
    "empty.py", "empty.toml", "empty.json", "x" * LONG, "x" * LONG + ".nc", "x" * 300 + ".png", "point.py/a.nc",
    "point.py/a.png", "/dev/full", "/dev/null", "/proc/none/a.nc", "/proc/none/a.png", "~nobody-at-all/a.nc",
    ".nc", ".npz", ".png", "a.txt", "a", "a\nb.nc", "\udcff.nc", "mine.toml", "point.py", "loop/a.nc", "loop/a.png",
)  # fmt: skip

VALUES = (
    "=1", "stiffness", "stiffness=", "stiffness=true", "stiffness=null", 'stiffness="1"', "stiffness=[]",
    "stiffness=[1,2]", "stiffness=[[1]]", "stiffness={}", "stiffness=1e400", "stiffness=nan", "stiffness=[true]",
    'stiffness=["1"]', "stiffness=" + "[" * LONG, "stiffness=" + "9" * LONG, "x" * LONG + "=1", "stif=1", "q.x=[true]",
    'q.x=["1"]', "q.x=[null]", "q.x=null", "q.x=[]", "q.x=[1,2]", "q.x=1e400", "q.y=1", "x=1", "q.=1", ".x=1", "p.x=1",
    "q.x=[[0.5]]", "q.x={}", "q.x_dot=true", "safety=null", "safety=[1]", "safety=true", "safety=0", "h_min=-1",
    "safe=1",
    "commutators=999999999", "commutators=-1", "commutators=1.5", "commutators=null", "map=none", "map=1", "theta=1/0",
    "theta=null", "theta=[1]", "push={}", "push=1", 'push={"times": [0], "values": [0]}',
    'push={"times": [1, 0], "values": [0, 1]}', 'push={"times": [0, 1], "values": [0, "1"]}',
    'push={"times": [0, 1], "values": [0, null]}', 'push={"times": "01", "values": [0, 1]}',
    'push={"times": [0, 1], "values": [0, 1], "interpolation": 1}', 'pull={"times": [0, 1], "values": [0, 1]}',
    'push={"times": [0, true], "values": [0, 1]}', 'push={"times": [0, 1], "values": [[0, 1], [0, 1]]}',
    'push={"times": [0, 1e999], "values": [0, 1]}', "push=" + '{"times":' * 2000, 'push={"times": [], "values": []}',
)  # fmt: skip

NAMES = (
    "rk4", "rkmk_rk44", "half_explicit_5", "half_explicit", "cf4", "mine.toml", "loop.toml", "empty.toml",
    "folder.toml",
    "nowhere.toml", "SE3", "SO4", "SE3x", "xSE3", "SE3x" * 99 + "SE3", "SO3[", "heavy_top", "point.py:G", "point.py:",
    "c3", "c", "tumiotto2024", "projection", "baumgarte", "baumgarte:", "baumgarte:x", "baumgarte:-1",
    "baumgarte:1e400",
    "energy", "q.x", "place", "place,place", "q.y", "c3,c3", "exp", "SE3/exp", "all",
)  # fmt: skip

RUN = ("run", "point.py", "--backend", "numpy", "--h", "0.1", "--t-end", "0.3")

COMMANDS: tuple[tuple[str, ...], ...] = (
    (*RUN, "--out", "a.nc"),
    (*RUN, "--out", "a.npz", "--method", "rkmk_dopri5", "--json"),
    (*RUN, "--set", "stiffness=3", "--init", "q.x=[0.2]", "--json"),
    (*RUN, "--input", 'push={"times": [0, 1], "values": [0, 5]}', "--out", "a.npz"),
    (*RUN, "--checkpoint", "a.checkpoint", "--checkpoint-seconds", "1"),
    (*RUN, "--method", "mine.toml", "--method-option", "commutators=1"),
    (*RUN, "-o", "stiffness=4", "--t-eval", "0.1,0.3"),
    (*RUN, "--stabilize", "none", "--assemble", "--multipliers", "stage"),
    ("run", "point.py", "--backend", "numpy", "--rtol", "1e-3", "--atol", "1e-5", "--h0", "0.01", "--t-end", "0.3"),
    ("run", "point.py", "--backend", "numpy", "--rtol", "1e-3", "--controller", "holzinger2024", "--controller-option",
     "safety=0.5", "--t-end", "0.3", "--json"),
    (*RUN, "--plot", "a.png", "--panels", "energy"),
    ("resume", "empty", "--out", "a.nc"),
    ("derive", "point.py", "--out", "a.md"),
    ("generate", "point.py", "--out", "a"),
    ("converge", "point.py", "--backend", "numpy", "--steps", "0.1,0.05", "--methods", "rkmk_rk4", "--t-end", "0.2"),
    ("converge", "point.py", "--backend", "numpy", "--over", "stiffness=1,2", "--h", "0.1", "--t-end", "0.1"),
    ("order", "rkmk_rk4", "--exact-only"),
    ("order", "mine.toml", "--exact-only", "--method-option", "commutators=1"),
    ("equilibrium", "point.py", "--backend", "numpy", "--t", "0", "--tolerance", "1e-9", "--load-steps", "1"),
    ("modes", "point.py", "--backend", "numpy", "--count", "1"),
    ("new", "fresh.py", "--name", "fresh"),
    ("operators", "R1", "--target", "numpy", "--out", "a", "--prefix", "r"),
    ("verify", "--check", "empty.json"),
    ("verify", "c3", "--domain", "0,1", "--precision", "float"),
    ("list",),
    ("cache",),
)  # fmt: skip
"""Commands without mistakes, but for files that are not there."""

_KINDS = {
    "--h": NUMBERS, "--t-end": NUMBERS[:4], "--t-eval": NUMBERS, "--rtol": NUMBERS, "--atol": NUMBERS, "--h0": NUMBERS,
    "--checkpoint-seconds": NUMBERS, "--t": NUMBERS, "--tolerance": NUMBERS, "--load-steps": NUMBERS[:2],
    "--count": NUMBERS, "--domain": ("0,1e300", "1,0", "0", "0,0", "nan,1", "-1,1", "1e-300,1", "0,1,2"),
    "--out": PATHS, "--plot": PATHS, "--checkpoint": PATHS, "--check": PATHS, "point.py": PATHS, "fresh.py": PATHS,
    "resume": PATHS, "--set": VALUES, "--init": VALUES, "--input": VALUES, "-o": VALUES, "--controller-option": VALUES,
    "--method-option": VALUES, "--over": VALUES, "--method": NAMES, "--methods": NAMES, "--controller": NAMES,
    "--stabilize": NAMES, "--panels": NAMES, "order": NAMES, "operators": NAMES, "verify": NAMES, "--name": ANYTHING,
    "--prefix": ANYTHING, "--steps": NUMBERS,
}  # fmt: skip
"""Values that go wrong, by the word before them."""

OPTIONS = ("--json", "--trace", "--progress", "--fresh", "--reference", "--unstable", "--at-initial", "--latex",
           "--all",
           "--check", "--help", "--hh", "-x", "--out", "--h", "--rtol", "--set", "--clear=1")  # fmt: skip


def bad_command_line(draw: random.Random) -> Case:
    """A command with one to three changes."""
    words = list(draw.choice(COMMANDS))
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        place = draw.randrange(1, len(words)) if len(words) > 1 else 0
        change = draw.randrange(10)
        if change < 7:
            pool = _KINDS.get(words[place - 1], ANYTHING) if draw.random() < 0.8 else ANYTHING
            words[place] = draw.choice(pool)
        elif change == 7:
            del words[place]
        elif change == 8:
            words.insert(place, draw.choice(OPTIONS))
        else:
            words.insert(place, words[draw.randrange(len(words))])
        if not words:
            words = [""]
    return Case(tuple(words))
