#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Gates module by module, for what is too large as one piece.

  scripts/synthesis/modules.py [--rtl=MODULE]... [--part=MODULE] FOLDER TOP INCLUDE_FOLDER PARAMETERS FILE.sv...
      writes FOLDER/netlist.v for a bench: each module becomes gates by itself, however often it is there, and memories stay memories
      --rtl: a module that stays RTL; the bench reads its source, too
      --part: not of TOP, but of a module in it, with the parameters that it has there

Yosys from npm elaborates (scripts/yosys/elaborate.mjs), Debian's makes gates.
A module that has been made before is taken from build/synth/modules, where it is kept by its content.
"""
import argparse
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
KEPT = ROOT / "build/synth/modules"
PORT = re.compile(r"\s+wire (?:.* )?(?:input|output|inout) \d+")
# What `synth` does for one module, without its slowest passes, and with an `abc` that takes seconds where the default one takes minutes,
# for a few more gates (docs/synthesis.md). `dump` says which memories there are, before they are registers.
COARSE = ("opt_expr; opt_clean; opt -nodffe -nosdff; wreduce; peepopt; opt_clean; alumacc; opt; memory -nomap; opt_clean; opt -fast -full; "
          "tee -q -o {out}.memories dump t:$mem_v2; ")
FINE = ("opt -undriven -fine; techmap; opt -fast; abc -script +strash;ifraig;dc2;map; opt_clean -purge; write_rtlil {out}.gates")
# Debian's Yosys has no Verilog for its own buffer.
BUFFER = "module \\$_BUF_ (input A, output Y); assign Y = A; endmodule\n"
# A net of its own for each bit, outputs behind buffers: where bits of a vector follow from each other, Verilator sees a loop,
# and 5.006 then gives wrong bits without saying so.
NETLIST = "iopadmap -bits -outpad $_BUF_ A:Y; splitnets; write_verilog -noattr {out}.v"
# The longest path from register or port to register or port: those of other modules end it.
COUNTS = "tee -q -o {out}.counts stat; delete t:* t:$_* %d; tee -q -o {out}.depth ltp -noff"
CELLS = ("dfflegalize -cell $_DFF_P_ 01 -cell $_DFF_PN0_ 01 -cell $_DFF_PN1_ 01; dfflibmap -liberty {liberty}; "
         "abc -liberty {liberty} -script +strash;ifraig;dc2;map; opt_clean -purge; tee -q -o {out}.mapped stat -liberty {liberty}")


class Refused(Exception):
    """The one line of what went wrong."""


class Module:
    """A module of a design: its text in Yosys' own language, and how often it contains others."""

    def __init__(self, name, lines):
        self.name, self.lines, self.inside = name, lines, {}

    def ports(self):
        return ["attribute \\blackbox 1", f"module {self.name}", *filter(PORT.match, self.lines), "end"]

    def width(self, port):
        for line in filter(PORT.match, self.lines):
            if line.split()[-1] == f"\\{port}":
                found = re.search(r"\bwidth (\d+)", line)
                return int(found.group(1)) if found else 1
        return 0


def modules_of(text):
    """By name; those that are inside others come before them."""
    modules, attributes, current = {}, [], None
    for line in text.splitlines():
        if current is None:
            if line.startswith("attribute "):
                attributes.append(line)
            elif line.startswith("module "):
                current = Module(line[len("module "):].strip(), [*attributes, line])
                attributes = []
        else:
            current.lines.append(line)
            if line == "end":
                modules[current.name] = current
                current = None
    for module in modules.values():
        for line in module.lines:
            found = re.match(r"\s+cell (\S+) \S+$", line)
            if found and found.group(1) in modules:
                module.inside[found.group(1)] = module.inside.get(found.group(1), 0) + 1
    return modules


def instances(modules, top):
    """How often each module is there in `top`, itself once."""
    counts = {name: 0 for name in modules}

    def visit(name, times):
        counts[name] += times
        for inside, here in modules[name].inside.items():
            visit(inside, times * here)

    visit(top, 1)
    return {name: count for name, count in counts.items() if count > 0}


def run(command):
    if shutil.which(command[0]) is None:
        raise Refused(f"{command[0]} is missing: run scripts/setup")
    return subprocess.run(command, capture_output=True, text=True, check=False)


def said(done):
    """The line of a program's output that says why it failed: its error, or its last one."""
    lines = (done.stdout + done.stderr).strip().splitlines()
    errors = [line for line in lines if re.search(r"\bERROR\b|\bError\b|\berror:", line)]
    return (errors or lines or ["no output"])[-1].strip()


