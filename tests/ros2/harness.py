"""The real node as a process, and an rclpy peer that feeds it and listens."""

import itertools
import json
import os
import random
import signal
import subprocess
import time
from pathlib import Path

import cv2
import numpy as np
import rclpy
import rclpy.executors
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rcl_interfaces.srv import SetParameters
from sensor_msgs.msg import Image, Imu, PointCloud2
from std_msgs.msg import Bool

NODE = os.environ["VIO_NODE"]
TOOL = os.environ["VIO_TOOL"]
REPOSITORY = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("VIO_TEST_DATA", REPOSITORY.parent / "shared" / "data"))

# Long enough for a loaded machine: it only bounds how long a failure takes.
PATIENCE_S = float(os.environ.get("VIO_PATIENCE_S", 60))
RELIABLE = QoSProfile(depth=200, reliability=ReliabilityPolicy.RELIABLE)
START_NS = 1_700_000_000_000_000_000
FIELDS = ["x", "y", "z", "u", "v", "vx", "vy", "id", "age", "level", "score", "sigma"]
# Every session has a ROS 2 network of its own: what another one left behind, or runs beside it, is not heard.
os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
# Shared memory outlives a process that was killed and then blocks the next one on the same port; sockets do not.
os.environ["FASTDDS_BUILTIN_TRANSPORTS"] = "UDPv4"
DOMAINS = itertools.cycle(random.SystemRandom().sample(range(1, 101), 100))
# Nothing may be lost between the peer and the node: reliable, and a queue for the whole burst.
LOSSLESS = {"image_qos": "reliable", "imu_qos": "reliable", "image_queue_size": 64}
# Few features, quickly found.
SMALL = {"mode": "detect", "max_cnt": 100}


