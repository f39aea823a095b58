"""A profile with something in every field, made from a seed: two nodes like p3.8xlarge, and a rank that is late."""

import random

CHAIN = {"solo": 0.050, "apart": 0.002, "node": 0.012, "joined": 0.030, "staged": 0.003, "hot": 0.020, "cold": 0.008}
STEPS, RANKS, LATE = 5, 4, 3
HOSTILE = "<script>alert(1)</script><img src=http://127.0.0.1:9/x onerror=alert(2)>\"'&amp;\x1b[31m\n\u202e" + "y" * 9000


def made_profile(seed=1, rounds=8, name="resnet50"):
    chance = random.Random(seed)
    job = {"model": name, "batch": 64, "image_size": 224, "seq_len": 0, "device": "cuda", "dtype": "fp32",
           "channels_last": False, "ranks": RANKS, "backend": "nccl", "bucket_bytes": 26214400, "data": f"/data/{name}",
           "workers": 4, "prefetch": 2, "precision_ratio": 0.02, "max_time_s": 60, "seed": seed}
    machine = {"hostname": name, "cpu": "Some CPU", "cores": 32, "memory_bytes": 64 << 30, "kernel": "Linux 6.1",
               "gpus": [{"name": "Tesla V100-SXM2-16GB", "memory_bytes": 16 << 30}] * 4, "disk": "nvme0n1 ext4",
               "versions": {"torch": "2.13.0", "stash": name}}
    layer = {"name": f"layer1.{name}", "op": "conv2d", "parameters": 36864, "forward_ops": 1e9, "backward_ops": 2e9,
             "forward_bytes": 1e7, "backward_bytes": 2e7, "forward_s": 0.004, "backward_s": 0.009}
    return {"schema_version": 1, "job": job, "machine": machine,
            "places": [{"host": f"{name}-{rank // 2}", "node": rank // 2} for rank in range(RANKS)],
            "windows": [window(chance, number, condition) for number in range(rounds) for condition in CHAIN],
            "edge_s": 0.0001, "clocks_s": 0.00001, "layers": [layer, {**layer, "name": "fc", "forward_s": 0.001}],
            "buckets": [{"bytes": 26214400, "parameters": 60}, {"bytes": 4096000, "parameters": 2}],
            "collectives": [collective(rank, bytes_) for rank in range(RANKS) for bytes_ in (4096000, 26214400)],
            "inputs": [{"rank": rank, "samples": 4096, "read_bytes": 450560000, "cold_bytes": 225280000, "read_s": 3.5,
                        "decode_s": 12.25, "augment_s": 4.5, "skipped": 0, "skipped_files": []} for rank in range(RANKS)],
            "links": [link(scope, bytes_) for scope in ("node", "joined") for bytes_ in (1024, 65536, 1 << 20, 1 << 24)],
            "dataset_samples": 1281167, "dataset_bytes": 140928370000, "cache_bytes": 50 << 30, "loss": 6.9,
            "stopped_by": "precision", "complete": True, "elapsed_s": 42.5, "stolen_ratio": None,
            "warnings": [f"a warning about {name}"]}


def starved_profile(layers, seed=1):
    """Two ranks of resnet18 on emulated V100s whose two cores decode too slowly: only another machine helps. `layers`:
    the model's names of them."""
    chance = random.Random(seed)
    profile = made_profile(seed, name="resnet18")
    profile["job"].update(batch=32, ranks=2, device="emulated:V100", backend="gloo", workers=1)
    profile["machine"].update(cores=2, gpus=[])
    profile["layers"] = [{**profile["layers"][0], "name": name, "forward_s": 0.02 / len(layers),
                          "backward_s": 0.03 / len(layers)} for name in layers]
    profile["inputs"] = [{**profile["inputs"][0], "samples": 1000, "decode_s": 10, "augment_s": 0}]
    profile.update(places=[], collectives=[], links=[], windows=[])
    for number in range(8):
        for condition, step_s in {"solo": 0.05, "apart": 0.05, "node": 0.055, "hot": 0.32, "cold": 0.3201}.items():
            sample = {"wall_s": STEPS * step_s * (1 + chance.gauss(0, 0.001)), "input_wait_s": 0, "collective_s": 0}
            ranks = [sample, None if condition == "solo" else sample]
            profile["windows"].append({**window(chance, number, condition), "ranks": ranks})
    return profile


def window(chance, number, condition):
    step_s = 0
    for name, part_s in CHAIN.items():
        step_s += part_s
        if name == condition:
            break
    step_s *= 1 + chance.gauss(0, 0.004)
    is_input = condition in ("hot", "cold")
    joined = condition not in ("solo", "apart")

    def sample(rank):
        return {"wall_s": STEPS * step_s, "input_wait_s": STEPS * 0.011 if is_input else 0,
                "collective_s": STEPS * 0.06 if joined else 0,
                "behind_s": (0.009 if rank == LATE else 0.0004) if joined else None}

    return {"round": number, "condition": condition, "steps": STEPS,
            "ranks": [None if condition == "solo" and rank % 2 else sample(rank) for rank in range(RANKS)],
            "resident_ratio": {"hot": 1.0, "cold": 0.03}.get(condition),
            "queued_start_samples": 128 if is_input else None,
            "queued_end_samples": chance.randrange(16) if is_input else None}


def collective(rank, bytes_):
    each_s = 0.0005 + bytes_ / 2e9
    return {"rank": rank, "condition": "cold", "op": "allreduce", "bytes": bytes_, "count": 40, "total_s": 40 * each_s,
            "min_s": each_s * 0.8, "max_s": each_s * 1.7}


def link(scope, bytes_):
    each_s = 0.00004 + bytes_ / (9e9 if scope == "node" else 1.1e9)
    return {"scope": scope, "op": "allreduce", "node": 0, "other": 0, "ranks": 2 if scope == "node" else RANKS,
            "bytes": bytes_, "repeats": 20, "s": each_s, "low_s": each_s * 0.9, "high_s": each_s * 1.2}
