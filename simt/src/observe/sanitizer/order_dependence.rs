//! Findings of launches whose results depend on the order of threads.
use super::finding::Location;
use std::fmt;

/// A launch with different results in different orders of its threads.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OrderDependence {
    /// The seed of the other order.
    pub seed: u64,
    /// The difference.
    pub difference: Difference,
    /// True if the kernel adds floats atomically, which rounds differently in each order.
    pub adds_floats: bool,
}

/// A difference between the results in two orders.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Difference {
    /// The end of the launch: in one order, threads fail a check or are stuck, and in the other
    /// they are not.
    End,
    /// Elements of a buffer.
    Elements {
        /// The first differing element.
        first: Location,
        /// Its values in the usual order and in the other, if it is a number.
        values: Option<[String; 2]>,
        /// The number of differing elements.
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
