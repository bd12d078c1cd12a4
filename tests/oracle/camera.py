"""Projects points with OpenCV and prints them as CSV: the oracle of tests/camera.rs.

    pip install opencv-python-headless numpy
    python3 tests/oracle/camera.py > tests/oracle/camera.csv
"""

import cv2
import numpy as np

# name, model, fx fy cx cy, distortion
CAMERAS = [
    ("euroc", "pinhole", [458.654, 457.296, 367.215, 248.375], [-0.28340811, 0.07395907, 0.00019359, 1.76187114e-05]),
    ("tum", "pinhole", [520.908620, 521.007327, 325.141442, 249.701764],
     [0.231222, -0.784899, -0.003257, -0.000105, 0.917205]),
    ("aria", "equidistant", [245.428530, 245.423259, 254.253993, 259.182313],
     [0.016336850, 0.025643332, -0.044562128, 0.006854709]),
    ("mynteye", "equidistant", [366.163, 365.631, 380.573, 225.950],
     [-0.020476443, -0.007108226, 0.002180580, -0.001192386]),
]
POINTS = np.array([[x, y, z] for x in (-0.7, -0.2, 0.0, 0.55) for y in (-0.45, 0.0, 0.3) for z in (1.0, 2.5)])

print(f"# OpenCV {cv2.__version__}; columns: camera, x, y, z (camera frame), u, v (px)")
for name, model, (fx, fy, cx, cy), distortion in CAMERAS:
    k = np.array([[fx, 0, cx], [0, fy, cy], [0, 0, 1.0]])
    zero = np.zeros(3)
    if model == "pinhole":
        pixels, _ = cv2.projectPoints(POINTS, zero, zero, k, np.array(distortion))
    else:
        pixels, _ = cv2.fisheye.projectPoints(POINTS.reshape(-1, 1, 3), zero, zero, k, np.array(distortion))
    for point, pixel in zip(POINTS, pixels.reshape(-1, 2)):
        print(",".join([name] + [repr(float(v)) for v in (*point, *pixel)]))
