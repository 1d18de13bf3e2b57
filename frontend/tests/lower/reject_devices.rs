#[device]
fn even(n: u32) -> bool {
    if n == 0 { true } else { odd(n - 1) }
}

#[device]
fn odd(n: u32) -> bool {
    if n == 0 { false } else { even(n - 1) }
}

#[kernel]
fn recursion(y: &mut [bool]) {
    y[0] = even(4);
}
// == recursion
// error: 12:4-12:13: kernel code cannot recurse: `even` calls `odd` calls `even`
// = help: write a loop
