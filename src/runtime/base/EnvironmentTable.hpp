// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ENVIRONMENT_TABLE_HPP
#define SYMM_ENVIRONMENT_TABLE_HPP

#include <array>

#include "Env.hpp"

/// The environment variables that this library reads. `symm_info
/// --environment-table` generates the table in docs/environment.md from these
/// entries.
namespace symm::Impl::environment {

inline constexpr EnvironmentVariable heap_limit{
    {"SYMM_HEAP_LIMIT"},
    VariableType::bytes,
    "256G",
    "what the heap of a PE can grow to: addresses are reserved for it, no "
    "memory; the default is less with more than 128 PEs on a node, which share "
    "32 TiB"};

inline constexpr EnvironmentVariable symmetric_size{
    {"SYMM_SYMMETRIC_SIZE", "NVSHMEM_SYMMETRIC_SIZE", "SHMEM_SYMMETRIC_SIZE"},
    VariableType::bytes,
    "0",
    "memory per PE that is mapped at start, in GPU memory where there is a "
    "GPU; the default of a static heap is `1G`"};

inline constexpr EnvironmentVariable static_heap{
    {"SYMM_STATIC_HEAP"},
    VariableType::flag,
    "0",
    "1: the heap has `SYMM_SYMMETRIC_SIZE` bytes and never grows"};

inline constexpr EnvironmentVariable huge_pages{
    {"SYMM_HUGE_PAGES"},
    VariableType::pages,
    "never",
    "large pages for heaps of a job without GPUs; `advise`: the system is told "
    "that they may have them, and gives some where "
    "`/sys/kernel/mm/transparent_hugepage/shmem_enabled` says `advise`; a "
    "size, `2M` or `1G`: of those that an administrator has reserved "
    "(`vm.nr_hugepages`); a heap grows by multiples of it, and "
    "without enough of them an allocation fails; `never`: nothing is asked "
    "for"};

inline constexpr EnvironmentVariable timeout{
    {"SYMM_TIMEOUT"},
    VariableType::seconds,
    "60",
    "seconds after which a PE that waits in a collective call reports which "
    "PEs are missing, and what they called last, and one that waits for a "
    "variable reports that; it waits on, unless all other PEs have left for "
    "`finalize()`; 0: never"};

inline constexpr EnvironmentVariable peer_timeout{
    {"SYMM_PEER_TIMEOUT"},
    VariableType::seconds,
    "60",
    "seconds after which a PE of another node that others wait for, and that "
    "gives no sign of life, counts as lost, which ends the job; 0: never, for "
    "debuggers"};

inline constexpr EnvironmentVariable network{
    {"SYMM_NETWORK"},
    VariableType::text,
    nullptr,
    "the library that carries messages between nodes, `ucx` or `libfabric`; if "
    "not set, the first of them that all PEs can run; `symm_info` lists them"};

inline constexpr EnvironmentVariable start{
    {"SYMM_START"},
    VariableType::text,
    nullptr,
    "what starts the job, `mpi`, `tcp` or `pmix`; if not set, TCP if "
    "`SYMM_ROOT` is set, else MPI, and in a library without MPI PMIx, if the "
    "launcher has it"};

inline constexpr EnvironmentVariable root{
    {"SYMM_ROOT"},
    VariableType::text,
    nullptr,
    "if set, the job starts by TCP, without MPI: where PE 0 is found, "
    "`host:port`, or `file:path` of a file that PE 0 writes, on a file system "
    "that all PEs share: "
    "[nodes.md](nodes.md#a-start-without-mpi)"};

inline constexpr EnvironmentVariable pe{
    {"SYMM_PE", "SLURM_PROCID", "PMI_RANK"},
    VariableType::count,
    nullptr,
    "the number of this PE, from 0, for a start by TCP"};

inline constexpr EnvironmentVariable pes{
    {"SYMM_PES", "SLURM_NTASKS", "PMI_SIZE"},
    VariableType::count,
    nullptr,
    "the number of PEs, for a start by TCP"};

inline constexpr EnvironmentVariable start_timeout{
    {"SYMM_START_TIMEOUT"},
    VariableType::seconds,
    "60",
    "seconds that all PEs have to find PE 0 in a start by TCP or PMIx, and a "
    "PE has to take each further step of the start and of the end of such a "
    "job; 0: no limit, for debuggers"};

inline constexpr EnvironmentVariable trace{
    {"SYMM_TRACE"},
    VariableType::text,
    nullptr,
    "start of the names of files in which each PE writes at the end what its "
    "host has put, got and waited for, `SYMM_TRACE=heat` those of "
    "`heat.0.json`, ...; PE 0 prints a table, too: "
    "[profiling.md](profiling.md)"};

inline constexpr EnvironmentVariable check_report{
    {"SYMM_CHECK_REPORT"},
    VariableType::text,
    nullptr,
    "file in which a program with `KokkosSymmetricSpace::Checked` writes the "
    "races that it has found, as JSON: [races.md](races.md)"};

inline constexpr EnvironmentVariable check_status{
    {"SYMM_CHECK_STATUS"},
    VariableType::count,
    "66",
    "exit status of such a program that has found races and would end with 0; "
    "0: that"};

inline constexpr EnvironmentVariable ucx_transports{
    {"UCX_TLS"},
    VariableType::text,
    nullptr,
    "UCX's: what it may use between nodes; if not set, all but shared memory "
    "(`^sm`); with `cma` PEs of one machine copy blocks themselves: "
    "[nodes.md](nodes.md#blocks-without-messages)"};

inline constexpr EnvironmentVariable fabric_provider{
    {"FI_PROVIDER"},
    VariableType::text,
    nullptr,
    "libfabric's: the provider that it uses between nodes, `tcp` or `cxi`; if "
    "not set, its own first choice that reaches other machines"};

inline constexpr EnvironmentVariable pes_per_node{
    {"SYMM_PES_PER_NODE"},
    VariableType::count,
    "0",
    "for tests: this many consecutive PEs, counted from PE 0, are a node of "
    "their own; 0: the PEs that share one"};

inline constexpr EnvironmentVariable visible_gpus{
    {"CUDA_VISIBLE_DEVICES"},
    VariableType::text,
    nullptr,
    "CUDA's: the GPUs that a process sees; shown where it sees none"};

inline constexpr EnvironmentVariable module_loading{
    {"CUDA_MODULE_LOADING"},
    VariableType::text,
    nullptr,
    "CUDA's: when kernels are loaded; if not set, a job of several nodes sets "
    "it to `EAGER`, since a kernel that waits for another node may not let the "
    "next one be loaded"};

inline constexpr EnvironmentVariable gpu_connections{
    {"CUDA_DEVICE_MAX_CONNECTIONS"},
    VariableType::text,
    nullptr,
    "CUDA's: queues of a process to a GPU; if not set, a job of several nodes "
    "sets it to `8`, since clients of MPS have fewer, and work that a waiting "
    "kernel needs may be queued behind it"};

inline constexpr EnvironmentVariable kokkos_device{
    {"KOKKOS_DEVICE_ID", "KOKKOS_MAP_DEVICE_ID_BY", "CTEST_KOKKOS_DEVICE_TYPE"},
    VariableType::text,
    nullptr,
    "Kokkos': if set, Kokkos chooses the GPU of a PE; otherwise the PEs of a "
    "node take its GPUs in turn"};

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
                                  &gpu_connections,
                                  &kokkos_device};

}  // namespace symm::Impl::environment

#endif
