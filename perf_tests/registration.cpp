// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What it costs to register memory that the program has made itself, and
// whether puts and gets through it are those through heap memory.
//
// Registration is compared with the growth of the heap by as many bytes:
// symm::malloc, for which the heap has no memory, since it has given all of it
// back before. Both map physical memory of each PE on all PEs; growth also
// makes it. What is registered was made, and written once, before the timed
// part. Freeing, trimming and unregistering what the sample before has left is
// not timed; unregistration is a contestant of its own, and so is the sum of
// make_registrable_view and registration.
// Both are measured in a heap without memory, and in one that keeps a block of
// the same size ("kept"): on GPUs the driver takes long for the first large
// memory of another GPU that is mapped, and not for those that follow
// (docs/laboratory.md, "Memory of the program"). The same growth once more
// ("again") shows how exact the comparison is. None of the puts' and gets'
// memory is there yet: a heap with more of it grows by more.

#include <Kokkos_SymmetricSpace.hpp>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "Blocks.hpp"
#include "harness/DeviceWords.hpp"
#include "harness/Gpus.hpp"
#include "harness/Pattern.hpp"
#include "harness/Sampler.hpp"
#include "harness/Session.hpp"
#include "registration/Transfers.hpp"

namespace perf::registration_benchmark {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20U;
constexpr std::size_t gib = std::size_t{1} << 30U;

using OwnWords = Kokkos::View<std::uint64_t*, DeviceSpace>;

OwnWords make_registrable(std::size_t bytes) {
  return symm::make_registrable_view<std::uint64_t*, DeviceSpace>(
      "registrable", bytes / sizeof(std::uint64_t));
}

/// What a sample leaves behind, and the next one must not find. All calls are
/// collective; reset() is the last one.
class Samples {
 public:
  /// \param kept bytes of the block that the heap keeps; 0 for none.
  Samples(std::size_t bytes, std::size_t kept)
      : m_bytes(bytes), m_own(make_registrable(bytes)) {
    Kokkos::deep_copy(m_own, 1);  // so that all of it is there
    reset();
    if (kept > 0) m_kept = allocate_block(kept);
    reset();
  }

  void grow() { m_block = allocate_block(m_bytes); }

  void register_own() { register_words(m_own); }

  void make_and_register() {
    m_made = make_registrable(m_bytes);
    register_words(m_made);
  }

  void unregister() {
    if (symm::buffer_unregister_symmetric(m_registered, m_bytes) !=
        symm::Status::success)
      throw std::runtime_error(symm::last_error());
    m_registered = nullptr;
  }

  /// No heap memory but what is kept, and nothing registered.
  void reset() {
    if (m_registered != nullptr) unregister();
    m_made = OwnWords();
    if (m_block != nullptr) {
      if (symm::heap_stats().mapped_bytes < m_mapped_before + m_bytes)
        ++m_without_growth;
      symm::free(m_block);
      m_block = nullptr;
    }
    static_cast<void>(symm::heap_trim());
    m_mapped_before = symm::heap_stats().mapped_bytes;
  }

  /// The last call.
  void end() {
    symm::free(m_kept);
    m_kept = nullptr;
    reset();
  }

  /// Allocations that have found memory in the heap.
  [[nodiscard]] std::int64_t without_growth() const { return m_without_growth; }

  /// Every PE writes all of the next PE's registered memory; counts what is
  /// wrong in its own, by the address that it was registered with.
  [[nodiscard]] std::int64_t count_wrong_words(Session const& session) {
    int const me         = session.my_pe();
    int const next       = (me + 1) % session.n_pes();
    int const previous   = (me + session.n_pes() - 1) % session.n_pes();
    auto const n_words   = m_own.extent(0);
    auto const wait_here = [] {
      symm::barrier_all(Kokkos::DefaultExecutionSpace{});
    };
    reset();
    register_own();
    auto* const words = static_cast<std::uint64_t*>(m_registered);
    fill_pattern(DeviceWords(symm::ptr(words, next), n_words), me, next);
    wait_here();
    std::int64_t const wrong =
        count_wrong(DeviceWords(m_own.data(), n_words), previous, me);
    wait_here();
    reset();
    return wrong;
  }

 private:
  void register_words(OwnWords const& words) {
    m_registered = symm::buffer_register_symmetric(words.data(), m_bytes, 0);
    if (m_registered == nullptr) throw std::runtime_error(symm::last_error());
  }

  std::size_t m_bytes;
  OwnWords m_own;
  OwnWords m_made;  // of the latest sample, where it made one
  void* m_kept                  = nullptr;
  void* m_registered            = nullptr;
  void* m_block                 = nullptr;
  std::size_t m_mapped_before   = 0;
  std::int64_t m_without_growth = 0;
};

void measure_registration(Session& session, std::size_t bytes,
                          std::size_t kept) {
  Samples samples(bytes, kept);
  auto const reset = [&] { samples.reset(); };
  auto const grow  = [&](std::int64_t) { samples.grow(); };
  std::vector<Contestant> const contestants{
      {"growth", "", grow, 1, reset},
      {"growth, again", "growth", grow, 1, reset},
      {"register", "growth", [&](std::int64_t) { samples.register_own(); }, 1,
       reset},
      {"unregister", "growth", [&](std::int64_t) { samples.unregister(); }, 1,
       [&] {
         samples.reset();
         samples.register_own();
       }},
      {"make and register", "growth",
       [&](std::int64_t) { samples.make_and_register(); }, 1, reset}};
  session.compare({{{"bytes", static_cast<std::int64_t>(bytes)},
                    {"kept", static_cast<std::int64_t>(kept)}}},
                  contestants);
  samples.reset();
  session.verify("growths without growth", samples.without_growth());
  session.verify("words in registered memory",
                 samples.count_wrong_words(session));
  samples.end();
}

void measure(Session& session) {
  bool const on_gpus = session.gpus().count > 0;
  std::size_t const registered =
      session.quick() ? 4 * mib : (on_gpus ? gib : 256 * mib);
  std::size_t const copied =
      session.quick() ? 4 * mib : (on_gpus ? gib : 64 * mib);
  // Three times that of a sample in the first part, four times a copy in the
  // second.
  if (on_gpus && gpu_share_bytes(session.gpus()) / 8 < registered)
    throw std::runtime_error("not enough GPU memory for " +
                             std::to_string(8 * registered >> 20U) +
                             " MiB per PE");
  for (std::size_t const kept : {std::size_t{0}, registered})
    measure_registration(session, registered, kept);
  measure_transfers(session, copied);
}

Registered const registered{"registration", measure};

}  // namespace
}  // namespace perf::registration_benchmark
