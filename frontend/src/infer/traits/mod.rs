//! Traits: the `impl` that a use refers to, and the obligations that it brings.
pub(crate) mod associated_type;
pub(crate) mod bounds;
pub(crate) mod member;
pub(crate) mod obligation;
mod ordering;
mod trait_call;
