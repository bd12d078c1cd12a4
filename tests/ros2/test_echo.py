"""The node in front of a real rclpy peer: an image goes in, the same image comes back.

    VIO_NODE=target/debug/vio_frontend_node python3 tools/ros2.py exec -- python3 tests/ros2/test_echo.py
"""

import os
import signal
import subprocess
import time
import unittest

import rclpy
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import Image

PATIENCE_S = 20.0


def frame(width=752, height=480, padding=16):
    """A frame whose every byte depends on its place, with rows longer than the width."""
    image = Image(width=width, height=height, encoding="mono8", step=width + padding)
    image.header.stamp.sec, image.header.stamp.nanosec = 1_700_000_000, 123_456_789
    image.header.frame_id = "cam0"
    image.data = bytes((x ^ y) & 0xFF for y in range(height) for x in range(width + padding))
    return image


class Echo(unittest.TestCase):
    def setUp(self):
        self.node = subprocess.Popen([os.environ["VIO_NODE"]])
        rclpy.init()
        self.peer = rclpy.create_node("peer")
        self.received = []
        self.peer.create_subscription(Image, "feature_image", self.received.append, 10)
        self.images = self.peer.create_publisher(Image, "image", qos_profile_sensor_data)

    def tearDown(self):
        if self.node.poll() is None:
            self.node.kill()
        self.node.wait()
        rclpy.shutdown()

    def test_image_comes_back_and_the_node_leaves_when_told(self):
        sent = frame()
        deadline = time.monotonic() + PATIENCE_S
        # Best effort loses what is sent before the two sides have found each other: send until heard.
        while not self.received and time.monotonic() < deadline:
            self.images.publish(sent)
            rclpy.spin_once(self.peer, timeout_sec=0.1)
            self.assertIsNone(self.node.poll(), "the node died")
        self.assertTrue(self.received, f"nothing came back in {PATIENCE_S} s")
        self.assertEqual(self.received[0], sent)

        self.node.send_signal(signal.SIGTERM)
        self.assertEqual(self.node.wait(timeout=2.0), 0)


if __name__ == "__main__":
    unittest.main()
