"""The launch file: what `backend:=` connects and sets, and that the user's file wins over the preset."""

import itertools

import pytest
from harness import Session, message
from launch_double import node_arguments
from rcl_interfaces.srv import GetParameters
from sensor_msgs.msg import PointCloud
from std_msgs.msg import Bool
from test_tracks import view

CAMERA = "/**:\n  ros__parameters:\n    intrinsics: [200.0, 210.0, 160.5, 120.25]\n"


def values(session, *names):
    client = session.peer.create_client(GetParameters, "vio_frontend/get_parameters")
    session.until(client.service_is_ready, "the parameter service")
    future = client.call_async(GetParameters.Request(names=names))
    session.until(future.done, "parameters")
    kinds = {1: "bool_value", 2: "integer_value", 3: "double_value", 4: "string_value"}
    return [getattr(value, kinds[value.type]) for value in future.result().values]


@pytest.mark.parametrize("backend, restart, channels", [
    ("vins_mono", "/feature_tracker/restart", 5),
    ("vins_fusion", "/vins_restart", 9),
])
def test_a_back_end_gets_its_topics_and_parameters(tmp_path, backend, restart, channels):
    path = tmp_path / "camera.yaml"
    # A user's own number, and a line of a copied params/default.yaml that must not silence the topic.
    path.write_text(CAMERA + "    max_cnt: 70\n    output_layout: none\n")
    arguments = node_arguments(tmp_path, backend=backend, image="/cam0/image_raw", params_file=str(path))
    with Session({}, arguments, image_topic="/cam0/image_raw") as session:
        messages, restarts = [], []
        session.listen(Bool, restart, restarts)
        session.listen(PointCloud, "/feature_tracker/feature", messages)
        names = ["max_cnt", "min_dist", "freq", "F_threshold", "reacquire_frames", "output_layout", "mode"]
        assert values(session, *names) == [70, 30.0, 10.0, 1.0, 0, backend, "track"]
        frames = itertools.count()
        session.until(lambda: session.send(message(view(next(frames) % 20))) and len(messages) >= 2, "messages")
        assert len(messages[-1].channels) == channels and len(messages[-1].points) > 20
        session.next_stamp += 5_000_000_000
        session.send(message(view(0)))
        session.until(lambda: len(restarts) == 1, "a restart at the topic of the back end")


def test_without_a_back_end_the_parameter_file_alone_decides(tmp_path):
    arguments = node_arguments(tmp_path, namespace="")
    with Session({}, arguments) as session:
        assert values(session, "output_layout", "max_cnt") == ["none", 200]
        assert session.peer.count_publishers("feature") == 0
    path = tmp_path / "mine.yaml"
    path.write_text(CAMERA + "    output_layout: vins_fusion\n")
    with Session({}, node_arguments(tmp_path, params_file=str(path), device="cpu")) as session:
        assert values(session, "output_layout", "device") == ["vins_fusion", "cpu"]
        session.until(lambda: session.peer.count_publishers("feature") == 1, "the topic under its own name")
