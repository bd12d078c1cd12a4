//! The recent past of the IMU.
