# SPDX-License-Identifier: Apache-2.0
"""Annotations: nt.tensor[shape], nt.mutable_tensor."""
from nki.typing import *  # noqa: F401,F403
