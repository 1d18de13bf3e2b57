//! Spans of launches, copies, compilations and waits: for the crate `tracing`, with the feature of
//! that name, and as NVTX ranges ([`nvtx`](crate::driver::Range)).
//!
//! | span | fields |
//! |---|---|
//! | `warpwise.launch` | `kernel`, `grid`, `block`, `device`, `bytes` of its slices; `time_us` on the interpreter |
//! | `warpwise.graph` | `nodes`, `device` |
//! | `warpwise.copy` | `direction`, `bytes`, `time_us` |
//! | `warpwise.compile` | `kernel`, `target`, `stage`, `time_us` |
//! | `warpwise.wait` | `device`, `time_us` |
//!
//! A span lasts as long as the call. On a GPU a launch returns before its kernel has run, so only
//! [`Event`](crate::Event)s and profilers measure the time of a kernel. Without the feature and
//! without `WARPWISE_NVTX` each function costs a load and a branch.
#[cfg(feature = "tracing")]
use crate::launch::checks::Value;
use crate::{Device, driver::Range, launch::checks::CheckedLaunch};
#[cfg(feature = "tracing")]
use std::time::Instant;
#[cfg(feature = "tracing")]
use tracing::{Span, debug_span, field::Empty, info_span, span::EnteredSpan};

/// An operation that is under way until this is dropped.
#[must_use = "it ends when dropped"]
pub(crate) struct Scope {
    #[cfg(feature = "tracing")]
    _span: Timed,
    _range: Option<Range>,
}

/// A span that records its duration, if asked to.
#[cfg(feature = "tracing")]
struct Timed {
    span: EnteredSpan,
    start: Option<Instant>,
}

#[cfg(feature = "tracing")]
impl Timed {
    fn enter(span: Span, is_timed: bool) -> Self {
        let start = (is_timed && !span.is_disabled()).then(Instant::now);
        Self { span: span.entered(), start }
    }
}

#[cfg(feature = "tracing")]
impl Drop for Timed {
    fn drop(&mut self) {
        if let Some(start) = self.start {
            let time = u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
            self.span.record("time_us", time);
        }
    }
}

/// Makes a scope of the name of a range, a span, and true if the span's `time_us` is that of the
/// call.
macro_rules! scope {
    ($name:expr, $span:expr, $is_timed:expr) => {
        Scope {
            #[cfg(feature = "tracing")]
            _span: Timed::enter($span, $is_timed),
            _range: Range::begin(|| $name),
        }
    };
}

/// The sides of a copy.
#[derive(Clone, Copy)]
pub(crate) enum Direction {
    ToDevice,
    ToHost,
    OnDevice,
}

impl Direction {
    const fn name(self) -> &'static str {
        match self {
            Self::ToDevice => "host_to_device",
            Self::ToHost => "device_to_host",
            Self::OnDevice => "device_to_device",
        }
    }
}

/// Begins a launch on `device`.
#[inline]
pub(crate) fn launch(
    launch: &CheckedLaunch<'_>,
    #[cfg_attr(not(feature = "tracing"), expect(unused_variables, reason = "of spans only"))]
    device: &Device,
) -> Scope {
    scope!(
        launch.bound.source.name.to_owned(),
        debug_span!(
            "warpwise.launch",
            kernel = launch.bound.source.name,
            grid = ?launch.geometry.grid,
            block = ?launch.geometry.block,
            %device,
            bytes = slice_bytes(launch),
            time_us = Empty
        ),
        !device.is_gpu()
    )
}

/// Returns the bytes of all slices of a launch.
#[cfg(feature = "tracing")]
fn slice_bytes(launch: &CheckedLaunch<'_>) -> usize {
    let bytes = launch.args.values().map(|value| match value {
        Value::Scalar { .. } => 0,
        Value::Slice { slice, .. } => slice.bytes,
    });
    bytes.sum()
}

/// Begins the launch of a graph on `device`.
#[inline]
pub(crate) fn graph(
    nodes: usize,
    #[cfg_attr(not(feature = "tracing"), expect(unused_variables, reason = "of spans only"))]
    device: &Device,
) -> Scope {
    scope!(format!("graph of {nodes} nodes"), debug_span!("warpwise.graph", nodes, %device), false)
}

/// Begins a copy.
#[inline]
pub(crate) fn copy(direction: Direction, bytes: usize) -> Scope {
    let direction = direction.name();
    scope!(
        format!("copy {direction}, {bytes} bytes"),
        debug_span!("warpwise.copy", direction, bytes, time_us = Empty),
        true
    )
}

/// Begins a stage of the compilation of a kernel.
#[inline]
pub(crate) fn compile(
    kernel: &str,
    stage: &str,
    #[cfg_attr(not(feature = "tracing"), expect(unused_variables, reason = "of spans only"))]
    target: &dyn std::fmt::Display,
) -> Scope {
    scope!(
        format!("{stage} {kernel}"),
        info_span!("warpwise.compile", kernel, %target, stage, time_us = Empty),
        true
    )
}

/// Begins a wait of the host for `device`.
#[inline]
pub(crate) fn wait(
    #[cfg_attr(not(feature = "tracing"), expect(unused_variables, reason = "of spans only"))]
    device: &Device,
) -> Scope {
    scope!("wait".to_owned(), debug_span!("warpwise.wait", %device, time_us = Empty), true)
}
