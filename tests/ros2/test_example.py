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


def model(folder, layout, kind=TensorProto.FLOAT, names=str(NAMES)):
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
    if names is not None:
        made.metadata_props.add(key="names", value=names)
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
    said = run.stdout
    assert f"detector.layout: {layout}" in said and "detector.input_size: [160, 160]" in said
    assert 'detector.class_names: ["person", "dog"]' in said
    out = subprocess.run([TOOL, "detections", tmp_path / "t.npy", "--layout", layout, "--image", "300x200"], check=True,
                         capture_output=True, text=True)
    [box] = json.loads(out.stdout)["images"][0]["boxes"]
    x, y, w, h, number, score = BOX
    expected = [((x - w / 2) / (160 / 300)), (y - h / 2 - 26) / (160 / 300), (x + w / 2) / (160 / 300), (y + h / 2 - 26) / (160 / 300)]
    assert [box[name] for name in ("x1", "y1", "x2", "y2")] == pytest.approx(expected, abs=1e-3)
    assert box["class"] == number and box["score"] == pytest.approx(score, abs=1e-3)


def parameters(tmp_path, network, *options):
    """The file that the script prints, judged by the tool, and what it said."""
    run = subprocess.run([sys.executable, EXAMPLE, network, "--parameters", *options], capture_output=True, text=True,
                         timeout=PATIENCE_S)
    assert run.returncode == 0, run.stderr
    (tmp_path / "detector.yaml").write_text(run.stdout)
    judged = subprocess.run([TOOL, "params", "check", tmp_path / "detector.yaml"], capture_output=True, text=True)
    assert judged.returncode == 0, judged.stdout + judged.stderr
    return judged.stdout


@pytest.mark.parametrize("names, masked", [
    ("{1: 'dog', 0: 'bus'}", '["bus"]'),
    ('["cat", "driver\'s"]', "[]"),
    ("['a \"b\\\\c: #', 'person']", '["person"]'),
    ("['\\u00e9\\U0001F600\\n', 'car']", '["car"]'),
])
def test_the_node_takes_the_parameters_whatever_the_classes(tmp_path, names, masked):
    assert f"detector.classes: {masked}" in parameters(tmp_path, model(tmp_path, "yolov8", names=names))


def test_without_names_rows_need_a_layout(tmp_path):
    rows = model(tmp_path, "yolov8_rows", names=None)
    run = subprocess.run([sys.executable, EXAMPLE, rows, "--parameters"], capture_output=True, text=True, timeout=PATIENCE_S)
    assert run.returncode == 1 and "say which with --layout" in run.stderr and "Traceback" not in run.stderr
    said = parameters(tmp_path, rows, "--layout", "yolov8_rows")
    assert 'detector.class_names: ["class0", "class1"]' in said and "detector.classes: []" in said


@pytest.mark.parametrize("arguments, said", [
    (["--sise", "320"], "unrecognized arguments: --sise 320"),
    (["--siz", "320"], "unrecognized arguments: --siz 320"),
    (["--size", "0"], "argument --size: 0 is no side"),
    (["--image", "none.png"], "none.png is no picture"),
])
def test_what_cannot_be_is_one_line(tmp_path, arguments, said):
    run = subprocess.run([sys.executable, EXAMPLE, model(tmp_path, "yolov8"), *arguments], capture_output=True, text=True,
                         timeout=PATIENCE_S)
    assert run.returncode != 0 and said in run.stderr and "Traceback" not in run.stderr


def test_a_file_that_is_no_network_is_one_line(tmp_path):
    (tmp_path / "no.onnx").write_text("no network")
    run = subprocess.run([sys.executable, EXAMPLE, tmp_path / "no.onnx"], capture_output=True, text=True, timeout=PATIENCE_S)
    assert run.returncode == 1 and len(run.stderr.splitlines()) == 1 and "no.onnx: " in run.stderr, run.stderr


def test_the_network_beside_the_node_masks_what_it_sees(tmp_path):
    network = model(tmp_path, "yolov8")
    parameters = {"detector.layout": "yolov8", "detector.class_names": ["person", "dog"], "detector.classes": ["person"],
                  "detector.input_size": [160, 160], "detector.max_age_s": 10.0}
    with Session({**SMALL, **parameters}) as session:
        found = []
        session.listen(PointCloud2, "detections", found)
        log = tmp_path / "log"
        with log.open("w") as file:
            example = subprocess.Popen([sys.executable, EXAMPLE, network], env=session.environment, stdout=file, stderr=file)
        try:
            # The node knows the camera's frame from its first image on.
            sent = {session.send(message(scene()))}
            session.cloud_of(*sent)
            # So flat that nothing of it would be left in the input.
            flat = message(np.ones((1, 2000), np.uint8))

            def refused():
                session.send(flat)
                return "OpenCV" in log.read_text()

            session.until(refused, "OpenCV's error in the log")

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
            example.wait(timeout=PATIENCE_S)
        assert "Traceback" not in log.read_text(), log.read_text()
