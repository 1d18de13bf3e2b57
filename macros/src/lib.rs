//! The `#[kernel]` and `#[device]` macros of Warpwise.
//!
//! This crate is what rustc loads: entry points and their documentation. The compiler front end
//! behind them is the library `warpwise-frontend`.
// The warnings of kernels are rustc's lint `deprecated`: examples have none by accident.
#![doc(test(attr(deny(deprecated))))]

/// Makes a function a kernel, which many threads of a device run at once.
///
/// ```
/// use warpwise::prelude::*;
///
/// /// Adds `a` times `x` to `y`.
/// #[kernel]
/// fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
///     let i = global_idx_x();
///     if i < y.len() {
///         y[i] = a * x[i] + y[i];
///     }
/// }
///
/// fn main() -> warpwise::Result<()> {
///     let device = Device::auto()?;
///     let x = device.upload(&[1.0f32; 1000])?;
///     let mut y = device.upload(&[2.0f32; 1000])?;
///     saxpy::launch(&device, LaunchConfig::cover(1000), 3.0, &x, &mut y)?;
///     assert_eq!(y.to_vec()?, [5.0; 1000]);
///     Ok(())
/// }
/// ```
///
/// The body is Rust without allocation, dynamic dispatch and recursion; the chapter *Language
/// reference* of the book (`docs/language.md`) lists all of it, and *When it does not compile*
/// (`docs/when-it-does-not-compile.md`) explains the messages. Functions, types, traits and
/// constants that a kernel uses are [`#[device]`](macro@device).
///
/// # Generated items
///
/// The function stays what it is, so that rustc checks it and a test can call it
/// (`warpwise::host`). Beside it stands a type of its name, with associated functions:
///
/// | item | meaning |
/// |---|---|
/// | `saxpy::launch(&device, config, ..)` | runs the kernel; returns before it has run, and checks everything that a launch can get wrong |
/// | `saxpy::prepare(config, ..)` | the launch as a value ([`Launch`]), which is run, timed, awaited or recorded in a graph |
/// | `saxpy::PTX` | the code for GPUs, for the oldest supported one, and for arguments below 2^31: lengths of slices and values of sizes, in launches of fewer than 2^32 threads; generic and open kernels have none |
/// | `saxpy::occupancy(&device, 256, 0)` | the blocks of 256 threads that a multiprocessor runs at the same time, with the limit |
/// | `saxpy::suggest_block(&device, 0)` | the size of blocks with which most threads run at the same time |
/// | `saxpy::max_cooperative_blocks(&device, 256)` | the largest grid of a `cooperative` kernel |
///
/// `launch` and `prepare` take the parameters of the function in their order. A launch that cannot
/// be is an [`Error::Launch`]; an index out of bounds, a division by zero or a `panic!` in a thread
/// is an [`Error::Kernel`] of the next call that waits for the device, with the kernel, the line,
/// the block and the thread.
///
/// # Parameters
///
/// | kernel | launch |
/// |---|---|
/// | `a: f32`, `[f32; 3]`, `(u32, f32)`, `Option<u32>`, a `#[device]` struct or enum that is `Copy` | the value |
/// | `x: &[T]`, `y: &mut [T]` | `&x`, `&mut y`: a buffer, or a part of one |
/// | `hits: &[AtomicU32]` | `&mut hits` of a `Buffer<u32>`, or `&hits` of a `Buffer<AtomicU32>` |
/// | `bias: &f32`, `sum: &mut f32` | a buffer of one element |
/// | `image: Rows<T>`, `RowsMut<T>`, `Layers<T>`, `LayersMut<T>` | a `Buffer2` or `Buffer3`, or a part of one |
/// | `colors: Texture2<f32>` | a `TextureObject` |
/// | `#[constant] taps: &[f32; 64]`, `#[constant(max = 1024)] stops: &[Stop]`, `#[constant] frame: &Frame` | what `device.constant(..)` makes, in constant memory |
///
/// Threads may race for the elements of a `&mut [T]`. A race is a mistake, which lints and the
/// sanitizer find, and never undefined behaviour of the host.
///
/// A generic kernel is bounded by `Num`, `Int`, `Float` or std's operators, and compiled at its
/// first launch. It is launched with its generic arguments, of which those that the arguments
/// mention can be left out:
///
/// ```
/// use warpwise::prelude::*;
///
/// #[kernel(block = BLOCK)]
/// fn fill<T: Num, const BLOCK: usize>(value: T, y: &mut [T]) {
///     if let Some(y) = y.get_mut(global_idx_x()) {
///         *y = value;
///     }
/// }
///
/// # fn main() -> warpwise::Result<()> {
/// let device = Device::auto()?;
/// let mut y = device.zeros::<f64>(100)?;
/// fill::<f64, 64>::launch(&device, LaunchConfig::cover(100), 2.5, &mut y)?;
/// assert_eq!(y.to_vec()?, [2.5; 100]);
/// # Ok(())
/// # }
/// ```
///
/// # Arguments of the attribute
///
/// They come in any order, each at most once, but for the levels of lints.
///
/// | argument | meaning |
/// |---|---|
/// | `block = 256`, `block = (32, 8)`, `block = (8, 8, 4)` | the threads of a block, 1024 at most. A const parameter, a constant that `open(..)` names, or a term of both may stand for a number: `block = { W * W }` |
/// | `min_blocks = 4` | bounds the registers of a thread, so that a multiprocessor runs four blocks at a time; needs `block` |
/// | `cluster = 4`, `cluster = (2, 2)` | the blocks of a cluster, 8 at most, which access each other's shared memory; GPUs of compute capability 9.0 |
/// | `cooperative` | all blocks run at the same time, so that `grid::sync()` may wait for all of them; a launch of more blocks than the device runs at once is refused |
/// | `dependent_launch` | a launch may start before the launch before it has ended (programmatic dependent launch), and threads call `grid::wait_for_dependencies()` before they access buffers: anything else is a compile error |
/// | `requires(n <= x.len(), n % 4 == 0)` | conditions on the arguments: a launch that breaks one is refused, with the values of both sides, and the compiler drops the checks that they prove |
/// | `deny_checks` | a check that the compiler cannot prove is an error, which names the contract that would prove it |
/// | `overflow_checks` | integer arithmetic that overflows is a fault, as in a debug build; otherwise it wraps |
/// | `contract = false` | `a * b + c` and, on `f32`, `1.0 / x.sqrt()` have two roundings, as on the host; otherwise one |
/// | `coarsen = false` | no thread does the work of several; otherwise each does that of four or two where the kernel is faster for it and the launch is large, with the same results |
/// | `wide_index` | the grid may have more than 2^31 threads along an axis, and 2^32 or more in all |
/// | `open(TILE, m::WIDTH)` | plain constants of the host that the kernel reads; it is compiled at its first launch |
/// | `instances(Sum, Max)`, `instances((f32, Sum), (f64, Max))` | the types for the type parameters, which may be bounded by your own traits then; the kernel is compiled with the crate, for these |
/// | `precompile(16, 32)`, `precompile((f32, 16), (f64, 8))` | the instances of a generic kernel that are compiled with the crate, by the same back end as other kernels; instances that are not named are compiled at their first launch, by the built-in back end. Numbers are written out |
/// | `backend = "llvm"`, `backend = "builtin"` | the compiler of the PTX. LLVM, the default, is the one that rustc has; where rustc has none, the built-in one takes over. Both give the same bits |
/// | `allow(gpu_..)`, `warn(gpu_..)`, `deny(gpu_..)`, `expect(gpu_..)` | levels of lints, as the attributes `#[allow(gpu_..)]` of the kernel and of its statements |
///
/// ```
/// use warpwise::{Error, prelude::*};
///
/// #[kernel(block = (32, 8), requires(width * height <= image.len()), deny_checks)]
/// fn invert(image: &mut [u8], width: usize, height: usize) {
///     let (column, row) = (global_idx_x(), global_idx_y());
///     if column < width && row < height {
///         image[row * width + column] = 255 - image[row * width + column];
///     }
/// }
///
/// # fn main() -> warpwise::Result<()> {
/// let device = Device::auto()?;
/// let mut image = device.upload(&[5u8; 20 * 10])?;
/// invert::launch(&device, LaunchConfig::cover((20, 10)), &mut image, 20, 10)?;
/// let refused = invert::launch(&device, LaunchConfig::cover((20, 11)), &mut image, 20, 11);
/// assert!(matches!(refused, Err(Error::Launch { .. })));
/// assert_eq!(image.to_vec()?, [250; 200]);
/// # Ok(())
/// # }
/// ```
///
/// # Settings of a package
///
/// `[package.metadata.warpwise]` of `Cargo.toml` has the `backend` of kernels that name none, and
/// `[package.metadata.warpwise.lints]` the levels of lints. The environment variables
/// `WARPWISE_BACKEND` and `WARPWISE_LINTS` (`off`, `warn` or `deny`) override them for a build. A
/// warning is rustc's lint `deprecated`, and can be allowed or denied as that, too;
/// `cargo warpwise check` shows it by its own name. In a dependency, lints only warn.
///
/// # Errors
///
/// Code outside of the language is an error at its tokens, with an alternative. Type errors and
/// borrow errors are rustc's. A use of an item that is not
/// [`#[device]`](macro@device) is the error `cannot find macro`, with the note that the name is a
/// function or a struct and not a macro.
///
/// ```compile_fail
/// use warpwise::prelude::*;
///
/// #[kernel]
/// fn collect(x: &[f32], y: &mut [f32]) {
///     let all: Vec<f32> = x.to_vec(); // error: there is no memory to allocate in a kernel
///     y[0] = all[0];
/// }
/// ```
///
/// [`Launch`]: https://docs.rs/warpwise/latest/warpwise/struct.Launch.html
/// [`Error::Launch`]: https://docs.rs/warpwise/latest/warpwise/enum.Error.html
/// [`Error::Kernel`]: https://docs.rs/warpwise/latest/warpwise/enum.Error.html
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
/// ```
/// use std::f32::consts::PI;
/// use warpwise::prelude::*;
///
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
///
/// #[kernel]
/// fn largest_area(discs: &[Disc; 2], area: &mut f32) {
///     *area = larger(discs[0].area(), discs[1].area());
/// }
/// # let _ = largest_area::PTX;
/// ```
///
/// A struct or enum gets `#[repr(C)]`, unless it says otherwise; [`Stored`], if it is made of plain
/// data and atomics: then buffers hold it; and [`Plain`], if it is `Copy`, too: then kernels take
/// it by value. `#[device]` stands above `#[derive(..)]`, to see it.
///
/// [`Stored`]: https://docs.rs/warpwise/latest/warpwise/trait.Stored.html
/// [`Plain`]: https://docs.rs/warpwise/latest/warpwise/trait.Plain.html
///
/// An `impl` block stands in the module of its type or of its trait, which is `#[device]`, too.
/// One for a type of that module comes with the type, any other with the trait: a kernel that
/// only calls the trait's method on an `f32` has to name the trait, as in `Area::area(x)`.
///
/// A constant may call `const fn`s that are `#[device]`. It is computed once, while a kernel that uses
/// it is compiled:
///
/// ```
/// # use warpwise::prelude::*;
/// #[device]
/// const fn squares() -> [u32; 64] {
///     let mut squares = [0; 64];
///     let mut i = 0;
///     while i < 64 {
///         squares[i] = (i * i) as u32;
///         i += 1;
///     }
///     squares
/// }
///
/// #[device]
/// const SQUARES: [u32; 64] = squares();
///
/// #[kernel]
/// fn look_up(y: &mut [u32; 64]) {
///     y[thread_idx_x() % 64] = SQUARES[thread_idx_x() % 64];
/// }
/// # let _ = look_up::PTX;
/// ```
///
/// All this is done by a macro of the same name, which the item's `use` brings along. That has
/// consequences:
///
/// - A use of an item of another module that is not `#[device]` is the error "cannot find macro" of
///   rustc, with the note that the name is a function, a struct or a constant and not a macro. So
///   is a use of a device item that uses one, and one of items in different modules that need each
///   other, such as two types with methods that take the other: put those into one module.
/// - By their names types, traits and constants are told from functions and modules: those begin
///   with an upper-case letter, these with a lower-case one. A variant is written with its enum,
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

