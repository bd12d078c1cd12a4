"""A camera and an IMU that play an EuRoC folder in real time, and a listener that reports what the node makes of it.

usage: demo_peer.py SEQUENCE OUT        (inside the ROS 2 environment; needs OpenCV)
"""

import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import cv2
import numpy as np
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import CameraInfo, Image, Imu, PointCloud2

from demo_sequence import NS, Sequence, stamp

# Frames between two kept overlays.
KEEP_EVERY = 50


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

    def node_latency(self):
        """Median and 95th percentile of the node's own latency in ms, from its last report."""
        text = self.report.get("latency total p50/p95/p99", "")
        try:
            p50, p95, _ = (float(value) / 1e3 for value in text.removesuffix("us").split("/"))
        except ValueError:
            # No frame has been processed yet.
            return "node itself: no report yet"
        return f"node itself p50 {p50:.2f} p95 {p95:.2f} ms"


class Meter:
    """Rates, counts and latencies since the last line, or since `begin`."""

    def __init__(self, listener):
        self.listener = listener
        self.published = {"image": 0, "imu": 0}
        self.begin()

    def begin(self):
        self.since = time.monotonic()
        self.mark = self.totals()

    def totals(self):
        heard = self.listener
        return self.published["image"], self.published["imu"], len(heard.counts), heard.overlays

    def line(self):
        seconds = time.monotonic() - self.since
        image, imu, features, overlays = ((now - then) / seconds for now, then in zip(self.totals(), self.mark))
        rates = f"image {image:5.1f} Hz  imu {imu:5.1f} Hz  features {features:5.1f} Hz  overlay {overlays:5.1f} Hz"
        text = f"{rates}   {self.figures(self.mark[2])}   {self.listener.node_latency()}"
        self.begin()
        return text

    def figures(self, first=0):
        """Counts and latencies of the clouds from the `first` on."""
        counts, latencies = self.listener.counts[first:], self.listener.latencies[first:]
        if not counts:
            return "no features"
        p50, p95 = np.percentile(latencies, [50, 95])
        return (f"{min(counts)}/{np.mean(counts):.0f}/{max(counts)} features a frame (min/mean/max)   "
                f"image to features p50 {p50:.2f} p95 {p95:.2f} ms")


def participant(name):
    """A node with a connection of its own to the network, and its executor."""
    context = rclpy.Context()
    rclpy.init(context=context)
    node = rclpy.create_node(name, context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    return node, executor


def play(node, executor, viewer, sequence, listener):
    publishers = {"image": node.create_publisher(Image, "image", qos_profile_sensor_data),
                  "imu": node.create_publisher(Imu, "imu", qos_profile_sensor_data)}
    info = node.create_publisher(CameraInfo, "camera_info", qos_profile_sensor_data)
    deadline = time.monotonic() + 30

    def connected():
        heard = all(publisher.get_subscription_count() for publisher in (*publishers.values(), info))
        # The two participants find the node each in its own time.
        both = node.count_publishers("features") and viewer.count_publishers("feature_image")
        return heard and both and listener.report

    while not connected():
        if time.monotonic() > deadline:
            sys.exit("demo: the node did not appear within 30 s")
        executor.spin_once(timeout_sec=0.1)
    first, start, said = sequence.events[0][0], time.monotonic(), 0
    meter = Meter(listener)
    for ns, kind, message in sequence.events:
        due = start + (ns - first) / NS
        while (rest := due - time.monotonic()) > 0:
            executor.spin_once(timeout_sec=rest)
        if kind == "image":
            info.publish(stamp(sequence.camera_info, ns))
            listener.sent[ns] = time.time_ns()
        publishers[kind].publish(message)
        meter.published[kind] += 1
        elapsed = time.monotonic() - start
        if int(elapsed) > said:
            said = int(elapsed)
            print(f"{said:3} s  {meter.line()}", flush=True)
    patience = time.monotonic() + 3
    while len(listener.counts) < meter.published["image"] and time.monotonic() < patience:
        executor.spin_once(timeout_sec=0.1)
    return meter


@contextmanager
def watching(executor):
    """Spins in a thread of its own, and ends it: one that is still in rclpy at exit aborts the interpreter."""
    ended = threading.Event()

    def spin():
        while not ended.is_set():
            executor.spin_once(timeout_sec=0.1)

    thread = threading.Thread(target=spin)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def leave(node, executor):
    executor.shutdown()
    node.destroy_node()
    rclpy.shutdown(context=node.context)


def summarise(meter, listener):
    sent = meter.published["image"]
    print(f"{len(listener.counts)} of {sent} images came back as features, {listener.bearings} with bearings")
    print(f"  {meter.figures()}")
    for key, value in listener.report.items():
        if key.startswith(("latency", "images", "frames", "imu samples")):
            print(f"  {key}: {value}")
    print("overlays:", *(path.name for path in listener.kept))
    if not listener.counts:
        sys.exit(f"demo: no features came back for {sent} images")
    if not listener.kept:
        sys.exit("demo: features came back, but no feature_image")


def main():
    folder, out = map(Path, sys.argv[1:3])
    sequence = Sequence(folder)
    node, executor = participant("demo_peer")
    # As on a robot, who looks at pictures is not who consumes features: megabytes of overlay would delay both.
    viewer, viewing = participant("demo_viewer")
    listener = Listener(node, viewer, out)
    try:
        with watching(viewing):
            meter = play(node, executor, viewer, sequence, listener)
            # The report of the last second covers the whole run.
            time.sleep(1.1)
            for _ in range(200):
                executor.spin_once(timeout_sec=0.01)
    finally:
        leave(viewer, viewing)
        leave(node, executor)
    summarise(meter, listener)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
