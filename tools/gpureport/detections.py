"""Detector post-processing on GPU and CPU: tensors with ties and chains of overlaps. Values are
finite: the tool refuses others."""

import json
import random
import struct

LIMIT_S = 60
# Layout, classes, anchors, NumPy's type, most candidates.
CASES = (
    ("yolov8", 5, 400, "<f4", 2048),
    ("yolov8", 80, 300, "<f2", 64),
    ("yolov8_rows", 3, 500, "<f4", 2048),
    ("yolov8_rows", 7, 257, "<f2", 100),
    ("yolov5", 4, 600, "<f4", 2048),
    ("yolov5", 1, 2500, "<f2", 2048),
)
BATCH = 2


def compare(run):
    """Boxes of each tensor, where both devices agree."""
    expected = on_the_cpu(run)
    words = {}
    for number, (layout, *_) in enumerate(CASES):
        text = difference_of(expected[number], boxes(run, number, "cuda"))
        if text:
            run.fail(f"detections: tensor {number} ({layout}): {text}")
        words[f"{number} {layout}"] = text or f"{sum(one['kept'] for one in expected[number] or [])} boxes equal"
    return words


def on_the_cpu(run):
    """Of each tensor, which is written as well."""
    for number in range(len(CASES)):
        path_of(run, number).write_bytes(tensor(number))
    return [boxes(run, number, "cpu") for number in range(len(CASES))]


def difference(run, expected, options):
    """The first tensor that the GPU sees otherwise with these options; None if there is none."""
    for number, (layout, *_) in enumerate(CASES):
        text = difference_of(expected[number], boxes(run, number, "cuda", options))
        if text:
            return f"tensor {number} ({layout}): {text}"
    return None


def difference_of(expected, found):
    if expected is None or found is None:
        return f"the {'CPU' if expected is None else 'GPU'} failed"
    for image, (a, b) in enumerate(zip(expected, found)):
        for name in a:
            if a[name] != b[name]:
                return f"image {image}: {name} differ"
    return None


def boxes(run, number, device, options=()):
    """What the tool prints of each image, floats with all their digits; None if it failed."""
    done = run.call([*command(run, number), "--device", device, *options], LIMIT_S, quiet=True)
    if done.status != 0:
        return None
    return json.loads(done.out[done.out.index("{"):])["images"]


def command(run, number):
    layout, _, _, _, most = CASES[number]
    return [run.binary("vio_frontend"), "detections", path_of(run, number), "--layout", layout, "--input", "640x640",
            "--max-candidates", most]


def path_of(run, number):
    return run.scratch / f"tensor_{number}.npy"


def tensor(number):
    """A .npy file, version 1.0."""
    layout, classes, anchors, kind, _ = CASES[number]
    draw = random.Random(number)
    rows = [row(draw, layout, classes, anchor) for _ in range(BATCH) for anchor in range(anchors)]
    channels = len(rows[0])
    if layout == "yolov8":
        parts = [rows[b * anchors:(b + 1) * anchors] for b in range(BATCH)]
        values, shape = [r[c] for part in parts for c in range(channels) for r in part], (BATCH, channels, anchors)
    else:
        values, shape = [value for r in rows for value in r], (BATCH, anchors, channels)
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"
    head += " " * (-(10 + len(head) + 1) % 64) + "\n"
    code = "f" if kind == "<f4" else "e"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack(f"<{len(values)}{code}",
                                                                                           *values)


def row(draw, layout, classes, anchor):
    """A box that overlaps the one before by about the threshold, few scores, now and then a value that is no box's."""
    x, y = 20.0 + anchor * 6 % 600, 20.0 + anchor // 100 * 90
    box = [x + draw.choice((0, 0, 1)), y, draw.choice((16.0, 16.0, 20.0)), 32.0]
    scores = [draw.choice((0.0, 0.1, 0.25, 0.5, 0.75, 0.75, 0.9)) * draw.choice((0, 1)) for _ in range(classes)]
    if draw.random() < 0.02:
        scores[draw.randrange(classes)] = draw.choice((0.0, 1.0))
    if draw.random() < 0.02:
        box[draw.randrange(4)] = draw.choice((65504.0, -8.0, 0.0))
    return box + ([draw.choice((0.5, 1.0))] if layout == "yolov5" else []) + scores
