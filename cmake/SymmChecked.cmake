# KokkosSymmetricSpace::Checked: the same libraries again, as symm_runtime_checked,
# KokkosSymmetricSpace_checked and KokkosSymmetricContainers_checked, with the detector
# of races between PEs (docs/races.md).
# A program that links it is compiled with the instrumentation of ThreadSanitizer, but
# not linked with its library: check/Callbacks.cpp takes its place. The libraries
# themselves are not instrumented. Kernels on GPUs tell of loads and stores by the
# elements of Views (kokkos_impl/SeenElement.hpp).

option(SYMM_CHECK_BY_VIEWS
       "Observe loads and stores through elements of Views, as for GPUs" OFF)
mark_as_advanced(SYMM_CHECK_BY_VIEWS)
if(SYMM_SANITIZE)
  message(FATAL_ERROR "SYMM_ENABLE_CHECKED and SYMM_SANITIZE cannot be combined.")
endif()

# Makes the library `checked` of the sources and settings of `library`.
function(symm_add_checked checked library)
  get_target_property(folder ${library} SOURCE_DIR)
  get_target_property(sources ${library} SOURCES)
  list(TRANSFORM sources PREPEND "${folder}/" REGEX "^[^/]")
  add_library(${checked} ${sources})
  foreach(
    property IN
    ITEMS INCLUDE_DIRECTORIES
          INTERFACE_INCLUDE_DIRECTORIES
          COMPILE_DEFINITIONS
          INTERFACE_COMPILE_DEFINITIONS
          COMPILE_FEATURES
          INTERFACE_COMPILE_FEATURES
          VERSION
          SOVERSION
          INSTALL_RPATH)
    get_target_property(value ${library} ${property})
    if(value)
      set_property(TARGET ${checked} PROPERTY ${property} "${value}")
    endif()
  endforeach()
  get_target_property(libraries ${library} LINK_LIBRARIES)
  list(TRANSFORM libraries APPEND _checked REGEX "^(symm_runtime|KokkosSymmetricSpace)$")
  target_link_libraries(${checked} PRIVATE ${libraries})
  get_target_property(libraries ${library} INTERFACE_LINK_LIBRARIES)
  list(TRANSFORM libraries APPEND _checked REGEX "^(symm_runtime|KokkosSymmetricSpace)$")
  target_link_libraries(${checked} INTERFACE ${libraries})
  target_compile_definitions(${checked} PUBLIC SYMM_CHECK)
  set_target_properties(${checked} PROPERTIES CXX_EXTENSIONS OFF)
  symm_unity(${checked})
  symm_install_library(${checked} COMPONENT symm_development)
endfunction()

symm_add_checked(symm_runtime_checked symm_runtime)
symm_add_checked(KokkosSymmetricSpace_checked KokkosSymmetricSpace)
symm_add_checked(KokkosSymmetricContainers_checked KokkosSymmetricContainers)
set(check_sources
    Callbacks Calls Checker Checker_Kernels Checker_Messages Checker_Others Checker_Views
    CheckMemory Report Sites)
if(SYMM_HAS_MPI) # whose functions they are
  list(APPEND check_sources MpiCollectives MpiCommunicator MpiMessages MpiRequests
       MpiStart)
endif()
list(TRANSFORM check_sources PREPEND ${PROJECT_SOURCE_DIR}/src/runtime/check/)
list(TRANSFORM check_sources APPEND .cpp)
target_sources(symm_runtime_checked PRIVATE ${check_sources})
target_sources(
  KokkosSymmetricSpace_checked
  PRIVATE ${PROJECT_SOURCE_DIR}/src/Kokkos_SymmetricSpace/space/KernelLabels.cpp)
# Warnings are for what the other build does not compile.
get_target_property(options symm_runtime COMPILE_OPTIONS)
set_source_files_properties(
  ${check_sources} TARGET_DIRECTORY symm_runtime_checked
  PROPERTIES COMPILE_OPTIONS "${options}")
target_link_libraries(symm_runtime_checked PRIVATE ${CMAKE_DL_LIBS})
if(SYMM_HAS_GPU OR SYMM_CHECK_BY_VIEWS)
  target_compile_definitions(symm_runtime_checked PUBLIC SYMM_CHECK_VIEWS)
endif()
if(SYMM_CHECK_BY_VIEWS)
  target_compile_definitions(symm_runtime_checked PUBLIC SYMM_CHECK_VIEWS_ON_HOST)
endif()
target_link_options(
  symm_runtime_checked PUBLIC "LINKER:--wrap=memcpy" "LINKER:--wrap=memmove"
  "LINKER:--wrap=memset" "LINKER:--wrap=memcmp")

add_library(symm_checked INTERFACE)
add_library(KokkosSymmetricSpace::Checked ALIAS symm_checked)
target_link_libraries(symm_checked INTERFACE KokkosSymmetricContainers_checked)
# GCC does not instrument what it expands memcpy and memset of a few bytes to. (Where
# it is set to check their bounds, it calls others that are not wrapped.)
set(instrumentation -fsanitize=thread)
if(SYMM_CHECK_BY_VIEWS)
  set(instrumentation "")
endif()
target_compile_options(
  symm_checked
  INTERFACE $<$<COMPILE_LANGUAGE:CXX>:${instrumentation}> -g -U_FORTIFY_SOURCE -fno-builtin-memcpy
            -fno-builtin-memmove -fno-builtin-memset
            $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-tsan>)
set_target_properties(symm_checked PROPERTIES EXPORT_NAME Checked)
install(TARGETS symm_checked EXPORT KokkosSymmetricSpaceTargets)
