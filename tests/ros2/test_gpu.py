"""The node with a libcuda: a stub whose launches run the emulated kernels, and which fails when it is told to."""

import itertools
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from harness import Session, message, refused_at_start, scene, stamp_of

STUB = os.environ.get("VIO_FAKECUDA")
# Few tracks on small images: the kernels run thread by thread.
TRACKS = {"mode": "track", "max_cnt": 30, "detect_cnt": 80, "min_dist": 8.0, "publish_descriptors": True}
needs_stub = pytest.mark.skipif(not STUB, reason="VIO_FAKECUDA is not set: cargo run --example fakecuda -- FOLDER")


class Stub:
    """A driver of one's own, found by the node before any other."""

    def __init__(self, folder):
        self.folder, self.number = folder, itertools.count()
        shutil.copy(Path(STUB) / "libcuda.so.1", folder)
        self.control("profile tx2")
        path = [str(folder), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
        self.environment = {"LD_LIBRARY_PATH": ":".join(path)}

    def control(self, *lines):
        # Counts begin anew when the text is another one: a number makes it so.
        text = "\n".join([f"# {next(self.number)}", *lines, ""])
        (self.folder / "control.new").write_text(text)
        (self.folder / "control.new").rename(self.folder / "control.txt")


def pictures(count):
    """A picture that moves by a pixel each time."""
    whole = scene(96 + count, 64)
    return [message(np.ascontiguousarray(whole[:, k : k + 96])) for k in range(count)]


def run(device, images, before=lambda k: None, **session):
    """The features of every frame, and the newest report after the last."""
    with Session({**TRACKS, "device": device}, **session) as node:
        clouds = []
        for k, image in enumerate(images):
            before(k)
            clouds.append(node.features(image))
        seen = len(node.diagnostics)
        node.until(lambda: len(node.diagnostics) > seen + 1, "a report")
        return clouds, node.diagnostic(), node


@needs_stub
def test_t11_the_node_publishes_the_same_with_the_gpu_and_when_it_fails(tmp_path):
    images = pictures(6)
    expected, (_, _, values), _ = run("cpu", images)
    assert (values["backend"], values["fallback"]) == ("cpu", "none")
    assert all(len(cloud) > 15 for cloud in expected) and max(expected[-1]["age"]) == 5

    stub = Stub(tmp_path)
    found, (_, _, values), node = run("cuda", images, environment=stub.environment)
    assert all(np.array_equal(a, b) for a, b in zip(expected, found, strict=True))
    assert (values["backend"], values["fallback"]) == ("cuda", "none")
    assert node.diagnostics[-1].status[0].hardware_id == "Stub of a GPU (tx2)"
    assert values["gpu transfers"].startswith("image: write-combined mapped memory; results: ")
    assert "ready: device cuda (Stub of a GPU (tx2))" in node.log

    def fail(k):
        if k == 3:
            stub.control("profile tx2", "lose cuLaunchKernel 1 719")

    found, (_, _, values), node = run("auto", images, before=fail, environment=stub.environment)
    assert all(np.array_equal(a, b) for a, b in zip(expected, found, strict=True))
    assert len({stamp_of(cloud) for cloud in node.clouds}) == len(node.clouds) == len(images)
    reason = "cuStreamQuery answers 719 (CUDA_ERROR_LAUNCH_FAILED)"
    assert values["backend"] == "cpu" and values["fallback"] == f"{reason}; until this process ends"
    assert values["frames finished on the cpu after a failure of the gpu"] == "1"
    # Later ones may say that no image comes.
    told = [report.status[0] for report in node.diagnostics if reason in report.status[0].message]
    assert told and all(status.level == DiagnosticStatus.WARN for status in told)
    assert node.log.count(reason) == 1, node.log


@needs_stub
def test_a_node_that_lost_its_gpu_ends_when_the_camera_stands_if_it_may(tmp_path):
    stub, image = Stub(tmp_path), pictures(1)[0]
    parameters = {**TRACKS, "respawn_after_gpu_loss": True}
    with Session(parameters, environment=stub.environment, exit_code=1) as node:
        node.features(image)
        stub.control("profile tx2", "fail cuLaunchCooperativeKernel 1 700")
        for _ in range(19):
            assert len(node.features(image)) > 0
        assert node.process.poll() is None, "it has stood for less than a second"
        for _ in range(3):
            node.send(image)
        node.process.wait(timeout=60)
    assert "respawn_after_gpu_loss" in node.log


def test_cuda_without_a_gpu_is_refused_and_named():
    text = refused_at_start(["-p", "device:=cuda"])
    assert "parameter 'device': 'cuda' cannot be had: the CUDA driver (libcuda) not found" in text
