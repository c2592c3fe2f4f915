"""Programs and packages that some tests need, and that not every machine has."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Callable

import pytest

Programs = Callable[..., None]


def needed(config: pytest.Config) -> Programs:
    """What skips where programs or packages are missing, with their names, and fails there with ``--all-tools``."""

    def need(*names: str) -> None:
        missing = [name for name in names if shutil.which(name) is None and importlib.util.find_spec(name) is None]
        if missing and config.getoption("all_tools"):
            pytest.fail(f"{', '.join(missing)} must be there")
        if missing:
            pytest.skip(f"{', '.join(missing)} not found")

    return need
