#!/usr/bin/env python3
"""OpenCV detectors as peers of `vio_frontend eval --peer`.

usage: vio_frontend eval SOURCE --peer "python3 tests/oracle/peers.py NAME"     (needs opencv-python-headless and numpy)

NAME is one of

* fast: FAST 9/16 at threshold 5 with non-max suppression on three levels of a pyramid of 2 x 2 means, whole pixels;
* fast-subpix: the same, refined by cornerSubPix (window 2) at the point's own level;
* orb: ORB keypoints and descriptors, 8 levels of 1.2, up to 5 pixels of the level from the border.

Reads lines `IMAGE<tab>COUNT`; answers each with lines `u,v,level` (ORB: `u,v,level,hamming:HEX`), the best first, and an empty line. u, v are level-0
pixels, pixel centres at integers. `level` is the level of a pyramid of halves, or the one nearest to ORB's scale.
"""
import math
import sys

import cv2
import numpy as np

LEVELS = 3
# The contract's `fast_threshold_min`, so that every detector may choose from the same corners.
THRESHOLD = 5
# Our detector's least distance from a level's border: the same for all.
BORDER = 4


def pyramid(image):
    """Level l + 1: the rounded mean of 2 x 2 pixels of level l, a last odd column or row dropped."""
    for _ in range(LEVELS):
        yield image
        height, width = (side // 2 * 2 for side in image.shape)
        blocks = image[:height, :width].astype(np.uint16).reshape(height // 2, 2, width // 2, 2)
        image = ((blocks.sum((1, 3)) + 2) >> 2).astype(np.uint8)


def refine(image, points):
    """cornerSubPix with a window of 5 x 5; a point that leaves the window stays where it was."""
    if len(points) == 0:
        return points
    criteria = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_MAX_ITER, 30, 0.01)
    corners = np.ascontiguousarray(points, np.float32).reshape(-1, 1, 2)
    return cv2.cornerSubPix(image, corners, (2, 2), (-1, -1), criteria).reshape(-1, 2)


def fast(image, count, subpixel):
    detector = cv2.FastFeatureDetector_create(THRESHOLD, True, cv2.FAST_FEATURE_DETECTOR_TYPE_9_16)
    found = []
    for level, reduced in enumerate(pyramid(image)):
        height, width = reduced.shape
        kept = [
            k for k in detector.detect(reduced)
            if BORDER <= k.pt[0] < width - BORDER and BORDER <= k.pt[1] < height - BORDER
        ]
        found += [(-k.response, level, *k.pt) for k in kept]
    # Ties in order of level, row, column.
    found.sort(key=lambda f: (f[0], f[1], f[3], f[2]))
    found = found[:count]
    points = np.array([f[2:] for f in found]).reshape(-1, 2)
    levels = np.array([f[1] for f in found], int)
    if subpixel:
        for level, reduced in enumerate(pyramid(image)):
            points[levels == level] = refine(reduced, points[levels == level])
    # Pixel x of level l covers 2^l pixels of level 0, whose middle is (x + 0.5) * 2^l - 0.5.
    scale = (1 << levels)[:, None]
    return np.column_stack([(points + 0.5) * scale - 0.5, levels])


def orb(image, count):
    """Keypoints and descriptors."""
    detector = cv2.ORB_create(nfeatures=count, edgeThreshold=5, fastThreshold=THRESHOLD)
    keypoints = sorted(detector.detect(image), key=lambda k: -k.response)[:count]
    keypoints, descriptors = detector.compute(image, keypoints)
    if not keypoints:
        return []
    # OpenCV multiplies the pixel of a level by its scale; what remains of half a pixel is ORB's own bias.
    level = lambda k: min(round(k.octave * math.log2(1.2)), LEVELS - 1)
    # `compute` has put them in the order of their octaves.
    described = sorted(zip(keypoints, descriptors), key=lambda pair: -pair[0].response)
    return [(*k.pt, level(k), f",hamming:{d.tobytes().hex()}") for k, d in described]


DETECTORS = {
    "fast": lambda image, count: fast(image, count, False),
    "fast-subpix": lambda image, count: fast(image, count, True),
    "orb": orb,
}


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in DETECTORS:
        sys.exit(__doc__)
    detect = DETECTORS[sys.argv[1]]
    for line in sys.stdin:
        path, count = line.rstrip("\n").split("\t")
        image = cv2.imread(path, cv2.IMREAD_GRAYSCALE)
        if image is None:
            sys.exit(f"cannot read {path}")
        rows = [f"{u:.4f},{v:.4f},{int(level)}{''.join(rest)}\n" for u, v, level, *rest in detect(image, int(count))]
        sys.stdout.write("".join(rows) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
