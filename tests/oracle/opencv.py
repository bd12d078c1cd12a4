#!/usr/bin/env python3
"""OpenCV as the oracle of the detector's first stages.

usage: opencv.py [--stages PROGRAM] [IMAGE ...]     (needs opencv-python-headless and numpy)

PROGRAM is the built example `stages`; without it, cargo builds and runs it. Without images, synthetic ones and, where
they are present, the real photos of the test data (VIO_TEST_DATA, else ../shared/data) are compared:

* pyramid level l + 1 equals cv2.resize(level l, 1/2, INTER_LINEAR) where level l has even sides;
* {V > t} is the set of FAST 9/16 at threshold t without non-max suppression, for t = tmin and several above;
* V - 1 is the response that OpenCV gives with non-max suppression.

Exit status 0 only if all are equal.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import cv2
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
CARGO = ["cargo", "run", "--quiet", "--release", "--example", "stages", "--"]
TMIN = 5
THRESHOLDS = (5, 7, 10, 20, 40, 80, 160)


def synthetic():
    """Images of fixed seeds by name: noise, smooth noise, blocks, steep corners, flat."""
    rng = np.random.default_rng(1)
    for width, height in ((640, 480), (641, 479), (66, 44), (33, 33), (32, 32)):
        noise = rng.integers(0, 256, (height, width), np.uint8)
        yield f"noise_{width}x{height}", noise
        yield f"smooth_{width}x{height}", cv2.normalize(cv2.GaussianBlur(noise, (0, 0), 2), None, 0, 255, cv2.NORM_MINMAX)
        small = rng.integers(0, 256, ((height + 8) // 9, (width + 8) // 9), np.uint8)
        yield f"blocks_{width}x{height}", np.kron(small, np.ones((9, 9), np.uint8))[:height, :width]
        yield f"binary_{width}x{height}", ((noise > 200) * 255).astype(np.uint8)
        yield f"black_{width}x{height}", np.zeros((height, width), np.uint8)


def photos():
    data = pathlib.Path(os.environ.get("VIO_TEST_DATA", ROOT.parent / "shared" / "data"))
    files = sorted((data / "photos").glob("*.png"))
    if not files:
        print(f"skipped: no photos under {data}; synthetic images only")
    for file in files:
        image = cv2.imread(str(file), cv2.IMREAD_GRAYSCALE)
        if min(image.shape) >= 32:
            yield file.stem, image


def stages(program, image, folder):
    """Our levels and strengths of an image."""
    file = folder / "image.png"
    cv2.imwrite(str(file), image)
    subprocess.run([*program, str(file), str(folder), str(TMIN)], check=True, cwd=ROOT)
    height, width = image.shape
    for level in range(3):
        shape = (height >> level, width >> level)
        load = lambda name: np.fromfile(folder / f"{name}{level}.u8", np.uint8).reshape(shape)
        yield load("level"), load("strength")


def fast(image, threshold, suppress):
    """OpenCV's corners as a map: 1 + response where there is one, else 0."""
    detector = cv2.FastFeatureDetector_create(threshold, suppress, cv2.FAST_FEATURE_DETECTOR_TYPE_9_16)
    found = np.zeros(image.shape, np.int32)
    for keypoint in detector.detect(image):
        x, y = (int(c) for c in keypoint.pt)
        found[y, x] = 1 + int(keypoint.response)
    return found


def differences(name, levels):
    """What differs for one image, as text; `levels` are ours."""
    for l, (level, strength) in enumerate(levels):
        if l + 1 < len(levels) and level.shape[0] % 2 == 0 and level.shape[1] % 2 == 0:
            half = cv2.resize(level, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_LINEAR)
            if not np.array_equal(half, levels[l + 1][0]):
                yield f"{name}: level {l + 1} differs at {np.argwhere(half != levels[l + 1][0])[0][::-1]} (x, y)"
        for threshold in THRESHOLDS:
            if min(level.shape) < 7:
                continue
            corners = fast(level, threshold, False) > 0
            if not np.array_equal(corners, strength > threshold):
                where = np.argwhere(corners != (strength > threshold))[0][::-1]
                yield f"{name}: level {l}, corners at threshold {threshold} differ at {where} (x, y)"
            peaks = fast(level, threshold, True)
            kept = peaks > 0
            if not np.array_equal(peaks[kept], strength[kept]):
                yield f"{name}: level {l}, responses at threshold {threshold} differ"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stages", help="the built example `stages`")
    parser.add_argument("images", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    program = [str(pathlib.Path(arguments.stages).resolve())] if arguments.stages else CARGO
    if arguments.images:
        images = [(file.name, cv2.imread(str(file), cv2.IMREAD_GRAYSCALE)) for file in arguments.images]
    else:
        images = [*synthetic(), *photos()]
    failures, corners = [], 0
    for name, image in images:
        if image is None:
            sys.exit(f"cannot read {name}")
        with tempfile.TemporaryDirectory() as folder:
            levels = list(stages(program, image, pathlib.Path(folder)))
        corners += sum(int((strength > 0).sum()) for _, strength in levels)
        failures += differences(name, levels)
    print("\n".join(failures) or f"{len(images)} images, {corners} pixels with V > {TMIN}: equal to OpenCV {cv2.__version__}")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
