"""Tracks as back ends read them: `feature` in both VINS layouts, `~/lost`, darkness, restarts."""

import numpy as np
import pytest
from harness import Session, message, points, refused_at_start, scene, stamp_of
from sensor_msgs.msg import PointCloud
from std_msgs.msg import UInt64MultiArray

CAMERA = {"intrinsics": [200.0, 210.0, 160.5, 120.25], "image_size": [320, 240]}
TRACKS = {"mode": "track", "max_cnt": 60, "min_dist": 15.0, **CAMERA}
MONO = ["id", "u_px", "v_px", "vx", "vy"]
FUSION = ["id", "camera_id", "u_px", "v_px", "vx", "vy", "gx", "gy", "gz"]
DT_S = 0.05
RESTART = 9
WORLD = scene(800, 600, seed=5)


def view(k, step=(3, 2)):
    """What the camera sees at frame k of its way over a flat world; whole pixels, so that no resampling blurs it."""
    x, y = 20 + k * step[0], 30 + k * step[1]
    return WORLD[y : y + 240, x : x + 320]


class Listener(Session):
    """A session that keeps `feature` and `~/lost` as well."""

    def __init__(self, parameters):
        super().__init__(parameters)
        self.messages, self.losses = [], []
        self.topics += [(PointCloud, "feature", self.messages), (UInt64MultiArray, "vio_frontend/lost", self.losses)]

    def lost(self):
        """(id, reason) of all losses so far."""
        for lost in self.losses:
            tracks, pair = lost.layout.dim
            assert (tracks.stride, pair.size, pair.stride) == (2 * tracks.size, 2, 2) and lost.layout.data_offset == 0
            assert len(lost.data) == 2 * tracks.size > 0
        return [tuple(pair) for lost in self.losses for pair in np.array(lost.data).reshape(-1, 2).tolist()]


def read(cloud, names):
    """A PointCloud as a structured array, after checking its shape."""
    assert [channel.name for channel in cloud.channels] == names
    assert all(len(channel.values) == len(cloud.points) for channel in cloud.channels)
    columns = {"x": [p.x for p in cloud.points], "y": [p.y for p in cloud.points], "z": [p.z for p in cloud.points]}
    columns |= {channel.name: list(channel.values) for channel in cloud.channels}
    table = np.zeros(len(cloud.points), [(name, np.float32) for name in columns])
    for name, values in columns.items():
        table[name] = values
    assert all(np.isfinite(table[name]).all() for name in columns)
    assert (table["z"] == 1).all() and (table["id"] == np.floor(table["id"])).all() and (table["id"] < 2**24).all()
    assert len(set(table["id"])) == len(table)
    return table


@pytest.mark.parametrize("layout, names", [("vins_mono", MONO), ("vins_fusion", FUSION)])
def test_feature_is_what_vins_reads(layout, names):
    mono = layout == "vins_mono"
    with Listener({**TRACKS, "output_layout": layout}) as session:
        frames = [session.features(message(view(k))) for k in range(12)]
        stamps = [stamp_of(cloud) for cloud in session.clouds]
        session.until(lambda: stamp_of(session.messages[-1]) == stamps[-1] if session.messages else False, "the last")
        # VINS-Mono's first message is withheld: nothing in it has a velocity.
        assert [stamp_of(m) for m in session.messages] == (stamps[1:] if mono else stamps)
        assert {m.header.frame_id for m in session.messages} == {"cam0"}
        short_of, moved = {}, 0
        for message_, k in zip(session.messages, range(len(frames) - len(session.messages), len(frames))):
            table, tracks = read(message_, names), {(t["u"], t["v"]): t for t in frames[k]}
            before = {t["id"]: t for t in frames[k - 1]} if k else {}
            expected = [t["id"] for t in frames[k] if not mono or t["id"] in before]
            assert len(table) == len(expected) > 30
            for row in table:
                track = tracks[row["u_px"], row["v_px"]]
                assert (row["x"], row["y"]) == (track["x"], track["y"])
                assert np.allclose(row["x"], (row["u_px"] - 160.5) / 200, atol=1e-6)
                # A track that was in the message before keeps its short id; no short id has two tracks.
                assert short_of.setdefault(row["id"], track["id"]) == track["id"]
                last = before.get(track["id"])
                velocity = [(row[c] - last[c]) / DT_S if last is not None else 0.0 for c in ("x", "y")]
                assert np.allclose([row["vx"], row["vy"]], velocity, atol=1e-4)
                moved += abs(row["vx"]) > 0.1
            if not mono:
                assert not any(table[name].any() for name in ("camera_id", "gx", "gy", "gz"))
        assert moved > 100, "the scene moves"
        assert len(set(short_of.values())) > 60, "tracks come and go"


