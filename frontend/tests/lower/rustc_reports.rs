#[kernel]
fn mismatches(x: &[f32], n: u32, y: &mut [f32]) {
    let a: f32 = 1;
    let b = n + 1.0;
    y[n] = 1.0;
    y[0] = n;
    x[0] = 1.0;
    let c = 1;
    c = 2;
    if n { }
    let d = -n;
    let e = !1.0;
    let f = true + false;
    let g = 1.0 << 2;
    let h = n as bool;
    let i = undefined;
    break;
    continue 'label;
    let j = n.min(1.0);
    let k = sync_threads(3);
    let l: usize = loop { break 1.0; };
    while true { break 3; }
    return 3;
    *n = 3;
    n[0];
    let m = 340282366920938463463374607431768211456;
}

#[kernel]
fn no_functions(cell: &[AtomicU32]) {
    let a = cell[0].fetch_update(Ordering::Relaxed, Ordering::Relaxed, ());
}

#[device]
struct Leaky<const P: u32, const Q: i8, const ON: bool>(f32);

#[device]
impl<const P: u32, const Q: i8, const ON: bool> Leaky<P, Q, ON> {
    const OFF: bool = !ON;
}

#[kernel]
fn unknown_arguments() {
    let a = Leaky::<7, 0, _>::OFF;
}

#[device]
enum State { Off, Failed(i32, Option<>) }

#[device]
fn repeated<T: Num, const N: usize>(x: T) -> [T; N] { [x; N] }

#[kernel]
fn generic_arguments(y: &mut [f32]) {
    let a = Leaky::<7, 0>(1.0);
    let b = State::Failed(7, None);
    let c: Option = None;
    let d = Result::<u32>::Ok(1);
    let e = repeated::<f32>(1.0);
    let f = repeated::<2, f32>(1.0);
    let g: AtomicU32<u32> = y[0];
    let h: std::ops::Range<> = 0..2;
    let i: std::iter::Rev<> = (0..2).rev();
}
// == mismatches
// rustc too: 3:18-3:19: mismatched types: expected `f32`, found `{integer}`
// rustc too: 4:17-4:20: mismatched types: expected `u32`, found `{float}`
// rustc too: 5:7-5:8: an index is a `usize`, not `u32`
// rustc too: 6:12-6:13: mismatched types: expected `f32`, found `u32`
// rustc too: 7:5-7:6: this cannot be changed: it is behind a `&` reference
// rustc too: 9:5-9:6: this cannot be changed: `c` is not `mut`
// rustc too: 10:8-10:9: mismatched types: expected `bool`, found `u32`
// rustc too: 16:13-16:22: cannot find value `undefined` in this scope
// rustc too: 17:5-17:10: nothing here that this could leave
// rustc too: 18:5-18:13: nothing here that this could leave
// rustc too: 19:19-19:22: mismatched types: expected `u32`, found `{float}`
// rustc too: 20:13-20:28: this takes 0 arguments, and 1 are given
// rustc too: 21:20-21:24: mismatched types: expected `usize`, found `{float}`
// rustc too: 22:24-22:25: `break` with a value from a `while` or `for` loop
// rustc too: 23:12-23:13: mismatched types: expected `()`, found `{integer}`
// rustc too: 24:5-24:7: type `u32` cannot be dereferenced
// rustc too: 25:5-25:9: cannot index into a value of type `u32`
// rustc too: 26:13-26:52: integer literal is too large
// rustc too: 11:13-11:15: this is not defined on type `u32`
// rustc too: 12:13-12:17: this is not defined on type `f64`
// rustc too: 13:13-13:25: this is not defined on type `bool`
// rustc too: 14:13-14:21: this is not defined on type `f64`
// rustc too: 15:13-15:22: `u32` cannot be cast to `bool`
// == no_functions
// rustc too: 31:72-31:74: a value of type `()` cannot be called
// == unknown_arguments
// rustc too: 44:13-44:34: a constant argument is not known
// == generic_arguments
// rustc too: 55:18-55:26: this takes 3 generic arguments, and 2 are given
// rustc too: 48:31-48:39: this takes 1 generic argument, and 0 are given
// rustc too: 57:12-57:18: this takes 1 generic argument, and 0 are given
// rustc too: 58:19-58:26: this takes 2 generic arguments, and 1 are given
// rustc too: 59:21-59:28: this takes 2 generic arguments, and 1 are given
// rustc too: 60:24-60:25: this generic argument does not fit its parameter
// rustc too: 60:27-60:30: this generic argument does not fit its parameter
// rustc too: 61:12-61:26: this type has no generic parameters
// rustc too: 62:12-62:29: this takes 1 generic argument, and 0 are given
// rustc too: 63:12-63:28: this takes 1 generic argument, and 0 are given
// rustc too: 60:13-60:36: a constant argument is not known
// rustc too: 60:9-60:10: the length of an array is not known
