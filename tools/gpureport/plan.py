"""The steps in their order: cheap ones that tell most first, those that may lose the GPU after what is measured."""

from . import bench, campaign, failures, frontend, machine, mutants, profile, sanitizers

STEPS = {
    "machine": machine.look,
    "campaign": campaign.compare,
    "frontend": frontend.compare,
    "bench": bench.measure,
    "profile": profile.measure,
    "sanitizers": sanitizers.check,
    "mutants": mutants.notice,
    "survival": failures.survive,
}
