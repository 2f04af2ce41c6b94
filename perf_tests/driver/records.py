"""Reads the JSON lines of the benchmarks."""

import dataclasses
import json
import statistics


@dataclasses.dataclass(frozen=True)
class Summary:
    """Median and quartiles of some samples."""

    median: float
    q1: float
    q3: float

    @staticmethod
    def of(samples):
        if len(samples) == 1:
            return Summary(samples[0], samples[0], samples[0])
        q1, median, q3 = statistics.quantiles(samples, n=4, method="inclusive")
        return Summary(median, q1, q3)


class Records:
    """All records of all rounds of one driver run."""

    _KEYS = ("bytes", "kept", "blocks", "put", "scattered", "axis", "edge",
             "round trip bytes", "updates")

    def __init__(self):
        self._rounds = {}  # (job name, what, case) -> list of sample lists
        self._values = {}  # (job name, what) -> list of values
        self.environments = {}  # job name -> the last environment record
        self.wrong = []  # names of failed verifications
        self.failed = []  # names of jobs that did not run to their end
        self.notes = []  # what programs had to say, and who did not run

    def read(self, job_name, file):
        """Adds the records that one run of a job wrote."""
        for line in file.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            kind = record["record"]
            if kind == "result":
                key = (job_name, record["what"], self._case(record))
                self._rounds.setdefault(key, []).append(record["seconds"])
            elif kind == "value":
                key = (job_name, record["what"])
                self._values.setdefault(key, []).append(record["value"])
            elif kind == "environment":
                self.environments[job_name] = record
            elif kind == "note" and record["text"] not in self.notes:
                self.notes.append(record["text"])
            elif kind == "verification" and record["wrong"] != 0:
                self.wrong.append(f"{job_name}: {record['what']}")

    def environment_value(self, key):
        """What the first environment that has it says; None if none has."""
        for environment in self.environments.values():
            if key in environment:
                return environment[key]
        return None

    def _case(self, record):
        return tuple((key, record[key]) for key in self._KEYS if key in record)

    def cases(self, job_name, what):
        """The cases measured, as dictionaries, in the order of measurement."""
        return [dict(case) for job, name, case in self._rounds
                if (job, name) == (job_name, what)]

    def time(self, job_name, what, case):
        """Summary of the seconds of all rounds; None if not measured."""
        rounds = self._rounds.get((job_name, what, tuple(case.items())))
        return Summary.of([s for samples in rounds for s in samples]) \
            if rounds else None

    def ratio(self, job_name, what, baseline, case):
        """Summary of the ratios of neighbouring samples, over all rounds;
        None if one of the two was not measured."""
        ours = self._rounds.get((job_name, what, tuple(case.items())))
        theirs = self._rounds.get((job_name, baseline, tuple(case.items())))
        if not ours or not theirs:
            return None
        return Summary.of([a / b for samples in zip(ours, theirs)
                           for a, b in zip(*samples)])

    def value(self, job_name, what):
        """Summary of a value over all rounds; None if not measured."""
        values = self._values.get((job_name, what))
        return Summary.of(values) if values else None
