#!/usr/bin/env python3
"""Checks the recipe for Spack against the sources, without Spack.

  check_spack.py SOURCE_DIR [--self-test]

Runs the recipe with a stand-in for what it imports: every option that it gives CMake
must be one of this project or of CMake, for every choice of its variants; variants
that it asks for must be declared; it installs the repository that it is in; and the
oldest versions that it accepts must be those that CMake does. --self-test gives it
recipes with a fault each, which must be found.
"""

import itertools
import re
import sys
import types
from pathlib import Path

RECIPE = ("packaging/spack/spack_repo/symmetric_space/packages/"
          "kokkos_symmetric_space/package.py")
CMAKE_OPTIONS = {"BUILD_SHARED_LIBS", "CMAKE_CXX_COMPILER"}


class Anything:
    """Has every attribute and item."""

    def __getattr__(self, name):
        return Anything()

    def __getitem__(self, key):
        return Anything()


class Spec(Anything):
    def __init__(self, variants):
        self.variants = variants

    def satisfies(self, text):
        if text[1:] not in self.variants or text[0] not in "+~":
            raise ValueError(f"satisfies({text!r}): no such variant")
        return self.variants[text[1:]] == (text[0] == "+")


def load(source, text):
    """The recipe's class and its directives, as (name, arguments, keywords)."""
    directives = []

    def directive(name):
        return lambda *args, **kwargs: directives.append((name, args, kwargs))

    class CMakePackage(Anything):
        def define(self, name, value):
            return f"-D{name}={value}"

        def define_from_variant(self, name, variant):
            if variant not in self.spec.variants:
                raise ValueError(f"define_from_variant({variant!r}): no such variant")
            return self.define(name, self.spec.variants[variant])

    api = types.ModuleType("spack.package")
    names = ["license", "version", "variant", "depends_on", "requires", "conflicts"]
    for name in names:
        setattr(api, name, directive(name))
    api.__all__ = names
    build = types.ModuleType("spack_repo.builtin.build_systems.cmake")
    build.CMakePackage = CMakePackage
    for module in (types.ModuleType("spack"), types.ModuleType("spack_repo"),
                   types.ModuleType("spack_repo.builtin"),
                   types.ModuleType("spack_repo.builtin.build_systems"), api, build):
        sys.modules[module.__name__] = module
    scope = {"__file__": str(source / RECIPE), "__name__": "recipe"}
    exec(compile(text, RECIPE, "exec"), scope)  # pylint: disable=exec-used
    return scope["KokkosSymmetricSpace"], directives


def options_of_cmake(source):
    """Names of options and cache entries of this project."""
    texts = "".join(path.read_text() for path in
                    [source / "CMakeLists.txt", *(source / "cmake").glob("*.cmake")])
    return set(re.findall(r"\boption\(\s*(\w+)", texts)) | set(
        re.findall(r"\bset\(\s*(\w+)[^()]*\bCACHE\b", texts))


def required(pattern, text):
    found = re.search(pattern, text)
    if not found:
        raise ValueError(f"the sources have no {pattern}")
    return found[1]


def mistakes(source, text):
    recipe, directives = load(source, text)
    if recipe.git != source.as_uri():
        yield f"the repository is {source.as_uri()}, not {recipe.git}"
    known = options_of_cmake(source) | CMAKE_OPTIONS
    variants = [args[0] for name, args, _ in directives if name == "variant"]
    for _, _, keywords in directives:
        when = keywords.get("when")
        if when and when[1:] not in variants:
            yield f"when={when!r}: no such variant"
    for values in itertools.product([False, True], repeat=len(variants)):
        package = recipe()
        package.spec = Spec(dict(zip(variants, values)))
        try:
            arguments = package.cmake_args()
        except ValueError as error:
            yield str(error)
            continue
        for argument in arguments:
            name = re.match(r"-D(\w+)=", argument)[1]
            if name not in known:
                yield f"{name} is no option of CMake"

    cmake = (source / "cmake/SymmKokkos.cmake").read_text()
    ucx = (source / "cmake/SymmUcx.cmake").read_text()
    fabric = (source / "cmake/SymmLibfabric.cmake").read_text()
    gpu = (source / "cmake/SymmGpu.cmake").read_text()
    lists = (source / "CMakeLists.txt").read_text()
    expected = [
        f"cmake@{required(r'cmake_minimum_required.VERSION ([0-9.]+)', lists)}:",
        f"kokkos@{required(r'set.SYMM_KOKKOS_OLDEST ([0-9.]+)', cmake)}:",
        f"ucx@{required(r'set.oldest ([0-9.]+)', ucx)}:",
        f"libfabric@{required(r'set.oldest ([0-9.]+)', fabric)}:",
        f"cuda@{required(r'find_package.CUDAToolkit ([0-9.]+)', gpu)}:",
    ]
    wanted = [args[0] for name, args, _ in directives if name == "depends_on"]
    for one in expected:
        if not any(spec.startswith(one) for spec in wanted):
            yield f"depends_on({one!r}...) is missing, which CMake asks for"


def self_test(source, text):
    for old, new in [("parents[6]", "parents[5]"),
                     ("SYMM_ENABLE_UCX", "SYMM_ENABLE_NOTHING"),
                     ('when="+ucx"', 'when="+x"'),
                     ('"SYMM_ENABLE_CUDA", "cuda"', '"SYMM_ENABLE_CUDA", "gpu"'),
                     ('satisfies("+cuda")', 'satisfies("+gpu")'),
                     ("kokkos@4.6.1:", "kokkos@4.0:"), ("cmake@3.23:", "cmake@3.2:"),
                     ("ucx@1.13:", "ucx@1:"), ("libfabric@1.17:", "libfabric@1:"), ("cuda@12.2:", "cuda@12:")]:
        if old not in text or not list(mistakes(source, text.replace(old, new))):
            yield f"not found: {new} instead of {old}"


def main():
    source = Path(sys.argv[1]).resolve()
    text = (source / RECIPE).read_text()
    check = self_test if "--self-test" in sys.argv else mistakes
    found = list(check(source, text))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
