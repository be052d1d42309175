"""The site: Sphinx over the pages of this folder. CONTRIBUTING.md has the command; nothing is run or fetched by it.

Pages are Markdown (MyST), the reference comes from the docstrings of everything in `dir(bunraku)` (docs/api), formulas
become MathML by docutils, so that the site needs no network, neither when it is built nor when it is read.
"""

import inspect
import re

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml

import bunraku

project = "Bunraku"
author = project_copyright = "The Bunraku developers"
version = release = bunraku.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton"]
exclude_patterns = ["pictures", "site"]
suppress_warnings = ["toc.not_included"]  # a page that no list names is found by the search and by links
language = "en"

myst_enable_extensions = ["colon_fence", "dollarmath", "deflist", "attrs_block"]
myst_heading_anchors = 4
highlight_language = "none"
pygments_style, pygments_dark_style = "a11y-high-contrast-light", "a11y-high-contrast-dark"

default_role = "code"  # docstrings put code into single backticks, as Markdown does
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
python_maximum_signature_line_length = 80
python_use_unqualified_type_names = True
add_module_names = False
toc_object_entries = False

html_theme = "furo"
html_title = f"Bunraku {version}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sourcelink = True
html_copy_source = False
html_theme_options = {"navigation_with_keys": True}
copybutton_exclude = ".linenos, .gp, .go"


def escape(text: str) -> str:
    """A line of a docstring, in which only `code` is markup."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(p if k % 2 else re.sub(r"([*|\\]|_\b)", r"\\\1", p) for k, p in enumerate(parts))


def fields(thing) -> list[str]:
    """What a class says of its fields, units and shapes, in comments behind them, as a list."""
    try:
        source = inspect.getsource(thing)
    except (OSError, TypeError):
        return []
    said = re.findall(r"^    (\w+): [^#\n]*  # (?!type:|noqa|pyright)(.*)$", source, flags=re.MULTILINE)
    return ["", *(f"- `{name}`: {text}" for name, text in said), ""] if said else []


def plain_docstrings(app, what, name, thing, options, lines):
    """Docstrings are plain text with `code` and indented examples; the latter become blocks of Python."""
    if name == "bunraku.__version__":
        lines[:] = ["The version, as `major.minor.patch`."]
    lines += fields(thing) if what == "class" else []
    found, code = [], False
    for k, line in enumerate(lines):
        indented = line.startswith("    ")
        if indented and not code and k and not lines[k - 1].strip():
            found += [".. code-block:: python", ""]
            code = True
        elif line.strip() and not indented:
            code = False
        found.append(line if code else escape(line))
    lines[:] = found


def mathml(self, node):
    """A formula as MathML, which browsers draw by themselves."""
    block = isinstance(node, nodes.math_block)
    self.body.append(tex2mathml(node.astext(), as_block=block))
    raise nodes.SkipNode


def setup(app):
    """Hooks of the build."""
    app.connect("autodoc-process-docstring", plain_docstrings)
    app.add_html_math_renderer("mathml", inline_renderers=(mathml, None), block_renderers=(mathml, None))
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True, "parallel_write_safe": True}
