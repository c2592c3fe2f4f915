"""The import needs MuJoCo; `make test-import` installs it and Pinocchio."""

from __future__ import annotations

import pytest

from tests.conftest import Programs


@pytest.fixture(autouse=True)
def _needs_mujoco(needs: Programs) -> None:
    needs("mujoco")
