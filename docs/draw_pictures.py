#!/usr/bin/env python3
"""Draws the pictures of the pages beside it: heap.svg, addresses.svg, views.svg and
rules.svg (concepts), house.svg, pools.svg and steps.svg.

    python3 docs/draw_pictures.py
"""

import pathlib

WIDTH = 760

STYLE = """<style>
text{font-family:system-ui,sans-serif;font-size:13px;fill:#1f2937}
.n{font-weight:600;font-family:ui-monospace,monospace}
.s{font-size:11.5px;fill:#4b5563}
.h{font-size:14px;font-weight:700}
.b{fill:#ffffff;stroke:#9ca3af}
.p{fill:#dcfce7;stroke:#16a34a}
.g{fill:#fef3c7;stroke:#d97706}
.l{fill:#f3f4f6;stroke:#d1d5db}
.k{fill:#eff6ff;stroke:#bfdbfe}
.t{fill:#dbeafe;stroke:#3b82f6}
.w{fill:url(#w);stroke:#dc2626}
.r{stroke:#9ca3af;stroke-dasharray:2 3}
.c{text-anchor:middle}
.a{fill:none;stroke:#2563eb;stroke-width:1.6;marker-end:url(#a)}
@media (prefers-color-scheme: dark){
text{fill:#e5e7eb}.s{fill:#9ca3af}.b{fill:#1f2937;stroke:#6b7280}.p{fill:#14532d;stroke:#22c55e}
.g{fill:#78350f;stroke:#f59e0b}.l{fill:#111827;stroke:#374151}.k{fill:#172554;stroke:#1e40af}
.t{fill:#1e3a8a;stroke:#60a5fa}.w{stroke:#f87171}
.a{stroke:#60a5fa}}
</style>
<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" \
orient="auto"><path d="M0 0L8 4L0 8z" fill="#3b82f6"/></marker><pattern id="w" width="6" height="6" patternUnits="userSpaceOnUse" \
patternTransform="rotate(45)"><rect width="2" height="6" fill="#f87171"/>\
</pattern></defs>"""


class Picture:
    """Shapes, from top to bottom; `y` is where the next ones go."""

    def __init__(self, says):
        self.says = says
        self.shapes = []
        self.y = 16

    def box(self, css, x, y, width, height, radius=5):
        self.shapes.append(f'<rect class="{css}" x="{x}" y="{y}" '
                           f'width="{width}" height="{height}" rx="{radius}"/>')

    def text(self, css, x, y, text):
        text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        self.shapes.append(f'<text class="{css}" x="{x}" y="{y}">{text}</text>')

    def line(self, x, top, bottom):
        self.shapes.insert(  # behind the boxes
            0, f'<line class="r" x1="{x}" y1="{top}" x2="{x}" y2="{bottom}"/>')

    def arrow(self, *points):
        """A curve (2 points: a line; 4: with two points that pull it)."""
        (x, y), *rest = points
        way = "L" if len(rest) == 1 else "C"
        path = f"M{x} {y}{way}" + " ".join(f"{a} {b}" for a, b in rest)
        self.shapes.append(f'<path class="a" d="{path}"/>')

    def legend(self, *rows):
        """Rows of (class, text, width)."""
        for row in rows:
            x = 16
            for css, text, width in row:
                self.box(css, x, self.y, 14, 14, 3)
                self.text("s", x + 20, self.y + 11, text)
                x += width
            self.y += 22

    def write(self, name):
        svg = (f'<svg xmlns="http://www.w3.org/2000/svg" '
               f'viewBox="0 0 {WIDTH} {self.y}" role="img" '
               f'aria-label="{self.says}">{STYLE}' + "\n".join(self.shapes)
               + "</svg>\n")
        pathlib.Path(__file__).with_name(name).write_text(svg, encoding="utf-8")


# The two libraries as floors of rooms.

def floor(picture, rooms, height):
    """Rooms side by side: (share of the width, class, name, lines)."""
    gap = 10
    x = 32
    shares = sum(room[0] for room in rooms)
    for share, css, name, lines in rooms:
        width = (WIDTH - 64 - gap * (len(rooms) - 1)) * share / shares
        picture.box(css, round(x), picture.y, round(width), height)
        picture.text("n", round(x) + 10, picture.y + 18, name)
        for i, line in enumerate(lines):
            picture.text("s", round(x) + 10, picture.y + 35 + 15 * i, line)
        x += width + gap
    picture.y += height + 10


