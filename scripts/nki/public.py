# SPDX-License-Identifier: Apache-2.0
"""Public kernels from checkouts of their repositories (scripts/nki-public).

Their files are imported as they are; references and arguments are those of cases_*.py.
"""
import argparse
import math
import os
import sys
import time
import traceback

import nki

import cases_bench  # noqa: F401: each enters its cases
import cases_library  # noqa: F401
import cases_library_more  # noqa: F401
import cases_old  # noqa: F401
import cases_others  # noqa: F401
import cases_sdk  # noqa: F401
import cases_searched  # noqa: F401
from harness import CASES, Skipped, target

# A file by which a checkout is recognised.
MARKS = {
    "sdk-2.26": "nki/api/nki/compiler/sbuf.py",
    "sdk": "nki/examples/transpose2d",
    "library": "src/nkilib_src/nkilib",
    "samples-2025": "src/nki_samples/reference/attention.py",
    "samples": "src/nki_samples",
    "accelopt": "NKIBench/kernels",
    "autotune": "kernel_library/matmul",
    "autocomp": "harnesses/trn-tutorial-nki2",
}


def times_text(ratios):
    """Simulated over published times of all cases that have one."""
    logs = {name: math.log(ratio) for name, ratio in ratios.items()}
    error = 100 * (math.exp(sum(abs(log) for log in logs.values()) / len(logs)) - 1)
    bias = math.exp(sum(logs.values()) / len(logs))
    worst = max(logs, key=lambda name: abs(logs[name]))
    near = sum(abs(ratio - 1) <= 0.2 for ratio in ratios.values())
    return (f"times: {len(logs)} published, geometric mean of the error {error:.1f} %, of the ratio {bias:.3f}, "
            f"{near} within 20 %, largest {100 * (ratios[worst] - 1):+.1f} % ({worst})")


def active_text(run, real):
    """The share of the time in which an engine has an instruction between its begin and its end."""
    texts = []
    for engine, share in real.items():
        busy, end = 0, 0
        for span in run.spans:  # in order of their begin
            if span.lane == engine and span.name not in ("nop", "halt"):
                busy += max(0, span.end_ns - max(end, span.begin_ns))
                end = max(end, span.end_ns)
        texts.append(f"{engine} {share:.1%} published, {busy / run.latency_us / 1000:.1%} simulated")
    return "      active: " + "; ".join(texts)


def run(name, published, function, root, ratios):
    start = time.monotonic()
    try:
        kernel, error, *more = function(root)
    except Skipped as why:
        print(f"skip  {name:44} {why}", flush=True)
        return None
    except Exception as problem:  # noqa: BLE001: whatever a kernel raises is its result
        if os.environ.get("NKI_PUBLIC_TRACEBACK"):
            traceback.print_exc()
        print(f"{'FAIL':5} {name:44} {type(problem).__name__}: {problem}", flush=True)
        return False
    good = error <= 1
    seconds = time.monotonic() - start
    latency = kernel.last_run.latency_us
    real = published.get(target())
    if real is not None:
        ratios[name] = latency / real
    beside = "" if real is None else f", published {real} us, ratio {latency / real:.2f}"
    print(f"{'ok' if good else 'WRONG':5} {name:44} error / tolerance {error:.3f}, {latency:.2f} us simulated{beside}, "
          f"{seconds:.1f} s", flush=True)
    if more and kernel.last_run.spans:
        print(active_text(kernel.last_run, more[0]), flush=True)
    return good


def keep_spans():
    """Every run keeps the times of its instructions."""
    plain = nki.Kernel.run
    nki.Kernel.run = lambda *args, **options: plain(*args, **{**options, "wants_spans": True})


def main():
    parser = argparse.ArgumentParser(prog="scripts/nki-public")
    parser.add_argument("checkouts", nargs="*")
    parser.add_argument("--only", default="")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--counters", action="store_true")
    options = parser.parse_args()
    if options.counters:
        keep_spans()
    if options.list:
        print("\n".join(f"{repository:12} {name}" for name, repository, *_ in CASES))
        return 0
    roots = {}
    for path in options.checkouts:
        found = [r for r, mark in MARKS.items() if os.path.exists(os.path.join(path, mark))]
        if not found:
            parser.error(f"{path}: no checkout of a known repository")
        roots[found[0]] = os.path.abspath(path)
    results, ratios = [], {}
    for name, repository, published, function in CASES:
        if options.only not in name:
            continue
        if repository not in roots:
            print(f"skip  {name:44} no checkout of {repository}")
            continue
        results.append(run(name, published, function, roots[repository], ratios))
    results = [passed for passed in results if passed is not None]
    print(f"{sum(results)} of {len(results)} passed")
    if ratios:
        print(times_text(ratios))
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
