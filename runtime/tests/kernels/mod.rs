//! Kernels as generated code would carry them, written by hand as IR text.
#![allow(dead_code, unreachable_pub, reason = "each test uses some of them")]
use std::sync::atomic::AtomicU32;
use warpwise::{
    __private::{Binding, EmbeddedCode, Places, Source, launch},
    AtomicBuffer, Constant, Device, LaunchConfig, Num, Result, Slice, Slice2, Surface1Mut,
    SurfaceObject, TensorMap2, Texture1, TextureObject,
    parameter::{Arg, Parameter},
};

macro_rules! source {
    ($name:literal, $ir:expr) => {
        interpreted($name, $ir, PLACES)
    };
}

const PLACES: Places = Places {
    files: &["src/kernels.rs"],
    rows: concat!("0000000010001", "0000000120005", "0000000130009"),
};

macro_rules! measured_ir {
    ($($generic:literal)?) => {
        concat!("kernel measured {", $($generic,)? "
            param arg0 = y: write [u32]
            %0 = builtin global_idx.x : u64
            %1 = len arg0 : u64
            %2 = lt %0, %1 : bool
            %3 = if %2 {
                %4 = param arg0 : ptr global
                %5 = index %4, %0, 4 : ptr global
                %6 = const 7 : u32
                %7 = store %5, %6
            }
        }")
    };
}

/// Returns a kernel by its IR.
#[expect(unsafe_code, reason = "the kernels of these tests are written as IR")]
pub const fn interpreted(name: &'static str, ir: &'static str, places: Places) -> Source {
    // SAFETY: the IR in these tests checks its indices, as that of the front end does.
    unsafe { Source::new(name, ir, places, &[]) }
}

/// `y[0] = ptx!("nonsense.u32 {d};", d = out(u32))`
pub static INLINE_PTX: Source = source!(
    "inline",
    r#"kernel inline {
        param arg0 = y: write [u32] !0
        %0 = param arg0 : ptr global !0
        %1 = ptx "nonsense.u32 {0};", (u32), (), sm_75, ptx63 : u32 !2
        %2 = store %0, %1 !1
    }"#
);

/// `let i = global_idx_x(); if i < y.len() { y[i] += 1 }`
pub static INCREMENT: Source = source!(
    "increment",
    "kernel increment {
        param arg0 = y: write [u32]
        %0 = builtin global_idx.x : u64
        %1 = len arg0 : u64
        %2 = lt %0, %1 : bool
        %3 = if %2 {
            %4 = param arg0 : ptr global
            %5 = index %4, %0, 4 : ptr global
            %6 = load %5 : u32
            %7 = const 1 : u32
            %8 = add %6, %7 : u32
            %9 = store %5, %8
        }
    }"
);

pub fn increment(device: &Device, config: LaunchConfig, y: &mut Slice<u32>) -> Result<()> {
    launch(&INCREMENT, &[], device, config, &[Arg::write(y)])
}

/// The same, in a kernel that may start before the ones before it have ended.
pub static FOLLOWING: Source = source!(
    "following",
    "kernel following {
        dependent_launch
        param arg0 = y: write [u32]
        %0 = builtin global_idx.x : u64
        %1 = len arg0 : u64
        %2 = lt %0, %1 : bool
        %3 = wait_for_dependencies
        %4 = if %2 {
            %5 = param arg0 : ptr global
            %6 = index %5, %0, 4 : ptr global
            %7 = load %6 : u32
            %8 = const 1 : u32
            %9 = add %7, %8 : u32
            %10 = store %6, %9
        }
    }"
);

pub fn following(device: &Device, config: LaunchConfig, y: &mut Slice<u32>) -> Result<()> {
    launch(&FOLLOWING, &[], device, config, &[Arg::write(y)])
}

/// `let i = global_idx_x(); if i < y.len() && i < x.len() { y[i] += x[i] }`
pub static ADD: Source = source!(
    "add",
    "kernel add {
        param arg0 = x: read [u32]
        param arg1 = y: write [u32]
        %0 = builtin global_idx.x : u64
        %1 = len arg1 : u64
        %2 = lt %0, %1 : bool
        %3 = if %2 {
            %4 = len arg0 : u64
            %5 = lt %0, %4 : bool
            %6 = if %5 {
                %7 = param arg0 : ptr global
                %8 = index %7, %0, 4 : ptr global
                %9 = load %8 : u32
                %10 = param arg1 : ptr global
                %11 = index %10, %0, 4 : ptr global
                %12 = load %11 : u32
                %13 = add %12, %9 : u32
                %14 = store %11, %13
            }
        }
    }"
);

