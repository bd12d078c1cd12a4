"""An EuRoC folder as ROS 2 messages (needs OpenCV)."""

import csv

import cv2
from sensor_msgs.msg import CameraInfo, Image, Imu

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
