"""Sphinx configuration of ``make docs``: pages of this folder, reference and gallery."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from sphinx_gallery.sorting import ExplicitOrder

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))  # the extensions of `site_build`; workers of the gallery inherit the path
os.environ["PYTHONPATH"] = os.pathsep.join([str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])])

import symlie as sl  # noqa: E402
from symlie.version import VERSION  # noqa: E402

project = "symlie"
author = "The symlie developers"
copyright = author
version = release = VERSION

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx.ext.mathjax",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "site_build.reference",
    "site_build.links",
]
exclude_patterns = ["gallery", "site_build"]
nitpicky = True
# What is not public, and what other packages have, has no reference here.
nitpick_ignore_regex = [("py:.*", rf"(?!symlie\.({'|'.join(sl.__all__)})\b).*")]
suppress_warnings = ["config.cache"]  # settings of the gallery hold functions

default_role = "name"
add_module_names = False
python_display_short_literal_types = True
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_type_aliases = {name: name for name in ("Array", "ArrayLike", "Connectable", "MethodLike")}
autodoc_member_order = "bysource"
toc_object_entries_show_parents = "hide"
napoleon_numpy_docstring = True
napoleon_google_docstring = False
napoleon_use_ivar = False
napoleon_use_rtype = False
napoleon_attr_annotations = False

myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 4
myst_links_external_new_tab = False

mathjax_path = "mathjax/tex-svg-full.js"
mathjax_options = {"defer": "defer"}

html_theme = "furo"
html_title = f"symlie {VERSION}"
# Pages of source code omit the tree of all pages, which is longer than most modules.
html_sidebars = {"_modules/**": ["sidebar/brand.html", "sidebar/search.html"]}
html_static_path = ["site_build/static", "../site/static"]
html_css_files = ["symlie.css"]
html_extra_path = ["examples/extra"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_show_search_summary = False  # summaries are fetched, which pages of files may not
html_theme_options = {"navigation_with_keys": True}
pygments_style = "vs"
pygments_dark_style = "github-dark"

GROUPS = (
    "start",
    "constraints",
    "mechanisms",
    "rods",
    "manifolds",
    "numerics",
    "implicit_and_variational",
    "ensembles",
    "control_and_data",
    "papers",
)
(HERE / "examples" / "extra" / "views").mkdir(parents=True, exist_ok=True)
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "examples",
    "subsection_order": ExplicitOrder([f"gallery/{group}" for group in GROUPS]),
    "within_subsection_order": "FileNameSortKey",
    "image_scrapers": ("site_build.shown.shown", "matplotlib"),
    "reset_modules": ("matplotlib", "site_build.shown.look"),
    "ignore_repr_types": "matplotlib",
    "backreferences_dir": "examples/uses",
    "doc_module": ("symlie",),
    "parallel": True,
    "abort_on_example_error": False,
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,  # its page loads styles and scripts from other hosts
    "css": ("sg_gallery", "sg_gallery-rendered-html"),
    "thumbnail_size": (400, 280),
    "remove_config_comments": True,
}
