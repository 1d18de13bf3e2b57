//! The linter and the interpreter behind one function from JSON to JSON, which a web page calls.
//!
//! ```text
//! request   {"source": "..", "launch": {"kernel": "saxpy", "grid": [4, 1, 1], "block": [256, 1, 1],
//!            "args": [2.5, {"len": 1000, "fill": "index"}, {"len": 1000, "fill": "zeros"}]}}
//! response  {"errors": [..], "kernels": [..], "launch": {..}}
//! ```
//! `launch` is optional. A request compiles and lints the kernels of a source text, and runs one.
//! Lines and columns count from 1, in characters.
//!
//! `kernels` has, per kernel, its parameters, findings, verdicts, IR and PTX ([`compilation`]);
//! `launch` has the contents of buffers, the faults, the findings of the sanitizer, and the
//! counters and the worst memory requests of each line ([`launch`]).
//!
//! ```
//! use serde_json::{Value, json};
//!
//! let source = "use warpwise::prelude::*;
//!     #[kernel] fn fill(x: &mut [u32]) { x[global_idx_x()] = 7; }";
//! let args = json!([{"len": 4, "fill": "zeros"}]);
//! let launch = json!({"kernel": "fill", "grid": [1, 1, 1], "block": [4, 1, 1], "args": args});
//! let request = json!({"source": source, "launch": launch}).to_string();
//! let response: Value = serde_json::from_str(&warpwise_playground::answer(&request)).unwrap();
//! assert_eq!(response["launch"]["buffers"][0]["head"], json!(["7", "7", "7", "7"]));
//! ```
mod compilation;
mod launch;
mod request;
#[cfg(target_family = "wasm")]
mod wasm;

use compilation::CompiledKernel;
use request::Request;
use serde_json::{Value, json};
use warpwise_frontend::source;

/// Answers a request.
///
/// A request that is no JSON of the described form is answered with an error.
pub fn answer(request: &str) -> String {
    let response = Request::parse(request).map_or_else(
        |message| json!({"errors": [{"message": message}], "kernels": []}),
        |request| respond(&request),
    );
    response.to_string()
}

fn respond(request: &Request) -> Value {
    let kernels = match source::lower_source(&request.source) {
        Ok(kernels) => kernels,
        Err(errors) => {
            let errors: Vec<Value> = errors.iter().map(compilation::error_to_json).collect();
            return json!({"errors": errors, "kernels": []});
        }
    };
    let kernels: Vec<CompiledKernel> = kernels.into_iter().map(CompiledKernel::new).collect();
    let described: Vec<Value> = kernels.iter().map(CompiledKernel::to_json).collect();
    let launched = request.launch.as_ref().map(|launch| launch::run(&kernels, launch));
    json!({"errors": [], "kernels": described, "launch": launched})
}
