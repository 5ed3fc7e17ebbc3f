# SPDX-License-Identifier: Apache-2.0
"""Values of tiles while a kernel runs."""
from .. import _core, _trace
from ..tensor import HBM, NkiTensor, hbm
from ._memory import store

_OUTPUT = 2  # what a tensor in HBM is for the caller


def device_print(print_prefix, tensor):
    """Prints the text and what the tensor has at this point, when the kernel has ended: the chip stores it."""
    trace = _trace.current("device_print()")
    if not isinstance(print_prefix, str) or not isinstance(tensor, NkiTensor):
        raise _core.validation_error(f"device_print({type(print_prefix).__name__}, {type(tensor).__name__}): expected a text and "
                                     "a tensor")
    if trace.core.open_loops:
        raise _core.not_supported("device_print() in a dynamic loop")
    view = trace.core.hbm("device_print", _OUTPUT, str(tensor.dtype), list(tensor.shape), trace.place())
    trace.prints.append((print_prefix, view.name))
    copied = NkiTensor(view, hbm, trace)
    if tensor.buffer in HBM:
        from .. import isa
        isa.dma_copy(dst=copied, src=tensor)
    else:
        store(copied, tensor)
