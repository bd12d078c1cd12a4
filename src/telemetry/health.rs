//! Temperatures and clocks of the machine, where they can be read without privileges.

use std::fs;
use std::path::Path;

/// A reading: its name and its value in words with the unit.
pub type Reading = (String, String);

/// Thermal zones by their type (never by index, which differs between boards) and the clock of the first CPU core.
pub fn readings() -> Vec<Reading> {
    readings_below(Path::new("/sys"))
}

fn readings_below(sys: &Path) -> Vec<Reading> {
    let mut readings: Vec<Reading> = fs::read_dir(sys.join("class/thermal"))
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|zone| {
            let kind = word(&zone.path().join("type"))?;
            let millidegrees: f64 = word(&zone.path().join("temp"))?.parse().ok()?;
            Some((format!("temperature {kind}"), format!("{:.1} degC", millidegrees / 1e3)))
        })
        .collect();
    readings.sort();
    let clock = sys.join("devices/system/cpu/cpu0/cpufreq/scaling_cur_freq");
    if let Some(khz) = word(&clock).and_then(|khz| khz.parse::<f64>().ok()) {
        readings.push(("cpu0 clock".to_owned(), format!("{:.0} MHz", khz / 1e3)));
    }
    readings
}

fn word(path: &Path) -> Option<String> {
    Some(fs::read_to_string(path).ok()?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_named_by_type_and_broken_ones_left_out() {
        let sys = tempfile::tempdir().unwrap();
        let file = |path: &str, text: &str| {
            let path = sys.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        file("class/thermal/thermal_zone0/type", "GPU-therm\n");
        file("class/thermal/thermal_zone0/temp", "41500\n");
        file("class/thermal/thermal_zone1/type", "BCPU-therm\n");
        file("class/thermal/thermal_zone2/type", "PMIC-Die\n");
        file("class/thermal/thermal_zone2/temp", "?\n");
        file("devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "2035200\n");
        let expected = [("temperature GPU-therm", "41.5 degC"), ("cpu0 clock", "2035 MHz")];
        assert_eq!(readings_below(sys.path()), expected.map(|(k, v)| (k.to_owned(), v.to_owned())));
        assert!(readings_below(Path::new("/nonexistent")).is_empty());
    }
}
