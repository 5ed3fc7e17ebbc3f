# SPDX-License-Identifier: Apache-2.0
"""Registers of the queues, for offsets and loops."""
import ast
import linecache
import re
import sys

from .. import _core, _site, _trace
from ..tensor import HBM, NkiTensor, new_tensor, sbuf
from ._call import is_number, record


def _condition(line):
    """What a line that begins with while tests; None for other lines."""
    if re.match(r"while\b", line) is None:
        return None
    for text in (line, line + " pass"):
        try:
            return ast.parse(text).body[0].test
        except SyntaxError:
            continue
    return ast.BoolOp()  # over several lines


class VirtualRegister:
    """A 32-bit register; its value is known only when the kernel runs."""

    def __init__(self, number, frozen=False):
        self.number, self.frozen = number, frozen

    def __repr__(self):
        return f"VirtualRegister({self.number})"

    def _unknown(self, *_):
        raise TypeError("the value of a register is not known while a kernel is built: "
                        "use nl.dynamic_range, nl.fori_loop or nl.while_loop")

    __int__ = __index__ = __float__ = __lt__ = __le__ = __gt__ = __ge__ = _unknown

    def __eq__(self, other):
        if is_number(other):
            self._unknown()
        return self is other

    __hash__ = object.__hash__

    def __bool__(self):
        """`while reg:` is a loop; the body is traced once."""
        frame = sys._getframe(1)
        condition = _condition(linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip())
        if condition is None:
            self._unknown()
        if isinstance(condition, (ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp)):
            raise TypeError("the value of a register is not known while a kernel is built: `while register:` runs until "
                            "it is zero, there are no other conditions")
        trace = _trace.current("a loop")
        key = (id(frame), frame.f_lineno, self.number)
        if trace.while_loops and trace.while_loops[-1][0] == key:
            end_loop(trace.while_loops.pop()[1])
            return False
        trace.while_loops.append((key, begin_loop({"reg_a": self.number, "until_zero": True})))
        return True


def new_register(frozen=False):
    trace = _trace.current("a register")
    trace.registers += 1
    return VirtualRegister(trace.registers, frozen)


def _checked(register, function, role):
    if not isinstance(register, VirtualRegister):
        raise _core.validation_error(f"{function}: {role} must be a register, got {type(register).__name__}")
    return register


def move(dst, src):
    """dst = a number or a register, also of frozen ones."""
    if isinstance(src, VirtualRegister):
        record("register_move", [], {"reg_dst": dst.number, "reg_a": src.number}, None)
    elif is_number(src) and int(src) == src and -2**31 <= src < 2**32:
        record("register_move", [], {"reg_dst": dst.number, "value": int(src)}, None)
    else:
        raise _core.validation_error(f"a register of 32 bits cannot hold {src!r}")


def begin_loop(options):
    """Which end_loop() takes."""
    trace = _trace.current()
    if trace.core.block != 0:
        raise _core.validation_error("dynamic loops are not supported inside a no_reorder block")
    record("loop_begin", [], options, None)
    trace.loops.append(_site.frames())
    return trace.loops[-1]


def end_loop(loop, counter=None, step=0):
    trace = _trace.current()
    if trace.loops[-1] is not loop:
        raise trace.left_loop()
    trace.loops.pop()
    record("loop_end", [], {"reg_dst": counter.number if counter is not None else 0, "value": step}, None)


def register_alloc(x=None):
    register = new_register()
    if isinstance(x, NkiTensor):
        register_load(register, x)
    elif x is not None:
        move(register, x)
    return register


def register_move(dst, src):
    if _checked(dst, "register_move", "dst").frozen:
        raise AssertionError("the variable of a loop cannot be written")
    move(dst, src)


def _word(tensor, function, role):
    """The one element as [1, 1]."""
    if not isinstance(tensor, NkiTensor) or tensor.size != 1:
        raise _core.validation_error(f"{function}: {role} must be a tensor with one element")
    if not str(tensor.dtype).startswith(("int", "uint")):
        raise _core.validation_error(f"{function}: {role} must be of an integer type, got {tensor.dtype}")
    return tensor if tensor.shape == (1, 1) else tensor.reshape(1, 1)


def register_load(dst, src):
    from . import dma_copy, tensor_copy
    if _checked(dst, "register_load", "dst").frozen:
        raise AssertionError("the variable of a loop cannot be written")
    word = _word(src, "register_load", "src")
    if word.buffer in HBM:
        loaded = new_tensor((1, 1), word.dtype, sbuf, "register_load")
        dma_copy(dst=loaded, src=word)
        word = loaded
    if word.itemsize != 4 or word.buffer != sbuf:
        wide = new_tensor((1, 1), "int32", sbuf, "register_load")
        tensor_copy(dst=wide, src=word)
        word = wide
    record("register_load", [("src", word._view)], {"reg_dst": dst.number}, None)


def register_store(dst, src):
    from . import dma_copy, tensor_copy
    word = _word(dst, "register_store", "dst")
    here = word
    if word.buffer != sbuf or word.itemsize != 4:
        here = new_tensor((1, 1), "int32", sbuf, "register_store")
    record("register_store", [("dst", here._view)], {"reg_a": _checked(src, "register_store", "src").number}, None)
    if here is word:
        return
    if word.itemsize != 4:
        narrow = new_tensor((1, 1), word.dtype, sbuf, "register_store")
        tensor_copy(dst=narrow, src=here)
        here = narrow
    elif str(word.dtype) == "uint32":
        here = here.view("uint32")
    if word.buffer in HBM:
        dma_copy(dst=word, src=here)
