// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_RMA_HELPERS_HPP
#define SYMM_TEST_RMA_HELPERS_HPP

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <type_traits>
#include <vector>

#include <Kokkos_SymmetricSpace.hpp>
#include <kokkos/view_helpers.hpp>
#include <runtime/groups/KernelCopy.hpp>
#include <support/Sanitizers.hpp>
#include <support/gpu.hpp>
#include <support/pes.hpp>

/// Many copies at once, each in a region of its own, one for every pair of
/// places of the destination and the source relative to 16 bytes. All the bytes
/// of all regions are looked at: what was not to be written is a guard.
namespace symm_test {

using Sizes     = std::initializer_list<std::size_t>;
using SpaceExec = Space::execution_space;
using Bytes     = Kokkos::View<unsigned char*, Space>;

struct alignas(16) Sixteen {
  double numbers[2];
};
struct Twelve {
  int numbers[3];
};

/// A region for each pair of places; fewer pairs where every access is checked.
constexpr std::size_t n_regions = is_sanitized ? 16 : 256;

/// What every copy is like.
struct Shape {
  std::size_t size;       // of an element
  std::size_t alignment;  // of an element
  std::size_t count;      // in elements, or in blocks
  std::size_t dest_stride   = 1;
  std::size_t source_stride = 1;
  std::size_t block         = 1;  // in elements

  static constexpr std::size_t margin = 32;

