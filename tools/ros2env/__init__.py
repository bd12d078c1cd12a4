"""The ROS 2 that the node is built against and tested with: a sourced one, or one made from PyPI wheels.

    problem.py       what goes wrong, told to a person
    once.py          work done once, safe against interruption and against two doing it together
    installation.py  which ROS 2 is used, and where the things made for it lie
    prefix.py        ROS 2 Jazzy or Kilted from wheels, no apt
    bindings.py      the Rust message bindings that the installation lacks
    shell.py         the environment variables of it all
    build.py         cargo and colcon in that environment
    rust/            the writer of the bindings (runs in the Python of the ROS 2 installation)

Everything made goes to `.ros2/` at the top of the repository, or to $VIO_ROS2_DIR.
"""
