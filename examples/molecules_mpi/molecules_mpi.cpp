// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Molecular dynamics of Lennard-Jones atoms in a periodic box, with Kokkos
// Views and MPI messages. Compare it with ../molecules/molecules.cpp, which
// does the same with a plan and a migration. The two differ in how atoms move
// to other PEs, how a PE gets the positions of its ghosts, and how the forces
// on ghosts get back to the owners.

#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <molecules_common/solve.hpp>
#include <utility>
#include <vector>

namespace {

using molecules::Atoms;
using molecules::Exec;
using molecules::Exports;

// Host memory that kernels can access, so that any MPI can read and write it.
// (With a GPU-aware MPI, GPU memory would suffice.)
using MessageSpace = Kokkos::SharedHostPinnedSpace;
template <class T>
using Buffer = Kokkos::View<T*, MessageSpace>;
using Rows   = Kokkos::View<double* [3], Kokkos::LayoutRight, MessageSpace>;

struct Tag {
  enum : int { migrants, first_positions, positions, kicks };
};

void sum_over_ranks(std::uint64_t* words, int count) {
  MPI_Allreduce(MPI_IN_PLACE, words, count, MPI_UINT64_T, MPI_SUM,
                MPI_COMM_WORLD);
}

template <class View>
void make_room(View& view, int n) {
  if (view.extent_int(0) < n)
    Kokkos::realloc(view, static_cast<std::size_t>(n + n / 8));
}

// The elements of a buffer that are sent to a rank or received from it.
struct Part {
  int rank;
  int first;
  int count;
};
using Parts = std::vector<Part>;

int end_of(Parts const& parts) {
  return parts.empty() ? 0 : parts.back().first + parts.back().count;
}

template <class View>
auto* begin_of(View const& buffer, Part const& part) {
  return buffer.data() +
         static_cast<std::size_t>(part.first) * buffer.stride(0);
}
template <class View>
int bytes_of(View const& buffer, int count) {
  return count *
         static_cast<int>(buffer.stride(0) * sizeof(typename View::value_type));
}

using Requests = std::vector<MPI_Request>;

void wait_for(Requests& requests) {
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(),
              MPI_STATUSES_IGNORE);
}

template <class View>
void send(Requests& requests, Parts const& parts, View const& buffer, int tag) {
  for (auto const& part : parts)
    MPI_Isend(begin_of(buffer, part), bytes_of(buffer, part.count), MPI_BYTE,
              part.rank, tag, MPI_COMM_WORLD, &requests.emplace_back());
}

// Messages that have arrived, each of which goes to one part of a buffer.
struct Probed {
  Parts parts;
  std::vector<MPI_Message> messages;
};

template <class View>
Probed probe(std::vector<int> const& ranks, View const& buffer, int tag) {
  Probed result;
  for (int const rank : ranks) {
    MPI_Status status;
    int bytes = 0;
    MPI_Mprobe(rank, tag, MPI_COMM_WORLD, &result.messages.emplace_back(),
               &status);
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    result.parts.push_back(
        {rank, end_of(result.parts), bytes / bytes_of(buffer, 1)});
  }
  return result;
}

template <class View>
void receive(Requests& requests, Probed& probed, View const& buffer) {
  for (std::size_t n = 0; n < probed.parts.size(); ++n)
    MPI_Imrecv(begin_of(buffer, probed.parts[n]),
               bytes_of(buffer, probed.parts[n].count), MPI_BYTE,
               &probed.messages[n], &requests.emplace_back());
}

// Messages between the same buffers in each step.
class PersistentMessages {
 public:
  PersistentMessages() = default;
  ~PersistentMessages() { free(); }
  PersistentMessages(PersistentMessages const&)            = delete;
  PersistentMessages& operator=(PersistentMessages const&) = delete;

  void make(Parts const& sent, Rows const& out, Parts const& received,
            Rows const& in, int tag) {
    free();
    for (auto const& part : received)
      MPI_Recv_init(begin_of(in, part), bytes_of(in, part.count), MPI_BYTE,
                    part.rank, tag, MPI_COMM_WORLD, &m_receives.emplace_back());
    for (auto const& part : sent)
      MPI_Send_init(begin_of(out, part), bytes_of(out, part.count), MPI_BYTE,
                    part.rank, tag, MPI_COMM_WORLD, &m_sends.emplace_back());
  }
  void start_receiving() { start(m_receives); }
  void start_sending() { start(m_sends); }
  void wait() {
    wait_for(m_receives);
    wait_for(m_sends);
  }