  [[nodiscard]] KOKKOS_FUNCTION std::size_t region() const {
    auto const stride =
        dest_stride < source_stride ? source_stride : dest_stride;
    auto const bytes = count * stride * size + 16 * alignment + 2 * margin;
    return (bytes + 63) / 64 * 64;
  }
  /// Where the copy of region k begins in it: 16 places of each side.
  [[nodiscard]] KOKKOS_FUNCTION std::size_t dest_begin(std::size_t k) const {
    return margin + k * 37 % 256 % 16 * alignment;
  }
  [[nodiscard]] KOKKOS_FUNCTION std::size_t source_begin(std::size_t k) const {
    return margin + k * 37 % 256 / 16 * alignment;
  }
};

constexpr unsigned char guard_byte = 0xEE;

/// Calls f(i, byte) for each byte i of region k, sources or destinations, of
/// what `from` sends `to`. (In order: no quotients for each byte.)
template <class F>
KOKKOS_FUNCTION void for_bytes_of(Shape const& shape, bool is_dest,
                                  std::size_t k, symm::Pe from, symm::Pe to,
                                  F const& f) {
  auto const stride = is_dest ? shape.dest_stride : shape.source_stride;
  auto const begin  = is_dest ? shape.dest_begin(k) : shape.source_begin(k);
  auto const length = shape.block * shape.size;
  auto const region = k * shape.region();
  auto number       = k * shape.count * length;
  std::size_t at    = 0;
  for (; at < begin; ++at) f(region + at, guard_byte);
  for (std::size_t i = 0; i < shape.count; ++i) {
    for (std::size_t n = 0; n < length; ++n, ++at, ++number)
      f(region + at, static_cast<unsigned char>(value(from, to, number)));
    for (std::size_t n = length; n < stride * shape.size; ++n, ++at)
      f(region + at, guard_byte);
  }
  for (; at < shape.region(); ++at) f(region + at, guard_byte);
}

/// The sources of the copies of a region; where they are to go, guards only.
struct SetRegion {
  Bytes source;
  Bytes dest;
  Shape shape;
  symm::Pe from;
  symm::Pe to;
  KOKKOS_FUNCTION void operator()(std::size_t k, std::size_t) const {
    for_bytes_of(shape, false, k, from, to,
                 [&](std::size_t i, unsigned char byte) {
                   source(i) = byte;
                   dest(i)   = guard_byte;
                 });
  }
};

struct IsWrongRegion {
  Bytes bytes;
  Shape shape;
  symm::Pe from;
  symm::Pe to;
  KOKKOS_FUNCTION bool operator()(std::size_t k, std::size_t) const {
    bool is_wrong = false;
    for_bytes_of(shape, true, k, from, to,
                 [&](std::size_t i, unsigned char byte) {
                   is_wrong = is_wrong || bytes(i) != byte;
                 });
    return is_wrong;
  }
};

// The operations. `first` is what each form has before the addresses.

#define SYMM_TEST_CONTIGUOUS(Name, name, is_it_get)                \
  struct Name {                                                    \
    static constexpr bool is_get     = is_it_get;                  \
    static constexpr bool is_strided = false;                      \
    template <class T, class... First>                             \
    KOKKOS_FUNCTION static void call(Shape const& shape, T* dest,  \
                                     T const* source, symm::Pe pe, \
                                     First const&... first) {      \
      symm::name(first..., dest, source, shape.count, pe);         \
    }                                                              \
  }

#define SYMM_TEST_STRIDED(Name, name, is_it_get)                   \
  struct Name {                                                    \
    static constexpr bool is_get     = is_it_get;                  \
    static constexpr bool is_strided = true;                       \
    template <class T, class... First>                             \
    KOKKOS_FUNCTION static void call(Shape const& shape, T* dest,  \
                                     T const* source, symm::Pe pe, \
                                     First const&... first) {      \
      symm::name(first..., dest, source, shape.dest_stride,        \
                 shape.source_stride, shape.count, pe);            \
    }                                                              \
  }

SYMM_TEST_CONTIGUOUS(Put, put, false);
SYMM_TEST_CONTIGUOUS(Get, get, true);
SYMM_TEST_CONTIGUOUS(PutNbi, put_nbi, false);
SYMM_TEST_CONTIGUOUS(GetNbi, get_nbi, true);
SYMM_TEST_CONTIGUOUS(PutMem, putmem, false);
SYMM_TEST_CONTIGUOUS(GetMem, getmem, true);
SYMM_TEST_CONTIGUOUS(PutMemNbi, putmem_nbi, false);
SYMM_TEST_CONTIGUOUS(GetMemNbi, getmem_nbi, true);
SYMM_TEST_STRIDED(Iput, iput, false);
SYMM_TEST_STRIDED(Iget, iget, true);

#define SYMM_TEST_BLOCKS(Name, name, is_it_get)                      \
  struct Name {                                                      \
    static constexpr bool is_get     = is_it_get;                    \
    static constexpr bool is_strided = true;                         \
    static constexpr bool has_blocks = true;                         \
    template <class T, class... First>                               \
    KOKKOS_FUNCTION static void call(Shape const& shape, T* dest,    \
                                     T const* source, symm::Pe pe,   \
                                     First const&... first) {        \
      symm::name(first..., dest, source, shape.dest_stride,          \
                 shape.source_stride, shape.block, shape.count, pe); \
    }                                                                \
  }
SYMM_TEST_BLOCKS(Ibput, ibput, false);
SYMM_TEST_BLOCKS(Ibget, ibget, true);

// The loops of a GPU as operations of the host. `first` is a group of threads,
// as runtime/groups/Group.hpp has them, and the heap.

/// As a team, but threads and lanes come in another order.
struct ManyThreads {
  static constexpr std::size_t row = 32;
  template <class Body>
  KOKKOS_FUNCTION void for_each(std::size_t count, Body const& body) const {
    for (std::size_t i = count; i-- > 0;) body(i);
  }
};

struct PutByWords {
  static constexpr bool is_get     = false;
  static constexpr bool is_strided = false;
  template <class T, class Group>
  KOKKOS_FUNCTION static void call(Shape const& shape, T* dest, T const* source,
                                   symm::Pe pe, Group const& group,
                                   symm::HeapMap const& heap) {
    symm::Impl::copy_by_widest_words<16, alignof(T)>(
        group, reinterpret_cast<char*>(heap.peer_ptr(dest, pe)),
        reinterpret_cast<char const*>(source), shape.count * sizeof(T));
  }
};

struct IputWithLoadsInFlight {
  static constexpr bool is_get     = false;
  static constexpr bool is_strided = true;
  template <class T, class Group>
  KOKKOS_FUNCTION static void call(Shape const& shape, T* dest, T const* source,
                                   symm::Pe pe, Group const& group,
                                   symm::HeapMap const& heap) {
    T* const to = heap.peer_ptr(dest, pe);
    symm::Impl::copy_each_with_loads_in_flight(
        group, shape.count,
        [&](std::size_t i) { return source[i * shape.source_stride]; },
        [&](std::size_t i, T const& element) {
          to[i * shape.dest_stride] = element;
        });
  }
};

/// An operation and the type of its elements.
template <class OperationType, class ElementType>
struct Of {
  using Operation = OperationType;
  using Element   = ElementType;
};

#ifdef SYMM_TEST_FEW_TYPES
// Every operation, each size of an element, and that with and without strides.
using AllForms =
    testing::Types<Of<Put, unsigned char>, Of<Put, Sixteen>, Of<Get, double>,
                   Of<PutNbi, int>, Of<GetNbi, short>,
                   Of<PutMem, unsigned char>, Of<GetMem, unsigned char>,
                   Of<PutMemNbi, unsigned char>, Of<GetMemNbi, unsigned char>,
                   Of<Iput, char>, Of<Iget, Twelve>, Of<Ibput, short>>;
#else
using AllForms = testing::Types<
    Of<Put, unsigned char>, Of<Put, int>, Of<Put, double>, Of<Put, Twelve>,
    Of<Put, Sixteen>, Of<Get, short>, Of<Get, double>, Of<PutNbi, double>,
    Of<GetNbi, int>, Of<PutMem, unsigned char>, Of<GetMem, unsigned char>,
    Of<PutMemNbi, unsigned char>, Of<GetMemNbi, unsigned char>, Of<Iput, char>,
    Of<Iput, double>, Of<Iget, short>, Of<Iget, Sixteen>, Of<Iget, Twelve>,
    Of<Ibput, char>, Of<Ibput, Twelve>, Of<Ibget, int>>;
#endif
#ifdef SYMM_TEST_GPU
// As many for teams and lanes, each size with other operations.
using TeamForms =
    testing::Types<Of<Put, Twelve>, Of<Get, double>, Of<PutNbi, Sixteen>,
                   Of<GetNbi, short>, Of<PutMem, unsigned char>,
                   Of<GetMem, unsigned char>, Of<PutMemNbi, unsigned char>,
                   Of<GetMemNbi, unsigned char>, Of<Iput, int>,
                   Of<Iget, Sixteen>, Of<Ibput, int>>;
using LaneForms =
    testing::Types<Of<Put, Sixteen>, Of<Get, double>, Of<PutNbi, short>,
                   Of<GetNbi, Twelve>, Of<PutMem, unsigned char>,
                   Of<GetMem, unsigned char>, Of<PutMemNbi, unsigned char>,
                   Of<GetMemNbi, unsigned char>, Of<Iput, int>,
                   Of<Iget, Twelve>, Of<Ibget, double>>;
#else
using TeamForms = AllForms;
using LaneForms = AllForms;
#endif

/// All copies of a shape, for kernels.
template <class Form>
struct Copies {
  using T = typename Form::Element;

