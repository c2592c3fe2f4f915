"""The import needs MuJoCo; `make test-import` installs it and Pinocchio."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conftest import Programs


@pytest.fixture(autouse=True)
def _needs_mujoco(needs: Programs) -> Iterator[None]:
    needs("mujoco")
    import mujoco

    # MuJoCo appends warnings, here those of a comparison, to a file in the current folder.
    mujoco.set_mju_user_warning(lambda text: None)
    yield
    mujoco.set_mju_user_warning(None)
