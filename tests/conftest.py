"""Settings of all tests: Hypothesis profile, compiler flags, covering designs, and skips for missing programs."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Callable, Generator

import pytest
from hypothesis import HealthCheck, settings

from symlie.errors import NoCompilerError
from tests.covering import chosen, commit
from tests.flags import set_flags

settings.register_profile(
    "symlie",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=6,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.differing_executors],
)
settings.load_profile("symlie")


ABOUT_FLAGS = ("certify", "distributed", "emit")
"""Folders whose quick tests use the compiler flags of users: they test compiled code, or processes that share libraries
with processes of users."""

HAS_SLOW = pytest.StashKey[bool]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add options."""
    parser.addoption(
        "--as-users", action="store_true", help="compile quick tests with the flags of users, like slow tests"
    )
    parser.addoption(
        "--covering", action="store_true", help="thin products of parameters of quick tests, see covering.py"
    )
    parser.addoption("--all-tools", action="store_true", help="fail instead of skipping if a program is missing")


Programs = Callable[..., None]


@pytest.fixture(scope="session")
def needs(pytestconfig: pytest.Config) -> Programs:
    """Skip tests if programs or packages are missing, or fail with ``--all-tools``."""

    def need(*names: str) -> None:
        missing = [name for name in names if shutil.which(name) is None and importlib.util.find_spec(name) is None]
        if missing and pytestconfig.getoption("all_tools"):
            pytest.fail(f"{', '.join(missing)} not found")
        if missing:
            pytest.skip(f"{', '.join(missing)} not found")

    return need


ABOUT_COMPILED_CODE = (
    "test_a_failed_compilation",
    "test_cached_run",
    "test_compiler_errors",
    "test_interruption_saves",
    "test_an_interrupted_compilation",
)
"""Tests about the compiler, the cache of libraries, or the compiled time loop, without a case for each backend."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Select a covering design of quick tests on request; skip tests of the C backend without a compiler."""
    if config.getoption("covering"):
        taken = chosen([item for item in items if not item.get_closest_marker("slow")], commit())
        taken |= {item for item in items if item.get_closest_marker("slow")}
        config.hook.pytest_deselected(items=[item for item in items if item not in taken])
        items[:] = [item for item in items if item in taken]
    if any(map(shutil.which, ("cc", "gcc", "clang"))):
        return
    for item in items:
        values = getattr(getattr(item, "callspec", None), "params", {}).values()
        if any(isinstance(v, str) and v == "c" for v in values) or item.name.startswith(ABOUT_COMPILED_CODE):
            item.add_marker(pytest.mark.skip(reason="the C backend needs a C compiler"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Skip tests that need the C backend on machines without a compiler; all others must pass there."""
    try:
        return (yield)
    except NoCompilerError as error:
        pytest.skip(str(error))


def pytest_collection_finish(session: pytest.Session) -> None:
    """If slow tests are selected, quick tests use the same flags, so that common systems have one library."""
    session.config.stash[HAS_SLOW] = any(item.get_closest_marker("slow") for item in session.items)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, None, None]:
    """Set the compiler flags of each test; skip tests whose fixtures need a missing compiler."""
    config = item.config
    as_users = config.getoption("as_users") or config.stash[HAS_SLOW] or item.path.parent.name in ABOUT_FLAGS
    set_flags(as_users=as_users)
    try:
        return (yield)
    except NoCompilerError as error:
        pytest.skip(str(error))
