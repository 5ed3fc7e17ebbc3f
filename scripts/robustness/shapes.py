# SPDX-License-Identifier: Apache-2.0
"""Valid workloads of odd shapes. Every kind compares its result with a reference of the host, so exit code 0 says that the bits are
right; where the size allows, the same on RTL, and the files of two runs are compared."""
import copy
import json

import execute
import judge
import seeds
from campaign import Campaign
from case import Case

KERNELS = {
    "attention": {"seq": 300, "keys": 0, "d": 128, "heads": 3, "causal": None, "out": ("bf16", "fp32"), "exp_engine": ("auto", "scalar")},
    "batch_norm": {"images": 4, "channels": 150, "pixels": 200, "dtype": ("bf16", "fp32")},
    "convolution": {"channels": 140, "height": 20, "width": 20, "filters": 140, "window": 5, "stride": 3, "padding": 2},
    "cross_entropy": {"rows": 200, "classes": 300},
    "depthwise": {"channels": 140, "height": 24, "width": 24, "window": 3, "stride": 2, "padding": 0},
    "embedding": {"vocabulary": 500, "count": 200, "d": 200, "by": ("gather", "product")},
    "layer_norm": {"rows": 300, "columns": 500, "dtype": ("bf16", "fp32")},
    "pooling": {"channels": 140, "height": 24, "width": 24, "window": 3, "stride": 3, "op": ("max", "mean")},
    "reduction": {"rows": 300, "columns": 500, "op": ("sum", "mean", "max", "min"), "dtype": ("bf16", "fp32")},
    "residual": {"rows": 300, "columns": 500, "norm": ("none", "rms", "layer"), "dtype": ("bf16", "fp32")},
    "rms_norm": {"rows": 300, "columns": 500, "dtype": ("bf16", "fp32")},
    "rotary": {"seq": 300, "heads": 3, "d": 130},
    "softmax": {"rows": 300, "columns": 500, "dtype": ("bf16", "fp32")},
    "transformer_mlp": {"model": 200, "hidden": 300, "tokens": 200, "function": ("gelu", "silu", "relu"), "gated": None},
}
FORMATS = ("bf16", "fp16", "tf32", "fp32", "fp8_e4m3", "fp8_e5m2", "mxfp8_e4m3fn", "mxfp8_e5m2", "mxfp4", "w4a8", "mxfp8_ocp", "mxfp4_aws", "sparse_4_16",
           "sparse_1_4", "quad_mxfp4")
CHIPS = ("trn3", "trn3", "trn3", "trn2", "trn1")


def upto(rng, limit):
    """Sizes next to the multiples that blocks have, and any other ones."""
    near = rng.choice((8, 16, 32, 64, 128, 256, 512)) * rng.randrange(1, 4) + rng.choice((-1, 0, 1))
    return min(limit, max(1, rng.choice((near, near, 1, 2, 3, rng.randrange(1, limit + 1)))))


def kernel(rng):
    name = rng.choice(sorted(KERNELS))
    values = {key: rng.choice(most) if isinstance(most, tuple) else rng.random() < 0.5 if most is None else upto(rng, most) if most else 0
              for key, most in KERNELS[name].items()}
    return {"kind": "kernel", "kernel": name, "parameters": values}


def matmul(rng):
    k, m, n = (upto(rng, 700) for _ in range(3))
    return {"kind": "matmul", "dtype": rng.choice(FORMATS[:12]), "a": {"random": [k, m]}, "b": {"random": [k, n]}, "output": "c.npy"}


def sweep(rng):
    return {"kind": "matmul_sweep", "m": upto(rng, 300), "k": upto(rng, 600), "n": upto(rng, 300), "formats": sorted(rng.sample(FORMATS, 3)),
            "psum": rng.choice(("fp32", "bf16"))}


def moe(rng):
    experts = rng.randrange(1, 65)
    return {"kind": "moe", "tokens": 128 * rng.randrange(1, 4), "width": 128 * rng.randrange(1, 4), "hidden": 128 * rng.randrange(1, 4),
            "experts": experts, "top_k": rng.randrange(1, min(8, experts) + 1), "function": rng.choice(("gelu", "silu", "relu")),
            "routing": [{"zipf": round(rng.random() * 3, 2)}]}


