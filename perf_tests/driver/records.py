"""Reads the JSON lines of the benchmarks."""

import collections
import dataclasses
import json

import pandas


class RecordError(Exception):
    """A record that says too little, or what another has said."""


@dataclasses.dataclass(frozen=True)
class Summary:
    """Median and quartiles of some samples."""

    median: float
    q1: float
    q3: float

    @staticmethod
    def of(samples):
        quartiles = pandas.Series(samples).quantile([0.5, 0.25, 0.75])
        return Summary(*map(float, quartiles))

    def over(self, other):
        """The ratio to samples of another run, of which nothing is neighbors:
        its quartiles are the farthest apart that they can be."""
        return Summary(self.median / other.median, self.q1 / other.q3,
                       self.q3 / other.q1)


class Records:
    """All records of all rounds of one driver run."""

    def __init__(self):
        # (job name, what) -> case -> number of the job's run -> its samples
        self._seconds = collections.defaultdict(dict)
        self._values = collections.defaultdict(list)  # (job name, what) -> values
        self._runs = collections.Counter()  # job name -> runs
        self.environments = {}  # job name -> the last environment record
        self.wrong = []  # names of failed verifications
        self.failed = []  # names of jobs that did not run to their end
        self.notes = []  # what programs had to say, and who did not run

    def read(self, job_name, file):
        """Adds the records that one run of a job wrote."""
        self._runs[job_name] += 1
        for line in file.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            kind = record["record"]
            if kind == "result":
                self._add_result(job_name, record)
            elif kind == "value":
                self._values[job_name, record["what"]].append(record["value"])
            elif kind == "environment":
                self.environments[job_name] = record
            elif kind == "note" and record["text"] not in self.notes:
                self.notes.append(record["text"])
            elif kind == "verification" and record["wrong"] != 0:
                self.wrong.append(f"{job_name}: {record['what']}")
            elif kind == "failure":
                self._add_failure(f"{job_name}: {record['what']}",
                                  record["wrong data"])

    def _add_failure(self, name, has_wrong_data):
        """Of one program of several in a job."""
        self.failed.append(name)
        self.notes.append(f"{name} failed")
        if has_wrong_data:
            self.wrong.append(name)

    def _add_result(self, job_name, record):
        name = f"{job_name}: {record['what']}"
        if "case" not in record:
            raise RecordError(f"{name}: the record has no case")
        cases = self._seconds[job_name, record["what"]]
        runs = cases.setdefault(_key(record["case"]), {})
        run = self._runs[job_name]
        if run in runs:
            raise RecordError(f"{name}: two records of {record['case']} in one "
                              "run: a parameter is missing")
        runs[run] = pandas.Series(record["seconds"], dtype=float)

    def environment_value(self, key):
        """What the first environment that has it says; None if none has."""
        for environment in self.environments.values():
            if key in environment:
                return environment[key]
        return None

    def cases(self, job_name, what):
        """The cases measured, as dictionaries, in the order of measurement."""
        return [dict(case) for case in self._seconds.get((job_name, what), ())]

    def _samples(self, job_name, what, case):
        """By run and number in it; None if not measured."""
        runs = self._seconds.get((job_name, what), {}).get(_key(case))
        return pandas.concat(runs) if runs else None

    def time(self, job_name, what, case):
        """Summary of the seconds of all rounds; None if not measured."""
        samples = self._samples(job_name, what, case)
        return None if samples is None else Summary.of(samples)

    def ratio(self, job_name, what, baseline, case, beyond=0.0):
        """Summary of the ratios of neighboring samples, over all rounds;
        None if one of the two was not measured.

        beyond: of what they take longer than so many seconds
        """
        ours = self._samples(job_name, what, case)
        theirs = self._samples(job_name, baseline, case)
        if ours is None or theirs is None:
            return None
        ours, theirs = ours - beyond, theirs - beyond
        ratios = (ours.clip(lower=0) / theirs.where(theirs > 0)).dropna()
        return Summary.of(ratios) if len(ratios) else None

    def value(self, job_name, what):
        """Summary of a value over all rounds; None if not measured."""
        values = self._values.get((job_name, what))
        return Summary.of(values) if values else None


def _key(case):
    return tuple(case.items())
