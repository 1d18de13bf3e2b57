//! The deepest kernels that the parser reads go through every stage, on a thread's usual stack.
use warpwise_compiler::{
    back::ptx,
    compile::{CompileError, check, compile},
    ir::{Body, Builder, Builtin, CompareOp, Kernel, MAX_DEPTH, Op, Scalar, Scope, SyncOp, Ty},
    lint::Levels,
    small_sizes::Sizes,
    target::Target,
};

/// Returns bodies nested as deep as permitted, each opened by `open`.
fn deepest(open: impl Fn(&mut Builder)) -> Kernel {
    let mut build = Builder::new("deepest");
    while build.depth() + 1 < MAX_DEPTH {
        open(&mut build);
    }
    build.finish()
}

fn compiles(kernel: &Kernel) {
    let read: Kernel = kernel.to_string().parse().expect("it is not too deep");
    assert_eq!(&read, kernel);
    check(&read, &Levels::default()).expect("it has no barriers");
    let emit = |kernel: Kernel| Ok(ptx::emit(&kernel, Target::OLDEST)?);
    let code: Result<_, CompileError> = compile(read, Sizes::Small, emit);
    code.expect("the oldest target has what it needs");
}

#[test]
fn blocks() {
    compiles(&deepest(|build| {
        build.begin(Op::Block { body: Body::default() }, Ty::Unit);
    }));
}

#[test]
fn the_else_of_an_else() {
    let kernel = deepest(|build| {
        let lane = build.inst(Op::Builtin(Builtin::LaneId), Scalar::U32);
        let depth = build.inst(Op::Const(build.depth() as u64 % 32), Scalar::U32);
        let op = CompareOp::Eq;
        let cond = build.inst(Op::Compare { op, lhs: lane, rhs: depth }, Scalar::Bool);
        build.begin(Op::If { cond, then: Body::default(), other: Body::default() }, Ty::Unit);
        build.inst(Op::Sync(SyncOp::Fence { scope: Scope::Block }), Ty::Unit);
        build.otherwise();
    });
    compiles(&kernel);
}

#[test]
fn loops() {
    compiles(&deepest(|build| {
        let number = build.inst(Op::Builtin(Builtin::LaneId), Scalar::U32);
        let one = build.inst(Op::Const(1), Scalar::U32);
        let (start, end, body) = (one, number, Body::default());
        build.begin(Op::For { start, end, step: one, inclusive: true, body }, Scalar::U32);
        build.inst(Op::Sync(SyncOp::Fence { scope: Scope::Block }), Ty::Unit);
    }));
}
