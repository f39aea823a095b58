"""One of four ranks that split a small transformer by exported plans and print the losses of three steps."""

import datetime
import importlib.util
import json
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional

STEPS = 3
HIDDEN, HEADS, TOKENS, WORDS, BLOCKS, BATCH = 32, 4, 8, 64, 4, 16


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(HIDDEN, HIDDEN) for _ in range(4))

    def forward(self, x):
        heads = [proj(x).unflatten(-1, (-1, HIDDEN // HEADS)).transpose(1, 2) for proj in (self.wq, self.wk, self.wv)]
        return self.wo(functional.scaled_dot_product_attention(*heads, is_causal=True).transpose(1, 2).flatten(2))


class FeedForward(nn.Module):
    def __init__(self):
        super().__init__()
        self.w1, self.w2 = nn.Linear(HIDDEN, 4 * HIDDEN), nn.Linear(4 * HIDDEN, HIDDEN)

    def forward(self, x):
        return self.w2(functional.gelu(self.w1(x)))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention_norm, self.ffn_norm = nn.LayerNorm(HIDDEN), nn.LayerNorm(HIDDEN)
        self.attention, self.feed_forward = Attention(), FeedForward()

    def forward(self, x):
        x = x + self.attention(self.attention_norm(x))
        return x + self.feed_forward(self.ffn_norm(x))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok_embeddings, self.pos_embeddings = nn.Embedding(WORDS, HIDDEN), nn.Embedding(TOKENS, HIDDEN)
        self.layers = nn.ModuleList(Block() for _ in range(BLOCKS))
        self.norm, self.output = nn.LayerNorm(HIDDEN), nn.Linear(HIDDEN, WORDS, bias=False)

    def forward(self, x):
        if self.tok_embeddings is not None:
            x = self.tok_embeddings(x) + self.pos_embeddings(torch.arange(x.shape[1]).unsqueeze(0))
        for block in self.layers:
            x = block(x)
        return self.output(self.norm(x)) if self.output is not None else x


def make_model():
    torch.manual_seed(1)
    return Transformer().double()


def loss_of(scores, labels):
    return functional.cross_entropy(scores.flatten(0, 1), labels.flatten())


def batches():
    torch.manual_seed(2)
    return [torch.randint(WORDS, (2, BATCH, TOKENS)) for _ in range(STEPS)]


def unsplit_losses():
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)
    losses = []
    for samples, labels in batches():
        optimizer.zero_grad()
        loss = loss_of(model(samples), labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def split_losses(path):
    spec = importlib.util.spec_from_file_location("plan", path)
    plan = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(plan)
    mesh = plan.make_mesh("cpu")
    pieces = plan.split(make_model(), mesh, mixed_precision=False)
    optimizers = [torch.optim.SGD(piece.parameters(), lr=0.5, momentum=0.9) for piece in pieces]
    step = plan.make_step(pieces, mesh, loss_of, torch.device("cpu"))
    shards = mesh.shape[2]
    data_rank = mesh.get_local_rank("copies") * shards + mesh.get_local_rank("shards")
    losses = []
    for samples, labels in batches():
        for optimizer in optimizers:
            optimizer.zero_grad()
        own = [whole.chunk(plan.PLAN["data"])[data_rank] for whole in (samples, labels)]
        loss = step(*own)
        for optimizer in optimizers:
            optimizer.step()
        # Ranks without the loss add nothing; those with it all tell theirs.
        told = torch.tensor([0.0, 0.0] if loss is None else [loss.item(), 1.0], dtype=torch.float64)
        dist.all_reduce(told)
        losses.append((told[0] / told[1]).item())
    held = sum(parameter.to_local().numel() if hasattr(parameter, "to_local") else parameter.numel()
               for piece in pieces for parameter in piece.parameters())
    return losses, held


def main():
    store, rank, *paths = sys.argv[1:]
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=int(rank), world_size=4,
                            timeout=datetime.timedelta(seconds=60))
    found = {"unsplit": unsplit_losses()}
    for path in paths:
        losses, held = split_losses(path)
        found[path] = {"losses": losses, "held": held}
    found["parameters"] = sum(parameter.numel() for parameter in make_model().parameters())
    print(json.dumps(found))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
