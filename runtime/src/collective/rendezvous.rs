//! Meetings of the ranks of one process: [`Seat`].
//!
//! A rank that calls a collective waits until all participating ranks have made their calls. Then
//! each of them gets the contributions of the others, or an error if the calls do not match. CPU
//! devices compute their results from the contributions. GPUs contribute no bytes: their ranks meet
//! because NCCL trusts them to make the same calls, and one GPU writes the memory of another.
//!
//! **No rank waits forever for another's call.** A rank is in a call, or outside of one, or gone:
//! its seat was dropped. [`end_decided_calls`](Table::end_decided_calls) ends the calls that wait
//! for a rank that is gone, and all calls if every rank is in one and none of them can end.
use super::{Call, CollectiveMistake, Transfer};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// The bytes that a rank contributes.
pub(super) type Part = Arc<Vec<u8>>;

/// The result of a call: the parts of all ranks, in order; of an exchange, the part received.
type Outcome = Result<Vec<Part>, CollectiveMistake>;

/// The place of one rank among those of its process. When it is dropped, the rank is gone for good.
pub(super) struct Seat {
    room: Arc<Room>,
    rank: usize,
}

struct Room {
    table: Mutex<Table>,
    changed: Condvar,
}

/// The state of each rank, and the rank that was gone first: the cause if others follow.
struct Table {
    states: Vec<State>,
    first_gone: Option<usize>,
}

enum State {
    /// The rank is in no call.
    Away,
    /// The rank waits for others.
    Waiting {
        call: Call,
        part: Part,
    },
    /// The rank's call has ended, and the rank has not seen it.
    Ended(Outcome),
    Gone,
}

impl Seat {
    /// Creates the seats of `size` ranks.
    pub(super) fn for_ranks(size: usize) -> Vec<Self> {
        let states = (0..size).map(|_| State::Away).collect();
        let table = Mutex::new(Table { states, first_gone: None });
        let room = Arc::new(Room { table, changed: Condvar::new() });
        (0..size).map(|rank| Self { room: Arc::clone(&room), rank }).collect()
    }

    /// Waits until the ranks that `call` needs make the same call, or its counterpart. Returns the
    /// parts of all ranks, in order; of an exchange, the part received.
    pub(super) fn meet(&self, call: Call, part: Vec<u8>) -> Outcome {
        let mut table = self.room.table();
        table.states[self.rank] = State::Waiting { call, part: Arc::new(part) };
        table.end_decided_calls();
        self.room.changed.notify_all();
        loop {
            match std::mem::replace(&mut table.states[self.rank], State::Away) {
                State::Ended(outcome) => return outcome,
                waiting => table.states[self.rank] = waiting,
            }
            table = self.room.changed.wait(table).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut table = self.room.table();
        table.states[self.rank] = State::Gone;
        table.first_gone.get_or_insert(self.rank);
        table.end_decided_calls();
        self.room.changed.notify_all();
    }
}

impl Room {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    /// Ends the calls whose outcome is decided.
    fn end_decided_calls(&mut self) {
        self.end_collective();
        for rank in 0..self.states.len() {
            self.end_exchange(rank);
        }
        // Last, because a call that ends otherwise is part of no deadlock.
        self.end_deadlock();
    }

    /// Returns the call in which a rank waits.
    fn call(&self, rank: usize) -> Option<Call> {
        match &self.states[rank] {
            State::Waiting { call, .. } => Some(*call),
            State::Away | State::Ended(_) | State::Gone => None,
        }
    }

    fn is_gone(&self, rank: usize) -> bool {
        matches!(self.states[rank], State::Gone)
    }

    fn part(&self, rank: usize) -> Part {
        match &self.states[rank] {
            State::Waiting { part, .. } => Arc::clone(part),
            State::Away | State::Ended(_) | State::Gone => Part::default(),
        }
    }

