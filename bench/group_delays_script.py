"""What group_delays.py measures: four ranks as a mesh of two rows; compute is slept, one collective of each group a step.

A collective is exposed (the rank waits for it) or hidden (half of the compute runs meanwhile); with --same both are under
way at once, during all of the compute.
"""

import argparse
import time

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh

PAYLOAD = 100_000  # bytes; between two ranks as many go over a link


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--compute-ms", type=float, required=True)
    parser.add_argument("--hidden", nargs="*", default=[])
    parser.add_argument("--same", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    mesh = init_device_mesh("cpu", (dist.get_world_size() // 2, 2), mesh_dim_names=("dp", "tp"))
    payload = {name: torch.zeros(PAYLOAD // 4) for name in ("tp", "dp")}
    model = torch.nn.Linear(8, 8)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    half_s = options.compute_ms / 2e3

    def start(name):
        return dist.all_reduce(payload[name], group=mesh.get_group(name), async_op=True)

    while True:
        if options.same:
            works = [start(name) for name in payload]
            time.sleep(2 * half_s)
            for work in works:
                work.wait()
        else:
            for name in payload:
                work = start(name)
                if name not in options.hidden:
                    work.wait()
                time.sleep(half_s)
                if name in options.hidden:
                    work.wait()
        optimizer.step()


main()
