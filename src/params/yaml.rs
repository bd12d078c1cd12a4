//! ROS 2 parameter files.
