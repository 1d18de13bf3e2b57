//! Code that the suites across crates share.
//!
//! [`filetest`] runs tests that are files of IR text. [`random_ir`] generates kernels, [`oracle`]
//! defines their meaning, [`race_check`] finds their races, [`engines`] runs them on the engines of
//! this machine, and [`gpu`] runs many of them on a GPU, in [`worker`]s; [`reduce`] makes a failing
//! kernel small. [`accuracy`] lists the functions of `math`, and [`exact`] computes them to more
//! digits. [`hardware`] reads measurements, and [`workspace`] the sources.
pub mod accuracy;
pub mod engines;
pub mod exact;
pub mod explain_check;
pub mod filetest;
pub mod gpu;
pub mod hardware;
pub mod oracle;
pub mod race_check;
pub mod random_ir;
pub mod random_rust;
pub mod reduce;
pub mod reference;
pub mod trace_check;
pub mod worker;
pub mod workspace;
