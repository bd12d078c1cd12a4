#!/usr/bin/env python3
"""Detector post-processing beside NumPy and torchvision, in one run: tensor in memory to boxes in memory.

usage: detections.py [--tool vio_frontend] [--times N] [--device cpu|cuda] [--on-gpu gpu_detections]
                     (needs numpy; torchvision where it is)

Three tensors of 640 x 640 networks, 80 classes, 60 objects of 12 anchors each over a background of low scores. Two chains:
`decode` is what most exports ship with, scores of all anchors and then the filter; `filter` looks at the objectness first.
Both then suppress greedily, class by class, vectorised over the boxes that are left; `torch` is `filter` with
torchvision.ops.batched_nms, on the CPU. Their boxes are compared with ours.
Prints Markdown: medians, and ours as a part of each chain's. With --on-gpu, the example of that name, a second table: the
tensor already on the GPU, from the launch to boxes in host memory, beside `torch` on the same GPU; and from host memory.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile
import time

import numpy

try:
    import torch
    import torchvision
except ImportError:
    torch = None

CONFIDENCE, IOU, MOST = 0.25, 0.45, 2048
LAYOUTS = ("yolov5", "yolov5 float16", "yolov8")


def tensor(layout, seed=1, classes=80, objects=60, anchors_each=12):
    """As a network puts it out."""
    random = numpy.random.default_rng(seed)
    count = 8400 if layout == "yolov8" else 25200
    rows = numpy.empty((count, 5 + classes), numpy.float32)
    rows[:, :2] = random.uniform(0, 640, (count, 2))
    rows[:, 2:4] = random.uniform(8, 200, (count, 2))
    rows[:, 4:] = random.beta(0.3, 20, (count, 1 + classes))
    for _ in range(objects):
        own = random.integers(0, count, anchors_each)
        rows[own, :2] = random.uniform(50, 590, 2) + random.normal(0, 4, (anchors_each, 2))
        rows[own, 2:4] = random.uniform(30, 200, 2) * random.uniform(0.9, 1.1, (anchors_each, 2))
        rows[own, 4] = random.uniform(0.3, 0.95, anchors_each)
        rows[own, 5 + random.integers(classes)] = random.uniform(0.6, 0.99, anchors_each)
    if layout == "yolov8":
        return numpy.ascontiguousarray(numpy.delete(rows, 4, axis=1).T[None])
    return rows[None].astype(numpy.float16 if "16" in layout else numpy.float32)


def suppress(boxes, scores, classes):
    """Anchors kept, best first."""
    order, kept = numpy.argsort(-scores, kind="stable")[:MOST], []
    areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    while len(order):
        first, rest = order[0], order[1:]
        kept.append(first)
        low = numpy.maximum(boxes[first, :2], boxes[rest, :2])
        high = numpy.minimum(boxes[first, 2:], boxes[rest, 2:])
        both = numpy.prod(numpy.maximum(high - low, 0), axis=1)
        overlap = both / (areas[first] + areas[rest] - both)
        order = rest[(overlap <= IOU) | (classes[rest] != classes[first])]
    return kept


def chain(values, layout, filter_first):
    """Anchors kept and their scores."""
    rows = values[0].T if layout == "yolov8" else values[0].astype(numpy.float32, copy=False)
    anchors = numpy.arange(len(rows))
    if layout != "yolov8" and filter_first:
        anchors = numpy.nonzero(rows[:, 4] > CONFIDENCE)[0]
        rows = rows[anchors]
    scores = rows[:, 4:] if layout == "yolov8" else rows[:, 5:] * rows[:, 4:5]
    classes = scores.argmax(axis=1)
    best = scores[numpy.arange(len(scores)), classes] if filter_first else scores.max(axis=1)
    boxes = None
    if not filter_first:
        boxes = numpy.concatenate([rows[:, :2] - rows[:, 2:4] / 2, rows[:, :2] + rows[:, 2:4] / 2], axis=1)
    own = numpy.nonzero(best > CONFIDENCE)[0]
    rows, best, classes, anchors = rows[own], best[own], classes[own], anchors[own]
    if boxes is None:
        boxes = numpy.concatenate([rows[:, :2] - rows[:, 2:4] / 2, rows[:, :2] + rows[:, 2:4] / 2], axis=1)
    else:
        boxes = boxes[own]
    kept = suppress(boxes, best, classes)[:300]
    return [(int(anchors[i]), float(best[i])) for i in kept]


def torch_chain(values, layout):
    """The same by torch, where the values are."""
    rows = (torch.from_numpy(values) if isinstance(values, numpy.ndarray) else values)[0].float()
    rows = rows.T if layout == "yolov8" else rows
    anchors = torch.arange(len(rows), device=rows.device)
    if layout != "yolov8":
        anchors = anchors[rows[:, 4] > CONFIDENCE]
        rows = rows[anchors]
    scores = rows[:, 4:] if layout == "yolov8" else rows[:, 5:] * rows[:, 4:5]
    best, classes = scores.max(dim=1)
    own = best > CONFIDENCE
    rows, best, classes, anchors = rows[own], best[own], classes[own], anchors[own]
    boxes = torch.cat([rows[:, :2] - rows[:, 2:4] / 2, rows[:, :2] + rows[:, 2:4] / 2], dim=1)
    kept = torchvision.ops.batched_nms(boxes, best, classes, IOU)[:300]
    numbers = [boxes[kept], best[kept, None], classes[kept, None].float(), anchors[kept, None].float()]
    found = torch.cat(numbers, dim=1).cpu()  # all at once
    return list(zip(found[:, 6].long().tolist(), found[:, 4].tolist()))


CHAINS = {"decode": lambda values, layout: chain(values, layout, False),
          "filter": lambda values, layout: chain(values, layout, True)}
if torch:
    CHAINS["torch"] = torch_chain


def median_us(work, times):
    took = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        took.append(1e6 * (time.perf_counter() - start))
    return statistics.median(took)


def on_gpu(example, times):
    """The second table."""
    percentiles = ["p50", "p95", "p99"]
    titles = ["tensor", "launch to boxes, us p50 / p95 / p99", "of that between events", "torch on this GPU, us p50",
              "torch / ours", "host to boxes, us p50 / p95 / p99", "plain path here, us p50"]
    print(f"\n| {' | '.join(titles)} |\n|{'---|' * len(titles)}")
    with tempfile.TemporaryDirectory() as scratch:
        for layout in LAYOUTS:
            values, file = tensor(layout), pathlib.Path(scratch) / "tensor.npy"
            numpy.save(file, values)
            command = [example, "time", layout.split()[0], str(file), str(times)]
            ours = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
            theirs = None
            if torch and torch.cuda.is_available():
                there = torch.from_numpy(values).cuda()
                for _ in range(20):
                    torch_chain(there, layout)
                theirs = median_us(lambda: torch_chain(there, layout), times // 4)
            three = lambda figures: " / ".join(f"{figures[name]:.1f}" for name in percentiles)
            launch = ours["launch_to_boxes_us"]
            cells = [f"{layout} {list(values.shape)}", three(launch), f"{ours['between_events_us']['p50']:.1f}",
                     f"{theirs:.0f}" if theirs else "not measured", f"{theirs / launch['p50']:.1f}" if theirs else "",
                     three(ours["host_to_boxes_us"]), f"{ours['plain_us']['p50']:.0f}"]
            print(f"| {' | '.join(cells)} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default="vio_frontend")
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--on-gpu", metavar="EXAMPLE")
    options = parser.parse_args()
    if torch:
        torch.set_num_threads(1)
    titles = [f"{name}, us | {name} / ours" for name in CHAINS]
    print(f"| tensor | candidates | kept | ours, us | {' | '.join(titles)} |\n|{'---|' * (4 + 2 * len(CHAINS))}")
    with tempfile.TemporaryDirectory() as scratch:
        for layout in LAYOUTS:
            values, file = tensor(layout), pathlib.Path(scratch) / "tensor.npy"
            numpy.save(file, values)
            command = [options.tool, "detections", str(file), "--layout", layout.split()[0], "--device", options.device,
                       "--conf", str(CONFIDENCE), "--iou", str(IOU), "--repeat", str(options.times)]
            # In turns, so that a busy moment of the machine meets all.
            ours, chains = [], {name: [] for name in CHAINS}
            for _ in range(5):
                document = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
                ours.append(document["latency_us"]["p50"])
                for name, medians in chains.items():
                    medians.append(median_us(lambda: CHAINS[name](values, layout), max(options.times // 10, 3)))
            image = document["images"][0]
            found = [box["anchor"] for box in image["boxes"]]
            for name, peer in CHAINS.items():
                if sorted(anchor for anchor, _ in peer(values, layout)) != sorted(found):
                    raise SystemExit(f"{layout}: {name} keeps other boxes")
            own = statistics.median(ours)
            cells = [f"{statistics.median(times):.0f} | {statistics.median(times) / own:.1f}" for times in chains.values()]
            title = f"{layout} {list(values.shape)} | {image['candidates']} | {image['kept']} | {own:.0f}"
            print(f"| {title} | {' | '.join(cells)} |", flush=True)
    if options.on_gpu:
        on_gpu(options.on_gpu, options.times)


if __name__ == "__main__":
    main()
