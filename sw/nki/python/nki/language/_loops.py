# SPDX-License-Identifier: Apache-2.0
"""Loops and the launch grid: loops unroll while the kernel is built, except dynamic ones."""
import contextlib
import math
import opcode
import sys

from .. import _core, _trace
from ..isa._registers import VirtualRegister, begin_loop, end_loop, move, new_register


def affine_range(start, stop=None, step=1):
    return range(start) if stop is None else range(start, stop, step)


sequential_range = static_range = affine_range


def _axis(axis, sizes, function):
    try:
        number = axis.__index__()
    except AttributeError:
        number = -1
    if not 0 <= number < len(sizes):
        raise _core.validation_error(f"{function}({axis}): the launch grid has {len(sizes)} "
                                     f"dimension{'s' if len(sizes) > 1 else ''}")
    return number


def program_id(axis=0):
    trace = _trace.current("program_id")
    sizes = _trace.sizes_of(trace.grid)
    return trace.program // math.prod(sizes[_axis(axis, sizes, "program_id") + 1:]) % sizes[axis]


def num_programs(axes=0):
    sizes = _trace.sizes_of(_trace.current("num_programs").grid)
    wanted = range(len(sizes)) if axes is None else axes if isinstance(axes, (tuple, list)) else (axes,)
    return math.prod(sizes[_axis(axis, sizes, "num_programs")] for axis in wanted)


def program_ndim():
    sizes = _trace.sizes_of(_trace.current("program_ndim").grid)
    return 0 if math.prod(sizes) == 1 else len(sizes)


@contextlib.contextmanager
def no_reorder():
    """Instructions stay in program order."""
    with _trace.current("no_reorder").ordered():
        yield


def _bound(value, what):
    """A bound as options of a loop's end."""
    if isinstance(value, VirtualRegister):
        return {"reg_b": value.number}
    try:
        return {"value": value.__index__()}
    except AttributeError:
        raise _core.validation_error(f"{what} of a loop: expected an integer or a register, "
                                     f"got {type(value).__name__}") from None


def _begin(start, stop, step):
    """A loop and its counter; the bound keeps the value that it has now."""
    if isinstance(step, VirtualRegister) or not isinstance(step, int) or step < 1:
        raise AssertionError(f"step {step!r} of a dynamic loop: expected a positive integer")
    counter = new_register(frozen=True)
    move(counter, start)
    if isinstance(stop, VirtualRegister) and not stop.frozen:
        kept = new_register(frozen=True)
        move(kept, stop)
        stop = kept
    return begin_loop({"reg_a": counter.number, **_bound(stop, "stop")}), counter


def dynamic_range(start, stop=None, step=1):
    """for i in dynamic_range(..): the body is traced once and repeated by the queues; i is a register."""
    if stop is None:
        start, stop = 0, start
    _check_for(sys._getframe(1))
    loop, counter = _begin(start, stop, step)
    yield counter
    end_loop(loop, counter, step)


def _check_for(frame):
    """Whoever takes all values at once, as list() does, leaves nothing between the loop's begin and its end."""
    code = frame.f_code.co_code
    if not opcode.opname[code[frame.f_lasti]].startswith("FOR_ITER"):
        raise _core.validation_error("dynamic_range outside of a for statement: the loop's body is what is called between "
                                     "two of its values")


def fori_loop(lower, upper, body_fun, step=1):
    loop, counter = _begin(lower, upper, step)
    value = new_register()
    move(value, counter)
    body_fun(value)
    end_loop(loop, counter, step)


def while_loop(init, body_fun):
    condition, value = new_register(frozen=True), new_register()
    move(condition, init)
    loop = begin_loop({"reg_a": condition.number, "until_zero": True})
    move(value, condition)
    following = body_fun(value)
    if not isinstance(following, VirtualRegister):
        raise _core.validation_error(f"while_loop: the body must return a register, got {type(following).__name__}")
    move(condition, following)
    end_loop(loop)
