#!/usr/bin/env python3
"""Decoding and augmentation per core: Stash against what people use.

    pip install -r bench/requirements.txt       (nvidia-dali-cuda120 is measured too where it is installed)
    bench/decode.py --program build/release/bench/decode_bench --data DIR

Every contestant turns the same JPEG files, which are in memory, with the same crop boxes and flips into
normalised float planes of 224 x 224, on one thread. CPU time of the process counts, not wall time. Rounds are
interleaved and their order is shuffled; a ratio is the mean over rounds, with a 95 % interval.
"""

import argparse
import io
import math
import pathlib
import random
import statistics
import subprocess
import tempfile
import time

import numpy as np

SIZE = 224
MEAN = np.array([0.485, 0.456, 0.406], np.float32).reshape(3, 1, 1)
STD = np.array([0.229, 0.224, 0.225], np.float32).reshape(3, 1, 1)


def random_resized_crop(width, height, rng):
    """torchvision's, with its defaults."""
    area = width * height
    for _ in range(10):
        target = area * rng.uniform(0.08, 1.0)
        aspect = math.exp(rng.uniform(math.log(3 / 4), math.log(4 / 3)))
        w, h = round(math.sqrt(target * aspect)), round(math.sqrt(target / aspect))
        if 0 < w <= width and 0 < h <= height:
            return rng.randint(0, width - w), rng.randint(0, height - h), w, h
    return 0, 0, width, height


def to_planes(pixels):
    planes = np.ascontiguousarray(pixels.transpose(2, 0, 1)).astype(np.float32)
    planes /= 255
    planes -= MEAN
    planes /= STD
    return planes


class Pillow:
    """As torchvision: crop, resize, flip, to tensor, normalise."""

    name = "Pillow (torchvision's way)"

    def __init__(self):
        from PIL import Image

        self.image = Image

    def pixels(self, data, box, flip):
        x, y, w, h = box
        picture = self.image.open(io.BytesIO(data)).convert("RGB").crop((x, y, x + w, y + h))
        picture = picture.resize((SIZE, SIZE), self.image.Resampling.BILINEAR)
        if flip:
            picture = picture.transpose(self.image.Transpose.FLIP_LEFT_RIGHT)
        return np.asarray(picture)

    def run(self, crops):
        start = time.process_time()
        for data, box, flip in crops:
            to_planes(self.pixels(data, box, flip))
        return time.process_time() - start


class OpenCv:
    name = "OpenCV"

    def __init__(self):
        import cv2

        cv2.setNumThreads(1)
        self.cv2 = cv2

    def decode(self, data):
        picture = self.cv2.imdecode(np.frombuffer(data, np.uint8), self.cv2.IMREAD_COLOR)
        return self.cv2.cvtColor(picture, self.cv2.COLOR_BGR2RGB)

    def run(self, crops):
        start = time.process_time()
        for data, (x, y, w, h), flip in crops:
            picture = self.decode(data)[y : y + h, x : x + w]
            picture = self.cv2.resize(picture, (SIZE, SIZE), interpolation=self.cv2.INTER_LINEAR)
            to_planes(self.cv2.flip(picture, 1) if flip else picture)
        return time.process_time() - start


class SimpleJpeg(OpenCv):
    name = "simplejpeg with OpenCV"

    def __init__(self):
        super().__init__()
        import simplejpeg

        self.simplejpeg = simplejpeg

    def decode(self, data):
        return self.simplejpeg.decode_jpeg(data)


