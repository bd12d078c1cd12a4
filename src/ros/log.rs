//! What the library logs, among the messages of the node: the console and /rosout.

use std::fmt::{self, Write as _};

use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};

/// Sends events of this crate to the log of ROS.
#[derive(Debug)]
struct ToRos;

impl<S: Subscriber> Layer<S> for ToRos {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if !event.metadata().target().starts_with(env!("CARGO_CRATE_NAME")) {
            return;
        }
        let mut message = Message::default();
        event.record(&mut message);
        let Message(text) = message;
        match *event.metadata().level() {
            Level::ERROR => rclrs::log_error!("vio_frontend", "{text}"),
            Level::WARN => rclrs::log_warn!("vio_frontend", "{text}"),
            Level::INFO => rclrs::log_info!("vio_frontend", "{text}"),
            _ => rclrs::log_debug!("vio_frontend", "{text}"),
        }
    }
}

/// The text of an event.
#[derive(Debug, Default)]
struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            // Writing to a string cannot fail.
            let _ = write!(self.0, "{value:?}");
        }
    }
}

/// From now on; where a program that runs the node listens already, it goes on alone.
pub(super) fn forward() {
    let _ = tracing::subscriber::set_global_default(tracing_subscriber::registry().with(ToRos));
}