 private:
  static void start(Requests& requests) {
    if (!requests.empty())
      MPI_Startall(static_cast<int>(requests.size()), requests.data());
  }
  void free() {
    for (auto* requests : {&m_receives, &m_sends}) {
      for (auto& request : *requests) MPI_Request_free(&request);
      requests->clear();
    }
  }

  Requests m_receives;
  Requests m_sends;
};

struct Migrant {
  double x[3];
  double v[3];
  std::int64_t id;
};

KOKKOS_INLINE_FUNCTION void store(Atoms const& atoms, int i,
                                  Migrant const& migrant) {
  for (int axis = 0; axis < 3; ++axis) {
    atoms.x(i, axis) = migrant.x[axis];
    atoms.v(i, axis) = migrant.v[axis];
  }
  atoms.id(i) = migrant.id;
}
KOKKOS_INLINE_FUNCTION Migrant load(Atoms const& atoms, int i) {
  auto const& x = atoms.x;
  auto const& v = atoms.v;
  return {
      {x(i, 0), x(i, 1), x(i, 2)}, {v(i, 0), v(i, 1), v(i, 2)}, atoms.id(i)};
}

// The atoms that leave for other ranks, sorted by index.
struct Leaving {
  int n = 0;
  Buffer<int> atoms{"leaving atoms", 0};
  Buffer<int> ranks{"their ranks", 0};
  Buffer<int> places{"their places in the buffer", 0};
};

void find_leaving(Leaving& leaving, Kokkos::View<int*> const& owners, int me) {
  int const n_owned = owners.extent_int(0);
  make_room(leaving.atoms, n_owned);
  make_room(leaving.ranks, n_owned);
  make_room(leaving.places, n_owned);
  auto const to = leaving;
  leaving.n     = 0;
  Kokkos::parallel_scan(
      "molecules: leaving", Kokkos::RangePolicy<Exec>(0, n_owned),
      KOKKOS_LAMBDA(int i, int& n, bool is_final) {
        if (owners(i) == me) return;
        if (is_final) {
          to.atoms(n) = i;
          to.ranks(n) = owners(i);
        }
        ++n;
      },
      leaving.n);
}

// Assigns each leaving atom a place in the part for its new rank.
Parts sort(Leaving const& leaving, std::vector<int> const& ranks) {
  Parts parts;
  for (int const rank : ranks) parts.push_back({rank, 0, 0});
  auto const part_of = [&](int k) -> Part& {
    auto const at =
        std::lower_bound(ranks.begin(), ranks.end(), leaving.ranks(k));
    return parts[static_cast<std::size_t>(at - ranks.begin())];
  };
  for (int k = 0; k < leaving.n; ++k) leaving.places(k) = part_of(k).count++;
  int first = 0;
  for (auto& part : parts) {
    part.first = first;
    first += part.count;
  }
  for (int k = 0; k < leaving.n; ++k) leaving.places(k) += part_of(k).first;
  return parts;
}

void pack(Exec const& exec, Atoms const& atoms, Leaving const& leaving,
          Buffer<Migrant> const& out) {
  Kokkos::parallel_for(
      "molecules: pack", Kokkos::RangePolicy<Exec>(exec, 0, leaving.n),
      KOKKOS_LAMBDA(int k) {
        out(leaving.places(k)) = load(atoms, leaving.atoms(k));
      });
}

// Arriving atoms fill the places of the atoms that leave, then places after all
// atoms.
void unpack(Exec const& exec, Atoms const& atoms, Leaving const& leaving,
            Buffer<Migrant> const& in, int count) {
  int const n_owned = atoms.n_owned;
  Kokkos::parallel_for(
      "molecules: unpack", Kokkos::RangePolicy<Exec>(exec, 0, count),
      KOKKOS_LAMBDA(int k) {
        store(atoms, k < leaving.n ? leaving.atoms(k) : n_owned + k - leaving.n,
              in(k));
      });
}

