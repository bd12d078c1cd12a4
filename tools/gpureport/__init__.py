"""What `tools/gpu_report.py` does on a machine with a GPU.

    run.py         commands with a time limit and a log; what failed, what was not checked
    machine.py     card, driver, CUDA versions; how they differ from recorded.json
    campaign.py    the device beside the plain path, bit by bit (examples/gpu_campaign)
    sanitizers.py  the same, a little of it, under compute-sanitizer
    mutants.py     deliberate mistakes in the kernels (tests/mutants.toml), each to be noticed
    failures.py    kernels that fault or hang, memory that runs out: the CPU takes the frame
    frontend.py    whole runs on GPU and CPU, compared
    bench.py       `vio_frontend bench`
    profile.py     what launches cost, by Nsight Compute: tools/tx2_model.py records it
    plan.py        the steps in their order
    report.py      figures.json, report.md, the exit status
"""
