//! The distributions of counters over the threads of warps, and over the visits of loops.
use super::counters::{START, count, kernel, work};
use crate::{ActiveThreads, Counters, Trips, bytecode::Requests};
use warpwise_compiler::ir::{BinaryOp, InstId, Kernel, Op};

/// Returns a lane's number, and a `for` up to it.
fn to_lane(body: &str) -> String {
    format!(
        "%lane = and %t, %31 : u32 !0
         %f = for %0, %lane, step %1 : u32 !0 {{ {body} }}\n"
    )
}

fn count_of(middle: &str, blocks: u32, block: [u32; 3]) -> (Kernel, Counters) {
    let kernel = kernel(&format!("{START}{middle}"));
    let counters = count(&kernel, blocks, block, Requests::Scalars);
    for (id, counts) in counters.iter() {
        let active = counters.active_threads(id);
        assert_eq!(active.instructions(), counts.warp_instructions, "{id:?}");
        assert_eq!(active.thread_instructions(), counts.thread_instructions, "{id:?}");
    }
    (kernel, counters)
}

/// Returns the trip counts of the loops, in the order of the text.
fn trips(middle: &str, blocks: u32, block: [u32; 3]) -> Vec<Trips> {
    let (_, counters) = count_of(middle, blocks, block);
    counters.trips().iter().map(|(_, trips)| *trips).collect()
}

fn visits(counts: &[(u64, u64)]) -> Trips {
    let mut trips = Trips::default();
    counts.iter().for_each(|(iterations, visits)| trips.add(*iterations, *visits));
    trips
}

/// Returns the active threads of the multiplication.
fn at_product(middle: &str, blocks: u32, block: [u32; 3]) -> ActiveThreads {
    let (kernel, counters) = count_of(middle, blocks, block);
    let is_product =
        |id: &InstId| matches!(kernel.insts[*id].op, Op::Binary { op: BinaryOp::Mul, .. });
    let product = kernel.insts.ids().find(is_product).unwrap();
    counters.active_threads(product)
}

#[test]
fn the_last_warp_of_a_block_is_not_full() {
    // 40 by 2 threads are 3 warps, the last of 16.
    let active = at_product(&work("w"), 5, [40, 2, 1]);
    assert_eq!(active.iter().collect::<Vec<_>>(), [(16, 5), (32, 10)]);
}

#[test]
fn active_lanes_are_counted_iteration_by_iteration() {
    let middle = to_lane(&work("w"));
    let active = at_product(&middle, 3, [64, 1, 1]);
    assert_eq!(active.iter().collect::<Vec<_>>(), (1..32).map(|n| (n, 6)).collect::<Vec<_>>());
    assert_eq!(trips(&middle, 3, [64, 1, 1]), [visits(&[(31, 6)])]);
}

#[test]
fn arms_have_partly_active_warps() {
    let middle = format!(
        "%c = lt %t, %5 : bool !0
         %if = if %c !0 {{ {} }}
         {}",
        work("w"),
        work("end")
    );
    let active = at_product(&middle, 1, [96, 1, 1]);
    assert_eq!(active.iter().collect::<Vec<_>>(), [(5, 1)]);
}

#[test]
fn trip_counts_are_those_of_the_warps() {
    let middle = format!(
        "%n = shr %t, %5 : u32 !0
         %f = for %0, %n, step %1 : u32 !0 {{ {} }}",
        work("w")
    );
    let want =
        visits(&[(0, 2), (1, 2), (2, 2), (3, 2), (4, 2), (5, 2), (6, 2), (7, 2), (8, 2), (9, 2)]);
    assert_eq!(trips(&middle, 2, [320, 1, 1]), [want]);
}

#[test]
fn an_inner_loop_is_visited_in_each_iteration() {
    let inner = format!("%in = for %0, %4, step %1 : u32 !0 {{ {} }}", work("w"));
    let middle = format!("%outer = for %0, %5, step %1 : u32 !0 {{ {inner} }}");
    assert_eq!(trips(&middle, 1, [64, 1, 1]), [visits(&[(5, 2)]), visits(&[(4, 10)])]);
}

#[test]
fn an_iteration_of_a_while_begins_after_its_condition() {
    let head = |condition: &str| {
        format!(
            "%zero = set $0, %0 !0
             %loop = loop !0 {{
                 %g = get $0 : u32 !0
                 %done = {condition} : bool !0
                 %if = if %done !0 {{ %b = break %loop !0 }}
                 %w = store %at, %g !0
                 %more = add %g, %1 : u32 !0
                 %set = set $0, %more !0
             }}"
        )
    };
    let lane = format!("%lane = and %t, %31 : u32 !0\n{}", head("ge %g, %lane"));
    assert_eq!(trips(&lane, 1, [64, 1, 1]), [visits(&[(31, 2)])]);
    assert_eq!(trips(&head("ge %g, %5"), 2, [64, 1, 1]), [visits(&[(5, 4)])]);
    assert_eq!(trips(&head("ge %g, %0"), 1, [64, 1, 1]), [visits(&[(0, 2)])]);
}

#[test]
fn an_iteration_of_a_loop_begins_with_its_body() {
    let middle = "%zero = set $0, %0 !0
        %loop = loop !0 {
            %g = get $0 : u32 !0
            %w = store %at, %g !0
            %more = add %g, %1 : u32 !0
            %set = set $0, %more !0
            %done = ge %more, %5 : bool !0
            %if = if %done !0 { %b = break %loop !0 }
        }";
    assert_eq!(trips(middle, 1, [64, 1, 1]), [visits(&[(5, 2)])]);
}

#[test]
fn rounds_that_run_at_once_are_counted_all() {
    let body = "%g = get $0 : u32 !0
        %a = add %g, %5 : u32 !0
        %s = set $0, %a !0
        %w = store %at, %a !0";
    let middle = format!(
        "%many = const 1000 : u32 !0
         %f = for %0, %many, step %1 : u32 !0 {{ {body} }}"
    );
    assert_eq!(trips(&middle, 7, [256, 1, 1]), [visits(&[(1000, 56)])]);
}

#[test]
fn a_loop_without_iterations_is_a_visit() {
    let middle = format!("%f = for %5, %0, step %1 : u32 !0 {{ {} }}", work("w"));
    assert_eq!(trips(&middle, 9, [64, 1, 1]), [visits(&[(0, 18)])]);
}

#[test]
fn a_loop_that_is_left_at_once_has_one_iteration_per_visit() {
    let middle = format!("%loop = loop !0 {{ {} %b = break %loop !0 }}", work("w"));
    assert_eq!(trips(&middle, 40, [64, 1, 1]), [visits(&[(1, 80)])]);
}
