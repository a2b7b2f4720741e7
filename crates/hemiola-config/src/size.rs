const UNITS: [(&str, f64); 8] = [
    ("B", 1.0),
    ("kB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("TB", 1e12),
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
];

/// The largest size in bytes, which no disk has.
const LARGEST: f64 = 1e18;

/// Parses a size, such as `500 MB` or `1.5 GB`, and returns it in bytes.
///
/// # Errors
/// Returns a description of the error, as the end of "must be a size ...".
pub(crate) fn parse_size(text: &str) -> Result<u64, &'static str> {
    let text = text.trim();
    let unit_start =
        text.find(|c: char| !matches!(c, '0'..='9' | '.' | '_')).ok_or("with its unit: kB, MB, GB or TB")?;
    let (number, unit) = text.split_at(unit_start);
    let number: f64 = number.replace('_', "").parse().map_err(|_| "that starts with a number")?;
    let (_, bytes) = UNITS.into_iter().find(|(name, _)| *name == unit.trim()).ok_or("in kB, MB, GB or TB")?;
    let bytes = (number * bytes).round();
    if bytes > LARGEST {
        return Err("that a disk can have");
    }
    Ok(bytes as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_need_a_number_and_a_unit() {
        assert_eq!(parse_size("500 MB"), Ok(500_000_000));
        assert_eq!(parse_size("1.5GB"), Ok(1_500_000_000));
        assert_eq!(parse_size(" 2 GiB "), Ok(2_147_483_648));
        assert_eq!(parse_size("0 B"), Ok(0));
        for wrong in ["", "12", "MB", "12 mb", "-3 MB", "1..2 MB", "inf B", "1e9 B", "9999999 TB"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }
}
