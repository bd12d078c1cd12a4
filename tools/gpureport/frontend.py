"""Whole runs of the front end on GPU and CPU, compared by `vio_frontend compare`."""

FRAMES = 120
SCENES = ("room", "corridor", "outdoor", "fast_rotation", "low_texture", "moving_objects")
FOLDERS = ("euroc_micro", "kitti_07", "tum_fr2_desk", "gopro_karma_a", "rpg_tags_pnp", "scenery_hut_long",
           "aria_gen2_front")
LIMIT_S = 200


def compare(run):
    sources = [f"synth:{name}" for name in SCENES]
    sources += [str(run.data / name) for name in FOLDERS if run.data and (run.data / name).is_dir()]
    words = run.together(lambda source: pair(run, source)[0], sources)
    return {source.split("/")[-1]: word for source, word in zip(sources, words)}


def pair(run, source, name=None, params=None):
    """What `compare` says of the runs on both devices, and what the one on the GPU said."""
    said, name = {}, name or source.split("/")[-1].replace(":", "_")
    folders = {}
    for device in ("cuda", "cpu"):
        folders[device] = run.scratch / f"{name}_{device}"
        command = [run.binary("vio_frontend"), "replay", source, "--max-frames", FRAMES, "--device", device,
                   "--out", folders[device], *(["--params", params] if params and device == "cuda" else [])]
        done = run.call(command, LIMIT_S, quiet=True)
        said[device] = done.out
        if done.status != 0:
            run.fail(f"{name}: replay on {device}: {done.outcome()}: {done.ending(2)}")
            return done.outcome(), done.out
        if device == "cuda" and "device: cuda" not in done.out and not params:
            run.fail(f"{name}: the GPU was lost: {done.ending(8)}")
    done = run.call([run.binary("vio_frontend"), "compare", folders["cpu"], folders["cuda"]], 60)
    if done.status != 0:
        run.fail(f"{name}: GPU and CPU differ: {done.out.strip()}")
    return done.out.strip(), said["cuda"]
