//! Answers to requests: findings at their places, results, counters, faults and refusals.
#![expect(clippy::unwrap_used, reason = "tests fail loudly")]
use serde_json::{Value, json};
use warpwise::{Simulator, prelude::*};

/// Answers a request about `source`, with the prelude in its first line.
fn answer(source: &str, launch: &Value) -> Value {
    let source = format!("use warpwise::prelude::*; {source}");
    let request = json!({"source": source, "launch": launch}).to_string();
    serde_json::from_str(&warpwise_playground::answer(&request)).unwrap()
}

/// Launches the kernel `k` with one block of `threads`.
fn run(source: &str, threads: u32, args: &Value) -> Value {
    let launch = json!({"kernel": "k", "grid": [1, 1, 1], "block": [threads, 1, 1], "args": args});
    answer(source, &launch)["launch"].clone()
}

fn buffer(len: u64, fill: &str) -> Value {
    json!({"len": len, "fill": fill})
}

#[kernel]
#[expect(gpu_uncoalesced_accesses, reason = "the sectors are counted")]
fn every_second(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = 2.0 * x[2 * i];
    }
}

const EVERY_SECOND: &str = "#[kernel]
fn k(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = 2.0 * x[2 * i];
    }
}
";

#[test]
fn findings_stand_at_their_code() {
    let response = answer(EVERY_SECOND, &Value::Null);
    let kernel = &response["kernels"][0];
    let finding = &kernel["findings"][0];
    assert_eq!(finding["lint"], "gpu_uncoalesced_accesses", "{response}");
    let place = json!({"line": 5, "column": 22, "end_line": 5, "end_column": 30});
    assert_eq!(finding["span"], place);
    assert_eq!(
        kernel["params"][0],
        json!({"name": "x", "kind": "slice", "type": "f32", "access": "read"})
    );
    assert!(kernel["ptx"].as_str().unwrap().contains(".entry k"));
    assert!(
        kernel["verdicts"].as_array().unwrap().iter().any(|verdict| verdict["answer"] == "good")
    );
    assert_eq!(response["launch"], Value::Null);
}

#[test]
fn errors_stand_at_their_code() {
    let errors = |source: &str| {
        let response = answer(source, &Value::Null);
        let all = [&response["errors"], &response["kernels"][0]["errors"]];
        let all = all.into_iter().filter_map(Value::as_array).flatten();
        all.map(|error| {
            let place = (
                error["span"]["line"].as_u64().unwrap(),
                error["span"]["column"].as_u64().unwrap(),
            );
            (place, error["message"].as_str().unwrap().to_owned())
        })
        .collect::<Vec<_>>()
    };
    let unknown = errors("#[kernel]\nfn k(y: &mut [f32]) { y[0] = b; }");
    assert_eq!(unknown[0].0, (2, 30), "{unknown:?}");
    assert!(unknown[0].1.contains("cannot find value `b`"), "{unknown:?}");
    let cuda = errors("#[kernel]\nfn k(y: &mut [f32]) { y[threadIdx.x] = 1.0; }");
    assert!(cuda[0].1.contains("CUDA C++"), "{cuda:?}");
    assert_eq!(errors("#[kernel]\nfn k(y: &mut [f32]) { y[0 = 1.0; }")[0].0.0, 2);
    assert_eq!(errors("#[kernel(blok = 1)] fn k() {}").len(), 1);
}

#[test]
fn a_launch_counts_what_the_runtime_counts() -> warpwise::Result<()> {
    let simulator = Simulator::new().counters();
    let device = simulator.device();
    let x = device.upload(&(0..200).map(|i| i as f32).collect::<Vec<_>>())?;
    let mut y = device.zeros::<f32>(100)?;
    every_second::launch(&device, LaunchConfig::grid(4).block(32), &x, &mut y)?;
    let expected = simulator.take_counters()[0].total;

    let args = json!([buffer(200, "index"), buffer(100, "zeros")]);
    let launch = json!({"kernel": "k", "grid": [4, 1, 1], "block": [32, 1, 1], "args": args});
    let launched = &answer(EVERY_SECOND, &launch)["launch"];
    let head: Vec<f32> = launched["buffers"][1]["head"]
        .as_array()
        .unwrap()
        .iter()
        .map(|value| value.as_str().unwrap().parse().unwrap())
        .collect();
    assert_eq!(head, y.to_vec()?);
    let total = &launched["total"];
    assert_eq!(total["warp_instructions"], expected.warp_instructions);
    assert_eq!(total["thread_instructions"], expected.thread_instructions);
    assert_eq!(total["global"]["sectors"], expected.global().sectors);
    assert_eq!(total["global"]["ideal"], expected.global().ideal);
    assert_eq!(total["branches"], expected.branches);
    let load = &launched["accesses"][0];
    assert_eq!((&load["memory"], &load["space"]), (&json!("x"), &json!("global")));
    assert!(load["drawing"].as_str().unwrap().starts_with("<svg"));
    let line = launched["lines"].as_array().unwrap().iter().find(|line| line["line"] == 5).unwrap();
    assert_eq!(line["counts"]["global"], total["global"]);
    Ok(())
}

