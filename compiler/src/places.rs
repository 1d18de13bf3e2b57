//! Source places as text: a row of digits for each, all of one width.
//!
//! A program carries a row for every place of a kernel. rustc accepts a string as it is; it would
//! check and evaluate an array of structs element by element, which costs as much as the whole
//! macro.
//!
//! ```text
//! 0000000120005   file 0, line 12, column 5
//! ```

/// Digits of a file's number, of a line, of a column. Larger numbers saturate to all nines.
const WIDTHS: [usize; 3] = [3, 6, 4];
/// The largest number of each width.
const MAX_VALUES: [usize; 3] = [999, 999_999, 9_999];
/// Digits of a row.
const ROW_DIGITS: usize = WIDTHS[0] + WIDTHS[1] + WIDTHS[2];

/// Appends a file's number, a line and a column.
pub fn push(rows: &mut String, [file, line, column]: [usize; 3]) {
    let mut row = [b'0'; ROW_DIGITS];
    write_digits(&mut row, WIDTHS[0], file.min(MAX_VALUES[0]));
    write_digits(&mut row, WIDTHS[0] + WIDTHS[1], line.min(MAX_VALUES[1]));
    write_digits(&mut row, ROW_DIGITS, column.min(MAX_VALUES[2]));
    rows.push_str(str::from_utf8(&row).expect("digits are text"));
}

/// Writes the digits of a number, the last one before `end`.
const fn write_digits(row: &mut [u8; ROW_DIGITS], mut end: usize, mut number: usize) {
    while number > 0 {
        end -= 1;
        row[end] = b'0' + (number % 10) as u8;
        number /= 10;
    }
}

/// Returns the file's number, line and column of row `number`; `None` if it does not exist.
pub fn get(rows: &str, number: usize) -> Option<[usize; 3]> {
    let mut from = number.checked_mul(ROW_DIGITS)?;
    let mut place = [0; 3];
    for (value, width) in place.iter_mut().zip(WIDTHS) {
        *value = rows.get(from..from + width)?.parse().ok()?;
        from += width;
    }
    Some(place)
}

/// Returns the number of rows.
pub fn count(rows: &str) -> usize {
    rows.len() / ROW_DIGITS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let places = [[0, 12, 5], [998, 999_998, 9_998], [7, 0, 0], [1, 65_536, 256]];
        let mut rows = String::new();
        places.into_iter().for_each(|place| push(&mut rows, place));
        assert!(rows.starts_with("0000000120005"), "{rows}");
        assert_eq!(count(&rows), places.len());
        for (number, place) in places.into_iter().enumerate() {
            assert_eq!(get(&rows, number), Some(place));
        }
        assert_eq!([4, usize::MAX].map(|number| get(&rows, number)), [None; 2]);
    }

    #[test]
    fn what_has_too_many_digits_stays_in_its_row() {
        let mut rows = String::new();
        push(&mut rows, [1000, 1_000_000, usize::MAX]);
        push(&mut rows, [0, 3, 1]);
        assert_eq!(
            [0, 1].map(|row| get(&rows, row)),
            [Some([999, 999_999, 9_999]), Some([0, 3, 1])]
        );
    }
}
