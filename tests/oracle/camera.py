"""Projects points with OpenCV and prints them as CSV: the oracle of tests/camera/.

The unified model is not in OpenCV's main modules; it is written here from equations 1 to 5 of C. Mei and P. Rives, Single
View Point Omnidirectional Camera Calibration from Planar Grids, ICRA 2007.

    pip install opencv-python-headless numpy
    python3 tests/oracle/camera.py > tests/oracle/camera.csv
"""

import cv2
import numpy as np

# name, model, (xi) fx fy cx cy, distortion
CAMERAS = [
    ("euroc", "pinhole", [458.654, 457.296, 367.215, 248.375], [-0.28340811, 0.07395907, 0.00019359, 1.76187114e-05]),
    ("tum", "pinhole", [520.908620, 521.007327, 325.141442, 249.701764],
     [0.231222, -0.784899, -0.003257, -0.000105, 0.917205]),
    ("aria", "equidistant", [245.428530, 245.423259, 254.253993, 259.182313],
     [0.016336850, 0.025643332, -0.044562128, 0.006854709]),
    ("mynteye", "equidistant", [366.163, 365.631, 380.573, 225.950],
     [-0.020476443, -0.007108226, 0.002180580, -0.001192386]),
    ("kinect", "pinhole", [609.9, 609.8, 637.7, 367.9],
     [0.5127, -2.6885, 0.000775, -0.000106, 1.5457, 0.3913, -2.5051, 1.4702]),
    ("omni", "omni", [1.8, 1089.3, 1088.5, 372.1, 236.8], [-0.05, 0.18, 0.0004, -0.0003]),
    ("omni_below_1", "omni", [0.92, 420.0, 421.0, 320.5, 240.5], [-0.2, 0.06, 0.0003, 0.0001]),
]
POINTS = np.array([[x, y, z] for x in (-0.7, -0.2, 0.0, 0.55) for y in (-0.45, 0.0, 0.3) for z in (1.0, 2.5)])
# Beyond 90 degrees from the axis, for models that see there.
BEHIND = np.array([[x, y, -0.2] for x in (-0.7, 0.55) for y in (-0.45, 0.0, 0.3)])


def mei(points, intrinsics, distortion):
    xi, fx, fy, cx, cy = intrinsics
    k1, k2, p1, p2 = distortion
    on_sphere = points / np.linalg.norm(points, axis=1, keepdims=True)
    x, y = (on_sphere[:, :2] / (on_sphere[:, 2:] + xi)).T
    rho2 = x**2 + y**2
    radial = 1 + k1 * rho2 + k2 * rho2**2
    u = x * radial + 2 * p1 * x * y + p2 * (rho2 + 2 * x**2)
    v = y * radial + p1 * (rho2 + 2 * y**2) + 2 * p2 * x * y
    return np.stack([fx * u + cx, fy * v + cy], axis=1)


print(f"# OpenCV {cv2.__version__}; columns: camera, x, y, z (camera frame), u, v (px)")
for name, model, intrinsics, distortion in CAMERAS:
    points = POINTS
    fx, fy, cx, cy = intrinsics[-4:]
    k = np.array([[fx, 0, cx], [0, fy, cy], [0, 0, 1.0]])
    zero = np.zeros(3)
    if model == "pinhole":
        pixels, _ = cv2.projectPoints(points, zero, zero, k, np.array(distortion))
    elif model == "omni":
        points = np.concatenate([POINTS, BEHIND])
        pixels = mei(points, intrinsics, distortion)
    else:
        pixels, _ = cv2.fisheye.projectPoints(points.reshape(-1, 1, 3), zero, zero, k, np.array(distortion))
    for point, pixel in zip(points, pixels.reshape(-1, 2)):
        print(",".join([name] + [repr(float(v)) for v in (*point, *pixel)]))
