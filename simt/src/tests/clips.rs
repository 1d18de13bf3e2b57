//! Replay of blocks in which some threads take no part, as at the border of an image: the same
//! results as block by block.
use super::{Shape, Value, isas, number, program_for, run};
use crate::{
    Arg, CheckedProgram, Checks, Launch,
    exec::{
        block::Block,
        bound::{Observation, bind, lend_memories},
        replay::Failure,
    },
    observe::log::LaunchLog,
    translate::{Instrumentation, translate},
    vector::lanes::{Isa, compiled},
};
use std::num::NonZeroUsize;
use warpwise_compiler::ir::Kernel;

/// The beginning of kernels on two images of `w` by `h`: the point of the thread, as numbers of
/// this type, and its index.
fn start(ty: &str) -> String {
    format!(
        "param arg0 = a: read [u32] !0
         param arg1 = c: write [u32] !0
         param arg2 = w: {ty} !0
         param arg3 = h: {ty} !0
         %gx = builtin global_idx.x : u32 !0
         %gy = builtin global_idx.y : u32 !0
         %x = cast %gx : {ty} !0
         %y = cast %gy : {ty} !0
         %w = param arg2 : {ty} !0
         %h = param arg3 : {ty} !0
         %la = len arg0 : u64 !0
         %lc = len arg1 : u64 !0
         %a = param arg0 : ptr global !0
         %c = param arg1 : ptr global !0
         %zero = const 0 : {ty} !0
         %one = const 1 : {ty} !0
         %x1 = add %x, %one : {ty} !0
         %y1 = add %y, %one : {ty} !0
         %row = mul %y, %w : {ty} !0
         %i = add %row, %x : {ty} !0
         "
    )
}

/// Stores the sum of the left and the right neighbour and of that above to the point itself; loads
/// are from this buffer.
fn stencil(ty: &str, from: &str) -> String {
    format!(
        "%il = sub %i, %one : {ty} !0
         %ir = add %i, %one : {ty} !0
         %iu = sub %i, %w : {ty} !0
         %cl = cast %il : u64 !1
         %bl = bounds %cl, %l{from} : u64 !1
         %pl = index %{from}, %bl, 4 : ptr global !1
         %left = load %pl : u32 !1
         %cr = cast %ir : u64 !2
         %br = bounds %cr, %l{from} : u64 !2
         %pr = index %{from}, %br, 4 : ptr global !2
         %right = load %pr : u32 !2
         %cu = cast %iu : u64 !3
         %bu = bounds %cu, %l{from} : u64 !3
         %pu = index %{from}, %bu, 4 : ptr global !3
         %up = load %pu : u32 !3
         %lr = add %left, %right : u32 !3
         %r = add %lr, %up : u32 !3
         {STORE}"
    )
}

/// Stores `%r` to the point.
const STORE: &str = "%ci = cast %i : u64 !4
    %bc = bounds %ci, %lc : u64 !4
    %pc = index %c, %bc, 4 : ptr global !4
    %s = store %pc, %r !4
    ";

/// The condition of the points that have neighbours to the left, to the right and above.
const INNER: &str = "%left0 = gt %x, %zero : bool !0
    %right0 = lt %x1, %w : bool !0
    %up0 = gt %y, %zero : bool !0
    %down0 = lt %y, %h : bool !0
    %across = and %left0, %right0 : bool !0
    %along = and %up0, %down0 : bool !0
    %cond = and %across, %along : bool !0
    ";

/// An image of `w` by `h`, in blocks of this size that cover it, and its buffers.
fn image([w, h]: [u32; 2], block: [u32; 2]) -> (Shape, [Value; 4]) {
    let grid = [w.div_ceil(block[0]), h.div_ceil(block[1]), 1];
    let shape = Shape { grid, block: [block[0], block[1], 1], workers: 1, steps: None };
    let words = |seed: u32| {
        Value::U32((0..w * h).map(|i| (i ^ seed).wrapping_mul(0x9e37_79b9) >> 3).collect())
    };
    (shape, [words(1), words(2), Value::Scalar(w.into()), Value::Scalar(h.into())])
}

