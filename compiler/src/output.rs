//! The output of printing threads on a GPU.
//!
//! After its [`FaultRecord`](crate::fault::FaultRecord), the launcher passes a printing kernel the
//! address of a buffer in device memory: [`HEADER_BYTES`] bytes that start as zeros, then room for
//! [`CAPACITY_BYTES`] bytes of *records*. A printing thread claims bytes by adding their number to
//! [the first word](USED_OFFSET) of the header. If they are inside the room, it writes its record
//! there; otherwise it counts itself in [the second](LOST_OFFSET), and writes [`END_MARKER`] at the
//! start of its record, if that is inside. Records are words of 64 bits: the message, the launch
//! (the address of its fault record), the thread's number in the launch, then the values. Either
//! way it sets the [flag](crate::fault::FaultRecord::flag) of the launch, so the host looks at the
//! buffer only if the flag is set.
//!
//! Threads print in no order, and launches share the buffer, so the host [sorts](decode) the
//! records by launch, then by thread. A launch therefore prints the same on every engine, as long
//! as there is room.
use crate::{
    id::Id,
    ir::{Kernel, MessageId, Op},
};

/// Size of the header in bytes.
pub const HEADER_BYTES: usize = 16;
/// Capacity for records in bytes.
pub const CAPACITY_BYTES: usize = 1 << 20;
/// Offset in the header of the number of claimed bytes.
pub const USED_OFFSET: usize = 0;
/// Offset in the header of the number of records without room.
pub const LOST_OFFSET: usize = 8;
/// The first word of a record that does not fit.
pub const END_MARKER: u64 = u64::MAX;
/// Words of a record before its values.
pub const FIXED_WORDS: usize = 3;

/// Returns the bytes of a record with this many values.
pub const fn record_bytes(values: usize) -> usize {
    (FIXED_WORDS + values) * size_of::<u64>()
}

/// One message that a thread printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// The message.
    pub message: MessageId,
    /// Bits of the message's values, zero-extended.
    pub values: Vec<u64>,
}

/// A record of a printed message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The launch.
    pub launch: u64,
    /// The thread's number in the launch.
    pub thread: u64,
    /// The printed message.
    pub printed: Printed,
}

/// The decoded contents of a buffer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// The records by launch, then by thread, then in the order of printing.
    pub records: Vec<Record>,
    /// The number of lost records.
    pub lost: u64,
}

/// Decodes a buffer, header included. `values` returns the number of values of a launch's message,
/// and `None` for an invalid one, at which decoding ends.
pub fn decode(buffer: &[u8], values: impl Fn(u64, MessageId) -> Option<usize>) -> Output {
    let word = |at: usize| {
        let bytes = buffer.get(at..)?.first_chunk()?;
        Some(u64::from_le_bytes(*bytes))
    };
    let used = word(USED_OFFSET).unwrap_or(0).min(CAPACITY_BYTES as u64) as usize;
    let record = |at: usize| {
        let at = HEADER_BYTES + at;
        let (message, launch, thread) = (word(at)?, word(at + 8)?, word(at + 16)?);
        let message = u32::try_from(message).ok().map(|number| MessageId::new(number as usize))?;
        let values: Option<Vec<u64>> =
            (0..values(launch, message)?).map(|value| word(at + record_bytes(value))).collect();
        Some(Record { launch, thread, printed: Printed { message, values: values? } })
    };
    let mut records = Vec::new();
    let mut at = 0;
    while at < used
        && let Some(record) = record(at)
    {
        at += record_bytes(record.printed.values.len());
        records.push(record);
    }
    records.sort_by_key(|record| (record.launch, record.thread));
    Output { records, lost: word(LOST_OFFSET).unwrap_or(0) }
}

impl Kernel {
    /// Returns true if it has an instruction that prints.
    pub fn prints(&self) -> bool {
        self.insts.iter().any(|(_, inst)| matches!(inst.op, Op::Print { .. }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(words: &[u64]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn records_are_sorted_by_launch_and_thread() {
        let words = [
            112, 5, /**/ 1, 20, 7, 42, /**/ 0, 10, 9, /**/ 1, 10, 3, 41,
            /**/ 0, 10, 3,
        ];
        let output = decode(&buffer(&words), |_, message| Some(message.index()));
        let said: Vec<_> =
            output.records.iter().map(|r| (r.launch, r.thread, &*r.printed.values)).collect();
        assert_eq!(said, [(10, 3, &[41][..]), (10, 3, &[]), (10, 9, &[]), (20, 7, &[42])]);
        assert_eq!(output.lost, 5);
    }

    #[test]
    fn nothing_is_read_behind_the_end() {
        let words = [u64::MAX, 2, /**/ 0, 1, 1, /**/ END_MARKER, 1, 1];
        assert_eq!(decode(&buffer(&words), |_, _| Some(0)).records.len(), 1);
        assert_eq!(decode(&[], |_, _| Some(0)), Output::default());
        let cut = [48, 0, /**/ 0, 1, 1, /**/ 0, 1];
        assert_eq!(decode(&buffer(&cut), |_, _| Some(0)).records.len(), 1);
    }
}
