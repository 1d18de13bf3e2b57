//! Copies of boxes of arrays to and from shared memory by tensor maps.
use crate::run::engine::{Check, Engine, cases, equal, same};
use warpwise::{
    F32x2, F32x4, I32x2, MBarrier, Pipeline, Slice2, TensorMap2, TensorMap2Mut, TensorMap3,
    TensorMap3Mut, U32x4, prelude::*,
};

cases![
    edges: THREADS_MEET, element_sizes: THREADS_MEET, swizzles: THREADS_MEET, layers: THREADS_MEET, stored_boxes: THREADS_MEET,
    stored_layers: THREADS_MEET, swizzled_stores: THREADS_MEET, pipelined: THREADS_MEET, generic_boxes: THREADS_MEET,
    parts_of_buffers: THREADS_MEET, refused_launches: THREADS_MEET, products: THREADS_MEET,
    multicasts: THREADS_MEET, multicast_rounds: THREADS_MEET,
];

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Returns the device of an engine; the host's copies of kernels copy no boxes.
fn device(on: &Engine) -> Result<&Device> {
    match on {
        Engine::Device { device, .. } => Ok(device),
        Engine::Host => Err("the host copies no boxes".into()),
    }
}

/// Coordinates inside and outside an array of 37 rows and 45 columns.
const CORNERS: [(i32, i32); 14] = [
    (0, 0),
    (3, 5),
    (-1, 0),
    (0, -1),
    (-7, -31),
    (-8, 0),
    (30, 40),
    (36, 44),
    (37, 0),
    (0, 45),
    (1000, 1000),
    (-1000, 7),
    (i32::MAX, 0),
    (0, i32::MIN),
];

/// A box of 8 rows and 32 columns of four bytes, without a swizzle.
#[device]
#[repr(C, align(128))]
#[derive(Clone, Copy)]
struct Tile([[u32; 32]; 8]);

/// Copies a box for each corner.
#[kernel(block = 64)]
fn boxes(x: TensorMap2<u32, 8, 32, 0>, corners: &[I32x2], y: &mut [u32]) {
    let full = shared!(MBarrier<1>);
    let tile = shared!(Tile);
    let (t, block) = (thread_idx_x(), block_idx_x());
    let corner = match corners.get(block) {
        Some(corner) => *corner,
        None => I32x2::splat(0),
    };
    if t == 0 {
        full.tensor_copy(tile, &x, (corner.x, corner.y));
        full.arrive();
    }
    full.wait_parity(false);
    for i in (t..256).step_by(64) {
        if let Some(y) = y.get_mut(block * 256 + i) {
            *y = tile.0[i / 32][i % 32];
        }
    }
}

/// Returns a column rounded down to a multiple of 16 bytes, where boxes begin.
fn box_column<T>(column: i32) -> i32 {
    column & -(16 / size_of::<T>() as i32)
}

/// Returns the same for an array of such elements.
fn box_column_of<T>(_: &[T], column: i32) -> i32 {
    box_column::<T>(column)
}

/// Returns the elements of a box of an array, row by row; 0 outside.
fn box_of<T: Copy + Default>(
    x: &[T],
    (rows, columns): (usize, usize),
    (row, column): (i32, i32),
    (box_rows, box_columns): (usize, usize),
) -> Vec<T> {
    let element = |i: usize| {
        let row = i64::from(row) + (i / box_columns) as i64;
        let column = i64::from(box_column::<T>(column)) + (i % box_columns) as i64;
        let is_inside = (0..rows as i64).contains(&row) && (0..columns as i64).contains(&column);
        if is_inside { x[row as usize * columns + column as usize] } else { T::default() }
    };
    (0..box_rows * box_columns).map(element).collect()
}

fn edges(on: &Engine) -> Check {
    let device = device(on)?;
    let shape = (37, 45);
    let x: Vec<u32> = (0..37 * 45).map(|i| 1000 + i).collect();
    let corners = CORNERS.map(|(row, column)| I32x2::new(row, column));
    let on_device = device.upload_2d(&x, shape)?;
    let (given, mut y) = (device.upload(&corners)?, device.upload(&[7u32; 14 * 256])?);
    boxes::launch(device, LaunchConfig::grid(14), &on_device, &given, &mut y)?;
    let want: Vec<u32> =
        CORNERS.iter().flat_map(|corner| box_of(&x, shape, *corner, (8, 32))).collect();
    same("y", &y.to_vec()?, &want)
}

