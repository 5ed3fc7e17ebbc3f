# SPDX-License-Identifier: Apache-2.0
"""A result in a few words, for terminal and page."""
from terminal import duration


def plural(count, noun):
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def of_tests(counts, _):
    text = f"{counts['passed']:,} passed, {counts['failed']:,} failed"
    return text + (f", {counts['skipped']:,} skipped" if counts.get("skipped") else "")


def of_kills(noun):
    def text(counts, figures):
        parts = [f"kill rate {figures['kill_rate']:.1f} % of {plural(counts[noun + 's'], noun)}"]
        parts += [f"{counts[name]} {word}" for name, word in (("survived", "survived"), ("errors", "in error")) if counts.get(name)]
        return ", ".join(parts)
    return text


def of_coverage(counts, figures):
    return f"C++ lines {figures['cpp_lines/total']:.1f} %" + f", {counts['failed']} tests failed" * bool(counts["failed"])


def of_rtl_coverage(_, figures):
    names = ("lines", "toggles", "cover_points")
    return ", ".join(f"{name.replace('_', ' ')} {figures[name + '/total']:.1f} %" for name in names if name + "/total" in figures)


def of_rtl_random(counts, _):
    return f"{plural(counts['benches'], 'bench').replace('benchs', 'benches')}, {plural(counts['seeds'], 'seed')}, {counts['failed']} failed"


def of_robustness(counts, _):
    text = f"{plural(counts['cases'], 'case')}, {plural(counts['violations'], 'violation')}"
    return text + (f", {counts['skipped']:,} skipped" if counts.get("skipped") else "")


def of_speed(counts, _):
    return f"{plural(counts['measured'], 'figure')}, {counts['missed']} below target"


def of_build(counts, figures):
    return f"{plural(counts['steps'], 'step')} in {duration(figures['build_seconds'])}"


def of_fuzz(counts, figures):
    inputs = sum(int(value) for name, value in figures.items() if name.startswith("inputs/"))
    return f"{plural(counts['programs'], 'program')}, {counts['failed']} failed, {inputs:,} inputs"


TEXTS = {"tests": of_tests, "sanitizers": of_tests, "threads": of_tests, "coverage": of_coverage,
         "rtl-coverage": of_rtl_coverage, "rtl-random": of_rtl_random, "robustness": of_robustness,
         "faults": of_kills("fault"), "mutants": of_kills("mutant"), "speed": of_speed, "build": of_build, "fuzz": of_fuzz}


def headline(result):
    """Made of numbers and of texts that are clean. A result of somebody else's may lack what is expected here."""
    if result["reason"]:
        return result["reason"]
    try:
        return TEXTS[result["stage"]](result["counts"], result["figures"])
    except KeyError:
        return ", ".join(f"{value:,} {name}" for name, value in list(result["counts"].items())[:4]) or result["status"]
