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
        consumer = subprocess.Popen([sys.executable, path], env=session.environment, stdout=out, stderr=subprocess.STDOUT)
        try:
            for topic in ("features", "vio_frontend/lost"):
                session.until(lambda: session.peer.count_subscribers(topic) == 2, f"the consumer at {topic}")
            for k in range(15):
                session.features(message(view(k, step=(6, 4))))
            # All tracks end, the ids go on.
            session.next_stamp += 10_000_000_000
            session.features(message(view(15)))
            session.features(message(view(15)))
            seen = Counter(i for cloud in session.clouds for i in points(cloud)["id"].tolist())
            alive = set(points(session.clouds[-1])["id"].tolist())
            session.until(lambda: len(session.lost()) == len(seen) - len(alive), "all losses at the peer")
            expected = {(i, reason, seen[i]) for i, reason in session.lost()}

            def heard():
                return {tuple(map(int, match)) for match in LINE.findall(said.read_text())}

            session.until(lambda: len(heard()) >= len(expected) or consumer.poll() is not None, said.read_text)
        finally:
            consumer.kill()
            consumer.wait()
        assert heard() == expected, said.read_text()
        assert len(expected) > 60 and {RESTART} < {reason for _, reason, _ in expected}
