#!/usr/bin/env python3
"""`make demo`: the real node on a live synthetic camera and IMU over ROS 2.

Builds the node and the offline tool, simulates a corridor, runs the node and a peer that plays the recording in real
time. Rates, counts and latencies are printed; overlay pictures stay in demo_out/.
"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
OUT = REPOSITORY / "demo_out"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR") or REPOSITORY / "target").absolute()
ROS2 = [sys.executable, REPOSITORY / "tools" / "ros2.py"]
PACKAGES = Path(os.environ.get("VIO_ROS2_DIR") or REPOSITORY / ".ros2").absolute() / "test"
# Of the synthetic camera.
FRAME_RATE_HZ = 20
# How long the node may take to end after SIGINT.
PATIENCE_S = 10


def run(command, **options):
    """Runs a command; where it fails, it has said why."""
    done = subprocess.run(command, cwd=REPOSITORY, **options)
    if done.returncode != 0:
        sys.exit(f"demo: `{' '.join(map(str, command))}` failed with status {done.returncode}")
    return done


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=10, help="how long camera and IMU play (10)")
    parser.add_argument("--max-cnt", type=int, default=200, help="most tracks (200)")
    args = parser.parse_args()
    if args.seconds < 1:
        parser.error("--seconds must be at least 1")
    return args


def ensure_packages():
    """OpenCV for the peer, by the Makefile's rule: this script works without make's `demo` target as well."""
    run(["make", "--quiet", f"VIO_ROS2_DIR={PACKAGES.parent}", PACKAGES / ".done"])


def attend(peer, node):
    """Waits for the peer, but not for its patience when the node is gone."""
    while peer.poll() is None:
        if node.poll() is not None:
            peer.terminate()
            sys.exit(f"demo: the node ended by itself with status {node.returncode}")
        time.sleep(0.1)
    if peer.returncode != 0:
        sys.exit(f"demo: the peer ended with status {peer.returncode}")


def stop(node):
    """Ends the node as Ctrl-C would."""
    if node.poll() is None:
        node.send_signal(signal.SIGINT)
    try:
        node.wait(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        node.kill()
        sys.exit(f"demo: the node ignored SIGINT for {PATIENCE_S} s and was killed")


def main():
    args = arguments()
    ensure_packages()
    node_path = run([*ROS2, "build", "--release"], stdout=subprocess.PIPE, text=True).stdout.strip().splitlines()[-1]
    run(["cargo", "build", "--release", "--bin", "vio_frontend"])
    shutil.rmtree(OUT, ignore_errors=True)
    sequence = OUT / "corridor"
    run([TARGET / "release" / "vio_frontend", "synth", "corridor", "--out", sequence,
         "--frames", str(args.seconds * FRAME_RATE_HZ)])

    environment = {
        **os.environ,
        # A network of its own: no other robot hears the demo.
        "ROS_DOMAIN_ID": str(random.SystemRandom().randint(1, 100)),
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
    }
    serve = [*ROS2, "exec", "--", node_path, "--ros-args",
             "--params-file", REPOSITORY / "params" / "default.yaml", "-p", f"max_cnt:={args.max_cnt}"]
    peer = REPOSITORY / "tools" / "demo_peer.py"
    play = [*ROS2, "exec", "--", "sh", "-c", 'PYTHONPATH="$0:$PYTHONPATH" exec "$VIO_ROS2_PYTHON" "$@"',
            PACKAGES, peer, sequence, OUT]
    with subprocess.Popen(serve, cwd=REPOSITORY, env=environment) as node:
        try:
            with subprocess.Popen(play, cwd=REPOSITORY, env=environment) as playing:
                attend(playing, node)
        finally:
            stop(node)
    if node.returncode != 0:
        sys.exit(f"demo: the node ended with status {node.returncode} after SIGINT")
    print("the node ended cleanly; overlays and the sequence are in demo_out/")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
