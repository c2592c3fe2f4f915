"""The page on files, run as it stands there."""

from __future__ import annotations

import json

import symlie as sl
from tests.docs.pages import Session

SESSION = Session("docs/files.md")


def test_code_blocks_run() -> None:
    names = SESSION.run()
    systems = [names["system"].with_parameters(axis=k) for k in (3, 4)]
    assert [task.result().q.tobytes() for task in names["tasks"]] == [
        sl.solve(system, 0.5, h=0.01).q.tobytes() for system in systems
    ]
    assert len(json.loads(SESSION.printed)) == 2
