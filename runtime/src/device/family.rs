//! The streams of a device, all of which [`Device::synchronize`](crate::Device::synchronize) waits
//! for.
use crate::error::DevicePanic;
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError, Weak},
};

/// The streams that were created from one device, with what the dropped ones had to report.
#[derive(Debug)]
pub(crate) struct Family<S> {
    streams: Mutex<Vec<Weak<S>>>,
    left: Mutex<Left>,
}

/// What dropped streams had to report.
#[derive(Debug, Default)]
struct Left {
    /// The fault of each, the first one first.
    faults: VecDeque<Box<DevicePanic>>,
    text: String,
}

/// What a stream reports to the next call that waits for it.
#[derive(Debug, Default)]
pub(crate) struct Reports {
    /// The first fault.
    pub(crate) fault: Option<Box<DevicePanic>>,
    /// Printed text.
    pub(crate) text: String,
}

impl<S> Default for Family<S> {
    fn default() -> Self {
        Self { streams: Mutex::default(), left: Mutex::default() }
    }
}

impl<S> Family<S> {
    /// Adds a stream, which the family does not keep alive.
    pub(crate) fn add(&self, stream: &Arc<S>) {
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        streams.retain(|known| known.strong_count() > 0);
        streams.push(Arc::downgrade(stream));
    }

    /// Returns the streams that were not dropped, the oldest first.
    pub(crate) fn streams(&self) -> Vec<Arc<S>> {
        let streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        streams.iter().filter_map(Weak::upgrade).collect()
    }

    /// Keeps the reports of a stream that is dropped for the next call that waits for the device.
    pub(crate) fn leave(&self, Reports { fault, text }: Reports) {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        left.text += &text;
        left.faults.extend(fault);
    }

    /// Takes the text that dropped streams have left, and the first fault.
    pub(crate) fn take_left(&self) -> Reports {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        Reports { fault: left.faults.pop_front(), text: std::mem::take(&mut left.text) }
    }
}