/// A box of 4 rows of 32 bytes.
#[device]
#[repr(C, align(128))]
#[derive(Clone, Copy)]
struct Words([U32x4; 8]);

/// Copies boxes of 4 rows of 32 bytes of elements of any size, and back.
macro_rules! round_trip {
    ($name:ident, $ty:ty, $columns:literal) => {
        #[kernel(block = 32)]
        fn $name(
            x: TensorMap2<$ty, 4, $columns, 0>,
            y: TensorMap2Mut<$ty, 4, $columns, 0>,
            z: &mut [U32x4],
        ) {
            let full = shared!(MBarrier<1>);
            let tile = shared!(Words);
            let (t, block) = (thread_idx_x(), block_idx_x());
            let (row, column) = (4 * block as i32, $columns * block_idx_y() as i32 - 3);
            if t == 0 {
                full.tensor_copy(tile, &x, (row, column));
                full.arrive();
            }
            full.wait_parity(false);
            let place = (block + grid_dim_x() * block_idx_y()) * 8 + t;
            if t < 8 && place < z.len() {
                z[place] = tile.0[t];
            }
            if t == 0 {
                y.store(tile, (row + 1, column + 2));
                bulk_store::wait_all();
            }
        }
    };
}
round_trip!(bytes, u8, 32);
round_trip!(halves, bf16, 16);
round_trip!(words, i32, 8);
round_trip!(doubles, f64, 4);
round_trip!(pairs, F32x2, 4);

/// Launches a round trip on arrays of 10 rows, whose rows have 16 bytes more than a box.
macro_rules! check_round_trip {
    ($device:ident, $name:ident, $columns:literal, $element:expr) => {{
        let (rows, columns) = (10, $columns + $columns / 2);
        let x: Vec<_> = (0..rows * columns).map($element).collect();
        let none = $element(255);
        let on_device = $device.upload_2d(&x, (rows, columns))?;
        let mut y = $device.upload_2d(&vec![none; rows * columns], (rows, columns))?;
        let mut z = $device.zeros::<U32x4>(6 * 8)?;
        $name::launch($device, LaunchConfig::grid((3, 2)), &on_device, &mut y, &mut z)?;
        let (mut boxes, mut stored) = (Vec::new(), vec![none; rows * columns]);
        for block in 0..6 {
            let corner = (4 * (block % 3) as i32, $columns * (block / 3) as i32 - 3);
            let tile = box_of(&x, (rows, columns), corner, (4, $columns));
            for (i, value) in tile.iter().enumerate() {
                let row = corner.0 as usize + 1 + i / $columns;
                let first = i64::from(box_column_of(&x, corner.1 + 2));
                let column = first + (i % $columns) as i64;
                // Stores with negative coordinates are left out.
                if first >= 0 && row < rows && (0..columns as i64).contains(&column) {
                    stored[row * columns + column as usize] = *value;
                }
            }
            boxes.extend(tile);
        }
        let bytes: Vec<u8> = boxes.iter().flat_map(|value| value.to_bytes()).collect();
        let words = z.to_vec()?;
        let words = words.iter().flat_map(|four| [four.x, four.y, four.z, four.w]);
        let got: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
        same(concat!(stringify!($name), " in shared memory"), &got, &bytes)?;
        let [got, want] = [y.to_vec()?, stored]
            .map(|all| all.iter().flat_map(|value| value.to_bytes()).collect::<Vec<u8>>());
        same(concat!(stringify!($name), " stored"), &got, &want)?;
    }};
}

/// The bytes of an element.
trait Bytes {
    fn to_bytes(&self) -> Vec<u8>;
}
macro_rules! bytes {
    ($($ty:ty)*) => {$(
        impl Bytes for $ty {
            fn to_bytes(&self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }
        }
    )*};
}
bytes!(u8 bf16 i32 f64);
impl Bytes for F32x2 {
    fn to_bytes(&self) -> Vec<u8> {
        [self.x, self.y].iter().flat_map(|part| part.to_le_bytes()).collect()
    }
}
/// Values whose bits are all zero outside arrays.
fn element_sizes(on: &Engine) -> Check {
    let device = device(on)?;
    check_round_trip!(device, bytes, 32, |i: usize| (i % 253 + 1) as u8);
    check_round_trip!(device, halves, 16, |i: usize| bf16::from_bits(0x4000 + i as u16));
    check_round_trip!(device, words, 8, |i: usize| -1 - i as i32);
    check_round_trip!(device, doubles, 4, |i: usize| 0.1 * i as f64 - 3.0);
    check_round_trip!(device, pairs, 4, |i: usize| F32x2::new(i as f32, -0.5 * i as f32));
    Ok(())
}