/// Adds `x` to `y`.
pub fn add(device: &Device, x: &Slice<u32>, y: &mut Slice<u32>) -> Result<()> {
    let config = LaunchConfig::cover(y.len());
    launch(&ADD, &[], device, config, &[Arg::read(x), Arg::write(y)])
}

/// `let i = global_idx_x(); if i < y.len() { for x in x { y[i] = y[i] * 3 + x } }`, of at most 8
/// elements in constant memory
pub static WEIGHED: Source = source!(
    "weighed",
    "kernel weighed {
        param arg0 = x: constant 8 [u32]
        param arg1 = y: write [u32]
        %0 = builtin global_idx.x : u64
        %1 = len arg1 : u64
        %2 = lt %0, %1 : bool
        %3 = if %2 {
            %4 = param arg1 : ptr global
            %5 = index %4, %0, 4 : ptr global
            %6 = const 0 : u64
            %7 = len arg0 : u64
            %8 = const 1 : u64
            %9 = param arg0 : ptr constant
            %10 = const 3 : u32
            %11 = for %6, %7, step %8 : u64 {
                %12 = load %5 : u32
                %13 = mul %12, %10 : u32
                %14 = index %9, %11, 4 : ptr constant
                %15 = load %14 : u32
                %16 = add %13, %15 : u32
                %17 = store %5, %16
            }
        }
    }"
);

/// The same for the first element alone, in a kernel that may start before the ones before it have
/// ended.
pub static WEIGHED_EARLY: Source = source!(
    "weighed",
    "kernel weighed {
        dependent_launch
        param arg0 = x: constant 8 [u32]
        param arg1 = y: write [u32]
        %0 = param arg0 : ptr constant
        %1 = load %0 : u32
        %2 = wait_for_dependencies
        %3 = param arg1 : ptr global
        %4 = load %3 : u32
        %5 = const 3 : u32
        %6 = mul %4, %5 : u32
        %7 = add %6, %1 : u32
        %8 = store %3, %7
    }"
);

pub fn weighed(device: &Device, x: &Constant<[u32]>, y: &mut Slice<u32>) -> Result<()> {
    let config = LaunchConfig::cover(y.len());
    launch(&WEIGHED, &[], device, config, &[Arg::constant(x), Arg::write(y)])
}

/// `let i = global_idx_x(); if i < y.len() { y[i] += t.sample(i as f32 + 0.5) }`
pub static SHOWN: Source = source!(
    "shown",
    "kernel shown {
        param arg0 = t: texture [u32]
        param arg1 = width: u64
        param arg2 = y: write [u32]
        %0 = builtin global_idx.x : u64
        %1 = len arg2 : u64
        %2 = lt %0, %1 : bool
        %3 = if %2 {
            %4 = cast %0 : f32
            %5 = const 0.5 : f32
            %6 = add %4, %5 : f32
            %7 = texture.1d.sample.u32 arg0, %6, word 0 : u32
            %8 = param arg2 : ptr global
            %9 = index %8, %0, 4 : ptr global
            %10 = load %9 : u32
            %11 = add %10, %7 : u32
            %12 = store %9, %11
        }
    }"
);

pub fn shown(device: &Device, t: &TextureObject<u32, 1>, y: &mut Slice<u32>) -> Result<()> {
    let (config, t) = (LaunchConfig::cover(y.len()), <Texture1<u32> as Parameter<'_>>::arg(t));
    launch(&SHOWN, &[], device, config, &[t, Arg::write(y)])
}

/// `let i = global_idx_x(); if i < s.width() { s.write(i, s.read(i) + 1) }`
pub static MARKED: Source = source!(
    "marked",
    "kernel marked {
        param arg0 = s: surface_write 1d [u32]
        param arg1 = width: u64
        %0 = builtin global_idx.x : u64
        %1 = param arg1 : u64
        %2 = lt %0, %1 : bool
        %3 = if %2 {
            %4 = param arg0 : ptr global
            %5 = index %4, %0, 4 : ptr global
            %6 = load %5 : u32
            %7 = const 1 : u32
            %8 = add %6, %7 : u32
            %9 = store %5, %8
        }
    }"
);

