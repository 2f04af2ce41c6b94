"""The figures of random updates of a table that is spread over all PEs.

`figure` is what the caller makes a line of its table with.
"""

import dataclasses

WAYS = {"symm": "heap, address and PE", "global_view": "address"}


def _rate_text(records, job, what, case):
    seconds = records.time(job, what, case).median
    rate = case["updates"] / seconds
    return f"{rate * 1e-9:.3g} G/s" if rate >= 1e9 else \
        f"{rate * 1e-6:.3g} M/s"


def figures(records, figure, job, baseline):
    """Each with the updates per second of one PE."""
    for way, how in WAYS.items():
        for case in records.cases(job, way):
            found = figure(records, job,
                           f"random xor of words of all PEs, per PE, {how}",
                           way, baseline, case, 1.0)
            if found.ratio:
                yield dataclasses.replace(
                    found, measured=_rate_text(records, job, way, case),
                    measured_baseline=_rate_text(records, job, baseline, case))
