"""The template folder and its Jinja environment."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from symlie.utilities.paths import template_folder

if TYPE_CHECKING:
    from jinja2 import Environment


@functools.cache
def environment() -> Environment:
    """Return the Jinja environment of the template folder; undefined names are errors."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    result = Environment(
        loader=FileSystemLoader(template_folder()),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
        optimized=False,  # constant folding takes longer than it saves
    )
    result.filters["product_of"] = lambda factors, n: " * ".join(factors * n)
    return result


def render(template: str, **values: object) -> str:
    """Render a template with values."""
    return environment().get_template(template).render(**values)
