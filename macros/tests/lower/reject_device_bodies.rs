#[device]
fn first(x: &[f32]) -> &f32 {
    &x[0]
}

#[device]
fn bad(x: f32) -> f32 {
    match x {
        _ => 1.0,
    }
}

#[device]
fn generic<T: Num>(x: T) -> T {
    x
}

#[kernel]
fn calls(x: &[f32], y: &mut [f32]) {
    y[0] = *first(x) + bad(1.0);
    let z = generic(x);
}
// == calls
// error: 21:13-21:23: kernel code cannot be generic over `&[f32]`
// = help: type parameters stand for numbers
// error: 2:24-2:28: a device function can only return a number or `bool`
// = help: let the caller do the indexing
// error: 8:5-10:6: kernel code cannot `match` yet
// = help: write `if` and `else if`