def library(picture, css, title, floors):
    top = picture.y
    first = len(picture.shapes)
    picture.y += 30
    for rooms, height in floors:
        floor(picture, rooms, height)
    inside = picture.shapes[first:]
    del picture.shapes[first:]
    picture.box(css, 16, top, WIDTH - 32, picture.y - top + 4, 8)
    picture.text("h", 32, top + 20, title)
    picture.shapes += inside
    picture.y += 20


def draw_house():
    picture = Picture("The three libraries as floors of folders; each may use "
                      "what is below it")
    floor(picture, [
        (1, "b", "examples/", ["programs to copy"]),
        (1, "b", "unit_tests/", ["one for each statement"]),
        (1, "b", "perf_tests/", ["figures beside the field's"]),
        (1, "b", "src/tools/", ["symm_info"])], 44)
    library(picture, "k", "src/Kokkos_SymmetricContainers/   built on Views and "
            "operations", [
        ([(1, "p", "Kokkos_SymmetricContainers*.hpp",
           ["what users include: distributed Views, exchange plans, migration, "
            "sort, mailboxes, hash maps, queues"])], 44),
        ([(1, "b", "hash_map/", ["keys of one PE"]),
          (1, "b", "sort/", ["buckets, cuts, radix sort"]),
          (1.2, "b", "distributed/", ["arithmetic of global indices"]),
          (1, "b", "work_queue/", ["tasks that PEs share"])], 60),
        ([(1.2, "b", "mail/", ["blocks of messages, their",
                               "ways, and their end"]),
          (1.6, "b", "exchange/", ["plans of who needs what, and their kernels;",
                                   "elements that move to other PEs"])], 60),
        ([(1, "b", "base/", ["the PEs that have a container, words and blocks on their "
                             "way, calls in time"])], 44)])
    library(picture, "k", "src/Kokkos_SymmetricSpace/   knows Kokkos", [
        ([(1, "p", "Kokkos_SymmetricSpace*.hpp",
           ["what users include: memory spaces, Views of peers, operations on "
            "Views, teams and execution spaces"])], 44),
        ([(1, "b", "edge/", ["what containers take"]),
          (1.6, "b", "places/", ["lists of elements of near PEs"])], 44),
        ([(2, "b", "operations/",
           ["enqueued forms; thread teams as groups; copies",
            "and collectives of Views"]),
          (1.1, "g", "gpu/ and cuda/, or no_gpu/",
           ["<symm_gpu/...>: the space in GPU",
            "memory, its kernels and launches"])], 60),
        ([(1, "b", "view/", ["peer_, global_, remote_view;",
                             "registered and shared Views"]),
          (1, "b", "kokkos_impl/", ["all that depends on Kokkos::Impl"]),
          (1, "b", "space/", ["SymmetricHostSpace; what all do;",
                              "instances as streams of pools"])], 60)])
    library(picture, "l",
            "src/runtime/   knows POSIX and MPI, never Kokkos; usable alone", [
        ([(1, "p", "symm_*.hpp",
           ["what users include without Kokkos: memory, pools, RMA, atomics, "
            "signals, teams, collectives"])], 44),
        ([(2, "b", "pools/",
           ["memory in the order of streams: which",
            "blocks may be used again, and when"]),
          (1, "b", "shared_buffers/", ["local memory that PEs",
                                       "of a node show each other"])], 60),
        ([(1, "b", "collectives/", ["broadcast, reduce, scan,",
                                    "alltoall"]),
          (1, "b", "one_sided/", ["put, get, atomics, signals,",
                                  "contexts, locks"]),
          (1, "b", "teams/", ["PE teams, their barriers,",
                              "splitting"])], 60),
        ([(1, "b", "waiting/", ["how the host and kernels",
                                "wait for a word"]),
          (1, "b", "access/", ["the door to another PE:",
                               "near or far is asked here"]),
          (1, "b", "groups/", ["groups of threads,", "their copies"])], 60),
        ([(1, "b", "job/",
           ["Runtime, the only global object: what lives from initialize() to "
            "finalize(); the C-like functions"])], 44),
        ([(1.4, "b", "network/", ["what the transport finds of this PE:",
                                  "heaps, GPU, who is lost"]),
          (1, "b", "registration/", ["memory of the program",
                                     "that PEs may use"])], 60),
        ([(1, "b", "heap/", ["SymmetricHeap: blocks, chunks, Views that",
                             "end, registered memory"]),
          (1, "b", "pes/", ["Rendezvous: barrier, agreement and check",
                            "in one; how to wait; words of PE teams"])], 60),
        ([(1.4, "b", "transport/", ["PEs of other nodes: operations as messages,",
                                    "who is lost, requests of kernels"]),
          (1, "b", "engines/", ["what carries messages:",
                                "UCX, found at run time"])], 60),
        ([(1.6, "b", "memory/",
           ["Vmm, ForeignMemory, CopyQueue: three roles of a",
            "provider; memfd; HeapMap; SymmetricRange"]),
          (1, "g", "gpu/ and cuda/, or no_gpu/", ["the CUDA driver as provider;",
                                        "words and stops of kernels"])], 60),
        ([(1, "b", "bootstrap/",
           ["who started the job (MPI, a test's fork);",
            "descriptors between processes"]),
          (1, "b", "base/",
           ["types, errors, texts without private memory,",
            "the table of variables, function macros"])], 60)])
    picture.write("house.svg")


