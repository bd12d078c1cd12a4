"""What tools/gpu_report.py says and how it ends, with programs that only pretend.

    python3 tests/tools/test_gpu_report.py        # needs no GPU
"""

import json
import signal
import subprocess
import time
import unittest

from pretended import GROUP, HERE, WithPrograms
from gpureport import bench, campaign, failures, frontend, machine, mutants, profile, report, run, sanitizers


class AtTheStart(WithPrograms):
    def test_without_binaries_it_says_how_to_make_them(self):
        (self.binaries / "gpu_live").unlink()
        status, said = self.run_report()
        self.assertEqual(status, 1)
        self.assertIn("no gpu_live in", said)
        self.assertIn("make gpu-binaries", said)

    def test_without_a_gpu_it_says_so(self):
        self.program(self.binaries / "gpu_campaign", "echo 'Error: no driver'; exit 1")
        self.assertEqual(self.run_report(), (1, "gpu_report: no GPU here that can be opened: Error: no driver\n"))

    def test_a_warning_before_what_is_here_hides_no_gpu(self):
        said = f"echo ' WARN {{x}} of a driver'; echo '{json.dumps(HERE)}'; echo '{json.dumps(GROUP)}'"
        self.program(self.binaries / "gpu_campaign", said)
        status, said = self.run_report("--only", "machine,campaign")
        self.assertEqual(status, 0, said)
        self.assertIn("On a GPU: Card", said)

    def test_options_that_cannot_be_are_named(self):
        for jobs in ("0", "-1", "many"):
            status, said = self.run_report(f"--jobs={jobs}")
            self.assertEqual(status, 2, said)
            self.assertIn(f"argument --jobs: {jobs} is no number from 1 on", said)
        taken = self.folder / "taken"
        taken.write_text("")
        self.assertEqual(self.run_report("--out", taken), (1, f"gpu_report: --out {taken}: File exists\n"))

    def test_without_nvidia_smi_there_may_be_a_gpu(self):
        (self.tools / "nvidia-smi").unlink()
        status, said = self.run_report("--only", "machine")
        self.assertEqual(status, 0, said)
        self.assertIn("driver unknown", said)

    def test_a_step_that_is_none_is_refused(self):
        status, said = self.run_report("--only", "machine,nothing")
        self.assertEqual(status, 2)
        self.assertIn("no step nothing: machine, campaign", said)


