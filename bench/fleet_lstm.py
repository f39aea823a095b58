"""Trains the small LSTM of src/stash/fleet/forecast/lstm_forecast.cpp on the first days of a trace and writes its weights.

usage: python3 bench/fleet_lstm.py --trace FILE [--days 7] [--out data/fleet_lstm.csv]

FILE is a CSV with a column `requests`, one row per minute from midnight on. Its inputs per minute: the logarithm of the
load over its level (the median of the last 90 recorded minutes), and the minute of the hour as sine and cosine of one
and two turns. Its outputs: quantiles of that logarithm some minutes ahead, trained with the pinball loss.
"""

import argparse
import csv
import math
import statistics

import torch

HIDDEN = 16
AHEAD_MIN = [1, 3, 5, 10, 20, 50]
PROBABILITIES = [0.5, 0.9, 0.95, 0.99]
LEVEL_MIN = 90
WINDOW = 180
WARM_UP = 30  # minutes of a window that only fill the state


def logarithms(path, minutes):
    """(log of load over level, whether it was recorded) by minute."""
    with open(path, newline="") as file:
        requests = [float(row["requests"]) for row in csv.DictReader(file)][:minutes]
    typical = statistics.median(requests)
    found, kept = [], []
    level, last = typical, typical
    for load in requests:
        recorded = load > typical / 20
        if recorded:
            kept = [*kept[-(LEVEL_MIN - 1):], load]
            level, last = statistics.median(kept), load
        found.append((math.log(last / level), level, load, recorded))
    return found


def inputs_of(rows):
    table = []
    for minute, (value, _, _, _) in enumerate(rows):
        angle = 2 * math.pi * (minute % 60) / 60
        table.append([value, math.sin(angle), math.cos(angle), math.sin(2 * angle), math.cos(2 * angle)])
    return torch.tensor(table)


def targets_of(rows):
    values, valid = [], []
    for minute, (_, level, _, _) in enumerate(rows):
        later = [rows[minute + k] if minute + k < len(rows) else None for k in AHEAD_MIN]
        values.append([math.log(one[2] / level) if one and one[3] else 0.0 for one in later])
        valid.append([float(bool(one and one[3])) for one in later])
    return torch.tensor(values), torch.tensor(valid)


class Forecaster(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = torch.nn.LSTM(5, HIDDEN, batch_first=True)
        self.out = torch.nn.Linear(HIDDEN, len(AHEAD_MIN) * len(PROBABILITIES))

    def forward(self, inputs):
        states, _ = self.lstm(inputs)
        return self.out(states).unflatten(-1, (len(AHEAD_MIN), len(PROBABILITIES)))


def pinball(forecast, values, valid):
    p = torch.tensor(PROBABILITIES)
    # In units of the level, not of its logarithm: bursts count as much as they are.
    over = torch.exp(values).unsqueeze(-1) - torch.exp(forecast.clamp(max=4))
    return (torch.maximum(p * over, (p - 1) * over) * valid.unsqueeze(-1)).sum() / valid.sum()


def train(rows, epochs):
    torch.manual_seed(1)
    model = Forecaster()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    inputs, (values, valid) = inputs_of(rows), targets_of(rows)
    starts = torch.arange(0, len(rows) - WINDOW)
    for epoch in range(epochs):
        for group in optimizer.param_groups:
            group["lr"] = 5e-3 * (1 - epoch / epochs) + 2e-4
        total, order = 0.0, starts[torch.randperm(len(starts))][:64 * 40]
        for batch in order.split(64):
            cut = (batch.unsqueeze(1) + torch.arange(WINDOW)).long()
            loss = pinball(model(inputs[cut])[:, WARM_UP:], values[cut][:, WARM_UP:], valid[cut][:, WARM_UP:])
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            total += loss.item()
        if epoch % 5 == 0:
            print(f"epoch {epoch}: {total / 40:.4f}", flush=True)
    return model


def write(model, path, days):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["name", "row", "values"])
        for name, tensor in model.state_dict().items():
            for row, line in enumerate(tensor.reshape(tensor.shape[0], -1).tolist()):
                writer.writerow([name, row, " ".join(f"{value:.5g}" for value in line)])
    print(f"wrote {path}, trained on {days} days")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--trace", required=True)
    parser.add_argument("--days", type=int, default=7)
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--out", default="data/fleet_lstm.csv")
    given = parser.parse_args()
    torch.set_num_threads(1)
    write(train(logarithms(given.trace, given.days * 1440), given.epochs), given.out, given.days)


if __name__ == "__main__":
    main()
