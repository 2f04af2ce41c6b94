"""The programs of mutants.py, and those of their ordering calls that can go."""

# example: (files with calls, [(PEs, arguments)...])
EXAMPLES = {
    "async_temporaries": (["async_temporaries/async_temporaries.cpp"],
                          [(3, "--size 23 --steps 20 --tracers 3")]),
    "containers": (["snippets/containers.cpp"], [(2, "")]),
    "distributed": (["snippets/distributed.cpp"], [(2, "")]),
    "first_program": (["snippets/first_program.cpp"], [(2, "")]),
    "gups": (["gups/gups.cpp"], [(3, "--log2-size 8 --updates-per-word 3")]),
    "halo_signals": (["halo_signals/halo_signals.cpp"],
                     [(3, "--size 23 --look-every 10 --until 0.5 --exchange " + way)
                      for way in ("stream --plates 1", "host --plates 1",
                                  "barrier --plates 1")]),
    "heat2d": (["heat2d/heat2d.cpp"], [(3, "")]),
    "hello_pe": (["hello_pe/hello_pe.cpp"], [(3, "")]),
    "index_gather": (["index_gather/index_gather.cpp"], [(3, "")]),
    "step2_global_view": (["port_existing/step2_global_view.cpp"],
                          [(3, "--size 20 --steps 20")]),
    "ring_put": (["ring_put/ring_put.cpp"], [(3, "")]),
    "ring_reduce": (["ring_reduce/ring_reduce.cpp"], [(3, "")]),
    "races": (["races/races.cpp"], [(3, "fill mended"), (3, "halo mended")]),
    "snippets": (["snippets/snippets.cpp"], [(2, "")]),
    "toposort": (["toposort/toposort.cpp"], [(3, "")]),
}

# Programs of tests: the folder, and its files with ordering calls that are between
# data. A file alone is the program of its mutants.
TESTS = {
    "test_operations_atomics": (
        "operations", ["atomics", "atomic_bits", "atomic_views", "enqueued_elements"]),
    "test_operations_contexts": ("operations", ["aggregation", "contexts"]),
    "test_operations_signals": (
        "operations", ["locks", "ordering", "put_signals", "signals", "signals_enqueued",
                       "signal_loops", "waiting", "waiting_sets"]),
    "test_operations_teams": ("operations", ["team_sync", "this_block"]),
}

# Calls that can go: file: (why, their numbers in the file, from 1)...
ENDS = ("a View's end waits for nobody, and its memory is used again when all PEs have "
        "ended it")
LOCAL = "no PE has come to another one's memory since the barrier before"
BARRIER = "the barrier that follows completes all contexts"
OTHER = "another call behind it does the same"
ZERO = "a View is zero on all PEs when one has it"
REFUSED = "nothing is put: the test is of calls that throw"
ITSELF = "the test is of the call itself: it orders nothing"
ATOMIC = ("all accesses that it orders are atomic operations: another value may come of it, "
          "and no race")
CLOCK = "it is there for the clock: all else is ordered by the streams"


def by_number(judged):
    return {file: {number: why for why, *numbers in reasons for number in numbers}
            for file, reasons in judged.items()}