fn kernel(inside: &str) -> Kernel {
    number(&format!("kernel k {{ {inside} }}")).parse().unwrap()
}

/// Checks that a launch has the results that it has without replay.
fn check(inside: &str, (shape, values): &(Shape, [Value; 4])) {
    let memories: Vec<_> = values.iter().map(Value::memory).collect();
    let args: Vec<_> =
        values.iter().zip(&memories).map(|(value, memory)| value.arg(memory)).collect();
    let Shape { grid, block, steps, .. } = *shape;
    let launch = Launch { grid, block, args: &args, workers: NonZeroUsize::new(1), steps };
    let (outcome, _) = CheckedProgram::new(&kernel(inside)).run_one_by_one(&launch, Checks::MEMORY);
    let mut expected = values.clone();
    expected.iter_mut().zip(&memories).for_each(|(value, memory)| value.take(memory));
    for isa in isas() {
        let mut left = values.clone();
        assert_eq!(run(&program_for(inside, isa), *shape, &mut left), outcome);
        assert_eq!(left[1].u32s(), expected[1].u32s(), "{inside} {grid:?} {block:?}");
    }
}

/// Returns the number of blocks that are replayed from the first of a row on, of a whole row.
fn count_replayed(
    inside: &str,
    (shape, values): &(Shape, [Value; 4]),
    row: u32,
) -> Result<u64, Failure> {
    let code = translate(&kernel(inside), Isa::detect(), Instrumentation::None).unwrap();
    let memories: Vec<_> = values.iter().map(Value::memory).collect();
    let args: Vec<Arg<'_>> =
        values.iter().zip(&memories).map(|(value, memory)| value.arg(memory)).collect();
    let Shape { grid, block, .. } = *shape;
    let launch = Launch { grid, block, args: &args, workers: None, steps: None };
    let loans = lend_memories(&code, &launch);
    let bound = bind(&code, &launch, &loans, Vec::new(), &[], Observation::default());
    let width = u64::from(grid[0]);
    let mut log = LaunchLog::new(&code.counted);
    Block::new(&code, &bound).replay_blocks(width * u64::from(row), width, &mut log)
}

/// Checks that whole rows of blocks are replayed, if rounds are compiled.
fn check_rows(inside: &str, image: &(Shape, [Value; 4])) {
    for row in 0..image.0.grid[1] {
        let replayed = count_replayed(inside, image, row);
        let all = Ok(u64::from(image.0.grid[0]));
        assert!(!compiled::is_available() || replayed == all, "row {row}: {replayed:?}");
    }
}

#[test]
fn blocks_at_the_border_are_replayed_with_the_others() {
    let guarded =
        format!("{} {INNER} %if = if %cond !0 {{ {} }}", start("u64"), stencil("u64", "a"));
    for size in [[128, 16], [64, 4], [100, 7], [97, 9], [33, 5], [32, 1], [1, 1]] {
        for block in [[32, 4], [16, 8], [32, 16], [64, 1]] {
            check(&guarded, &image(size, block));
        }
    }
    check_rows(&guarded, &image([128, 16], [32, 4]));
    check_rows(&guarded, &image([256, 24], [16, 16]));
}

#[test]
fn indices_of_32_bits_do_not_wrap() {
    for ty in ["u32", "i32"] {
        let guarded = format!("{} {INNER} %if = if %cond !0 {{ {} }}", start(ty), stencil(ty, "a"));
        for size in [[128, 16], [100, 7], [33, 5]] {
            check(&guarded, &image(size, [32, 4]));
        }
    }
}

#[test]
fn threads_outside_may_return() {
    let guarded = format!(
        "{} %out0 = ge %x, %w : bool !0
         %out1 = ge %y, %h : bool !0
         %cond = or %out0, %out1 : bool !0
         %if = if %cond !0 {{ %exit = return !0 }}
         %ba = bounds %i, %la : u64 !1
         %pa = index %a, %ba, 4 : ptr global !1
         %z = load %pa : u32 !1
         %r = mul %z, %z : u32 !1
         {STORE}",
        start("u64")
    );
    for size in [[128, 16], [100, 7], [97, 9], [33, 5], [1, 1]] {
        for block in [[32, 4], [16, 8]] {
            check(&guarded, &image(size, block));
        }
    }
}