def elaborated(folder, top, include, parameters, files):
    """The modules of `top`, and its name among them."""
    for file in files:
        if not pathlib.Path(file).is_file():
            raise Refused(f"{file}: no such file")
    folder.mkdir(parents=True, exist_ok=True)
    done = run(["node", str(ROOT / "scripts/yosys/elaborate.mjs"), str(folder), top, str(include), parameters, *map(str, files)])
    if done.returncode != 0:
        raise Refused(f"{top}: {said(done)} (log: {folder / 'elaborate.log'})")
    return modules_of((folder / "design.il").read_text()), f"\\{top}"


def kept(source, script, suffixes, tools):
    """The files that a script makes of a text, without their suffix; made unless they are kept. {out} is that path in the script."""
    digest = hashlib.sha256("\0".join([tools, script, source]).encode()).hexdigest()[:40]
    out = KEPT / digest
    if all(out.with_suffix(suffix).exists() for suffix in suffixes):
        return out
    KEPT.mkdir(parents=True, exist_ok=True)
    work = KEPT / f"{digest}-{os.getpid()}-{threading.get_ident()}"
    text = work.with_suffix(".il")
    text.write_text(source)
    done = run(["yosys", "-q", "-p", f"read_rtlil {text}; {script.format(out=work)}; tee -q -o {work}.whole log whole"])
    if done.returncode != 0:
        raise Refused(f"{said(done)} (source: {text})")
    # Yosys ends well on a disk that is full, and files end anywhere: the one that it writes last is its mark.
    mark = work.with_suffix(".whole")
    empty = [suffix for suffix in suffixes if suffix != ".memories" and work.with_suffix(suffix).stat().st_size == 0]
    if empty or mark.read_text().strip() != "whole":
        raise Refused(f"{work}.*: not written as a whole: is the disk full?")
    mark.unlink()
    for suffix in suffixes:
        work.with_suffix(suffix).replace(out.with_suffix(suffix))
    text.unlink()
    return out


def made(module, modules, registers, script, suffixes, tools):
    """What `script` makes of that module's gates, and its memories before they were `registers`, if they are."""
    source = "\n".join([*module.lines, *(line for name in sorted(module.inside) for line in modules[name].ports())]) + "\n"
    try:
        has_memory = any(re.match(r"\s+(memory |cell \$mem)", line) for line in module.lines)
        logic = f"hierarchy -top {module.name}; {COARSE}{'memory_map; ' if registers and has_memory else ''}{FINE}"
        gates = kept(source, logic, [".memories", ".gates"], tools)
        return gates, kept(gates.with_suffix(".gates").read_text(), f"hierarchy -top {module.name}; {script}", suffixes, tools)
    except Refused as error:
        raise Refused(f"{plain(module.name)}: {error}") from error


def yosys_version():
    return run(["yosys", "-V"]).stdout.strip()


def all_made(modules, names, registers, script, suffixes, progress=None):
    """What made() gives, of each of these modules."""
    tools, files = yosys_version(), {}
    for name in names:
        files[name] = made(modules[name], modules, registers, script, suffixes, tools)
        if progress:
            progress(len(files), len(names), name)
    return files


def plain(name):
    """A module's name without its parameters."""
    return re.search(r"([a-z]\w*)(?:\\\w+=.*)?$", name).group(1)


def say(count, of, name):
    print(f"[{count}/{of}] {plain(name)}", file=sys.stderr, flush=True)


def wrapped(module):
    """Verilog of a module that is the RTL of that name with these parameters; nothing where it is that RTL itself."""
    if module.name == f"\\{plain(module.name)}":
        return ""
    parameters = [line.split()[1:] for line in module.lines if re.match(r"  parameter \\\w+ \S+$", line)]
    ports = []
    for line in filter(PORT.match, module.lines):
        words = line.split()
        direction = next(word for word in words if word in ("input", "output", "inout"))
        ports.append(f"{direction} [{module.width(words[-1][1:]) - 1}:0] {words[-1][1:]}")
    values = ", ".join(f".{name[1:]}({number(value)})" for name, value in parameters)
    return f"module \\{module.name} ({', '.join(ports)});\n  {plain(module.name)} #({values}) rtl (.*);\nendmodule\n"


def netlist(folder, top, include, parameters, files, rtl=(), part=None):
    modules, name = elaborated(folder, top, include, parameters, files)
    counts = instances(modules, name)
    if part:
        parts = [module for module in counts if plain(module) == part]
        if len(parts) != 1:
            raise Refused(f"--part={part}: {len(parts)} such modules in {top}, not one")
        name = parts[0]
        counts = instances(modules, name)
    for word in rtl:
        if word not in [plain(module) for module in counts if module != name]:
            raise Refused(f"--rtl={word}: no such module inside of {top}")
    stay = [module for module in counts if plain(module) in rtl]
    for module in stay:
        modules[module].inside = {}
    counts = instances(modules, name)
    files = all_made(modules, [module for module in counts if module not in stay], False, NETLIST, [".v"], progress=say)
    partial = folder / "netlist.v.partial"
    with partial.open("w") as out:
        out.write(BUFFER)
        out.writelines(wrapped(modules[module]) for module in stay)
        for module, (_, file) in files.items():
            text = file.with_suffix(".v").read_text()
            if part and module == name:
                text = re.sub(rf"^module \\?{re.escape(name.lstrip(chr(92)))}\s*\(", f"module {part}_gates (", text, count=1, flags=re.M)
            out.write(text)
    partial.replace(folder / "netlist.v")


