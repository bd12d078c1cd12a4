"""One compilation by one libnvrtc. Two versions clash within one process, so each has its own:

    python3 driver.py LIBRARY OPTION... < SOURCE     # PTX to standard output, the log to standard error
"""

import ctypes
import subprocess
import sys

# The largest kernel takes seconds; a compiler that hangs must not hold up a test run.
LIMIT_S = 600


def compile_in_process(library, options, source):
    """(result, log, PTX); result 0 is success."""
    nvrtc = ctypes.CDLL(library)
    program, size = ctypes.c_void_p(), ctypes.c_size_t()

    def text(get_size, get):
        if get_size(program, ctypes.byref(size)) != 0:
            return ""
        buffer = ctypes.create_string_buffer(max(size.value, 1))
        return buffer.value.decode(errors="replace") if get(program, buffer) == 0 else ""

    result = nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, b"kernels", 0, None, None)
    if result == 0:
        array = (ctypes.c_char_p * len(options))(*(o.encode() for o in options))
        result = nvrtc.nvrtcCompileProgram(program, len(options), array)
    log = text(nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog)
    ptx = text(nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX) if result == 0 else ""
    return result, log, ptx


def compile(library, options, source):
    """The same in a process of its own: (exit status, log, PTX)."""
    try:
        done = subprocess.run([sys.executable, __file__, str(library), *options], input=source.encode(),
                              capture_output=True, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        return -1, f"the compiler had not ended after {LIMIT_S} s", ""
    return done.returncode, done.stderr.decode(errors="replace"), done.stdout.decode()


if __name__ == "__main__":
    try:
        status, log, ptx = compile_in_process(sys.argv[1], sys.argv[2:], sys.stdin.buffer.read())
    except (OSError, AttributeError) as error:
        sys.exit(f"{sys.argv[1]} is not a libnvrtc that can be loaded: {error}")
    sys.stderr.write(log)
    sys.stdout.write(ptx)
    sys.exit(status)
