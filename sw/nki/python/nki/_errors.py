# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a kernel or its call; messages have the place in the kernel."""


class NkiError(Exception):
    """Base of all errors of this package."""


class NkiValidationError(NkiError, ValueError):
    """A limit of the hardware, a shape, a type, an address."""


class NkiAssertionError(NkiError, AssertionError):
    """Shapes that do not fit one another, where the interface promises an AssertionError."""


class NkiNotSupportedError(NkiError, NotImplementedError):
    """Part of the interface that this simulator does not have."""


class NkiRunError(NkiError, RuntimeError):
    """The simulated run failed."""
