"""A plan of `stash plan`, for torch: tensor parallelism by DTensor, copies and shards by FSDP2, stages by
torch.distributed.pipelining. Tried with torch 2.13.

    mesh = make_mesh("cuda")
    pieces = split(model, mesh)       # one for each piece of the pipeline that this rank has; without a pipeline, one
    step = make_step(pieces, mesh, loss_function, device)
    loss = step(tokens, labels)       # of this rank's samples, PLAN["micro_batches"] passes; gradients are in place

The model's blocks are a ModuleList or ModuleDict; NAMES has the names of its modules, which are torchtitan's. Change
them where yours differ. With a pipeline, the model's forward has to leave out modules that are None."""

import copy

import torch
from torch import nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.pipelining import PipelineStage, Schedule1F1B, ScheduleGPipe, ScheduleInterleaved1F1B
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleInput,
    RowwiseParallel,
    SequenceParallel,
    parallelize_module,
)

PLAN = {}

NAMES = {
    "embeddings": ["tok_embeddings", "pos_embeddings"],  # before the blocks; they take whole numbers
    "blocks": "layers",
    "norm": "norm",  # after the blocks
    "head": "output",
    # Of a block:
    "norms": ["attention_norm", "ffn_norm"],
    "attention": "attention",
    "feed_forward": "feed_forward",
    # Of attention and feed_forward: what splits its outputs, and what sums over the ranks.
    "columns": ["wq", "wk", "wv", "w1", "w3"],
    "rows": ["wo", "w2"],
}


