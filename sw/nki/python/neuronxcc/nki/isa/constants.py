# SPDX-License-Identifier: Apache-2.0
"""Enumerations of nki.isa, which NKI 0.1 has, too."""
from nki.isa.constants import *  # noqa: F401,F403