// Moves the last atoms to the free places, starting with the k-th one.
void close_gaps(Exec const& exec, Atoms const& atoms, Leaving const& leaving,
                int k) {
  int end     = atoms.n_owned;
  int last    = leaving.n;
  int n_moved = 0;
  for (; k < last; --end) {
    if (leaving.atoms(last - 1) == end - 1) {
      --last;
    } else {
      leaving.atoms(n_moved)    = leaving.atoms(k++);
      leaving.places(n_moved++) = end - 1;
    }
  }
  Kokkos::parallel_for(
      "molecules: close gaps", Kokkos::RangePolicy<Exec>(exec, 0, n_moved),
      KOKKOS_LAMBDA(int n) {
        store(atoms, leaving.atoms(n), load(atoms, leaving.places(n)));
      });
  exec.fence("molecules: gaps closed");
}

// Copies the positions of exports, shifted to the positions of the ghosts,
// starting with export `first`.
template <class To>
void pack(Exec const& exec, Atoms const& atoms, Exports const& exports,
          int first, int count, To const& rows) {
  Kokkos::parallel_for(
      "molecules: pack", Kokkos::RangePolicy<Exec>(exec, 0, count),
      KOKKOS_LAMBDA(int k) {
        int const i       = exports.atoms(first + k);
        auto const& shift = exports.shifts(first + k);
        for (int axis = 0; axis < 3; ++axis)
          rows(k, axis) = atoms.x(i, axis) + shift[axis];
      });
}

// Adds the ghosts' kicks to those of the exported atoms.
template <class From>
void add(Exec const& exec, Atoms const& atoms, Exports const& exports,
         int first, int count, From const& rows) {
  molecules::AddedKicks const kicks(atoms.kicks);
  Kokkos::parallel_for(
      "molecules: add kicks", Kokkos::RangePolicy<Exec>(exec, 0, count),
      KOKKOS_LAMBDA(int k) {
        auto const access = kicks.access();
        for (int axis = 0; axis < 3; ++axis)
          access(exports.atoms(first + k), axis) += rows(k, axis);
      });
}

class Exchange {
 public:
  Exchange(molecules::Decomposition const& boxes, int me)
      : m_me(me),
        m_neighbors(boxes.neighbors_of(me)),
        m_directions(boxes.exports_of(me)) {
    for (int const rank : m_neighbors) {
      auto const its = boxes.exports_of(rank);
      if (std::any_of(its.begin(), its.end(),
                      [me](auto const& to) { return to.pe == me; }))
        m_sources.push_back(rank);
    }
  }

  // Sends one message to each neighbor, even if the neighbor gets no atoms.
  void migrate(Exec const& exec, Kokkos::View<int*> const& owners,
               Atoms& atoms) {
    find_leaving(m_leaving, owners, m_me);
    auto const parts = sort(m_leaving, m_neighbors);
    make_room(m_departing, m_leaving.n);
    pack(exec, atoms, m_leaving, m_departing);
    exec.fence("molecules: packed");
    Requests requests;
    send(requests, parts, m_departing, Tag::migrants);
    auto arriving    = probe(m_neighbors, m_arriving, Tag::migrants);
    int const n_come = end_of(arriving.parts);
    make_room(m_arriving, n_come);
    receive(requests, arriving, m_arriving);
    wait_for(requests);
    int const n_more = n_come - m_leaving.n;
    atoms.make_room(atoms.n_owned + n_more);
    unpack(exec, atoms, m_leaving, m_arriving, n_come);
    exec.fence("molecules: unpacked, so that the lists may be changed");
    if (n_more < 0) close_gaps(exec, atoms, m_leaving, n_come);
    atoms.n_owned += n_more;
  }

  // The messages with the first positions determine how many ghosts there are.
  void make_ghosts(Exec const& exec, Exports const& exports, Atoms& atoms) {
    m_exports = exports;
    find_parts();
    make_room(m_positions_out, end_of(m_sent));
    make_room(m_kicks_in, end_of(m_sent));
    pack_sent(exec, atoms);
    Requests requests;
    send(requests, m_sent, m_positions_out, Tag::first_positions);
    auto probed    = probe(m_sources, m_positions_out, Tag::first_positions);
    atoms.n_ghosts = m_n_own + end_of(probed.parts);
    atoms.make_room(atoms.n_all());
    m_positions_in =
        Kokkos::create_mirror_view(MessageSpace(), received(atoms, atoms.x));
    m_kicks_out = Kokkos::create_mirror_view(MessageSpace(),
                                             received(atoms, atoms.kicks));
    receive(requests, probed, m_positions_in);
    pack_own(exec, atoms);
    wait_for(requests);
    Kokkos::deep_copy(exec, received(atoms, atoms.x), m_positions_in);

    m_positions.make(m_sent, m_positions_out, probed.parts, m_positions_in,
                     Tag::positions);
    m_kicks.make(probed.parts, m_kicks_out, m_sent, m_kicks_in, Tag::kicks);
    m_kicks.start_receiving();
  }