#[test]
fn faults_races_and_stops_are_described() {
    let fault = run(
        "#[kernel] fn k(x: &mut [f32]) { x[thread_idx_x()] = 1.0; }",
        8,
        &json!([buffer(5, "zeros")]),
    );
    let fault = &fault["fault"];
    assert!(
        fault["message"].as_str().unwrap().ends_with("the len is 5 but the index is 5"),
        "{fault}"
    );
    assert_eq!((&fault["thread"], &fault["count"]), (&json!([5, 0, 0]), &json!(3)));

    let source = "#[kernel(block = 64)]
        fn k(x: &mut [u32]) {
            let tile = shared!([u32; 64]);
            let t = thread_idx_x();
            tile[t] = x[t];
            x[t] = tile[(t + 1) % 64];
        }";
    let race = run(source, 64, &json!([buffer(64, "index")]));
    let finding = &race["findings"][0];
    let text = finding["text"].as_str().unwrap();
    assert!(text.contains("race") && text.contains("line 5"), "{race}");
    let wrong_block = run(source, 32, &json!([buffer(64, "index")]));
    assert_eq!(wrong_block["error"], "the kernel declares blocks of 64 x 1 x 1 threads");

    let endless = "#[kernel] fn k(x: &[AtomicU32]) { while x[0].load(Ordering::Relaxed) == 0 {} }";
    let stopped = run(endless, 32, &json!([buffer(1, "zeros")]));
    assert!(stopped["stopped"]["text"].is_string(), "{stopped}");
}

#[test]
fn refused_launches_have_a_reason() {
    let error =
        |source: &str, args: &Value| run(source, 1, args)["error"].as_str().unwrap().to_owned();
    let copy = "#[kernel(requires(y.len() <= x.len()))] fn k(n: u32, x: &[f32], y: &mut [f32]) {}";
    let x = buffer(1, "zeros");
    assert_eq!(error(copy, &json!([1])), "the kernel takes 3 arguments, and the launch has 1");
    assert_eq!(error(copy, &json!([x, x, x])), "`n` is a number");
    assert_eq!(error(copy, &json!([1, 1, x])), "`x` is a buffer");
    let short = error(copy, &json!([1, x, buffer(2, "zeros")]));
    assert!(short.starts_with("the kernel requires `y.len() <= x.len()`: "), "{short}");
    let large = error(copy, &json!([1, buffer(1 << 40, "zeros"), x]));
    assert_eq!(large, "the buffers of a launch have at most 64 MiB");
    let launch = json!({"kernel": "k", "grid": [1 << 20, 32, 1], "block": [1, 1, 1], "args": []});
    let many = &answer("#[kernel] fn k() {}", &launch)["launch"]["error"];
    assert_eq!(many, "a launch of the playground has at most 16777216 threads");
    let generic = error("#[kernel] fn k<T: Num>(x: &mut [T]) {}", &json!([x]));
    assert!(generic.starts_with("a generic kernel runs with `instances(..)`"), "{generic}");
}

#[test]
fn printed_text_and_constants_arrive() {
    let source = "#[kernel] fn k(n: i32, #[constant(max = 4)] c: &[f64], y: &mut [f64]) {
            println!(\"{n}\");
            y[0] = c[3];
        }";
    let launched = run(source, 1, &json!([-3, buffer(4, "index"), buffer(1, "ones")]));
    assert_eq!(launched["printed"], "-3\n", "{launched}");
    assert_eq!(launched["buffers"][1]["head"], json!(["3.0"]));
}
