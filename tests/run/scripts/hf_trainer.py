"""transformers.Trainer on a model that is made up here."""

import argparse
import tempfile

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments


class Sentences(torch.utils.data.Dataset):
    def __len__(self):
        return 4096

    def __getitem__(self, index):
        tokens = torch.randint(200, (32,), generator=torch.Generator().manual_seed(index))
        return {"input_ids": tokens, "labels": tokens}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--accumulate", type=int, default=1)
    parser.add_argument("--steps", type=int, default=100_000)
    options = parser.parse_args()
    torch.set_num_threads(1)
    model = GPT2LMHeadModel(GPT2Config(vocab_size=256, n_positions=64, n_embd=64, n_layer=2, n_head=2))
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(output_dir=folder, max_steps=options.steps, per_device_train_batch_size=4,
                                      gradient_accumulation_steps=options.accumulate, report_to=[], save_strategy="no",
                                      logging_steps=1000, use_cpu=not torch.cuda.is_available(), disable_tqdm=True)
        Trainer(model=model, args=arguments, train_dataset=Sentences()).train()


main()
