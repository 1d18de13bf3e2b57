//! Words of neighbouring lanes, in memory or among the registers, for operations that take them where they are.
use super::{
    InMemory,
    walk::{Form, Walk},
};
use crate::{memory::Cells, registers::Reg};

/// The words that lanes go to in each of some rounds, all of them inside and aligned.
#[derive(Clone, Copy)]
pub(crate) struct Words<'a> {
    cells: Cells<'a>,
    at: i64,
    step: i64,
    walk: &'a Walk,
    rounds: u64,
}

/// Where lanes are.
#[derive(Clone, Copy)]
pub(crate) enum At<'a> {
    Register(Reg),
    Memory(Words<'a>),
}

/// An operation on lanes, some of which are in memory.
#[derive(Clone, Copy)]
pub(crate) struct MapWords<'a> {
    f: InMemory,
    places: [At<'a>; 4],
    lanes: usize,
    /// How many lie next to each other in all places.
    row: usize,
}

/// How far apart rounds access memory where hosts do not foresee it by themselves.
const PAGE: u64 = 4096;

/// How many rounds before it is needed memory is fetched.
const AHEAD: i64 = 4;

impl<'a> Words<'a> {
    /// Those of all lanes of a walk that begins at a byte, and in each round so many bytes further on. `None` if one of them
    /// is outside, or lanes do not lie in rows.
    pub(crate) fn new(
        (cells, at): (Cells<'a>, i64),
        step: i64,
        walk: &'a Walk,
        rounds: u64,
    ) -> Option<Self> {
        let Form::Rows { .. } = walk.form() else { return None };
        let lanes = (0, walk.offsets().len());
        let far = i64::try_from(rounds.checked_sub(1)?).ok()?.checked_mul(step)?;
        let last = at.checked_add(far)?;
        // Those between the first and the last round are between their words, and as aligned, as rounds are whole words apart.
        let inside = step % walk.word() as i64 == 0
            && walk.is_inside(cells, at, lanes)
            && walk.is_inside(cells, last, lanes);
        inside.then_some(Self { cells, at, step, walk, rounds })
    }

    /// How many lanes lie next to each other.
    fn row(&self) -> usize {
        match self.walk.form() {
            Form::Rows { lanes } => lanes,
            Form::Same { .. } | Form::Each => 1,
        }
    }

    /// Whether an operation may load a lane of these after it has stored another to `other`: each round's are the same, lane
    /// for lane, or none of one round is of another's.
    fn goes_with(&self, other: &Self) -> bool {
        let same = self.cells.first().addr().wrapping_add_signed(self.at as isize)
            == other.cells.first().addr().wrapping_add_signed(other.at as isize)
            && self.step == other.step
            && std::ptr::eq(self.walk, other.walk);
        let (mine, theirs) = (self.extent(), other.extent());
        same || mine.1 <= theirs.0 || theirs.1 <= mine.0
    }

    /// Between which addresses the words of all rounds are.
    fn extent(&self) -> (usize, usize) {
        let last = self.at + self.step * (self.rounds as i64 - 1);
        let reach = self.walk.reach();
        let first = self.cells.first().addr();
        let [from, to] = [self.at.min(last) + reach.min, self.at.max(last) + reach.max];
        (first + from as usize, first + to as usize + self.walk.word())
    }

    /// Where the walk begins in a round.
    #[inline(always)]
    fn start(&self, round: u64) -> *mut u8 {
        assert!(round < self.rounds);
        let at = self.at.wrapping_add(self.step.wrapping_mul(round as i64));
        self.cells.first().wrapping_add(at as usize).cast_mut()
    }

    /// Fetches what is accessed some rounds later, if rounds are far apart.
    #[inline(always)]
    fn foresee(&self, round: u64) {
        foresee((self.cells, self.at), self.step, self.walk, round);
    }
}

impl<'a> MapWords<'a> {
    /// `d = f(a, b, c)`, of `[d, a, b, c]`, in so many lanes. `None` if lanes do not lie next to each other alike, or the words
    /// of one are the result of another.
    pub(crate) fn new(f: InMemory, places: [At<'a>; 4], lanes: usize) -> Option<Self> {
        let words = || {
            places.iter().filter_map(|place| match place {
                At::Memory(words) => Some(words),
                At::Register(_) => None,
            })
        };
        let row = words().map(Words::row).min()?;
        let fits = |words: &Words<'_>| {
            words.row().is_multiple_of(row) && words.walk.offsets().len() == lanes
        };
        let apart = match &places[0] {
            At::Memory(to) => words().all(|words| words.goes_with(to)),
            At::Register(_) => true,
        };
        (apart && words().all(fits)).then_some(Self { f, places, lanes, row })
    }

    /// Computes all lanes in a round, where `register` says where a lane of a register is.
    ///
    /// # Safety
    /// There are the lanes of the registers, of the types that `f` is for, and so are the words.
    #[inline(always)]
    pub(crate) unsafe fn call(&self, round: u64, mut register: impl FnMut(Reg, usize) -> *mut u8) {
        let mut start = |place: usize| match &self.places[place] {
            At::Register(reg) => (register(*reg, 0), Err(reg.size())),
            At::Memory(words) => (words.start(round), Ok(words.walk.offsets())),
        };
        let [d, a, b, c] = [start(0), start(1), start(2), start(3)];
        let mut lane = 0;
        while lane < self.lanes {
            let n = self.row.min(self.lanes - lane);
            let at = [of_lane(d, lane), of_lane(a, lane), of_lane(b, lane), of_lane(c, lane)];
            // SAFETY: the lanes of words are inside, and next to each other in rows; the caller's.
            unsafe { self.f.call(at, n) };
            lane += n;
        }
        for place in &self.places[1..] {
            if let At::Memory(words) = place {
                words.foresee(round);
            }
        }
    }
}

/// Where a lane is, by where the first is and what each has of its own, or its size.
#[inline(always)]
fn of_lane((start, lanes): (*mut u8, Result<&[i64], usize>), lane: usize) -> *mut u8 {
    match lanes {
        Ok(offsets) => start.wrapping_add(offsets[lane] as usize),
        Err(size) => start.wrapping_add(lane * size),
    }
}

/// Fetches what is accessed some rounds later, if rounds are far apart.
#[inline(always)]
pub(crate) fn foresee((cells, at): (Cells<'_>, i64), step: i64, walk: &Walk, round: u64) {
    let later = at.wrapping_add(step.wrapping_mul((round as i64).wrapping_add(AHEAD)));
    if step.unsigned_abs() >= PAGE
        && let Some(bytes) = walk.bytes(later)
    {
        cells.fetch(bytes);
    }
}
