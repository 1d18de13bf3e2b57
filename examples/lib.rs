//! What the examples share: timing a launch, and comparing a result with what it should be.
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

/// Says what ran where, for how long. Call it once the result is verified.
pub fn report(name: &str, size: impl fmt::Display, device: &Device, time: Duration) {
    println!("{name}: {size} on {} in {time:.2?}, result verified", device.name());
}