def qos(rng):
    return {"kind": "qos", "batches": [rng.randrange(1, 300)], "hidden": 1024 * rng.randrange(1, 5), "weights_kib": 64 * rng.randrange(1, 17),
            "compute_ns_per_token": round(rng.random() * 40, 3), "layers": rng.randrange(8, 14), "host_kib": rng.choice((0, 4, 64)),
            "policies": [rng.choice(("off", "strict", "weighted"))]}


def train(rng):
    tree = copy.deepcopy(seeds.SEEDS["train"][0])
    tree["network"]["hidden"] = [rng.randrange(2, 150) for _ in range(rng.randrange(4))]
    tree["precision"] = rng.choice(("bf16", "mxfp8", "stochastic", "fp32"))
    tree["batch"], tree["epochs"] = rng.randrange(1, 33), rng.randrange(1, 3)
    tree["optimiser"] = rng.choice((tree["optimiser"], dict(seeds.ADAMW)))
    return tree


def train_text(rng):
    tree = copy.deepcopy(seeds.SEEDS["train_text"][0])
    heads = rng.randrange(1, 5)
    tree["network"] = {"width": 4 * heads * rng.randrange(1, 6), "heads": heads, "blocks": rng.randrange(1, 3), "context": 1 << rng.randrange(2, 7),
                       "hidden": rng.randrange(4, 120)}
    tree["batch"], tree["precision"] = rng.randrange(1, 4), rng.choice(("bf16", "fp32"))
    return tree


MAKERS = {"kernel": kernel, "matmul": matmul, "sweep": sweep, "moe": moe, "qos": qos, "train": train, "train_text": train_text}
# On RTL a small product is seconds.
RTL = ("kernel", "matmul", "sweep")


def small(tree):
    sizes = [value for value in json.dumps(tree).replace("[", " ").replace("]", " ").replace(",", " ").replace("}", " ").split() if value.isdecimal()]
    return all(int(value) <= 200 for value in sizes)


class Shapes(Campaign):
    name = "shapes"
    meaning = "valid workloads of odd shapes: bits against the host, RTL against the model, chip against chip"
    cases = 300

    def make(self, context, rng, number):
        kind = rng.choice(sorted(MAKERS) + ["kernel", "matmul"])
        tree = MAKERS[kind](rng)
        files = seeds.SEEDS[kind][1] if kind.startswith("train") else {}
        chip = rng.choice(CHIPS)
        arguments = ["run", "w.yaml", "--quiet", "--chip", chip, "--seed", rng.randrange(1000)]
        if kind in RTL and small(tree) and rng.random() < 0.5:
            arguments += ["--tensor", "both"]
        # Refusals name a documented limit or what the chip lacks; a result that is wrong is exit code 1.
        return Case(f"{chip} {json.dumps(tree)}", arguments, {**files, "w.yaml": seeds.dump(tree)}, codes=(0, 2), seconds=60)

    def perform(self, context, rng, number, folder):
        case, result, found = super().perform(context, rng, number, folder)
        text = (result.out + result.err).decode("utf-8", "replace")
        if result.code == 1 and ("not finite" in text or "no format" in text or "none of the formats" in text):
            found = [each for each in found if not each.startswith("exit code 1")]  # documented: the loss, the chip's formats
        product = folder / "c.npy"
        if result.code == 0 and product.exists():
            # The reference of a product does not know the chip: neither do its bits.
            other = copy.deepcopy(case)
            other.arguments[other.arguments.index("--chip") + 1] = rng.choice(("trn2", "trn3"))
            other.write(folder.parent / "other")
            second = execute.run_in(folder.parent / "other", other, context.tern)
            found += judge.violations(other, second)
            if second.code == 0 and product.read_bytes() != (folder.parent / "other/c.npy").read_bytes():
                found.append(f"another chip ({other.arguments[other.arguments.index('--chip') + 1]}) computes other bits")
        return case, result, found
