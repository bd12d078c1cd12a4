"""What the node is given at its start, what ends it, and that it publishes what `replay` writes."""

import signal
import subprocess
import time

import cv2
import numpy as np
import pytest
from harness import DATA, LOSSLESS, SMALL, TOOL, Session, gyro, message, points, refused_at_start, scene, table
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Imu, PointCloud2


def test_namespace_and_remaps():
    arguments = ["-r", "__ns:=/robot7", "-r", "image:=/cam/raw", "-r", "features:=corners"]
    with Session(SMALL, arguments, namespace="/robot7", image_topic="/cam/raw") as session:
        session.listen(PointCloud2, "corners", session.clouds)
        assert len(session.features(message(scene()))) == 100
        assert session.set_parameter("max_cnt", 5).successful


@pytest.mark.parametrize("qos", ["sensor_data", "reliable", "system_default"])
def test_image_qos_is_what_the_parameter_says(qos):
    with Session({**SMALL, "image_qos": qos}) as session:
        assert len(session.features(message(scene()))) == 100
        reliability = [int(i.qos_profile.reliability) for i in session.peer.get_subscriptions_info_by_topic("/image")]
        reliable, best_effort = 1, 2
        # What the middleware's default is, is its own affair.
        allowed = {"sensor_data": [best_effort], "reliable": [reliable]}.get(qos, [reliable, best_effort])
        assert len(reliability) == 1 and reliability[0] in allowed


def test_t08_configured_size():
    with Session({**SMALL, "image_size": [320, 240]}) as session:
        session.send(message(scene(200, 160)))
        assert len(session.features(message(scene()))) == 100
        session.send(message(scene(200, 160)))
        session.await_diagnostic("refused configured_size", 2)
        session.until(lambda: session.diagnostic()[0] == 2, "an error in diagnostics")
        assert "200 x 160" in session.diagnostic()[1] and "320 x 240" in session.diagnostic()[1]


def test_t09_mask_file_of_the_wrong_size(tmp_path):
    path = tmp_path / "mask.png"
    cv2.imwrite(str(path), np.full((100, 100), 255, np.uint8))
    with Session({**SMALL, "mask_file": str(path)}) as session:
        session.send(message(scene()))
        session.await_diagnostic("refused mask_size", 1)
        assert session.set_parameter("use_mask", False).successful
        assert len(session.features(message(scene()))) == 100


def test_t10_parameter_file(tmp_path):
    def file(text):
        path = tmp_path / "params.yaml"
        path.write_text(text)
        return ["--params-file", str(path)]

    section = "/**:\n  ros__parameters:\n"
    good = section + "    mode: detect\n    freq: 0\n    max_cnt: 100.0\n    restart_gap_s: 5e-1\n    intrinsics: [200, 210.5, 160, 120]\n"
    with Session({}, file(good)) as session:
        found = session.features(message(scene()))
        assert len(found) == 100 and (found["z"] == 1).all()
    for text, words in [
        (section + "    max_cnf: 100\n", ["max_cnf", "max_cnt"]),
        (section + "    max_cnt: 100.5\n", ["max_cnt", "100.5", "integer"]),
        (section + "    max_cnt: lots\n", ["max_cnt", "lots"]),
        (section + "    freq: .nan\n", ["freq"]),
        (section + "\tfreq: 1.0\n", ["tab"]),
        (section + "    distortion: [0.1, 0.2, 0.3]\n", ["distortion", "3 coefficients"]),
        (section + "    mask_file: /nowhere.png\n", ["mask_file", "/nowhere.png"]),
        (section + "    device: cuda\n", ["device", "cuda"]),
        (section + "    use_sim_time: 3\n", ["use_sim_time", "bool"]),
        ("vio_frontend:\n  ros_parameters:\n    freq: 1.0\n", ["ros__parameters"]),
        ("", ["empty"]),
    ]:
        said = refused_at_start(file(text))
        assert all(word in said for word in words), said
    assert "/absent.yaml" in refused_at_start(["--params-file", "/absent.yaml"])


def test_use_sim_time_stamps_the_diagnostics():
    with Session({**SMALL, "use_sim_time": True}) as session:
        clock = session.connected(Clock, "/clock")
        tick = Clock()
        tick.clock.sec = 1234

        def arrived():
            clock.publish(tick)
            return session.diagnostics[-1].header.stamp.sec == 1234

        session.until(arrived, "diagnostics in simulated time")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_the_node_cleanly(number):
    with Session(SMALL) as session:
        session.features(message(scene()))
        start = time.monotonic()
        session.process.send_signal(number)
        # The mission asks for 2 s; the bound here only catches a node that hangs.
        assert session.process.wait(timeout=30) == 0
        print(f"{number.name}: {time.monotonic() - start:.2f} s")


def test_a_sequence_gives_the_tracks_of_the_offline_run(tmp_path):
    """Frame by frame the node publishes what `replay` writes, gyroscope included."""
    source = DATA / "euroc_micro" / "mav0"
    if not source.exists():
        print(f"{source} is absent: synthetic sequence instead")
        source = tmp_path / "sequence" / "mav0"
        subprocess.run([TOOL, "synth", "corridor", "--out", source.parent, "--frames", "20"],
                       check=True, capture_output=True)
    out = tmp_path / "run"
    subprocess.run([TOOL, "replay", source, "--out", out, "--max-frames", "20"], check=True, capture_output=True)
    rows = [line.split(",") for line in (out / "features.csv").read_text().splitlines()[1:]]
    frames, samples = (table(source / name / "data.csv") for name in ("cam0", "imu0"))
    # No sample is lost, so none is waited for in vain, however busy the machine.
    given = {"calibration_file": str(source / "cam0" / "sensor.yaml"), "imu_wait_ms": 1000.0, **LOSSLESS}
    with Session(given) as session:
        gyroscope = session.connected(Imu, "imu")
        for stamp, name in ((int(stamp), name) for stamp, name in frames[:20]):
            while samples and int(samples[0][0]) <= stamp + 5_000_000:
                gyroscope.publish(gyro(*samples.pop(0)[:4]))
            picture = cv2.imread(str(source / "cam0" / "data" / name), cv2.IMREAD_GRAYSCALE)
            session.images.publish(message(picture, stamp_ns=stamp))
            found = points(session.cloud_of(stamp))
            expected = np.array([row for row in rows if int(row[0]) == stamp], float)
            assert len(found) == len(expected) > 0
            for i, field in enumerate(["id", "u", "v", "x", "y", "vx", "vy", "age", "level", "score"], start=1):
                assert np.allclose(found[field], expected[:, i], rtol=1e-6, atol=2e-9), (stamp, field)
