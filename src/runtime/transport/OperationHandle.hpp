// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TRANSPORT_OPERATION_HANDLE_HPP
#define SYMM_TRANSPORT_OPERATION_HANDLE_HPP

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "../base/Types.hpp"

namespace symm::Impl {

class Channel;

/// A flag that an operation sets upon local completion. The flag has two
/// owners, an OperationHandle and the operation, and is destroyed when both
/// have released it.
class SideDone {
 public:
  struct Drop {
    void operator()(SideDone* flag) const noexcept {
      if (flag->m_n_owners.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        delete flag;
      }
    }
  };
  using Owner = std::unique_ptr<SideDone, Drop>;

  /// Creates a flag and returns one pointer for each owner.
  static std::pair<Owner, Owner> make() {
    Owner first(new SideDone);
    Owner second(first.get());
    return {std::move(first), std::move(second)};
  }
  void set() noexcept { m_is_set.store(true, std::memory_order_release); }
  [[nodiscard]] bool is_set() const noexcept {
    return m_is_set.load(std::memory_order_acquire);
  }

 private:
  SideDone() = default;

  std::atomic<int> m_n_owners = 2;
  std::atomic<bool> m_is_set  = false;
};

/// An operation's stages.
enum class Stage {
  side,  // local completion: the source may be overwritten, or the fetched data
         // have arrived
  operation  // remote completion: the target has executed it
};

/// A handle to an operation on a Channel. If `channel` is null, there is no
/// operation, or it is complete.
struct OperationHandle {
  Channel* channel = nullptr;
  Pe pe            = 0;
  // The number of a message and the number of a batch on this channel. The
  // operation is remotely complete once the target has acknowledged the message
  // or batch whose number is not 0. If both are 0, local completion implies
  // remote completion.
  std::uint64_t message = 0;
  std::uint64_t batch   = 0;
  SideDone::Owner side  = nullptr;  // null: locally complete
};

}  // namespace symm::Impl

#endif
