#!/usr/bin/env python3
"""Tracks of OpenCV on a folder of images, as a features.csv that `vio_frontend eval SOURCE --tracks FILE` judges.

usage: opencv_tracks.py SOURCE OUT [--corners gftt|fast] [--max-cnt N] [--min-dist PX] [--window W] [--back PX]
                        [--ransac PX] [--frames N]                     (needs opencv-python-headless and numpy)

SOURCE is an EuRoC folder (mav0 or its parent), a TUM folder or a folder of images. OUT gets features.csv
(`stamp_ns,id,u,v`) and lost.csv (`stamp_ns,id,reason`).

The steps are those of the front end of VINS-Fusion: calcOpticalFlowPyrLK from the frame before (window 21, maxLevel 2,
which is three levels, 30 steps, 0.01 px), back again, at most 0.5 px apart, a pixel from the border; with `--ransac`,
findFundamentalMat (0.99) on undistorted points at the camera's own focal length drops outliers; of tracks closer than
`min-dist` the oldest stays; new corners fill up outside the discs of that radius about those that are there:
goodFeaturesToTrack (quality 0.01), or FAST 9/16 at threshold 5 with non-max suppression, the strongest first.
"""
import argparse
import csv
import pathlib
import re
import sys

import cv2
import numpy as np

CRITERIA = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 30, 0.01)


def euroc(cam0):
    listing = cam0 / "data.csv"
    with open(listing, newline="") as file:
        rows = [[cell.strip() for cell in row] for row in csv.reader(file)]
    return [(int(row[0]), cam0 / "data" / row[1]) for row in rows if row and row[0].isdigit()]


