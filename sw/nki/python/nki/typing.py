# SPDX-License-Identifier: Apache-2.0
"""Annotations of parameters: nt.tensor[128, 512], nt.mutable_tensor."""


class _Annotation:
    def __init__(self, text):
        self._text = text

    def __getitem__(self, shape):
        return _Annotation(f"{self._text}{shape}")

    def __repr__(self):
        return f"nki.typing.{self._text}"


tensor = _Annotation("tensor")
mutable_tensor = _Annotation("mutable_tensor")
