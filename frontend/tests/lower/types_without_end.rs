#[kernel]
fn doubling(x: &mut [i32]) {
    struct Tree<T> {
        value: T,
        next: Option<Pair<(T, T)>>,
    }
    struct Pair<T> {
        value: T,
        next: Option<Tree<(T, T)>>,
    }
    let tree: Option<Tree<i32>> = None;
    x[0] = 1;
}

#[kernel]
fn branching(x: &mut [i32]) {
    struct Tree<T> {
        value: T,
        left: Option<Tree<(T, i32)>>,
        right: Option<Tree<(i32, T)>>,
    }
    let tree: Option<Tree<i32>> = None;
    x[0] = 1;
}
// == doubling
// rustc too: 1:6-1:12: the type `Option` contains itself
// == branching
// rustc too: 1:6-1:12: the type `Option` contains itself