# Hosts and streams of two PEs, over time.

LEFT = 112  # where time begins
LANE = 30
KERNELS = ((66, 118), (110, 64), (62, 116), (104, 62))  # a step: PE 0, PE 1
LAUNCH = 17
MALLOC = 11


class Timeline:
    """Lanes with boxes, and a clock for each host and each stream."""

    def __init__(self, picture, title):
        self.picture = picture
        picture.text("h", 16, picture.y + 14, title)
        self.top = picture.y + 26
        picture.y = self.top
        self.lanes = {}
        for name in ("PE 0 host", "PE 0 stream", "PE 1 host", "PE 1 stream"):
            self.lane(name)
        self.host = [0, 0]
        self.stream = [0, 0]

    def lane(self, name):
        self.lanes[name] = self.picture.y
        self.picture.text("s", 16, self.picture.y + 17, name)
        self.picture.y += LANE

    def put(self, lane, css, begin, end, text=""):
        y = self.lanes[lane]
        if end > begin:
            self.picture.box(css, LEFT + begin, y, end - begin, LANE - 6, 3)
        if text:
            self.picture.text("s c", LEFT + (begin + end) / 2, y + 16, text)

    def call(self, pe, css, length, text):
        """What the host does, and how long that takes."""
        begin = self.host[pe]
        self.host[pe] += length
        self.put(f"PE {pe} host", css, begin, self.host[pe], text)

    def kernel(self, pe, length, text):
        begin = max(self.stream[pe], self.host[pe])
        self.stream[pe] = begin + length
        self.put(f"PE {pe} stream", "t", begin, self.stream[pe], text)

    def barrier(self):
        """Enqueued on both PEs; their streams wait for each other."""
        end = max(max(self.stream[pe], self.host[pe]) for pe in (0, 1)) + 8
        for pe in (0, 1):
            begin = max(self.stream[pe], self.host[pe])
            self.put(f"PE {pe} stream", "g", begin, end)
            self.stream[pe] = end
        return end


def draw_ordinary(picture):
    time = Timeline(picture, "Ordinary symmetric Views: in each constructor the "
                             "host waits for kernels and for the other PE")
    for number, lengths in enumerate(KERNELS, 1):
        ready = [max(time.host[pe] + LAUNCH, time.stream[pe]) for pe in (0, 1)]
        met = max(ready) + 6
        for pe, length in enumerate(lengths):
            time.call(pe, "b", LAUNCH, "V")
            time.put(f"PE {pe} host", "w", time.host[pe], met)
            time.host[pe] = met
            time.call(pe, "b", LAUNCH, "K")
            time.kernel(pe, length, f"K{number}")
            time.call(pe, "b", LAUNCH, "B")
        time.barrier()
    return max(time.stream)


