"""A camera and an IMU that play an EuRoC folder in real time, and a listener that reports what the node makes of it.

usage: demo_peer.py SEQUENCE OUT        (inside the ROS 2 environment; needs OpenCV)
"""

import csv
import sys
import threading
import time
from pathlib import Path

import cv2
import numpy as np
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import CameraInfo, Image, Imu, PointCloud2

# Frames between two kept overlays.
KEEP_EVERY = 50
NS = 1_000_000_000


def rows(path):
    with open(path, newline="") as file:
        return [row for row in csv.reader(file) if row and not row[0].startswith("#")]


def stamp(msg, ns):
    msg.header.stamp.sec, msg.header.stamp.nanosec = divmod(ns, NS)
    msg.header.frame_id = "cam0"
    return msg


class Sequence:
    """Images and IMU samples merged by time, as ready messages."""

    def __init__(self, folder):
        folder = folder / "mav0" if (folder / "mav0").exists() else folder
        self.events = []
        for ns, name in rows(folder / "cam0" / "data.csv"):
            picture = cv2.imread(str(folder / "cam0" / "data" / name.strip()), cv2.IMREAD_GRAYSCALE)
            height, width = picture.shape
            image = Image(height=height, width=width, encoding="mono8", step=width, data=picture.tobytes())
            self.events.append((int(ns), "image", stamp(image, int(ns))))
        for ns, *values in rows(folder / "imu0" / "data.csv"):
            sample = stamp(Imu(), int(ns))
            rate, force = sample.angular_velocity, sample.linear_acceleration
            rate.x, rate.y, rate.z, force.x, force.y, force.z = map(float, values)
            self.events.append((int(ns), "imu", sample))
        self.events.sort(key=lambda event: event[0])
        self.camera_info = camera_info(folder / "cam0" / "sensor.yaml", width, height)


def camera_info(path, width, height):
    """The calibration of a sensor.yaml with one-line lists."""
    entries = dict(line.split(":", 1) for line in path.read_text().splitlines() if ":" in line)

    def numbers(name):
        return [float(v) for v in entries[name].split("#")[0].strip().strip("[]").split(",")]

    fx, fy, cx, cy = numbers("intrinsics")
    return CameraInfo(width=width, height=height, distortion_model="plumb_bob", d=numbers("distortion_coefficients"),
                      k=[fx, 0.0, cx, 0.0, fy, cy, 0.0, 0.0, 1.0])


class Listener:
    """What comes back, and when."""

    def __init__(self, node, viewer, out):
        self.out = out
        self.sent, self.counts, self.latencies = {}, [], []
        self.overlays, self.kept, self.bearings, self.report = 0, [], 0, {}
        node.create_subscription(PointCloud2, "features", self.on_features, 10)
        viewer.create_subscription(Image, "feature_image", self.on_overlay, 10)
        node.create_subscription(DiagnosticArray, "/diagnostics", self.on_report, 10)

    def on_features(self, cloud, info):
        ns = cloud.header.stamp.sec * NS + cloud.header.stamp.nanosec
        # When the middleware had it: this script itself may be busy with an overlay.
        self.latencies.append((info["received_timestamp"] - self.sent[ns]) / 1e6)
        self.counts.append(cloud.width)
        z = np.frombuffer(bytes(cloud.data), "<f4").reshape(cloud.width, -1)[:, 2]
        self.bearings += int((z == 1).all())

    def on_overlay(self, image):
        if self.overlays % KEEP_EVERY == 0:
            path = self.out / f"overlay_{self.overlays:04}.png"
            cv2.imwrite(str(path), np.frombuffer(bytes(image.data), np.uint8).reshape(image.height, image.width, 3))
            self.kept.append(path)
        self.overlays += 1

    def on_report(self, array):
        self.report = {value.key: value.value for status in array.status for value in status.values}

    def line(self, seconds, images, samples):
        counts, latencies = np.array(self.counts or [0]), np.array(self.latencies or [np.nan])
        return (f"image {images / seconds:5.1f} Hz  imu {samples / seconds:5.1f} Hz  "
                f"features {len(self.counts) / seconds:5.1f} Hz  overlay {self.overlays / seconds:5.1f} Hz   "
                f"{counts.min()}/{counts.mean():.0f}/{counts.max()} features a frame (min/mean/max)   "
                f"image to features p50 {np.percentile(latencies, 50):.2f} p95 {np.percentile(latencies, 95):.2f} ms")


def participant(name):
    """A node with a connection of its own to the network, and its executor."""
    context = rclpy.Context()
    rclpy.init(context=context)
    node = rclpy.create_node(name, context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    return node, executor


def play(node, executor, sequence, listener):
    publishers = {"image": node.create_publisher(Image, "image", qos_profile_sensor_data),
                  "imu": node.create_publisher(Imu, "imu", qos_profile_sensor_data)}
    info = node.create_publisher(CameraInfo, "camera_info", qos_profile_sensor_data)
    deadline = time.monotonic() + 30
    while min(p.get_subscription_count() for p in (*publishers.values(), info)) == 0 or not listener.report:
        if time.monotonic() > deadline:
            sys.exit("demo: the node did not appear within 30 s")
        executor.spin_once(timeout_sec=0.1)
    first, start, said = sequence.events[0][0], time.monotonic(), 0
    counts = {"image": 0, "imu": 0}
    for ns, kind, message in sequence.events:
        due = start + (ns - first) / NS
        while (rest := due - time.monotonic()) > 0:
            executor.spin_once(timeout_sec=rest)
        if kind == "image":
            info.publish(stamp(sequence.camera_info, ns))
            listener.sent[ns] = time.time_ns()
        publishers[kind].publish(message)
        counts[kind] += 1
        elapsed = time.monotonic() - start
        if int(elapsed) > said:
            said = int(elapsed)
            print(f"{said:3} s  {listener.line(elapsed, counts['image'], counts['imu'])}", flush=True)
    patience = time.monotonic() + 3
    while len(listener.counts) < counts["image"] and time.monotonic() < patience:
        executor.spin_once(timeout_sec=0.1)
    return counts["image"]


def main():
    folder, out = map(Path, sys.argv[1:3])
    sequence = Sequence(folder)
    node, executor = participant("demo_peer")
    # As on a robot, who looks at pictures is not who consumes features: megabytes of overlay would delay both.
    viewer, viewing = participant("demo_viewer")
    listener = Listener(node, viewer, out)
    threading.Thread(target=viewing.spin, daemon=True).start()
    sent = play(node, executor, sequence, listener)
    # The report of the last second covers the whole run.
    time.sleep(1.1)
    for _ in range(200):
        executor.spin_once(timeout_sec=0.01)
    print(f"{len(listener.counts)} of {sent} images came back as features, {listener.bearings} with bearings")
    for key, value in listener.report.items():
        if key.startswith(("latency", "images", "frames", "imu samples")):
            print(f"  {key}: {value}")
    print("overlays:", *(path.name for path in listener.kept))
    viewing.shutdown()
    if not listener.counts or not listener.kept:
        sys.exit("demo: nothing came back from the node")


main()
