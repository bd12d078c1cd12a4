"""Raw output of a detector in, boxes and a mask out; what is no such output is named, and the node goes on."""

import math

import numpy as np
import pytest
from harness import SMALL, Session, message, scene, stamp_of
from sensor_msgs.msg import Image, PointCloud2
from std_msgs.msg import Float32MultiArray, MultiArrayDimension, UInt64MultiArray
from test_gpu import Stub, needs_stub

# 320 x 240 images in an input of 320 x 320: no scaling, margins of 40 px above and below.
DETECTOR = {"detector.layout": "yolov8", "detector.class_names": ["person", "dog"], "detector.classes": ["person"],
            "detector.input_size": [320, 320], "detector.dilate_px": 4.0, "detector.max_age_s": 0.3}
BOX = (100.0, 60.0, 200.0, 180.0)  # px of the image
FIELDS = [("x1", "<f4"), ("y1", "<f4"), ("x2", "<f4"), ("y2", "<f4"), ("score", "<f4"), ("class", "<u4")]


def tensor(*boxes, anchors=50):
    """[1, 4 + 2, anchors]: each box is edges in the image, class, score; the other anchors score nothing."""
    values = np.zeros((6, anchors), np.float32)
    values[2:4] = 10
    for anchor, ((x1, y1, x2, y2), number, score) in enumerate(boxes):
        values[:4, anchor] = (x1 + x2) / 2, (y1 + y2) / 2 + 40, x2 - x1, y2 - y1
        values[4 + number, anchor] = score
    return values[None]


def predictions(values, stamp_ns=None, *, label=None, shape=None, strides=True):
    values = np.asarray(values, np.float32)
    shape = values.shape if shape is None else shape
    if label is None and stamp_ns is not None:
        label = f"stamp={stamp_ns // 10**9}.{stamp_ns % 10**9:09d} image=320x240"
    msg = Float32MultiArray(data=values.ravel().tolist())
    for index, size in enumerate(shape):
        stride = math.prod(shape[index:]) if strides else 0
        msg.layout.dim.append(MultiArrayDimension(label=(label or "") if index == 0 else "", size=size, stride=stride))
    return msg


class Detector:
    """A session and the detector's side of it."""

    def __init__(self, session):
        self.session = session
        self.clouds, self.lost = [], []
        # In this order: whoever hears detections misses no loss.
        self.losses = session.listen(UInt64MultiArray, "vio_frontend/lost", self.lost)
        self.subscription = session.listen(PointCloud2, "detections", self.clouds)
        self.publisher = session.connected(Float32MultiArray, "predictions")
        session.until(lambda: session.peer.count_publishers("detections") == 1, "detections")

    def boxes(self, msg):
        """Publishes and returns what comes out, and its header."""
        before = len(self.clouds)
        self.publisher.publish(msg)
        self.session.until(lambda: len(self.clouds) > before, "detections")
        cloud = self.clouds[-1]
        assert [f.name for f in cloud.fields] == [name for name, _ in FIELDS]
        assert (cloud.height, cloud.point_step, cloud.row_step) == (1, 24, 24 * cloud.width)
        return np.frombuffer(bytes(cloud.data), FIELDS), cloud.header


def inside(found, margin=4.0):
    x1, y1, x2, y2 = BOX
    u, v = found["u"] + 0.5, found["v"] + 0.5
    return ((u > x1 - margin) & (u < x2 + margin) & (v > y1 - margin) & (v < y2 + margin)).sum()


@pytest.fixture(scope="module")
def session():
    with Session({**SMALL, **DETECTOR}) as session:
        session.features(message(scene()))
        yield session


@pytest.fixture(scope="module")
def detector(session):
    return Detector(session)


def test_boxes_come_back_in_pixels_of_the_image(session, detector):
    stamp = session.next_stamp
    found, header = detector.boxes(predictions(
        tensor(((10, 20, 50.5, 60), 1, 0.6), (BOX, 0, 0.9), ((101, 60, 201, 180), 0, 0.8), ((300, 200, 400, 300), 0, 0.3)),
        stamp))
    # The third is the second again; the last is clipped.
    assert [tuple(box) for box in found.tolist()] == [
        (100.0, 60.0, 200.0, 180.0, np.float32(0.9), 0), (10.0, 20.0, 50.5, 60.0, np.float32(0.6), 1),
        (300.0, 200.0, 320.0, 240.0, np.float32(0.3), 0)]
    assert stamp_of(detector.clouds[-1]) == stamp and header.frame_id == "cam0"
    # Without words in the labels they are those of the newest frame; nothing found is told as well.
    session.features(message(scene()))
    found, _ = detector.boxes(predictions(tensor(), strides=False))
    assert len(found) == 0 and stamp_of(detector.clouds[-1]) == session.next_stamp


def test_no_feature_is_where_a_person_is_until_it_is_too_long_ago(session, detector):
    assert inside(session.features(message(scene()))) > 10
    detector.boxes(predictions(tensor((BOX, 0, 0.9), ((0, 0, 320, 240), 1, 0.9)), session.next_stamp))
    overlays = []
    overlay = session.listen(Image, "feature_image", overlays)
    session.until(lambda: session.peer.count_publishers("feature_image") == 1, "feature_image")
    # 0.3 s are six frames of 50 ms.
    counts = [inside(session.features(message(scene()))) for _ in range(8)]
    assert counts[:6] == [0] * 6 and min(counts[6:]) > 10, counts
    session.until(lambda: len(overlays) > 0, "an overlay")
    session.peer.destroy_subscription(overlay)
    assert session.set_parameter("detector.mask", False).successful
    detector.boxes(predictions(tensor((BOX, 0, 0.9)), session.next_stamp))
    assert inside(session.features(message(scene()))) > 10
    assert session.set_parameter("detector.mask", True).successful
    assert inside(session.features(message(scene()))) == 0
    session.await_diagnostic("detector boxes masked", 1)


