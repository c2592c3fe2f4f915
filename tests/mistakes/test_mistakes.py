"""Every request gives a specific one-sentence message within the time limit, or the promised result."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from symlie.utilities.paths import PACKAGE
from tests.mistakes.case import POINT, Case
from tests.mistakes.judge import MOST_CHARACTERS, MOST_LINES, judge
from tests.mistakes.model_files import HEAD
from tests.mistakes.run import findings

SEED = 1
QUICK, ALL = 150, 1_000


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A cache folder that all cases share."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SYMLIE_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("PYTHONPATH", os.pathsep.join([str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")]))
        patch.delenv("SYMLIE_TRACEBACK", raising=False)
        yield


@pytest.mark.slow
def test_sample_of_invalid_inputs_is_reported() -> None:
    assert list(findings(SEED, 0, QUICK)) == []


@pytest.mark.slow
def test_many_invalid_inputs_are_reported() -> None:
    assert list(findings(SEED, QUICK, ALL - QUICK)) == []


RUN = ("run", "point.py", "--backend", "numpy", "--h", "0.1", "--t-end", "0.2")
MODEL = ("run", "bad.py", "--backend", "numpy", "--h", "0.1", "--t-end", "0.2", "--out", "a.npz")

COMMANDS = [
    (*RUN, "--out", ""),
    (*RUN, "--out", "a\0.nc"),
    (*RUN, "--checkpoint", ""),
    (*RUN, "--checkpoint", "."),
    (*RUN, "--checkpoint", "/"),
    ("generate", "point.py", "--out", ""),
    ("run", "loop.py", "--h", "0.1"),
    (*RUN, "--init", "q.x=[true]"),
    (*RUN, "--init", 'q.x=["1"]'),
    ("run", "point.py", "--controller-option", "safety=null"),
    (*RUN, "--method", "rkmk_rk4", "--method-option", "commutators=999999999"),
    ("verify", "c3", "--domain", "0,1e300"),
    (*RUN[:-4], "--h", "x"),
]

STATEMENTS = [
    "sys.exit(0)",
    "raise Own",
    "raise GeneratorExit",
    "raise ValueError('x y ' * 100_000)",
    "m.potential_energy(q.x[0] ** (10**6)); return m",
    "m.potential_energy(10**400 * q.x[0]); return m",
    "m.potential_energy(nested(3000, q.x[0])); return m",
    "m.node('z', 'x'.join(['SO3'] * 300)); return m",
    "m.potential_energy(u[0] * q.x[0]); return m",
]


@pytest.mark.slow
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_invalid_command_lines_are_reported(words: tuple[str, ...]) -> None:
    assert judge(Case(words), fails=True) is None


@pytest.mark.slow
@pytest.mark.parametrize("statement", STATEMENTS)
def test_invalid_models_are_reported(statement: str) -> None:
    assert judge(Case(MODEL, {"bad.py": f"{HEAD}    {statement}\n"}), fails=True) is None


@pytest.mark.parametrize("top", ["OPTIONS = 1", "raise SystemExit(0)", "raise BaseException"])
def test_invalid_top_level_code_is_reported(top: str) -> None:
    assert judge(Case(MODEL, {"bad.py": f"{HEAD}    return m\n\n{top}\n"}), fails=True) is None


def test_coefficient_with_too_many_digits_is_reported() -> None:
    text = f'family = "rkmk"\na = [[], ["{"9" * 5_000}"]]\nb = ["0", "1"]\n'
    assert judge(Case(("order", "bad.toml", "--exact-only"), {"bad.toml": text}), fails=True) is None


def accept_interrupts() -> None:
    # Shells start jobs in the background with interrupts ignored, and children inherit that.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def started(words: Sequence[str], folder: Path, **options: Any) -> subprocess.Popen[str]:
    """A command as a shell starts it, with its streams apart."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    command = [sys.executable, "-m", "symlie", *words]
    return subprocess.Popen(command, text=True, cwd=folder, preexec_fn=accept_interrupts, **streams)


