#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every kind with `tern` and holds its JSON to docs/spec/report.schema.json; the page that documents it has every key.

Usage: check_report_json.py TERN SOURCE_FOLDER
"""
import copy
import json
import os
import subprocess
import sys
import tempfile

TYPES = {"string": str, "boolean": bool, "integer": int, "number": (int, float), "array": list, "object": dict, "null": type(None)}
KNOWN = {"$ref", "$schema", "$defs", "title", "description", "type", "const", "oneOf", "items", "properties", "required",
         "additionalProperties"}


def is_type(value, name):
    return isinstance(value, TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


def faults(value, schema, root, place="report"):
    """What of `value` the schema does not allow. The keywords that report.schema.json uses, and no others."""
    assert set(schema) <= KNOWN, f"{place}: this validator does not know {set(schema) - KNOWN}"
    if "$ref" in schema:
        return faults(value, root["$defs"][schema["$ref"].rsplit("/", 1)[1]], root, place)
    found = []
    if "const" in schema and (value != schema["const"] or isinstance(value, bool)):
        found.append(f"{place}: {value!r}, expected {schema['const']!r}")
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(is_type(value, name) for name in types):
        return found + [f"{place}: {value!r}, expected {' or '.join(types)}"]
    if isinstance(value, list):
        for i, item in enumerate(value):
            found += faults(item, schema.get("items", {}), root, f"{place}[{i}]")
    if isinstance(value, dict):
        found += [f"{place}: no key '{key}'" for key in schema.get("required", []) if key not in value]
        more = schema.get("additionalProperties", {})
        for key, item in value.items():
            own = schema.get("properties", {}).get(key, more)
            found += [f"{place}: unknown key '{key}'"] if own is False else faults(item, own, root, f"{place}.{key}")
    if "oneOf" in schema:
        fitting = [s for s in schema["oneOf"] if not faults(value, s, root, place)]
        if len(fitting) != 1:
            found.append(f"{place}: fits {len(fitting)} of the kinds, expected 1")
    return found


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")
    print(f"ok: {what}")


def main():
    tern, source = map(os.path.realpath, sys.argv[1:3])
    with open(os.path.join(source, "docs/spec/report.schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    with open(os.path.join(source, "docs/reference/report-json.md"), encoding="utf-8") as file:
        page = file.read()
    kinds = [kind["$ref"].rsplit("/", 1)[1] for kind in schema["oneOf"]]
    for name, part in schema["$defs"].items():
        check(f"# {name}\n" in page and all(f"| `{key}`" in page for key in part["properties"]), f"the page has the keys of {name}")
        check(part["additionalProperties"] is False and set(part["required"]) <= set(part["properties"]), f"{name} names all its keys")

    example = lambda name: os.path.join(source, "sw/examples", name)
    with tempfile.TemporaryDirectory() as folder:
        def put(name, text):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
            return name

        def config_of(*chip):
            return json.loads(subprocess.run([tern, "config", "show", *chip, "--json"], capture_output=True, cwd=folder, check=True).stdout)

        def check_chips(value, arguments):
            """The values of the chip are those of `tern config show`, each once."""
            sets = [item for i, item in enumerate(arguments) if arguments[i - 1] == "--set"]
            check(value["overrides"] == dict(item.split("=", 1) for item in sets), "the values of --set")
            if "configs" in value:
                keys = [[v["key"] for v in chip["values"]] for chip in value["configs"]]
                check(len(set(keys[0])) == len(keys[0]) > 50, "every value of the first chip once")
                first = {v["key"]: v["value"] for v in value["configs"][0]["values"]}
                check(all(first.get(v["key"]) != v["value"] for chip in value["configs"][1:] for v in chip["values"]),
                      "of the others what differs")
                for chip in value["configs"]:
                    own = first | {v["key"]: v["value"] for v in chip["values"]}
                    check(all(own[key] == text for key, text in chip["settings"].items()), f"settings of {chip['chip']}")
                return
            chip = arguments[arguments.index("--chip") + 1] if "--chip" in arguments else "trn3"
            shown = config_of(chip, *(word for item in sets for word in ("--set", item)))
            without = [{k: v for k, v in item.items() if k != "preset"} for item in value["config"] if not item["source"].startswith("--")]
            check(without == shown, "config is what tern config show prints")
            base = {item["key"]: item["value"] for item in config_of(value["preset"])}
            check(all(item.get("preset") == (None if base.get(item["key"]) == item["value"] else base.get(item["key"], ""))
                      for item in value["config"]), "what differs from the preset is marked")

        def tern_json(kind, *arguments, code=0):
            """The JSON on standard output, held to the schema of its kind; with --report, the file's, too."""
            command = [tern, *arguments, "--json", "--quiet"]
            result = subprocess.run(command, capture_output=True, cwd=folder, check=False)
            if result.returncode != code:
                sys.exit(f"{command}: exit code {result.returncode}\n{result.stdout[-2000:]}\n{result.stderr}")
            value = json.loads(result.stdout)
            wrong = faults(value, {"$ref": f"#/$defs/{kind}"}, schema) + faults(value, schema, schema)
            check(not wrong, f"{' '.join(map(os.path.basename, arguments))}: {kind} {wrong[:5] or ''}")
            keys = list(value)
            check(keys[:5] == ["tern", "schema", "kind", "command", "overrides"], "version, kind and command come first")
            check(value["command"].split()[1] == arguments[0], "the command is there")
            if kind not in ("traffic", "cc"):  # of no chip
                check_chips(value, arguments)
            if "--report" in arguments:
                out = os.path.join(folder, arguments[arguments.index("--report") + 1])
                name = f"{kind}.json" if kind in ("dma", "hbm", "traffic", "cc", "fidelity") else "report.json"
                with open(os.path.join(out, name), "rb") as file:
                    check(file.read() == result.stdout, f"{name} is what --json prints")
            seen.add(kind)
            return value

        def nki_run():
            """A kernel in Python, whose JSON is in its report only."""
            command = [tern, "nki", "run", f"{example('nki/softmax.py')}::fast", "--arg", "x=128x64:float32:random", "--report", "out"]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=folder)
            with open(os.path.join(folder, "out", "report.json"), encoding="utf-8") as file:
                value = json.load(file)
            wrong = faults(value, schema, schema)
            check(not wrong, f"nki run: {wrong[:5] or ''}")
            seen.add("nki")

        seen = set()
        matmul = put("m.yaml", "kind: matmul\na: {random: [64, 32]}\nb: {random: [64, 48]}\n")
        good = tern_json("program", "run", matmul, "--report", "out", "--trace", "t.json")
        plan = put("faults.yaml", "faults: [{at_us: 0, fault: hbm_bits}, {boot_us: 1, fault: uart, bytes: x}, {at_us: 1000000, fault: core_reset}]\n")
        broken = tern_json("program", "run", matmul, "--firmware", "tern", "--faults", plan, "--report", "out")
        check(broken["management"]["errors"]["ecc_corrected"] >= 1, "the firmware has seen the wrong bit")
        check([fault["state"] for fault in broken["faults"]] == ["happened", "happened", "waits"], "what became of the faults")
        tern_json("program", "run", matmul, "--tensor", "both", "--dma", "both", "--report", "out", "--wave", "w.fst")
        tern_json("program", "run", example("digits/digits.yaml"), "--report", "out")
        tern_json("program", "run", put("o.yaml", "kind: matmul\na: {random: [8, 8]}\nb: {random: [8, 8]}\noutput: c.npy\n"), "--report", "out")
        tern_json("program", "run", put("k.yaml", "kind: kernel\nkernel: softmax\n"), "--report", "out")
        put("chip.yaml", "preset: trn2\nname: mine\nhbm: {pin_gbps: 5.5}\n")
        own = tern_json("program", "run", matmul, "--chip", "chip.yaml", "--set", "cores=2", "--set", "core.tensor.clock_ghz=2", "--report", "out")
        trn2 = {v["key"]: v["value"] for v in config_of("trn2")}
        check({v["key"]: v["preset"] for v in own["config"] if "preset" in v} ==
              {"name": "trn2", "cores": trn2["cores"], "hbm.pin_gbps": trn2["hbm.pin_gbps"],
               "core.tensor.clock_ghz": trn2["core.tensor.clock_ghz"]},
              "a chip of one's own is told apart from its preset")
        digits = open(example("digits/digits.yaml"), encoding="utf-8").read()
        for part in ("data", "weights"):
            digits = digits.replace(f" {part}/", f" {example('digits')}/{part}/")
        digits = digits.replace("kind: mlp", "kind: mlp\nformats: [fp32, mxfp8_e4m3fn]").replace("count: 10000", "count: 100")
        tern_json("mlp_formats", "run", put("n.yaml", digits), "--report", "out")
        tern_json("mlp_formats", "run", put("n.yaml", digits), "--chip", "trn2")
        sweep = put("s.yaml", "kind: matmul_sweep\nm: 128\nk: 512\nn: 128\nformats: [bf16, mxfp4, sparse_4_16]\n")
        tern_json("sweep", "run", sweep, "--rtl", "all", "--report", "out")
        tern_json("sweep", "run", sweep, "--chip", "trn2", "--trace", "t.json")
        tern_json("compared", "run", sweep, "--chip", "trn2", "--chip", "trn3", "--set", "hbm.pin_gbps=4.8,9.6", "--report", "both")
        tern_json("compared", "run", matmul, "--set", "cores=1,2")
        tern_json("moe", "run", put("e.yaml", "kind: moe\ntokens: 256\nwidth: 256\nhidden: 256\nexperts: 4\ntop_k: 2\noutput: y.npy\n"), "--mx", "both", "--report", "out")
        tern_json("parallel", "run", put("p.yaml", "kind: parallel\nsystem: trn3-nl16-2d\nchips: 2\nmodel: 128\nhidden: 256\ntokens: 32\noutput: y.npy\n"), "--report", "out")
        put("f.yaml", "faults: [{at_us: 5, fault: dead_link, link: server0.tray0.chip0--server0.tray0.chip1}]\n")
        tern_json("parallel", "run", put("p.yaml", "kind: parallel\nsystem: trn3-nl16-2d\nchips: 2\nmodel: 128\nhidden: 256\ntokens: 32\nfaults: f.yaml\n"), "--report", "out")
        tern_json("qos", "run", put("q.yaml", "kind: qos\nbatches: [8]\nlayers: 8\npolicies: [off, strict]\n"), "--report", "out")
        tern_json("qos", "run", put("r.yaml", "kind: qos\nbatches: [8]\nlayers: 8\nhidden: 1024\nweights_kib: 256\npolicies: [off]\n"), "--rtl", "dma")
        tern_json("dma", "dma", "--bytes", "4096", "--report", "out")
        tern_json("dma", "dma", "--sweep", "--chip", "trn2", "--report", "out")
        tern_json("fidelity", "fidelity", "--only", "scalar", "--report", "out")
        nki_run()
        tern_json("hbm", "hbm", "--random", "2000", "--writes", "30", "--report", "out")
        tern_json("traffic", "traffic", "trn2-nl16", "--also", "pattern=incast,class=0", "--level", "both", "--report", "out")
        tern_json("traffic", "traffic", "trn2-nl16", "--bytes", "4K", "--level", "ideal")
        broken = put("l.yaml", "faults: [{at_us: 0, fault: dead_chip, chip: server0.tray0.chip1}, {at_us: 1000000, fault: dead_chip, chip: server0.tray1.chip1}]\n")
        tern_json("traffic", "traffic", "trn3-nl16-2d", "--faults", broken, "--report", "out", code=1)
        tern_json("cc", "cc", "all_reduce", "-s", "trn2-nl16", "-b", "4K", "-e", "64K", "-a", "all", "--report", "out")
        tern_json("cc", "cc", "all_reduce", "-s", "trn3-nl16-2d", "--group", "0-1", "--cores", "2", "--level", "cores", "-e", "1K", "-a", "all")
        tern_json("cc", "cc", "barrier", "-s", "trn2-nl16", "--level", "ideal")
        data = "{images: %s, labels: %s, count: 200}" % tuple(example(f"digits/data/t10k-{part}-ubyte.gz")
                                                             for part in ("images-idx3", "labels-idx1"))
        training = ("kind: train\nnetwork: {hidden: [16], classes: 10}\noptimiser: {kind: sgd, learning_rate: 0.1}\nepochs: 2\n"
                    f"batch: 40\ndata: {{training: {data}, test: {data}}}\n")
        tern_json("train", "run", put("t.yaml", training + "output: w\nexpect: {accuracy: 0.01}\n"), "--rtl-steps", "1", "--report", "out")
        tern_json("train", "run", put("p.yaml", training + "prune: {pattern: 4_16, after_epochs: 1}\n"), "--report", "out")
        tern_json("scaling", "run", put("c.yaml", training + "scaling: {cores: [1, 2], batch_per_core: 20, steps: 2}\n"), "--report", "out")
        put("book.txt", "the whale and the ship and the sea. " * 100)
        tern_json("train", "run", put("b.yaml", "kind: train\ndata: {text: book.txt, alphabet: \" abcdefghijklmnopqrstuvwxyz.\"}\n"
                                      "network: {width: 32, heads: 2, blocks: 1, context: 16, hidden: 48}\nbatch: 8\nsteps: 10\n"
                                      "evaluate: {every: 5, windows: 4}\noptimiser: {kind: adamw, learning_rate: 0.01}\n"
                                      "plan: {system: trn3-nl16-2d, chips: 2, data: 2}\n"
                                      "sample: {prompt: \"the \", characters: 8, temperature: 0.5}\nexpect: {loss: 9}\n"), "--report", "out")
        os.environ["XDG_CACHE_HOME"] = folder
        model = os.path.join(source, "build/search")
        if os.path.exists(os.path.join(model, "model.json")):
            search = put("f.yaml", f"kind: search\nmodel: {model}\ntext: {model}/moby-dick.txt\npassages: {{count: 4}}\nformats: [bf16, mxfp8]\n")
            tern_json("search", "run", search, "--query", "the whale", "--report", "out")
        else:
            print("skipped: kind search; scripts/fetch-search brings its model")
            seen.add("search")
        check(seen == set(kinds), f"kinds that ran: {sorted(seen)} of {sorted(kinds)}")

        for change in (lambda v: v.update(new=1), lambda v: v.pop("passed"), lambda v: v.update(seed="0"),
                       lambda v: v["executions"][0].update(new=1), lambda v: v.update(schema=1),
                       lambda v: v.pop("config"), lambda v: v["config"][0].pop("value")):
            bad = copy.deepcopy(good)
            change(bad)
            check(faults(bad, schema, schema), "a changed report is refused")


if __name__ == "__main__":
    main()
