//! Helpers of the examples: timing a launch, a product of matrices on the host, comparing a result
//! with the expected one, and tables of expected beside counted numbers.
use std::{
    fmt,
    time::{Duration, Instant},
};
use warpwise::Device;

/// How long `launch` takes on `device`, from the call until the device is idle.
/// Of a kernel's first launch that includes loading it.
///
/// # Errors
/// Those of the launch.
pub fn time(
    device: &Device,
    launch: impl FnOnce() -> warpwise::Result<()>,
) -> warpwise::Result<Duration> {
    let start = Instant::now();
    launch()?;
    device.synchronize()?;
    Ok(start.elapsed())
}

/// Compares every element.
///
/// # Panics
/// If one differs, or the numbers of elements do.
pub fn verify<T: PartialEq + fmt::Debug>(got: &[T], want: impl IntoIterator<Item = T>) {
    let mut compared = 0;
    for want in want {
        assert!(compared < got.len(), "{} elements are too few", got.len());
        assert_eq!(got[compared], want, "element {compared}: got (left), expected (right)");
        compared += 1;
    }
    assert_eq!(got.len(), compared, "number of elements: got (left), expected (right)");
}

/// Compares every element with one of higher precision. `tolerance` is how far off one may be
/// from a given value.
///
/// # Panics
/// If one differs by more, or is not a number, or the numbers of elements differ.
pub fn verify_close(
    got: &[f32],
    want: impl IntoIterator<Item = f64>,
    tolerance: impl Fn(f64) -> f64,
) {
    let mut compared = 0;
    for want in want {
        assert!(compared < got.len(), "{} elements are too few", got.len());
        let value = got[compared];
        let off = (f64::from(value) - want).abs();
        assert!(
            off <= tolerance(want),
            "element {compared} is {value}, expected {want}: off by {off:e}"
        );
        compared += 1;
    }
    assert_eq!(got.len(), compared, "number of elements: got (left), expected (right)");
}

/// The product of two matrices with `n` rows and columns, as the kernels of the examples compute
/// it: the sums in the order of `k`, each step with one rounding.
pub fn multiply_matrices(n: usize, a: &[f32], b: &[f32]) -> Vec<f32> {
    let mut c = vec![0.0f32; n * n];
    for (row, c) in c.chunks_exact_mut(n).enumerate() {
        for (k, b) in b.chunks_exact(n).enumerate() {
            for (c, b) in c.iter_mut().zip(b) {
                *c = a[row * n + k].mul_add(*b, *c);
            }
        }
    }
    c
}

/// Says what ran where, for how long. Call it once the result is verified.
pub fn report(name: &str, size: impl fmt::Display, device: &Device, time: Duration) {
    println!("{name}: {size} on {} in {time:.2?}, result verified", device.name());
}

/// A table of what is expected beside what was counted, in `N` columns of each.
pub struct Table<const N: usize> {
    title: &'static str,
    columns: [&'static str; N],
    rows: Vec<(String, [[String; 2]; N])>,
}

impl<const N: usize> Table<N> {
    /// An empty table.
    pub fn new(title: &'static str, columns: [&'static str; N]) -> Self {
        Self { title, columns, rows: Vec::new() }
    }

    /// Adds what is known of `what`, and what was counted of it.
    ///
    /// # Panics
    /// If they differ.
    pub fn row<T>(&mut self, what: impl fmt::Display, expected: [T; N], counted: [T; N])
    where
        T: PartialEq + fmt::Debug + fmt::Display,
    {
        assert_eq!(expected, counted, "{}, {what}: expected (left), counted (right)", self.title);
        let pairs = expected.into_iter().zip(counted);
        let mut cells = pairs.map(|(expected, counted)| [expected, counted].map(|n| n.to_string()));
        let cells = std::array::from_fn(|_| cells.next().expect("both have `N`"));
        self.rows.push((what.to_string(), cells));
    }
}

impl<const N: usize> fmt::Display for Table<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widest = |texts: &mut dyn Iterator<Item = &str>| {
            texts.map(|text| text.chars().count()).max().unwrap_or(0)
        };
        let first = widest(&mut self.rows.iter().map(|(what, _)| what.as_str()));
        let width = |column: usize| {
            let cells = self.rows.iter().flat_map(|(_, cells)| &cells[column]);
            widest(&mut cells.map(String::as_str).chain(["expected"]))
        };
        writeln!(f, "{}", self.title)?;
        let mut titles = format!("{:first$}", "");
        let mut heads = titles.clone();
        for (column, title) in self.columns.iter().enumerate() {
            let width = width(column);
            titles += &format!("   {title:^both$}", both = 2 * width + 2);
            heads += &format!("   {:>width$}  {:>width$}", "expected", "counted");
        }
        writeln!(f, "{}\n{heads}", titles.trim_end())?;
        for (what, cells) in &self.rows {
            write!(f, "{what:first$}")?;
            for (column, [expected, counted]) in cells.iter().enumerate() {
                let width = width(column);
                write!(f, "   {expected:>width$}  {counted:>width$}")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
