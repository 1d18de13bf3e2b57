//! The counters of the interpreter, compared with measurements: every row of `tests/hardware` is an
//! access of a real kernel, whose addresses come from a buffer and whose mask is an `if`.
use warpwise_compiler::{
    compile::optimized,
    hardware::{Kind, LANES},
    ir::Kernel,
    verify::verify,
};
use warpwise_simt::{Arg, CountingProgram, Counts, Launch, Memory, Outcome, Requests};
use warpwise_tests::hardware::{Row, rows};

#[test]
fn shared_accesses_count_as_measured() {
    for (n, row) in rows("h200_shared_access.csv").iter().enumerate() {
        for form in forms(row) {
            let total = run(row, form, true);
            let found = match row.kind {
                Kind::Load => total.shared_loads,
                Kind::Store => total.shared_stores,
                Kind::Atomic => total.shared_atomics,
            };
            assert_eq!(found, total.shared(), "row {n}: nothing else is shared");
            assert_eq!((found.requests, found.wavefronts), (1, row.counted[0].into()), "row {n}");
            if let Some(&conflicts) = row.counted.get(1) {
                assert_eq!(found.conflicts(), conflicts.into(), "row {n}");
            }
        }
    }
}

#[test]
fn global_accesses_count_as_measured() {
    for (n, row) in rows("h200_global_access.csv").iter().enumerate() {
        for form in forms(row) {
            let total = run(row, form, false);
            let found = match row.kind {
                Kind::Load => total.global_loads,
                Kind::Store => total.global_stores,
                Kind::Atomic => total.global_reductions,
            };
            // The indices are loaded too: one sector for each 8 lanes of which some are active.
            let indices = (0..4).filter(|part| row.active >> (8 * part) & 0xff != 0).count() as u64;
            let (requests, sectors) = if row.kind == Kind::Load { (2, indices) } else { (1, 0) };
            let counted = (requests, u64::from(row.counted[0]) + sectors);
            assert_eq!((found.requests, found.sectors), counted, "row {n}");
        }
    }
}

/// Returns the numbers of neighbouring values that may form a lane's access.
fn forms(row: &Row) -> Vec<u32> {
    match row.bytes {
        8 => vec![1, 2],
        16 => vec![2, 4],
        _ => vec![1],
    }
}

/// Returns the kernel whose lanes each access `parts` neighbouring values at once.
fn kernel(kind: Kind, bytes: u32, parts: u32, is_shared: bool) -> Kernel {
    let scalar = match (kind, bytes / parts) {
        (_, 1) => "u8",
        (_, 2) => "u16",
        (_, 4) => "u32",
        (_, _) => "u64",
    };
    let elem = if parts == 1 { scalar.into() } else { format!("plain {bytes} align {bytes}") };
    let len = (48 << 10) / bytes;
    let access = if kind == Kind::Atomic { "atomic" } else { "write" };
    let (shared, space, base) = if is_shared {
        (format!("shared @0 = s: [{elem}; {len}]"), "shared", "shared @0")
    } else {
        (String::new(), "global", "param arg2")
    };
    let mut text = format!(
        "kernel access {{
           param arg0 = index: read [u32]
           param arg1 = mask: u32
           param arg2 = memory: {access} [{elem}]
           param arg3 = out: write [{scalar}]
           {shared}
           %0 = builtin lane_id : u32
           %1 = param arg1 : u32
           %2 = shr %1, %0 : u32
           %3 = const 1 : u32
           %4 = and %2, %3 : u32
           %5 = eq %4, %3 : bool
           %6 = {base} : ptr {space}
           %7 = const 1 : {scalar}
           %8 = if %5 {{
             %9 = param arg0 : ptr global
             %10 = index %9, %0, 4 : ptr global
             %11 = load %10 : u32
             %12 = index %6, %11, {bytes} : ptr {space}\n"
    );
    let mut next = 13;
    let mut say = |op: String| {
        text += &format!("%{next} = {op}\n");
        next += 1;
        next - 1
    };
    let mut loaded = Vec::new();
    for part in 0..parts {
        let at = say(format!("offset %12, {} : ptr {space}", part * bytes / parts));
        match kind {
            Kind::Load => loaded.push(say(format!("load %{at} : {scalar}"))),
            Kind::Store => drop(say(format!("store %{at}, %7"))),
            Kind::Atomic => drop(say(format!("atomic.add.relaxed.device %{at}, %7 : {scalar}"))),
        }
    }
    // The loaded values must be used.
    if let Some(first) = loaded.first().copied() {
        let mix = |sum, value: &i32| say(format!("xor %{sum}, %{value} : {scalar}"));
        let sum = loaded[1..].iter().fold(first, mix);
        let out = say("param arg3 : ptr global".into());
        say(format!("store %{out}, %{sum}"));
    }
    text += "} }";
    let kernel: Kernel = text.parse().unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    verify(&kernel).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    optimized(kernel).unwrap()
}

/// Runs the access of a row on one warp.
fn run(row: &Row, parts: u32, is_shared: bool) -> Counts {
    let kernel = kernel(row.kind, row.bytes, parts, is_shared);
    let index = |lane: usize| (row.addresses[lane] / u64::from(row.bytes)) as u32;
    let index: Vec<u8> = (0..LANES).flat_map(|lane| index(lane).to_le_bytes()).collect();
    let bytes = row.addresses.iter().max().unwrap() + 16;
    let memory = Memory::zeroed(bytes as usize);
    let (index, out) = (Memory::from_bytes(&index), Memory::zeroed(8));
    let args = [
        Arg::Slice { memory: &index, offset: 0, len: 32 },
        Arg::Scalar(row.active.into()),
        Arg::Slice { memory: &memory, offset: 0, len: bytes / u64::from(row.bytes) },
        Arg::Slice { memory: &out, offset: 0, len: 1 },
    ];
    let launch =
        Launch { grid: [1; 3], block: [32, 1, 1], args: &args, workers: None, steps: None };
    let (outcome, counters) = CountingProgram::new(&kernel, Requests::Vectors).run(&launch);
    assert_eq!(outcome, Outcome::default());
    counters.total()
}

/// Eight lanes are served at a time, each with 16 bytes.
#[test]
fn matrix_loads_count_the_conflicts_of_their_rows() {
    use warpwise::{Simulator, mma, prelude::*};

    #[kernel(block = 32)]
    fn load<const PITCH: usize>(out: &mut [u32]) {
        let tile = shared!([[f16; PITCH]; 16]);
        for row in 0..16 {
            if thread_idx_x() < PITCH {
                tile[row][thread_idx_x()] = f16::from_bits(row as u16);
            }
        }
        sync_threads();
        let left = mma::A::<f16, 16, 16>::load_matrix(tile.as_flattened(), 0, PITCH);
        out[warp::lane_id()] = left.words[3];
    }

    let count = |launch: &dyn Fn(&Device, &mut Buffer<u32>) -> warpwise::Result<()>| {
        let simulator = Simulator::new().counters();
        let device = simulator.device();
        let mut out = device.zeros::<u32>(32).unwrap();
        launch(&device, &mut out).unwrap();
        device.synchronize().unwrap();
        let loads = simulator.take_counters()[0].total.shared_loads;
        (loads.requests, loads.wavefronts)
    };
    let config = LaunchConfig::grid(1);
    let padded = count(&|device, out| load::<24>::launch(device, config, out));
    let conflicting = count(&|device, out| load::<64>::launch(device, config, out));
    assert_eq!((padded, conflicting), ((1, 4), (1, 32)));
}