/// Boxes of 16 rows with each swizzle; the test finds the chunks at their places in the table.
#[device]
#[repr(C, align(1024))]
#[derive(Clone, Copy)]
struct Wide([[U32x4; 8]; 16]);
#[device]
#[repr(C, align(512))]
#[derive(Clone, Copy)]
struct Middle([[U32x4; 4]; 16]);
#[device]
#[repr(C, align(256))]
#[derive(Clone, Copy)]
struct Narrow([[U32x4; 2]; 16]);

#[kernel(block = 32)]
fn swizzled(
    a: TensorMap2<u32, 16, 32, 128>,
    b: TensorMap2<bf16, 16, 32, 64>,
    c: TensorMap2<u8, 16, 32, 32>,
    ya: &mut [U32x4],
    yb: &mut [U32x4],
    yc: &mut [U32x4],
) {
    let full = shared!(MBarrier<1>);
    // The second one has an odd number of the first one's rows before it.
    let (wide, middle, narrow) = (shared!([Wide; 2]), shared!(Middle), shared!(Narrow));
    let t = thread_idx_x();
    if t == 0 {
        full.tensor_copy(&mut wide[1], &a, (1, 3));
        full.tensor_copy(middle, &b, (1, 3));
        full.tensor_copy(narrow, &c, (1, 3));
        full.arrive();
    }
    full.wait_parity(false);
    for i in (t..128).step_by(32) {
        let (row, chunk) = (i / 8, i % 8);
        if i < ya.len() {
            ya[i] = wide[1].0[row][chunk ^ (row % 8)];
        }
    }
    for i in (t..64).step_by(32) {
        let (row, chunk) = (i / 4, i % 4);
        if i < yb.len() {
            yb[i] = middle.0[row][chunk ^ (row / 2 % 4)];
        }
    }
    let (row, chunk) = (t / 2, t % 2);
    if t < yc.len() {
        yc[t] = narrow.0[row][chunk ^ (row / 4 % 2)];
    }
}

/// Returns the chunks of elements.
fn chunks<T: Bytes>(elements: &[T]) -> Vec<[u32; 4]> {
    let bytes: Vec<u8> = elements.iter().flat_map(Bytes::to_bytes).collect();
    let word = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    bytes.chunks(16).map(|chunk| [0, 4, 8, 12].map(|at| word(&chunk[at..]))).collect()
}
bytes!(u32);

fn arrays(all: &[U32x4]) -> Vec<[u32; 4]> {
    all.iter().map(|four| [four.x, four.y, four.z, four.w]).collect()
}

fn swizzles(on: &Engine) -> Check {
    let device = device(on)?;
    let shape = (15, 30);
    let a: Vec<u32> = (0..450).map(|i| i * 3 + 1).collect();
    let b: Vec<bf16> = (0..450).map(|i| bf16::from_bits(i + 1)).collect();
    let c: Vec<u8> = (0..450u32).map(|i| (i % 251) as u8 + 1).collect();
    let none = U32x4::splat(7);
    let mut ya = device.upload(&[none; 128])?;
    let mut yb = device.upload(&[none; 64])?;
    let mut yc = device.upload(&[none; 32])?;
    swizzled::launch(
        device,
        LaunchConfig::grid(1),
        &device.upload_2d(&a, shape)?,
        &device.upload_2d(&b, shape)?,
        &device.upload_2d(&c, shape)?,
        &mut ya,
        &mut yb,
        &mut yc,
    )?;
    let corner = ((1, 3), (16, 32));
    equal("128", &arrays(&ya.to_vec()?), &chunks(&box_of(&a, shape, corner.0, corner.1)))?;
    equal("64", &arrays(&yb.to_vec()?), &chunks(&box_of(&b, shape, corner.0, corner.1)))?;
    equal("32", &arrays(&yc.to_vec()?), &chunks(&box_of(&c, shape, corner.0, corner.1)))
}

