#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs `tern` with --trace and reads the file by the rules of Perfetto's importer for trace-event JSON.

Usage: check_trace.py TERN SOURCE_FOLDER

The importer counts whole nanoseconds. A complete event that partly overlaps an open one of its thread is dropped;
counters of a process are told apart by their name alone; threads and processes are named by metadata events.
"""
import collections
import json
import os
import subprocess
import sys
import tempfile


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")
    print(f"ok: {what}")


def nanoseconds(microseconds):
    return round(microseconds * 1000)


def dropped(events):
    """Complete events that the importer would drop."""
    threads = collections.defaultdict(list)
    for event in events:
        begin = nanoseconds(event["ts"])
        threads[event["pid"], event["tid"]].append((begin, -nanoseconds(event["dur"]), event))
    lost = []
    for spans in threads.values():
        open_ends = []
        for begin, minus_length, event in sorted(spans, key=lambda s: s[:2]):
            end = begin - minus_length
            while open_ends and open_ends[-1] <= begin:
                open_ends.pop()
            if open_ends and end > open_ends[-1]:
                lost.append(event)
            else:
                open_ends.append(end)
    return lost


def check_file(path, programs):
    with open(path, encoding="utf-8") as file:
        trace = json.load(file)
    events = trace["traceEvents"]
    spans = [e for e in events if e["ph"] == "X"]
    counters = [e for e in events if e["ph"] == "C"]
    check(trace["displayTimeUnit"] == "ns" and {e["ph"] for e in events} <= {"X", "C", "M"}, "only known events")
    check(len(spans) > 100 and not dropped(spans), f"none of {len(spans)} spans is dropped")
    check(all(e["ts"] >= 0 and e["dur"] >= 0 for e in spans), "no span runs backwards")
    tracks = collections.defaultdict(set)
    for event in counters:
        tracks[event["pid"], event["name"]].add(event["tid"])
    check(all(len(threads) == 1 for threads in tracks.values()), f"{len(tracks)} counters have names of their own")
    named = {(e["pid"], e["tid"]) for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    names = {(e["pid"], e["args"]["name"]) for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    processes = {e["args"]["name"]: e["pid"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
    check({(e["pid"], e["tid"]) for e in spans} <= named and len(names) == len(named), "every thread has its own name")
    check({e["pid"] for e in events} == set(processes.values()), "every process has a name")
    marked = [e["name"] for e in spans if e["pid"] == processes["host"] and e["name"] not in ("inputs", "outputs")]
    check(len(marked) == programs, "the host's track marks where programs begin")


def main():
    tern, source = map(os.path.realpath, sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        for example, programs in (("digits/digits.yaml", 1), ("attention/attention.yaml", 1)):
            path = os.path.join(folder, "trace.json")
            command = [tern, "run", os.path.join(source, "sw/examples", example), "--quiet", "--trace", path]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            print(example)
            check_file(path, programs)


if __name__ == "__main__":
    main()