def test_bad_outputs_are_named_and_the_node_goes_on(session, detector):
    good = tensor((BOX, 0, 0.9))
    spoilt = {"not_finite": good.copy(), "value_range": good.copy()}
    spoilt["not_finite"][0, 1, 7] = np.nan
    spoilt["value_range"][0, 5, 7] = 1.5
    bad = [
        ("shape", predictions(good, shape=())),
        ("shape", predictions(good, shape=(6, 50))),
        ("layout", predictions(good, shape=(1, 50, 6))),
        ("layout", predictions(np.zeros((1, 7, 50)))),
        ("data_length", predictions(good.ravel()[:-1], shape=(1, 6, 50))),
        # As many bytes as float16 would have.
        ("element", predictions(good.ravel()[:150], shape=(1, 6, 50))),
        ("empty_batch", predictions(good.ravel()[:0], shape=(0, 6, 50))),
        ("batch", predictions(np.concatenate([good, good]))),
        ("label", predictions(good, label="stamp=17.5")),
        ("stride", predictions(good, shape=(1, 6, 50), strides=True)),
        *((reason, predictions(values)) for reason, values in spoilt.items()),
    ]
    bad[9][1].layout.dim[1].stride = 512
    counts = {}
    for reason, msg in bad:
        counts[reason] = counts.get(reason, 0) + 1
        detector.publisher.publish(msg)
        session.await_diagnostic(f"predictions refused {reason}", counts[reason])
        assert len(session.features(message(scene()))) == 100, reason
    session.until(lambda: session.diagnostic()[0] == 1 and "predictions refused" in session.diagnostic()[1], "a warning")
    # A good one ends it.
    found, _ = detector.boxes(predictions(good, session.next_stamp))
    assert len(found) == 1 and inside(session.features(message(scene()))) == 0
    assert session.diagnostic()[2]["detector device"] == "cpu (no GPU)"


def test_more_than_the_capacity_is_told(session, detector):
    assert session.set_parameter("detector.max_detections", 2).successful
    spread = [((20 * k, 20, 20 * k + 15, 40), 1, 0.5 + 0.01 * k) for k in range(9)]
    found, _ = detector.boxes(predictions(tensor(*spread), session.next_stamp))
    assert found["score"].tolist() == pytest.approx([0.58, 0.57])
    session.await_diagnostic("detector candidates / kept / published", "9 / 9 / 2")
    assert session.set_parameter("detector.max_detections", 300).successful
    for name, value, words in [("detector.classes", ["persona"], "did you mean 'person'?"),
                               ("detector.raw", True, "yolov5"), ("detector.input_size", [320], "[width, height]"),
                               ("detector.layout", "yolov4", "yolov8_rows")]:
        result = session.set_parameter(name, value)
        assert not result.successful and words in result.reason, result


def test_tracks_on_a_person_end_for_a_reason_of_their_own():
    parameters = {**DETECTOR, "mode": "track", "max_cnt": 100, "min_dist": 8.0}
    with Session(parameters) as session:
        detector = Detector(session)
        found = session.features(message(scene()))
        there = {int(i) for i, u, v in zip(found["id"], found["u"], found["v"]) if 100 < u < 200 and 60 < v < 180}
        assert len(there) > 5
        detector.boxes(predictions(tensor((BOX, 0, 0.9)), session.next_stamp))
        assert inside(session.features(message(scene()))) == 0
        session.until(lambda: detector.lost, "losses")
        ended = dict(zip(detector.lost[-1].data[0::2], detector.lost[-1].data[1::2]))
        assert there <= {track for track, reason in ended.items() if reason == 10}


def test_a_detector_gpu_that_is_insisted_on_is_missed():
    from harness import refused_at_start

    text = refused_at_start(["-p", "detector.device:=cuda"])
    assert "parameter 'detector.device': 'cuda' cannot be had: the CUDA driver (libcuda) not found" in text


@needs_stub
def test_boxes_are_the_same_on_the_gpu_and_after_it_has_failed(tmp_path):
    stub = Stub(tmp_path)
    with Session({**SMALL, **DETECTOR, "device": "cpu"}, environment=stub.environment) as session:
        session.features(message(scene()))
        detector = Detector(session)
        msg = predictions(tensor((BOX, 0, 0.9), ((10, 20, 50.5, 60), 1, 0.6)), session.next_stamp)
        first, _ = detector.boxes(msg)
        # The GPU is opened once it is known that there is something for it.
        session.await_diagnostic("detector device", "cuda")
        second, _ = detector.boxes(msg)
        stub.control("profile tx2", "lose cuLaunchCooperativeKernel 1 719")
        third, _ = detector.boxes(msg)
        assert len(first) == 2 and first.tobytes() == second.tobytes() == third.tobytes()
        session.until(lambda: session.diagnostic()[2]["detector device"].startswith("cpu (cu"), "the CPU again")
    assert "boxes are made on the CPU" in session.log
