# SPDX-License-Identifier: Apache-2.0
"""For the self tests: results of a few commits, some of them with names that try to break a page or a terminal."""
import copy

import results

HOSTILE = ('<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', "'; --><b>&amp;", "${x} `id` %s {}", "a" * 5000,
           "\u202egnirts", "\x1b]0;title\x07\x1b[2J", "]]></style></title>", "tests: naïve 漢字 \U0001f600", "")


def result(stage, commit=0, **changes):
    value = {
        "format": 1, "stage": stage, "status": "passed", "reason": "", "date": f"2026-03-{commit + 1:02d}T01:02:03Z", "seconds": 12.5,
        "commit": f"{commit + 1:x}" * 40, "commit_date": f"2026-03-{commit + 1:02d}T00:00:00Z", "subject": f"commit {commit}",
        "changed": False, "machine": {"cpu": "a processor", "cpus": 2}, "seed": 0, "configuration": {}, "counts": {}, "figures": {},
        "failures": [], "failures_left_out": 0, "files": {}}
    value.update(changes)
    return copy.deepcopy(value)


def failing(names):
    return [results.failure(name, name + "\nlast line") for name in names]


def history():
    """Four commits. The test `b` fails from the second one on, hostile names at the last; one result has other options."""
    found = []
    for commit in range(4):
        names = ["b"] * (commit > 0) + list(map(results.clean, HOSTILE)) * (commit == 3)
        found += [
            result("tests", commit, status="failed" if names else "passed", configuration={"tests": "", "seed": commit},
                   counts={"passed": 100 + commit, "failed": len(names), "skipped": 1}, failures=failing(names),
                   files={"junit": f"tests-{commit}/test.xml"}, subject=results.clean(HOSTILE[commit])),
            result("faults", commit, counts={"faults": 50, "killed": 48 + commit % 2, "equivalent": 1, "survived": 1 - commit % 2, "errors": 0},
                   figures={"kill_rate": 98.0 + commit % 2}),
            result("coverage", commit, counts={"passed": 3, "failed": 0, "skipped": 0},
                   figures={"cpp_lines/total": 90 + commit, "cpp_lines/sw/a": 90 + commit, "cpp_lines/" + results.clean(HOSTILE[0]): 1}),
            result("rtl-coverage", commit, counts={"blocks": 1},
                   figures={"lines/total": 95.5, "toggles/total": 80.25, "lines/b": 95.5, "toggles/b": 80.25}),
            result("speed", commit, counts={"measured": 3, "missed": 1, "not_measured": 30}, configuration={"quick": True},
                   figures={"rtl_exp_over_scalar": 0.7 + commit / 100, "rtl_exp_per_s": 2e8, results.clean(HOSTILE[1]): 9e17}),
            result("build", commit, counts={"steps": 2000 + commit}, figures={"build_seconds": 1800.0, "configure_seconds": 20})]
    found.append(result("tests", 3, date="2026-03-04T01:00:00Z", configuration={"tests": "qos", "seed": 0},
                        counts={"passed": 9999, "failed": 0, "skipped": 0}))
    found.append(result("fuzz", 3, status="error", reason=results.clean(HOSTILE[1])))
    found.append(result("mutants", 3, status="not run", reason="there are none"))
    found.append(result("own", 3, counts={"passed": 1, "failed": 0}, files={"log": "own/log.txt"}))
    return found
