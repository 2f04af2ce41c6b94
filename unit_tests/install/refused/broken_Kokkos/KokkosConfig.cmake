# An installed Kokkos 5 that needs a package which is not there.
include(CMakeFindDependencyMacro)
find_dependency(NobodyHasThis)
