# SPDX-License-Identifier: Apache-2.0
"""Runs without room for their files, without rights, with closed or full streams: exit code, message, no partial file, and what was
there before stays whole."""
import itertools
import subprocess

import data_files
import execute
import judge
import seeds
from campaign import Campaign, Skip
from case import Case

MATMUL = seeds.dump(seeds.SEEDS["matmul"][0])
TRAIN = seeds.dump(seeds.SEEDS["train"][0])
OUTPUTS = {
    "report": (["--report", "place/r"], MATMUL), "trace": (["--trace", "place/t.json"], MATMUL), "wave": (["--wave", "place/w.fst"], MATMUL),
    "rtl wave": (["--wave", "place/w.fst", "--tensor", "rtl"], MATMUL), "output": (["--output", "place/c.npy"], MATMUL),
    "checkpoint": (["--checkpoint", "place/t.ck"], TRAIN), "training": (["--report", "place/r"], TRAIN),
    "weights": (["--output", "place/w", "--checkpoint", "t.ck"], TRAIN),
}
# The mount is gone when the command ends; its files are listed before.
LIST = "code=$?; (cd place && find . -mindepth 1) | sort > listing; exit $code"
FULL = "unshare -m bash -c 'mount -t tmpfs -o size={size} tmpfs place && {command}; {list}'"
READ_ONLY = "unshare -m bash -c 'mount -t tmpfs -o ro tmpfs place && {command}; {list}'"
# The system's, or that the waveform is not whole: the library that writes it keeps no reason.
REASONS = ("No space left", "Read-only", "the disk or a limit is full", "the waveform is not whole")
ROOM = [f"{size}k" for size in (4, 8, 12, 24, 64, 150, 300)]
STREAMS = {">&-": (0, 1, 2), "2>&-": (0,), "</dev/null": (0,), "<&-": (0,), ">/dev/full": (1,), "2>/dev/full": (0,), ">&- 2>&-": (0, 1, 2)}
JOBS = [(what, output, room) for output, room in itertools.product(sorted(OUTPUTS), ROOM) for what in ("full",)]
JOBS += [("read-only", output, "") for output in sorted(OUTPUTS)]
JOBS += [("limit", output, blocks) for output, blocks in itertools.product(sorted(OUTPUTS), (0, 1, 4, 16))]
JOBS += [("stream", stream, "") for stream in STREAMS] + [("refused stream", stream, "") for stream in STREAMS]


class Disks(Campaign):
    name = "disks"
    meaning = "full disks, read-only folders, limits of file size, closed and full streams"
    cases = len(JOBS)

    def prepare(self, context):
        mount = subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", str(context.scratch)], capture_output=True, check=False)
        self.mounts = mount.returncode == 0
        if not self.mounts:
            print("disks: full and read-only ones need root, to mount a small file system: skipped", flush=True)

    def make(self, context, rng, number):
        what, which, room = JOBS[number % len(JOBS)]
        files = {**data_files.PRODUCT, **data_files.DIGITS}
        if what == "stream":
            return Case(f"stream {which}", ["run", "w.yaml"], {**files, "w.yaml": MATMUL}, redirect=which, codes=STREAMS[which])
        if what == "refused stream":
            return Case(f"refusal, stream {which}", ["run", "nothing.yaml"], {}, redirect=which, codes=(2,), places=("nothing.yaml",))
        options, text = OUTPUTS[which]
        case = Case(f"{what} {room}, {which}", ["run", "w.yaml", "--quiet", *options], {**files, "w.yaml": text}, ("mkdir place",),
                    places=("place/",))
        if what == "limit":
            case.wrap = f"ulimit -f {room}; exec {{}}"
            if room == 0:
                # Standard output is a file here, too.
                case.redirect = "| cat"
                case.wrap = f"set -o pipefail; (ulimit -f {room}; {{}})"
            return case
        if not self.mounts:
            raise Skip("needs root")
        wrap = FULL if what == "full" else READ_ONLY
        case.wrap = wrap.replace("{size}", room or "4k").replace("{command}", "{}").replace("{list}", LIST)
        case.codes = (0, 1) if what == "full" else (1, 2)
        return case

    def perform(self, context, rng, number, folder):
        case = self.make(context, rng, number)
        case.write(folder)
        result = execute.run_in(folder, case, context.tern)
        listing = (folder / "listing").read_text(encoding="utf-8").split("\n") if (folder / "listing").exists() else []
        result.new = tuple(name for name in result.new if name != "listing") + tuple(line for line in listing if line)
        found = judge.violations(case, result)
        message = result.err.decode("utf-8", "replace")
        if case.wrap.startswith("unshare") and result.code == 1 and not any(reason in message for reason in REASONS):
            found.append("the message does not give the system's reason")
        return case, result, found
