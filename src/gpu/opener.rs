//! A thread that opens the GPU and closes it: both can take seconds, and frames do not wait for them.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use super::engine::{Engine, EngineOptions};
use super::error::GpuError;
use super::pipeline::wait::HANGS;

/// Longest wait for the thread when this is dropped: beyond the time after which it gives up on a kernel that hangs. A
/// thread that is still in the driver while the process ends can crash it.
const FAREWELL: Duration = HANGS.saturating_add(Duration::from_secs(1));

/// What the thread is told to do, in order.
#[derive(Debug)]
enum Order {
    Open,
    Close(Box<Engine>),
}

/// The thread's answers: an engine, or why there is none (any more).
pub type Answer = Result<Box<Engine>, GpuError>;

/// The thread, from outside.
#[derive(Debug)]
pub struct Opener {
    /// `None` once it is to end.
    orders: Option<Sender<Order>>,
    answers: Receiver<Answer>,
}

impl Opener {
    /// Starts the thread, which opens an engine at once.
    ///
    /// Errors: no thread to be had.
    pub fn start(options: EngineOptions) -> std::io::Result<Self> {
        let ((orders, received), (sender, answers)) = (channel(), channel());
        let log = tracing::dispatcher::get_default(Clone::clone);
        std::thread::Builder::new().name("gpu".to_owned()).spawn(move || {
            // The log of the caller is that of the thread.
            let _log = tracing::dispatcher::set_default(&log);
            work(&options, &received, &sender);
        })?;
        let opener = Self { orders: Some(orders), answers };
        opener.open();
        Ok(opener)
    }

    /// Asks for another engine, once what was handed in before is closed.
    pub fn open(&self) {
        self.order(Order::Open);
    }

    /// Hands an engine in to be closed. Answered only if it hangs.
    pub fn close(&self, engine: Box<Engine>) {
        self.order(Order::Close(engine));
    }

    fn order(&self, order: Order) {
        if let Some(orders) = &self.orders {
            // A thread that has ended has said why.
            let _ = orders.send(order);
        }
    }

    /// The next answer, waited for; `None` if it takes longer than `limit`.
    pub fn wait(&self, limit: Duration) -> Option<Answer> {
        self.answers.recv_timeout(limit).ok()
    }
}

impl Drop for Opener {
    fn drop(&mut self) {
        self.orders = None;
        // Until the thread lets go of its end. A driver that hangs must not keep the process from ending.
        while self.answers.recv_timeout(FAREWELL).is_ok() {}
    }
}

fn work(options: &EngineOptions, orders: &Receiver<Order>, answers: &Sender<Answer>) {
    for order in orders {
        match order {
            Order::Open => {
                // With nobody left to take an engine, it is closed here.
                let _ = answers.send(Engine::open(options).map(Box::new));
            }
            Order::Close(engine) => {
                if let Err(hangs) = engine.close() {
                    // Opening another one could hang as well: this was the last answer.
                    let _ = answers.send(Err(hangs));
                    return;
                }
            }
        }
    }
}
