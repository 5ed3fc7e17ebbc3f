# SPDX-License-Identifier: Apache-2.0
"""Damaged YAML: of its tree of keys and values, and of its text."""
import copy

VALUES = [-1, 0, 1, 2, 3, 7, 127, 129, 1 << 31, 1 << 32, 1 << 63, (1 << 64) - 1, 1 << 64, -(1 << 63), 10 ** 30, 0.5, -0.5, 1e-320, 1e308, True, None, "",
          " ", "x", "~", "yes", "0x10", "1_000", "1e3", "08", "\u202e", "\u00e9\U0001f433", "\x1b[2J", "\x1b]0;t\x07", "a\nb", "a\rb", "\x00",
          "\x7f", "\x9b31m", "..", "/", "/dev/null", "../../x", "%s%n", "{}", "'", "bf16", "fp32", "relu", "sgd", [], {}, [[]], [{}], [1], ["x"], {"x": 1},
          [0] * 2000, "x" * 100000, {"random": [3, 5]}, "w" * 300]
RAW = [".nan", ".inf", "-.inf", "*a", "&a [*a]", "&a {x: *a}", "!!binary AAAA", "!!python/object:os.system x", "!<tag> 1", "|\n  block", ">-\n  fold",
       "? [a]", "[1, 2", "{a: 1", "'open", '"\\q"', "\"\\u0000\"", "@x", "`x", "%x", "- - -", ": :", "{<<: *a}", "<<: 1"]


def paths(tree, prefix=()):
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in list(items):
        yield (*prefix, key)
        yield from paths(value, (*prefix, key))


def parent_of(tree, path):
    for key in path[:-1]:
        tree = tree[key]
    return tree


def delete(rng, tree, path):
    del parent_of(tree, path)[path[-1]]


def rename(rng, tree, path):
    parent, key = parent_of(tree, path), path[-1]
    if isinstance(parent, dict):
        new = rng.choice([key[:-1], key + "s", key.upper(), "x", "", " " + key, "\x1b[31m" + key, key * 3, "k" * 5000, key.replace("e", "\u0435")])
        parent[new] = parent.pop(key)


def replace(rng, tree, path):
    parent_of(tree, path)[path[-1]] = copy.deepcopy(rng.choice(VALUES))


def wrap(rng, tree, path):
    value = parent_of(tree, path)[path[-1]]
    for _ in range(rng.choice((1, 2, 300))):
        value = [value]
    parent_of(tree, path)[path[-1]] = value


def swap(rng, tree, path):
    other = rng.choice(list(paths(tree)))
    if path[:len(other)] == other or other[:len(path)] == path:
        return
    one, two = parent_of(tree, path), parent_of(tree, other)
    one[path[-1]], two[other[-1]] = two[other[-1]], one[path[-1]]


def scale(rng, tree, path):
    value = parent_of(tree, path)[path[-1]]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        parent_of(tree, path)[path[-1]] = rng.choice((value + 1, value - 1, -value, value * 1000, value / 3, float(value), str(value), value * 2 ** 40))


TREE = (delete, rename, replace, replace, replace, wrap, swap, scale)


def raw_value(rng, text):
    lines = text.split("\n")[:-1] or ["x: 1"]
    at = rng.randrange(len(lines))
    lines[at] = lines[at].split(":")[0] + ": " + rng.choice(RAW)
    return "\n".join(lines) + "\n"


def repeat_key(rng, text):
    lines = text.split("\n")[:-1]
    return text + rng.choice(lines) + "\n"


def cut(rng, text):
    return text[:rng.randrange(len(text))]


def insert(rng, text):
    at = rng.randrange(len(text))
    return text[:at] + rng.choice(["\t", "\x00", "\x1b[31m", "\x07", "\ufeff", "\u2028", "\x85", "\udcff", "\r", ":", "- ", "#", "{", "]", '"', "'", "*", "&"]) + text[at:]


def many_keys(rng, text):
    return text + "".join(f"k{n}: {n}\n" for n in range(rng.choice((10, 1000, 30000))))


def deep(rng, text):
    return text + "deep: " + rng.choice(("[", "{a: ", "- ")) * rng.choice((10, 1000, 100000)) + "\n"


def bomb(rng, text):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, rng.choice((3, 12)))]
    return "\n".join(lines) + "\n" + text


def encode(rng, text):
    return text.encode(rng.choice(("utf-16", "utf-32", "utf-8-sig", "cp037", "utf-7")), "replace")


def lines_ends(rng, text):
    return text.replace("\n", rng.choice(("\r\n", "\r", "\n\n", "\v", "\n...\n", "\n---\n")))


def huge(rng, text):
    return text + rng.choice(("# " + "x" * 5_000_000 + "\n", "x: " + "y" * 4_000_000 + "\n", "\n" * 4_000_000, " " * 3_000_000))


TEXT = (raw_value, raw_value, repeat_key, cut, cut, insert, insert, insert, many_keys, deep, bomb, encode, lines_ends, huge)


def mutate(rng, tree, dump):
    """(what was done, text or bytes)."""
    tree, done = copy.deepcopy(tree), []
    if rng.random() < 0.7:
        for _ in range(rng.choice((1, 1, 1, 2, 4))):
            where = list(paths(tree))
            if where:
                change, path = rng.choice(TREE), rng.choice(where)
                change(rng, tree, path)
                done.append(f"{change.__name__} {'.'.join(map(str, path))[:40]}")
    text = dump(tree)
    if not done or rng.random() < 0.15:
        change = rng.choice(TEXT)
        text = change(rng, text)
        done.append(change.__name__)
    return ", ".join(done), text


