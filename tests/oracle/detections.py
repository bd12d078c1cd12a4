#!/usr/bin/env python3
"""Boxes of `vio_frontend detections` beside torchvision's `nms` on the CPU, class by class.

usage: detections.py --tool vio_frontend [--images N]               (needs numpy, torch and torchvision)

Random images and ones made to be difficult (ties, chains of overlaps, boxes without area or far away, all the same), in
batches of 100, over layouts, thresholds, classes and capacities. Which boxes stay and in which order must be equal.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy
import torch
import torchvision

BATCH = 100
KINDS = ("scattered", "ties", "chain", "degenerate", "same")


def corners(random, kind, count, iou):
    """Centre and size of the boxes of an image."""
    if kind == "ties":
        x, w, h = 32 * random.integers(0, 4, count), random.choice([32, 64, 96], count), random.choice([32, 64], count)
        return numpy.stack([x, numpy.full(count, 64), w, h], axis=1)
    if kind == "chain":
        step = 64 * (1 - iou) / (1 + iou)
        return numpy.stack([40 + step * numpy.arange(count), *numpy.full((3, count), 64)], axis=1)
    if kind == "degenerate":
        sides = numpy.array([0, -20, 1e-30, 60, 60000])
        x, y = random.choice([0, 50, -60000, 60000], count), random.uniform(0, 100, count)
        return numpy.stack([x, y, random.choice(sides, count), random.choice(sides, count)], axis=1)
    if kind == "same":
        return numpy.full((count, 4), 50)
    return numpy.concatenate([random.uniform(0, 320, (count, 2)), random.uniform(20, 120, (count, 2))], axis=1)


def batch(random, layout, count, classes, iou):
    """Rows of anchors, [B, N, ...]."""
    leading = 5 if layout == "yolov5" else 4
    rows = numpy.empty((BATCH, count, leading + classes), numpy.float32)
    for image in rows:
        kind = KINDS[random.integers(len(KINDS))]
        image[:, :4] = corners(random, kind, count, iou)
        shape = image[:, 4:].shape
        few = kind in ("ties", "same")
        image[:, 4:] = random.choice([0, 0.25, 0.5, 1], shape) if few else random.random(shape, numpy.float32)
    return rows


def expected(rows, layout, confidence, iou, agnostic, most):
    """Anchors that stay, best first, and the number of candidates."""
    scores = rows[:, 5:] if layout == "yolov5" else rows[:, 4:]
    classes = scores.argmax(axis=1)
    scores = scores.max(axis=1) * (rows[:, 4] if layout == "yolov5" else numpy.float32(1))
    anchors = numpy.nonzero(scores.astype(numpy.float64) > confidence)[0]
    candidates = len(anchors)
    anchors = anchors[numpy.argsort(-scores[anchors], kind="stable")][:most]
    centre, half = rows[anchors, :2], rows[anchors, 2:4] * numpy.float32(0.5)
    boxes, best = torch.from_numpy(numpy.concatenate([centre - half, centre + half], axis=1)), scores[anchors]
    groups = numpy.zeros(len(anchors), int) if agnostic else classes[anchors]
    kept = []
    for group in numpy.unique(groups):
        own = numpy.nonzero(groups == group)[0]
        kept += own[torchvision.ops.nms(boxes[own], torch.from_numpy(best[own]), iou).numpy()].tolist()
    return [int(anchors[i]) for i in sorted(kept)], candidates


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--images", type=int, default=10_000)
    options = parser.parse_args()
    print(f"torch {torch.__version__}, torchvision {torchvision.__version__}")
    images = kept = suppressed = overflows = 0
    with tempfile.TemporaryDirectory() as scratch:
        file = pathlib.Path(scratch) / "tensor.npy"
        for seed in range((options.images + BATCH - 1) // BATCH):
            random = numpy.random.default_rng(seed)
            layout = ("yolov5", "yolov8", "yolov8_rows")[seed % 3]
            count, classes = int(random.integers(1, 150)), int(random.choice([1, 2, 7, 40]))
            confidence = float(random.choice([0, 0.1, 0.25, 0.5, random.random()]))
            iou = float(random.choice([0, 0.25, 1 / 3, 0.45, 0.5, 0.7, 1, random.random()]))
            agnostic, most = bool(random.integers(2)), int(random.choice([1, 20, 64, 8192]))
            rows = batch(random, layout, count, classes, iou)
            numpy.save(file, numpy.ascontiguousarray(rows.transpose(0, 2, 1)) if layout == "yolov8" else rows)
            command = [options.tool, "detections", str(file), "--layout", layout, "--classes", str(classes), "--device",
                       "cpu", "--conf", repr(confidence), "--iou", repr(iou), "--max-candidates", str(most),
                       "--max-detections", "8192"]
            command += ["--agnostic"] if agnostic else []
            answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            for i, image in enumerate(json.loads(answer.stdout)["images"]):
                wanted, candidates = expected(rows[i], layout, confidence, iou, agnostic, most)
                found = [box["anchor"] for box in image["boxes"]]
                if (found, image["candidates"]) != (wanted, candidates):
                    sys.exit(f"seed {seed}, image {i}: {command[3:]}\ntorchvision {wanted}\nours {found}")
                images, kept = images + 1, kept + len(found)
                suppressed += image["considered"] - image["kept"]
                overflows += image["candidates"] > image["considered"]
    print(f"{images} images, {kept} boxes kept, {suppressed} suppressed, {overflows} images above capacity: all equal")


if __name__ == "__main__":
    main()
