//! Back ends: verified IR in, artifact out.
pub mod ptx;
