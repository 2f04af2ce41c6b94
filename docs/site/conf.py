"""Sphinx's settings; scripts/docs.sh calls it."""

import os
import re

project = "Kokkos SymmetricSpace"
copyright = "Contributors to the Kokkos SymmetricSpace project"
version = release = os.environ.get("SYMM_DOCS_VERSION", "")

extensions = ["myst_parser"]
myst_heading_anchors = 4
root_doc = "index"
highlight_language = "none"
smartquotes_action = "qe"  # "--option" keeps its dashes
suppress_warnings = ["myst.header"]  # a page of a header may begin at level 3
nitpicky = True

html_theme = "furo"
html_title = f"Kokkos SymmetricSpace {version}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_use_index = False  # the reference has every name
pygments_style = "default"
pygments_dark_style = "native"


# A long name in a line of text is broken at a mark or at a new word of it, nowhere
# else: site.css has the other half.
CODE = re.compile(r'<code class="[^"]*literal[^"]*">.*?</code>', re.DOTALL)
WORD = re.compile(r"(?<=>)[^<>\s]{14,}(?=<)")


def break_names(app, page, template, context, doctree):
    def word(match):
        text = re.sub(r"((?<=\w)&lt;|::|[_(,/=])(?=[\w&])", r"\1<wbr>", match[0])
        return re.sub(r"(?<=[a-z]{3})(?=[A-Z][a-z]{2})", "<wbr>", text)

    if "body" in context:
        context["body"] = CODE.sub(lambda code: WORD.sub(word, code[0]),
                                   context["body"])


def setup(app):
    app.connect("html-page-context", break_names)
