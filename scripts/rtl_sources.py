# SPDX-License-Identifier: Apache-2.0
"""The blocks of rtl/ with their sources and configurations, as their CMakeLists.txt list them."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
RTL = ROOT / "rtl"
# Those of all but the tensor engine have their configurations in their CMakeLists.txt.
BLOCKS = ("tensor", "mx", "exp", "qos", "dma", "link", "cdc", "axi")
SHAPES = ROOT / "cmake" / "generated" / "tensor_shapes.cmake"


def sources(block):
    """The files of a block: packages after those that they name, then modules in the order of its CMakeLists.txt."""
    text = (RTL / block / "CMakeLists.txt").read_text()
    files = dict.fromkeys(file for other in re.findall(r"get_property\(\w+ GLOBAL PROPERTY TERN_RTL_(\w+)_SOURCES\)", text)
                          for file in sources(other.lower()))
    files |= dict.fromkeys(re.findall(r"\$\{rtl\}/(\S+\.sv)", text))
    packages = {pathlib.Path(file).stem: file for file in files if file.endswith("_pkg.sv")}
    ordered = []

    def add(file):
        if file in ordered:
            return
        for name in re.findall(r"\b(\w+_pkg)::", (RTL / file).read_text()):
            if name in packages and packages[name] != file:
                add(packages[name])
        ordered.append(file)

    for file in packages.values():
        add(file)
    return ordered + [file for file in files if file not in ordered]


def configurations():
    """Block, top module, name and parameters of everything that is Verilated."""
    for name, parameters in re.findall(r"set\(TERN_TENSOR_(\w+)_PARAMS ([^)]*)\)", SHAPES.read_text()):
        yield "tensor", "tensor_top", name.lower(), parameters.split()
    for block in (b for b in BLOCKS if b != "tensor"):
        text = (RTL / block / "CMakeLists.txt").read_text()
        for call in re.findall(r"tern_verilate\(([^)]*)\)", text):
            top = re.search(r"TOP (\w+)", call)
            parameters = re.search(r"PARAMS ((?:\w+=\d+\s*)+)", call)
            if top:
                yield block, top.group(1), top.group(1), parameters.group(1).split() if parameters else []
