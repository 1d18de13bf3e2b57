//! The `#[kernel]` and `#[device]` macros of Warpwise.
//!
//! This crate is what rustc loads: entry points and their documentation. The compiler front end
//! behind them is the library `warpwise-frontend`.

/// Makes a function a kernel, which many threads of a device run at once.
///
/// ```ignore
/// #[kernel(block = 256)]
/// fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
///     let i = global_idx_x();
///     if i < y.len() {
///         y[i] = a * x[i] + y[i];
///     }
/// }
///
/// saxpy::launch(&device, LaunchConfig::cover(n), 3.0, &x, &mut y)?;
/// ```
///
/// The function stays what it is. Beside it stands a type of its name: `launch` takes a device,
/// the number of threads, and what the function takes, with buffers for slices; `PTX` is what
/// GPUs run. A generic kernel is launched with its generic arguments, `scale::<f32, 8>::launch`,
/// of which those that the arguments mention can be left out; it has no `PTX`, and is compiled
/// when it is first launched with them.
///
/// The arguments of the attribute, in any order:
///
/// - `backend = "llvm"`, `backend = "builtin"`: the compiler of the PTX. Both give the same bits. LLVM, the default, is the one
///   that rustc itself has; its code is faster, and where rustc has none, the built-in one takes over.
/// - `block = 256`, `block = (32, 8)`, `block = (8, 8, 4)`: the threads of a block. A const
///   generic's name, or that of a constant named in `open(..)`, may stand for a number.
/// - `coarsen = false`: no thread does the work of several. Otherwise each does that of four or two, from neighbouring blocks, where
///   that makes the kernel faster and the launch is large. Results are the same.
/// - `contract = false`: `a * b + c` on `f32` and `f64` is two roundings, as on the host, and not
///   one; so is `1.0 / x.sqrt()` on `f32`. On `f16` and `bf16` it always is two: their operators round, each for itself, and
///   `x.mul_add(y, z)` of `Float` is the fused one.
/// - `cluster = 4`, `cluster = (2, 2)`, `cluster = (2, 2, 2)`: the blocks of a cluster, at most 8, which run at the
///   same time and access each other's shared memory, by the module `cluster`. Needs a GPU of compute
///   capability 9.0.
/// - `cooperative`: all blocks run at the same time, so that `grid::sync()` may wait for all of them. A
///   launch of more blocks than the device runs at once is refused.
/// - `min_blocks = 4`: blocks that a multiprocessor has to run at a time. A thread gets no more registers than allow it, and what
///   does not fit is spilled to memory. Needs `block`.
/// - `overflow_checks`: integer arithmetic that overflows is a fault, as in a debug build.
/// - `wide_index`: the grid may have more than 2^31 threads along an axis.
/// - `instances(Sum, Max)`: the types that the type parameter stands for, which may be bounded by traits
///   of yours then; `instances((f32, Sum), (f64, Max))` of several. The kernel is compiled for these.
/// - `open(TILE, WIDTH)`: constants of the host that the kernel uses. It is then compiled when it
///   is first launched.
/// - `allow(gpu_..)`, `warn(gpu_..)`, `deny(gpu_..)`, `expect(gpu_..)`: levels of lints. Attributes of
///   the kernel and of statements do the same: `#[allow(gpu_barriers_in_divergent_flow)]`.
///
/// A parameter `#[constant] taps: &[f32; 64]`, or `#[constant(max = 1024)] stops: &[Stop]`, is in
/// constant memory, and takes what `device.constant(..)` makes.
///
/// The back end of kernels that name none is the `backend` in `[package.metadata.warpwise]` of the package's
/// `Cargo.toml`, and the environment variable `WARPWISE_BACKEND` is over all of these.
///
/// A package has levels of its own in `[package.metadata.warpwise.lints]` of its `Cargo.toml`. A
/// warning is rustc's lint `deprecated`, and can be allowed or denied as that, too. With the
/// environment variable `WARPWISE_LINTS` set to `off`, `warn` or `deny` a build has no lints, no
/// errors of lints, or no mere warnings. In a dependency, lints only ever warn.
#[proc_macro_attribute]
pub fn kernel(
    args: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    warpwise_frontend::kernel(args.into(), item.into()).into()
}

/// Makes an item usable in kernels, and in other device items, wherever rustc finds it: in other
/// modules and other crates, under another name, before or after its definition. It stands on
/// functions, structs, enums, traits, `impl` blocks, constants, type aliases, and on modules, of
/// which it covers all these.
///
/// ```ignore
/// #[device]
/// #[derive(Clone, Copy)]
/// pub struct Disc {
///     pub radius: f32,
/// }
///
/// #[device]
/// impl Disc {
///     pub fn area(self) -> f32 {
///         PI * self.radius * self.radius
///     }
/// }
///
/// #[device]
/// pub fn larger<T: Num>(a: T, b: T) -> T {
///     if a < b { b } else { a }
/// }
/// ```
///
/// A struct or enum gets `#[repr(C)]`, unless it says otherwise; [`Stored`], if it is made of plain
/// data and atomics: then buffers hold it; and [`Plain`], if it is `Copy`, too: then kernels take it by
/// value. `#[device]` stands above `#[derive(..)]`, to see it.
///
/// [`Stored`]: https://docs.rs/warpwise/latest/warpwise/trait.Stored.html
/// [`Plain`]: https://docs.rs/warpwise/latest/warpwise/trait.Plain.html
///
/// An `impl` block stands in the module of its type or of its trait, which is `#[device]`, too.
/// One for a type of that module comes with the type, any other with the trait: a kernel that
/// only calls the trait's method on an `f32` has to name the trait, as in `Area::area(x)`.
///
/// All this is done by a macro of the same name, which the item's `use` brings along. That has
/// consequences:
///
/// - A use of an item of another module that is not `#[device]` is the error "cannot find macro" of
///   rustc, with the note that the name is a function, a struct or a constant and not a macro. So is a
///   use of a device item that uses one, and one of items in different modules that need each other,
///   such as two types with methods that take the other: put those into one module.
/// - By their names types, traits and constants are told from functions and modules: those begin with
///   an upper-case letter, these with a lower-case one. A variant is written with its enum,
///   `Shape::Circle`.
/// - A device item cannot have the name of a macro that is in scope everywhere, such as `vec` or
///   `assert`, nor a type that of one that kernel code knows, such as `Option`.
#[proc_macro_attribute]
pub fn device(
    args: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    warpwise_frontend::device(args.into(), item.into()).into()
}

/// The last macro in the chain of device items: no part of the API.
#[doc(hidden)]
#[proc_macro]
pub fn link(tokens: proc_macro::TokenStream) -> proc_macro::TokenStream {
    warpwise_frontend::link(tokens.into()).into()
}

/// Every vector type, for the runtime: no part of the API.
#[doc(hidden)]
#[proc_macro]
pub fn vectors(_: proc_macro::TokenStream) -> proc_macro::TokenStream {
    warpwise_frontend::vectors().into()
}
