//! Passes: rewrite the IR, never speak to the user. The order is the text.
use crate::ir::Kernel;

/// Makes `kernel` (specialized and verified) faster without changing a bit of what it computes.
pub fn optimize(kernel: Kernel) -> Kernel {
    kernel
}
