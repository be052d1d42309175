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
# a page that no list names is found by the search and by links; an indented table in a docstring is no Python
suppress_warnings = ["toc.not_included", "misc.highlighting_failure"]
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
    """A line of a docstring, in which only `code` is markup, and none of it where a backtick has no partner."""
    if text.count("`") % 2:
        text = text.replace("`", "'")
    text = re.sub(r"::$", ":", text.replace("``", "`"))
    parts = re.split(r"(`[^`]+`)", text)
    text = "".join(p if k % 2 else re.sub(r"([*|\\`]|_\b)", r"\\\1", p) for k, p in enumerate(parts))
    return re.sub(r"^(\d+[.)]\s|[:>.+=~^#-])", r"\\\1", text) if not text.startswith("`") else text


def as_rst(lines: list[str]) -> list[str]:
    """A docstring's lines: paragraphs, items that begin with "- ", and examples, indented by four after an empty line."""
    out, code, item = [], False, False
    for k, line in enumerate(lines):
        indent, text = len(line) - len(line.lstrip()), line.strip()
        if text and indent >= 4 and (code or (k and not lines[k - 1].strip())) and not item:
            out += [line] if code else ["", ".. code-block:: python", "", line]
            code = True
            continue
        out += [""] if code and text else []
        code = code and not text
        if text.startswith("- "):
            out += [f"- {escape(text[2:])}"] if item else ["", f"- {escape(text[2:])}"]
            item = True
        elif item and indent and text:
            out.append(f"  {escape(text)}")
        else:
            out += ["", escape(text)] if item and text else [escape(text)]
            item = item and not text
    return [*out, ""]


def fields(thing) -> list[str]:
    """What a class says of its fields, units and shapes, in comments behind them, as a list."""
    try:
        source = inspect.getsource(thing)
    except (OSError, TypeError):
        return []
    said = re.findall(r"^    ([a-zA-Z]\w*): [^#\n]*  # (?!type:|noqa|pyright)(.*)$", source, flags=re.MULTILINE)
    return ["", *(f"- `{name}`: {text}" for name, text in said), ""] if said else []


def plain_docstrings(app, what, name, thing, options, lines):
    """Docstrings are plain text with `code`, items and indented examples."""
    if name == "bunraku.__version__":
        lines[:] = ["The version, as `major.minor.patch`."]
    lines[:] = as_rst([*lines, *(fields(thing) if what == "class" else [])])


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