def ended(words: Sequence[str], folder: Path, **options: Any) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command."""
    with started(words, folder, **options) as process:
        out, err = process.communicate()
    return process.returncode, out or "", err or ""


WRONG_WORDS, FAILED, ENDED_BY_INTERRUPT = 2, 1, 130

ENDLESS = """import pathlib, time

def build():
    pathlib.Path("begun").touch()
    time.sleep(1800)
"""


EXITS: dict[tuple[str, ...], int] = {
    ("run", "--h", "x", "point.py"): WRONG_WORDS,
    ("run", "point.py", "--max-steps", "x"): WRONG_WORDS,
    ("walk",): WRONG_WORDS,
    (): WRONG_WORDS,
    ("run", "bad.py"): FAILED,
    ("run", "empty.py"): FAILED,
    ("run", "nowhere.py", "--h", "0.1"): FAILED,
    (*RUN, "--out", "folder.nc"): FAILED,
    ("resume", "empty"): FAILED,
    ("verify", "--check", "empty.json"): FAILED,
    ("order", "empty.toml"): FAILED,
}


@pytest.mark.slow
@pytest.mark.parametrize("words", EXITS, ids=" ".join)
def test_failures_in_a_separate_process_are_reported(words: tuple[str, ...], tmp_path: Path) -> None:
    """A separate process behaves as in this one: a message on stderr, and a nonzero exit code."""
    Case(words, {"bad.py": "raise SystemExit(0)"}).lay_out(tmp_path)
    found, out, err = ended(words, tmp_path)
    assert (found, out) == (EXITS[words], "")
    assert err.startswith("symlie: ")
    assert len(err.splitlines()) <= MOST_LINES and len(err) <= MOST_CHARACTERS
    assert "Traceback" not in err and "Unexpected" not in err


def test_failure_is_printed_as_json(tmp_path: Path) -> None:
    """With ``--json`` it is written to stdout only."""
    Case(()).lay_out(tmp_path)
    code, out, err = ended((*RUN, "--max-steps", "1", "--json"), tmp_path)
    assert (code, err) == (FAILED, "")
    assert json.loads(out)["status"] == "ModelError"


def test_results_and_warnings_use_separate_streams(tmp_path: Path) -> None:
    text = POINT.replace('m.output("place", q.x[0])', 'm.output("root", sl.sqrt(q.x[0] - 1))')
    Case((), {"root.py": text}).lay_out(tmp_path)
    code, out, err = ended(("run", "root.py", *RUN[2:], "--json"), tmp_path)
    assert code == 0
    assert [f"symlie: warning: {notice}" for notice in json.loads(out)["warnings"]] == err.splitlines() != []


def test_ctrl_c_interrupts_model_construction(tmp_path: Path) -> None:
    Case((), {"endless.py": ENDLESS}).lay_out(tmp_path)
    with started(("run", "endless.py", "--h", "0.1", "--json"), tmp_path) as process:
        while not (tmp_path / "begun").exists() and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert (process.returncode, err) == (ENDED_BY_INTERRUPT, "")
    data = json.loads(out)
    assert (data["status"], data["message"]) == ("KeyboardInterrupt", "Interrupted.")


def test_closed_output_pipe_is_handled(tmp_path: Path) -> None:
    """As in ``symlie list | head -0``: no traceback, also not of the interpreter's own flush at the end."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as closed:
        code, _, err = ended(("list",), tmp_path, stdout=closed)
    assert (code, err) == (FAILED, "")


def test_unwritable_output_is_reported(tmp_path: Path) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("the system has no /dev/full, on which every write fails")
    with open("/dev/full", "w") as full:
        code, _, err = ended(("list",), tmp_path, stdout=full)
    assert code != 0
    assert err.startswith("symlie: ") and "Traceback" not in err
