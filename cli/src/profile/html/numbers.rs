//! Numbers on the page: short ones, with the exact value on hover.

/// Limit of the numbers that are written out.
const MAX_EXACT: u64 = 1_000_000;

/// Formats a count: `32 832`, or `1.23 M` with the exact value as a title.
pub(super) fn count(number: u64) -> String {
    if number < MAX_EXACT {
        return group_digits(number);
    }
    let units = [("k", 1e3), ("M", 1e6), ("G", 1e9), ("T", 1e12), ("P", 1e15), ("E", 1e18)];
    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    let number_or_more = number as f64;
    let unit = units.iter().rev().find(|(_, unit)| number_or_more >= *unit);
    let (name, unit) = unit.copied().unwrap_or(("", 1.0));
    let short = number_or_more / unit;
    let digits = if short < 10.0 { 2 } else { usize::from(short < 100.0) };
    let exact = group_digits(number);
    format!("<abbr title=\"{exact}\">{short:.digits$}\u{202f}{name}</abbr>")
}

/// Separates groups of three digits by narrow spaces, from five digits on.
fn group_digits(number: u64) -> String {
    let digits = number.to_string();
    if digits.len() <= 4 {
        return digits;
    }
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index != 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_are_short_and_exact_on_hover() {
        assert_eq!(count(9999), "9999");
        assert_eq!(count(32_832), "32\u{202f}832");
        let exact = "1\u{202f}234\u{202f}567";
        assert_eq!(count(1_234_567), format!("<abbr title=\"{exact}\">1.23\u{202f}M</abbr>"));
        assert!(count(u64::MAX).contains(">18.4\u{202f}E<"));
    }
}