  void gather(Exec const& exec, Atoms const& atoms) {
    m_positions.start_receiving();
    pack_sent(exec, atoms);
    m_positions.start_sending();
    pack_own(exec, atoms);
    m_positions.wait();
    Kokkos::deep_copy(exec, received(atoms, atoms.x), m_positions_in);
    m_kicks.start_receiving();
  }

  void scatter(Exec const& exec, Atoms const& atoms) {
    Kokkos::deep_copy(exec, m_kicks_out, received(atoms, atoms.kicks));
    exec.fence("molecules: kicks");
    m_kicks.start_sending();
    add(exec, atoms, m_exports, 0, m_n_own, ghosts(atoms, atoms.kicks));
    m_kicks.wait();
    add(exec, atoms, m_exports, m_n_own, end_of(m_sent), m_kicks_in);
  }

 private:
  // Exports to the same rank in several directions form one part. Exports to
  // this rank itself come before all others.
  void find_parts() {
    m_n_own = 0;
    m_sent.clear();
    for (std::size_t d = 0; d < m_directions.size(); ++d) {
      bool const is_last = d + 1 == m_directions.size();
      int const end      = is_last ? m_exports.n : m_exports.firsts(d + 1);
      int const count    = end - m_exports.firsts(d);
      int const rank     = m_directions[d].pe;
      if (rank == m_me)
        m_n_own += count;
      else if (!m_sent.empty() && m_sent.back().rank == rank)
        m_sent.back().count += count;
      else
        m_sent.push_back({rank, end_of(m_sent), count});
    }
  }
  void pack_sent(Exec const& exec, Atoms const& atoms) {
    pack(exec, atoms, m_exports, m_n_own, end_of(m_sent), m_positions_out);
    exec.fence("molecules: packed");
  }
  void pack_own(Exec const& exec, Atoms const& atoms) {
    pack(exec, atoms, m_exports, 0, m_n_own, ghosts(atoms, atoms.x));
  }
  // The ghosts are images of this rank's own atoms, followed by the ghosts
  // received from others.
  static molecules::Vectors ghosts(Atoms const& atoms,
                                   molecules::Vectors const& view) {
    return Kokkos::subview(view, std::pair(atoms.n_owned, atoms.n_all()),
                           Kokkos::ALL);
  }
  molecules::Vectors received(Atoms const& atoms,
                              molecules::Vectors const& view) const {
    return Kokkos::subview(
        view, std::pair(atoms.n_owned + m_n_own, atoms.n_all()), Kokkos::ALL);
  }

  int m_me;
  std::vector<int> m_neighbors;
  std::vector<molecules::Direction> m_directions;
  std::vector<int> m_sources;  // source ranks of ghosts

  Leaving m_leaving;
  Buffer<Migrant> m_departing{"departing", 0};
  Buffer<Migrant> m_arriving{"arriving", 0};

  Exports m_exports;
  int m_n_own = 0;  // number of exports to this rank itself
  Parts m_sent;
  Rows m_positions_out{"positions sent", 0};
  Rows m_positions_in;  // the ghosts themselves if MPI can access them
  Rows m_kicks_out;
  Rows m_kicks_in{"kicks received", 0};
  PersistentMessages m_positions;
  PersistentMessages m_kicks;
};

}  // namespace

int main(int argc, char* argv[]) {
  MPI_Init(&argc, &argv);
  int status = 0;
  try {
    Kokkos::ScopeGuard const kokkos(argc, argv);
    int rank    = 0;
    int n_ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    status = molecules::run(argc, argv, {rank, n_ranks, sum_over_ranks},
                            molecules::solve<Exchange>);
  } catch (std::exception const& error) {
    // This rank may be the only one that is out of memory; the others would
    // wait for it.
    std::fprintf(stderr, "molecules_mpi: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return status;
}