def scene(width=320, height=240, seed=1):
    """A grey picture rich in corners: blurred noise over blocks."""
    rng = np.random.default_rng(seed)
    blocks = rng.integers(40, 216, (height // 8 + 1, width // 8 + 1)).astype(np.uint8)
    picture = np.kron(blocks, np.ones((8, 8), np.uint8))[:height, :width]
    return cv2.GaussianBlur(picture, (3, 3), 0)


def photo():
    """A real picture where the data set is present, else a synthetic one."""
    path = DATA / "photos" / "machinehall_a_752x480.png"
    picture = cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)
    if picture is None:
        print(f"{path} is absent: synthetic picture instead")
        return scene(752, 480)
    return picture


def message(data, encoding="mono8", *, width=None, height=None, step=None, stamp_ns=START_NS, big_endian=False):
    """An Image of the rows of `data` (2-D bytes)."""
    data = np.ascontiguousarray(data)
    rows = data.reshape(data.shape[0], -1).view(np.uint8)
    image = Image(encoding=encoding, is_bigendian=int(big_endian))
    image.height = data.shape[0] if height is None else height
    image.width = data.shape[1] if width is None else width
    image.step = rows.shape[1] if step is None else step
    image.data = rows.tobytes()
    image.header.frame_id = "cam0"
    set_stamp(image, stamp_ns)
    return image


def set_stamp(msg, stamp_ns):
    msg.header.stamp.sec, msg.header.stamp.nanosec = divmod(stamp_ns, 1_000_000_000)


def gyro(stamp_ns, x, y, z):
    """An Imu of these angular velocities, rad/s."""
    sample = Imu()
    set_stamp(sample, int(stamp_ns))
    sample.angular_velocity.x, sample.angular_velocity.y, sample.angular_velocity.z = map(float, (x, y, z))
    return sample


def table(path):
    """The rows of a CSV file below its header, as text."""
    return [line.strip().split(",") for line in path.read_text().splitlines()[1:]]


def stamp_of(msg):
    return msg.header.stamp.sec * 1_000_000_000 + msg.header.stamp.nanosec


def points(cloud):
    """The features of a PointCloud2 as a structured array, after checking the layout byte by byte."""
    assert [f.name for f in cloud.fields][: len(FIELDS)] == FIELDS
    assert [f.offset for f in cloud.fields][: len(FIELDS)] == list(range(0, 4 * len(FIELDS), 4))
    unsigned = {"id", "age", "level"}
    assert all(f.datatype == (6 if f.name in unsigned else 7) and f.count == 1 for f in cloud.fields[: len(FIELDS)])
    assert not cloud.is_bigendian and cloud.height == 1 and cloud.is_dense
    assert cloud.row_step == cloud.point_step * cloud.width == len(cloud.data)
    kinds = [(name, "<u4" if name in unsigned else "<f4") for name in FIELDS]
    for field in cloud.fields[len(FIELDS) :]:
        assert (field.name, field.offset, field.datatype, field.count) == ("descriptor", 4 * len(FIELDS), 2, 128)
        kinds.append(("descriptor", "u1", 128))
    assert cloud.point_step == np.dtype(kinds).itemsize
    return np.frombuffer(bytes(cloud.data), dtype=kinds)


def offline(picture, *arguments):
    """What `vio_frontend detect --json` finds in the picture."""
    path = Path(os.environ.get("TMPDIR", "/tmp")) / f"vio_ros2_test_{os.getpid()}.png"
    cv2.imwrite(str(path), picture)
    try:
        out = subprocess.run([TOOL, "detect", path, "--json", *arguments], check=True, capture_output=True, text=True)
    finally:
        path.unlink()
    return json.loads(out.stdout)["features"]


class Session:
    """One node process and its peer; a context manager."""

    def __init__(self, parameters=None, arguments=(), namespace="", image_kind=Image,
                 image_topic="image", environment=None, exit_code=0):
        self.parameters = {**LOSSLESS, **(parameters or {})}
        self.arguments = list(arguments)
        self.namespace = namespace
        self.image_kind, self.image_topic = image_kind, image_topic
        self.own_environment, self.exit_code = environment or {}, exit_code
        self.clouds, self.restarts, self.diagnostics = [], [], []
        # What is listened to from the start. The node learns of subscriptions in their order, so that whoever hears
        # the diagnostics, which come last, has missed nothing of these.
        self.topics = [(PointCloud2, "features", self.clouds), (Bool, "restart", self.restarts)]
        self.next_stamp = START_NS

    def __enter__(self):
        command = [NODE, "--ros-args", *self.arguments]
        for name, value in self.parameters.items():
            command += ["-p", f"{name}:={json.dumps(value)}"]
        domain = next(DOMAINS)
        # For other programs on the same network.
        self.environment = {**os.environ, "ROS_DOMAIN_ID": str(domain)}
        environment = {**self.environment, **self.own_environment}
        self.process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.executor = rclpy.executors.SingleThreadedExecutor(context=self.context)
        self.peer = rclpy.create_node("peer", context=self.context)
        self.executor.add_node(self.peer)
        for topic in [*self.topics, (DiagnosticArray, "/diagnostics", self.diagnostics)]:
            self.listen(*topic)
        self.images = self.publisher(self.image_kind, self.image_topic)
        try:
            self.until(lambda: self.images.get_subscription_count() == 1 and self.diagnostics, "the node to appear")
        except BaseException:
            self.process.kill()
            raise
        return self

    def __exit__(self, *_):
        self.executor.shutdown()
        self.peer.destroy_node()
        rclpy.shutdown(context=self.context)
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            self.log = self.process.communicate(timeout=PATIENCE_S)[1]
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.log = self.process.communicate()[1]
            raise AssertionError(f"the node ignored SIGINT:\n{self.log}")
        assert self.process.returncode == self.exit_code, f"exit {self.process.returncode}:\n{self.log}"
        assert "panicked" not in self.log, self.log

    def name(self, topic):
        return topic if topic.startswith("/") else f"{self.namespace}/{topic}"

    def listen(self, kind, topic, into):
        return self.peer.create_subscription(kind, self.name(topic), into.append, RELIABLE)

    def publisher(self, kind, topic, qos=RELIABLE):
        return self.peer.create_publisher(kind, self.name(topic), qos)

    def until(self, condition, what):
        deadline = time.monotonic() + PATIENCE_S
        while not condition():
            assert self.process.poll() is None, f"the node died: {self.process.communicate()[1]}"
            assert time.monotonic() < deadline, f"waited in vain for {what() if callable(what) else what}"
            self.executor.spin_once(timeout_sec=0.05)

    def connected(self, kind, topic):
        publisher = self.publisher(kind, topic)
        self.until(lambda: publisher.get_subscription_count() == 1, f"a subscription to {topic}")
        return publisher

    def send(self, image):
        """Publishes with the next stamp, 50 ms after the one before, and returns that stamp."""
        self.next_stamp += 50_000_000
        set_stamp(image, self.next_stamp)
        self.images.publish(image)
        return self.next_stamp

    def cloud_of(self, stamp_ns):
        self.until(lambda: any(stamp_of(c) == stamp_ns for c in self.clouds), f"features of {stamp_ns}")
        return next(c for c in self.clouds if stamp_of(c) == stamp_ns)

    def features(self, image):
        """Sends an image and returns its features."""
        return points(self.cloud_of(self.send(image)))

    def diagnostic(self):
        """The newest report as (level, message, {key: value})."""
        status = self.diagnostics[-1].status[0]
        level = status.level[0] if isinstance(status.level, bytes) else status.level
        return level, status.message, {v.key: v.value for v in status.values}

    def await_diagnostic(self, key, value):
        self.until(lambda: self.diagnostic()[2].get(key) == str(value),
                   lambda: f"'{key}' {value} in {self.diagnostic()}")

    def set_parameter(self, name, value):
        """Returns the result of the real service."""
        service = self.name("vio_frontend/set_parameters")
        client = self.peer.create_client(SetParameters, service)
        self.until(client.service_is_ready, service)
        future = client.call_async(SetParameters.Request(parameters=[Parameter(name, value=value).to_parameter_msg()]))
        self.until(future.done, f"setting {name}")
        self.peer.destroy_client(client)
        return future.result().results[0]


def refused_at_start(arguments):
    """Runs the node with arguments that it must refuse, and returns what it says."""
    run = subprocess.run([NODE, "--ros-args", *arguments], capture_output=True, text=True, timeout=PATIENCE_S)
    assert run.returncode not in (0, None) and run.returncode > 0, f"exit {run.returncode}: {run.stderr}"
    assert "panicked" not in run.stderr, run.stderr
    return run.stderr
