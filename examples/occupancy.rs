//! How many blocks run on a multiprocessor at the same time, by what limits it: registers, shared
//! memory, and the size of a block. The numbers expected are worked out by hand from the limits
//! that NVIDIA documents; two are in its guide.
use warpwise::occupancy::{Block, Multiprocessor, Target, Unlaunchable};
use warpwise_examples::Table;

/// Blocks that run, and percent of the warps that could, to a tenth.
fn counted(sm: u32, block: Block) -> Result<[f64; 2], Unlaunchable> {
    let multiprocessor = Multiprocessor::of(Target::new(sm)).expect("its limits are known");
    let occupancy = multiprocessor.occupancy(&block)?;
    Ok([occupancy.blocks.into(), (1000.0 * occupancy.ratio()).round() / 10.0])
}

fn table(
    title: &'static str,
    rows: &[(u32, u32, u32, u64, [f64; 2])],
) -> Result<Table<2>, Unlaunchable> {
    let mut table = Table::new(title, ["blocks", "occupancy, %"]);
    for &(sm, threads, registers, kib, expected) in rows {
        let block = Block { threads, registers: Some(registers), shared: kib << 10, barriers: 1 };
        let what = format!("sm_{sm}: {threads} threads, {registers} registers, {kib} KiB");
        table.row(what, expected, counted(sm, block)?);
    }
    Ok(table)
}

/// Everything that this example prints.
pub(crate) fn tables() -> Result<String, Unlaunchable> {
    let registers = table(
        "By registers of a thread",
        &[
            (90, 256, 32, 0, [8.0, 100.0]),
            (90, 256, 40, 0, [6.0, 75.0]),
            (90, 256, 64, 0, [4.0, 50.0]),
            (90, 256, 72, 0, [3.0, 37.5]),
            (90, 256, 128, 0, [2.0, 25.0]),
            (90, 256, 255, 0, [1.0, 12.5]),
            // The CUDA C++ Best Practices Guide has these two.
            (70, 128, 37, 0, [12.0, 75.0]),
            (70, 320, 37, 0, [4.0, 62.5]),
        ],
    )?;
    let shared = table(
        "By shared memory of a block",
        &[
            (90, 256, 32, 0, [8.0, 100.0]),
            (90, 256, 32, 27, [8.0, 100.0]),
            (90, 256, 32, 28, [7.0, 87.5]),
            (90, 256, 32, 48, [4.0, 50.0]),
            (90, 256, 32, 113, [2.0, 25.0]),
            (90, 256, 32, 227, [1.0, 12.5]),
            (75, 256, 32, 32, [2.0, 50.0]),
        ],
    )?;
    let size = table(
        "By threads of a block",
        &[
            (90, 32, 32, 0, [32.0, 50.0]),
            (90, 64, 32, 0, [32.0, 100.0]),
            (90, 96, 32, 0, [21.0, 98.4]),
            (90, 256, 32, 0, [8.0, 100.0]),
            (90, 768, 32, 0, [2.0, 75.0]),
            (90, 1024, 32, 0, [2.0, 100.0]),
            (86, 768, 32, 0, [2.0, 100.0]),
            (86, 1024, 32, 0, [1.0, 66.7]),
        ],
    )?;
    Ok(format!("{registers}\n{shared}\n{size}"))
}

fn main() -> Result<(), Unlaunchable> {
    print!("{}", tables()?);
    Ok(())
}
