//! Arguments of `#[kernel(..)]`.

/// What `#[kernel(..)]` says.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// Whether `a * b + c` is rounded once.
    pub(crate) contract: bool,
    /// Whether integer overflow is a fault.
    pub(crate) overflow_checks: bool,
    /// Whether the grid may have more than 2^31 threads along an axis.
    pub(crate) wide_index: bool,
    /// Threads in a block along x, y and z: integers or names of constants.
    pub(crate) block: Option<[syn::Expr; 3]>,
    /// Constants that only rustc knows.
    pub(crate) open: Vec<syn::Path>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            contract: true,
            overflow_checks: false,
            wide_index: false,
            block: None,
            open: Vec::new(),
        }
    }
}