/// Runs PTX in a kernel or `#[device]` function, in the form of Rust's `asm!`.
///
/// ```
/// use warpwise::prelude::*;
///
/// /// The bits in which an odd number of three words is set.
/// #[kernel]
/// fn parity(a: &[u32], b: &[u32], c: &[u32], y: &mut [u32]) {
///     let i = global_idx_x();
///     if i < a.len() && i < b.len() && i < c.len() && i < y.len() {
///         // SAFETY: `lop3` computes a function of its operands.
///         y[i] = unsafe {
///             ptx!(
///                 "lop3.b32 {d}, {a}, {b}, {c}, 0x96;",
///                 d = out(u32),
///                 a = in(u32) a[i],
///                 b = in(u32) b[i],
///                 c = in(u32) c[i],
///                 options(pure),
///                 else { a ^ b ^ c }
///             )
///         };
///     }
/// }
/// # let device = Device::cpu();
/// # let [a, b, c] = [[0b1010u32], [0b1100], [0b0001]].map(|x| device.upload(&x));
/// # let mut y = device.zeros::<u32>(1)?;
/// # parity::launch(&device, LaunchConfig::cover(1), &a?, &b?, &c?, &mut y)?;
/// assert_eq!(y.to_vec()?, [0b0111]);
/// # Ok::<(), warpwise::Error>(())
/// ```
///
/// | argument | meaning |
/// |---|---|
/// | `"add.u32 {d}, {a}, 1;"` | the statements, in string literals, each of which is a line; `{{` and `}}` are the braces of PTX |
/// | `d = out(u32)` | an output. Several are a tuple, none is `()` |
/// | `a = in(u32) x[i]` | an input: a copy of the value in a register |
/// | `options(pure)` | the outputs are a function of the inputs, and there is no other effect |
/// | `options(sm_80)`, `options(ptx78)` | the oldest target, or `sm_90a` for the only one, and the oldest version of PTX |
/// | `else { a + 1 }` | Rust code with the same result, last, for the interpreter and the host; the inputs are variables in it |
///
/// Operands are numbers of 16 bits or more, and `bool`, which is a predicate. Without `pure` the
/// compiler assumes that the text reads and writes all memory and waits for other threads. Without
/// a fallback a launch on the interpreter is an [`Error::Launch`].
///
/// # Safety
///
/// The text writes its outputs and ends at its end. It does nothing that Rust code could not do to
/// memory, and what a warp or block must reach together is reached by all of it.
///
/// # Panics
///
/// On the host, without a fallback.
///
/// [`Error::Launch`]: https://docs.rs/warpwise/latest/warpwise/enum.Error.html
#[proc_macro]
pub fn ptx(tokens: proc_macro::TokenStream) -> proc_macro::TokenStream {
    warpwise_frontend::ptx(tokens.into()).into()
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