def test_lost_tracks_never_come_back():
    with Listener(TRACKS) as session:
        session.features(message(view(0)))
        session.features(message(view(0)))
        assert session.losses == [], "nothing is lost while nothing moves"
        for k in range(20):
            session.features(message(view(k, step=(7, 3))))
        for k in range(10):
            session.features(message(view(k, step=(5, 7))))
        before = len(session.restarts)
        session.next_stamp += 10_000_000_000
        alive = set(points(session.clouds[-1])["id"].tolist())
        session.features(message(view(9, step=(5, 7))))
        session.features(message(view(9, step=(5, 7))))
        session.until(lambda: len(session.restarts) == before + 1, "a restart after the gap")
        session.until(lambda: alive <= {i for i, _ in session.lost()}, "all tracks to be lost by the restart")
        lost = session.lost()
        assert len({i for i, _ in lost}) == len(lost) > 30, "each is lost once"
        assert {reason for _, reason in lost} <= set(range(1, 10))
        assert {reason for i, reason in lost if i in alive} == {RESTART}
        seen = {}
        for k, cloud in enumerate(session.clouds):
            for i in points(cloud)["id"].tolist():
                seen[i] = k
        # All that ever lived is lost or still alive, never both.
        living = set(points(session.clouds[-1])["id"].tolist())
        assert set(seen) == living | {i for i, _ in lost} and not living & {i for i, _ in lost}


def test_t07_a_bag_loop_restarts_once_and_reuses_no_id():
    with Listener(TRACKS) as session:
        for k in range(4):
            session.features(message(view(k)))
        before = {i for cloud in session.clouds for i in points(cloud)["id"].tolist()}
        session.next_stamp -= 5_000_000_000
        after = [session.features(message(view(k))) for k in range(4)]
        session.until(lambda: session.restarts, "a restart")
        session.until(lambda: before <= {i for i, _ in session.lost()}, "the loss of all tracks")
        assert len(session.restarts) == 1
        assert all(len(frame) > 30 for frame in after), "tracks from the first frame on"
        assert not before & {i for frame in after for i in frame["id"].tolist()}


def test_darkness_gives_empty_messages_and_light_new_tracks():
    with Listener({**TRACKS, "output_layout": "vins_mono"}) as session:
        for k in range(3):
            session.features(message(view(k)))
        for _ in range(8):
            found = session.features(message(np.zeros((240, 320), np.uint8)))
        assert len(found) == 0
        dark = stamp_of(session.clouds[-1])
        session.until(lambda: stamp_of(session.messages[-1]) == dark, "an empty, stamped message")
        assert len(read(session.messages[-1], MONO)) == 0
        counts = [len(session.features(message(view(k)))) for k in range(3)]
        assert counts[-1] > 30, counts
        session.until(lambda: stamp_of(session.messages[-1]) == stamp_of(session.clouds[-1]), "the last message")
        assert len(read(session.messages[-1], MONO)) > 30


def test_freq_throttles_what_is_published_and_not_what_is_tracked():
    with Listener({**TRACKS, "output_layout": "vins_fusion", "freq": 10.0}) as session:
        for k in range(10):
            session.send(message(view(k)))
        last = session.next_stamp
        session.until(lambda: len(session.clouds) >= 5 and len(session.messages) >= 5, "every second frame")
        session.await_diagnostic("frames processed", 10)
        assert [stamp_of(m) for m in session.messages] == [stamp_of(c) for c in session.clouds]
        assert stamp_of(session.clouds[-1]) >= last - 50_000_000
        table = read(session.messages[-1], FUSION)
        # Against the frame processed before, 50 ms ago: 3 px a frame.
        assert np.median(np.abs(table["vx"])) == pytest.approx(3 / 200 / DT_S, rel=0.02)


def test_without_calibration_feature_is_silent_and_says_so():
    with Listener({"mode": "track", "max_cnt": 60, "output_layout": "vins_mono"}) as session:
        for k in range(4):
            assert len(session.features(message(view(k)))) > 30
        session.until(lambda: session.diagnostic()[0] == 1 and "feature" in session.diagnostic()[1], "a warning")
        assert session.messages == []


def test_vins_layouts_want_tracks_and_not_too_many():
    said = refused_at_start(["-p", "output_layout:=vins_mono", "-p", "mode:=detect"])
    assert "output_layout" in said and "detect" in said
    said = refused_at_start(["-p", "output_layout:=vins_fusion", "-p", "max_cnt:=501"])
    assert "max_cnt" in said and "500" in said
    with Listener({**TRACKS, "output_layout": "vins_fusion"}) as session:
        result = session.set_parameter("max_cnt", 501)
        assert not result.successful and "500" in result.reason
