# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

from pathlib import Path

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class KokkosSymmetricSpace(CMakePackage):
    """A memory space for Kokkos whose Views every process of a parallel job can
    read and write directly: a symmetric heap with the operations of OpenSHMEM."""

    # This recipe is part of the repository that it installs.
    git = Path(__file__).resolve().parents[6].as_uri()

    license("Apache-2.0 WITH LLVM-exception")

    version("main", branch="main")

    variant("cuda", default=False, description="GPU memory and kernels of NVIDIA GPUs")
    variant("libfabric", default=False, description="Jobs of several nodes by libfabric")
    variant("mpi", default=True, description="Jobs that MPI starts")
    variant("pmix", default=False, description="Jobs that PMIx starts, without MPI")
    variant("shared", default=False, description="Shared libraries")
    variant("ucx", default=True, description="Jobs of several nodes")

    depends_on("cxx", type="build")
    depends_on("cmake@3.23:", type="build")
    depends_on("mpi", when="+mpi")
    # A program must have the library's Kokkos, so it is the one of the user's spec.
    depends_on("kokkos@4.6.1:5")
    depends_on("kokkos+cuda", when="+cuda")
    depends_on("kokkos~cuda", when="~cuda")
    depends_on("cuda@12.2:", when="+cuda")
    # Headers to build with; the library is loaded when a job of several nodes starts.
    depends_on("ucx@1.13:", when="+ucx", type=("build", "run"))
    depends_on("libfabric@1.17:", when="+libfabric", type=("build", "run"))
    depends_on("pmix@3:", when="+pmix", type=("build", "run"))

    requires("platform=linux", msg="the heap is made of Linux' memory files")
    conflicts("%gcc@:10.3", msg="C++20 as GCC 10.4 has it")
    conflicts("%clang@:13", msg="C++20 as Clang 14 has it")

    def cmake_args(self):
        args = [
            self.define("SYMM_ENABLE_TESTS", False),
            self.define("SYMM_ENABLE_PERF_TESTS", False),
            self.define("SYMM_ENABLE_EXAMPLES", False),
            self.define_from_variant("SYMM_ENABLE_CUDA", "cuda"),
            self.define_from_variant("SYMM_ENABLE_UCX", "ucx"),
            self.define_from_variant("SYMM_ENABLE_LIBFABRIC", "libfabric"),
            self.define_from_variant("SYMM_ENABLE_MPI", "mpi"),
            self.define_from_variant("SYMM_ENABLE_PMIX", "pmix"),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("CMAKE_CXX_COMPILER", self["kokkos"].kokkos_cxx))
        return args

    def setup_run_environment(self, env):
        for library in ("ucx", "libfabric", "pmix"):
            if self.spec.satisfies(f"+{library}"):
                env.prepend_path(
                    "LD_LIBRARY_PATH", self.spec[library].libs.directories[0])
