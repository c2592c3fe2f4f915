"""``symlie list``: models, methods and groups."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from symlie.cli.common import add_json
from symlie.cli.output import print_json, print_table

SUMMARY = "List the ready-made models with their options, the methods and the groups."
EXAMPLE = "symlie list"


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Run the command."""
    from symlie.groups.spaces import NAMED as SPACES
    from symlie.groups.standard import NAMED, group_from_name
    from symlie.models.registry import model_names, open_model, plain
    from symlie.runtime.methods.library import method, method_names

    files = [open_model(name) for name in model_names()]
    methods = [method(name) for name in method_names()]
    groups = [group_from_name(name) for name in (*NAMED, "R3", "SO3xR3", "SO3rvxR3")]
    if arguments.json:
        print_json(
            {
                "models": [
                    {"name": f.name, "summary": f.summary, "options": f.option_names,
                     "defaults": {name: plain(value) for name, value in f.defaults.items()}, "choices": f.choices}
                    for f in files
                ],
                "methods": [{"name": m.name, "family": m.family, "order": m.order} for m in methods],
                "groups": [{"name": g.name, "dimension": g.dimension} for g in groups],
            }
        )  # fmt: skip
        return 0
    print("Models")
    for file in files:
        print(f"  {file.name}: {file.summary}")
        print_table(
            (
                (f"-o {n}=…", _values(file.choices.get(n), file.defaults.get(n), is_required=n in file.required))
                for n in file.option_names
            ),
            indent="    ",
        )
    print("\nMethods")
    print_table((m.name, f"order {m.order}", m.family.replace("_", "-")) for m in methods)
    print("\nGroups (also R1, R2, … and direct products such as SO3xR3)")
    print_table((g.name, f"dimension {g.dimension}") for g in groups)
    print("\nManifolds that a group acts on (others are stated in models)")
    print_table((s.name, f"of {s.group}") for s in SPACES.values())
    return 0


def _values(choices: list[object] | None, default: object, *, is_required: bool) -> str:
    shown = f"default {default}" if default is not None else "required" if is_required else "optional"
    return f"{' | '.join(map(str, choices))} ({shown})" if choices else shown
