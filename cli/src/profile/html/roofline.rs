//! Roofline of the counts: float operations per byte of the requested sectors, and the attainable
//! speed of a GPU at that ratio. The input is counts, not times.
use crate::profile::report::KernelProfile;
use warpwise::{counters::Counts, occupancy::Target};
use warpwise_compiler::drawing::svg::Svg;

/// Peak performance of a GPU.
pub(super) struct Peak {
    target: Target,
    pub(super) name: &'static str,
    /// Memory bandwidth in bytes per second.
    bytes: f64,
    /// Operations per second on 32-bit floats, and on 64-bit floats.
    single: f64,
    double: f64,
}

/// Peak performance of one well-known GPU per architecture, from its maker's data sheet. A fused
/// multiply-add is two operations.
const PEAKS: &[Peak] = &[
    peak_of_gpu(70, "V100", 0.9, 15.7, 7.8),
    peak_of_gpu(75, "T4", 0.32, 8.1, 0.25),
    peak_of_gpu(80, "A100", 2.039, 19.5, 9.7),
    peak_of_gpu(86, "RTX 3090", 0.936, 35.6, 0.56),
    peak_of_gpu(89, "RTX 4090", 1.008, 82.6, 1.29),
    peak_of_gpu(90, "H200", 4.8, 67.0, 34.0),
    peak_of_gpu(100, "B200", 8.0, 80.0, 40.0),
    peak_of_gpu(120, "RTX 5090", 1.792, 104.8, 1.64),
];

/// Creates a peak from TB/s and TFLOP/s.
const fn peak_of_gpu(sm: u32, name: &'static str, bytes: f64, single: f64, double: f64) -> Peak {
    let [bytes, single, double] = [bytes * 1e12, single * 1e12, double * 1e12];
    Peak { target: Target::new(sm), name, bytes, single, double }
}

impl Peak {
    /// Returns the peak of the GPU that represents an architecture.
    pub(super) fn for_target(target: Target) -> Option<&'static Self> {
        PEAKS.iter().find(|peak| peak.target == target)
    }

    /// Formats `4.8 TB/s of memory, 67 TFLOP/s of f32 and 34 TFLOP/s of f64`.
    pub(super) fn to_text(&self) -> String {
        let [bytes, single, double] =
            [self.bytes, self.single, self.double].map(|peak| peak / 1e12);
        format!("{bytes} TB/s of memory, {single} TFLOP/s of f32 and {double} TFLOP/s of f64")
    }
}

/// Returns the operations per byte; `None` if there are no operations or no bytes.
#[expect(clippy::cast_precision_loss, reason = "a ratio for people to read")]
pub(super) fn arithmetic_intensity(total: &Counts) -> Option<f64> {
    let (operations, bytes) = (total.floats.all(), 32 * total.global().sectors);
    (operations != 0 && bytes != 0).then(|| operations as f64 / bytes as f64)
}

/// Returns the attainable speed at a ratio, for kernels that compute mostly with 64-bit floats, or
/// with 32-bit floats.
fn attainable_speed(peak: &Peak, is_double: bool, ratio: f64) -> f64 {
    (peak.bytes * ratio).min(if is_double { peak.double } else { peak.single })
}

const WIDTH: f64 = 704.0;
const HEIGHT: f64 = 330.0;
const LEFT: f64 = 54.0;
const RIGHT: f64 = 690.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 280.0;

/// Powers of two that the axis covers at least.
const MIN_AXIS_POWER: i32 = -4;
const MAX_AXIS_POWER: i32 = 7;