def make_mesh(device_type):
    """Stages are outermost, tensor-parallel ranks next to each other: these exchange the most."""
    shards = optimizer_shards()
    return init_device_mesh(device_type, (PLAN["pipeline"], PLAN["data"] // shards, shards, PLAN["tensor"]),
                            mesh_dim_names=("pipeline", "copies", "shards", "tensor"))


def optimizer_shards():
    return PLAN["data"] if PLAN["shards"] == 1 and PLAN["shard_optimizer"] else PLAN["shards"]


def split(model, mesh, mixed_precision=True):
    """This rank's pieces of `model`, with its parts of every weight."""
    first = mesh.get_local_rank("pipeline")
    count = PLAN["pipeline"] * PLAN["interleave"]
    pieces = []
    for number in range(first, count, PLAN["pipeline"]):
        piece = cut(copy.deepcopy(model) if count > 1 else model, number)
        if PLAN["tensor"] > 1:
            split_tensors(piece, mesh["tensor"])
        recompute(piece)
        if PLAN["data"] > 1:
            share_data(piece, mesh["copies", "shards"], mixed_precision)
        pieces.append(piece)
    return pieces


def blocks_of(model):
    blocks = getattr(model, NAMES["blocks"])
    return list(blocks.items()) if isinstance(blocks, nn.ModuleDict) else [(str(i), b) for i, b in enumerate(blocks)]


def blocks_by_piece(count):
    """Where each piece begins and ends."""
    pieces = PLAN["pipeline"] * PLAN["interleave"]
    sizes = PLAN["stage_layers"] or [count // pieces] * pieces
    if sum(sizes) != count:
        raise ValueError(f"the plan is for {sum(sizes)} blocks, and the model has {count}")
    ends = [sum(sizes[:i + 1]) for i in range(pieces)]
    return [(end - size, end) for size, end in zip(sizes, ends)]


def cut(model, number):
    """The model with the blocks of one piece alone, and what comes before or after them where it is the piece's."""
    blocks = blocks_of(model)
    bounds = blocks_by_piece(len(blocks))
    own = blocks[slice(*bounds[number])]
    if isinstance(getattr(model, NAMES["blocks"]), nn.ModuleDict):
        setattr(model, NAMES["blocks"], nn.ModuleDict(own))
    else:
        setattr(model, NAMES["blocks"], nn.ModuleList([block for _, block in own]))
    away = ([] if number == 0 else NAMES["embeddings"])
    away = away + ([] if number + 1 == len(bounds) else [NAMES["norm"], NAMES["head"]])
    for name in away:
        if getattr(model, name, None) is not None:
            setattr(model, name, None)
    return model


def split_tensors(model, mesh):
    """Heads and hidden units over the ranks of `mesh`; with split sequences what lies between them is split too."""
    between = Shard(1) if PLAN["sequence_parallel"] else Replicate()
    outside = {name: RowwiseParallel(input_layouts=Replicate(), output_layouts=between) for name in NAMES["embeddings"]}
    if PLAN["sequence_parallel"]:
        outside[NAMES["norm"]] = SequenceParallel()
    outside[NAMES["head"]] = ColwiseParallel(input_layouts=between, output_layouts=Replicate())
    parallelize_module(model, mesh, {name: how for name, how in outside.items() if getattr(model, name, None) is not None})
    for _, block in blocks_of(model):
        parallelize_module(block, mesh, block_plan(block, between))


def block_plan(block, between):
    plan = {}
    if PLAN["sequence_parallel"]:
        plan = {name: SequenceParallel() for name in NAMES["norms"]}
    for part in (NAMES["attention"], NAMES["feed_forward"]):
        if PLAN["sequence_parallel"]:
            plan[part] = PrepareModuleInput(input_layouts=(between,), desired_input_layouts=(Replicate(),))
        for name, _ in block.get_submodule(part).named_children():
            if name in NAMES["columns"]:
                plan[f"{part}.{name}"] = ColwiseParallel()
            if name in NAMES["rows"]:
                plan[f"{part}.{name}"] = RowwiseParallel(output_layouts=between)
    return plan


def recompute(model):
    if PLAN["recompute"] == "none":
        return
    blocks = getattr(model, NAMES["blocks"])
    for name, block in list(blocks.named_children()):
        if PLAN["recompute"] == "full":
            blocks.register_module(name, checkpoint_wrapper(block))
        else:
            block.register_module(NAMES["attention"], checkpoint_wrapper(block.get_submodule(NAMES["attention"])))


def share_data(model, mesh, mixed_precision):
    """Copies and shards. Weights stay whole between the passes where only the optimizer's state is shared."""
    settings = {"mesh": mesh, "reshard_after_forward": PLAN["shards"] > 1}
    if mixed_precision:
        settings["mp_policy"] = MixedPrecisionPolicy(param_dtype=getattr(torch, PLAN["dtype"]), reduce_dtype=torch.float32)
    for block in getattr(model, NAMES["blocks"]).children():
        fully_shard(block, **settings)
    fully_shard(model, **settings)


def make_step(pieces, mesh, loss_function, device):
    """A function of this rank's samples and labels that computes gradients and returns the mean loss. With a pipeline
    the loss is known to the ranks of the last stage; others return None."""
    if PLAN["pipeline"] > 1:
        return make_pipeline_step(pieces, mesh, loss_function, device)

    def step(samples, labels):
        losses = []
        for part, wanted in zip(samples.chunk(PLAN["micro_batches"]), labels.chunk(PLAN["micro_batches"])):
            loss = loss_function(pieces[0](part), wanted) / PLAN["micro_batches"]
            loss.backward()
            losses.append(loss.detach())
        return sum(losses)
    return step


def make_pipeline_step(pieces, mesh, loss_function, device):
    group = mesh.get_group("pipeline")
    rank, stages = mesh.get_local_rank("pipeline"), PLAN["pipeline"]
    made = [PipelineStage(piece, rank + i * stages, stages * PLAN["interleave"], device, group=group)
            for i, piece in enumerate(pieces)]
    if len(made) > 1:
        schedule = ScheduleInterleaved1F1B(made, PLAN["micro_batches"], loss_fn=loss_function)
    else:
        enough = PLAN["micro_batches"] >= stages  # for one forward, one backward to begin
        schedule = (Schedule1F1B if enough else ScheduleGPipe)(made[0], PLAN["micro_batches"], loss_fn=loss_function)
    is_first, is_last = rank == 0, rank == stages - 1

    def step(samples, labels):
        losses = []
        schedule.step(*([samples] if is_first else []), target=labels if is_last else None,
                      losses=losses if is_last else None)
        return torch.stack(losses).mean().detach() if is_last else None
    return step
