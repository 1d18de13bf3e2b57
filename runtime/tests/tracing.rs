//! Spans of the crate `tracing`, as a subscriber sees them.
#![cfg(feature = "tracing")]
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod kernels;

use kernels::{divide, increment};
use std::{
    cell::RefCell,
    fmt::{self, Write as _},
    sync::Once,
};
use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};
use warpwise::{Device, LaunchConfig};

thread_local! {
    /// The spans of this thread so far, as `name field=value ..`, and the numbers of those that are
    /// entered.
    static SPANS: RefCell<(Vec<String>, Vec<u64>)> = RefCell::default();
}

/// Keeps the spans of each thread.
struct Recorder;

struct Fields<'a>(&'a mut String);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        match field.name() {
            "time_us" => write!(self.0, " time_us").unwrap(),
            name => write!(self.0, " {name}={value:?}").unwrap(),
        }
    }
}

impl Subscriber for Recorder {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("warpwise")
    }
    fn new_span(&self, span: &Attributes<'_>) -> Id {
        SPANS.with_borrow_mut(|(spans, entered)| {
            let mut text = "  ".repeat(entered.len()) + span.metadata().name();
            span.record(&mut Fields(&mut text));
            spans.push(text);
            Id::from_u64(spans.len() as u64)
        })
    }
    fn record(&self, span: &Id, values: &Record<'_>) {
        SPANS.with_borrow_mut(|(spans, _)| {
            let text = &mut spans[span.into_u64() as usize - 1];
            values.record(&mut Fields(text));
        });
    }
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
    fn enter(&self, span: &Id) {
        SPANS.with_borrow_mut(|(_, entered)| entered.push(span.into_u64()));
    }
    fn exit(&self, span: &Id) {
        let left = SPANS.with_borrow_mut(|(_, entered)| entered.pop());
        assert_eq!(left, Some(span.into_u64()));
    }
}

/// Returns the spans of `work`.
fn spans(work: impl FnOnce()) -> Vec<String> {
    static SET: Once = Once::new();
    SET.call_once(|| tracing::subscriber::set_global_default(Recorder).unwrap());
    work();
    let (spans, entered) = SPANS.take();
    assert!(entered.is_empty());
    spans
}

#[test]
fn launches_copies_compilations_and_waits_are_spans() {
    let spans = spans(|| {
        let device = Device::cpu();
        let mut y = device.upload(&[1u32, 2, 3]).unwrap();
        let mut other = device.zeros::<u32>(3).unwrap();
        for _ in 0..2 {
            increment(&device, LaunchConfig::grid(2).block(64), &mut y).unwrap();
        }
        other.copy_from_device(&y).unwrap();
        device.synchronize().unwrap();
        assert_eq!(other.to_vec().unwrap(), [3, 4, 5]);
    });
    let launch = "warpwise.launch kernel=\"increment\" grid=[2, 1, 1] block=[64, 1, 1] \
                  device=cpu (SIMT interpreter) bytes=12 time_us";
    let expected = [
        "warpwise.copy direction=\"host_to_device\" bytes=12 time_us",
        launch,
        "  warpwise.compile kernel=\"increment\" target=cpu (SIMT interpreter) stage=\"translate\" time_us",
        launch,
        "warpwise.copy direction=\"device_to_device\" bytes=12 time_us",
        "warpwise.wait device=cpu (SIMT interpreter) time_us",
        "warpwise.copy direction=\"device_to_host\" bytes=12 time_us",
    ];
    assert_eq!(spans, expected);
}

#[test]
fn a_graph_is_a_span_around_its_nodes() {
    let device = Device::cpu();
    let mut x = device.zeros::<u32>(2).unwrap();
    let mut y = device.zeros::<u32>(2).unwrap();
    let graph = device
        .record_graph(|recorder| {
            divide(recorder, 3, &mut x)?;
            recorder.copy(&x, &mut y)
        })
        .unwrap();
    graph.launch().unwrap();
    SPANS.take();
    let spans = spans(|| graph.launch().unwrap());
    let starts = ["warpwise.graph nodes=2 ", "  warpwise.launch ", "  warpwise.copy "];
    assert_eq!(spans.len(), starts.len(), "{spans:?}");
    assert!(spans.iter().zip(starts).all(|(span, start)| span.starts_with(start)), "{spans:?}");
}