CAN_GO = by_number({
    "operations/aggregation.cpp": [
        (ENDS, 3, 7, 14, 16, 19, 21),
        (OTHER, 4, 5, 17, 22),
        ("the only PE of the team changes and reads its own word", 18),
    ],
    "operations/atomic_bits.cpp": [
        (ENDS, 1, 2, 3, 6, 9, 10),
    ],
    "operations/atomic_views.cpp": [
        (OTHER, 1),
        (ENDS, 3),
        (REFUSED, 4),
    ],
    "operations/enqueued_elements.cpp": [
        (ZERO, 1, 8, 12),
        (OTHER, 2, 6, 9, 13),
        (ENDS, 4, 11, 15, 16),
    ],
    "operations/locks.cpp": [
        (ENDS, 4, 8, 12, 27, 31, 45, 50),
        (OTHER, 16),
        ("PE 0 is the first that holds the next lock", 17),
        ("all try until they have had the lock", 21),
        ("the next lock is another one", 23),
        (ITSELF, 34, 35, 36, 37, 38, 39, 40, 41, 43, 44, 46, 47, 48, 49),
    ],
    "operations/put_signals.cpp": [
        (ZERO, 6, 10),
        (ENDS, 5, 9, 16),
        (REFUSED, 12),
    ],
    "operations/signals_enqueued.cpp": [
        (ZERO, 1, 9, 16, 23),
        ("the PE that has read answers, and its answer is waited for", 6),
        (ENDS, 8, 15, 22, 30),
        (ITSELF, 18, 19, 20, 32, 33, 37, 38, 39, 40),
        (REFUSED, 31, 35, 36, 43),
    ],
    "operations/this_block.cpp": [
        (OTHER, 1, 2),
    ],
    "operations/ordering.cpp": [
        (ZERO, 5, 9, 13),
        (ENDS, 6, 11, 17),
        ("the PEs only meet less often without it", 7),
        ("loads are complete before what is enqueued behind them", 15),
        (LOCAL, 18, 19, 20, 22),
    ],
    "operations/team_sync.cpp": [
        (ENDS, 1, 3, 5, 9, 10, 11, 16, 23, 31, 32),
        ("`Mail` has barriers of its own", 2, 4),
        (ZERO, 6, 12, 18, 28),
    ],
    "operations/waiting.cpp": [
        (ZERO, 2),
        (ENDS, 3),
        (ITSELF, 4),
    ],
    "operations/waiting_sets.cpp": [
        ("the variables are this PE's own, and compare so already", 1, 2, 3, 4, 5),
        (ZERO, 7, 9),
        (ENDS, 8, 10),
    ],
    "operations/atomics.cpp": [
        (ENDS, 1, 2, 3, 4, 5),
    ],
    "operations/contexts.cpp": [
        (LOCAL, 4),
        ("nothing writes to the source before the wait for all of it", 12),
        (ENDS, 15, 19, 26, 29, 32, 34, 40, 41, 46, 50, 55, 58, 59),
        (BARRIER, 17, 27, 37, 48),
        (OTHER, 43, 44, 47, 51),
        ("a PE gets back what it has put itself", 45),
        (ITSELF, 14, 39, 52, 53),
    ],
    "operations/signals.cpp": [
        ("the first message has no bytes, and the signal that answers it orders", 10),
        (ENDS, 15, 18),
        (REFUSED, 19, 23, 24, 28, 29, 31),
        (ITSELF, 20, 21, 25, 26, 30, 32),
    ],
    "operations/signal_loops.cpp": [
        (ZERO, 3, 7, 13),
        (ENDS, 4, 8, 16),
    ],
    "async_temporaries/async_temporaries.cpp": [
        (CLOCK, 4, 6),
    ],
    "index_gather/index_gather.cpp": [
        (ENDS, 4),
    ],
    "races/races.cpp": [
        (ENDS, 7),
    ],
    "snippets/snippets.cpp": [
        (LOCAL, 4, 7, 21, 23, 28, 30, 40, 42, 45, 46, 48, 49, 50, 52),
        ("reduce() of a value has waited for all PEs", 6),
        ("each PE has waited for the last block that it gets", 10),
        (ENDS, 14, 19, 33, 39),
        ("the constructor of `counts` waits for all PEs", 24),
        ("the constructor of `table` waits for all PEs", 31),
        ("free() is collective", 35),
    ],
    "toposort/toposort.cpp": [
        (ENDS, 3),
    ],
})

# Calls that a program needs, and whose absence the detector does not see.
MISSED = by_number({
    "operations/aggregation.cpp": [
        ("the end of a View is no access", 20),
    ],
    "operations/atomics.cpp": [
        (ATOMIC, 6, 7),
    ],
    "operations/contexts.cpp": [
        (ATOMIC, 16, 20, 21),
        ("the compiler compares 48 bytes itself, and does not tell", 22),
    ],
    "operations/ordering.cpp": [
        ("a wait learns all that its variable has been told until then", 4),
        (ATOMIC, 8),
    ],
    "operations/signal_loops.cpp": [
        (ATOMIC, 14),
    ],
    "operations/team_sync.cpp": [
        (ATOMIC, 8),
    ],
    "operations/waiting_sets.cpp": [
        (ATOMIC, 6),
    ],
})
