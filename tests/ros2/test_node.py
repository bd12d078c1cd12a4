"""What a robot does to the running node: restarts, parameters, masks, calibration."""

import numpy as np
import pytest
from harness import SMALL, Session, message, points, scene
from rcl_interfaces.srv import DescribeParameters
from sensor_msgs.msg import CameraInfo, Image
from std_srvs.srv import Trigger


@pytest.fixture(scope="module")
def session():
    with Session(SMALL) as session:
        yield session


def call(session, kind, name, request):
    client = session.peer.create_client(kind, session.name(name))
    session.until(client.service_is_ready, name)
    future = client.call_async(request)
    session.until(future.done, f"an answer of {name}")
    session.peer.destroy_client(client)
    return future.result()


def test_stamp_and_frame_are_those_of_the_image(session):
    image = message(scene())
    image.header.frame_id = "left_optical"
    cloud = session.cloud_of(session.send(image))
    assert cloud.header == image.header and len(points(cloud)) == 100


def test_overlay_is_stable_and_made_only_on_demand(session):
    received = []
    overlay = session.listen(Image, "feature_image", received)
    session.until(lambda: session.peer.count_publishers("feature_image") == 1, "feature_image")
    session.set_parameter("threshold_ratio", 0.0)
    session.until(lambda: session.features(message(scene())) is not None and len(received) >= 2, "two overlays")
    first, second = received[:2]
    assert (first.encoding, first.step, first.width, first.height) == ("bgr8", 3 * 320, 320, 240)
    assert bytes(first.data) == bytes(second.data)
    drawn = np.frombuffer(bytes(first.data), np.uint8).reshape(240, 320, 3)
    assert (drawn != scene()[:, :, None]).any(axis=2).sum() > 100
    session.peer.destroy_subscription(overlay)


def test_stamps_restart_once_and_refuse(session):
    session.features(message(scene()))
    before, stamp = len(session.restarts), session.next_stamp
    session.next_stamp = stamp - 5_000_000_000
    session.features(message(scene()))
    session.features(message(scene()))
    session.until(lambda: len(session.restarts) == before + 1, "one restart for the jump back")
    session.next_stamp = stamp + 60_000_000_000
    session.features(message(scene()))
    session.features(message(scene()))
    session.until(lambda: len(session.restarts) == before + 2, "one restart for the gap")
    repeated = message(scene(), stamp_ns=session.next_stamp)
    session.images.publish(repeated)
    session.images.publish(message(scene(), stamp_ns=0))
    session.features(message(scene()))
    session.await_diagnostic("refused repeated_stamp", 1)
    session.await_diagnostic("refused no_stamp", 1)
    assert len(session.restarts) == before + 2


def test_size_change_and_reset_service_restart(session):
    session.features(message(scene()))
    before = len(session.restarts)
    assert len(session.features(message(scene(200, 160)))) == 100
    session.until(lambda: len(session.restarts) == before + 1, "a restart for the new size")
    answer = call(session, Trigger, "vio_frontend/reset", Trigger.Request())
    assert answer.success
    session.features(message(scene(200, 160)))
    session.until(lambda: len(session.restarts) == before + 2, "a restart on request")
    session.features(message(scene()))


def test_parameters_change_with_the_next_frame(session):
    assert session.set_parameter("max_cnt", 37).successful
    assert len(session.features(message(scene()))) == 37
    # An integer is as good as a double, and a whole double as good as an integer.
    assert session.set_parameter("freq", 0).successful
    assert session.set_parameter("max_cnt", 100.0).successful
    assert len(session.features(message(scene()))) == 100


@pytest.mark.parametrize("name, value, words", [
    ("fast_threshold_min", 255, ["fast_threshold_min", "255", "[1, 254]"]),
    ("fast_threshold_min", 61, ["fast_threshold_min", "61", "fast_threshold_max"]),
    ("max_cnt", -1, ["max_cnt", "-1", "[1, 65535]"]),
    ("threshold_ratio", float("nan"), ["threshold_ratio", "NaN"]),
    ("max_cnt", "many", ["max_cnt", "many", "integer"]),
    ("mask_file", "/nowhere.png", ["mask_file", "/nowhere.png"]),
    ("mask_polarity", "inverse", ["mask_polarity", "inverse", "zero_excludes"]),
    ("image_qos", "reliable", ["read only"]),
])
def test_bad_values_are_refused_in_words(session, name, value, words):
    result = session.set_parameter(name, value)
    assert not result.successful
    assert all(word in result.reason for word in words), result.reason
    assert len(session.features(message(scene()))) == 100


def test_parameters_describe_themselves(session):
    request = DescribeParameters.Request(names=["fast_threshold_min", "trigger", "image_qos"])
    ranged, chosen, fixed = call(session, DescribeParameters, "vio_frontend/describe_parameters", request).descriptors
    assert "from 1 to 254" in ranged.additional_constraints and "threshold" in ranged.description
    assert "every_frame, imu_interval" in chosen.additional_constraints
    assert fixed.read_only and not ranged.read_only


def test_t09_mask_topic(session):
    mask = np.zeros((240, 320), np.uint8)
    mask[:, 160:] = 255
    publisher = session.connected(Image, "mask")
    publisher.publish(message(mask))
    session.until(lambda: (session.features(message(scene()))["u"] >= 159).all(), "the mask to hold")
    # A mask of another size holds for images of that size only.
    publisher.publish(message(np.zeros((100, 100), np.uint8)))
    session.until(lambda: (session.features(message(scene()))["u"] < 159).any(), "the mask to be left out")
    publisher.publish(message(np.zeros((240, 320), np.uint8)))
    session.until(lambda: len(session.features(message(scene()))) == 0, "an empty, stamped message under a black mask")
    publisher.publish(message(mask, step=0))
    publisher.publish(message(np.full((240, 320), 255, np.uint8)))
    session.until(lambda: len(session.features(message(scene()))) == 100, "the good mask after a broken one")
    session.peer.destroy_publisher(publisher)


def info(**fields):
    defaults = {"width": 320, "height": 240, "distortion_model": "plumb_bob", "d": [0.0] * 5,
                "k": [200.0, 0.0, 160.5, 0.0, 210.0, 120.25, 0.0, 0.0, 1.0]}
    return CameraInfo(**{**defaults, **fields})


def test_t12_camera_info(session):
    publisher = session.connected(CameraInfo, "camera_info")
    publisher.publish(CameraInfo())
    found = session.features(message(scene()))
    assert not found["z"].any() and found["u"].any()
    publisher.publish(info())
    session.until(lambda: session.features(message(scene()))["z"].all(), "bearings")
    found = session.features(message(scene()))
    assert np.allclose(found["x"], (found["u"] - 160.5) / 200, atol=1e-6) and (found["z"] == 1).all()
    assert np.allclose(found["y"], (found["v"] - 120.25) / 210, atol=1e-6)
    for broken in (info(d=[0.1, 0.2, 0.3]), info(distortion_model="fisheye9"), info(width=640), info(k=[np.nan] * 9)):
        publisher.publish(broken)
        session.until(lambda: not session.features(message(scene()))["z"].any(), "pixels only")
        publisher.publish(info())
        session.until(lambda: session.features(message(scene()))["z"].all(), "bearings again")
    session.peer.destroy_publisher(publisher)


def test_diagnostics_need_no_images(session):
    seen = len(session.diagnostics)
    session.until(lambda: len(session.diagnostics) >= seen + 2, "two more reports")
    level, text, values = session.diagnostic()
    assert level == 1 and "no image" in text
    assert values["backend"] == "cpu" and " us" in values["latency total p50/p95/p99"]