    /// Ends the calls of these ranks, each with what `outcome` returns for it.
    fn end(&mut self, ranks: &[usize], outcome: impl Fn(&Self, usize) -> Outcome) {
        let outcomes: Vec<_> = ranks.iter().map(|&rank| outcome(self, rank)).collect();
        for (&rank, outcome) in ranks.iter().zip(outcomes) {
            self.states[rank] = State::Ended(outcome);
        }
    }

    /// Ends collectives of all ranks once every rank is in one, or a rank is gone.
    fn end_collective(&mut self) {
        let all = 0..self.states.len();
        let is_in = |&rank: &usize| {
            self.call(rank).is_some_and(|call| !matches!(call, Call::Exchange { .. }))
        };
        let ranks: Vec<_> = all.clone().filter(is_in).collect();
        if let Some(gone) = self.first_gone {
            self.end(&ranks, |_, _| Err(CollectiveMistake::PeerGone { rank: gone }));
        } else if ranks.len() == self.states.len() {
            let outcome = match ranks.iter().find(|&&rank| self.call(rank) != self.call(0)) {
                Some(&other) => Err(self.mismatch(0, other)),
                None => Ok(all.map(|rank| self.part(rank)).collect()),
            };
            self.end(&ranks, |_, _| outcome.clone());
        }
    }

    /// Ends the exchange of a rank together with those of its peers, of their peers, and so on.
    /// They end at the same time, so that all of them begin their transfers on GPUs, or none.
    fn end_exchange(&mut self, rank: usize) {
        let mut connected = vec![rank];
        let mut next = 0;
        while let Some(&rank) = connected.get(next) {
            next += 1;
            let Some(Call::Exchange { send, receive }) = self.call(rank) else { return };
            for peer in [send, receive].into_iter().flatten().map(|transfer| transfer.peer) {
                if self.is_gone(peer) {
                    let peer_gone = CollectiveMistake::PeerGone { rank: peer };
                    return self.end(&connected, |_, _| Err(peer_gone.clone()));
                }
                if !self.are_counterparts(rank, peer) {
                    return;
                }
                if !connected.contains(&peer) {
                    connected.push(peer);
                }
            }
        }
        let differ = connected.iter().find_map(|&rank| {
            let (Some(to), _) = self.transfers(rank) else { return None };
            let (_, Some(from)) = self.transfers(to.peer) else { return None };
            (to.elements != from.elements).then_some((rank, to.peer))
        });
        match differ {
            Some((rank, peer)) => {
                let mismatch = self.mismatch(rank, peer);
                self.end(&connected, |_, _| Err(mismatch.clone()));
            }
            None => self.end(&connected, |table, rank| {
                let (_, receive) = table.transfers(rank);
                Ok(receive.iter().map(|from| table.part(from.peer)).collect())
            }),
        }
    }

    /// Returns the transfers of the exchange in which a rank waits.
    fn transfers(&self, rank: usize) -> (Option<Transfer>, Option<Transfer>) {
        match self.call(rank) {
            Some(Call::Exchange { send, receive }) => (send, receive),
            Some(
                Call::AllReduce { .. }
                | Call::AllGather { .. }
                | Call::ReduceScatter { .. }
                | Call::Broadcast { .. },
            )
            | None => (None, None),
        }
    }

    /// Returns true if what `rank` sends to `peer` is received, and the reverse.
    fn are_counterparts(&self, rank: usize, peer: usize) -> bool {
        let ((send, receive), (back, taken)) = (self.transfers(rank), self.transfers(peer));
        let names = |transfer: Option<Transfer>, rank| {
            transfer.is_some_and(|transfer| transfer.peer == rank)
        };
        (!names(send, peer) || names(taken, rank)) && (!names(receive, peer) || names(back, rank))
    }

    /// Ends all calls if every rank is in one, or gone: none of them can end otherwise.
    fn end_deadlock(&mut self) {
        let all = 0..self.states.len();
        let waiting: Vec<_> = all.filter(|&rank| self.call(rank).is_some()).collect();
        let is_any_running =
            self.states.iter().any(|state| matches!(state, State::Away | State::Ended(_)));
        let [first, ref others @ ..] = waiting[..] else { return };
        if is_any_running {
            return;
        }
        let other = others.iter().find(|&&rank| self.call(rank) != self.call(first));
        let mismatch = self.mismatch(first, other.copied().unwrap_or(first));
        self.end(&waiting, |_, _| Err(mismatch.clone()));
    }

