//! The examples of streams, graphs, page-locked memory and futures, each of which verifies its own
//! result, on the device of `WARPWISE_DEVICE`.
#[path = "../async_launch.rs"]
mod async_launch;
#[path = "../graph.rs"]
mod graph;
#[path = "../pinned_pipeline.rs"]
mod pinned_pipeline;
#[path = "../streams.rs"]
mod streams;

#[test]
fn chunks_on_several_streams_are_those_of_one() {
    streams::main().expect("it runs on any machine");
}

#[test]
fn a_solver_converges_as_a_graph() {
    graph::main().expect("it runs on any machine");
}

#[test]
fn every_frame_leaves_the_pipeline() {
    pinned_pipeline::main().expect("it runs on any machine");
}

#[test]
fn tasks_on_one_thread_all_finish() {
    async_launch::main().expect("it runs on any machine");
}
