"""What the node costs: idle CPU, CPU and latency a frame over the library, memory over a long run, time to exit.

    VIO_NODE=$(python3 tools/ros2.py build --release) VIO_TOOL=target/release/vio_frontend \
    python3 tools/ros2.py exec -- env PYTHONPATH=.ros2/test:tests/ros2 python benches/node.py [--frames N] [IMAGE]

With --rate HZ instead: CPU and latency in `mode: track` on images of 640x480 that come at that rate, on each --device.

Prints one JSON object. CPU times are those of the node's process (/proc/PID/stat), so the peer's load does not count.
"""

import argparse
import json
import os
import signal
import sys
import time

import cv2
import numpy as np
from harness import Session, message, scene

TICK_S = 1 / os.sysconf("SC_CLK_TCK")


def cpu_s(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * TICK_S


def rss_mb(pid):
    return int(open(f"/proc/{pid}/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def percentiles(diagnostic, stage):
    """p50, p95, p99 in microseconds of a stage, from the node's own report."""
    p50, p95, p99 = diagnostic[f"latency {stage} p50/p95/p99"].removesuffix(" us").split(" / ")
    return {"p50": float(p50), "p95": float(p95), "p99": float(p99)}


def idle(seconds):
    with Session({}) as session:
        pid, before = session.process.pid, cpu_s(session.process.pid)
        time.sleep(seconds)
        return (cpu_s(pid) - before) / seconds * 100


def long_run(picture, frames, target):
    with Session({"mode": "detect", "max_cnt": target}) as session:
        pid, image, memory = session.process.pid, message(picture), []
        for _ in range(200):
            session.features(image)
        before = cpu_s(pid)
        for k in range(frames):
            session.features(image)
            session.clouds.clear()
            if k % (frames // 20) == 0:
                memory.append(round(rss_mb(pid), 2))
        cpu = (cpu_s(pid) - before) / frames * 1e6
        memory.append(round(rss_mb(pid), 2))
        session.executor.spin_once(timeout_sec=1.5)
        seen = len(session.diagnostics)
        session.until(lambda: len(session.diagnostics) > seen, "a report")
        report = session.diagnostic()[2]
        stages = {s: percentiles(report, s) for s in ("wait", "gray", "detect", "output", "publish", "total")}
        library = sum(stages[s]["p50"] for s in ("gray", "detect", "output"))
        session.executor.spin_once(timeout_sec=0.1)
        start = time.monotonic()
        session.process.send_signal(signal.SIGTERM)
        session.process.wait()
        return {
            "frames": frames, "size": picture.shape[::-1], "features": target, "latency_us": stages,
            "cpu_us_per_frame": round(cpu, 1), "library_us_p50": library,
            "node_over_library_latency_us_p50": round(stages["total"]["p50"] - library, 1),
            "node_over_library_cpu_us": round(cpu - library, 1),
            "rss_mb": memory, "dropped": report["images dropped"], "refused": report["frames refused"],
            "exit_s": round(time.monotonic() - start, 3),
        }


def paced(rate, seconds, device):
    """A picture that moves by a pixel a frame, there and back."""
    whole = scene(640 + 60, 480)
    images = [message(np.ascontiguousarray(whole[:, k : k + 640])) for k in [*range(60), *range(60, 0, -1)]]
    with Session({"device": device}) as session:
        count, warm = int(rate * seconds), int(rate * 2)
        begin = time.monotonic()
        for k in range(-warm, count):
            while time.monotonic() < begin + (k + warm) / rate:
                session.executor.spin_once(timeout_sec=0.001)
            if k == 0:
                cpu, start = cpu_s(session.process.pid), time.monotonic()
            session.next_stamp += int(1e9 / rate) - 50_000_000
            session.send(images[k % len(images)])
        cpu, wall = cpu_s(session.process.pid) - cpu, time.monotonic() - start
        seen = len(session.diagnostics)
        session.until(lambda: len(session.diagnostics) > seen, "a report")
        report = session.diagnostic()[2]
        stages = [key.split(" ")[1] for key in report if key.startswith("latency ")]
        return {
            "device": device, "backend": report["backend"], "fallback": report["fallback"], "rate_hz": rate,
            "seconds": round(wall, 1), "cpu_percent": round(cpu / wall * 100, 2),
            "frames": report["frames processed"], "dropped": report["images dropped"],
            "latency_us": {stage: percentiles(report, stage) for stage in stages},
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--frames", type=int, default=20_000)
    parser.add_argument("--max-cnt", type=int, default=1000)
    parser.add_argument("--idle-s", type=float, default=20)
    parser.add_argument("--rate", type=float, help="Hz")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--device", nargs="+", default=["auto"])
    parser.add_argument("image", nargs="?")
    args = parser.parse_args()
    if args.rate:
        print(json.dumps([paced(args.rate, args.seconds, device) for device in args.device], indent=1))
        return
    picture = cv2.imread(args.image, cv2.IMREAD_GRAYSCALE) if args.image else scene(752, 480)
    if picture is None:
        sys.exit(f"cannot read {args.image}")
    result = {"idle_cpu_percent": round(idle(args.idle_s), 2), "run": long_run(picture, args.frames, args.max_cnt)}
    print(json.dumps(result, indent=1))


main()
