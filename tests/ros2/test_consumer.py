"""The consumer of docs/consumer.md, as a program of its own, hears of every track what the peer hears."""

import re
import subprocess
import sys
from collections import Counter

from harness import REPOSITORY, message, points
from test_tracks import RESTART, TRACKS, Listener, view

LINE = re.compile(r"track (\d+) ended for reason (\d) after (\d+) observations")


def program():
    """The only Python in the page."""
    _, code = (REPOSITORY / "docs" / "consumer.md").read_text().split("```python\n")
    return code.split("```\n")[0]


def test_the_consumer_of_the_documentation(tmp_path):
    assert len([line for line in program().splitlines() if line.strip()]) <= 40
    path, said = tmp_path / "consumer.py", tmp_path / "said"
    path.write_text(program())
    with Listener(TRACKS) as session, said.open("w") as out:
        consumer = subprocess.Popen([sys.executable, path], env=session.environment, stdout=out,
                                    stderr=subprocess.STDOUT)

        def heard():
            assert consumer.poll() is None, said.read_text()
            return {tuple(map(int, match)) for match in LINE.findall(said.read_text())}

        def all_tracks_end():
            """By a gap; the ids go on. Two frames, since a loss may come behind the first."""
            session.next_stamp += 10_000_000_000
            return [session.features(message(view(0))) for _ in range(2)]

        try:
            # The node may find the consumer later than the peer does.
            session.until(lambda: all_tracks_end() and heard(), "the consumer's first word")
            first = len(session.clouds)
            all_tracks_end()
            for k in range(15):
                session.features(message(view(k, step=(6, 4))))
            all_tracks_end()
            seen = Counter(i for cloud in session.clouds[first:] for i in points(cloud)["id"].tolist())
            ended = seen.keys() - set(points(session.clouds[-1])["id"].tolist())
            session.until(lambda: ended <= {i for i, _ in session.lost()}, "all losses at the peer")
            expected = {(i, reason, seen[i]) for i, reason in session.lost() if i in ended}
            session.until(lambda: len(session.features(message(view(0)))) and expected <= heard(), said.read_text)
        finally:
            consumer.kill()
            consumer.wait()
        assert len(expected) > 60 and {RESTART} < {reason for _, reason, _ in expected}
