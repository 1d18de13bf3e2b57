//! Whether what a launch leaves behind depends on the order in which its threads run.
use super::finding::Location;
use std::fmt;

/// A launch that leaves something else behind if its threads run in another order.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OrderDependence {
    /// What the other order is drawn from.
    pub seed: u64,
    /// What differs.
    pub difference: Difference,
    /// Whether the kernel adds up floats atomically, which rounds otherwise in each order.
    pub adds_floats: bool,
}

/// What differs between two orders.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Difference {
    /// How the launch ends: in one of them threads fail a check, or cannot go on, and not in the other.
    End,
    /// Elements of a buffer.
    Elements {
        /// The first of them.
        first: Location,
        /// What it is in the usual order and in the other, if it is a number.
        values: Option<[String; 2]>,
        /// How many.
        count: u64,
    },
}

impl fmt::Display for OrderDependence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seed, difference, adds_floats } = self;
        match difference {
            Difference::End => write!(
                f,
                "whether threads fail depends on the order in which they run: otherwise with seed {seed}"
            )?,
            Difference::Elements { first, values, count } => {
                write!(f, "what is left in `{}` depends on the order of threads: ", first.buffer)?;
                match values {
                    Some([usual, other]) => {
                        write!(
                            f,
                            "{first} is {usual} in the usual order and {other} with seed {seed}"
                        )?;
                    }
                    None => write!(f, "{first} differs with seed {seed}")?,
                }
                if *count > 1 {
                    write!(f, ", and {} elements more differ", count - 1)?;
                }
            }
        }
        if *adds_floats {
            f.write_str("; floats that are added atomically are rounded otherwise in each order")?;
        }
        write!(f, "; `Simulator::schedule({seed})` runs that order again")
    }
}