#[test]
fn only_neighbouring_lanes_take_part() {
    let body = format!("%r = const 7 : u32 !0 {STORE}");
    let conditions = [
        "%cond = eq %x, %zero : bool !0",
        "%cond = ne %x, %zero : bool !0",
        "%cond = ne %x, %one : bool !0",
        "%last = sub %w, %one : u64 !0 %cond = ne %x, %last : bool !0",
        "%last = sub %w, %one : u64 !0 %cond = eq %x, %last : bool !0",
        "%cond = le %x, %one : bool !0",
        "%a0 = lt %x, %one : bool !0 %b0 = gt %y, %one : bool !0 %cond = or %a0, %b0 : bool !0",
        "%a0 = lt %x, %w : bool !0 %b0 = not %a0 : bool !0 %cond = not %b0 : bool !0",
        "%sum = add %x, %y : u64 !0 %cond = gt %sum, %one : bool !0",
        "%rest = sub %w, %x : u64 !0 %cond = gt %rest, %one : bool !0",
        "%cond = lt %i, %lc : bool !0",
    ];
    for condition in conditions {
        let guarded = format!("{} {condition} %if = if %cond !0 {{ {body} }}", start("u64"));
        for size in [[128, 16], [96, 8], [100, 7]] {
            check(&guarded, &image(size, [32, 4]));
        }
    }
}

#[test]
fn effects_around_a_condition_are_of_all_lanes() {
    let (start, body) = (start("u64"), format!("%r = const 7 : u32 !0 {STORE}"));
    let names = [("%r", "%q"), ("%ci", "%di"), ("%bc", "%bd"), ("%pc", "%pd"), ("%s", "%t")];
    let again = names.iter().fold(body.replace('7', "9"), |text, (of, to)| text.replace(of, to));
    let condition = "%cond = gt %x, %zero : bool !0";
    let texts = [
        format!("{start} {body} {condition} %if = if %cond !0 {{ {again} }}"),
        format!("{start} {condition} %if = if %cond !0 {{ {body} }} {again}"),
        format!("{start} {condition} %if = if %cond !0 {{ {body} }} else {{ {again} }}"),
        format!(
            "{start} {condition} %if = if %cond !0 {{
               {body} %low = lt %x1, %w : bool !0 %if2 = if %low !0 {{ {again} }}
             }}"
        ),
        format!(
            "{start} {condition} %if = if %cond !0 {{
               %low = lt %x1, %w : bool !0 %if2 = if %low !0 {{ {body} }}
             }}"
        ),
    ];
    for text in texts {
        check(&text, &image([128, 16], [32, 4]));
    }
}

#[test]
fn a_lane_that_takes_part_may_be_out_of_bounds() {
    let guarded =
        format!("{} {INNER} %if = if %cond !0 {{ {} }}", start("u64"), stencil("u64", "a"));
    let (shape, mut values) = image([128, 16], [32, 4]);
    for missing in [1, 2, 130, 400] {
        let Value::U32(words) = &mut values[0] else { unreachable!("it has words") };
        words.truncate(words.len() - missing);
        check(&guarded, &(shape, values.clone()));
    }
}

#[test]
fn blocks_are_replayed_beside_one_that_cannot_be() {
    let inside = format!(
        "{} %cond = eq %x, %zero : bool !0
         %if = if %cond !0 {{
           %loop = for %zero, %h, step %one : u64 !0 {{ %mask = active_mask : u32 !0 }}
           %r = const 7 : u32 !0 {STORE}
         }}",
        start("u64")
    );
    let image = image([128, 16], [32, 4]);
    check(&inside, &image);
    assert_eq!(count_replayed(&inside, &image, 0), Err(Failure::ThisRound));
}

#[test]
fn lanes_that_read_the_stores_of_others_run_in_order() {
    let guarded =
        format!("{} {INNER} %if = if %cond !0 {{ {} }}", start("u64"), stencil("u64", "c"));
    check(&guarded, &image([128, 16], [32, 4]));
}
