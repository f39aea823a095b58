"""A worker of `stash serve`: loads a model and hands it to the C++ library, which works on the batches."""

import json
import os
import sys
import time

from stash import served_model, shared_names


class Failed(Exception):
    """The message says what to do; the kind says whether the request or the machine is at fault."""

    def __init__(self, message, kind="environment"):
        super().__init__(message)
        self.kind = kind


def tell(order, what, content):
    os.write(order["event_fd"], (json.dumps({what: [content]}) + "\n").encode())


def kind_of(error):
    text = f"{type(error).__name__}: {error}".lower()
    return "memory" if isinstance(error, MemoryError) or "memory" in text else "environment"


def check_parts(library, device):
    if library.device_parts(device) == 0:
        raise Failed("--share need and equal divide the GPU, which needs green contexts: a driver for CUDA 12.4 or newer; "
                     "use --share streams, or leave --share away", "usage")


def load(order):
    import torch

    import _stash

    torch.set_grad_enabled(False)
    torch.set_num_threads(order["threads"])
    torch.manual_seed(order["seed"])
    device, stream = order["device"], (0, 0)
    if device.startswith("cuda"):
        if not torch.cuda.is_available():
            raise Failed(f"--device {device}: this torch ({torch.__version__}) sees no GPU; check the driver and "
                         "CUDA_VISIBLE_DEVICES, or use --device cpu or --device emulated:V100", "usage")
        device = f"cuda:{torch.device(device).index or 0}"
        torch.cuda.set_device(device)
        torch.cuda.set_stream(torch.cuda.Stream(device))
        current = torch.cuda.current_stream(device)
        stream = (current.cuda_stream, current.stream_id)
        if order["divides_device"]:
            check_parts(_stash, device)
    try:
        model = served_model.load(torch, _stash, order, device)
        worker = _stash.ServeWorker(model, device, order["most_batch"], order["board_fd"], order["arena_fd"],
                                    order["arena_bytes"], order["order_fd"], order["done_fd"], stream,
                                    order["uses_graphs"], order["divides_device"])
        ready = worker.prepare(order["measure_s"])
        if device != "cpu":
            torch.cuda.empty_cache()
        return worker, ready
    except served_model.Unusable as error:
        raise Failed(str(error), "usage") from error
    except _stash.Error as error:
        raise Failed(str(error), "usage" if isinstance(error, _stash.UsageError) else kind_of(error)) from error
    except Exception as error:
        what = "does not fit into memory: " if kind_of(error) == "memory" else ""
        raise Failed(f"{what}{type(error).__name__}: {error}", kind_of(error)) from error


def main():
    with os.fdopen(int(os.environ[shared_names.ORDER_VARIABLE])) as file:
        order = json.load(file)
    started = time.monotonic()
    try:
        worker, ready = load(order)
    except Failed as error:
        tell(order, "failed", {"kind": error.kind, "message": str(error)})
        sys.stdout.flush()
        os._exit(1)
    tell(order, "ready", {**ready, "load_s": time.monotonic() - started})
    worker.run()


if __name__ == "__main__":
    main()
