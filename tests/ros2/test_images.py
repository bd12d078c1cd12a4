"""Images of every kind through the real node: what is the same picture must give the same features."""

import base64

import cv2
import numpy as np
import pytest
from harness import Session, message, offline, photo, scene
from sensor_msgs.msg import CompressedImage


@pytest.fixture(scope="module")
def session():
    with Session({"mode": "detect", "max_cnt": 300}) as session:
        yield session


@pytest.fixture(scope="module")
def reference(session):
    """What the tight mono8 picture gives. The gain moves with every frame, so the threshold is pinned."""
    session.set_parameter("threshold_ratio", 0.0)
    return session.features(message(scene())).tobytes()


def test_node_equals_offline_tool(session, reference):
    found = session.features(message(photo()))
    expected = offline(photo(), "--max-cnt", "300", "--params", "tests/ros2/pinned_threshold.yaml")
    assert len(found) == len(expected) == 300
    for name in ("u", "v"):
        assert np.array_equal(found[name], np.array([f[name] for f in expected], np.float32))
    assert np.array_equal(found["level"], [f["level"] for f in expected])
    assert np.array_equal(found["score"], [f["score"] for f in expected])
    assert np.array_equal(found["id"], np.arange(300)) and not found["age"].any()
    # Uncalibrated: no bearings, and never NaN.
    assert not any(found[name].any() for name in ("x", "y", "z", "vx", "vy"))


def test_descriptors_are_those_of_the_offline_tool(session, reference):
    assert "descriptor" not in session.features(message(photo())).dtype.names
    assert session.set_parameter("publish_descriptors", True).successful
    found = session.features(message(photo()))
    expected = offline(photo(), "--max-cnt", "300", "--params", "tests/ros2/pinned_threshold.yaml", "--descriptors")
    assert np.array_equal(found["descriptor"], [list(base64.b64decode(f["descriptor"])) for f in expected])
    assert found["descriptor"].any(axis=1).all()
    # The rest of the layout stays, and a frame without features keeps the field.
    assert np.array_equal(found["u"], np.array([f["u"] for f in expected], np.float32))
    empty = session.features(message(np.zeros((240, 320), np.uint8)))
    assert len(empty) == 0 and empty.dtype.names[-1] == "descriptor"
    assert session.set_parameter("publish_descriptors", False).successful
    assert session.features(message(scene())).tobytes() == reference


def test_prefilter_is_the_binomial_filter(session, reference):
    kernel = np.outer([1, 2, 1], [1, 2, 1])
    blurred = (cv2.filter2D(scene().astype(np.float64), -1, kernel) + 8) // 16
    expected = session.features(message(blurred.astype(np.uint8)))
    assert session.set_parameter("prefilter", "binomial3").successful
    assert session.features(message(scene())).tobytes() == expected.tobytes() != reference
    assert session.set_parameter("prefilter", "none").successful
    assert session.features(message(scene())).tobytes() == reference


def test_t01_padded_rows(session, reference):
    padded = np.full((240, 320 + 64), 0xFF, np.uint8)
    padded[:, :320] = scene()
    assert session.features(message(padded, width=320)).tobytes() == reference


def test_t04_8uc1(session, reference):
    assert session.features(message(scene(), "8UC1")).tobytes() == reference


@pytest.mark.parametrize("encoding", ["mono16", "16UC1"])
@pytest.mark.parametrize("big_endian", [False, True])
def test_t05_mono16(session, reference, encoding, big_endian):
    wide = scene().astype(">u2" if big_endian else "<u2") * 257
    image = message(wide.astype(">u2" if big_endian else "<u2"), encoding, big_endian=big_endian)
    assert session.features(image).tobytes() == reference


@pytest.mark.parametrize("encoding, luma", [("yuv422_yuy2", 0), ("yuyv", 0), ("yuv422", 1), ("uyvy", 1)])
def test_t13_yuv422(session, reference, encoding, luma):
    pairs = np.full((240, 320, 2), 77, np.uint8)
    pairs[:, :, luma] = scene()
    assert session.features(message(pairs, encoding)).tobytes() == reference


@pytest.mark.parametrize("encoding, channels", [("rgb8", 3), ("bgr8", 3), ("rgba8", 4), ("bgra8", 4)])
def test_grey_in_colour(session, reference, encoding, channels):
    assert session.features(message(np.dstack([scene()] * channels), encoding)).tobytes() == reference


@pytest.mark.parametrize("encoding", ["bayer_rggb8", "bayer_bggr8", "bayer_gbrg8", "bayer_grbg8"])
def test_bayer(session, reference, encoding):
    # The four phases weigh a mosaic alike; of a grey one OpenCV makes the same binomial blur.
    kernel = np.outer([1, 2, 1], [1, 2, 1])
    blurred = (cv2.filter2D(scene().astype(np.float64), -1, kernel) + 8) // 16
    grey = session.features(message(blurred.astype(np.uint8)))
    assert session.features(message(scene(), encoding)).tobytes() == grey.tobytes()


def test_unknown_encoding_names_the_supported(session, reference):
    before = int(session.diagnostic()[2].get("refused unknown_encoding", 0))
    session.send(message(scene(), "nv12"))
    assert session.features(message(scene())).tobytes() == reference
    session.await_diagnostic("refused unknown_encoding", before + 1)


def test_t02_t03_broken_geometry_then_a_good_frame(session, reference):
    good = scene()
    broken = [
        (message(good, step=0), "step"),
        (message(good, step=319), "step"),
        (message(good[:-1], height=240), "data_length"),
        (message(np.vstack([good, good[:1]]), height=240), "data_length"),
        (message(good, width=0, step=320), "zero_size"),
        (message(good, height=0), "zero_size"),
        (message(good[:, :31], width=31), "too_small"),
    ]
    counts = {reason: int(session.diagnostic()[2].get(f"refused {reason}", 0)) for _, reason in broken}
    for image, reason in broken:
        session.send(image)
        counts[reason] += 1
        assert session.features(message(good)).tobytes() == reference, reason
    for reason, count in counts.items():
        session.await_diagnostic(f"refused {reason}", count)


def test_compressed_images(reference):
    parameters = {"mode": "detect", "max_cnt": 300, "threshold_ratio": 0.0, "image_transport": "compressed"}
    with Session(parameters, image_kind=CompressedImage, image_topic="image/compressed") as session:
        png = cv2.imencode(".png", scene())[1].tobytes()
        assert session.features(CompressedImage(format="mono8; png compressed", data=png)).tobytes() == reference
        session.send(CompressedImage(format="png", data=png[: len(png) // 2]))
        jpeg = cv2.imencode(".jpg", scene(), [cv2.IMWRITE_JPEG_QUALITY, 90])[1].tobytes()
        assert len(session.features(CompressedImage(format="jpeg", data=jpeg))) == 300
        session.await_diagnostic("refused unreadable", 1)

