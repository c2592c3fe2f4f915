"""Settings of all tests: reproducible examples, no stored example database."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "symlie",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=6,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.differing_executors],
)
settings.load_profile("symlie")
