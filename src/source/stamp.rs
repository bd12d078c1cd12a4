//! Stamps as file names and listings write them.

use crate::frame::StampNs;

/// A whole number of nanoseconds.
pub(crate) fn from_ns(text: &str) -> Option<StampNs> {
    text.trim().parse().ok()
}

/// Decimal seconds, exact to the nanosecond: no float could hold today's time to that precision.
pub(crate) fn from_decimal_seconds(text: &str) -> Option<StampNs> {
    let (seconds, fraction) = text.trim().split_once('.')?;
    if fraction.is_empty() || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let nanoseconds: String = fraction.chars().chain(std::iter::repeat('0')).take(9).collect();
    let seconds: StampNs = seconds.parse().ok().filter(|&s| s >= 0)?;
    seconds.checked_mul(1_000_000_000)?.checked_add(nanoseconds.parse().ok()?)
}

/// A file's name (without extension) as a time after 2001 and before 2033 in s, ms, us or ns, told apart by size, or
/// in decimal seconds. Other numbers are counters, not times.
pub(crate) fn from_name(stem: &str) -> Option<StampNs> {
    if let Some(stamp) = from_decimal_seconds(stem) {
        return (1_000_000_000_000_000_000..2_000_000_000_000_000_000).contains(&stamp).then_some(stamp);
    }
    if !stem.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let number: StampNs = stem.parse().ok()?;
    [1_000_000_000, 1_000_000, 1_000, 1].into_iter().find_map(|ns_per_unit| {
        let stamp = number.checked_mul(ns_per_unit)?;
        (1_000_000_000_000_000_000..2_000_000_000_000_000_000).contains(&stamp).then_some(stamp)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_times_only_where_they_look_like_one() {
        let time = 1_403_715_273_262_142_976;
        assert_eq!(from_name("1403715273262142976"), Some(time));
        assert_eq!(from_name("1403715273262142"), Some(time / 1000 * 1000));
        assert_eq!(from_name("1403715273262"), Some(time / 1_000_000 * 1_000_000));
        assert_eq!(from_name("1403715273"), Some(time / 1_000_000_000 * 1_000_000_000));
        assert_eq!(from_name("1311868169.163498"), Some(1_311_868_169_163_498_000));
        for counter in ["000001", "7", "", "frame", "-1403715273", "99999999999999999999", "12.5", "1403715273."] {
            assert_eq!(from_name(counter), None, "{counter}");
        }
    }

    #[test]
    fn decimal_seconds_are_exact() {
        assert_eq!(from_decimal_seconds("1311868169.163498123"), Some(1_311_868_169_163_498_123));
        assert_eq!(from_decimal_seconds("0.05"), Some(50_000_000));
        assert_eq!(from_decimal_seconds("1.0000000019"), Some(1_000_000_001));
        for bad in ["1", "1.", ".5", "-1.5", "1.5e3", "99999999999.5", "a.b"] {
            assert_eq!(from_decimal_seconds(bad), None, "{bad}");
        }
    }
}