/// A box of 2 layers, 4 rows and 32 columns.
#[kernel(block = 64)]
fn box_of_layers(
    x: TensorMap3<u32, 2, 4, 32, 0>,
    layer: i32,
    row: i32,
    column: i32,
    y: &mut [u32],
) {
    let full = shared!(MBarrier<1>);
    let tile = shared!(Tile);
    let t = thread_idx_x();
    if t == 0 {
        full.tensor_copy(tile, &x, (layer, row, column));
        full.arrive();
    }
    full.wait_parity(false);
    for i in (t..256).step_by(64) {
        if i < y.len() {
            y[i] = tile.0[i / 32][i % 32];
        }
    }
    if t == 0 && y.len() > 258 {
        y[256] = x.layers() as u32;
        y[257] = x.rows() as u32;
        y[258] = x.columns() as u32;
    }
}

fn layers(on: &Engine) -> Check {
    let device = device(on)?;
    let (layers, rows, columns) = (3, 7, 50);
    let x: Vec<u32> = (0..layers * rows * columns).map(|i| 1 + i as u32).collect();
    let on_device = device.upload_3d(&x, (layers, rows, columns))?;
    for (layer, row, column) in [(0, 0, 0), (1, 2, 30), (2, 5, -9), (-1, -2, 49), (1, 6, 3)] {
        let mut y = device.upload(&[9u32; 259])?;
        box_of_layers::launch(
            device,
            LaunchConfig::grid(1),
            &on_device,
            layer,
            row,
            column,
            &mut y,
        )?;
        let mut want = Vec::new();
        for layer in [layer, layer + 1] {
            let is_inside = (0..layers as i32).contains(&layer);
            let first = if is_inside { layer as usize * rows * columns } else { 0 };
            let plane = &x[first..first + rows * columns];
            let part = box_of(plane, (rows, columns), (row, column), (4, 32));
            want.extend(if is_inside { part } else { vec![0; 128] });
        }
        want.extend([layers as u32, rows as u32, columns as u32]);
        same(&format!("{layer}, {row}, {column}"), &y.to_vec()?, &want)?;
    }
    Ok(())
}

/// Each block stores a box of its number.
#[kernel(block = 64)]
fn store_numbers(y: TensorMap2Mut<u32, 8, 32, 0>, corners: &[I32x2]) {
    let tile = shared!(Tile);
    let (t, block) = (thread_idx_x(), block_idx_x());
    for i in (t..256).step_by(64) {
        tile.0[i / 32][i % 32] = (block * 1000 + i) as u32;
    }
    sync_threads();
    if t == 63 && block < corners.len() {
        y.store(tile, (corners[block].x, corners[block].y));
        bulk_store::commit();
        bulk_store::wait_read::<0>();
    }
}

fn stored_boxes(on: &Engine) -> Check {
    let device = device(on)?;
    let (rows, columns) = (37, 48);
    // They do not overlap. Those with negative coordinates are left out.
    let corners = [(0, 0), (8, -1), (-3, 32), (30, 40), (36, 5), (37, 0), (17, -32), (18, -31)];
    let given = corners.map(|(row, column)| I32x2::new(row, column));
    let mut y = device.upload_2d(&vec![5u32; rows * columns], (rows, columns))?;
    let config = LaunchConfig::grid(corners.len());
    store_numbers::launch(device, config, &mut y, &device.upload(&given)?)?;
    let mut want = vec![5u32; rows * columns];
    for (block, (row, column)) in corners.into_iter().enumerate() {
        for i in (0..256).filter(|_| row >= 0 && column >= 0) {
            let (row, column) = (row + i / 32, box_column::<u32>(column) + i % 32);
            if (0..rows as i32).contains(&row) && (0..columns as i32).contains(&column) {
                want[row as usize * columns + column as usize] = (block as i32 * 1000 + i) as u32;
            }
        }
    }
    same("y", &y.to_vec()?, &want)
}

/// Stores a box of 2 layers, 4 rows and 32 columns.
#[kernel(block = 64)]
fn store_layers(y: TensorMap3Mut<u32, 2, 4, 32, 0>, layer: i32, row: i32, column: i32) {
    let tile = shared!(Tile);
    let t = thread_idx_x();
    for i in (t..256).step_by(64) {
        tile.0[i / 32][i % 32] = i as u32;
    }
    sync_threads();
    if t == 0 {
        y.store(tile, (layer, row, column));
        bulk_store::wait_all();
    }
}

