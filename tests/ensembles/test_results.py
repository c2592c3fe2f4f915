"""Results of members, put together and taken apart."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from symlie.ensembles.results import joined
from tests.ensembles.stores import assert_equal, results

ORDERS = st.permutations(range(8))


@given(ORDERS, st.integers(1, 7))
def test_joined_results_follow_the_member_order(order: list[int], cut: int) -> None:
    assert_equal(joined([results(*order[:cut]), results(*order[cut:])]), results(*range(8)))


@given(ORDERS, st.integers(0, 8))
def test_selected_rows_include_their_events(order: list[int], count: int) -> None:
    together = results(*order)
    taken = together.rows(range(count))
    assert len(taken) == count and taken.members.tolist() == order[:count]
    expected = [member for member in order[:count] for _ in range(member % 4)]
    assert taken.event_member.tolist() == expected
    assert all(
        taken.event_time[taken.event_member == m].tolist() == [k / 4 for k in range(m % 4)] for m in order[:count]
    )
    if count:
        assert_equal(taken, results(*order[:count]))


def test_results_are_displayed_in_one_line() -> None:
    assert repr(results(0, 1, 2)).startswith("MemberResults(members=shape (3,), ")
    assert results(2).values["energy"].shape == (1, 3) and np.isnan(results(2).values["energy"][0, 1])
