//! Calls of collectives, as all ranks have to make them: [`Call`].
use super::element::{DataType, ReduceOp};
use std::fmt;

/// A call of a rank. Calls of a collective belong together if they are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    AllReduce {
        op: ReduceOp,
        elements: Elements,
    },
    /// The elements of one rank.
    AllGather {
        elements: Elements,
    },
    /// The elements that one rank gets.
    ReduceScatter {
        op: ReduceOp,
        elements: Elements,
    },
    Broadcast {
        root: usize,
        elements: Elements,
    },
    /// One or both of a transfer to a rank and one from a rank.
    Exchange {
        send: Option<Transfer>,
        receive: Option<Transfer>,
    },
}

/// The elements of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Elements {
    pub(crate) ty: DataType,
    pub(crate) len: usize,
}

/// The elements that a rank sends to another one, or receives from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Transfer {
    pub(crate) peer: usize,
    pub(crate) elements: Elements,
}

impl Call {
    /// Returns the name of the communicator's function.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::AllReduce { .. } => "all_reduce",
            Self::AllGather { .. } => "all_gather",
            Self::ReduceScatter { .. } => "reduce_scatter",
            Self::Broadcast { .. } => "broadcast",
            Self::Exchange { receive: None, .. } => "send",
            Self::Exchange { send: None, .. } => "receive",
            Self::Exchange { .. } => "exchange",
        }
    }

    /// Returns the number of elements that the rank sends or contributes, if there are any, or that
    /// it receives.
    #[cfg(feature = "nccl")]
    pub(crate) fn elements(&self) -> Elements {
        match *self {
            Self::AllReduce { elements, .. }
            | Self::AllGather { elements }
            | Self::ReduceScatter { elements, .. }
            | Self::Broadcast { elements, .. } => elements,
            Self::Exchange { send, receive } => send
                .or(receive)
                .map_or(Elements { ty: DataType::U8, len: 0 }, |transfer| transfer.elements),
        }
    }
}

/// `` `all_reduce` of 4 `f32` by Sum ``
impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` of ", self.name())?;
        match self {
            Self::AllReduce { op, elements } | Self::ReduceScatter { op, elements } => {
                write!(f, "{elements} by {op:?}")
            }
            Self::AllGather { elements } => write!(f, "{elements}"),
            Self::Broadcast { root, elements } => write!(f, "{elements} from rank {root}"),
            Self::Exchange { send, receive } => {
                if let Some(Transfer { peer, elements }) = send {
                    write!(f, "{elements} to rank {peer}")?;
                }
                if send.is_some() && receive.is_some() {
                    f.write_str(" for ")?;
                }
                if let Some(Transfer { peer, elements }) = receive {
                    write!(f, "{elements} from rank {peer}")?;
                }
                Ok(())
            }
        }
    }
}

/// 4 `f32`
impl fmt::Display for Elements {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}`", self.len, self.ty)
    }
}