fn stored_layers(on: &Engine) -> Check {
    let device = device(on)?;
    let (layers, rows, columns) = (3, 7, 52);
    for (layer, row, column) in [(0, 0, 0), (2, 5, 30), (1, -2, 8), (-1, 2, 8)] {
        let old = vec![777u32; layers * rows * columns];
        let mut y = device.upload_3d(&old, (layers, rows, columns))?;
        store_layers::launch(device, LaunchConfig::grid(1), &mut y, layer, row, column)?;
        let mut want = old;
        for i in (0..256).filter(|_| layer >= 0 && row >= 0) {
            let column = box_column::<u32>(column) + i % 32;
            let at = (layer + i / 128, row + i / 32 % 4, column);
            let is_inside = (0..layers as i32).contains(&at.0)
                && (0..rows as i32).contains(&at.1)
                && (0..columns as i32).contains(&at.2);
            if is_inside {
                let row = at.0 as usize * rows + at.1 as usize;
                want[row * columns + at.2 as usize] = i as u32;
            }
        }
        same(&format!("{layer}, {row}, {column}"), &y.to_vec()?, &want)?;
    }
    Ok(())
}

/// Reads a box with a swizzle, doubles it in place and stores it.
#[kernel(block = 128)]
fn double(x: TensorMap2<u32, 16, 32, 128>, y: TensorMap2Mut<u32, 16, 32, 128>) {
    let full = shared!(MBarrier<1>);
    let tile = shared!(Wide);
    let t = thread_idx_x();
    let corner = (16 * block_idx_y() as i32, 32 * block_idx_x() as i32);
    if t == 0 {
        full.tensor_copy(tile, &x, corner);
        full.arrive();
    }
    full.wait_parity(false);
    let four = tile.0[t / 8][t % 8];
    tile.0[t / 8][t % 8] = four + four;
    sync_threads();
    if t == 0 {
        y.store(tile, corner);
        bulk_store::wait_all();
    }
}

fn swizzled_stores(on: &Engine) -> Check {
    let device = device(on)?;
    let shape = (50, 72);
    let x: Vec<u32> = (0..3600).collect();
    let mut y = device.zeros_2d::<u32>(shape)?;
    let config = LaunchConfig::grid((3, 4));
    double::launch(device, config, &device.upload_2d(&x, shape)?, &mut y)?;
    same("y", &y.to_vec()?, &x.iter().map(|x| 2 * x).collect::<Vec<_>>())
}

/// A producer thread fills four stages with boxes, which 64 threads add.
#[kernel(block = 96)]
fn add_boxes(x: TensorMap2<u32, 8, 32, 0>, y: &mut [u32]) {
    let (full, empty) = (shared!([MBarrier<1>; 4]), shared!([MBarrier<64>; 4]));
    let tiles = shared!([Tile; 4]);
    let mut pipeline = Pipeline::new(full, empty);
    let t = thread_idx_x();
    let count = x.rows().div_ceil(8);
    if t == 64 {
        for i in 0..count {
            let stage = pipeline.acquire();
            pipeline.tensor_copy(&mut tiles[stage], &x, (8 * i as i32, 32 * block_idx_x() as i32));
            pipeline.commit();
        }
    }
    if t < 64 {
        let mut sum = 0;
        for _ in 0..count {
            let stage = pipeline.wait();
            for row in 0..4 {
                sum += tiles[stage].0[4 * (t / 32) + row][t % 32];
            }
            pipeline.release();
        }
        if let Some(y) = y.get_mut(block_idx_x() * 64 + t) {
            *y = sum;
        }
    }
}

fn pipelined(on: &Engine) -> Check {
    let device = device(on)?;
    let (rows, columns) = (133, 61);
    let x: Vec<u32> = (0..rows * columns).map(|i| (i % 1001) as u32).collect();
    let mut y = device.zeros::<u32>(128)?;
    let on_device = device.upload_2d(&x, (rows, columns))?;
    add_boxes::launch(device, LaunchConfig::grid(2), &on_device, &mut y)?;
    let sum = |i: usize| {
        let (half, column) = (i / 32 % 2, i / 64 * 32 + i % 32);
        let rows = (0..rows).filter(|row| row / 4 % 2 == half);
        rows.filter(|_| column < columns).map(|row| x[row * columns + column]).sum()
    };
    same("y", &y.to_vec()?, &(0..128).map(sum).collect::<Vec<u32>>())
}

