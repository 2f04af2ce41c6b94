// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Network.hpp"

#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "../base/Failure.hpp"
#include "../base/Text.hpp"
#include "../symm_errors.hpp"
#include "../transport/MessageEngineOptions.hpp"
#include "../transport/Transport_Messages.hpp"

namespace symm::Impl {

namespace {

/// How long the launcher may take to end the job.
constexpr auto end_time = std::chrono::seconds(3);

/// The part [offset, offset + bytes) of this PE's part; null, if it is beyond.
char* find_in(HeapMap const& map, std::size_t offset, std::size_t bytes) {
  bool const is_there = offset < map.stride && bytes <= map.stride - offset;
  return is_there ? map.part(map.my_pe) + offset : nullptr;
}

void check_equal(Bootstrap& bootstrap, MessageEngineOptions const& options) {
  auto const other = difference_of(bootstrap, options.peer_timeout);
  if (!other) return;
  std::array<char, 128> values{};
  static_cast<void>(std::snprintf(values.data(), values.size(),
                                  "%g on PE 0, %g on PE %d", other->of_first,
                                  other->its, other->pe));
  throw UsageError(Text("SYMM_PEER_TIMEOUT differs between PEs: ",
                        values.data(), "; start all PEs with one value"));
}

}  // namespace

Network::Network(Bootstrap& bootstrap, FdExchange& exchange, Vmm& vmm)
    : m_bootstrap(bootstrap) {
  auto const agree = agree_through(bootstrap);
  MessageEngineOptions options;
  all_or_none(agree, "reading the settings of messages between nodes",
              [&] { options = MessageEngineOptions::from_environment(); });
  check_equal(bootstrap, options);
  auto engine = make_message_engine(bootstrap, exchange, vmm, options);
  all_or_none(agree, "starting the transport between nodes", [&] {
    m_transport = std::make_unique<Transport_Messages>(
        bootstrap.my_pe(), bootstrap.n_pes(), std::move(engine), *this,
        [this] { end_job(); });
  });
  Transport::set_instance(m_transport.get());
}

Network::~Network() { Transport::set_instance(nullptr); }

void Network::open_gpu(MemoryProvider& provider) {
  m_gpu     = std::make_unique<SideQueue>(provider);
  m_staging = std::make_unique<GpuStaging>(*m_transport, provider);
}

char* Network::find(Segment segment, std::size_t offset,
                    std::size_t bytes) noexcept {
  auto const kind =
      index(is_of_gpu(segment) ? MemoryKind::device : MemoryKind::host);
  if (segment == Segment::host_team_words ||
      segment == Segment::device_team_words) {
    auto const* const map = m_team_words[kind].load();
    return map == nullptr ? nullptr : find_in(*map, offset, bytes);
  }
  if (segment != Segment::host_heap && segment != Segment::device_heap) {
    return nullptr;
  }
  auto const* const heap = m_heaps[kind].load();
  if (heap == nullptr) return nullptr;
  char* const address = find_in(heap->map(), offset, bytes);
  bool const is_there = address != nullptr && heap->is_mapped(address, bytes);
  return is_there ? address : nullptr;
}

void Network::close() {
  auto const failure = failure_of([&] { m_transport->close(); });
  Transport::set_instance(nullptr);
  m_staging         = nullptr;
  m_gpu             = nullptr;
  auto const failed = agree(m_bootstrap, failure);
  if (failed) {
    throw_failure({failed->failure.kind,
                   Text("closing the transport between nodes: PE ", failed->pe,
                        ": ", failed->failure.message)});
  }
}

void Network::end_job() noexcept {
  // A launcher that cannot reach a node waits for it.
  try {
    std::thread([] {
      std::this_thread::sleep_for(end_time);
      ::_exit(EXIT_FAILURE);
    }).detach();
  } catch (std::system_error const&) {
    ::_exit(EXIT_FAILURE);
  }
  m_bootstrap.abort();
  std::abort();  // for the compiler
}

}  // namespace symm::Impl
