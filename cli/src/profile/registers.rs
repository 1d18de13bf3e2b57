//! How many registers a thread of a kernel takes: as the command line says, or as `ptxas` does, where it is there.
use super::report::Registers;
use crate::{fault::Fault, pages, sass, tools};
use std::path::PathBuf;
use warpwise_compiler::{
    back, hardware::occupancy::MAX_THREAD_REGISTERS, ir, target::Target, verify::verify,
};

/// Who says it.
pub(crate) struct Sources {
    target: Target,
    ptxas: Option<PathBuf>,
    /// For kernels of this name, or for all.
    given: Vec<(Option<String>, u32)>,
}

impl Sources {
    /// What `--registers` says each time, and `ptxas` if it is here.
    pub(crate) fn of(given: &[String], target: Target) -> Result<Self, Fault> {
        let given = given.iter().map(|text| parse(text)).collect::<Result<_, _>>()?;
        Ok(Self { target, ptxas: tools::find("ptxas"), given })
    }

    /// Refuses what is given for a kernel that is none of `launched`.
    pub(crate) fn check(&self, launched: &[&str]) -> Result<(), Fault> {
        let given = self.given.iter().filter_map(|(of, number)| Some((of.as_deref()?, number)));
        for (of, number) in given {
            if !launched.contains(&of) {
                let near = pages::near(of, launched.iter().copied());
                let help = match &near[..] {
                    [] => format!("launched were `{}`", launched.join("`, `")),
                    near => format!("did you mean {}?", pages::listed(near)),
                };
                let fault = format!("`--registers {of}={number}`: no kernel `{of}` was launched");
                return Err(Fault::new(fault).help(help));
            }
        }
        Ok(())
    }

    /// Those of a kernel, whose optimized IR is `ir`; `None` if nobody knows.
    pub(crate) fn find(&self, kernel: &str, ir: Option<&str>) -> Option<Registers> {
        let given = |is_meant: &dyn Fn(&Option<String>) -> bool| {
            self.given.iter().rfind(|(of, _)| is_meant(of)).map(|(_, number)| *number)
        };
        let named = given(&|of| of.as_deref() == Some(kernel)).or_else(|| given(&Option::is_none));
        if let Some(number) = named {
            return Some(Registers { number, assembled: false });
        }
        let kernel: ir::Kernel = ir?.parse().ok()?;
        verify(&kernel).ok()?;
        let ptx = back::ptx::emit(&kernel, self.target).ok()?;
        let number = sass::registers(self.ptxas.as_deref()?, &ptx, self.target).ok()??;
        Some(Registers { number, assembled: true })
    }
}

/// `72` or `KERNEL=72`.
fn parse(text: &str) -> Result<(Option<String>, u32), Fault> {
    let (of, number) = match text.rsplit_once('=') {
        Some((of, number)) => (Some(of.trim().to_owned()), number.trim()),
        None => (None, text),
    };
    let number = number.parse().ok().filter(|number| (1..=MAX_THREAD_REGISTERS).contains(number));
    number.map(|number| (of, number)).ok_or_else(|| {
        Fault::new(format!("`--registers {text}` is no number of registers")).help(format!(
            "write `--registers 72`, or `--registers KERNEL=72`: 1 to {MAX_THREAD_REGISTERS}"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_are_given_for_all_kernels_or_for_one() {
        let given = ["40".to_owned(), "sum=72".to_owned()];
        let found = Sources::of(&given, Target::new(90)).unwrap();
        let number = |kernel| found.find(kernel, None).map(|registers| registers.number);
        assert_eq!((number("sum"), number("other")), (Some(72), Some(40)));
        for refused in ["many", "0", "256", "sum="] {
            assert!(
                parse(refused).unwrap_err().to_string().contains("--registers 72"),
                "{refused}"
            );
        }
    }
}