/// A tile of open size.
#[device]
#[repr(C, align(128))]
#[derive(Clone, Copy)]
struct Open<const ROWS: usize>([[u32; 32]; ROWS]);

/// The number of rows is a parameter of the kernel.
#[kernel(block = 32)]
fn open_boxes<const ROWS: usize>(x: TensorMap2<u32, ROWS, 32, 0>, y: &mut [u32]) {
    let full = shared!(MBarrier<1>);
    let tile = shared!(Open<ROWS>);
    let t = thread_idx_x();
    if t == 0 {
        full.tensor_copy(tile, &x, (2, 3));
        full.arrive();
    }
    full.wait_parity(false);
    for row in 0..ROWS {
        if row * 32 + t < y.len() {
            y[row * 32 + t] = tile.0[row][t];
        }
    }
}

fn generic_boxes(on: &Engine) -> Check {
    let device = device(on)?;
    let shape = (20, 40);
    let x: Vec<u32> = (0..800).map(|i| i + 1).collect();
    let on_device = device.upload_2d(&x, shape)?;
    let (mut one, mut many) = (device.zeros::<u32>(32)?, device.zeros::<u32>(960)?);
    open_boxes::<1>::launch(device, LaunchConfig::grid(1), &on_device, &mut one)?;
    open_boxes::<30>::launch(device, LaunchConfig::grid(1), &on_device, &mut many)?;
    same("1", &one.to_vec()?, &box_of(&x, shape, (2, 3), (1, 32)))?;
    same("30", &many.to_vec()?, &box_of(&x, shape, (2, 3), (30, 32)))?;
    let too_many = open_boxes::<257>::launch(device, LaunchConfig::grid(1), &on_device, &mut many);
    let text = too_many.err().map(|error| error.to_string()).unwrap_or_default();
    let expected = "1 to 256 elements";
    if text.contains(expected) { Ok(()) } else { Err(format!("`{text}`").into()) }
}

/// Rectangles of buffers, and slices in rows: copies see nothing of the elements around them.
fn parts_of_buffers(on: &Engine) -> Check {
    let device = device(on)?;
    let (rows, columns) = (20, 48);
    let x: Vec<u32> = (0..rows * columns).map(|i| 1 + i as u32).collect();
    let whole = device.upload_2d(&x, (rows, columns))?;
    let corners = [(-1, -1), (0, 0), (5, 9)];
    let given = device.upload(&corners.map(|(row, column)| I32x2::new(row, column)))?;
    let mut y = device.upload(&[7u32; 3 * 256])?;
    // Columns 4 to 41 begin at a multiple of 16 bytes.
    let part = whole.rectangle(3..12, 4..41)?;
    boxes::launch(device, LaunchConfig::grid(3), &part, &given, &mut y)?;
    let inner: Vec<u32> =
        (3..12).flat_map(|row| x[row * columns + 4..row * columns + 41].to_vec()).collect();
    let want: Vec<u32> =
        corners.iter().flat_map(|at| box_of(&inner, (9, 37), *at, (8, 32))).collect();
    same("rectangle", &y.to_vec()?, &want)?;
    let flat = device.upload(&x)?;
    boxes::launch(device, LaunchConfig::grid(3), &flat.as_rows(columns)?, &given, &mut y)?;
    let want: Vec<u32> =
        corners.iter().flat_map(|at| box_of(&x, (rows, columns), *at, (8, 32))).collect();
    same("rows", &y.to_vec()?, &want)
}

fn refused_launches(on: &Engine) -> Check {
    let device = device(on)?;
    let x = device.upload(&(0..600).collect::<Vec<u32>>())?;
    let given = device.upload(&[I32x2::splat(0)])?;
    let mut y = device.zeros::<u32>(256)?;
    let wide = device.upload_2d(&[0u32; 600], (20, 30))?;
    let empty = device.zeros_2d::<u32>((0, 30))?;
    let config = LaunchConfig::grid(1);
    let mut narrow = device.upload_2d(&[0u32; 600], (20, 30))?;
    let stored = store_numbers::launch(device, config, &mut narrow, &given).err();
    let stored = stored.map(|error| error.to_string()).unwrap_or_default();
    let mut launch = |array: &Slice2<u32>| {
        let refused = boxes::launch(device, config, array, &given, &mut y);
        refused.err().map(|error| error.to_string()).unwrap_or_default()
    };
    for (text, expected) in [
        (launch(&x.as_rows(30)?), "begin 120 bytes apart, and must begin a multiple of 16"),
        (launch(&wide.rectangle(.., 1..)?), "does not begin at a multiple of 16 bytes"),
        (launch(&empty), "the array has no elements"),
        (stored, "rows of the array have 120 bytes, and stores write multiples of 16 bytes"),
    ] {
        if !text.contains("no tensor map for") || !text.contains(expected) {
            return Err(format!("`{text}`, and not `{expected}`").into());
        }
    }
    Ok(())
}

