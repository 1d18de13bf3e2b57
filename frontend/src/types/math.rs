//! Mathematical functions, which are methods of floats that the library computes: `x.exp()`.
//!
//! A function is parsed when the first kernel code that calls it is lowered, with the functions
//! that it calls, and inlined like a device function. A kernel without calls pays nothing.
use crate::types::method::MethodPart;

/// A mathematical function, as its index in [`FUNCTIONS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Math(pub(crate) usize);

/// The names, with the argument types without the receiver.
pub(crate) const FUNCTIONS: [(&str, &[MethodPart]); 27] = [
    ("acos", &[]),
    ("acosh", &[]),
    ("asin", &[]),
    ("asinh", &[]),
    ("atan", &[]),
    ("atan2", &[MethodPart::This]),
    ("atanh", &[]),
    ("cbrt", &[]),
    ("cos", &[]),
    ("cosh", &[]),
    ("erf", &[]),
    ("erfc", &[]),
    ("exp", &[]),
    ("exp2", &[]),
    ("exp_m1", &[]),
    ("hypot", &[MethodPart::This]),
    ("ln", &[]),
    ("ln_1p", &[]),
    ("log", &[MethodPart::This]),
    ("log10", &[]),
    ("log2", &[]),
    ("powf", &[MethodPart::This]),
    ("sin", &[]),
    ("sin_cos", &[]),
    ("sinh", &[]),
    ("tan", &[]),
    ("tanh", &[]),
];

impl Math {
    /// Returns the function with this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        FUNCTIONS.iter().position(|(known, _)| *known == name).map(Self)
    }

    /// Returns the argument types without the receiver.
    pub(crate) fn params(self) -> &'static [MethodPart] {
        FUNCTIONS[self.0].1
    }

    /// Returns the number of results; several are a tuple.
    pub(crate) fn results(self) -> usize {
        if FUNCTIONS[self.0].0 == "sin_cos" { 2 } else { 1 }
    }

    /// Returns the result type.
    pub(crate) fn ret(self) -> MethodPart {
        if self.results() == 2 { MethodPart::Pair } else { MethodPart::This }
    }
}

/// Returns the name of the function of the module `math` that a path names.
pub(crate) fn function_in_path(path: &[String]) -> Option<&str> {
    let (name, modules) = path.split_last()?;
    let of_math = match modules {
        [math] => math == "math",
        [root, math] => root == "warpwise" && math == "math",
        _ => false,
    };
    (of_math && Math::named(name).is_some()).then_some(name.as_str())
}