def tum(source):
    frames = []
    for line in (source / "rgb.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            time, name = line.split(maxsplit=1)
            seconds, fraction = time.split(".")
            frames.append((int(seconds) * 10**9 + int(fraction.ljust(9, "0")[:9]), source / name.strip()))
    return frames


def read_frames(source):
    """(stamp in ns, image file) of each frame, and the calibration file, as the offline tool finds them."""
    for mav0 in (source / "mav0", source):
        if (mav0 / "cam0").is_dir():
            return euroc(mav0 / "cam0"), mav0 / "cam0" / "sensor.yaml"
    if (source / "rgb.txt").is_file():
        return tum(source), source / "calibration.yaml"
    files = sorted(path for path in source.iterdir() if path.suffix.lower() in (".png", ".jpg", ".jpeg"))
    return [(50_000_000 * (k + 1), path) for k, path in enumerate(files)], source / "calibration.yaml"


class Undistorter:
    """Pixels of an ideal pinhole of the same focal length."""

    def __init__(self, path):
        text = path.read_text()
        numbers = lambda key: [float(n) for n in re.search(rf"^{key}:\s*\[([^\]]*)\]", text, re.M)[1].split(",")]
        fx, fy, cx, cy = numbers("intrinsics")
        self.matrix = np.array([[fx, 0, cx], [0, fy, cy], [0, 0, 1]])
        self.distortion = np.array(numbers("distortion_coefficients"))
        self.fisheye = "equidistant" in text

    def __call__(self, points):
        points = np.ascontiguousarray(points, np.float64).reshape(-1, 1, 2)
        undistort = cv2.fisheye.undistortPoints if self.fisheye else cv2.undistortPoints
        return undistort(points, self.matrix, self.distortion, P=self.matrix).reshape(-1, 2)


class Tracker:
    def __init__(self, options, undistort):
        self.options, self.undistort = options, undistort
        self.image, self.next_id = None, 0
        self.points, self.ids, self.ages = np.empty((0, 2), np.float32), np.empty(0, int), np.empty(0, int)

    def keep(self, mask, reason, lost):
        lost += [(track, reason) for track in self.ids[~mask]]
        self.points, self.ids, self.ages = self.points[mask], self.ids[mask], self.ages[mask]

    def frame(self, image):
        """Ids and reasons of the tracks that end with this frame; the others are in `ids` and `points`."""
        lost = []
        if len(self.points):
            self.follow(image, lost)
        if self.options.ransac and len(self.points) >= 8:
            self.verify(lost)
        self.before, self.image = self.points, image
        self.thin(lost)
        self.top_up()
        return lost

    def follow(self, image, lost):
        settings = dict(winSize=(self.options.window,) * 2, maxLevel=2, criteria=CRITERIA)
        starts = self.points[:, None]
        there, good, _ = cv2.calcOpticalFlowPyrLK(self.image, image, starts, None, **settings)
        back, good_back, _ = cv2.calcOpticalFlowPyrLK(image, self.image, there, None, **settings)
        apart = np.linalg.norm(back - starts, axis=2)[:, 0]
        height, width = image.shape
        found = there[:, 0]
        inside = ((found >= 1) & (found <= (width - 2, height - 2))).all(1)
        tracked = (good[:, 0] == 1) & (good_back[:, 0] == 1) & (apart <= self.options.back)
        self.before, self.points, self.ages = self.points, found, self.ages + 1
        self.before = self.before[inside & tracked]
        reasons = np.where(inside, "inconsistent", "outside")
        lost += [(track, reason) for track, reason in zip(self.ids[~(inside & tracked)], reasons[~(inside & tracked)])]
        self.keep(inside & tracked, "", [])

    def verify(self, lost):
        before, now = self.undistort(self.before), self.undistort(self.points)
        cv2.setRNGSeed(0)
        _, inliers = cv2.findFundamentalMat(before, now, cv2.FM_RANSAC, self.options.ransac, 0.99)
        if inliers is not None:
            self.keep(inliers[:, 0] == 1, "outlier", lost)

    def thin(self, lost):
        """The oldest first; the discs they occupy stay in `free`."""
        self.free = np.full(self.image.shape, 255, np.uint8)
        kept = np.zeros(len(self.points), bool)
        for i in np.argsort(-self.ages, kind="stable"):
            x, y = (int(round(float(c))) for c in self.points[i])
            if self.free[y, x]:
                kept[i] = True
                cv2.circle(self.free, (x, y), self.options.min_dist, 0, -1)
        self.keep(kept, "crowded", lost)

    def top_up(self):
        wanted = self.options.max_cnt - len(self.points)
        if wanted <= 0:
            return
        if self.options.corners == "gftt":
            corners = cv2.goodFeaturesToTrack(self.image, wanted, 0.01, self.options.min_dist, mask=self.free)
            corners = np.empty((0, 2), np.float32) if corners is None else corners.reshape(-1, 2)
        else:
            corners = self.fast(wanted)
        self.points = np.vstack([self.points, corners]).astype(np.float32)
        self.ids = np.append(self.ids, np.arange(self.next_id, self.next_id + len(corners)))
        self.ages = np.append(self.ages, np.zeros(len(corners), int))
        self.next_id += len(corners)

    def fast(self, wanted):
        detector = cv2.FastFeatureDetector_create(5, True, cv2.FAST_FEATURE_DETECTOR_TYPE_9_16)
        corners = []
        for found in sorted(detector.detect(self.image), key=lambda k: (-k.response, k.pt[1], k.pt[0])):
            x, y = (int(c) for c in found.pt)
            if self.free[y, x]:
                corners.append(found.pt)
                cv2.circle(self.free, (x, y), self.options.min_dist, 0, -1)
            if len(corners) == wanted:
                break
        return np.array(corners, np.float32).reshape(-1, 2)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--corners", choices=("gftt", "fast"), default="gftt")
    parser.add_argument("--max-cnt", type=int, default=200)
    parser.add_argument("--min-dist", type=int, default=20)
    parser.add_argument("--window", type=int, default=21)
    parser.add_argument("--back", type=float, default=0.5)
    parser.add_argument("--ransac", type=float, default=0, help="px; 0 for none")
    parser.add_argument("--frames", type=int)
    options = parser.parse_args()
    frames, calibration = read_frames(options.source)
    tracker = Tracker(options, Undistorter(calibration) if options.ransac else None)
    options.out.mkdir(parents=True, exist_ok=True)
    with open(options.out / "features.csv", "w") as features, open(options.out / "lost.csv", "w") as losses:
        print("stamp_ns,id,u,v", file=features)
        print("stamp_ns,id,reason", file=losses)
        for stamp, path in frames[:options.frames]:
            image = cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)
            if image is None:
                sys.exit(f"cannot read {path}")
            lost = tracker.frame(image)
            losses.writelines(f"{stamp},{track},{reason}\n" for track, reason in lost)
            rows = zip(tracker.ids, tracker.points)
            features.writelines(f"{stamp},{track},{u:.6f},{v:.6f}\n" for track, (u, v) in rows)


if __name__ == "__main__":
    main()
