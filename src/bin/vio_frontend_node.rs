//! The ROS 2 node. `ros2 launch vio_frontend frontend.launch.py` starts it.

use std::process::ExitCode;

fn main() -> ExitCode {
    match vio_frontend::ros::run(std::env::args()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("vio_frontend_node: {error}");
            ExitCode::FAILURE
        }
    }
}