class Dali:
    """The fused decoder of DALI on the CPU; one thread; crops are its own, drawn from the same distribution."""

    name = "DALI on the CPU"

    def __init__(self):
        import nvidia.dali as dali

        self.dali = dali

    def run(self, crops):
        dali, fn = self.dali, self.dali.fn

        @dali.pipeline_def(batch_size=32, num_threads=1, device_id=None, prefetch_queue_depth=1)
        def pipeline():
            files = fn.external_source(source=batches(), dtype=dali.types.UINT8)
            picture = fn.decoders.image_random_crop(
                files, device="cpu", random_area=[0.08, 1.0], random_aspect_ratio=[3 / 4, 4 / 3], num_attempts=10
            )
            picture = fn.resize(picture, size=SIZE, interp_type=dali.types.INTERP_TRIANGULAR)
            return fn.crop_mirror_normalize(
                picture,
                dtype=dali.types.FLOAT,
                output_layout="CHW",
                mean=[255 * float(m) for m in MEAN.ravel()],
                std=[255 * float(s) for s in STD.ravel()],
                mirror=fn.random.coin_flip(),
            )

        def batches():
            while True:
                for first in range(0, len(crops) - 31, 32):
                    yield [np.frombuffer(data, np.uint8) for data, _, _ in crops[first : first + 32]]

        pipe = pipeline()
        pipe.build()
        pipe.run()
        start = time.process_time()
        for _ in range(len(crops) // 32):
            pipe.run()
        return (time.process_time() - start) * len(crops) / (len(crops) // 32 * 32)


class Stash:
    name = "Stash"

    def __init__(self, program, listing):
        self.command = [program, listing]

    def run(self, _):
        answer = subprocess.run(self.command, check=True, capture_output=True, text=True).stdout
        return float(answer.split()[1])

    def pixels(self, count):
        with tempfile.NamedTemporaryFile() as dump:
            subprocess.run([*self.command, "--dump", dump.name], check=True)
            planes = np.fromfile(dump.name, np.float32)
        return planes.reshape(count, 3, SIZE, SIZE).transpose(0, 2, 3, 1)


def contestants(stash):
    present = [stash]
    for kind in (Pillow, OpenCv, SimpleJpeg, Dali):
        try:
            present.append(kind())
        except ImportError as error:
            print(f"left out: {kind.name}: {error}")
    return present


def make_crops(data, count, seed):
    from PIL import Image

    rng = random.Random(seed)
    files = sorted(p for p in pathlib.Path(data).rglob("*") if p.suffix.lower() in (".jpg", ".jpeg"))
    if not files:
        raise SystemExit(f"no JPEG files in {data}")
    crops = []
    for index in range(count):
        path = files[index % len(files)]
        with Image.open(path) as picture:
            box = random_resized_crop(*picture.size, rng)
        crops.append((path, box, rng.random() < 0.5))
    return crops


def interval(ratios):
    """Mean and half width of its 95 % interval (normal; rounds are at least ten)."""
    mean = statistics.mean(ratios)
    return mean, 1.96 * statistics.stdev(ratios) / math.sqrt(len(ratios))


def compare_pixels(stash, pillow, crops):
    ours = stash.pixels(len(crops))
    errors = []
    for (data, box, flip), mine in zip(crops, ours):
        errors.append(np.abs(pillow.pixels(data, box, flip).astype(np.float32) - mine).mean())
    return statistics.mean(map(float, errors)), float(max(errors))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True, help="decode_bench, built with -DSTASH_BENCH=ON")
    parser.add_argument("--data", required=True, help="folder of JPEG files; `stash dataset make` writes one")
    parser.add_argument("--crops", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    listed = make_crops(arguments.data, arguments.crops, arguments.seed)
    crops = [(path.read_bytes(), box, flip) for path, box, flip in listed]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as listing:
        for path, box, flip in listed:
            print(*box, int(flip), path, file=listing)
        listing.flush()
        stash = Stash(arguments.program, listing.name)
        present = contestants(stash)
        seconds = {one.name: [] for one in present}
        order = random.Random(arguments.seed)
        for _ in range(arguments.rounds):
            for one in order.sample(present, len(present)):
                seconds[one.name].append(one.run(crops))
        pillow = next(one for one in present if isinstance(one, Pillow))
        mean_error, worst_error = compare_pixels(stash, pillow, crops)

    size = statistics.mean(len(data) for data, _, _ in crops)
    print(f"{len(crops)} crops of files of {size / 1000:.0f} kB on average, {arguments.rounds} rounds, one thread\n")
    print("| | CPU per image | images/s per core | times Pillow |")
    print("|---|---|---|---|")
    for one in sorted(present, key=lambda c: statistics.mean(seconds[c.name]), reverse=True):
        own = statistics.mean(seconds[one.name]) / len(crops)
        ratio, half = interval([p / s for p, s in zip(seconds[pillow.name], seconds[one.name])])
        print(f"| {one.name} | {own * 1e3:.2f} ms | {1 / own:.0f} | {ratio:.2f} ± {half:.2f} |")
    print(f"\nDifference from Pillow's pixels: {mean_error:.3f} of 255 on average, {worst_error:.3f} in the worst image")


if __name__ == "__main__":
    main()
