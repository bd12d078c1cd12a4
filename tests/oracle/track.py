#!/usr/bin/env python3
"""OpenCV's calcOpticalFlowPyrLK as the yardstick of the tracker, on the same points, window, levels and gates.

usage: track.py [--flow PROGRAM] [--pairs N] [--window W] [SOURCE ...]     (needs opencv-python-headless and numpy)

PROGRAM is the built example `flow`; without it, cargo builds and runs it. A SOURCE is what `flow` takes, with more of
its pairs after `+`, such as `+light=2+illumination=true`; without any, scenes of the simulator and, where they are
present, real sequences (VIO_TEST_DATA, else ../shared/data).

Both track there and back (at most 0.5 px apart), 21 x 21 pixels, 3 levels; OpenCV with at most 30 steps a level, ended
by one of 0.01 px, ours with our defaults (+max_iter=30+eps=0.01 after a source has OpenCV's). A line each:

* kept: share of the points that is tracked;
* with truth: survival (of the points that the second frame shows, tracked and within 1 px), share of the kept within
  1 px, median error of these;
* apart: median distance between the two results.

Exit status 0 only if, where the truth is known and the light is the same, the median errors agree to 0.02 px, the results
are at most 0.02 px apart, and we survive at most 1 % less often: with few pairs a handful of points decides.
"""
import argparse
import csv
import os
import pathlib
import subprocess
import sys
import tempfile

import cv2
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
CARGO = ["cargo", "run", "--quiet", "--release", "--example", "flow", "--"]
SCENES = ("corridor", "room", "outdoor", "low_texture", "moving_objects")
LIGHTS = (1, 0.5, 2)
SEQUENCES = ("euroc_micro", "tum_fr2_desk", "kitti_07", "rpg_tags_pnp", "gopro_karma_a", "scenery_hut",
             "aria_gen2_front")
BACK = 0.5
MEDIANS = 0.02
SHARE = 0.01


def sources():
    for light in LIGHTS:
        for scene in SCENES:
            yield f"synth:{scene}" + (f"+light={light}+illumination=true" if light != 1 else "")
    data = pathlib.Path(os.environ.get("VIO_TEST_DATA", ROOT.parent / "shared" / "data"))
    for name in SEQUENCES:
        if (data / name).is_dir():
            yield str(data / name)
        else:
            print(f"skipped: no {name} under {data}")


def run_ours(program, source, folder, options):
    """Columns of flows.csv, NaN where a cell is empty; the image size."""
    name, *more = source.split("+")
    subprocess.run([*program, name, str(folder), *options, *more], check=True, cwd=ROOT)
    with open(folder / "flows.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    columns = {key: np.array([float(row[key] or "nan") for row in rows]) for key in rows[0]} if rows else {}
    return columns, tuple(map(int, (folder / "size.txt").read_text().split()))


def run_opencv(flows, size, folder, window):
    """(positions, whether kept) of the same points."""
    width, height = size
    criteria = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 30, 0.01)
    settings = dict(winSize=(window, window), maxLevel=2, criteria=criteria)
    starts = np.stack([flows["u"], flows["v"]], 1).astype(np.float32)
    found, kept = np.zeros_like(starts), np.zeros(len(starts), bool)
    for pair in np.unique(flows["pair"]).astype(int):
        rows = flows["pair"] == pair
        previous, current = (np.fromfile(folder / f"{pair}{i}.u8", np.uint8).reshape(height, width) for i in "ab")
        there, good, _ = cv2.calcOpticalFlowPyrLK(previous, current, starts[rows, None], None, **settings)
        back, good_back, _ = cv2.calcOpticalFlowPyrLK(current, previous, there, None, **settings)
        apart = np.linalg.norm(back[:, 0] - starts[rows], axis=1)
        there = there[:, 0]
        inside = ((there >= 0) & (there <= (width - 1, height - 1))).all(1)
        found[rows], kept[rows] = there, (good[:, 0] == 1) & (good_back[:, 0] == 1) & (apart <= BACK) & inside
    return found, kept


def judge(flows, found, kept):
    """(kept, survival, within 1 px, median error); the last three NaN without truth."""
    error = np.linalg.norm(found - np.stack([flows["true_u"], flows["true_v"]], 1), axis=1)
    seen = flows["seen"] == 1
    if not seen.any():
        return kept.mean(), np.nan, np.nan, np.nan
    known = kept & ~np.isnan(error)
    good = known & (error <= 1)
    return kept.mean(), (good & seen).sum() / seen.sum(), good.sum() / known.sum(), np.median(error[good])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--flow", help="the built example `flow`")
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--window", type=int, default=21)
    parser.add_argument("sources", nargs="*")
    arguments = parser.parse_args()
    program = [str(pathlib.Path(arguments.flow).resolve())] if arguments.flow else CARGO
    options = [f"frames={arguments.pairs}", f"window={arguments.window}"]
    print("| frames | points | kept: ours, OpenCV | survival | within 1 px | median error, px | apart, px |")
    print("|---|---|---|---|---|---|---|")
    failures = []
    for source in arguments.sources or sources():
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            flows, size = run_ours(program, source, folder, options)
            if not flows:
                failures.append(f"{source}: no points")
                continue
            found, kept = run_opencv(flows, size, folder, arguments.window)
        ours, our_kept = np.stack([flows["found_u"], flows["found_v"]], 1), flows["status"] == 0
        a, b = judge(flows, ours, our_kept), judge(flows, found, kept)
        both = our_kept & kept
        apart = np.median(np.linalg.norm(ours - found, axis=1)[both]) if both.any() else np.nan
        cells = [f"{x:.4f}, {y:.4f}" if not np.isnan(x) else "-" for x, y in zip(a, b)]
        print(f"| {source.split('/')[-1]} | {len(both)} | {' | '.join(cells)} | {apart:.4f} |", flush=True)
        if "+light" not in source and not np.isnan(a[1]):
            if a[1] < b[1] - SHARE:
                failures.append(f"{source}: survival {a[1]:.4f}, OpenCV {b[1]:.4f}")
            if a[3] > b[3] + MEDIANS or apart > MEDIANS:
                failures.append(f"{source}: median error {a[3]:.4f}, OpenCV {b[3]:.4f}, apart {apart:.4f}")
    print("\n".join(failures) or f"as good as OpenCV {cv2.__version__}")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
