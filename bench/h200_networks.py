#!/usr/bin/env python3
"""Plain PyTorch scripts that train what `stash profile` trains; see bench/h200_scripts.py."""

import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset


def conv_bn(inputs, outputs, kernel, stride=1):
    return nn.Sequential(nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(outputs))


class Residual(nn.Module):
    def __init__(self, inputs, outputs, stride, body):
        super().__init__()
        self.body = body
        plain = stride == 1 and inputs == outputs
        self.shortcut = nn.Identity() if plain else conv_bn(inputs, outputs, 1, stride)

    def forward(self, x):
        return torch.relu(self.body(x) + self.shortcut(x))


def basic(inputs, width, stride):
    return Residual(inputs, width, stride, nn.Sequential(conv_bn(inputs, width, 3, stride), nn.ReLU(inplace=True),
                                                         conv_bn(width, width, 3)))


def bottleneck(inputs, width, stride):
    return Residual(inputs, 4 * width, stride,
                    nn.Sequential(conv_bn(inputs, width, 1), nn.ReLU(inplace=True), conv_bn(width, width, 3, stride),
                                  nn.ReLU(inplace=True), conv_bn(width, 4 * width, 1)))


def resnet(block, counts, expansion):
    blocks, inputs = [], 64
    for width, count, stride in zip((64, 128, 256, 512), counts, (1, 2, 2, 2)):
        for index in range(count):
            blocks.append(block(inputs, width, stride if index == 0 else 1))
            inputs = expansion * width
    return nn.Sequential(conv_bn(3, 64, 7, 2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1), *blocks,
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, 1000))


def vgg11():
    layers, inputs = [], 3
    for width in (64, "M", 128, "M", 256, 256, "M", 512, 512, "M", 512, 512, "M"):
        if width == "M":
            layers.append(nn.MaxPool2d(2))
            continue
        layers += [nn.Conv2d(inputs, width, 3, padding=1), nn.ReLU(inplace=True)]
        inputs = width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(7), nn.Flatten(), nn.Linear(25088, 4096), nn.ReLU(inplace=True),
                         nn.Dropout(), nn.Linear(4096, 4096), nn.ReLU(inplace=True), nn.Dropout(), nn.Linear(4096, 1000))


class Attention(nn.Module):
    def __init__(self, width, heads, causal):
        super().__init__()
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.heads, self.causal = heads, causal

    def forward(self, x):
        parts = [part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, dim=-1)]
        seen = functional.scaled_dot_product_attention(*parts, is_causal=self.causal)
        return self.out(seen.transpose(1, 2).flatten(2))


class Layer(nn.Module):
    """`first`: normalises before each part, as GPT-2 does, else after it, as BERT does."""

    def __init__(self, width, heads, first):
        super().__init__()
        self.attention = Attention(width, heads, causal=first)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.drop, self.first = nn.Dropout(0.1), first

    def part(self, x, norm, body):
        return x + self.drop(body(norm(x))) if self.first else norm(x + self.drop(body(x)))

    def forward(self, x):
        x = self.part(x, self.norms[0], self.attention)
        return self.part(x, self.norms[1], lambda y: self.down(functional.gelu(self.up(y))))


class Transformer(nn.Module):
    def __init__(self, vocabulary, positions, first):
        super().__init__()
        self.words, self.places = nn.Embedding(vocabulary, 768), nn.Embedding(positions, 768)
        self.layers = nn.Sequential(*[Layer(768, 12, first) for _ in range(12)])
        self.norm, self.drop, self.first = nn.LayerNorm(768), nn.Dropout(0.1), first
        self.answer = None if first else nn.Linear(768, 2)

    def forward(self, tokens):
        x = self.words(tokens) + self.places.weight[:tokens.shape[1]]
        if not self.first:
            return self.answer(self.layers(self.drop(self.norm(x))))
        return functional.linear(self.norm(self.layers(self.drop(x))), self.words.weight)


def images(batch):
    return torch.randn(8 * batch, 3, 224, 224), torch.randint(1000, (8 * batch,))


def spans(batch):
    return torch.randint(30522, (8 * batch, 384)), torch.randint(384, (8 * batch, 2))


def texts(batch):
    tokens = torch.randint(50257, (8 * batch, 1025))
    return tokens[:, :-1].contiguous(), tokens[:, 1:].contiguous()


def class_loss(output, target):
    return functional.cross_entropy(output.float(), target)


def span_loss(output, target):
    return (functional.cross_entropy(output[..., 0].float(), target[:, 0]) +
            functional.cross_entropy(output[..., 1].float(), target[:, 1])) / 2


def text_loss(output, target):
    return functional.cross_entropy(output.flatten(0, 1).float(), target.flatten())


MODELS = {"resnet18": (lambda: resnet(basic, (2, 2, 2, 2), 1), images, class_loss),
          "resnet50": (lambda: resnet(bottleneck, (3, 4, 6, 3), 4), images, class_loss),
          "vgg11": (vgg11, images, class_loss),
          "bert_base": (lambda: Transformer(30522, 512, False), spans, span_loss),
          "gpt2": (lambda: Transformer(50257, 1024, True), texts, text_loss)}


def bf16_hook(group, bucket):
    """Gradients go out as bf16, over any backend: the hook of docs/scripts.md."""
    whole = bucket.buffer()
    half = whole.to(torch.bfloat16) / dist.get_world_size(group)
    return dist.all_reduce(half, group=group, async_op=True).get_future().then(lambda _: whole.copy_(half))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", choices=MODELS, default="resnet18")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--dtype", choices=("fp32", "bf16"), default="fp32")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--bf16-hook", action="store_true")
    parser.add_argument("--steps", type=int, default=1_000_000)
    options = parser.parse_args()
    torch.manual_seed(1)
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    make, data, loss_of = MODELS[options.model]
    model = make().to(device)
    if "WORLD_SIZE" in os.environ:
        dist.init_process_group("gloo")  # several ranks on one GPU: NCCL refuses them
        model = nn.parallel.DistributedDataParallel(model)
        if options.bf16_hook:
            model.register_comm_hook(dist.group.WORLD, bf16_hook)
    if options.compile:
        model = torch.compile(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    loader = DataLoader(TensorDataset(*data(options.batch)), options.batch, drop_last=True, pin_memory=device.type == "cuda")
    step = 0
    while step < options.steps:
        for batch, target in loader:
            batch, target = batch.to(device, non_blocking=True), target.to(device, non_blocking=True)
            with torch.autocast(device.type, torch.bfloat16, enabled=options.dtype == "bf16"):
                loss = loss_of(model(batch), target)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            step += 1


main()
