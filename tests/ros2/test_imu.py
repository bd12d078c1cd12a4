"""The IMU beside the images: what it triggers, and what becomes of samples that are late, repeated or broken."""

import itertools

from harness import SMALL, START_NS, Session, message, scene, set_stamp, stamp_of
from sensor_msgs.msg import Imu


def imu(stamp_ns, rate=0.1):
    sample = Imu()
    set_stamp(sample, stamp_ns)
    sample.angular_velocity.z = rate
    return sample


def test_trigger_imu_interval_follows_the_imu():
    with Session({**SMALL, "trigger": "imu_interval", "trigger_hz": 10.0, "imu_wait_ms": 1000.0}) as session:
        samples = session.connected(Imu, "imu")
        stamps = []
        # The IMU is alive before the first image: until it is heard it counts as dead, and every image is processed.
        before = itertools.count(START_NS - 10_000_000_000, 5_000_000)

        def heard():
            samples.publish(imu(next(before)))
            return int(session.diagnostic()[2]["imu samples"]) > 0

        session.until(heard, "the IMU to be heard")
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
