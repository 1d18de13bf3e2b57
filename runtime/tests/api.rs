//! The Rust API guidelines, as far as the compiler can check them.
use std::{error, fmt::Debug, hash::Hash, panic::UnwindSafe};
use warpwise::{
    AddressMode, AtomicF32, AtomicF64, Axis, Buffer, Buffer2, Buffer3, Constant, Device,
    DeviceInfo, DevicePanic, Dims, Error, Event, F32x4, Filter, Finished, Graph, Launch,
    LaunchConfig, LaunchMistake, MemoryInfo, PinnedBuffer, Sampler, Simulator, Slice, Slice2,
    Stream, SurfaceObject, TextureObject, UninitBuffer, View, View2, ViewMut, ViewMut2,
    check::{Checks, Finding, Place},
    collective::{CollectiveMistake, Communicator, ReduceOp},
    counters::{Counts, LaunchCounters},
    interop::{DlpackTensor, Function, Module, SliceUse},
    mma::{E4M3, E5M2},
    occupancy::{Occupancy, SuggestedBlock},
    properties::ComputeMode,
    stopped::Stopped,
    trace::{Event as TraceEvent, Hit, Value, Watch},
};

/// C-SEND-SYNC, C-DEBUG.
#[test]
fn handles_and_values_travel_between_threads_and_can_be_printed() {
    fn travels<T: Send + Sync + Debug + ?Sized>() {}
    travels::<Device>();
    travels::<(Stream, Event, Finished, Graph)>();
    travels::<(Buffer<f32>, Buffer2<f32>, Buffer3<f32>, UninitBuffer<f32>)>();
    travels::<(View<'_, f32>, ViewMut<'_, f32>, View2<'_, f32>, ViewMut2<'_, f32>)>();
    travels::<Slice<f32>>();
    travels::<Slice2<f32>>();
    travels::<(Constant<[f32; 4]>, PinnedBuffer<f32>, TextureObject<f32, 2>)>();
    travels::<(LaunchConfig, Dims, Axis, Launch<'_, 2, 0>)>();
    travels::<(DeviceInfo, MemoryInfo, Sampler, AddressMode, Filter, F32x4)>();
    travels::<(SurfaceObject<f32, 2>, Module, Function, DlpackTensor)>();
    travels::<(AtomicF32, AtomicF64)>();
    travels::<(Simulator, Checks, Finding, Counts, LaunchCounters)>();
    travels::<(TraceEvent, Hit, Value, Watch, Stopped)>();
    travels::<(Occupancy, SuggestedBlock, ReduceOp, SliceUse<'_>)>();
    // A rank makes one call at a time, so it is `Send` alone.
    fn is_sent<T: Send + Debug>() {}
    is_sent::<Communicator>();
}

/// C-GOOD-ERR: errors are boxed, sent to other threads, and printed without a capital or a full stop.
#[test]
fn errors_are_those_of_well_behaved_crates() {
    fn is_error<T: error::Error + Send + Sync + 'static>() {}
    is_error::<Error>();
    is_error::<LaunchMistake>();
    is_error::<CollectiveMistake>();
    fn is_shown<T: Debug + Send + Sync>() {}
    is_shown::<DevicePanic>();
    let error = Device::cpu().upload(&[1.0f32]).unwrap().slice(2..3).unwrap_err();
    let text = error.to_string();
    assert!(!text.ends_with('.') && !text.starts_with(char::is_uppercase), "{text}");
}

/// C-COMMON-TRAITS.
#[test]
fn plain_values_have_the_common_traits() {
    fn is_value<T: Copy + Debug + PartialEq + Eq + Hash>() {}
    is_value::<LaunchConfig>();
    is_value::<(Dims, Axis, ReduceOp)>();
    is_value::<(Sampler, AddressMode, Filter)>();
    is_value::<(Place, ComputeMode, E4M3, E5M2)>();
    fn is_handle<T: Clone + Debug>() {}
    is_handle::<(Device, Stream, Simulator)>();
    fn has_default<T: Default>() {}
    has_default::<(Simulator, Sampler, AtomicF32, AtomicF64, F32x4)>();
    fn is_made_of<T: From<[f32; 4]>>() {}
    is_made_of::<F32x4>();
}

/// A test may catch the panic of a closure that uses a device.
#[test]
fn devices_survive_a_panic() {
    fn unwinds<T: UnwindSafe>() {}
    unwinds::<LaunchConfig>();
}
