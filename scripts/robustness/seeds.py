# SPDX-License-Identifier: Apache-2.0
"""A small valid workload of every kind, with every key of docs/workloads.md somewhere, and the files it needs. Each takes a fraction
of a second."""
import json

import data_files

LAYERS = [{"weight": "w1.npy", "bias": "b1.npy", "activation": "relu"}, {"weight": "w2.npy", "bias": "b2.npy", "activation": "softmax"}]
ADAMW = {"kind": "adamw", "learning_rate": 0.004, "beta1": 0.9, "beta2": 0.99, "epsilon": 1e-8, "weight_decay": 0.01}
IMAGES = {"training": {"images": "img.idx", "labels": "lab.idx", "count": 32}, "test": {"images": "t_img.idx.gz", "labels": "t_lab.idx.gz"},
          "scale": 0.004}
TRAIN = {"name": "t", "kind": "train", "data": IMAGES, "network": {"hidden": [16], "classes": 10}, "batch": 16, "epochs": 2,
         "precision": "bf16", "optimiser": {"kind": "sgd", "learning_rate": 0.1, "momentum": 0.9},
         "schedule": {"kind": "cosine", "warmup": 1, "end": 0.1}, "checkpoint_every": 2, "expect": {"accuracy": 0.0}}
TRAIN_TEXT = {"name": "x", "kind": "train", "data": {"text": "text.txt", "alphabet": " abcdefghijklmnopqrstuvwxyz.", "held_out": 0.1},
              "network": {"width": 16, "heads": 2, "blocks": 1, "context": 8, "hidden": 32}, "batch": 2, "steps": 3,
              "evaluate": {"every": 2, "windows": 2}, "precision": "bf16", "optimiser": ADAMW, "schedule": {"kind": "linear", "warmup": 1},
              "sample": {"prompt": "the ", "characters": 4, "temperature": 0.7}, "expect": {"loss": 100.0}}

SEEDS = {
    "mlp": ({"name": "m", "kind": "mlp", "input": {"tensor": "x.npy", "labels": "y.npy"}, "layers": LAYERS, "expect": {"accuracy": 0.0},
             "output": {"probabilities": "p.npy", "logits": "l.npy"}}, data_files.NETWORK),
    "mlp_images": ({"kind": "mlp", "input": {"images": "img.idx", "labels": "lab.idx", "first": 1, "count": 8, "scale": 0.004},
                    "layers": [LAYERS[0], {"weight": "w2.npy", "bias": "b2.npy", "activation": "gelu"}], "formats": ["bf16", "mxfp4"]},
                   {**data_files.NETWORK, **data_files.DIGITS}),
    "matmul": ({"name": "p", "kind": "matmul", "dtype": "bf16", "a": "a.npy", "b": {"random": [32, 8]}, "output": "c.npy"},
               data_files.PRODUCT),
    "sweep": ({"name": "s", "kind": "matmul_sweep", "m": 32, "k": 64, "n": 16, "formats": ["bf16", "mxfp4", "sparse_4_16"], "psum": "fp32"}, {}),
    "kernel": ({"name": "k", "kind": "kernel", "kernel": "attention", "parameters": {"seq": 128, "d": 32, "heads": 2, "causal": True}}, {}),
    "norm": ({"kind": "kernel", "kernel": "layer_norm", "parameters": {"rows": 16, "columns": 64, "dtype": "bf16", "epsilon": 1e-6}}, {}),
    "convolution": ({"kind": "kernel", "kernel": "convolution", "parameters": {"channels": 8, "height": 6, "width": 6, "filters": 8, "window": 3,
                                                                              "stride": 1, "padding": 1}}, {}),
    "qos": ({"name": "q", "kind": "qos", "batches": [8], "hidden": 1024, "weights_kib": 64, "compute_ns_per_token": 5.5, "layers": 8,
             "host_kib": 64, "policies": ["weighted"], "shares": {"exchange": 0.6, "prefetch": 0.3, "host": 0.1}}, {}),
    "train": (TRAIN, data_files.DIGITS),
    "train_pruned": ({**TRAIN, "network": {"hidden": [32], "classes": 10}, "prune": {"pattern": "4_16", "after_epochs": 1, "most_lost": 1.0},
                      "output": "trained"}, data_files.DIGITS),
    "train_text": (TRAIN_TEXT, data_files.TEXT),
    "train_scaling": ({**{key: value for key, value in TRAIN.items() if key not in ("checkpoint_every", "expect")},
                       "scaling": {"cores": [1, 2], "batch_per_core": 8, "steps": 2}}, data_files.DIGITS),
    "moe": ({"name": "e", "kind": "moe", "tokens": 128, "width": 128, "hidden": 128, "experts": 4, "top_k": 2, "function": "relu",
             "routing": ["uniform", {"zipf": 1.5}, {"bias": [1, 0, 0, -1]}]}, {}),
}


def search(root):
    """The workload of the sentence encoder, and how its fetched files come into the folder; None if there are none."""
    model = root / "build/search"
    if not (model / "model.json").exists():
        return None
    return ({"name": "f", "kind": "search", "model": "model", "text": "text.txt", "queries": ["white whale"], "passages": {"first": 0, "count": 1},
             "best": 2, "formats": ["bf16"]}, data_files.TEXT, model)


def dump(workload):
    """YAML with a line per key at the top; the rest in its flow style, which JSON is part of."""
    return "".join(f"{key}: {json.dumps(value)}\n" for key, value in workload.items())
