//! The set of checks that a launch requests.
use std::{fmt, ops::BitOr, str::FromStr};

/// A set of checks; sets are combined with `|`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Checks(u8);

/// The name of each check.
const NAMES: [(Checks, &str); 8] = [
    (Checks::RACE, "race"),
    (Checks::MEMORY, "memory"),
    (Checks::INIT, "init"),
    (Checks::SYNC, "sync"),
    (Checks::ORDER, "order"),
    (Checks::UNUSED, "unused"),
    (Checks::STRICT, "strict"),
    (Checks::DENY, "deny"),
];

impl Checks {
    /// Unordered accesses of different threads, in shared and global memory, and asynchronous
    /// copies that are not waited for.
    pub const RACE: Self = Self(1);
    /// Accesses out of bounds, with the buffer that they miss.
    pub const MEMORY: Self = Self(2);
    /// Reads of shared memory that no thread has written.
    pub const INIT: Self = Self(4);
    /// Barriers and masks.
    pub const SYNC: Self = Self(8);
    /// All checks that a kernel should pass in a single run; the ones below are not included.
    pub const ALL: Self = Self(15);
    /// Results that depend on the order of threads. Each launch runs in five orders, one after the
    /// other, before its own run.
    pub const ORDER: Self = Self(16);
    /// Elements that no thread uses: of shared arrays, and of buffers that the kernel writes.
    pub const UNUSED: Self = Self(32);
    /// [`RACE`](Self::RACE), with races of equal writes reported as errors, too.
    pub const STRICT: Self = Self(64 | Self::RACE.0);
    /// Makes warnings fail a launch as errors do. It checks nothing by itself.
    pub const DENY: Self = Self(128);

    /// Returns true if all checks of `other` are in the set.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl BitOr for Checks {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Parses `race`, or several names with commas between; `all` for all. `deny` by itself is
/// `all,deny`.
impl FromStr for Checks {
    type Err = UnknownCheck;
    fn from_str(text: &str) -> Result<Self, UnknownCheck> {
        let asked = text.split(',').map(str::trim).try_fold(Self(0), |all, name| {
            let known = NAMES.iter().find(|(_, known)| *known == name).map(|(check, _)| *check);
            let check = known.or((name == "all").then_some(Self::ALL));
            check.map(|check| all | check).ok_or_else(|| UnknownCheck { name: name.into() })
        })?;
        Ok(if asked == Self::DENY { Self::ALL | Self::DENY } else { asked })
    }
}

impl fmt::Display for Checks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = NAMES.iter().filter(|(check, _)| self.contains(*check)).map(|(_, name)| *name);
        f.write_str(&names.collect::<Vec<_>>().join(","))
    }
}

impl fmt::Debug for Checks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Checks({self})")
    }
}

/// The error of parsing an unknown check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownCheck {
    /// The unknown name.
    pub name: String,
}

impl fmt::Display for UnknownCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is no check: there are `all`, `race`, `memory`, `init`, `sync`, `order`, `unused`, `strict` and `deny`",
            self.name
        )
    }
}

impl std::error::Error for UnknownCheck {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_checks() {
        assert_eq!("race".parse(), Ok(Checks::RACE));
        assert_eq!("init, race".parse(), Ok(Checks::RACE | Checks::INIT));
        assert_eq!("all".parse(), Ok(Checks::ALL));
        assert_eq!((Checks::SYNC | Checks::MEMORY).to_string(), "memory,sync");
        assert_eq!("strict".parse(), Ok(Checks::STRICT | Checks::RACE));
        assert_eq!("race,deny".parse(), Ok(Checks::RACE | Checks::DENY));
        assert_eq!("deny".parse(), Ok(Checks::ALL | Checks::DENY));
        assert!(!Checks::ALL.contains(Checks::DENY));
        assert!(!Checks::ALL.contains(Checks::STRICT) && !Checks::ALL.contains(Checks::UNUSED));
        assert!(Checks::ALL.contains(Checks::RACE | Checks::SYNC));
        assert!(!Checks::RACE.contains(Checks::RACE | Checks::SYNC));
        for bad in ["", "races", "race,", "ALL"] {
            assert!(bad.parse::<Checks>().is_err(), "{bad}");
        }
    }
}
