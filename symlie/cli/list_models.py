"""``symlie list``: models, methods and groups; one method; the methods for a model."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from symlie.cli.common import MODEL_HELP, add, model_options
from symlie.cli.list_methods import show_choice, show_method
from symlie.cli.output import print_json, print_table
from symlie.cli.steps import METHOD_HELP
from symlie.cli.values import path
from symlie.errors import SymlieError

SUMMARY = "List the ready-made models with their options, the methods and the groups."
DETAILS = """

With METHOD: its order, source, options with their values and defaults, what it carries from step to step besides the
state, and what it can not do. With --for MODEL: which methods take the model, which is the default, and why."""
EXAMPLE = """symlie list
  symlie list generalized_alpha
  symlie list --for heavy_top -o group=SE3"""


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("method", metavar="METHOD", type=path, nargs="?", help=METHOD_HELP)
    parser.add_argument("--for", dest="model", metavar="MODEL", type=path, help=MODEL_HELP)
    add(parser, "-o", "--json")


def run(arguments: Namespace) -> int:
    """Run the command."""
    if arguments.method and arguments.model:
        raise SymlieError("Name a method, or a model with --for, not both.")
    if arguments.options and not arguments.model:
        raise SymlieError("Options -o belong to a model; name it with --for MODEL.")
    if arguments.model:
        show_choice(arguments.model, model_options(arguments), as_json=arguments.json)
    elif arguments.method:
        show_method(arguments.method, as_json=arguments.json)
    else:
        _list_all(as_json=arguments.json)
    return 0


def _list_all(*, as_json: bool) -> None:
    from symlie.groups.spaces import NAMED as SPACES
    from symlie.groups.standard import NAMED, group_from_name
    from symlie.models.registry import model_names, open_model, plain
    from symlie.runtime.methods.library import method, method_names

    files = [open_model(name) for name in model_names()]
    methods = [method(name) for name in method_names()]
    groups = [group_from_name(name) for name in (*NAMED, "R3", "SO3xR3", "SO3rvxR3")]
    if as_json:
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
        return
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


def _values(choices: list[object] | None, default: object, *, is_required: bool) -> str:
    shown = f"default {default}" if default is not None else "required" if is_required else "optional"
    return f"{' | '.join(map(str, choices))} ({shown})" if choices else shown
