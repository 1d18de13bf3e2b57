//! User macros: in the file and in functions, with repetitions, nested calls, and hygiene.
use crate::run::engine::{Check, Engine, cases, launch, like_rust, same};
use warpwise::prelude::*;

cases![of_the_file, inside, hygiene, in_other_macros, everywhere, recursive, kernels];

macro_rules! squared {
    ($x:expr) => {
        $x * $x
    };
}

macro_rules! largest {
    ($first:expr $(, $other:expr)* $(,)?) => {{
        let mut most = $first;
        $(
            if $other > most {
                most = $other;
            }
        )*
        most
    }};
}

#[device]
struct Sides {
    a: i32,
    b: i32,
}

#[device]
impl Sides {
    fn squares(&self) -> i32 {
        macro_rules! of {
            ($side:ident) => {
                squared!(self.$side)
            };
        }
        of!(a) + of!(b)
    }
}

fn of_the_file(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        out[0] = square_of_sum(x.len() as i32, y.len() as i32);
        out[1] = Sides { a: 3, b: x.len() as i32 }.squares();
    });
    Ok(())
}

#[device]
fn square_of_sum(a: i32, b: i32) -> i32 {
    squared!(a + b) + largest!(a, b, 3,) - squared!(squared!(2))
}

#[kernel]
fn with_macros_inside(x: &[i32], out: &mut [i32]) {
    macro_rules! put {
        ($at:expr, $value:expr) => {
            out[$at] = $value;
        };
    }
    macro_rules! unrolled {
        ($i:ident in [$($n:literal),*] $body:block) => {
            $({
                let $i: usize = $n;
                $body
            })*
        };
    }
    if global_idx_x() == 0 {
        put!(0, x[0] + 1);
        unrolled!(i in [0, 1, 2] { put!(1 + i, x[i] * 2); });
        let mut sum = 0;
        unrolled!(j in [1, 2] {
            sum += x[j];
        });
        put!(4, sum);
    }
}

fn inside(on: &Engine) -> Check {
    let (x, mut out) = (vec![3, 4, 5], vec![0; 5]);
    launch!(on, with_macros_inside(read x, write out), LaunchConfig::grid(1))?;
    same("out", &out, &[4, 6, 8, 10, 9])
}

macro_rules! swapped {
    ($a:ident, $b:ident) => {
        let held = $a;
        $a = $b;
        $b = held;
    };
}

macro_rules! found_in {
    ($x:expr, $above:expr) => {{
        let mut found = -1;
        'search: for (i, v) in $x.iter().enumerate() {
            if *v > $above {
                found = i as i32;
                break 'search;
            }
        }
        found
    }};
}

macro_rules! sides {
    ($a:expr) => {{
        let a = $a;
        let b = a + 1;
        Sides { a, b }
    }};
}

#[kernel]
fn with_names_of_the_caller(x: &[i32], out: &mut [i32]) {
    if global_idx_x() == 0 {
        let (mut a, mut b, held, found, most) = (x[0], x[1], 7, 100, 1000);
        swapped!(a, b);
        out[0] = a * 10 + b + held;
        'search: for i in 0..3 {
            for _ in 0..2 {
                out[1] += found_in!(x, 4) + found;
                if i == 1 {
                    break 'search;
                }
            }
        }
        let Sides { a: first, b } = sides!(a + b);
        out[2] = first * 10 + b;
        out[3] = largest!(most, a, largest!(b, held)) + most;
        assert!(held == 7, "{held}");
    }
}

fn hygiene(on: &Engine) -> Check {
    let (x, mut out) = (vec![3, 4, 5], vec![0; 4]);
    launch!(on, with_names_of_the_caller(read x, write out), LaunchConfig::grid(1))?;
    same("out", &out, &[50, 306, 78, 2000])
}

#[device]
fn checked(a: i32) -> i32 {
    assert!(squared!(a) < 1000, "{} is large", squared!(a));
    if matches!(a, v if squared!(v) > 20) { 1 } else { 2 }
}

fn in_other_macros(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        out[0] = checked(x.len() as i32);
        out[1] = checked(y.len() as i32);
    });
    Ok(())
}

macro_rules! triple {
    ($of:ty) => {
        [$of; 3]
    };
}

macro_rules! some {
    ($of:pat) => {
        Some($of)
    };
}

macro_rules! done {
    ($first:stmt; $($other:stmt);+) => {
        $first;
        $($other;)+
    };
}

macro_rules! both {
    ($f:path, $a:expr; $b:expr) => {
        [$f($a), $f($b)]
    };
}

#[device]
fn halved(of: i32) -> i32 {
    of / 2
}

#[device]
#[allow(redundant_semicolons, reason = "what a statement ends with may be written twice")]
fn types_and_patterns(a: i32, b: i32) -> i32 {
    let three: triple!(i32) = [a, b, 5];
    let some!(last) = three.last() else { return 0 };
    let [c, d] = both!(halved, a + b; *last);
    let add = |v| squared!(v) + a;
    done!(let mut sum = add(c); sum += d; sum *= 2);
    sum
}

fn everywhere(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        out[0] = types_and_patterns(x.len() as i32, y.len() as i32);
    });
    Ok(())
}

macro_rules! count {
    () => { 0 };
    ($first:tt $($other:tt)*) => { 1 + count!($($other)*) };
}

macro_rules! polynomial {
    ($x:expr; $c:literal) => { $c };
    ($x:expr; $c:literal, $($other:literal),+) => { $c + $x * polynomial!($x; $($other),+) };
}

macro_rules! functions {
    ($($name:ident: $of:ty),*) => {
        $(
            #[device]
            fn $name(a: $of) -> $of {
                a * a + 1
            }
        )*
    };
}

functions!(of_i32: i32, of_i64: i64);

#[device]
fn counted(a: i32) -> i32 {
    count!(a b (c d) e) * 100 + polynomial!(a + 1; 1, 2, 3)
}

fn recursive(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        out[0] = counted(x.len() as i32);
        out[1] = of_i32(y.len() as i32) + of_i64(3) as i32;
    });
    Ok(())
}

#[device]
const THREADS: usize = 64;

macro_rules! reversing_kernel {
    ($name:ident, $of:ty) => {
        // Only the attribute names the constant.
        #[kernel(block = THREADS)]
        fn $name(x: &[$of], out: &mut [$of]) {
            let i = global_idx_x();
            if i < x.len() && i < out.len() {
                out[i] = x[x.len() - 1 - i];
            }
        }
    };
}

reversing_kernel!(reversed, u32);

fn kernels(on: &Engine) -> Check {
    let x: Vec<u32> = (0..128).collect();
    let mut out = vec![0; 128];
    launch!(on, reversed(read x, write out), LaunchConfig::grid(2))?;
    let want: Vec<u32> = x.iter().rev().copied().collect();
    same("reversed", &out, &want)
}
