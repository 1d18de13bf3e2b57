#[kernel]
async fn asynchronous() {}

#[kernel]
unsafe fn dangerous() {}

#[kernel]
extern "C" fn foreign() {}

#[kernel]
fn result(x: f32) -> f32 {
    x
}

#[kernel]
fn types(
    a: &f32,
    b: &mut f32,
    c: &[f32; 4],
    d: u128,
    e: Vec<f32>,
    f: &str,
    g: *const f32,
    h: (f32, &f32),
    i: char,
    j: &mut [AtomicU32],
    k: &[AtomicU16],
    l: &dyn Fn(),
    m: fn(),
    n: [f32; 4],
    o: &[[f32; 2]],
    p: String,
) {
}

#[kernel]
fn patterns((a, b): (f32, &f32), &c: &f32, _: f32, mut d: f32) {}

#[kernel]
fn generics<T, U: Copy, V: Hash, const N: char>(x: T) {}

#[kernel(block = SIZE)]
fn block() {}

#[kernel]
fn lengths<const N: usize>() {
    let a = shared!([f32; M]);
    let b = shared!([f32; N ^ 2]);
    let c = shared!([f32; 0 - 1]);
    let d = shared!([f32; f(3)]);
}

#[kernel(open(TILE, WIDTH))]
fn open(x: &mut [f32]) {
    let a = TILE;
    let b = WIDTH.min(3);
}
// == asynchronous
// error: 2:1-2:6: a kernel cannot be `async`
// == dangerous
// error: 5:1-5:7: a kernel cannot be `unsafe`
// = help: leave `unsafe` out: kernel code is safe
// == foreign
// error: 8:1-8:7: a kernel cannot be `extern`
// = help: leave `extern` out: nothing calls it by a symbol
// == result
// error: 11:22-11:25: a kernel returns nothing: each of its threads would return its own value
// = help: write the result to a `&mut [T]` parameter
// == types
// error: 20:8-20:12: kernel code cannot use the type `u128`
// = help: use integers of at most 64 bits
// error: 21:8-21:16: kernel code cannot use the type `Vec`
// = help: a kernel cannot allocate: use an array, `[value; N]`, or pass a buffer as `&[T]` or `&mut [T]`
// error: 22:9-22:12: kernel code cannot use the type `str`
// = help: pass bytes as `&[u8]`
// error: 23:8-23:18: kernel code cannot use raw pointers
// = help: use slices: `&[T]`, `&mut [T]`
// error: 24:8-24:19: a kernel cannot have a parameter of this type
// = help: parameters are numbers, `bool`, and arrays, tuples, options, and `#[device]` structs and enums of them, `&[T]`, `&mut [T]`, slices of atomics, and the arrays `Rows<T>`, `RowsMut<T>`, `Layers<T>` and `LayersMut<T>`
// error: 25:8-25:12: kernel code cannot use the type `char`
// = help: use `u8` or `u32`
// error: 26:8-26:24: a kernel cannot have a parameter of this type
// = help: write `&[..]`: atomics are shared, whoever changes them
// error: 27:10-27:19: kernel code cannot use the type `AtomicU16`
// = help: use `AtomicU32`: atomic integers have 32 or 64 bits
// error: 28:9-28:17: kernel code cannot use trait objects or `impl` types
// = help: use a type parameter; a `#[device]` function, though no kernel, may take `impl Fn(f32) -> f32`, and return `impl Iterator<Item = f32>`
// error: 29:8-29:12: a kernel cannot have a parameter of this type
// = help: pass a number and `match` on it: the host's functions are not the device's
// error: 32:8-32:14: kernel code cannot use the type `String`
// = help: pass bytes as `&[u8]`
// == patterns
// error: 37:21-37:32: a kernel cannot have a parameter of this type
// = help: parameters are numbers, `bool`, and arrays, tuples, options, and `#[device]` structs and enums of them, `&[T]`, `&mut [T]`, slices of atomics, and the arrays `Rows<T>`, `RowsMut<T>`, `Layers<T>` and `LayersMut<T>`
// == generics
// error: 40:13-40:14: nothing says what numbers the type parameter `T` may be
// = help: bound it by `Num`, `Int` or `Float`: `T: Num`; or name the types: `#[kernel(instances(f32, Point))]`
// error: 40:28-40:32: nothing says which types with this trait `V` stands for
// = help: name them, and the kernel is compiled for each: `#[kernel(instances(f32, Point))]`; or bound it by `Num`, `Int` or `Float` alone, for numbers of any type
// error: 40:43-40:47: constant parameters of kernel code are integers or `bool`
// == block
// error: 42:18-42:22: kernel code does not know the constant `SIZE`
// = help: name it in `#[kernel(open(SIZE))]`, or make it a constant parameter
// == lengths
// error: 47:27-47:28: kernel code does not know the constant `M`
// = help: name it in `#[kernel(open(M))]`, or make it a constant parameter
// error: 48:27-48:32: kernel code cannot compute this constant
// = help: use integers, `bool`s, `#[device] const fn`s and the `size_of` of numbers, and with numbers that the launch decides only `+ - * / % << >>`; or make this a plain `const`, and name it in `#[kernel(open(..))]`
// error: 49:27-49:32: this length overflows or divides by zero
// error: 50:27-50:31: kernel code cannot compute this constant
// = help: use integers, `bool`s, `#[device] const fn`s and the `size_of` of numbers, and with numbers that the launch decides only `+ - * / % << >>`; or make this a plain `const`, and name it in `#[kernel(open(..))]`
// == open
// error: 56:13-56:18: the type of the open constant `WIDTH` is not known here
// = help: bind it with its type: `let value: usize = WIDTH;`
// error: 55:13-55:17: the type of the open constant `TILE` is not known here
// = help: bind it with its type: `let value: usize = TILE;`