def draw_pooled(picture):
    time = Timeline(picture, "Views in a pool: the host puts all of it into the "
                             "stream, and waits for nothing")
    ends = {}
    for number, lengths in enumerate(KERNELS, 1):
        for pe, length in enumerate(lengths):
            time.call(pe, "b", MALLOC, "V")
            time.call(pe, "b", LAUNCH, "K")
            time.kernel(pe, length, f"K{number}")
            ends[number] = time.stream[0], 0
            time.call(pe, "b", LAUNCH, "B")
        ends[number] = time.stream[0], time.barrier()
    for pe in (0, 1):
        time.put(f"PE {pe} host", "p", time.host[pe], time.stream[pe],
                 "free for other work, or for more steps")
    # The blocks on PE 0: K1 writes A, K2 reads A and writes B, and so on.
    bottom = picture.y + 2 * LANE - 6
    time.lane("block A, PE 0")
    time.lane("block B, PE 0")

    def use(block, first, begin, text):
        freed, met = ends.get(first + 1, (ends[first][1], ends[first][1]))
        time.put(f"block {block}, PE 0", "p", begin, freed, text)
        if freed < met:
            time.put(f"block {block}, PE 0", "w", freed, met)

    use("A", 1, LAUNCH + MALLOC, "View 1")
    use("B", 2, ends[1][1], "View 2")
    use("A", 3, ends[2][1], "View 3")
    use("B", 4, ends[3][1], "View 4")
    for number in (2, 3):
        picture.line(LEFT + ends[number][1], time.top, bottom)
    return max(time.stream)


def draw_pools():
    picture = Picture("Timelines of hosts and streams of two PEs, with ordinary "
                      "symmetric Views and with Views in a pool")
    draw_ordinary(picture)
    picture.y += 14
    draw_pooled(picture)
    picture.y += 8
    for row in ((("b", "host: constructs a View (V), enqueues a kernel (K) or a "
                       "barrier (B)", 440),
                 ("t", "kernel", 80), ("g", "barrier in the stream", 0)),
                (("w", "host: waits; block: freed, peers may read it still", 340),
                 ("p", "host: free; block: in use on PE 0 and read by PE 1", 0))):
        x = 16
        for css, text, width in row:
            picture.box(css, x, picture.y, 14, 14, 3)
            picture.text("s", x + 20, picture.y + 11, text)
            x += width
        picture.y += 22
    picture.y += 4
    picture.write("pools.svg")


STEP = 96   # of a kernel that updates the cells
FACES = 22  # of one that copies faces, or packs them
BARRIER_ON_HOST = 26


def draw_steps_of_host(picture):
    time = Timeline(picture, "The host waits: a kernel for the cells, one for the "
                             "neighbors' ghosts, fence, barrier_all()")
    for step in (1, 2, 3):
        for pe in (0, 1):
            time.call(pe, "b", LAUNCH, "K")
            time.kernel(pe, STEP, f"step {step}")
            time.call(pe, "b", LAUNCH, "K")
            time.kernel(pe, FACES, "")
        met = max(time.stream) + BARRIER_ON_HOST
        for pe in (0, 1):
            time.put(f"PE {pe} host", "w", time.host[pe], met)
            time.host[pe] = met
    return max(time.stream)


def draw_steps_of_stream(picture):
    time = Timeline(picture, "The stream waits: one kernel writes cells and "
                             "neighbors' ghosts, then barrier(exec, team)")
    for step in (1, 2, 3):
        for pe in (0, 1):
            time.call(pe, "b", LAUNCH, "K")
            time.kernel(pe, STEP + 6, f"step {step}")
            time.call(pe, "b", LAUNCH, "B")
        time.barrier()
    for pe in (0, 1):
        time.put(f"PE {pe} host", "p", time.host[pe], time.stream[pe],
                 "free for other work, or for more steps")
    return max(time.stream)


