#!/usr/bin/env python3
"""`make demo`: the real node on a live synthetic camera and IMU over ROS 2.

Builds the node and the offline tool, simulates a corridor, runs the node and a peer that plays the recording in real
time. Rates, counts and latencies are printed; overlay pictures stay in demo_out/.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
OUT = REPOSITORY / "demo_out"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR") or REPOSITORY / "target").absolute()
ROS2 = [sys.executable, REPOSITORY / "tools" / "ros2.py"]
FRAMES = 200


def run(command, **options):
    """Runs a command; where it fails, it has said why."""
    done = subprocess.run(command, cwd=REPOSITORY, **options)
    if done.returncode != 0:
        sys.exit(f"demo: `{' '.join(map(str, command))}` failed with status {done.returncode}")
    return done


def main():
    node = run([*ROS2, "build", "--release"], stdout=subprocess.PIPE, text=True).stdout.strip().splitlines()[-1]
    run(["cargo", "build", "--release", "--bin", "vio_frontend"])
    shutil.rmtree(OUT, ignore_errors=True)
    sequence = OUT / "corridor"
    run([TARGET / "release" / "vio_frontend", "synth", "corridor", "--out", sequence, "--frames", str(FRAMES)])

    packages = Path(os.environ.get("VIO_ROS2_DIR") or REPOSITORY / ".ros2") / "test"
    environment = {
        **os.environ,
        # A network of its own: no other robot hears the demo.
        "ROS_DOMAIN_ID": str(random.SystemRandom().randint(1, 100)),
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
    }
    command = [*ROS2, "exec", "--", node, "--ros-args", "--params-file", REPOSITORY / "params" / "default.yaml"]
    with subprocess.Popen(command, cwd=REPOSITORY, env=environment) as running:
        try:
            peer = REPOSITORY / "tools" / "demo_peer.py"
            play = ["sh", "-c", 'PYTHONPATH="$0:$PYTHONPATH" exec "$VIO_ROS2_PYTHON" "$@"', packages, peer, sequence, OUT]
            run([*ROS2, "exec", "--", *play], env=environment)
            if running.poll() is not None:
                sys.exit(f"demo: the node ended by itself with status {running.returncode}")
        finally:
            if running.poll() is None:
                running.send_signal(signal.SIGINT)
            status = running.wait(timeout=10)
    if status != 0:
        sys.exit(f"demo: the node ended with status {status}")
    print("the node ended cleanly; overlays and the sequence are in demo_out/")


if __name__ == "__main__":
    main()
