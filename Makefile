# Two commands for a newcomer: `make demo` and `make test`. Both set up what they need below .ros2/ and target/.

PYTHON ?= python3
ROS2 := $(PYTHON) tools/ros2.py
export VIO_ROS2_DIR ?= $(CURDIR)/.ros2
# Python packages of the tests; beside, not inside, the ROS 2 prefix, so that a sourced ROS 2 stays as it is.
TEST_PACKAGES := $(VIO_ROS2_DIR)/test
WITH_TEST_PACKAGES := env PYTHONPATH="$(TEST_PACKAGES):$$PYTHONPATH"
TARGET := $(if $(CARGO_TARGET_DIR),$(CARGO_TARGET_DIR),target)

.PHONY: demo test test-all lint test-rust test-failover test-oracle test-tools test-compilers test-ros2 test-gpu \
    gpu-binaries mutants clean

demo:
	$(PYTHON) tools/demo.py

# Every test, in the order in which a failure is cheapest to find.
test: lint test-rust test-failover test-oracle test-tools test-compilers test-ros2

# The long campaigns as well: count within 2 % on all real frames, precision beside OpenCV on all photos, deliberate
# mistakes, ROS 2 tests on both distributions of the wheels.
test-all: test
	cargo test --release --test detect -- --include-ignored --nocapture
	$(WITH_TEST_PACKAGES) cargo test --release --test eval -- --ignored --nocapture real_photos
	$(MAKE) mutants
	$(MAKE) test-ros2 DISTRO=kilted

lint:
	cargo fmt --check
	cargo clippy --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --quiet

# More than a thousand failures of the CUDA driver, each during a stream of its own.
test-failover:
	cargo test --test failover -- --ignored

test-rust:
	cargo test --no-fail-fast

# OpenCV as the oracle of pyramid, FAST and equalisation (of the camera models it is in tests/camera.rs, as a table), and
# as a peer whose precision and tracks are to be matched or beaten.
test-oracle: $(TEST_PACKAGES)/.done
	cargo build --examples
	$(WITH_TEST_PACKAGES) $(PYTHON) tests/oracle/opencv.py --stages $(TARGET)/debug/examples/stages
	$(WITH_TEST_PACKAGES) $(PYTHON) tests/oracle/contrast.py --contrast $(TARGET)/debug/examples/contrast
	$(WITH_TEST_PACKAGES) $(PYTHON) tests/oracle/track.py --flow $(TARGET)/debug/examples/flow --pairs 3
	$(WITH_TEST_PACKAGES) cargo test --test eval -- --ignored synthetic_

test-tools: $(TEST_PACKAGES)/.done
	$(WITH_TEST_PACKAGES) $(PYTHON) -m pytest -q tests/tools/test_environment.py tests/tools/test_gpu_report.py \
	    tests/tools/test_tx2_model.py
	$(ROS2) exec -- sh -c '$(WITH_TEST_PACKAGES) "$$VIO_ROS2_PYTHON" -m pytest -q tests/tools/test_bindings.py'

# The CUDA sources, and what compiles them at run time, under NVRTC 10.2 to 13.5 and ptxas, which need no GPU.
test-compilers: $(TEST_PACKAGES)/.done
	$(PYTHON) tools/nvrtc.py check
	$(WITH_TEST_PACKAGES) $(PYTHON) -m pytest -q tests/compilers
	cargo test --test gpu -- --ignored compilers::

# On a machine with a GPU, and only there: what `make gpu-binaries` built is run beside the CPU. No part of `make test`.
GPU_BINARIES ?= $(TARGET)/gpu
GPU_EXAMPLES := gpu_campaign gpu_live gpu_profile
test-gpu:
	$(PYTHON) tools/gpu_report.py --binaries $(GPU_BINARIES) --out gpu_report $(if $(VIO_TEST_DATA),--data $(VIO_TEST_DATA))

# Where cargo is. The folder can be taken to a machine that has the GPU, with a copy of this tree.
gpu-binaries:
	cargo build --release --bin vio_frontend $(GPU_EXAMPLES:%=--example %)
	mkdir -p $(GPU_BINARIES)
	strip -o $(GPU_BINARIES)/vio_frontend $(TARGET)/release/vio_frontend
	for name in $(GPU_EXAMPLES); do strip -o $(GPU_BINARIES)/$$name $(TARGET)/release/examples/$$name || exit 1; done
	git describe --always --dirty > $(GPU_BINARIES)/commit.txt

# Each deliberate mistake must be noticed; writes tests/mutants.md.
mutants:
	$(PYTHON) tests/mutants.py

# The real node against a real rclpy peer. DISTRO chooses among the wheels; a sourced ROS 2 wins over it.
DISTRO ?= jazzy
test-ros2: $(TEST_PACKAGES)/.done
	cargo build --bin vio_frontend
	cargo run --quiet --example fakecuda -- $(TARGET)/fakecuda
	$(ROS2) exec --distro $(DISTRO) -- cargo clippy --bin vio_frontend_node --features ros2 -- -D warnings
	node=$$($(ROS2) build --distro $(DISTRO)) && \
	VIO_NODE=$$node VIO_TOOL=$(TARGET)/debug/vio_frontend VIO_FAKECUDA=$(TARGET)/fakecuda $(ROS2) exec --distro $(DISTRO) -- \
	    sh -c '$(WITH_TEST_PACKAGES) "$$VIO_ROS2_PYTHON" -m pytest -q tests/ros2'

$(TEST_PACKAGES)/.done: tests/requirements.txt
	rm -rf $(TEST_PACKAGES)
	$(PYTHON) -m pip install --quiet --disable-pip-version-check --target $(TEST_PACKAGES) -r $<
	touch $@

clean:
	cargo clean
	rm -rf $(VIO_ROS2_DIR) demo_out out
