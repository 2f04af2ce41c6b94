// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MAIL_VIEWS_HPP
#define SYMM_MAIL_VIEWS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include <Kokkos_Core.hpp>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_errors.hpp"
#include "../../runtime/symm_job.hpp"

// Sends messages from Views, on the host. If the host cannot access a View,
// kernels copy it piece by piece to host-accessible memory.

namespace symm::Impl {

/// Host-accessible memory for two pieces of each View passed to a call.
using MailPieces = Kokkos::View<std::byte*, Kokkos::SharedHostPinnedSpace>;

/// An execution space instance whose kernels can access the View: `exec` if
/// possible.
template <class View, class Exec>
auto instance_for(Exec const& exec) {
  if constexpr (Kokkos::SpaceAccessibility<
                    Exec, typename View::memory_space>::accessible) {
    return exec;
  } else {
    return typename View::execution_space();
  }
}

template <class Number>
KOKKOS_FUNCTION bool is_no_pe(Number number, std::uint64_t n_pes) {
  return static_cast<std::uint64_t>(number) >= n_pes;  // true for negative
                                                       // numbers, too
}

template <class Pes>
struct FindNoPe {
  Pes pes;
  std::uint64_t n_pes;
  KOKKOS_FUNCTION void operator()(std::size_t k, std::size_t& first) const {
    if (is_no_pe(pes(k), n_pes) && k < first) first = k;
  }
};

template <class View, class T>
struct CopyToRing {
  View view;
  T* ring;
  std::size_t count;  // number of elements in the ring
  KOKKOS_FUNCTION void operator()(std::size_t k) const {
    ring[k % count] = view(k);
  }
};

template <class Exec>
auto mail_range(Exec const& exec, std::size_t first, std::size_t end) {
  return Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, first,
                                                                   end);
}

/// A View that the host reads from front to back, either directly or through a
/// ring buffer into which kernels copy the View piece by piece.
template <class Exec, class View, bool copies>
class PiecesOfView {
 public:
  using Element = typename View::non_const_value_type;

  /// The size, in bytes, of a `count`-element ring, rounded up to a multiple of
  /// 64; 0 if no ring is needed.
  static std::size_t bytes(std::size_t count) {
    return copies ? (count * sizeof(Element) + 63) / 64 * 64 : 0;
  }
  /// \param memory at least bytes(count) bytes.
  PiecesOfView(Exec const& exec, View const& view, std::byte* memory,
               std::size_t count)
      : m_exec(instance_for<View>(exec)),
        m_view(view),
        m_ring(reinterpret_cast<Element*>(memory)),
        m_count(count) {}

  /// Starts copying elements `first` to `end` - 1 to the ring, which must have
  /// room for them.
  void copy(std::string const& name, std::size_t first, std::size_t end) const {
    if constexpr (copies) {
      Kokkos::parallel_for(name, mail_range(m_exec, first, end),
                           CopyToRing<View, Element>{m_view, m_ring, m_count});
    }
  }
  /// Waits until the copies are complete.
  void fence(std::string const& name) const {
    if constexpr (copies) m_exec.fence(name);
  }
  [[nodiscard]] decltype(auto) operator()(std::size_t k) const {
    if constexpr (copies) {
      return static_cast<Element const&>(m_ring[k % m_count]);
    } else {
      return m_view(k);
    }
  }
  /// The index of the first element that is not a valid PE number; the View's
  /// length if all elements are valid.
  [[nodiscard]] std::size_t find_no_pe(std::string const& name,
                                       std::uint64_t n_pes) const {
    auto const n = m_view.extent(0);
    auto first   = n;
    if constexpr (copies) {
      Kokkos::parallel_reduce(name, mail_range(m_exec, 0, n),
                              FindNoPe<View>{m_view, n_pes},
                              Kokkos::Min<std::size_t>(first));
    } else {
      bool is_wrong = false;  // (a loop that vectorizes)
      for (std::size_t k = 0; k < n; ++k)
        is_wrong |= is_no_pe(m_view(k), n_pes);
      for (std::size_t k = 0; is_wrong && first == n; ++k)
        if (is_no_pe(m_view(k), n_pes)) first = k;
    }
    return std::min(first, n);
  }

 private:
  decltype(instance_for<View>(std::declval<Exec>())) m_exec;
  View m_view;
  Element* m_ring;
  std::size_t m_count;
};

/// Calls send(pes(k), messages(k)) for all k, after earlier work on `exec`.
/// \param name the mailbox's name.
/// \param pieces memory from an earlier call; enlarged if needed.
/// \throws UsageError, before the first send(), if the lengths differ or a PE
///         does not exist.
template <bool copies_pes, bool copies_messages, class Exec, class Pes,
          class Messages, class Send>
void for_each_message(std::string const& name, Exec const& exec, Pes const& pes,
                      Messages const& messages, std::uint64_t n_pes,
                      MailPieces& pieces, Send const& send) {
  using OfPes      = PiecesOfView<Exec, Pes, copies_pes>;
  using OfMessages = PiecesOfView<Exec, Messages, copies_messages>;
  // With 512 KiB pieces, copying takes longer than launching the kernel.
  constexpr auto max_per_piece =
      std::max(std::size_t{1}, (std::size_t{512} << 10) /
                                   (sizeof(typename OfPes::Element) +
                                    sizeof(typename OfMessages::Element)));

  exec.fence(name);
  auto const n = pes.extent(0);
  if (messages.extent(0) != n) {
    throw UsageError(Text(name.c_str(), "::send: PE ", my_pe(), ": ",
                          messages.extent(0), " messages, but ", n,
                          " PEs; pass one PE for each message"));
  }
  if (n == 0) return;
  auto const per_piece = std::min(n, max_per_piece);
  auto const ring      = 2 * per_piece;
  auto const bytes     = OfPes::bytes(ring) + OfMessages::bytes(ring);
  if (pieces.extent(0) < bytes) {
    pieces = {};
    pieces = MailPieces(Kokkos::view_alloc(name + ", pieces of Views",
                                           Kokkos::WithoutInitializing),
                        bytes);
  }
  OfPes const its_pes(exec, pes, pieces.data(), ring);
  OfMessages const its_messages(
      exec, messages,
      copies_messages ? pieces.data() + OfPes::bytes(ring) : nullptr, ring);
  auto const copy = [&](std::size_t first) {
    auto const end = std::min(n, first + per_piece);
    its_pes.copy(name, first, end);
    its_messages.copy(name, first, end);
    return end;
  };

  if (auto const k = its_pes.find_no_pe(name, n_pes); k != n) {
    its_pes.copy(name, k, k + 1);
    its_pes.fence(name);
    throw_no_pe(static_cast<std::int64_t>(its_pes(k)), n_pes,
                Text(name.c_str(), "::send: PE ", my_pe(), ": element ", k));
  }
  if constexpr (!copies_pes && !copies_messages) {
    for (std::size_t k = 0; k < n; ++k)
      send(static_cast<Pe>(its_pes(k)), its_messages(k));
  } else {
    auto end = copy(0);
    for (std::size_t k = 0; k < n;) {
      its_pes.fence(name);
      its_messages.fence(name);
      // Kernels copy the next piece while the host sends this one.
      auto const next_end = end < n ? copy(end) : end;
      for (; k < end; ++k) send(static_cast<Pe>(its_pes(k)), its_messages(k));
      end = next_end;
    }
  }
}

}  // namespace symm::Impl

#endif