class Reports(WithPrograms):
    def test_another_card_is_told_and_no_failure(self):
        status, said = self.run_report("--only", "machine")
        self.assertEqual(status, 0, said)
        figures = json.loads((self.folder / "out" / "figures.json").read_text())
        self.assertEqual((figures["machine"]["card"], figures["machine"]["driver"]), ("Card", "1.2"))
        recorded = json.loads(machine.RECORDED.read_text())
        self.assertIn(f"recorded figures hold for card {recorded['card']}; here it is Card", figures["not_checked"])
        self.assertIn("campaign: not asked for", figures["not_checked"])
        self.assertNotIn("cuda", " ".join(line for line in figures["not_checked"] if "recorded figures" in line))
        self.assertIn("gpu_campaign --few", (self.folder / "out" / "log.txt").read_text())

    def test_a_difference_fails_and_says_where(self):
        self.campaign(HERE, GROUP | {"different": 1, "differences": ["case 7: feature 3"]}, status=1)
        status, said = self.run_report("--only", "campaign")
        self.assertEqual(status, 1)
        self.assertIn("random: case 7: feature 3", said)
        self.assertIn("real images: no --data", said)

    def test_bench_is_run_where_there_is_one(self):
        made = self.new_run()
        self.assertIsNone(bench.measure(made))
        self.assertEqual((made.unchecked, made.failures), (["bench: this build has no such command"], []))
        said = """[ "$1" = bench ] || { echo bench; exit; }; printf '%s\\n' ' WARN {x}' '{' '"cases": []' '}' done"""
        self.program(self.binaries / "vio_frontend", said)
        self.assertEqual(bench.measure(made), {"cases": []})

    def test_figures_of_the_parts_are_summed(self):
        status, said = self.run_report("--only", "campaign")
        self.assertEqual(status, 0, said)
        row = json.loads((self.folder / "out" / "figures.json").read_text())["campaign"]["random"]
        processes = len(campaign.jobs(None))
        self.assertEqual((row["cases"], row["launches"]), (2 * processes, 18 * processes))
        self.assertIn("| random | ", (self.folder / "out" / "report.md").read_text())

    def test_a_process_that_says_nothing_or_dies_fails(self):
        for done in (self.done(HERE), self.done(HERE, status=-11), self.done(HERE, GROUP, status=None)):
            made = self.new_run()
            campaign.judge(made, done)
            self.assertEqual(len(made.failures), 1, done)

    def test_a_command_that_does_not_end_is_ended(self):
        self.program(self.binaries / "gpu_live", "echo begun; exec sleep 60")
        done = self.new_run().call([self.binaries / "gpu_live"], 1)
        self.assertEqual((done.status, done.outcome(), done.out), (None, "not ended in time", "begun\n"))

    def test_what_a_command_started_is_ended_with_it(self):
        # As a profiler does: the program that has the GPU is its child, and holds the pipe.
        self.program(self.binaries / "gpu_live", "sleep 600 & echo $!; wait")
        done = self.new_run().call([self.binaries / "gpu_live"], 3)
        self.assertIsNone(done.status)
        self.until_gone(int(done.out))

    def test_ended_from_outside_it_ends_what_it_started(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            kept = self.folder / f"pid_{number}"
            self.program(self.binaries / "gpu_campaign", f"""case "$*" in
                *--few*) echo '{json.dumps(HERE)}';;
                *) sleep 600 & echo $! >{kept}.part; mv {kept}.part {kept}; wait;; esac""")
            with self.start_report("--only", "campaign", "--jobs", "1") as report:
                for _ in range(3000):
                    if kept.exists():
                        break
                    time.sleep(0.02)
                report.send_signal(number)
                try:
                    said, _ = report.communicate(timeout=60)
                except subprocess.TimeoutExpired:
                    report.kill()  # or leaving this block would wait for it
                    raise
            self.assertEqual(report.returncode, 128 + number, said)
            self.until_gone(int(kept.read_text()))
            self.assertEqual(list(self.temporary.iterdir()), [])

    def test_a_step_that_breaks_is_a_failure_of_that_step(self):
        made = self.new_run()
        made.section("bench", lambda run: json.loads("no json"))
        self.assertEqual(len(made.failures), 1)
        self.assertEqual(report.write(made), 1)

    def test_long_failures_are_cut(self):
        made = self.new_run()
        made.fail("x" * 5000)
        self.assertLess(len(made.failures[0]), 2 * run.TOLD)


class Launch:
    """What Nsight Compute's module gives of a launch: three instructions of one line."""

    def metric_names(self):
        return ["smsp__inst_executed.sum", "inst_executed"]

    def metric_by_name(self, name):
        return self

    def correlation_ids(self):
        return self

    def num_instances(self):
        return 3

    def as_double(self):
        return 19.0

    def as_uint64(self, k):
        return (5, 6, 8)[k]

    def source_info(self, address):
        return self if address else None

    def file_name(self):
        return "/x/detect.cu"

    def line(self):
        return 33


class Judging(WithPrograms):
    def test_sanitizers(self):
        for text, clean in (("========= ERROR SUMMARY: 0 errors", True),
                            ("========= ERROR SUMMARY: 2 errors", False),
                            ("========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)", True),
                            ("========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)", False),
                            ("", False)):
            self.program(self.tools / "compute-sanitizer", f"echo '{text}'")
            made = self.new_run()
            sanitizers.one(made, self.tools / "compute-sanitizer", "memcheck", ["true"])
            self.assertEqual(not made.failures, clean, text)

    def test_every_mistake_in_the_kernels_can_be_made(self):
        listed = mutants.listed()
        self.assertGreater(len(listed), 20)
        made = self.new_run()
        self.campaign(HERE, GROUP | {"different": 1, "differences": ["case 0"]}, status=1)
        words = [mutants.one(made, None, number, mutant) for number, mutant in enumerate(listed)]
        self.assertEqual((set(words), made.failures), ({"random: case 0"}, []))

    def test_a_mistake_that_goes_unnoticed_fails(self):
        made = self.new_run()
        self.assertEqual(mutants.one(made, None, 0, mutants.listed()[0]), "MISSED")
        self.assertIn("mutant not noticed", made.failures[0])

    def test_a_mistake_that_does_not_compile_is_not_noticed(self):
        self.program(self.binaries / "gpu_campaign", "echo 'Error: detect.cu(3): error'; exit 1")
        made = self.new_run()
        self.assertEqual(mutants.one(made, None, 0, mutants.listed()[0]), "MISSED")

    def test_a_mistake_that_an_assertion_refuses_is_noticed(self):
        said = r'Error: log: "abi.cuh(80): error: static assertion failed with \"width is not at 212\"\n  static'
        self.assertEqual(mutants.noticed(run.Done([], 1, said, 1.0)), "the compiler: width is not at 212")

    def test_a_race_is_left_to_the_sanitizer(self):
        self.program(self.tools / "compute-sanitizer", "echo '= RACECHECK SUMMARY: 4 hazards displayed'")
        made = self.new_run()
        word = mutants.one(made, self.tools / "compute-sanitizer", 0, mutants.listed()[0])
        self.assertEqual((word, made.failures), ("racecheck: RACECHECK SUMMARY: 4 hazards displayed", []))

    def test_a_fault_that_no_frame_met_fails(self):
        self.program(self.binaries / "vio_frontend", 'echo "device: cpu"')
        made = self.new_run()
        failures.fault(made, "fault", failures.FAULTS["fault"])
        self.assertEqual(made.failures, ["fault: no frame was finished on the CPU"])
        made.failures.clear()
        said = 'echo "device: cpu"; echo "  frame 29 finished on the CPU: 719"'
        self.program(self.binaries / "vio_frontend", said)
        self.assertIn("frame 29", failures.fault(made, "endless", failures.FAULTS["endless"]))
        self.assertEqual(made.failures, [])

    def test_a_stream_whose_frames_differ_or_whose_kernel_never_failed_fails(self):
        made = self.new_run()
        for said, count in (("frame 33: finished on the CPU; every frame equal in every bit", 0), ("frames differ", 2),
                            ("every frame equal in every bit", 1)):
            self.program(self.binaries / "gpu_live", f"echo '{said}'")
            made.failures.clear()
            failures.live(made, "hang")
            self.assertEqual(len(made.failures), count, said)

    def test_runs_that_differ_or_lose_the_gpu_fail(self):
        made = self.new_run()
        said = '[ "$1" = replay ] && { echo "device: cuda (Card)"; exit 0; }; echo frame 3; exit 1'
        self.program(self.binaries / "vio_frontend", said)
        frontend.pair(made, "synth:room")
        self.assertEqual(made.failures, ["synth_room: GPU and CPU differ: frame 3"])
        made.failures.clear()
        self.program(self.binaries / "vio_frontend", 'echo "device: cpu"')
        frontend.pair(made, "synth:room")
        self.assertEqual(len(made.failures), 1)
        self.assertIn("the GPU was lost", made.failures[0])

    def test_lines_of_the_sources_are_named_as_the_sources_are(self):
        self.assertEqual(profile.line("/somewhere/detect/load.cuh", 7), "detect/load.cuh:7")
        self.assertEqual(profile.line("track.cu", 9), "track.cu:9")
        self.assertEqual(profile.line("/usr/include/cuda.h", 3), "unknown:3")
        self.assertEqual(profile.launch(Launch()), {"warp_instructions": 19.0, "lines": {"detect.cu:33": [19, 3]}})


if __name__ == "__main__":
    unittest.main()
