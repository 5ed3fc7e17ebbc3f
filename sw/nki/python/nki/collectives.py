# SPDX-License-Identifier: Apache-2.0
"""Collectives: refused by name where a kernel calls them."""
from . import _core


class ReplicaGroup:
    def __init__(self, groups):
        self.groups = groups


def _refuse(name):
    def call(*_, **__):
        raise _core.not_supported(f"nki.collectives.{name}")
    call.__name__ = name
    return call


for _name in ("all_reduce", "all_gather", "reduce_scatter", "all_to_all", "all_gather_v", "all_to_all_v",
              "collective_permute", "collective_permute_implicit", "collective_permute_implicit_reduce",
              "collective_permute_implicit_current_processing_rank_id", "rank_id"):
    globals()[_name] = _refuse(_name)
