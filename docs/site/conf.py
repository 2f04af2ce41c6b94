"""Sphinx's settings; scripts/docs.sh calls it."""

import os

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
