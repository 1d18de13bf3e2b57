//! Methods that are computed by library functions: `x.exp()`.
//!
//! A function is parsed when the first kernel code that calls it is emitted, with the functions
//! that it calls itself; it is then inlined as device functions are. A kernel that calls none pays
//! nothing.
use crate::types::method::Part;

/// A function of one float or of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Math(pub(crate) usize);

/// Their names, with the arguments that they take beside the receiver.
pub(crate) const FUNCTIONS: [(&str, &[Part]); 27] = [
    ("acos", &[]),
    ("acosh", &[]),
    ("asin", &[]),
    ("asinh", &[]),
    ("atan", &[]),
    ("atan2", &[Part::This]),
    ("atanh", &[]),
    ("cbrt", &[]),
    ("cos", &[]),
    ("cosh", &[]),
    ("erf", &[]),
    ("erfc", &[]),
    ("exp", &[]),
    ("exp2", &[]),
    ("exp_m1", &[]),
    ("hypot", &[Part::This]),
    ("ln", &[]),
    ("ln_1p", &[]),
    ("log", &[Part::This]),
    ("log10", &[]),
    ("log2", &[]),
    ("powf", &[Part::This]),
    ("sin", &[]),
    ("sin_cos", &[]),
    ("sinh", &[]),
    ("tan", &[]),
    ("tanh", &[]),
];

impl Math {
    /// The function with this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        FUNCTIONS.iter().position(|(known, _)| *known == name).map(Self)
    }

    /// Its arguments, but for the receiver.
    pub(crate) fn params(self) -> &'static [Part] {
        FUNCTIONS[self.0].1
    }

    /// How many numbers it yields: a tuple, if it is not one.
    pub(crate) fn results(self) -> usize {
        if FUNCTIONS[self.0].0 == "sin_cos" { 2 } else { 1 }
    }

    /// What it yields.
    pub(crate) fn ret(self) -> Part {
        if self.results() == 2 { Part::Pair } else { Part::This }
    }
}

/// The name of the function of the module `math` that these names lead to.
pub(crate) fn called(path: &[String]) -> Option<&str> {
    let (name, modules) = path.split_last()?;
    let of_math = match modules {
        [math] => math == "math",
        [root, math] => root == "warpwise" && math == "math",
        _ => false,
    };
    (of_math && Math::named(name).is_some()).then_some(name.as_str())
}
