#!/usr/bin/env python3
"""OpenCV as the oracle of `histogram_method`.

usage: contrast.py [--contrast PROGRAM] [IMAGE ...]     (needs opencv-python-headless and numpy)

PROGRAM is the built example `contrast`; without it, cargo builds and runs it. Without images, synthetic ones and, where
they are present, the real photos of the test data are compared, see opencv.py.

* `histogram` equals cv2.equalizeHist. It rounds a quotient of integers, OpenCV a product of single precision: they may
  differ by one grey level where the quotient is a half within 1e-4.
* `clahe` is cv2.createCLAHE(3.0, (8, 8)) to one grey level, and the same at 99 pixels of 100 over all images: it weighs
  the tiles in whole 4096ths, OpenCV in single precision.

Exit status 0 only if so.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

import cv2
import numpy as np
from opencv import ROOT, photos, synthetic

CARGO = ["cargo", "run", "--quiet", "--release", "--example", "contrast", "--"]
LEAST_EQUAL = 0.99


def more():
    """What equalisation finds hard: few levels, a narrow band of them, flat, sides with and without a rest of 8."""
    yield from synthetic()
    rng = np.random.default_rng(2)
    for width, height in ((752, 480), (640, 477), (637, 480), (512, 512), (39, 71), (32, 33)):
        ramp = np.add.outer(np.arange(height), np.arange(width))
        narrow = 100 + ramp * 9 // (width + height) + rng.integers(0, 2, ramp.shape)
        yield f"narrow_{width}x{height}", narrow.astype(np.uint8)
        yield f"dark_{width}x{height}", rng.exponential(6, ramp.shape).clip(0, 255).astype(np.uint8)
        yield f"two_{width}x{height}", np.where(ramp % 5 == 0, 200, 3).astype(np.uint8)
        yield f"grey_{width}x{height}", np.full(ramp.shape, 77, np.uint8)


def ours(program, image):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "image.png"
        cv2.imwrite(str(file), image)
        subprocess.run([*program, str(file), folder], check=True, cwd=ROOT)
        return [np.fromfile(file.with_name(f"{n}.u8"), np.uint8).reshape(image.shape) for n in ("histogram", "clahe")]


def on_a_half(image):
    """The grey levels whose equalised value is a half, within what single precision loses."""
    counts = np.bincount(image.ravel(), minlength=256)
    counts[np.flatnonzero(counts)[0]] = 0
    value = 255 * counts.cumsum() / max(counts.sum(), 1)
    return np.abs(value % 1 - 0.5) < 1e-4


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--contrast", help="the built example `contrast`")
    parser.add_argument("images", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    program = [str(pathlib.Path(arguments.contrast).resolve())] if arguments.contrast else CARGO
    if arguments.images:
        images = [(file.name, cv2.imread(str(file), cv2.IMREAD_GRAYSCALE)) for file in arguments.images]
    else:
        images = [*more(), *photos()]
    failures, equal, pixels, halves = [], 0, 0, 0
    for name, image in images:
        if image is None:
            sys.exit(f"cannot read {name}")
        spread, tiles = ours(program, image)
        off = np.abs(spread.astype(int) - cv2.equalizeHist(image))
        halves += (off > 0).sum()
        if off.max() > 1 or (off[~on_a_half(image)[image]] > 0).any():
            failures.append(f"{name}: histogram differs by {off.max()} at {np.argwhere(off)[0][::-1]} (x, y)")
        off = np.abs(tiles.astype(int) - cv2.createCLAHE(3.0, (8, 8)).apply(image))
        if off.max() > 1:
            failures.append(f"{name}: clahe differs by {off.max()} at {np.argwhere(off > 1)[0][::-1]} (x, y)")
        equal, pixels = equal + (off == 0).sum(), pixels + off.size
    if equal < LEAST_EQUAL * pixels:
        failures.append(f"clahe: only {equal / pixels:.2%} of all pixels equal")
    print("\n".join(failures) or
          f"{len(images)} images beside OpenCV {cv2.__version__}: histogram equal but for {halves} pixels on a half, "
          f"clahe equal at {equal / pixels:.2%} of {pixels} pixels and one level off at the others")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
