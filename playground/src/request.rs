//! Requests, read from JSON.
use serde_json::Value;

/// A request: a source text, and perhaps a launch.
pub(crate) struct Request {
    pub(crate) source: String,
    pub(crate) launch: Option<LaunchRequest>,
}

/// A launch of one kernel.
pub(crate) struct LaunchRequest {
    /// The name of the kernel.
    pub(crate) kernel: String,
    /// Blocks along x, y and z.
    pub(crate) grid: [u32; 3],
    /// Threads in a block along x, y and z.
    pub(crate) block: [u32; 3],
    /// One argument for each parameter.
    pub(crate) args: Vec<Argument>,
}

/// An argument.
pub(crate) enum Argument {
    /// A number.
    Scalar(f64),
    /// A buffer of so many elements.
    Buffer {
        /// The number of elements.
        len: u64,
        /// The initial contents.
        fill: Fill,
    },
}

/// The initial contents of a buffer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fill {
    /// The index of each element, or its remainder by a number.
    Index(Option<u64>),
    /// Numbers drawn from a fixed seed: floats from 0 to 1, integers from 0 to 255.
    Random,
    /// The same number everywhere.
    Constant(f64),
}

impl Request {
    /// Reads a request.
    ///
    /// # Errors
    /// The first part that does not have the described form.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let request: Value = serde_json::from_str(text)
            .map_err(|error| format!("the request is no JSON: {error}"))?;
        let source = request["source"].as_str().ok_or("the request has no `source`")?.to_owned();
        let launch = match &request["launch"] {
            Value::Null => None,
            launch => Some(LaunchRequest::parse(launch)?),
        };
        Ok(Self { source, launch })
    }
}

impl LaunchRequest {
    fn parse(launch: &Value) -> Result<Self, String> {
        let kernel = launch["kernel"].as_str().ok_or("the launch names no `kernel`")?.to_owned();
        let args = launch["args"].as_array().ok_or("the launch has no `args`")?;
        Ok(Self {
            kernel,
            grid: dims(launch, "grid")?,
            block: dims(launch, "block")?,
            args: args.iter().map(Argument::parse).collect::<Result<_, _>>()?,
        })
    }
}

fn dims(launch: &Value, name: &str) -> Result<[u32; 3], String> {
    let dim = |axis: usize| launch[name][axis].as_u64().and_then(|dim| u32::try_from(dim).ok());
    match [dim(0), dim(1), dim(2)] {
        [Some(x), Some(y), Some(z)] => Ok([x, y, z]),
        _ => Err(format!("`{name}` is three whole numbers")),
    }
}

impl Argument {
    fn parse(argument: &Value) -> Result<Self, String> {
        if let Some(number) = argument.as_f64() {
            return Ok(Self::Scalar(number));
        }
        let len = argument["len"].as_u64();
        let len = len.ok_or("an argument is a number, or has a `len` and a `fill`")?;
        let fill = &argument["fill"];
        let fill = match (fill.as_str(), fill.as_f64()) {
            (Some("zeros"), _) => Fill::Constant(0.0),
            (Some("ones"), _) => Fill::Constant(1.0),
            (Some("index"), _) => Fill::Index(None),
            (Some("random"), _) => Fill::Random,
            (Some(other), _) => {
                let divisor = other.strip_prefix("index % ").and_then(|text| text.parse().ok());
                let divisor = divisor.filter(|divisor| *divisor > 0);
                Fill::Index(Some(divisor.ok_or_else(|| format!("there is no fill `{other}`"))?))
            }
            (None, Some(number)) => Fill::Constant(number),
            (None, None) => return Err("a `fill` is a word or a number".to_owned()),
        };
        Ok(Self::Buffer { len, fill })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_in_requests_are_named() {
        let error = |text: &str| Request::parse(text).err().unwrap();
        assert!(error("{").starts_with("the request is no JSON"));
        assert_eq!(error("{}"), "the request has no `source`");
        let launch =
            |rest: &str| format!(r#"{{"source": "", "launch": {{"kernel": "k", {rest}}}}}"#);
        let sizes = r#""grid": [1, 1, 1], "block": [1, 1, 1]"#;
        assert_eq!(error(&launch(r#""grid": [1], "args": []"#)), "`grid` is three whole numbers");
        let args = |args: &str| launch(&format!(r#"{sizes}, "args": [{args}]"#));
        assert_eq!(error(&args(r#"{"len": 1, "fill": "x"}"#)), "there is no fill `x`");
        assert_eq!(
            error(&args(r#"{"len": 1, "fill": "index % 0"}"#)),
            "there is no fill `index % 0`"
        );
        assert_eq!(error(&args(r#"{"len": 1}"#)), "a `fill` is a word or a number");
        assert!(Request::parse(&args(r#"1, {"len": 2, "fill": "index % 3"}"#)).is_ok());
    }
}