pub fn marked(device: &Device, s: &mut SurfaceObject<u32, 1>) -> Result<()> {
    let config = LaunchConfig::cover(s.extents()[0]);
    launch(&MARKED, &[], device, config, &[<Surface1Mut<u32> as Parameter<'_>>::arg(s)])
}

/// Adds a box of one row and 32 columns to `y`.
pub static BOXED: Source = source!(
    "boxed",
    "kernel boxed {
        block 32, 1, 1
        param arg0 = x: tensor_read [u32]
        param arg1 = rows: u64
        param arg2 = columns: u64
        param arg3 = pitch: u64
        param arg4 = y: write [u32]
        shared @0 = tile: [plain 128 align 128; 1]
        shared @1 = full: [u64; 1] mbarrier 1
        %0 = builtin thread_idx.x : u64
        %1 = const 0 : u64
        %2 = eq %0, %1 : bool
        %3 = shared @0 : ptr shared
        %4 = shared @1 : ptr shared
        %5 = const 0 : i32
        %6 = if %2 {
            %7 = tensor_copy.2d %3, arg0, %4, %5, %5, box 1, 32, swizzle 0, bytes 128
            %8 = mbarrier_arrive %4 : u64
        }
        %9 = const 0 : u32
        %10 = mbarrier_wait %4, %9
        %11 = len arg4 : u64
        %12 = lt %0, %11 : bool
        %13 = if %12 {
            %14 = index %3, %0, 4 : ptr shared
            %15 = load %14 : u32
            %16 = param arg4 : ptr global
            %17 = index %16, %0, 4 : ptr global
            %18 = load %17 : u32
            %19 = add %18, %15 : u32
            %20 = store %17, %19
        }
    }"
);

pub fn boxed(device: &Device, x: &Slice2<u32>, y: &mut Slice<u32>) -> Result<()> {
    let x = <TensorMap2<'_, u32, 1, 32, 0> as Parameter<'_>>::arg(x);
    launch(&BOXED, &[], device, LaunchConfig::grid(1), &[x, Arg::write(y)])
}

/// `y[global_idx_x()] = 7`, for every thread, whatever the length.
pub static FAULTY: Source = source!(
    "faulty",
    "kernel faulty {
        param arg0 = y: write [u32]
        %0 = builtin global_idx.x : u64
        %1 = len arg0 : u64
        %2 = bounds %0, %1 : u64 !2
        %3 = param arg0 : ptr global
        %4 = index %3, %2, 4 : ptr global
        %5 = const 7 : u32
        %6 = store %4, %5
    }"
);

pub fn faulty(device: &Device, config: LaunchConfig, y: &mut Slice<u32>) -> Result<()> {
    launch(&FAULTY, &[], device, config, &[Arg::write(y)])
}

/// `y[i] = x[i] / d`, where `d` may be 0.
pub static DIVIDE: Source = source!(
    "divide",
    "kernel divide {
        param arg0 = d: u32
        param arg1 = y: write [u32]
        %0 = builtin global_idx.x : u64
        %1 = len arg1 : u64
        %2 = lt %0, %1 : bool
        %3 = if %2 {
            %4 = param arg1 : ptr global
            %5 = index %4, %0, 4 : ptr global
            %6 = load %5 : u32
            %7 = param arg0 : u32
            %8 = const 0 : u32
            %9 = ne %7, %8 : bool
            %10 = check %9, divide_by_zero !1
            %11 = div %6, %7 : u32
            %12 = store %5, %11
        }
    }"
);

pub fn divide(device: &Device, d: u32, y: &mut Slice<u32>) -> Result<()> {
    let config = LaunchConfig::cover(y.len());
    launch(&DIVIDE, &[], device, config, &[Arg::scalar(d), Arg::write(y)])
}

