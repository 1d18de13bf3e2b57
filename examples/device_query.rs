//! The properties of every GPU and of the interpreter, as CUDA's sample `deviceQuery` prints them.
//! Then all of them run the same kernel at the same time, each in the blocks that suit it.
use std::fmt::Display;
use warpwise::{prelude::*, properties::Textures};
use warpwise_examples::verify;

#[kernel]
fn write_indices(indices: &mut [u32]) {
    for i in (global_idx_x()..indices.len()).step_by(block_dim_x() * grid_dim_x()) {
        indices[i] = i as u32;
    }
}

fn line(name: &str, value: impl Display) {
    println!("  {:<50} {value}", format!("{name}:"));
}

/// Prints a property, unless the device has no such thing.
fn known(name: &str, value: Option<impl Display>, unit: &str) {
    if let Some(value) = value {
        line(name, format!("{value} {unit}").trim_end());
    }
}

fn yes_or_no(name: &str, has: bool) {
    line(name, if has { "yes" } else { "no" });
}

/// `1024 x 1024 x 64`
fn extents(numbers: &[u32]) -> String {
    let numbers: Vec<_> = numbers.iter().map(ToString::to_string).collect();
    numbers.join(" x ")
}

fn megahertz(khz: u32) -> f64 {
    f64::from(khz) / 1e3
}

fn print_properties(device: &Device) -> warpwise::Result<()> {
    let info = device.info();
    println!("{device}");
    known("UUID", info.uuid, "");
    known("PCI domain:bus:device", info.pci, "");
    let cuda = info.cuda.map(|cuda| format!("{}.{}", cuda / 1000, cuda % 1000 / 10));
    known("CUDA version of the driver", cuda, "");
    let capability = info.sm.map(|sm| format!("{}.{}", sm / 10, sm % 10));
    known("Compute capability", capability, "");
    line("Multiprocessors", info.multiprocessors);
    known("CUDA cores per multiprocessor", info.cores_per_multiprocessor, "");
    known("GPU max clock rate", info.clock_khz.map(megahertz), "MHz");
    known("Copies at the same time as kernels", info.copy_engines, "");
    known("Compute mode", info.compute_mode, "");

    let system = &info.memory_system;
    known("Global memory", info.memory, "bytes");
    if let Some(memory) = device.memory_info()? {
        assert!(memory.free <= memory.total, "no more is free than there is");
        line("Free global memory", format_args!("{} bytes", memory.free));
    }
    known("Memory clock rate", system.clock_khz.map(megahertz), "MHz");
    known("Memory bus width", system.bus_bits, "bits");
    known("L2 cache", system.l2_bytes, "bytes");
    known("Constant memory", system.constant_bytes, "bytes");
    known("Shared memory per block, by default", system.default_shared_bytes_per_block, "bytes");
    line("Shared memory per block", format_args!("{} bytes", info.shared_memory_per_block));
    known("Shared memory that the system takes", system.reserved_shared_bytes_per_block, "bytes");
    known("Shared memory per multiprocessor", system.shared_bytes_per_multiprocessor, "bytes");
    known("Maximum pitch of copies", system.max_pitch, "bytes");
    known("ECC", system.ecc, "");

    let limits = &info.limits;
    line("Warp size", limits.warp_size);
    line("Threads per block", limits.threads_per_block);
    line("Dimensions of a block", extents(&limits.block));
    line("Dimensions of a grid", extents(&limits.grid));
    known("Threads per multiprocessor", limits.threads_per_multiprocessor, "");
    known("Blocks per multiprocessor", limits.blocks_per_multiprocessor, "");
    known("Registers per block", limits.registers_per_block, "");
    known("Registers per multiprocessor", limits.registers_per_multiprocessor, "");
    info.textures.iter().for_each(print_textures);

    let features = &info.features;
    yes_or_no("Concurrent kernels", features.concurrent_kernels);
    yes_or_no("Memory shared with the host", features.integrated);
    yes_or_no("Mapped page-locked host memory", features.host_memory_mapping);
    yes_or_no("Unified addressing", features.unified_addressing);
    yes_or_no("Managed memory", features.managed_memory);
    yes_or_no("Compute preemption", features.compute_preemption);
    yes_or_no("Cooperative launch", features.cooperative_launch);
    yes_or_no("Cooperative launch on several devices", features.multi_device_cooperative_launch);
    yes_or_no("Memory pools", features.memory_pools);
    yes_or_no("Run time limit on kernels", features.run_time_limit);
    yes_or_no("TCC driver", features.tcc);
    Ok(())
}

fn print_textures(textures: &Textures) {
    line("Texture of 1 dimension", textures.width_1d);
    line("Texture of 2 dimensions", extents(&textures.size_2d));
    line("Texture of 3 dimensions", extents(&textures.size_3d));
    let [width, layers] = textures.layered_1d;
    line("Layered texture of 1 dimension", format_args!("{width}, {layers} layers"));
    let [width, height, layers] = textures.layered_2d;
    line("Layered texture of 2 dimensions", format_args!("{width} x {height}, {layers} layers"));
    line("Texture alignment", format_args!("{} bytes", textures.alignment));
    line("Texture pitch alignment", format_args!("{} bytes", textures.pitch_alignment));
    line("Surface alignment", format_args!("{} bytes", textures.surface_alignment));
}

/// Runs the kernel on a device and verifies what it wrote.
fn run(device: &Device) -> warpwise::Result<()> {
    let suggested = write_indices::suggest_block(device, 0)?;
    let config = LaunchConfig::grid(suggested.blocks).block(suggested.block);
    let n = 100_000u32;
    let mut indices = device.zeros(n as usize)?;
    write_indices::launch(device, config, &mut indices)?;
    verify(&indices.to_vec()?, 0..n);
    let (threads, _, _) = suggested.block;
    println!("{device}: {} blocks of {threads} threads, result verified", suggested.blocks);
    Ok(())
}

fn main() -> warpwise::Result<()> {
    println!("{} GPUs", Device::count()?);
    let mut devices = Device::all()?;
    for device in &devices {
        for peer in devices.iter().filter(|peer| peer.ordinal() != device.ordinal()) {
            let can = if device.can_access_peer(peer)? { "can" } else { "cannot" };
            println!("{device} {can} access the memory of {peer}");
        }
    }
    devices.push(Device::cpu());
    devices.iter().try_for_each(print_properties)?;
    std::thread::scope(|scope| {
        let threads = devices.iter().map(|device| scope.spawn(|| run(device)));
        let threads: Vec<_> = threads.collect();
        threads.into_iter().try_for_each(|thread| thread.join().expect("the result is as expected"))
    })
}
