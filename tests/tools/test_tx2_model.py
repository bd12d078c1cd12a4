"""That docs/tx2_model.md holds what tools/tx2_model.py makes, and how it is made.

    python3 tests/tools/test_tx2_model.py        # needs no GPU and no compiler
"""

import sys
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tools"))

import tx2_model  # noqa: E402
from tx2 import counts, functions, mix, model, rates, tables  # noqa: E402

KERNELS = REPOSITORY / "kernels"
SASS = """
        //## File "/a/b/detect.cu", line 33
        /*0008*/                   MOV R1, c[0x0][0x20] ;
        /*0010*/         {         ISETP.NE.AND P4, PT, RZ, c[0x0][0x210], PT ;
        //## File "/a/b/detect/load.cuh", line 90
        /*0030*/                   SHFL.IDX R1, R2, 0x0 }
        /*00d0*/              @!P2 SHR.U32 R2, R0, 0x1e ;
        /*00d8*/               @P0 DADD R2, R0, R4 ;
        /*00e0*/                   LDG.E.U8 R2, [R4] ;
        /*00e8*/                   NOP;
"""


def launch(**changes):
    plain = {"kernel": "detect", "case": "300", "size": [640, 480], "found": 0, "blocks": 8, "l2_sectors": 0,
             "issue_active": 40.0, "waiting": 0, "code": [100, 100], "files": {"detect.cu": [1000000, 0, 0, 0, 0]}}
    return plain | changes


class Document(unittest.TestCase):
    def test_it_holds_what_the_script_makes(self):
        text = tx2_model.DOCUMENT.read_text()
        self.assertIn(tables.END, text)
        self.assertEqual(text, tx2_model.replaced(text, tx2_model.made()))


class Counts(unittest.TestCase):
    def test_machine_code_is_read_line_by_line(self):
        lines = mix.parse(SASS, KERNELS)
        self.assertEqual(set(lines), {"detect.cu:33", "detect/load.cuh:90"})
        self.assertEqual(lines["detect.cu:33"], {"full": 1, "half": 1, "quarter": 0, "double": 0, "memory": 0})
        self.assertEqual(lines["detect/load.cuh:90"], {"full": 0, "half": 1, "quarter": 1, "double": 1, "memory": 1})

    def test_conversions_of_doubles_are_slow(self):
        names = ("F2F.F64.F32", "F2I.S32.F64", "I2F.F32.S32", "IADD3.X", "LDS.U")
        self.assertEqual([rates.rate(name) for name in names], ["double", "double", "quarter", "full", "memory"])

    def test_functions_of_lines(self):
        text = (KERNELS / "grid.cuh").read_text().splitlines()
        line = next(k for k, row in enumerate(text, 1) if "void grid_barrier(" in row)
        self.assertEqual(functions.Functions(KERNELS).of(f"grid.cuh:{line + 1}"), "grid.cuh:grid_barrier")
        self.assertEqual(functions.Functions(KERNELS).of("unknown:0"), "unknown:")

    def test_waiting_is_apart_and_lines_are_weighted_by_what_they_execute(self):
        text = (KERNELS / "grid.cuh").read_text().splitlines()
        barrier = next(k for k, row in enumerate(text, 1) if "void grid_barrier(" in row)
        half = {"full": 0, "half": 2, "quarter": 0, "double": 0, "memory": 0}
        full = {"full": 2, "half": 0, "quarter": 0, "double": 0, "memory": 0}
        lines = {"detect.cu:1": half, "detect.cu:2": full, f"grid.cuh:{barrier}": full}
        measured = launch(lines={"detect.cu:1": [300, 2], "detect.cu:2": [100, 2], "detect.cu:9": [400, 1],
                                 f"grid.cuh:{barrier}": [77, 1]})
        found = counts.row(measured, lines, functions.Functions(KERNELS))
        self.assertEqual((found["waiting"], found["code"]), (77, [6, 6]))
        # 300 half, 100 full, and of the line without code half of each.
        self.assertEqual(found["files"], {"detect.cu": [800, 0.625, 0.0, 0.0, 0.0]})


class Model(unittest.TestCase):
    TX2 = model.DEVICES[0]

    def test_time_is_slots_over_what_is_issued_and_bytes_after_it(self):
        # A million instructions, a quarter of them half rate: 1.25 M slots at 60 % of 10.4 G/s.
        one = launch(files={"detect.cu": [1000000, 0.25, 0, 0, 0]})
        time = model.time(one, self.TX2, 0.6)
        bytes_ms = 640 * 480 * (1 + 2 * 1.3125) / 25e9 * 1e3
        self.assertAlmostEqual(time.predicted, 1.25e6 / (10.4e9 * 0.6) * 1e3 + bytes_ms, places=9)
        self.assertAlmostEqual(time.least, 1e6 / (10.4e9 * 0.6) * 1e3, places=9)

    def test_the_range_holds_the_prediction(self):
        for launches in (launch(), launch(l2_sectors=1e6, code=[150, 100], files={"a": [1e6, 0.3, 0.1, 0.01, 0.2]})):
            for device in model.DEVICES:
                time = model.time(launches, device, 0.5)
                self.assertTrue(0 < time.least <= time.predicted <= time.most, (device.name, time))

    def test_what_was_not_measured_bounds_nothing(self):
        one = launch(kernel="track", case="200 tracks")
        del one["l2_sectors"], one["code"], one["issue_active"]
        self.assertEqual(model.least_bytes(one), 2 * 1.3125 * 640 * 480)
        time = model.time(one, self.TX2, model.efficiency([one | {"case": "16 images"}], "track"))
        self.assertEqual(time.predicted, time.most)
        self.assertIn("| not measured | not measured |", tables.mixes([one]))

    def test_issue_is_what_was_measured_and_60_percent_at_most(self):
        busy = launch(case="16 images", issue_active=35.0)
        self.assertEqual(model.efficiency([launch(), busy], "detect"), 0.35)
        self.assertEqual(model.efficiency([launch(), busy | {"issue_active": 90.0}], "detect"), model.EFFICIENCY)
        self.assertEqual(model.efficiency([launch(), busy], "track"), model.EFFICIENCY)

    def test_occupancy_is_what_registers_and_shared_memory_leave(self):
        self.assertIn("| `detect` | 64 | 0 | 0 | 14340 | 4 | 50 % |", tables.occupancy([("detect", 64, 0, 0, 14340)]))
        self.assertIn("| 3 | 38 % |", tables.occupancy([("detect", 80, 0, 0, 14340)]))
        self.assertIn("| 2 | 25 % |", tables.occupancy([("detect", 32, 0, 0, 32000)]))
        text = (KERNELS / "ptx" / "registers.txt").read_text()
        self.assertEqual([row[0] for row in tables.read_registers(text)], ["detect", "track"])


if __name__ == "__main__":
    unittest.main()
