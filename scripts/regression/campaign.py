# SPDX-License-Identifier: Apache-2.0
"""A nightly run: stages in sequence, a result each; what has a result is not repeated; an interruption leaves no half result."""
import datetime
import fcntl
import os
import pathlib
import re
import shutil
import time

import history
import results
import terminal
import tree
from headline import headline
from stage import Context, Outcome

WORDS = {"passed": "ok", "failed": "FAILED", "error": "ERROR", "not run": "not run"}
KEPT = ("passed", "failed")  # an error or a stage that was not run is tried again


def locked(folder):
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class Campaign:
    def __init__(self, stages, options, root=tree.ROOT):
        self.stages, self.options, self.root = stages, options, root
        self.folder = pathlib.Path(options.results).resolve()
        self.outcomes = {}  # stage: (result, whether it is an earlier one)

    def earlier(self, stage, commit):
        """The newest result of the same stage, commit and configuration; a changed tree has none."""
        if self.options.fresh or commit["changed"]:
            return None
        configuration = stage.configuration(self.options)
        found = [r for r in history.load(self.folder)[0]
                 if r["stage"] == stage.name and r["commit"] == commit["commit"] and not r["changed"]
                 and r["configuration"] == configuration and r["status"] in KEPT]
        return max(found, key=lambda r: r["date"], default=None)

    def await_killed(self, stage):
        """Of a run that was killed the logs are left, and perhaps commands, which would work in the same folders. They hold a lock."""
        said = False
        for folder in sorted(self.folder.glob(f"*-{stage.name}")):
            if folder.with_suffix(".json").exists() or not re.fullmatch(rf"\d{{8}}T\d{{6}}Z-[0-9a-z]+-{stage.name}", folder.name):
                continue
            try:
                lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            except (FileNotFoundError, NotADirectoryError):
                continue
            try:
                while not locked(lock):
                    if not said:
                        terminal.say(f".. {stage.name}: commands of another run, perhaps of a killed one, still work: waiting for their end")
                    said = True
                    time.sleep(0.5)
                if not folder.with_suffix(".json").exists():
                    shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)

    def run(self):
        """Runs what is left; True if no stage failed."""
        self.folder.mkdir(parents=True, exist_ok=True)
        interrupted = ""
        for number, stage in enumerate(self.stages, 1):
            commit = tree.commit(self.folder, self.root)
            if self.options.commit and commit["commit"] != self.options.commit:
                raise ValueError(f"the tree is at {commit['commit'][:12]}, the stages were submitted for {self.options.commit[:12]}")
            try:
                self.await_killed(stage)
                known = self.earlier(stage, commit)
                if known:
                    self.outcomes[stage.name] = (known, True)
                    continue
                terminal.say(f".. stage {number} of {len(self.stages)}, {stage.name}: {stage.meaning}")
                self.outcomes[stage.name] = (self.one(stage, commit), False)
            except KeyboardInterrupt:
                interrupted = stage.name
                break
            except OSError as error:  # no room or right to write the result: the others would end like it
                self.summary(stage.name)
                raise ValueError(f"no result of stage {stage.name} in {results.clean(self.folder, 200)}: {error.strerror}") from None
        self.summary(interrupted)
        if interrupted:
            raise KeyboardInterrupt
        return all(result["status"] not in ("failed", "error") for result, _ in self.outcomes.values())

    def one(self, stage, commit):
        """Runs a stage and writes its result; on an interruption nothing is left of it."""
        begin, clock = time.time(), time.monotonic()
        result = {"format": results.FORMAT, "stage": stage.name, "status": "not run", "reason": stage.missing(self.root),
                  "date": tree.utc(begin), "seconds": 0.0, **commit, "machine": tree.machine(), "seed": self.options.seed,
                  "configuration": stage.configuration(self.options), "counts": {}, "figures": {}, "failures": [],
                  "failures_left_out": 0, "files": {}}
        logs = self.new_folder(result)
        lock = os.open(logs, os.O_RDONLY | os.O_DIRECTORY)
        locked(lock)
        written = False
        try:
            if not result["reason"]:
                context = Context(self.root, logs, self.folder, self.options, {"TERN_SEED": str(self.options.seed), "CI": "true"}, held=(lock,))
                self.take(result, self.outcome(stage, context), context, logs)
            result["seconds"] = round(time.monotonic() - clock, 1)
            self.write(result, logs)
            written = True
        finally:
            os.close(lock)
            if not written or not any(logs.iterdir()):
                shutil.rmtree(logs, ignore_errors=True)
        return result

    def write(self, result, logs):
        try:
            results.write(self.folder, result)
        except OSError:  # its logs may have filled the disk: the result without them
            shutil.rmtree(logs, ignore_errors=True)
            result["files"] = {}
            logs.mkdir()
            results.write(self.folder, result)

    def new_folder(self, result):
        """A folder for the logs. A stage that began in the same second is another result: a later second is taken."""
        while True:
            folder = self.folder / results.file_name(result).removesuffix(".json")
            try:
                folder.mkdir()
            except FileExistsError:
                pass
            else:
                if not folder.with_suffix(".json").exists():
                    return folder
                folder.rmdir()
            date = datetime.datetime.strptime(result["date"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=datetime.timezone.utc)
            result["date"] = tree.utc(date.timestamp() + 1)

    def outcome(self, stage, context):
        try:
            return stage.run(context)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:  # output that nobody foresaw: not a night lost
            return Outcome("error", results.clean(f"{type(error).__name__}: {error}", 200))

    def take(self, result, outcome, context, logs):
        files = {**context.files, **outcome.files}
        result.update(status=outcome.status, reason=results.clean(outcome.reason), counts=outcome.counts, figures=outcome.figures,
                      failures=outcome.failures[:results.FAILURES],
                      failures_left_out=max(0, len(outcome.failures) - results.FAILURES),
                      files={name: f"{logs.name}/{path}" for name, path in files.items() if (logs / path).exists()})

    def summary(self, interrupted):
        for stage in self.stages:
            if stage.name not in self.outcomes:
                print(f"{'-':<8} {stage.name:<12} " + ("interrupted" if stage.name == interrupted else "not reached"))
                continue
            result, known = self.outcomes[stage.name]
            when = f"of {result['date'][:16].replace('T', ' ')} UTC" if known else terminal.duration(result["seconds"])
            print(f"{WORDS[result['status']]:<8} {stage.name:<12} {headline(result)}, {when}")
            for failure in result["failures"][:5] if result["status"] != "passed" else ():
                print(f"{'':<8} {'':<12}   {results.clean(failure['name'], 110)}")
        count = {state: sum(r["status"] == state for r, _ in self.outcomes.values()) for state in results.STATES}
        left = len(self.stages) - len(self.outcomes)
        print(f"stages: {count['passed']} passed, {count['failed'] + count['error']} failed, {count['not run'] + left} not run; "
              f"results in {self.folder}")
