//! The ROS 2 node: for now an echo, `image` in, `feature_image` out.

use rclrs::{Context, CreateBasicExecutor, IntoPrimitiveOptions, RclrsErrorFilter, SpinOptions};
use ros_env::sensor_msgs::msg::rmw::Image;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut executor = Context::default_from_env()?.create_basic_executor();
    let commands = executor.commands().clone();
    ctrlc::set_handler(move || commands.halt_spinning())?;

    let node = executor.create_node("vio_frontend")?;
    let echo = node.create_publisher::<Image>("feature_image")?;
    // The callback owns the message, so that publishing it again copies no pixel on this side.
    let _images = node.create_subscription("image".sensor_data_qos(), move |image: Image| {
        if let Err(error) = echo.publish(image) {
            rclrs::log_error!("vio_frontend", "feature_image not published: {error}");
        }
    })?;
    executor.spin(SpinOptions::default()).first_error()?;
    Ok(())
}
