"""The IMU beside the images: what it triggers, and what becomes of samples that are late, repeated or broken."""

import itertools
import subprocess

import cv2
import numpy as np
import pytest
from harness import SMALL, START_NS, TOOL, Session, gyro, message, points, scene, stamp_of, table
from sensor_msgs.msg import Imu


def imu(stamp_ns, rate=0.1):
    return gyro(stamp_ns, 0, 0, rate)


def make_heard(session, publisher, before_ns):
    """The IMU is alive before the first image: until it is heard it counts as dead, and no image waits for it."""
    stamps = itertools.count(before_ns - 10_000_000_000, 5_000_000)

    def heard():
        publisher.publish(imu(next(stamps)))
        return int(session.diagnostic()[2]["imu samples"]) > 0

    session.until(heard, "the IMU to be heard")


def test_trigger_imu_interval_follows_the_imu():
    with Session({**SMALL, "trigger": "imu_interval", "trigger_hz": 10.0, "imu_wait_ms": 1000.0}) as session:
        samples = session.connected(Imu, "imu")
        stamps = []
        make_heard(session, samples, START_NS)
        # Images at 20 Hz, each covered by the IMU before it is sent: every second one is due.
        for k in range(1, 21):
            stamp = START_NS + k * 50_000_000
            for j in range(10):
                samples.publish(imu(stamp - 45_000_000 + j * 5_000_000))
            session.images.publish(message(scene(), stamp_ns=stamp))
            stamps.append(stamp)
            session.executor.spin_once(timeout_sec=0.02)
        session.until(lambda: len(session.clouds) >= 10, "every second image")
        session.await_diagnostic("images skipped by trigger", 10)
        assert [stamp_of(c) for c in session.clouds] == stamps[::2]
        # Duplicates, late and broken samples are counted and harm nothing.
        for sample in (imu(stamps[-1]), imu(stamps[-1] - 3_000_000), imu(stamps[-1] + 5_000_000, float("nan")), imu(0)):
            samples.publish(sample)
        session.await_diagnostic("imu samples refused", 4)
        # A dead IMU means every frame.
        session.next_stamp = stamps[-1]
        session.until(lambda: session.diagnostic()[2]["imu silent for"] > "1.2", "the IMU to be silent")
        for _ in range(4):
            assert len(session.features(message(scene()))) == 100
        session.until(lambda: "no IMU" in session.diagnostic()[1] or session.features(message(scene())) is None,
                      "diagnostics to say so")


FRAMES = 16


@pytest.fixture(scope="module")
def sequence(tmp_path_factory):
    """A walk along a corridor as an EuRoC folder: camera at 20 Hz, IMU at 200 Hz."""
    folder = tmp_path_factory.mktemp("sequence")
    command = [TOOL, "synth", "corridor", "--out", folder, "--frames", str(FRAMES)]
    subprocess.run(command, check=True, capture_output=True)
    return folder / "mav0"


def play(sequence, later_ns=0, copies=1):
    """Tracks of each frame and the last diagnostics. Samples newer than `later_ns` before an image follow it."""
    samples = [gyro(*row[:4]) for row in table(sequence / "imu0" / "data.csv")]
    given = {"mode": "track", "calibration_file": str(sequence / "cam0" / "sensor.yaml"), "imu_wait_ms": 1000.0}
    with Session(given) as session:
        publisher = session.connected(Imu, "imu")
        make_heard(session, publisher, stamp_of(samples[0]))

        def publish_until(stamp_ns):
            while samples and stamp_of(samples[0]) <= stamp_ns:
                for _ in range(copies):
                    publisher.publish(samples[0])
                samples.pop(0)

        for stamp, name in table(sequence / "cam0" / "data.csv"):
            stamp = int(stamp)
            publish_until(stamp + 5_000_000 - later_ns)
            picture = cv2.imread(str(sequence / "cam0" / "data" / name), cv2.IMREAD_GRAYSCALE)
            session.images.publish(message(picture, stamp_ns=stamp))
            if later_ns:
                session.executor.spin_once(timeout_sec=later_ns * 1e-9)
                publish_until(stamp + 5_000_000)
            session.cloud_of(stamp)
        session.await_diagnostic("frames processed", FRAMES)
        return [points(cloud) for cloud in session.clouds], session.diagnostic()[2]


def test_t06_duplicates_and_late_samples_change_nothing(sequence):
    clean, told = play(sequence)
    assert told["frames predicted"] == str(FRAMES - 1) and told["imu coverage"] == "Covered", told
    assert told["prediction"].startswith("used: ") and told["verification"] in ("KnownRotation", "Essential"), told
    assert int(told["tracks alive"]) == len(clean[-1]) > 100
    kinds = [key for key in told if key.startswith("tracks lost ")]
    ended = int(told["tracks born"]) - len(clean[-1])
    assert len(kinds) == 10 and 0 < sum(int(told[key]) for key in kinds) <= ended, told

    # 30 ms after the image, and each sample twice.
    for dirty, told in (play(sequence, later_ns=30_000_000, copies=2), play(sequence, later_ns=3_000_000)):
        assert len(dirty) == len(clean) == FRAMES, "no image is lost"
        places = [np.column_stack([frame["u"], frame["v"]]) for frame in (clean[-1], dirty[-1])]
        distances = np.linalg.norm(places[0][:, None] - places[1], axis=2).min(axis=1)
        assert (distances < 0.1).mean() >= 0.98, told


def test_without_the_pose_of_the_imu_diagnostics_say_what_is_missing():
    with Session({"mode": "track", "intrinsics": [200.0, 210.0, 160.5, 120.25]}) as session:
        session.features(message(scene()))
        session.features(message(scene()))
        session.await_diagnostic("frames processed", 2)
        told = session.diagnostic()[2]
        assert "t_cam_imu" in told["prediction"] and told["imu coverage"] == "not asked for", told
