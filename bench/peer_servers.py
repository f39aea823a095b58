"""Other model servers, each with a model that sleeps for a batch of up to 8: how they are started and asked."""

import dataclasses
import json
import os

BATCH = 8
WAIT_MS = 5  # for a batch to fill

MOSEC = """
import time
from mosec import Server, Worker
class Sleep(Worker):
    def forward(self, data):
        time.sleep({sleep})
        return [{{"y": 1}} for _ in data]
if __name__ == "__main__":
    server = Server()
    server.append_worker(Sleep, num=1, max_batch_size=8, max_wait_time=5)
    server.run()
"""
LITSERVE = """
import time, litserve
class Sleep(litserve.LitAPI):
    def setup(self, device): pass
    def decode_request(self, request): return request["x"]
    def batch(self, inputs): return list(inputs)
    def predict(self, xs):
        time.sleep({sleep})
        return [1] * len(xs)
    def unbatch(self, output): return output
    def encode_response(self, output): return {{"y": output}}
if __name__ == "__main__":
    api = Sleep(max_batch_size=8, batch_timeout=0.005)
    litserve.LitServer(api, accelerator="cpu", workers_per_device=1).run(
        host="127.0.0.1", port={port}, generate_client_file=False, log_level="warning")
"""
TRITON = """
import time, numpy as np
from pytriton.decorators import batch
from pytriton.model_config import DynamicBatcher, ModelConfig, Tensor
from pytriton.triton import Triton, TritonConfig
@batch
def infer(x):
    time.sleep({sleep})
    return {{"y": np.ones((x.shape[0], 1), np.float32)}}
config = TritonConfig(http_port={port}, grpc_port={port} + 1, metrics_port={port} + 2, http_address="127.0.0.1")
with Triton(config=config) as triton:
    triton.bind(model_name="sleep", infer_func=infer, inputs=[Tensor(name="x", dtype=np.float32, shape=(1,))],
                outputs=[Tensor(name="y", dtype=np.float32, shape=(1,))], strict=False,
                config=ModelConfig(max_batch_size=8, batcher=DynamicBatcher(max_queue_delay_microseconds=5000)))
    triton.serve()
"""
RAY = """
import asyncio, time, ray
from ray import serve
@serve.deployment(num_replicas=1, max_ongoing_requests=256, ray_actor_options={{"num_cpus": 0.1}})
class Sleep:
    @serve.batch(max_batch_size=8, batch_wait_timeout_s=0.005)
    async def run(self, xs):
        await asyncio.to_thread(time.sleep, {sleep})
        return [1] * len(xs)
    async def __call__(self, request):
        return {{"y": await self.run((await request.json())["x"])}}
if __name__ == "__main__":
    ray.init(num_cpus=2, include_dashboard=False, object_store_memory=80_000_000)
    serve.start(http_options={{"host": "127.0.0.1", "port": {port}}})
    serve.run(Sleep.bind(), route_prefix="/", blocking=True)
"""
# max_latency_ms is a deadline there, not a wait.
BENTO = """
import time, bentoml
@bentoml.service(workers=1, traffic={{"timeout": 30, "concurrency": 256}}, metrics={{"enabled": True}})
class Sleep:
    @bentoml.api(batchable=True, max_batch_size=8, max_latency_ms=1000)
    def predict(self, x: list[int]) -> list[int]:
        time.sleep({sleep})
        return [1] * len(x)
"""
MLSERVER = """
import time, numpy as np
from mlserver import MLModel
from mlserver.codecs import NumpyCodec
from mlserver.types import InferenceResponse
class Sleep(MLModel):
    async def load(self): return True
    async def predict(self, p):
        n = p.inputs[0].shape[0]
        time.sleep({sleep})
        return InferenceResponse(id=p.id, model_name=self.name,
                                 outputs=[NumpyCodec.encode_output("y", np.ones((n, 1), np.float32))])
"""
# Its batcher is a process of its own beside it, so here a batch is one request.
KSERVE = """
import time, kserve
class Sleep(kserve.Model):
    def __init__(self, name):
        super().__init__(name)
        self.ready = True
    def predict(self, payload, headers=None):
        time.sleep({sleep})
        return {{"predictions": [1]}}
if __name__ == "__main__":
    kserve.ModelServer(workers=1).start([Sleep("sleep")])
"""
JSON_16 = json.dumps({"inputs": [{"name": "input", "datatype": "FP32", "shape": [1, 16], "data": [1] * 16}]})
JSON_1 = json.dumps({"inputs": [{"name": "x", "datatype": "FP32", "shape": [1, 1], "data": [1]}]})
INFER = "/v2/models/sleep/infer"


@dataclasses.dataclass
class Peer:
    command: list
    path: str
    body: str
    folder: str = "."
    is_python: bool = True
    environment: dict = dataclasses.field(default_factory=dict)


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(text)
    return path


def peer_servers(stash, pythons, sleep, port, folder):
    """Name: Peer. `pythons`: interpreter by name; the files of a peer are written into `folder`."""
    def script(name, text):
        return write(folder, name + "_sleep.py", text.format(sleep=sleep, port=port))

    def python(name):
        return pythons.get(name, pythons[""])

    def tool(name, program):
        return os.path.join(os.path.dirname(python(name)), program)
    own = [stash, "serve", "--model", f"sleep:{sleep}s", "--max-batch", str(BATCH), "--port", str(port)]
    write(folder, "settings.json", json.dumps({"http_port": port, "grpc_port": port + 1, "metrics_port": port + 2,
                                               "host": "127.0.0.1", "parallel_workers": 0}))
    write(folder, "model-settings.json", json.dumps({"name": "sleep", "implementation": "mlserver_sleep.Sleep",
                                                     "max_batch_size": BATCH, "max_batch_time": WAIT_MS * 1e-3}))
    x = '{"x": 1}'
    return {
        "stash": Peer(own, INFER, JSON_16, is_python=False),
        "stash-fixed": Peer([*own, "--batching", "fixed", "--batch-timeout", f"{WAIT_MS}ms"], INFER, JSON_16,
                            is_python=False),
        "stash-at-once": Peer([*own, "--batching", "fixed", "--batch-timeout", "0s"], INFER, JSON_16, is_python=False),
        "mosec": Peer([python("mosec"), script("mosec", MOSEC), "--port", str(port), "--timeout", "30000"],
                      "/inference", x),
        "litserve": Peer([python("litserve"), script("litserve", LITSERVE)], "/predict", x),
        "triton": Peer([python("triton"), script("triton", TRITON)], INFER, JSON_1),
        "ray": Peer([python("ray"), script("ray", RAY)], "/", x, environment={"RAY_USAGE_STATS_ENABLED": "0"}),
        "bento": Peer([tool("bento", "bentoml"), "serve", os.path.basename(script("bento", BENTO))[:-3] + ":Sleep",
                       "--host", "127.0.0.1", "--port", str(port)], "/predict", '{"x": [1]}', folder,
                      environment={"BENTOML_DO_NOT_TRACK": "True"}),
        "mlserver": Peer([tool("mlserver", "mlserver"), "start", "."] if script("mlserver", MLSERVER) else [], INFER,
                         JSON_1, folder),
        "kserve": Peer([python("kserve"), script("kserve", KSERVE), "--http_port", str(port), "--enable_grpc=False",
                        "--model_name", "sleep"], "/v1/models/sleep:predict", '{"instances": [1]}')}
