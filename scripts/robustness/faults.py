# SPDX-License-Identifier: Apache-2.0
"""Chips that break on purpose: random plans of faults against a small product, with the firmware.

Nothing may be lost silently: the bits are right, or tern says that they are not; what has happened is counted by the firmware.
"""
import json

import execute
import judge
from campaign import Campaign
from case import Case

QUEUES = ("tensor", "vector", "scalar", "gpsimd", "sync")
CLASSES = ("ecc_corrected", "ecc_uncorrectable", "ecc_repairable", "dma_abort", "semaphore_overflow", "sequencer_fatal", "hang")
SHAPES = ((64, 32, 48), (128, 512, 96), (40, 200, 70))
# The code corrects one bit of a burst and finds two: docs say that more may come out wrong.
MOST_FOUND_BITS = 2
BROKEN = """preset: tern
management: {chip: {spare_rows: %d, hang_us: %d}}
"""


def fault(rng):
    kind = rng.choice(("hbm_bits", "hbm_bits", "hbm_bits", "dma_abort", "bad_descriptor", "hang", "throttle", "core_reset", "uart", "flash_bit",
                       "chip_error"))
    # A program of these sizes takes about 10 us.
    when = rng.choice(({"at_us": round(rng.uniform(0, 12), 3)}, {"at_us": 0}, {"boot_us": rng.choice((0, 500, 4000, 6100))},
                       {"after": rng.randrange(40), "queue": rng.choice(QUEUES)}))
    what = {"fault": kind, **when}
    if kind == "hbm_bits":
        # Operands, descriptors and instructions begin at the lowest addresses.
        what.update(stack=rng.choice((0, 0, 0, 1, 3)), offset=rng.randrange(rng.choice((4096, 1 << 18, 1 << 20))), bits=rng.choice((1, 1, 2, 2, 3, 256)))
    elif kind in ("dma_abort", "bad_descriptor"):
        what.update(engine=rng.randrange(16), ring=rng.choice((0, 0, 1, 5, 15)))
        if kind == "bad_descriptor":
            what["index"] = rng.choice((0, 1, 3, 40, 1000))
    elif kind == "hang":
        what["queue"] = when.get("queue", rng.choice(QUEUES))
    elif kind == "throttle":
        what.update(factor=rng.choice((1, 1.5, 10)), for_us=rng.choice((0, 5, 1000)))
    elif kind == "uart":
        what["bytes"] = rng.choice(("garbage", "\x03", "reset all\n", "x" * 4000))
    elif kind == "flash_bit":
        what.update(offset=rng.choice((rng.randrange(256), rng.randrange(9000), 0x80000 + rng.randrange(9000), rng.randrange(0x110000))),
                    bit=rng.randrange(8))
    elif kind == "chip_error":
        what.update({"class": rng.choice(CLASSES), "unit": rng.choice((0, 1, 7, 16, 23, 0xffff))})
    return what


def counted(record, message):
    """Counters of the firmware by class, of a report or of the message of a failed run; None: it did not boot."""
    if record is not None:
        return record["management"]["errors"]
    if "the firmware counts: " not in message:
        return None
    text = message.split("the firmware counts: ")[1].split("; faults that happened: ")[0].strip()
    return {} if text == "no errors" else {name: int(number) for name, number in (part.split() for part in text.split(", "))}


def silent(plan, code, record, message):
    """What was lost without a word."""
    # Several faults may meet in one burst.
    beyond = sum(each.get("bits", 1) for each in plan["faults"] if each["fault"] == "hbm_bits") > MOST_FOUND_BITS
    counts = counted(record, message)
    if counts is None:
        if "the management core: " not in message:
            yield "an error without the firmware's counters"
        return
    if record is None:
        return
    if not record["passed"] and not beyond:
        yield "wrong bits without an error"
    happened = [each for each, outcome in zip(plan["faults"], record["faults"]) if outcome["state"] == "happened"]
    for name in {each["class"] for each in happened if each["fault"] == "chip_error"}:
        expected = sum(each.get("class") == name for each in happened)
        if counts.get(name, 0) < expected:
            yield f"{expected} errors of class {name} happened, {counts.get(name, 0)} are counted"
    if code == 0 and not record["passed"]:
        yield "exit code 0 for a failure"


class Faults(Campaign):
    name = "faults"
    meaning = "chips that break on purpose (docs/howto/faults.md): right bits or an error, and the firmware counts it"
    cases = 1000

    def plan(self, rng):
        return {"limit_ms": 50, "faults": [fault(rng) for _ in range(rng.choice((1, 1, 2, 4)))]}

    def perform(self, context, rng, number, folder):
        plan = self.plan(rng)
        m, k, n = rng.choice(SHAPES)
        files = {"w.yaml": f"kind: matmul\na: {{random: [{k}, {m}]}}\nb: {{random: [{k}, {n}]}}\n", "faults.yaml": json.dumps(plan),
                 "board.yaml": BROKEN % (rng.choice((0, 0, 4)), rng.choice((1000, 10000)))}
        case = Case(", ".join(each["fault"] for each in plan["faults"]),
                    ["run", "w.yaml", "--firmware", rng.choice(("tern", "board.yaml")), "--faults", "faults.yaml", "--json", "--quiet",
                     "--core", rng.choice((0, 0, 0, 5))], files, codes=(0, 1), seconds=120, bounded=True)
        case.write(folder)
        result = execute.run_in(folder, case, context.tern)
        found = judge.violations(case, result)
        if result.code in (0, 1) and not result.stopped:
            record = json.loads(result.out) if result.out.strip() else None
            found += silent(plan, result.code, record, result.err.decode("utf-8", "replace"))
        return case, result, found