  symm::HeapMap heap;
  unsigned char* dest;
  unsigned char* source;
  Shape shape;
  symm::Pe pe;
  std::size_t n;

  /// Number k.
  template <class... First>
  KOKKOS_FUNCTION void copy(std::size_t k, First const&... first) const {
    auto const region = k * shape.region();
    void* const to    = dest + region + shape.dest_begin(k);
    void* const from  = source + region + shape.source_begin(k);
    Form::Operation::call(shape, static_cast<T*>(to),
                          static_cast<T const*>(from), pe, first...);
  }
};

/// The memory of an exchange. The same whatever the form is: less to compile.
struct Regions {
  static constexpr std::size_t capacity =
      n_regions < 256 ? std::size_t{1} << 15U : std::size_t{1} << 17U;

  /// Collective: what this PE gives `receiver`.
  void set(Shape const& shape, symm::Pe receiver) const {
    for_each_element(regions(shape),
                     SetRegion{source, dest, shape, symm::my_pe(), receiver});
    symm::barrier_all();
  }
  /// Collective: what `sender` has given this PE is there, and no more.
  void expect(Shape const& shape, symm::Pe sender) const {
    symm::barrier_all();
    EXPECT_EQ(count_elements(regions(shape),
                             IsWrongRegion{dest, shape, sender, symm::my_pe()}),
              0U)
        << "of " << n(shape) << " copies of " << shape.count
        << " elements, strides " << shape.dest_stride << " and "
        << shape.source_stride << ", from PE " << sender;
  }
  [[nodiscard]] std::size_t n(Shape const& shape) const {
    // Between nodes each copy is a message.
    return std::min(are_all_near() ? n_regions : 24,
                    dest.size() / shape.region());
  }
  /// An element for each copy, to loop over.
  [[nodiscard]] Bytes regions(Shape const& shape) const {
    return Kokkos::subview(dest,
                           Kokkos::pair<std::size_t, std::size_t>(0, n(shape)));
  }