/// Multiplies matrices by squares of 32 numbers that are copied while others are multiplied.
#[kernel(block = 256)]
fn multiply(
    a: TensorMap2<f32, 32, 32, 128>,
    b: TensorMap2<f32, 32, 32, 128>,
    c: TensorMap2Mut<f32, 32, 32, 128>,
) {
    let full = shared!([MBarrier<1>; 2]);
    let (left, right) = (shared!([Square; 2]), shared!([Square; 2]));
    let product = shared!(Square);
    let t = thread_idx_x();
    let (row, column) = (32 * block_idx_y() as i32, 32 * block_idx_x() as i32);
    let steps = a.columns().div_ceil(32);
    let (r, chunk) = (t / 8, t % 8);
    let mut sum = F32x4::splat(0.0);
    for step in 0..steps + 1 {
        sync_threads();
        if t == 0 && step < steps {
            let (stage, k) = (step % 2, 32 * step as i32);
            full[stage].tensor_copy(&mut left[stage], &a, (row, k));
            full[stage].tensor_copy(&mut right[stage], &b, (k, column));
            full[stage].arrive();
        }
        if step > 0 {
            let (stage, round) = ((step - 1) % 2, (step - 1) / 2);
            full[stage].wait_parity(round % 2 == 1);
            for k in 0..32 {
                let x = left[stage].0[r][(k / 4) ^ (r % 8)][k % 4];
                sum += right[stage].0[k][chunk ^ (k % 8)] * x;
            }
        }
    }
    product.0[r][chunk ^ (r % 8)] = sum;
    sync_threads();
    if t == 0 {
        c.store(product, (row, column));
        bulk_store::wait_all();
    }
}

#[device]
#[repr(C, align(1024))]
#[derive(Clone, Copy)]
struct Square([[F32x4; 8]; 32]);

fn products(on: &Engine) -> Check {
    let device = device(on)?;
    let (m, n, k) = (70, 48, 100);
    let number = |i: usize| (i * 37 % 17) as f32 - 8.0;
    let a: Vec<f32> = (0..m * k).map(number).collect();
    let b: Vec<f32> = (0..k * n).map(|i| number(i + 5)).collect();
    let mut c = device.zeros_2d::<f32>((m, n))?;
    let (on_a, on_b) = (device.upload_2d(&a, (m, k))?, device.upload_2d(&b, (k, n))?);
    multiply::launch(device, LaunchConfig::grid((2, 3)), &on_a, &on_b, &mut c)?;
    let element = |i: usize| (0..k).map(|at| a[i / n * k + at] * b[at * n + i % n]).sum();
    same("c", &c.to_vec()?, &(0..m * n).map(element).collect::<Vec<f32>>())
}

/// Two rows of 32 elements.
#[device]
#[repr(C, align(128))]
#[derive(Clone, Copy)]
struct Rows([[u32; 32]; 2]);

/// The block of rank 3 sends a box to `blocks`, of which each thread combines its elements.
#[kernel(block = 32, cluster = (2, 2))]
fn sent_boxes<const LAYERS: usize>(
    x: TensorMap3<u32, LAYERS, 2, 32, 0>,
    blocks: u32,
    y: &mut [u32],
) {
    let full = shared!(MBarrier<1>);
    let tile = shared!([Rows; LAYERS]);
    let (t, rank) = (thread_idx_x(), cluster::block_rank());
    let gets = blocks >> rank & 1 == 1;
    if t == 0 {
        if rank == 3 {
            full.tensor_copy_multicast(tile, &x, (0, 1, -4), blocks);
        }
        if gets {
            full.arrive_expect_tx(size_of::<Rows>() * LAYERS);
        }
    }
    let mut sum = 0u32;
    if gets {
        full.wait_parity(false);
        for layer in 0..LAYERS {
            for row in 0..2 {
                sum = 31 * sum + tile[layer].0[row][t];
            }
        }
    }
    let i = (block_idx_y() * grid_dim_x() + block_idx_x()) * 32 + t;
    if i < y.len() {
        y[i] = sum;
    }
    cluster::sync();
}