/// Draws the roofline. A kernel's mark is its number in the list.
pub(super) fn draw_roofline(kernels: &[KernelProfile], peak: &Peak) -> String {
    let ratios: Vec<(usize, f64, bool)> = kernels
        .iter()
        .enumerate()
        .filter_map(|(index, kernel)| {
            let total = &kernel.launches.total;
            let is_double = 2 * total.floats.double > total.floats.all();
            Some((index + 1, arithmetic_intensity(total)?, is_double))
        })
        .collect();
    // The axis grows from its minimum until it covers all kernels.
    let powers = ratios.iter().map(|(_, ratio, _)| ratio.log2());
    let least =
        powers.clone().fold(f64::from(MIN_AXIS_POWER), |least, power| least.min(power.floor()));
    let most = powers.fold(f64::from(MAX_AXIS_POWER), |most, power| most.max(power.ceil()));
    let x = |ratio: f64| LEFT + (ratio.log2() - least) / (most - least) * (RIGHT - LEFT);
    let (low, high) = ((peak.bytes * least.exp2()).log2().floor(), (peak.single * 1.5).log2());
    let y = |speed: f64| BOTTOM - (speed.log2() - low) / (high - low) * (BOTTOM - TOP);
    let mut svg = Svg::new(WIDTH, HEIGHT);
    for power in least as i32..=most as i32 {
        let ratio = f64::from(power).exp2();
        svg.line("grid", [x(ratio), TOP], [x(ratio), BOTTOM]);
        if power % 2 == 0 {
            svg.text("middle small", [x(ratio), BOTTOM + 15.0], &power_of_two(power));
        }
    }
    for speed in [0.01e12, 0.1e12, 1e12, 10e12, 100e12_f64]
        .into_iter()
        .filter(|speed| (low..=high).contains(&speed.log2()))
    {
        svg.line("grid", [LEFT, y(speed)], [RIGHT, y(speed)]);
        svg.text("end small", [LEFT - 6.0, y(speed) + 4.0], &(speed / 1e12).to_string());
    }
    for (is_double, class) in [(false, "curve"), (true, "curve thin")] {
        let ends = [least, most].map(f64::exp2);
        let corner = if is_double { peak.double } else { peak.single } / peak.bytes;
        let points = [ends[0], corner, ends[1]]
            .map(|ratio| [x(ratio), y(attainable_speed(peak, is_double, ratio))]);
        svg.polyline(class, &points);
        let width = if is_double { "f64" } else { "f32" };
        svg.text("end small", [RIGHT, y(attainable_speed(peak, is_double, ends[1])) - 5.0], width);
    }
    for (number, ratio, is_double) in ratios {
        let at = [x(ratio), y(attainable_speed(peak, is_double, ratio))];
        svg.line("drop", at, [at[0], BOTTOM]);
        let name = kernels[number - 1].name();
        let title = format!("{number}: {name}: {ratio:.3} operations a byte");
        svg.circle("here", at, 9.0, &title);
        svg.text("middle mark", [at[0], at[1] + 4.0], &number.to_string());
    }
    svg.text(
        "middle",
        [(LEFT + RIGHT) / 2.0, BOTTOM + 36.0],
        "operations on floats for each byte of the sectors asked for",
    );
    svg.text("start small", [LEFT + 6.0, TOP + 10.0], "TFLOP/s, at most");
    svg.finish("roofline", &format!("roofline of the counts, under the peak of one {}", peak.name))
}

/// Formats `1/4` or `16`.
fn power_of_two(power: i32) -> String {
    let number = 1_u64 << power.unsigned_abs().min(63);
    if power < 0 { format!("1/{number}") } else { number.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_the_roof_where_little_is_computed() {
        let peak = Peak::for_target(Target::new(90)).unwrap();
        assert_eq!(attainable_speed(peak, false, 0.5), 2.4e12);
        assert_eq!(attainable_speed(peak, false, 1000.0), 67e12);
        assert_eq!(attainable_speed(peak, true, 1000.0), 34e12);
        assert_eq!(peak.to_text(), "4.8 TB/s of memory, 67 TFLOP/s of f32 and 34 TFLOP/s of f64");
        let text = Peak::for_target(Target::new(86)).unwrap().to_text();
        assert_eq!(text, "0.936 TB/s of memory, 35.6 TFLOP/s of f32 and 0.56 TFLOP/s of f64");
        assert!(Peak::for_target(Target::new(87)).is_none());
    }

    #[test]
    fn operations_are_held_against_the_bytes_of_sectors() {
        let mut counts = Counts::default();
        assert_eq!(arithmetic_intensity(&counts), None);
        counts.floats.single = 64;
        counts.global_loads.sectors = 4;
        assert_eq!(arithmetic_intensity(&counts), Some(0.5));
        assert_eq!((power_of_two(-2), power_of_two(4)), ("1/4".into(), "16".into()));
    }
}
