# SPDX-License-Identifier: Apache-2.0
"""What every stage of the nightly run is made of."""
import dataclasses
import pathlib

import results
import terminal
from meanings import MEANINGS, OWN


@dataclasses.dataclass
class Outcome:
    """What a stage found. `error`: it could not do its work, so there are no counts to judge by."""
    status: str
    reason: str = ""
    counts: dict = dataclasses.field(default_factory=dict)
    figures: dict = dataclasses.field(default_factory=dict)
    failures: list = dataclasses.field(default_factory=list)
    files: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Context:
    """What a stage works with. `folder`: for its logs, kept next to the result."""
    root: pathlib.Path
    folder: pathlib.Path
    kept: pathlib.Path  # for what outlives a run: the corpus of the fuzzers
    options: object
    environment: dict
    files: dict = dataclasses.field(default_factory=dict)
    held: tuple = ()  # locks of this run, which its commands hold as long as they live

    def run(self, label, *command, log="log.txt", **environment):
        self.files[log.split(".")[0]] = log
        return terminal.run(label, command, self.folder / log, self.root, {**self.environment, **environment}, self.held)

    def log_tail(self, log="log.txt", count=40):
        return terminal.tail(self.folder / log, count)

    def failed_command(self, what, log="log.txt"):
        return Outcome("error", what, failures=[results.failure(what, self.log_tail(log))])


class Stage:
    """A stage: its name, and which others should end before it starts when all run at a time."""
    name = ""
    after = ()
    alone = False  # it measures time: nothing else should run on the machine

    @property
    def meaning(self):
        return MEANINGS.get(self.name, OWN)

    def configuration(self, options):
        """The options on which its result depends. One that came later is there only if it is used: old results keep theirs."""
        return {}

    def missing(self, root):
        """Why it cannot run in this tree; empty: it can."""
        return ""

    def run(self, context):
        raise NotImplementedError