def draw_steps():
    picture = Picture("Timelines of hosts and streams of two PEs: time steps with "
                      "a barrier of the hosts, and with one in the streams")
    draw_steps_of_host(picture)
    picture.y += 14
    draw_steps_of_stream(picture)
    picture.y += 8
    x = 16
    for css, text, width in (("b", "host: enqueues a kernel (K), a barrier (B)", 280),
                             ("w", "host: waits", 100), ("p", "host: free", 92),
                             ("t", "kernel", 74), ("g", "barrier", 0)):
        picture.box(css, x, picture.y, 14, 14, 3)
        picture.text("s", x + 20, picture.y + 11, text)
        x += width
    picture.y += 26
    picture.write("steps.svg")


# Concepts.

def draw_heap():
    picture = Picture("Three PEs, each with private memory and a part of the symmetric "
                      "heap; Views u and v are at the same offset of each part; a "
                      "kernel of PE 0 stores into u of PE 1")
    picture.text("s", 112, 18, "private")
    picture.text("s", 292, 18, "this PE's part of the symmetric heap")
    picture.y = 28
    tops = []
    for pe in range(3):
        top = picture.y
        tops.append(top)
        picture.text("h", 16, top + 32, f"PE {pe}")
        picture.box("l", 76, top, 190, 52)
        if pe == 0:
            picture.box("t", 86, top + 9, 170, 34)
            picture.text("n c", 171, top + 31, "kernel")
        else:
            picture.box("b", 86, top + 9, 60 + 45 * pe, 34)
        picture.box("k", 276, top, 468, 52)
        picture.box("p", 316, top + 9, 190, 34)
        picture.text("n c", 411, top + 31, "u")
        picture.box("g", 546, top + 9, 110, 34)
        picture.text("n c", 601, top + 31, "v")
        picture.y += 66
    for x in (316, 546):
        picture.line(x, 24, picture.y - 8)
    picture.arrow((256, tops[0] + 34), (300, tops[0] + 40), (290, tops[1] + 30),
                  (330, tops[1] + 30))
    picture.text("s", 16, picture.y + 8, "Kokkos::View<double**, symm::SymmetricSpace> "
                 "u(\"u\", n, n): all PEs construct it, each gets one, at the same "
                 "offset.")
    picture.text("s", 16, picture.y + 25, "everywhere(1, 0, j) = x, in a kernel of PE 0, "
                 "is a store into the u of PE 1.")
    picture.y += 38
    picture.write("heap.svg")


def draw_addresses():
    picture = Picture("The addresses of one PE: the parts of all PEs of its node lie one "
                      "stride behind the other, of which little is memory")
    picture.text("h", 16, 18, "What PE 1 sees: the parts of all PEs of its node, a "
                              "stride apart")
    top = 74
    width = 236
    for pe in range(3):
        x = 16 + pe * (width + 10)
        picture.box("l", x, top, width, 62)
        picture.box("k", x, top, 112, 62)
        picture.box("p", x + 30, top + 12, 62, 38)
        picture.text("n c", x + 61, top + 36, "u")
        picture.text("s", x + 124, top + 28, "addresses")
        picture.text("s", x + 124, top + 44, "kept free")
        name = f"PE {pe}" + (", my own" if pe == 1 else "")
        picture.text("s", x, top + 80, f"base + {pe} x stride: {name}")
    own = 16 + width + 10 + 61
    for other, text in ((own - width - 10, "- stride"), (own + width + 10, "+ stride")):
        picture.arrow((own, top + 10), ((own + own + other) / 3, top - 36),
                      ((own + other + other) / 3, top - 36), (other, top + 10))
        picture.text("s c", (own + other) / 2, top - 30, text)
    picture.text("n", 16, top + 110, "address on PE pe = p + (pe - my_pe) x stride")
    picture.text("s", 400, top + 110, "no table, no load, no branch: on the host and in "
                                      "kernels")
    picture.y = top + 122
    picture.write("addresses.svg")


