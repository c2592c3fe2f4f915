"""What is told of a sweep: how much work it is, how far it is, and what became of its members."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from symlie.cli.output import print_table

if TYPE_CHECKING:
    import numpy as np

    from symlie.ensembles.outcome import Ensemble
    from symlie.ensembles.plan import EnsemblePlan

MOST_MEMBERS = 20
"""Members, or failures, that are printed one by one."""

MOST_COMPONENTS = 3
"""Components of what is printed of a member."""


def size_text(size: float) -> str:
    """A number of bytes as people read it."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size:.0f} bytes"


def counts(status: np.ndarray, kinds: np.ndarray) -> dict[str, object]:
    """How many members are done, failed by exception, and open.

    Parameters
    ----------
    status, kinds
        Of all members.
    """
    from symlie.ensembles.results import MemberStatus

    numbers = Counter(status.tolist())
    is_open = MemberStatus.NOT_RUN
    kept = (MemberStatus.OK, MemberStatus.EVENT, is_open)
    failed = Counter(str(kinds[k]) for k, found in enumerate(status.tolist()) if found not in kept)
    return {
        "members": len(status),
        "done": len(status) - numbers[is_open],
        "ok": numbers[MemberStatus.OK],
        "event": numbers[MemberStatus.EVENT],
        "failed": dict(failed.most_common()),
        "open": numbers[is_open],
    }


def counted(found: Mapping[str, object]) -> str:
    """The same as a sentence."""
    parts = [f"{found['ok']} ok"]
    if found["event"]:
        parts.append(f"{found['event']} ended by an event")
    if isinstance(found["failed"], dict) and found["failed"]:
        kinds = ", ".join(f"{kind} {number}" for kind, number in found["failed"].items())
        parts.append(f"{sum(found['failed'].values())} failed ({kinds})")
    if found["open"]:
        parts.append(f"{found['open']} open")
    return f"{found['members']} members: {', '.join(parts)}"


def titled(plan: EnsemblePlan) -> str:
    """The model with its options."""
    layout = plan.task.design.system.layout
    return layout.name + "".join(f" {name}={value}" for name, value in layout.options.items())


def ensemble_json(plan: EnsemblePlan, outcome: Ensemble, folder: Path | None) -> dict[str, object]:
    """What ``--json`` prints of the members of one system; values are those in the store where there is one."""
    system = plan.task.design.system
    found: dict[str, object] = {
        "model": system.layout.name,
        "options": system.layout.options,
        "backend": system.backend,
        "method": plan.settings["method"],
        **counts(outcome.arrays["status"], outcome.arrays["exception"]),
        "failures": [{"member": m.member, "status": m.kind, "message": m.sentence} for m in outcome.failed],
    }
    if folder is not None:
        return found | {"folder": str(folder)}
    names = [q.name for q in plan.quantities]
    return found | {
        "parameters": {name: values.tolist() for name, values in outcome.stated.items()},
        "t": outcome.times.tolist(),
        "values": {name: outcome.arrays[name].tolist() for name in names},
    }


def print_ensemble(plan: EnsemblePlan, outcome: Ensemble, folder: Path | None) -> None:
    """Print what became of the members of one system."""
    arrays = outcome.arrays
    print(f"{titled(plan)}: {plan.settings['method']}, backend {plan.task.design.system.backend}")
    print(counted(counts(arrays["status"], arrays["exception"])))
    if folder is None:
        _print_members(plan, outcome)
    elif len(outcome.failed):
        print()
        print_table((f"member {m.member}", m.kind, m.sentence) for m in outcome.failed[:MOST_MEMBERS])
        if len(outcome.failed) > MOST_MEMBERS:
            print(f"  … {len(outcome.failed)} in all")
    if folder is not None:
        print(f"\nwrote {folder}")


def _print_members(plan: EnsemblePlan, outcome: Ensemble) -> None:
    """Print the end of the first members, where what is recorded is short."""
    units = {q.name: f" ({q.unit})" if q.unit else "" for q in plan.quantities}
    ends = {q.name: outcome.arrays[q.name][:MOST_MEMBERS, -1] for q in plan.quantities}
    columns = {name: values[:MOST_MEMBERS] for name, values in outcome.stated.items()}
    columns |= {f"{name}{units[name]}": values for name, values in ends.items()}
    short = {name: v.reshape(len(v), -1) for name, v in columns.items() if v[:1].size <= MOST_COMPONENTS}
    failed = {m.member: m for m in outcome.failed}
    rows = [["member", *short]]
    for k in range(min(len(outcome), MOST_MEMBERS)):
        values = ["  ".join(f"{x:.6g}" for x in rows_of[k]) for rows_of in short.values()]
        rows.append([str(k), *values, *([f"{failed[k].kind}: {failed[k].sentence}"] if k in failed else [])])
    print(f"\nt = {outcome.times[-1]:.9g} s")
    print_table(rows)
    if len(outcome) > MOST_MEMBERS:
        print(f"  … {len(outcome)} members in all; give --out FOLDER to keep them")