/// `fn scale<T: Num, const N: usize>(x: &[T], y: &mut [T])`: `y[i] = x[i] * (N as T)`.
pub static SCALE: Source = source!(
    "scale",
    "kernel scale {
        generic T0 = T: type num
        generic T1 = N: const u64
        param arg0 = x: read [T0]
        param arg1 = y: write [T0]
        %0 = builtin global_idx.x : u64
        %1 = len arg1 : u64
        %2 = lt %0, %1 : bool
        %3 = if %2 {
            %4 = len arg0 : u64
            %5 = bounds %0, %4 : u64 !2
            %6 = param arg0 : ptr global
            %7 = index %6, %5, sizeof(T0) : ptr global
            %8 = load %7 : T0
            %9 = generic T1 : u64
            %10 = cast %9 : T0
            %11 = mul %8, %10 : T0
            %12 = param arg1 : ptr global
            %13 = index %12, %0, sizeof(T0) : ptr global
            %14 = store %13, %11
        }
    }"
);

pub fn scale<T: Num, const N: usize>(
    device: &Device,
    config: LaunchConfig,
    x: &Slice<T>,
    y: &mut Slice<T>,
) -> Result<()> {
    let bindings = [Binding::Type(T::SCALAR), Binding::Const(N as u64)];
    launch(&SCALE, &bindings, device, config, &[Arg::read(x), Arg::write(y)])
}

/// `counts[x[i] as usize].fetch_add(1, Relaxed)`
pub static COUNT: Source = source!(
    "count",
    "kernel count {
        param arg0 = x: read [u8]
        param arg1 = counts: atomic [u32]
        %0 = builtin global_idx.x : u64
        %1 = len arg0 : u64
        %2 = lt %0, %1 : bool
        %3 = if %2 {
            %4 = param arg0 : ptr global
            %5 = index %4, %0, 1 : ptr global
            %6 = load %5 : u8
            %7 = cast %6 : u64
            %8 = len arg1 : u64
            %9 = bounds %7, %8 : u64 !2
            %10 = param arg1 : ptr global
            %11 = index %10, %9, 4 : ptr global
            %12 = const 1 : u32
            %13 = atomic.add.relaxed.device %11, %12 : u32
        }
    }"
);

pub fn count(device: &Device, x: &Slice<u8>, counts: impl AtomicBuffer<AtomicU32>) -> Result<()> {
    let config = LaunchConfig::cover(x.len());
    launch(&COUNT, &[], device, config, &[Arg::read(x), Arg::atomic(counts)])
}

/// `flags[i] = !flags[i]` on `bool`, in blocks of 64.
pub static FLIP: Source = source!(
    "flip",
    "kernel flip {
        block 64, 1, 1
        param arg0 = flags: write [bool]
        %0 = builtin global_idx.x : u64
        %1 = len arg0 : u64
        %2 = lt %0, %1 : bool
        %3 = if %2 {
            %4 = param arg0 : ptr global
            %5 = index %4, %0, 1 : ptr global
            %6 = load %5 : bool
            %7 = not %6 : bool
            %8 = store %5, %7
        }
    }"
);

pub fn flip(device: &Device, config: LaunchConfig, flags: &mut Slice<bool>) -> Result<()> {
    launch(&FLIP, &[], device, config, &[Arg::write(flags)])
}

/// Takes 300 KiB of shared memory.
pub static GREEDY: Source = source!(
    "greedy",
    "kernel greedy {
        shared @0 = tile: [f32; 76800]
    }"
);

pub fn greedy(device: &Device) -> Result<()> {
    launch(&GREEDY, &[], device, LaunchConfig::grid(1), &[])
}

/// Never ends.
pub static SPIN: Source = source!(
    "spin",
    "kernel spin {
        %0 = loop {
        }
    }"
);

pub fn spin(device: &Device) -> Result<()> {
    launch(&SPIN, &[], device, LaunchConfig::grid(1), &[])
}

/// Lane 0 waits for the block, the others for the warp.
pub static DEADLOCK: Source = source!(
    "deadlock",
    "kernel deadlock {
        %0 = builtin thread_idx.x : u64
        %1 = const 0 : u64
        %2 = eq %0, %1 : bool
        %3 = if %2 {
            %4 = barrier !1
        } else {
            %5 = sync_warp !2
        }
    }"
);

pub fn deadlock(device: &Device) -> Result<()> {
    launch(&DEADLOCK, &[], device, LaunchConfig::grid(1).block(32), &[])
}

