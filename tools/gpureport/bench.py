"""`vio_frontend bench`: plain path, GPU and the floor in one run."""

import json

LIMIT_S = 200


def measure(run):
    tool = run.binary("vio_frontend")
    if "bench" not in run.call([tool, "--help"], 30, quiet=True).out:
        run.not_checked("bench: this build has no such command")
        return None
    done = run.call([tool, "bench", "--device", "cuda", "--json"], LIMIT_S)
    if done.status != 0:
        run.fail(f"bench: {done.outcome()}: {done.ending(3)}")
        return None
    # Warnings may stand before and after it.
    return json.JSONDecoder().raw_decode(done.out, done.out.index("{\n"))[0]
