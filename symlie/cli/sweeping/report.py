"""Reports of a sweep: estimated work, progress and results of members."""

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
    from symlie.ensembles.store_index import Quantity
    from symlie.runtime.layout.layout import Array

MOST_MEMBERS = 20
"""Maximum number of members, or failures, that are printed."""

MOST_COMPONENTS = 3
"""Maximum number of printed components of a quantity."""


def size_text(size: float) -> str:
    """Format a number of bytes with a suitable unit."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size:.0f} bytes"


def counts(status: np.ndarray, kinds: np.ndarray) -> dict[str, object]:
    """Return the numbers of finished, failed (by exception) and open members."""
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
    """Format the counts as a sentence."""
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
    """Return the model with its options."""
    layout = plan.task.design.system.layout
    return layout.name + "".join(f" {name}={value}" for name, value in layout.options.items())


def ensemble_json(plan: EnsemblePlan, outcome: Ensemble, folder: Path | None) -> dict[str, object]:
    """Return the ``--json`` output for the members of one system; values in a store are omitted."""
    system = plan.task.design.system
    found: dict[str, object] = {
        "model": system.layout.name,
        "options": system.layout.options,
        "backend": system.backend,
        **_done_with(plan),
        **counts(outcome.arrays["status"], outcome.arrays["exception"]),
        "failures": [{"member": m.member, "status": m.kind, "message": m.sentence} for m in outcome.failed],
        "remarks": [{"member": m.member, "message": m.sentence} for m in outcome.remarks],
    }
    if folder is not None:
        return found | {"folder": str(folder)}
    if len(outcome.times):
        found["t"] = outcome.times.tolist()
    if plan.statistics is not None:
        kept = outcome.statistics.items()
        return found | {"statistics": {name: {k: x.tolist() for k, x in parts.items()} for name, parts in kept}}
    return found | {
        "parameters": {name: values.tolist() for name, values in outcome.stated.items()},
        "values": {q.name: outcome.arrays[q.name].tolist() for q in plan.quantities},
    }


def _done_with(plan: EnsemblePlan) -> dict[str, object]:
    """Return the settings that describe the computation of the members."""
    if "of" in plan.settings:
        return {name: plan.settings[name] for name in ("of", "t")}
    return {"of": "motion", "method": plan.settings["method"]}


def print_ensemble(plan: EnsemblePlan, outcome: Ensemble, folder: Path | None) -> None:
    """Print the results of the members of one system."""
    arrays, done = outcome.arrays, _done_with(plan)
    print(f"{titled(plan)}: {done.get('method', done['of'])}, backend {plan.task.design.system.backend}")
    print(counted(counts(arrays["status"], arrays["exception"])))
    for notable in (outcome.failed if folder is not None or plan.statistics is not None else (), outcome.remarks):
        if notable:
            print()
            print_table((f"member {m.member}", m.kind, m.sentence) for m in notable[:MOST_MEMBERS])
            if len(notable) > MOST_MEMBERS:
                print(f"  … {len(notable)} in all")
    if folder is not None:
        print(f"\nwrote {folder}")
    elif plan.statistics is not None:
        _print_statistics(plan, outcome)
    else:
        _print_members(plan, outcome)


def _print_statistics(plan: EnsemblePlan, outcome: Ensemble) -> None:
    """Print statistics at the end, for quantities with few components."""
    assert plan.statistics is not None
    names = [*plan.statistics, "count"]
    rows = [["", *names]]
    for quantity in plan.quantities:
        found = outcome.statistics[quantity.name]
        ends = {name: _at_the_end(found[name], outcome) for name in names}
        if ends["count"].size > MOST_COMPONENTS:
            continue
        for k, _ in enumerate(ends["count"].ravel()):
            index = f"[{k}]" if ends["count"].size > 1 else ""
            numbers = [f"{ends[name].ravel()[k]:.6g}" for name in names]
            rows.append([f"{quantity.name}{index}{_unit(quantity)}", *numbers])
    print(f"\nt = {_time(plan, outcome):.9g} s")
    print_table(rows)


def _at_the_end(values: Array, outcome: Ensemble) -> Array:
    """Return the final values of a history."""
    return values[-1] if len(outcome.times) else values


def _time(plan: EnsemblePlan, outcome: Ensemble) -> float:
    return float(outcome.times[-1]) if len(outcome.times) else float(str(plan.settings["t"]))


def _unit(quantity: Quantity) -> str:
    return f" ({quantity.unit})" if quantity.unit else ""


def _print_members(plan: EnsemblePlan, outcome: Ensemble) -> None:
    """Print final values of the first members, for quantities with few components."""
    here = slice(MOST_MEMBERS)
    columns = {name: values[here] for name, values in outcome.stated.items()}
    for q in plan.quantities:
        values = outcome.arrays[q.name][here]
        columns[f"{q.name}{_unit(q)}"] = values[:, -1] if len(outcome.times) else values
    short = {name: v.reshape(len(v), -1) for name, v in columns.items() if v[:1].size <= MOST_COMPONENTS}
    failed = {m.member: m for m in outcome.failed}
    rows = [["member", *short]]
    for k in range(min(len(outcome), MOST_MEMBERS)):
        texts = ["  ".join(f"{x:.6g}" for x in rows_of[k]) for rows_of in short.values()]
        rows.append([str(k), *texts, *([f"{failed[k].kind}: {failed[k].sentence}"] if k in failed else [])])
    print(f"\nt = {_time(plan, outcome):.9g} s")
    print_table(rows)
    if len(outcome) > MOST_MEMBERS:
        print(f"  … {len(outcome)} members in all; give --out FOLDER to keep them")