/// Every mask of blocks, with bits of blocks that do not exist, in a grid of two clusters.
fn multicasts(on: &Engine) -> Check {
    let device = device(on)?;
    let shape = (3, 4, 40);
    let x: Vec<u32> = (1000..1480).collect();
    let on_device = device.upload_3d(&x, shape)?;
    let element = |layer: usize, row: usize, column: i64| match column {
        0..40 => x[(layer * 4 + row) * 40 + column as usize],
        _ => 0,
    };
    for blocks in [0b1111, 0b0110, 0b1000, 0b1_0000_0001, 0, u32::MAX] {
        let mut y = device.upload(&[7u32; 8 * 32])?;
        sent_boxes::<2>::launch(device, LaunchConfig::grid((4, 2)), &on_device, blocks, &mut y)?;
        let want = (0..8).flat_map(|block| (0..32).map(move |t| (block, t))).map(|(block, t)| {
            let rank = block / 4 * 2 + block % 2;
            let all = [(0, 1), (0, 2), (1, 1), (1, 2)];
            let add = |sum: u32, (layer, row)| {
                sum.wrapping_mul(31).wrapping_add(element(layer, row, i64::from(t) - 4))
            };
            if blocks >> rank & 1 == 1 { all.into_iter().fold(0, add) } else { 0 }
        });
        same(&format!("{blocks:b}"), &y.to_vec()?, &want.collect::<Vec<_>>())?;
    }
    Ok(())
}

/// Sends two rows to all blocks of a cluster of four.
#[device]
fn send_rows(full: &MBarrier<1>, to: &mut Rows, x: &TensorMap2<u32, 2, 32, 0>, row: usize) {
    full.tensor_copy_multicast(to, x, (row as i32, 0), 0b1111);
}

/// Each block of a cluster fetches a quarter of eight rows for all; every thread combines a column.
#[kernel(block = 64, cluster = 4)]
fn fetched_together(x: TensorMap2<u32, 2, 32, 0>, y: &mut [u32]) {
    let full = shared!([MBarrier<1>; 2]);
    let rows = shared!([[Rows; 4]; 2]);
    let (t, rank) = (thread_idx_x(), cluster::block_rank());
    let mut sum = rank as u32;
    for i in 0..x.rows().div_ceil(8) {
        let stage = i % 2;
        // All blocks are done with the rows before the last ones.
        cluster::sync();
        if t == 0 {
            send_rows(&full[stage], &mut rows[stage][rank], &x, 8 * i + 2 * rank);
            full[stage].arrive_expect_tx(size_of::<[Rows; 4]>());
        }
        full[stage].wait_parity(i / 2 % 2 == 1);
        for part in 0..4 {
            sum = 31 * sum + rows[stage][part].0[t / 32][t % 32];
        }
    }
    let at = block_idx_x() * 64 + t;
    if at < y.len() {
        y[at] = sum;
    }
    cluster::sync();
}

fn multicast_rounds(on: &Engine) -> Check {
    let device = device(on)?;
    for rows in [1, 8, 61] {
        let x: Vec<u32> = (0..rows * 32).map(|i| 5 + 3 * i as u32).collect();
        let on_device = device.upload_2d(&x, (rows, 32))?;
        let mut y = device.zeros::<u32>(12 * 64)?;
        fetched_together::launch(device, LaunchConfig::grid(12), &on_device, &mut y)?;
        let thread = |block: usize, t: usize| {
            (0..rows.div_ceil(8) * 4).fold(block as u32 % 4, |sum, part| {
                let found = x.get((2 * part + t / 32) * 32 + t % 32).copied().unwrap_or(0);
                sum.wrapping_mul(31).wrapping_add(found)
            })
        };
        let threads = (0..12).flat_map(|block| (0..64).map(move |t| (block, t)));
        let want: Vec<u32> = threads.map(|(block, t)| thread(block, t)).collect();
        same(&format!("{rows} rows"), &y.to_vec()?, &want)?;
    }
    Ok(())
}