    fn mismatch(&self, rank: usize, other: usize) -> CollectiveMistake {
        let call = |rank| self.call(rank).map(|call| call.to_string()).unwrap_or_default();
        CollectiveMistake::Mismatch { rank, call: call(rank), other, other_call: call(other) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collective::{Elements, ReduceOp, element::DataType};
    use std::{
        sync::atomic::{AtomicUsize, Ordering},
        thread,
    };

    const FOUR: Elements = Elements { ty: DataType::F32, len: 4 };
    const SUM: Call = Call::AllReduce { op: ReduceOp::Sum, elements: FOUR };

    fn exchange(send: Option<usize>, receive: Option<usize>) -> Call {
        let transfer = |peer| Transfer { peer, elements: FOUR };
        Call::Exchange { send: send.map(transfer), receive: receive.map(transfer) }
    }

    /// Lets each rank make one call in a thread of its own; the part of a rank is its number.
    fn meet_all(calls: &[Call]) -> Vec<Result<Vec<u8>, CollectiveMistake>> {
        let seats = Seat::for_ranks(calls.len());
        thread::scope(|scope| {
            let run = |(seat, &call): (Seat, &Call)| {
                let rank = seat.rank as u8;
                scope.spawn(move || {
                    let parts = seat.meet(call, vec![rank])?;
                    Ok(parts.iter().map(|part| part[0]).collect())
                })
            };
            let threads: Vec<_> = seats.into_iter().zip(calls).map(run).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        })
    }

    #[test]
    fn equal_calls_meet() {
        for size in 1..6 {
            let expected = Ok((0..size as u8).collect::<Vec<_>>());
            assert!(meet_all(&vec![SUM; size]).into_iter().all(|parts| parts == expected));
        }
    }

    #[test]
    fn transfers_go_to_their_receivers() {
        let outcomes = meet_all(&[
            exchange(Some(2), None),
            exchange(None, Some(3)),
            exchange(None, Some(0)),
            exchange(Some(1), None),
        ]);
        assert_eq!(outcomes, [Ok(vec![]), Ok(vec![3]), Ok(vec![0]), Ok(vec![])]);
        let ring: Vec<_> =
            (0..5).map(|rank| exchange(Some((rank + 1) % 5), Some((rank + 4) % 5))).collect();
        let expected = [4, 0, 1, 2, 3].map(|rank| Ok(vec![rank]));
        assert_eq!(meet_all(&ring), expected);
        let pair = [exchange(Some(1), Some(1)), exchange(Some(0), Some(0))];
        assert_eq!(meet_all(&pair), [Ok(vec![1]), Ok(vec![0])]);
    }

    #[test]
    fn different_calls_are_an_error_on_every_rank() {
        let shorter = Elements { len: 3, ..FOUR };
        let integers = Elements { ty: DataType::I32, ..FOUR };
        let from = |root| Call::Broadcast { root, elements: FOUR };
        for (call, other) in [
            (SUM, Call::AllReduce { op: ReduceOp::Sum, elements: shorter }),
            (SUM, Call::AllReduce { op: ReduceOp::Sum, elements: integers }),
            (SUM, Call::AllReduce { op: ReduceOp::Max, elements: FOUR }),
            (SUM, Call::AllGather { elements: FOUR }),
            (SUM, Call::ReduceScatter { op: ReduceOp::Sum, elements: FOUR }),
            (from(0), from(1)),
        ] {
            let outcomes = meet_all(&[call, call, other]);
            let expected = CollectiveMistake::Mismatch {
                rank: 0,
                call: call.to_string(),
                other: 2,
                other_call: other.to_string(),
            };
            assert_eq!(outcomes, vec![Err(expected); 3]);
        }
        let CollectiveMistake::Mismatch { call, other_call, .. } =
            meet_all(&[SUM, from(1)])[0].clone().unwrap_err()
        else {
            panic!()
        };
        assert_eq!(call, "`all_reduce` of 4 `f32` by Sum");
        assert_eq!(other_call, "`broadcast` of 4 `f32` from rank 1");
    }

    #[test]
    fn calls_that_wait_for_each_other_are_an_error() {
        for calls in [
            vec![SUM, exchange(None, Some(0))],
            vec![exchange(Some(1), None), exchange(Some(0), None)],
            vec![exchange(None, Some(1)), exchange(None, Some(0))],
            vec![exchange(Some(1), None), exchange(None, Some(2)), exchange(Some(0), None)],
        ] {
            let outcomes = meet_all(&calls);
            let is_mismatch = |outcome: &Result<_, _>| match outcome {
                Err(CollectiveMistake::Mismatch { rank, other, .. }) => rank != other,
                _ => false,
            };
            assert!(outcomes.iter().all(is_mismatch), "{calls:?}: {outcomes:?}");
        }
        let longer = Transfer { peer: 0, elements: Elements { len: 5, ..FOUR } };
        let receive = Call::Exchange { send: None, receive: Some(longer) };
        let outcomes = meet_all(&[exchange(Some(1), None), receive]);
        let text = outcomes[1].clone().unwrap_err().to_string();
        assert_eq!(
            text,
            "rank 0 calls `send` of 4 `f32` to rank 1, and rank 1 calls `receive` of 5 `f32` from rank 0"
        );
        assert_eq!(outcomes[0], outcomes[1]);
    }

    #[test]
    fn a_rank_that_is_gone_is_an_error_for_those_that_wait_for_it() {
        let mut seats = Seat::for_ranks(3);
        let (gone, second, first) = (seats.pop(), seats.pop().unwrap(), seats.pop().unwrap());
        thread::scope(|scope| {
            let waits = scope.spawn(|| first.meet(SUM, vec![]));
            let receives = scope.spawn(|| second.meet(exchange(None, Some(2)), vec![]));
            scope
                .spawn(move || {
                    let _gone = gone;
                    // Unwinds without the message of a panic.
                    std::panic::resume_unwind(Box::new(()))
                })
                .join()
                .unwrap_err();
            let expected = CollectiveMistake::PeerGone { rank: 2 };
            assert_eq!(waits.join().unwrap(), Err(expected.clone()));
            assert_eq!(receives.join().unwrap(), Err(expected));
        });
        // The others can still exchange elements.
        thread::scope(|scope| {
            let sends = scope.spawn(|| first.meet(exchange(Some(1), None), vec![7]));
            assert_eq!(second.meet(exchange(None, Some(0)), vec![]).unwrap(), [Part::new(vec![7])]);
            assert_eq!(sends.join().unwrap(), Ok(vec![]));
        });
    }

    #[test]
    fn meetings_follow_each_other() {
        let total = AtomicUsize::new(0);
        thread::scope(|scope| {
            for seat in Seat::for_ranks(4) {
                let total = &total;
                scope.spawn(move || {
                    for round in 0..500u32 {
                        let mine = round.wrapping_mul(seat.rank as u32 + 1).to_le_bytes();
                        let parts = seat.meet(SUM, mine.to_vec()).unwrap();
                        for (rank, part) in parts.iter().enumerate() {
                            assert_eq!(**part, (round.wrapping_mul(rank as u32 + 1)).to_le_bytes());
                        }
                        total.fetch_add(1, Ordering::Relaxed);
                        // A pair exchanges elements between the meetings of all.
                        let call = match seat.rank {
                            1 => exchange(Some(3), None),
                            3 => exchange(None, Some(1)),
                            _ => continue,
                        };
                        let parts = seat.meet(call, mine.to_vec()).unwrap();
                        assert!(parts.iter().all(|part| **part == (round * 2).to_le_bytes()));
                    }
                });
            }
        });
        assert_eq!(total.into_inner(), 4 * 500);
    }
}
