"""The figures of random updates of a table that is spread over all PEs.

`figure` is what the caller makes a line of its table with; it shows the updates
per second of one PE.
"""

WAYS = {"symm": "heap, address and PE", "global_view": "address"}


def figures(records, figure, job, baseline):
    for way, how in WAYS.items():
        for case in records.cases(job, way):
            yield figure(records, job,
                         f"random xor of words of all PEs, per PE, {how}",
                         way, baseline, case, 1.0)
