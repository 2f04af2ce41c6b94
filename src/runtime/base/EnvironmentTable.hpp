// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ENVIRONMENT_TABLE_HPP
#define SYMM_ENVIRONMENT_TABLE_HPP

#include <array>

#include "Env.hpp"

/// The environment variables that this library reads. The table in
/// docs/environment.md is generated from these entries by `symm_info
/// --environment-table`.
namespace symm::Impl::environment {

inline constexpr EnvironmentVariable heap_limit{
    {"SYMM_HEAP_LIMIT"},
    VariableType::bytes,
    "256G",
    "maximum size of a PE's heap; only addresses are reserved for it, no "
    "memory; the default is smaller with more than 128 PEs on a node, which "
    "share 32 TiB"};

inline constexpr EnvironmentVariable symmetric_size{
    {"SYMM_SYMMETRIC_SIZE", "NVSHMEM_SYMMETRIC_SIZE", "SHMEM_SYMMETRIC_SIZE"},
    VariableType::bytes,
    "0",
    "memory per PE that is mapped at startup, in GPU memory if there are "
    "GPUs; the default for a static heap is `1G`"};

inline constexpr EnvironmentVariable static_heap{
    {"SYMM_STATIC_HEAP"},
    VariableType::flag,
    "0",
    "1: the heap has `SYMM_SYMMETRIC_SIZE` bytes and never grows"};

inline constexpr EnvironmentVariable huge_pages{
    {"SYMM_HUGE_PAGES"},
    VariableType::pages,
    "never",
    "large pages for the heaps of a job without GPUs; `advise`: the library "
    "allows the system to use large pages, and the system does so if "
    "`/sys/kernel/mm/transparent_hugepage/shmem_enabled` says `advise`; a "
    "size, `2M` or `1G`: the library uses pages that an administrator has "
    "reserved (`vm.nr_hugepages`), the heap grows by multiples of this size, "
    "and an allocation fails if too few pages are free; `never`: the library "
    "does not request large pages"};

inline constexpr EnvironmentVariable timeout{
    {"SYMM_TIMEOUT"},
    VariableType::seconds,
    "60",
    "seconds after which a waiting PE reports its wait; in a collective call, "
    "the report says which PEs are missing and what they called last; the PE "
    "continues to wait, unless all other PEs are in `finalize()`; 0: never"};

inline constexpr EnvironmentVariable peer_timeout{
    {"SYMM_PEER_TIMEOUT"},
    VariableType::seconds,
    "60",
    "seconds after which a PE on another node counts as lost, if other PEs "
    "wait for it and it gives no sign of life; the job then ends; 0: never, "
    "for debuggers"};

inline constexpr EnvironmentVariable network{
    {"SYMM_NETWORK"},
    VariableType::text,
    nullptr,
    "the library that carries messages between nodes, `ucx` or `libfabric`; "
    "if not set, the first of these that all PEs can use; `symm_info` lists "
    "them"};

inline constexpr EnvironmentVariable start{
    {"SYMM_START"},
    VariableType::text,
    nullptr,
    "what starts the job: `mpi`, `tcp` or `pmix`; if not set: TCP if "
    "`SYMM_ROOT` is set, otherwise MPI; in a library without MPI, PMIx if the "
    "launcher has it"};

inline constexpr EnvironmentVariable root{
    {"SYMM_ROOT"},
    VariableType::text,
    nullptr,
    "if set, the job starts over TCP, without MPI; the address of PE 0: "
    "`host:port`, or `file:path` with the path of a file that PE 0 writes, on "
    "a file system that all PEs share: "
    "[nodes.md](nodes.md#a-start-without-mpi)"};

inline constexpr EnvironmentVariable pe{
    {"SYMM_PE", "SLURM_PROCID", "PMI_RANK"},
    VariableType::count,
    nullptr,
    "the number of this PE, starting from 0, for a start over TCP"};

inline constexpr EnvironmentVariable pes{
    {"SYMM_PES", "SLURM_NTASKS", "PMI_SIZE"},
    VariableType::count,
    nullptr,
    "the number of PEs, for a start over TCP"};

inline constexpr EnvironmentVariable start_timeout{
    {"SYMM_START_TIMEOUT"},
    VariableType::seconds,
    "60",
    "seconds within which all PEs must find PE 0 in a start over TCP or PMIx, "
    "and within which a PE must complete each further step of startup and "
    "shutdown; 0: no limit, for debuggers"};

inline constexpr EnvironmentVariable trace{
    {"SYMM_TRACE"},
    VariableType::text,
    nullptr,
    "prefix of the names of files to which each PE writes, at the end, the "
    "puts, gets and waits of its host; `SYMM_TRACE=heat` writes "
    "`heat.0.json`, ...; PE 0 also prints a table: "
    "[profiling.md](profiling.md)"};

inline constexpr EnvironmentVariable check_report{
    {"SYMM_CHECK_REPORT"},
    VariableType::text,
    nullptr,
    "file to which a program with `KokkosSymmetricSpace::Checked` writes the "
    "races that it has found, as JSON: [races.md](races.md)"};

inline constexpr EnvironmentVariable check_status{
    {"SYMM_CHECK_STATUS"},
    VariableType::count,
    "66",
    "exit status of a program with `KokkosSymmetricSpace::Checked` that has "
    "found races and would otherwise exit with 0; 0: the status stays 0"};

inline constexpr EnvironmentVariable ucx_transports{
    {"UCX_TLS"},
    VariableType::text,
    nullptr,
    "read by UCX: the transports that it may use between nodes; if not set, "
    "all except shared memory (`^sm`); with `cma`, PEs on one machine copy "
    "blocks themselves: [nodes.md](nodes.md#blocks-without-messages)"};

inline constexpr EnvironmentVariable fabric_provider{
    {"FI_PROVIDER"},
    VariableType::text,
    nullptr,
    "read by libfabric: the provider that it uses between nodes, `tcp` or "
    "`cxi`; if not set, the first provider that libfabric lists and that "
    "reaches other machines"};

inline constexpr EnvironmentVariable pes_per_node{
    {"SYMM_PES_PER_NODE"},
    VariableType::count,
    "0",
    "for tests: treats each group of this many consecutive PEs, starting with "
    "PE 0, as a separate node; 0: use the real nodes"};

inline constexpr EnvironmentVariable visible_gpus{
    {"CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"},
    VariableType::text,
    nullptr,
    "read by CUDA and HIP (HIP looks at its own variables, too): the GPUs that "
    "a process sees; an error message shows it if a process sees none"};

inline constexpr EnvironmentVariable module_loading{
    {"CUDA_MODULE_LOADING"},
    VariableType::text,
    nullptr,
    "read by CUDA: when kernels are loaded; if not set, a job on several "
    "nodes sets it to `EAGER`, because a kernel that waits for another node "
    "may keep the next kernel from being loaded"};

inline constexpr EnvironmentVariable hip_loading{
    {"HIP_ENABLE_DEFERRED_LOADING"},
    VariableType::text,
    nullptr,
    "read by HIP, before `main()`: whether kernels are loaded at their first "
    "launch; for jobs on several nodes, try `0` (nobody has run them on AMD "
    "GPUs)"};

inline constexpr EnvironmentVariable gpu_connections{
    {"CUDA_DEVICE_MAX_CONNECTIONS"},
    VariableType::text,
    nullptr,
    "read by CUDA: the number of queues from a process to a GPU; if not set, "
    "a job on several nodes sets it to `8`, because MPS clients have fewer, "
    "and work that a waiting kernel needs may be queued after that kernel"};

inline constexpr EnvironmentVariable kokkos_device{
    {"KOKKOS_DEVICE_ID", "KOKKOS_MAP_DEVICE_ID_BY", "CTEST_KOKKOS_DEVICE_TYPE"},
    VariableType::text,
    nullptr,
    "read by Kokkos: if set, Kokkos chooses the GPU of a PE; otherwise, the "
    "GPUs of a node are assigned to its PEs round-robin"};

inline constexpr std::array table{&heap_limit,
                                  &symmetric_size,
                                  &static_heap,
                                  &huge_pages,
                                  &timeout,
                                  &peer_timeout,
                                  &network,
                                  &start,
                                  &root,
                                  &pe,
                                  &pes,
                                  &start_timeout,
                                  &trace,
                                  &check_report,
                                  &check_status,
                                  &pes_per_node,
                                  &ucx_transports,
                                  &fabric_provider,
                                  &visible_gpus,
                                  &module_loading,
                                  &hip_loading,
                                  &gpu_connections,
                                  &kokkos_device};

}  // namespace symm::Impl::environment

#endif