  Bytes source{"source", capacity};
  Bytes dest{"dest", capacity};
};

/// Collective: the copies of all PEs in a ring, and of each to itself.
template <class Form>
class Exchange {
 public:
  using T = typename Form::Element;

  /// Carries out Copies, and waits for them.
  using Call = std::function<void(Copies<Form> const&)>;

  void run(Shape shape, Call const& call) const {
    if constexpr (requires { Form::Operation::has_blocks; }) {
      // As long as the strides allow, or one element shorter.
      auto const most = std::min(shape.dest_stride, shape.source_stride);
      shape.block     = most > 1 ? most - shape.count % 2 : 1;
    }
    exchange(shape, right(), left(), call);
    if (shape.count == 17 || shape.count == 33) {
      exchange(shape, symm::my_pe(), symm::my_pe(), call);
    }
  }

  /// run() for counts around the boundaries of words, rows and tiles; and
  /// strides. Fewer on GPUs, which PEs share.
  void run_all(Call const& call) const {
    constexpr bool has_all = is_on_host<Space>;
    std::vector<std::size_t> counts;
    Shape shape{sizeof(T), alignof(T), 0};
    if constexpr (Form::Operation::is_strided) {
      for (std::size_t const stride : Sizes{1, 2, 3, 4, 5}) {
        shape.dest_stride   = stride;
        shape.source_stride = 6 - stride;
        counts = has_all ? Sizes{0, 1, 2, 7, 33} : Sizes{7 * (stride % 3), 33};
        run_counts(counts, shape, call);
      }
      run(Shape{sizeof(T), alignof(T), 300, 3, 2}, call);
    } else {
      counts = has_all
                   ? Sizes{0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 65, 129, 257}
                   : Sizes{0, 1, 3, 8, 17, 31, 65, 129};
      // Bytes: a tile of 16-byte words of one row is 4096.
      for (std::size_t const bytes : Sizes{4080, 4096, 4128, 8208, 20'000}) {
        if (has_all || bytes % 4096 != 0) counts.push_back(bytes / sizeof(T));
      }
      run_counts(counts, shape, call);
    }
  }

 private:
  void run_counts(std::vector<std::size_t> const& counts, Shape shape,
                  Call const& call) const {
    for (auto const count : counts) {
      shape.count = count;
      run(shape, call);
    }
  }
  void exchange(Shape const& shape, symm::Pe above, symm::Pe below,
                Call const& call) const {
    // PE `above` is put to, or got from.
    constexpr bool is_get = Form::Operation::is_get;
    m_regions.set(shape, is_get ? below : above);
    call(Copies<Form>{symm::heap_map(Space::memory_kind), m_regions.dest.data(),
                      m_regions.source.data(), shape, above,
                      m_regions.n(shape)});
    m_regions.expect(shape, is_get ? above : below);
  }

  Regions m_regions;
};

}  // namespace symm_test

#endif