/// Nothing, with `n` bytes of shared memory, `n + 1` elements aligned to 64, and 3 words.
pub static SIZED: Source = source!(
    "sized",
    "kernel sized {
        param arg0 = n: u64
        param arg1 = y: write [u32]
        shared @0 = fixed: [u32; 100]
        shared @1 = bytes: [u8; launch arg0] !1
        shared @2 = wide: [plain 64 align 64; launch add(arg0, const 1 : u64)] !2
        shared @3 = words: [u32; launch const 3 : u64] !2
    }"
);

pub fn sized(device: &Device, n: u64, y: &mut Slice<u32>) -> Result<()> {
    launch(&SIZED, &[], device, LaunchConfig::grid(1), &[Arg::scalar(n), Arg::write(y)])
}

/// Waits for its grid, with `n` bytes of shared memory.
pub static MEETING: Source = source!(
    "meeting",
    "kernel meeting {
        cooperative
        param arg0 = n: u64
        param arg1 = y: write [u32]
        shared @0 = bytes: [u8; launch arg0] !1
        %0 = sync_grid !2
    }"
);

pub fn meeting(device: &Device, blocks: usize, n: u64, y: &mut Slice<u32>) -> Result<()> {
    let args = [Arg::scalar(n), Arg::write(y)];
    launch(&MEETING, &[], device, LaunchConfig::grid(blocks).block(128), &args)
}

/// `y[global_idx_x()] = 7`, for every thread that has an element; threads are coarsened by four.
pub static MEASURED: Source = source!("measured", measured_ir!());

/// The same with its PTX, which is as much of it as the driver of tests reads.
#[expect(unsafe_code, reason = "only the driver of tests gets it")]
pub static EMBEDDED: Source = unsafe {
    // SAFETY: no device runs it.
    interpreted("measured", measured_ir!(), PLACES).with_code(
        EmbeddedCode::new(".entry measured()", &[]).with_coarsened(
            0,
            4,
            ".entry measured(.param .u32 coarsened_grid)",
            &[],
        ),
    )
};

/// The same, with code of its own for launches of at most two blocks, or of at least 2^20.
#[expect(unsafe_code, reason = "only the driver of tests gets it")]
pub static CONTRACTED: [Source; 2] = unsafe {
    // SAFETY: no device runs it.
    [
        interpreted("measured", measured_ir!(), PLACES).with_code(
            EmbeddedCode::new(".entry measured()", &[])
                .with_assumed("2 -1*gx", ".entry measured()", &[])
                .with_coarsened(0, 4, ".entry measured(.param .u32 coarsened_grid)", &[]),
        ),
        interpreted("measured", measured_ir!(), PLACES).with_code(
            EmbeddedCode::new(".entry measured()", &[])
                .with_assumed("1*gx -1048576", ".entry measured()", &[])
                .with_coarsened(0, 4, ".entry measured(.param .u32 coarsened_grid)", &[]),
        ),
    ]
};

/// The same with a constant, and code for its value 2 that no driver accepts.
#[expect(unsafe_code, reason = "whoever launches this instance expects the device to refuse it")]
pub static PRECOMPILED: Source = unsafe {
    // SAFETY: no device runs it.
    interpreted("measured", measured_ir!("generic T0 = N: const u64"), PLACES).with_precompiled(&[
        (&[Binding::Const(2)], EmbeddedCode::new(".entry measured() nonsense", &[])),
    ])
};

/// Returns a kernel whose PTX does not correspond to its IR, which only a test may launch.
#[expect(unsafe_code, reason = "tests of what becomes of PTX that is wrong")]
pub const fn with_ptx(name: &'static str, ir: &'static str, ptx: &'static str) -> Source {
    // SAFETY: whoever launches it expects the device to refuse it or to be lost.
    unsafe { interpreted(name, ir, Places::NONE).with_code(EmbeddedCode::new(ptx, &[])) }
}

/// `println!("hello {}", global_idx_x())`
pub static HELLO: Source = source!(
    "hello",
    "kernel hello {
        message msg0 = \"hello {0}\\n\": (u64)
        %0 = builtin global_idx.x : u64
        %1 = print msg0, %0 !1
    }"
);