def numbers(pattern, file):
    return re.findall(pattern, file.read_text(), re.M)


def memory_bits(dump):
    """Of each memory that is written."""
    for cell in re.split(r"^\s*cell \$mem_v2 ", dump, flags=re.M)[1:]:
        parameters = dict(re.findall(r"parameter (?:signed )?\\(\w+) (\S+)", cell))
        width, size, writes = (number(parameters[key]) for key in ("WIDTH", "SIZE", "WR_PORTS"))
        if writes > 0:
            yield width * size


def number(constant):
    """32'0101 or 5."""
    return int(constant.split("'")[1], 2) if "'" in constant else int(constant)


def box_bits(module):
    """Bits of a macro; each of its write ports has an address and a word."""
    enables, address, data = (module.width(port) for port in ("write_i", "write_address_i", "write_data_i"))
    return 2 ** (address // enables) * (data // enables) if enables else 0


def figures(modules, top, liberty=None, macros=(), macro_bits=0, registers=(), progress=None):
    """What all modules in `top` have together. Memories are registers, but for those of `macros` that have that many bits: boxes.
    No other module than those of `registers` may have one of that size."""
    counts = instances(modules, top)
    boxes = {n: box_bits(modules[n]) for n in counts if plain(n) in macros and box_bits(modules[n]) >= macro_bits}
    script, suffixes = COUNTS, [".counts", ".depth"]
    if liberty:
        script = "design -save gates; " + COUNTS + "; design -load gates; " + CELLS.replace("{liberty}", str(liberty))
        suffixes.append(".mapped")
    of = all_made(modules, [n for n in counts if n not in boxes], True, script, suffixes, progress)
    sums = {"cells": 0, "registers": 0, "depth": 0, "memory_bits": 0, "macro_bits": sum(counts[n] * boxes[n] for n in boxes)}
    area = 0.0
    for n, (logic, file) in of.items():
        left = [kind for kind in numbers(r"^\s+(\$\w+)\s+\d+", file.with_suffix(".counts")) if not kind.startswith(("$_", "$paramod"))]
        if left:
            raise Refused(f"{plain(n)}: cells that are no gates: {' '.join(left)}")
        gates = [(kind, int(count)) for kind, count in numbers(r"^\s+(\$_\w+_)\s+(\d+)", file.with_suffix(".counts"))]
        sums["cells"] += counts[n] * sum(count for _, count in gates)
        sums["registers"] += counts[n] * sum(count for kind, count in gates if re.match(r"\$_(S?DFF|ALDFF|DFFSR)", kind))
        sums["depth"] = max([sums["depth"], *map(int, numbers(r"\(length=(\d+)\)", file.with_suffix(".depth")))])
        bits = list(memory_bits(logic.with_suffix(".memories").read_text()))
        if macro_bits and max(bits, default=0) >= macro_bits and plain(n) not in registers:
            raise Refused(f"{plain(n)}: a memory has {max(bits)} bits, and is not in {' or '.join(macros)} (rtl/common/README.md)")
        sums["memory_bits"] += counts[n] * sum(bits)
        if liberty:
            unmapped = numbers(r"^\s+(\$_\w+_)\s", file.with_suffix(".mapped"))
            if unmapped:
                raise Refused(f"{plain(n)}: cells without a counterpart in the library: {' '.join(unmapped)}")
            area += counts[n] * sum(map(float, numbers(r"Chip area for (?:top )?module .*: ([\d.]+)", file.with_suffix(".mapped"))))
    if liberty:
        sums["area_um2"] = round(area)
    return sums


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rtl", action="append", default=[], metavar="MODULE", help="stays RTL; may be given again")
    parser.add_argument("--part", metavar="MODULE", help="the only such module in TOP, as MODULE_gates")
    for word in ("folder", "top", "include", "parameters"):
        parser.add_argument(word, metavar=word.upper())
    parser.add_argument("files", nargs="+", metavar="FILE.sv")
    args = parser.parse_args()
    netlist(pathlib.Path(args.folder), args.top, args.include, args.parameters, args.files, args.rtl, args.part)


if __name__ == "__main__":
    try:
        main()
    except (Refused, OSError) as error:
        print(f"modules.py: {error}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
