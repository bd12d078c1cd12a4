//! Latency percentiles and counters.