def draw_views():
    picture = Picture("Three ways to see the Views of all PEs: global_view indexes all of "
                      "the node, peer_view is one of them, remote_view reaches other "
                      "nodes, too")

    def row(title, code, says, reached, nodes):
        top = picture.y
        picture.text("n", 16, top + 14, title)
        picture.text("s", 16, top + 32, code)
        for i, line in enumerate(says):
            picture.text("s", 16, top + 50 + 15 * i, line)
        x = 384
        for node in range(2):
            picture.box("l" if node in nodes else "b", x, top, 174, 78)
            picture.text("s", x + 8, top + 14, f"node {node}")
            for place in range(2):
                pe = 2 * node + place
                picture.box("p" if pe in reached else "b", x + 10 + 80 * place,
                            top + 24, 74, 44)
                picture.text("s c", x + 47 + 80 * place, top + 42, f"PE {pe}")
                picture.text("n c", x + 47 + 80 * place, top + 59, "u")
            x += 186
        picture.y += 96

    picture.text("s", 16, 18, "PE 0 of four; green is what it reaches")
    picture.y = 30
    row("auto g = symm::global_view(u);", "g(pe, i, j) is a double&, a load or store",
        ["all PEs of this node; best where the PE", "differs between elements"],
        (0, 1), (0,))
    row("auto p = symm::peer_view(u, 1);", "p(i, j): an unmanaged View",
        ["one PE of this node; for deep_copy,", "subview, kernels with one PE"],
        (1,), (0,))
    row("auto r = symm::remote_view(u);",
        "r(pe, i, j) stands for an element; r.peer(pe)",
        ["all PEs; loads and stores on this node,", "gets and puts to others"],
        (0, 1, 2, 3), (0, 1))
    picture.write("views.svg")


def draw_rules():
    picture = Picture("Timelines of two PEs for the three rules: Views are constructed "
                      "together, a barrier stands between write and read and between "
                      "read and write, Views end alone but before finalize()")
    lane = 30

    def rule(title, rows):
        picture.text("h", 16, picture.y + 14, title)
        picture.y += 26
        for pe, boxes in enumerate(rows):
            picture.text("s", 16, picture.y + 17, f"PE {pe}")
            for css, begin, end, text in boxes:
                picture.box(css, 76 + begin, picture.y, end - begin, lane - 6, 3)
                picture.text("s c", 76 + (begin + end) / 2, picture.y + 16, text)
            picture.y += lane
        picture.y += 14

    rule("1  Views are constructed by all PEs, with equal extents, in the same order", [
        [("b", 0, 80, "other work"), ("g", 80, 150, "View u"), ("w", 150, 270, ""),
         ("b", 276, 340, "work"), ("g", 350, 420, "View v"), ("t", 430, 660, "kernels; may write to any u")],
        [("b", 0, 196, "other work"), ("g", 200, 270, "View u"),
         ("b", 276, 340, "work"), ("g", 350, 420, "View v"),
         ("t", 430, 660, "kernels; may write to any v")]])
    rule("2  A barrier between a write and the read of it on another PE, and before the "
         "next write", [
             [("t", 0, 150, "write u of PE 1"), ("w", 150, 196, ""),
              ("g", 200, 260, "barrier"), ("t", 266, 330, "other work"),
              ("w", 330, 436, ""), ("g", 440, 500, "barrier"),
              ("t", 506, 660, "write u of PE 1 again")],
             [("t", 0, 196, "other work"), ("g", 200, 260, "barrier"),
              ("p", 266, 436, "read u: all is there"), ("g", 440, 500, "barrier"),
              ("t", 506, 660, "other work")]])
    rule("3  A View ends on each PE alone, at any time, but before finalize()", [
        [("p", 0, 180, "u lives"), ("b", 180, 236, "u ends"),
         ("l", 236, 430, "memory kept: PE 1 has its u"), ("g", 440, 560,
                                                          "next allocation"),
         ("b", 570, 660, "finalize()")],
        [("p", 0, 360, "u lives; may still read the u of PE 0"),
         ("b", 360, 430, "u ends"), ("g", 440, 560, "memory is used"),
         ("b", 570, 660, "finalize()")]])
    picture.legend((("g", "all PEs together", 140), ("w", "waits for the other", 150),
                    ("t", "kernel", 80), ("p", "u may be read", 0)))
    picture.y += 4
    picture.write("rules.svg")


if __name__ == "__main__":
    draw_heap()
    draw_addresses()
    draw_views()
    draw_rules()
    draw_house()
    draw_pools()
    draw_steps()
