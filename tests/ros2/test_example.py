"""The documented example: a network in ONNX Runtime beside the node, its raw output on `predictions`."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest
from harness import PATIENCE_S, REPOSITORY, SMALL, TOOL, Session, message, points, scene, stamp_of
from sensor_msgs.msg import PointCloud2

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

EXAMPLE = REPOSITORY / "examples" / "detector" / "detector.py"
NAMES = {0: "person", 1: "dog"}
# Centre and size in an input of 160 x 160, class, score.
BOX = (80.0, 80.0, 40.0, 60.0, 0, 0.9)


def model(folder, layout, kind=TensorProto.FLOAT):
    """A network that sees this box where its input is bright in the middle, as the layout has it."""
    x, y, w, h, number, score = BOX
    anchors = 1575 if layout == "yolov5" else 525
    rows = np.zeros((anchors, 6), np.float32)
    rows[:, 2:4] = 8
    rows[17, :4] = x, y, w, h
    rows[17, 4 + number] = score
    if layout == "yolov5":
        rows = np.insert(rows, 4, 1.0, axis=1)
        rows[17, 5 + number] = score
    constant = rows[None] if layout != "yolov8" else rows.T[None]
    half = kind == TensorProto.FLOAT16
    dtype = np.float16 if half else np.float32
    nodes = [
        # 0 or 1, by a pixel in the middle of the first plane.
        helper.make_node("Slice", ["images", "starts", "ends"], ["pixel"]),
        helper.make_node("Ceil", ["pixel"], ["bright"]),
        helper.make_node("Reshape", ["bright", "one"], ["scale"]),
        helper.make_node("Mul", ["constant", "scale"], ["output"]),
    ]
    values = {"starts": np.array([0, 0, 80, 80]), "ends": np.array([1, 1, 81, 81]), "one": np.array([1, 1, 1]),
              "constant": constant.astype(dtype)}
    graph = helper.make_graph(
        nodes, "detector", [helper.make_tensor_value_info("images", kind, [1, 3, 160, 160])],
        [helper.make_tensor_value_info("output", kind, list(constant.shape))],
        [numpy_helper.from_array(value, name) for name, value in values.items()])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    made.metadata_props.add(key="names", value=str(NAMES))
    path = Path(folder) / f"{layout}.onnx"
    onnx.save(made, path)
    return path


@pytest.mark.parametrize("layout, kind", [("yolov8", TensorProto.FLOAT), ("yolov5", TensorProto.FLOAT),
                                          ("yolov8_rows", TensorProto.FLOAT16)])
def test_a_picture_becomes_a_tensor_that_the_tool_reads(tmp_path, layout, kind):
    # 300 x 200 in 160 x 160: a scale of 160 / 300, margins of 26 px and 27 px.
    cv2.imwrite(str(tmp_path / "picture.png"), np.full((200, 300, 3), 90, np.uint8))
    run = subprocess.run(
        [sys.executable, EXAMPLE, model(tmp_path, layout, kind), "--image", tmp_path / "picture.png", "--out", tmp_path / "t.npy"],
        check=True, capture_output=True, text=True, timeout=PATIENCE_S)
    said = run.stderr
    assert f"detector.layout: {layout}" in said and "detector.input_size: [160, 160]" in said
    assert 'detector.class_names: ["person", "dog"]' in said
    out = subprocess.run([TOOL, "detections", tmp_path / "t.npy", "--layout", layout, "--image", "300x200"], check=True,
                         capture_output=True, text=True)
    [box] = json.loads(out.stdout)["images"][0]["boxes"]
    x, y, w, h, number, score = BOX
    expected = [((x - w / 2) / (160 / 300)), (y - h / 2 - 26) / (160 / 300), (x + w / 2) / (160 / 300), (y + h / 2 - 26) / (160 / 300)]
    assert [box[name] for name in ("x1", "y1", "x2", "y2")] == pytest.approx(expected, abs=1e-3)
    assert box["class"] == number and box["score"] == pytest.approx(score, abs=1e-3)


def test_the_network_beside_the_node_masks_what_it_sees(tmp_path):
    network = model(tmp_path, "yolov8")
    parameters = {"detector.layout": "yolov8", "detector.class_names": ["person", "dog"], "detector.classes": ["person"],
                  "detector.input_size": [160, 160], "detector.max_age_s": 10.0}
    with Session({**SMALL, **parameters}) as session:
        found = []
        session.listen(PointCloud2, "detections", found)
        example = subprocess.Popen([sys.executable, EXAMPLE, network], env=session.environment, stderr=subprocess.PIPE, text=True)
        try:
            sent = set()

            def boxes():
                sent.add(session.send(message(np.maximum(scene(), 1))))
                return any(cloud.width == 1 for cloud in found)

            session.until(boxes, "boxes of the network")
            cloud = next(cloud for cloud in found if cloud.width == 1)
            # Twice the size, and 20 px of margin above.
            assert np.frombuffer(bytes(cloud.data)[:16], "<f4").tolist() == [120.0, 60.0, 200.0, 180.0]
            assert stamp_of(cloud) in sent and cloud.header.frame_id == "cam0"
            features = points(session.cloud_of(session.send(message(scene()))))
            u, v = features["u"], features["v"]
            assert len(features) == 100 and not ((u > 110) & (u < 210) & (v > 50) & (v < 190)).any()
        finally:
            example.send_signal(signal.SIGINT)
            log = example.communicate(timeout=PATIENCE_S)[1]
        assert "Traceback" not in log, log
