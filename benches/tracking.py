#!/usr/bin/env python3
"""Tracks beside OpenCV's on the same frames: every sequence, one table, by the same judge (`vio_frontend eval`).

usage: tracking.py [--tool vio_frontend] [--data DIR] [--work DIR] [--params FILE] [--max-cnt N] [--without-imu]
                   [SOURCE ...]                                        (needs opencv-python-headless and numpy)

A SOURCE is a folder or synth:NAME; without any, the scenes of the simulator and, where DIR has them, real sequences.
Scenes and OpenCV's tracks (of opencv_tracks.py) are written below --work, and taken from there if they are there.
Prints Markdown: ours, OpenCV with GFTT and with FAST corners, and both with F-RANSAC at 1 px; at the end where we are
behind the better of the two without RANSAC, and of the two with it.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SCENES = ("corridor", "room", "outdoor", "low_texture", "moving_objects", "fast_rotation", "room?light=step")
SEQUENCES = ("scenery_hut_long", "euroc_micro", "tum_fr2_desk", "rpg_tags_pnp", "aria_gen2_front", "kitti_07",
             "gopro_karma_a")
# Name and options of opencv_tracks.py.
PEERS = {"gftt": ["--corners=gftt"], "fast": ["--corners=fast"],
         "gftt-ransac": ["--corners=gftt", "--ransac=1"], "fast-ransac": ["--corners=fast", "--ransac=1"]}

# Name, where it is in a tracker's figures, digits, and which way is better: +1, -1, 0 where it is no contest.
FIGURES = (
    ("tracks a frame", "tracks_per_frame", 1, 0),
    ("length, mean", "length.mean", 2, 1),
    ("error a frame, median px", "flow.median_px", 4, -1),
    ("within 1 px a frame", "flow.within_1px", 4, 1),
    ("drift in 100 frames, px", "flow.drift_px_per_100", 2, -1),
    ("survival", "flow.survival.kept", 4, 1),
    ("survival within 1 px", "flow.survival.kept_right", 4, 1),
    ("worst pair of frames", "flow.survival.worst", 4, 0),
    ("found again after loss", "flow.reacquisition.rate", 3, 0),
    ("error since birth / sigma", "flow.sigma.of_drift", 2, 0),
    ("outliers, recall", "outliers.recall", 4, 0),
    ("outliers, precision", "outliers.precision", 4, 0),
    ("direct over 5 frames, confirmed", "direct.confirmed", 4, 1),
    ("of these in a frame", "direct.confirmed_per_frame", 1, 1),
    ("off epipolar line, median px", "epipolar.median_px", 4, -1),
    ("off epipolar line, within 1 px", "epipolar.within_1px", 4, 1),
    ("left by the turn, median px", "rotation.left_median_px", 3, 0),
    ("wander, median px", "wander.median_px", 4, -1),
    ("wander alone, median px", "wander.alone_median_px", 4, -1),
    ("annotated corners, median px", "corners.median_px", 3, -1),
)


def lookup(figures, path):
    for key in path.split("."):
        figures = figures.get(key) if isinstance(figures, dict) else None
    return figures


def frames_of(tool, source, work):
    """The folder that OpenCV reads."""
    if not source.startswith("synth:"):
        return pathlib.Path(source)
    name, _, effects = source.removeprefix("synth:").partition("?")
    folder = work / (name + effects.replace("=", "_").replace("&", "_"))
    if not (folder / "mav0").is_dir():
        flags = [f"--{effect}" for effect in effects.split("&") if effect]
        subprocess.run([tool, "synth", name, "--out", str(folder), *flags], check=True, stdout=subprocess.DEVNULL)
    return folder


def judge(options, source, work):
    """The document of `eval`."""
    images = frames_of(options.tool, source, work)
    tracks = []
    for name, settings in PEERS.items():
        out = work / "tracks" / images.name / str(options.max_cnt) / name
        if not (out / "features.csv").is_file():
            made = out.with_name(f"{name}.unfinished")
            script = [sys.executable, str(HERE / "opencv_tracks.py"), str(images), str(made)]
            subprocess.run([*script, *settings, f"--max-cnt={options.max_cnt}"], check=True)
            made.rename(out)
        tracks += ["--tracks", str(out / "features.csv")]
    parameters = ["--params", options.params] if options.params else []
    parameters += ["--without-imu"] if options.without_imu else []
    command = [options.tool, "eval", source, "--what", "tracks", "--max-cnt", str(options.max_cnt), "--json"]
    answer = subprocess.run([*command, *parameters, *tracks], check=True, stdout=subprocess.PIPE)
    return json.loads(answer.stdout)["tracking"]


def print_rows(source, tracking, behind):
    trackers = tracking["trackers"]
    names = [tracker["tracker"] for tracker in trackers]
    for name, path, digits, better in FIGURES:
        values = [lookup(tracker, path) for tracker in trackers]
        # Precision is told where there is something to be found.
        if all(value is None for value in values) or path == "outliers.precision" and lookup(trackers[0], "outliers.recall") is None:
            continue
        print(f"| {source} | {name} | {' | '.join('-' if v is None else f'{v:.{digits}f}' for v in values)} |")
        for peers in (slice(1, 3), slice(3, 5)) if better else ():
            rivals = zip(values[peers], names[peers])
            rivals = [(better * value, value, peer) for value, peer in rivals if value is not None]
            if values[0] is not None and rivals and better * values[0] < max(rivals)[0]:
                _, best, peer = max(rivals)
                behind.append(f"{source}: {name}: {values[0]:.{digits}f}, {peer} {best:.{digits}f}")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default="vio_frontend")
    parser.add_argument("--data", type=pathlib.Path, help="folder of real sequences")
    parser.add_argument("--work", type=pathlib.Path, help="where scenes and tracks are kept, else removed")
    parser.add_argument("--params", help="parameter file of ours")
    parser.add_argument("--without-imu", action="store_true", help="track without the IMU")
    parser.add_argument("--max-cnt", type=int, default=200)
    parser.add_argument("sources", nargs="*", metavar="SOURCE")
    options = parser.parse_args()
    sources = options.sources or [f"synth:{scene}" for scene in SCENES]
    if options.data and not options.sources:
        sources += [str(options.data / name) for name in SEQUENCES if (options.data / name).is_dir()]
    behind = []
    print(f"| sequence | figure | ours | {' | '.join(PEERS)} |\n|{'---|' * (3 + len(PEERS))}")
    with tempfile.TemporaryDirectory() as scratch:
        for source in sources:
            tracking = judge(options, source, options.work or pathlib.Path(scratch))
            print_rows(source.rsplit("/", 1)[-1], tracking, behind)
    heading = "\nBehind OpenCV:\n" if behind else "\nNowhere behind."
    print("\n".join([heading, *(f"- {line}" for line in behind)]))


if __name__ == "__main__":
    main()
