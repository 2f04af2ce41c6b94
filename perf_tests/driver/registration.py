"""The figures of registered memory.

`figure` and `time_figure` are what the caller makes a line of its table with.
"""

MIB = 1 << 20
GIB = 1 << 30
DIRECTIONS = {"put": ("to", 1), "get": ("from", 0)}
WAYS = ("global_view", "peer_view", "deep_copy")
HEAPS = ("", ", heap empty")


def _cases(size):
    """Beside memory that the heap keeps, and in a heap that has none."""
    return zip(HEAPS, ({"bytes": size, "kept": kept} for kept in (size, 0)))


def _transfers(size, text):
    """Title, contestant, baseline, case, and whether its rate is shown."""
    for direction, (preposition, is_put) in DIRECTIONS.items():
        for count, what in ((size, text), (8, "8 B")):
            for way in WAYS:
                yield (f"{direction} of {what} {preposition} registered memory, "
                       f"{way}", f"{way}, registered", f"{way}, heap",
                       {"bytes": count, "put": is_put}, count > 8)


def cpu_figures(records, figure):
    """Those with a goal. `figure` compares times: 0.99 of the speed of heap
    memory is 1.01 of its time."""
    job = "registration.np2"
    for heap, case in _cases(256 * MIB):
        yield figure(records, job, f"registering 256 MiB{heap}", "register",
                     "growth", case, 1.0)
    for title, what, baseline, case, _ in _transfers(64 * MIB, "64 MiB"):
        yield figure(records, job, title, what, baseline, case, 1.01)


def gpu_figures(records, figure, time_figure):
    """Those with a goal. `figure` compares speeds."""
    job = "registration"
    for heap, case in _cases(GIB):
        yield time_figure(records, job, f"registering 1 GiB{heap}, time",
                          "register", "growth", 1, case)
    for title, what, baseline, case, is_rate in _transfers(GIB, "1 GiB"):
        yield figure(records, job, title, what, baseline, case, 0.99, is_rate)


def other_figures(records, figure, job, size, text):
    """Those without a goal, on CPUs and on GPUs."""
    for title, what in (("unregistering", "unregister"),
                        ("making and registering", "make and register")):
        for heap, case in _cases(size):
            yield figure(records, job, f"{title} {text}{heap}", what, "growth",
                         case, 1)
