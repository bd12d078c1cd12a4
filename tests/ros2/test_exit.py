"""A signal ends the node whenever it comes, the moments of starting up included."""

import os
import signal
import subprocess
import time

# Only bounds how long a failure takes: a node that missed the signal never ends.
PATIENCE_S = 30.0
# Ended by the node itself, or, before it listens for signals, by the system.
ENDINGS = (0, -signal.SIGTERM)


def test_a_signal_at_any_moment_of_the_start_ends_the_node():
    for delay_ms in range(1, 80, 2):
        with subprocess.Popen([os.environ["VIO_NODE"]], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as node:
            time.sleep(delay_ms / 1000)
            node.send_signal(signal.SIGTERM)
            try:
                ending = node.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                node.kill()
                raise AssertionError(f"SIGTERM {delay_ms} ms after the start was lost") from None
            assert ending in ENDINGS, f"exit status {ending} on SIGTERM after {delay_ms} ms"
