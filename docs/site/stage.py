#!/usr/bin/env python3
"""Lays out what Sphinx makes the site of: pages, pictures, sources, reference.

    stage.py ROOT XML TARGET

ROOT is the repository, XML what Doxygen has written. Pages keep their places, so
that their links hold. A source that a page links to becomes a page, too. The
contents at the side are the lists of docs/README.md, heading by heading.
"""

import pathlib
import re
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parents[1] / "unit_tests" / "checks"))
import check_pages  # noqa: E402
import reference  # noqa: E402

LANGUAGES = {".cpp": "cpp", ".hpp": "cpp", ".py": "python", ".sh": "bash",
             ".cmake": "cmake", ".txt": "text", ".json": "json", ".md": "text",
             ".in": "text"}


class Site:
    def __init__(self, root, target):
        self.root = root.resolve()
        self.target = target
        self.sources = set()

    def write(self, name, text):
        file = self.target / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def staged(self, name):
        """The page that a file of the repository becomes."""
        name = pathlib.PurePosixPath(name)
        if str(name) == "README.md":
            return "index.md"
        return str(name)

    def relink(self, name, text):
        """The page's text with links to what is on the site."""
        here = (self.root / name).parent

        def change(match):
            whole, target = match[0], match[1]
            path, hash_, anchor = target.partition("#")
            if check_pages.is_foreign(target) or not path:
                return whole
            file = (here / path).resolve()
            inside = file.relative_to(self.root)
            if file.is_dir():
                goal = (str(inside / "README.md")
                        if (file / "README.md").is_file()
                        else self.add_source(inside))
            elif file.suffix == ".md":
                goal = self.staged(inside)
            elif file.suffix in (".svg", ".png"):
                self.copy(inside)
                goal = str(inside)
            else:
                goal = self.add_source(inside)
            up = "../" * (len(pathlib.PurePosixPath(name).parts) - 1)
            return whole.replace(f"]({target})", f"]({up}{goal}{hash_}{anchor})")

        # Not in code.
        parts = re.split(r"(^[ ]*```.*?^[ ]*```[ ]*$)", text,
                         flags=re.MULTILINE | re.DOTALL)
        for i in range(0, len(parts), 2):
            parts[i] = check_pages.LINK.sub(change, parts[i])
        return "".join(parts)

    def copy(self, inside):
        goal = self.target / inside
        goal.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(self.root / inside, goal)

    def add_source(self, inside):
        """A page with a source, or with the list of a folder's."""
        page = f"sources/{inside}.md"
        if page in self.sources:
            return page
        self.sources.add(page)
        file = self.root / inside
        title = f"---\norphan: true\n---\n\n# `{inside}`\n\n"
        if file.is_dir():
            up = "../" * (len(inside.parts))
            rows = [f"- [`{p.name}`]({up}{self.add_source(inside / p.name)})"
                    for p in sorted(file.iterdir()) if p.is_file()]
            self.write(page, title + "\n".join(rows) + "\n")
            return page
        code = file.read_text(encoding="utf-8")
        language = LANGUAGES.get(file.suffix, "text")
        self.write(page, f"{title}````{language}\n{code.rstrip()}\n````\n")
        return page

    def contents(self):
        """Headings of docs/README.md and the pages listed below each."""
        text = (self.root / "docs/README.md").read_text(encoding="utf-8")
        found = []
        for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
            heading, _, rest = part.partition("\n")
            pages = []
            for target in re.findall(r"^[-|] \[[^\]]*\]\(([^)#]+\.md)\)", rest,
                                     re.MULTILINE):
                file = (self.root / "docs" / target).resolve()
                pages.append(self.staged(file.relative_to(self.root)))
            found.append((heading.strip(), pages))
        listed = {"docs/README.md"}.union(*(pages for _, pages in found))
        left = sorted({f"docs/{p.name}" for p in (self.root / "docs").glob("*.md")}
                      - listed)
        if left:
            print(f"not in docs/README.md: {', '.join(left)}")
            found.append(("More", left))
        return found


def main(root, xml, target):
    root, target = pathlib.Path(root), pathlib.Path(target)
    if target.exists():
        shutil.rmtree(target)
    site = Site(root, target)
    contents = site.contents()
    listed = {page for _, pages in contents for page in pages}
    for page in check_pages.pages_of(site.root):
        name = str(page.relative_to(site.root))
        if name.startswith(".github/"):
            continue  # forms, not pages
        text = site.relink(name, page.read_text(encoding="utf-8"))
        staged = site.staged(name)
        if staged == "index.md":
            index = text
            continue
        if staged not in listed:
            text = "---\norphan: true\n---\n\n" + text
        site.write(staged, text)
    pages = reference.write(xml, site.root / "src",
                            site.root / "unit_tests/checks/public_names.txt",
                            target / "reference")
    for heading, names in contents + [
            ("Reference", ["reference/index.md"] +
             [f"reference/{page}.md" for page in pages])]:
        index += (f"\n```{{toctree}}\n:hidden:\n:caption: {heading}\n\n"
                  + "\n".join(names) + "\n```\n")
    site.write("index.md", index)
    print(f"{len(listed) + 1 + len(pages) + 1} pages, {len(site.sources)} sources")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except reference.Problem as problem:
        sys.exit(f"stage.py: {problem}")
