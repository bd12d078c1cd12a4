"""What the kernels should take on a Jetson, from counts on a card and the machine code for sm_62.

    rates.py      how fast sm_62 issues each instruction
    mix.py        the machine code of kernels/ for sm_62, line by line (NVRTC, ptxas, nvdisasm; no GPU)
    functions.py  which function a line belongs to
    counts.py     measured counts x mix = counts.json, function by function
    model.py      times and their range
    tables.py     the tables of docs/tx2_model.md
"""
