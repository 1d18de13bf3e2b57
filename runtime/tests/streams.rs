//! Streams, events and copies: on the interpreter, and with a driver that runs the work of a stream
//! as late as possible, so that work which should wait for another stream's and does not finds old
//! values.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#[cfg(target_os = "linux")]
mod fake_driver;
mod kernels;
mod process;

use kernels::{add, divide, faulty, increment, weighed};
use std::{
    cell::RefCell,
    env,
    ops::Range,
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};
use warpwise::{Buffer, Constant, Device, Error, Graph, LaunchConfig, PinnedBuffer, Stream};

/// Returns the device under test: a GPU if `WARPWISE_DEVICE` asks for one.
fn device() -> Device {
    if env::var("WARPWISE_DEVICE").is_ok_and(|value| value.starts_with("cuda")) {
        Device::auto().unwrap()
    } else {
        Device::cpu()
    }
}

/// Random numbers: xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }
}

const BUFFERS: usize = 5;
const ELEMENTS: usize = 64;

/// The state of a random program: what `device` holds, and what it should hold.
struct Program {
    device: Device,
    streams: Vec<Stream>,
    buffers: Vec<Buffer<u32>>,
    pinned: Vec<PinnedBuffer<u32>>,
    constants: Vec<(Constant<[u32]>, Vec<u32>)>,
    expected: Vec<Vec<u32>>,
    expected_pinned: Vec<Vec<u32>>,
}

impl Program {
    fn new(device: &Device) -> Self {
        let streams: Vec<_> = (0..3).map(|_| device.stream().unwrap()).collect();
        let home = |i: usize| if i == 0 { device } else { &streams[i % 3] };
        let buffers = (0..BUFFERS).map(|i| home(i).zeros(ELEMENTS).unwrap()).collect();
        let pinned = (0..2).map(|_| device.pinned(ELEMENTS).unwrap()).collect();
        let constants = (0..3).map(|i| constant(device, vec![i; 2])).collect();
        let zeros = vec![0; ELEMENTS];
        Self {
            device: device.clone(),
            streams,
            buffers,
            pinned,
            constants,
            expected: vec![zeros.clone(); BUFFERS],
            expected_pinned: vec![zeros; 2],
        }
    }

    /// Draws two different buffers, the first of which is written.
    fn two(&mut self, random: &mut Random) -> (usize, usize) {
        let to = random.below(BUFFERS);
        (to, (to + 1 + random.below(BUFFERS - 1)) % BUFFERS)
    }

    fn step(&mut self, random: &mut Random) {
        let stream = self.streams[random.below(3)].clone();
        let start = random.below(ELEMENTS);
        let part = start..start + 1 + random.below(ELEMENTS - start);
        let (to, from) = self.two(random);
        let value = random.below(1000) as u32;
        let host = random.below(2);
        match random.below(14) {
            11 | 12 => {
                let (x, values) = &self.constants[random.below(3)];
                let mut y = self.buffers[to].slice_mut(part.clone()).unwrap();
                weighed(&stream, x, &mut y).unwrap();
                for y in &mut self.expected[to][part] {
                    *y = values.iter().fold(*y, |y, x| y.wrapping_mul(3).wrapping_add(*x));
                }
            }
            // The old one is freed behind the launches that copy it.
            13 => self.constants[host] = constant(&stream, vec![value; random.below(9)]),
            0 | 1 => {
                let mut slice = self.buffers[to].slice_mut(part.clone()).unwrap();
                increment(&stream, LaunchConfig::cover(ELEMENTS), &mut slice).unwrap();
                self.expected[to][part].iter_mut().for_each(|x| *x += 1);
            }
            2..=4 => {
                let [y, x] = self.buffers.get_disjoint_mut([to, from]).unwrap();
                let x = x.slice(part.clone()).unwrap();
                add(&stream, &x, &mut y.slice_mut(part.clone()).unwrap()).unwrap();
                let [y, x] = self.expected.get_disjoint_mut([to, from]).unwrap();
                y[part.clone()].iter_mut().zip(&x[part]).for_each(|(y, x)| *y = y.wrapping_add(*x));
            }
            5 => {
                let [y, x] = self.buffers.get_disjoint_mut([to, from]).unwrap();
                let x = x.slice(part.clone()).unwrap();
                y.slice_mut(part.clone()).unwrap().copy_from_device(&x).unwrap();
                let [y, x] = self.expected.get_disjoint_mut([to, from]).unwrap();
                y[part.clone()].copy_from_slice(&x[part]);
            }
            6 => {
                self.buffers[to].slice_mut(part.clone()).unwrap().fill(value).unwrap();
                self.expected[to][part].fill(value);
            }
            7 => {
                let (source, destination) = (&self.pinned[host], &mut self.buffers[to]);
                let mut destination = destination.slice_mut(part.clone()).unwrap();
                match random.below(3) {
                    0 => {
                        self.buffers[to].copy_from_pinned(source).unwrap();
                        self.expected[to].clone_from(&self.expected_pinned[host]);
                        return;
                    }
                    1 => {
                        destination.copy_from_pinned(&source.slice(part.clone()).unwrap()).unwrap()
                    }
                    _ => {
                        let source = source.slice(part.clone()).unwrap();
                        stream.copy_from_pinned(&source, &mut destination).unwrap();
                    }
                }
                self.expected[to][part.clone()].copy_from_slice(&self.expected_pinned[host][part]);
            }
            8 => {
                let (source, destination) = (&self.buffers[to], &mut self.pinned[host]);
                match random.below(3) {
                    0 => {
                        source.copy_to_pinned(destination).unwrap();
                        self.expected_pinned[host].clone_from(&self.expected[to]);
                        return;
                    }
                    choice => {
                        let source = source.slice(part.clone()).unwrap();
                        let mut destination = destination.slice_mut(part.clone()).unwrap();
                        match choice {
                            1 => source.copy_to_pinned(&mut destination).unwrap(),
                            _ => stream.copy_to_pinned(&source, &mut destination).unwrap(),
                        }
                    }
                }
                self.expected_pinned[host][part.clone()].copy_from_slice(&self.expected[to][part]);
            }
            9 => match random.below(5) {
                0 => {
                    self.pinned[host].as_mut_slice().unwrap()[start] = value;
                    self.expected_pinned[host][start] = value;
                }
                4 => {
                    let mut accessed = self.pinned[host].slice_mut(part.clone()).unwrap();
                    assert_eq!(
                        accessed.as_slice().unwrap(),
                        &self.expected_pinned[host][part.clone()]
                    );
                    accessed.as_mut_slice().unwrap().fill(value);
                    self.expected_pinned[host][part].fill(value);
                }
                1 => {
                    self.buffers[to].copy_from(&vec![value; ELEMENTS]).unwrap();
                    self.expected[to].fill(value);
                }
                2 => {
                    // The old one is freed behind the work that uses it.
                    self.buffers[to] = stream.upload(&[value; ELEMENTS]).unwrap();
                    self.expected[to].fill(value);
                }
                _ => {
                    let clone = self.buffers[from].try_clone().unwrap();
                    self.buffers[to] = clone;
                    self.expected[to] = self.expected[from].clone();
                }
            },
            _ => {
                let got = self.buffers[to].slice(part.clone()).unwrap().to_vec().unwrap();
                assert_eq!(got, self.expected[to][part]);
            }
        }
    }

    fn check(&self) {
        for (buffer, expected) in self.buffers.iter().zip(&self.expected) {
            assert_eq!(buffer.to_vec().unwrap(), *expected);
        }
        for (pinned, expected) in self.pinned.iter().zip(&self.expected_pinned) {
            assert_eq!(pinned.as_slice().unwrap(), *expected);
        }
        self.device.synchronize().unwrap();
    }
}

/// Returns values in constant memory, with a copy.
fn constant(device: &Device, values: Vec<u32>) -> (Constant<[u32]>, Vec<u32>) {
    (device.constant(&values[..]).unwrap(), values)
}

/// Other streams wait for a launch that reads constant memory, also after its stream was dropped.
#[test]
fn constants_outlive_the_streams_that_use_them() {
    let device = device();
    let (ones, twos) = (constant(&device, vec![1; 8]).0, constant(&device, vec![2; 8]).0);
    let mut buffers: Vec<_> = (0..20).map(|_| device.zeros::<u32>(4).unwrap()).collect();
    for (i, y) in buffers.iter_mut().enumerate() {
        let stream = device.stream().unwrap();
        weighed(&stream, if i / 2 % 2 == 0 { &ones } else { &twos }, y).unwrap();
    }
    let sums = |x: u32| (0..8).fold(0, |y, _| y * 3 + x);
    for (i, y) in buffers.iter().enumerate() {
        assert_eq!(y.to_vec().unwrap(), [sums(1 + (i as u32 / 2 % 2)); 4], "{i}");
    }
}

fn random_programs(device: &Device, programs: u64) {
    for seed in 1..=programs {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut program = Program::new(device);
        for _ in 0..100 {
            program.step(&mut random);
        }
        program.check();
    }
}

#[test]
fn random_programs_have_the_results_of_one_order() {
    random_programs(&device(), 20);
}

#[test]
fn threads_with_streams_have_the_results_of_one_order() {
    let device = device();
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            let device = &device;
            scope.spawn(move || {
                let mut random = Random(thread + 77);
                let mut program = Program::new(device);
                (0..300).for_each(|_| program.step(&mut random));
                program.check();
            });
        }
    });
}

/// What a buffer or pinned buffer should hold: graphs that use a buffer keep its contents, too.
type Contents = Rc<RefCell<Vec<u32>>>;

/// A graph that adds slices of buffers and fills some, and the buffers' contents.
struct ModelledGraph {
    graph: Graph,
    effects: Vec<(Contents, Contents, Range<usize>)>,
}

/// The objects that one thread of the soak test has made and not dropped.
struct Soak<'a> {
    device: &'a Device,
    /// A buffer of ones, which all threads read.
    ones: &'a Buffer<u32>,
    random: Random,
    streams: Vec<Stream>,
    buffers: Vec<(Buffer<u32>, Contents)>,
    pinned: Vec<(PinnedBuffer<u32>, Vec<u32>)>,
    graphs: Vec<ModelledGraph>,
}

impl Soak<'_> {
    /// The most objects of a kind.
    const MOST: usize = 6;
    /// Elements that one operation uses at most; pinned buffers have as many.
    const PART: usize = 64;
    /// Elements of the largest buffers: 4 MiB, so that a device notices those that are not freed.
    const LARGE: usize = 1 << 20;

    fn stream(&mut self) -> Device {
        match self.random.below(self.streams.len() + 1) {
            0 => self.device.clone(),
            i => (*self.streams[i - 1]).clone(),
        }
    }

    /// Draws a range of at most [`Self::PART`] elements.
    fn part(&mut self, len: usize) -> Range<usize> {
        let start = self.random.below(len);
        start..start + 1 + self.random.below((len - start).min(Self::PART))
    }

    /// Drops an object at random if there are many.
    fn thin<T>(random: &mut Random, objects: &mut Vec<T>) {
        if objects.len() >= Self::MOST {
            objects.swap_remove(random.below(objects.len()));
        }
    }

    fn step(&mut self) {
        let stream = self.stream();
        match self.random.below(12) {
            0 => {
                Self::thin(&mut self.random, &mut self.streams);
                let priority = self.random.below(3) as i32 - 1;
                self.streams.push(self.device.stream_with_priority(priority).unwrap());
            }
            1 | 2 => {
                Self::thin(&mut self.random, &mut self.buffers);
                let len = [1, 7, Self::PART, 1000, Self::LARGE][self.random.below(5)];
                let value = self.random.below(9) as u32;
                let buffer = match value {
                    0 => stream.zeros(len).unwrap(),
                    _ => stream.uninit(len).unwrap().fill(value).unwrap(),
                };
                self.buffers.push((buffer, Rc::new(RefCell::new(vec![value; len]))));
            }
            3 => {
                Self::thin(&mut self.random, &mut self.pinned);
                let host = self.device.pinned(Self::PART).unwrap();
                self.pinned.push((host, vec![0; Self::PART]));
            }
            4 => {
                Self::thin(&mut self.random, &mut self.graphs);
                self.record(&stream);
            }
            5 if !self.graphs.is_empty() => {
                let graph = &self.graphs[self.random.below(self.graphs.len())];
                graph.graph.launch().unwrap();
                for (to, from, part) in &graph.effects {
                    add_contents(to, &from.borrow()[part.clone()], part.clone());
                }
            }
            6 if !self.pinned.is_empty() => self.copy_pinned(),
            7 if !self.buffers.is_empty() => {
                let number = self.random.below(self.buffers.len());
                let len = self.buffers[number].0.len();
                let (part, (buffer, contents)) = (self.part(len), &self.buffers[number]);
                let got = buffer.slice(part.clone()).unwrap().to_vec().unwrap();
                assert_eq!(got, contents.borrow()[part]);
            }
            8 if !self.buffers.is_empty() => {
                // Dropped while work with it is under way.
                self.buffers.swap_remove(self.random.below(self.buffers.len()));
            }
            _ if !self.buffers.is_empty() => {
                let number = self.random.below(self.buffers.len());
                let len = self.buffers[number].0.len().min(Self::PART);
                let part = self.part(len);
                let (buffer, contents) = &mut self.buffers[number];
                let ones = self.ones.slice(part.clone()).unwrap();
                add(&stream, &ones, &mut buffer.slice_mut(part.clone()).unwrap()).unwrap();
                add_contents(contents, &vec![1; part.len()], part);
            }
            _ => {}
        }
    }

    /// Copies a part of a buffer to a pinned buffer, or back.
    fn copy_pinned(&mut self) {
        let number = self.random.below(self.pinned.len());
        let is_read = self.random.below(2) == 0;
        let Some((buffer, contents)) =
            self.buffers.iter_mut().find(|(buffer, _)| buffer.len() >= Self::PART)
        else {
            return;
        };
        let (host, expected) = &mut self.pinned[number];
        let start = self.random.below(buffer.len() - Self::PART + 1);
        let part = start..start + Self::PART;
        let mut slice = buffer.slice_mut(part.clone()).unwrap();
        if is_read {
            slice.copy_to_pinned(host).unwrap();
            expected.copy_from_slice(&contents.borrow()[part]);
        } else {
            slice.copy_from_pinned(host).unwrap();
            contents.borrow_mut()[part].copy_from_slice(expected);
        }
        match self.random.below(3) {
            0 => assert_eq!(host.as_slice().unwrap(), *expected),
            1 => {
                host.as_mut_slice().unwrap()[3] = 77;
                expected[3] = 77;
            }
            // Dropped while it is copied.
            _ => drop(self.pinned.swap_remove(number)),
        }
    }

    /// Records a graph that adds buffers to each other.
    fn record(&mut self, stream: &Device) {
        let count = self.buffers.len();
        if count < 2 {
            return;
        }
        let mut effects = Vec::new();
        let graph = stream.record_graph(|recorder| {
            for _ in 0..1 + self.random.below(4) {
                let to = self.random.below(count);
                let from = (to + 1 + self.random.below(count - 1)) % count;
                let [(y, y_contents), (x, x_contents)] =
                    self.buffers.get_disjoint_mut([to, from]).unwrap();
                let len = x.len().min(y.len()).min(Self::PART);
                let part = 0..1 + self.random.below(len);
                let x = x.slice(part.clone())?;
                add(recorder, &x, &mut y.slice_mut(part.clone())?)?;
                effects.push((Rc::clone(y_contents), Rc::clone(x_contents), part));
            }
            Ok(())
        });
        self.graphs.push(ModelledGraph { graph: graph.unwrap(), effects });
    }

    fn check(&self) {
        for (buffer, contents) in &self.buffers {
            assert_eq!(buffer.to_vec().unwrap(), *contents.borrow());
        }
        for (host, expected) in &self.pinned {
            assert_eq!(host.as_slice().unwrap(), *expected);
        }
    }
}

fn add_contents(to: &Contents, values: &[u32], part: Range<usize>) {
    let mut to = to.borrow_mut();
    to[part].iter_mut().zip(values).for_each(|(to, value)| *to = to.wrapping_add(*value));
}

/// Lets threads make and drop streams, buffers, graphs and pinned buffers at random. Contents are
/// right, and each round leaves the device as much memory as the one before. The first does not
/// count: a driver keeps the memory of its own objects.
fn soak(device: &Device, steps: usize) {
    /// Bytes by which the free memory of a GPU may differ: other processes and tests use it, too. The
    /// threads allocate several times as much.
    const SLACK: u64 = 64 << 20;
    let free = || device.memory_info().unwrap().map(|memory| memory.free);
    let mut before = None;
    for round in 0..3 {
        soak_once(device, steps, round);
        // The memory of a GPU's buffers is returned to the device by the next wait.
        device.synchronize().unwrap();
        let after = free();
        if let (Some(before), Some(after)) = (before, after) {
            assert!(
                after + SLACK >= before,
                "{before} bytes were free before round {round}, and {after} after"
            );
        }
        before = after;
    }
}

fn soak_once(device: &Device, steps: usize, round: u64) {
    let ones = device.upload(&[1; Soak::PART]).unwrap();
    std::thread::scope(|scope| {
        for thread in 1..=4u64 {
            let ones = &ones;
            scope.spawn(move || {
                let random = Random((thread + 10 * round).wrapping_mul(0x9e37_79b9_7f4a_7c15));
                let (streams, buffers, pinned, graphs) = Default::default();
                let mut soak = Soak { device, ones, random, streams, buffers, pinned, graphs };
                for step in 0..steps {
                    soak.step();
                    if step % 256 == 255 {
                        soak.check();
                    }
                }
                soak.check();
            });
        }
    });
}

#[test]
fn a_soak_of_threads_returns_the_memory_of_the_device() {
    soak(&device(), 600);
}

/// Compares random graphs, launched between other work, with the same program without a device.
fn random_graphs(device: &Device, graphs: u64) {
    for seed in 1..=graphs {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let other = device.stream().unwrap();
        let mut buffers: Vec<_> = (0..4).map(|i| device.upload(&[i; 32]).unwrap()).collect();
        let mut expected: Vec<Vec<u32>> = (0..4).map(|i| vec![i; 32]).collect();
        let mut graph = None;
        for _ in 0..3 {
            let mut steps = Vec::new();
            for _ in 0..1 + random.below(19) {
                let (to, start) = (random.below(4), random.below(32));
                let from = (to + 1 + random.below(3)) % 4;
                let part = start..start + 1 + random.below(32 - start);
                steps.push((random.below(3), to, from, part, random.below(9) as u32));
            }
            let record = |recorder: &Device| {
                for (kind, to, from, part, value) in &steps {
                    let [y, x] = buffers.get_disjoint_mut([*to, *from]).unwrap();
                    let (x, mut y) = (x.slice(part.clone())?, y.slice_mut(part.clone())?);
                    match kind {
                        0 => add(recorder, &x, &mut y)?,
                        1 => recorder.copy(&x, &mut y)?,
                        _ => recorder.fill(&mut y, *value)?,
                    }
                }
                Ok(())
            };
            match &mut graph {
                None => graph = Some(device.record_graph(record).unwrap()),
                Some(graph) => graph.update(record).unwrap(),
            }
            for _ in 0..3 {
                graph.as_ref().unwrap().launch().unwrap();
                for (kind, to, from, part, value) in &steps {
                    let [y, x] = expected.get_disjoint_mut([*to, *from]).unwrap();
                    let (x, y) = (&x[part.clone()], &mut y[part.clone()]);
                    match kind {
                        0 => y.iter_mut().zip(x).for_each(|(y, x)| *y = y.wrapping_add(*x)),
                        1 => y.copy_from_slice(x),
                        _ => y.fill(*value),
                    }
                }
                increment(&other, LaunchConfig::cover(32), &mut buffers[0]).unwrap();
                expected[0].iter_mut().for_each(|x| *x = x.wrapping_add(1));
            }
        }
        for (buffer, expected) in buffers.iter().zip(&expected) {
            assert_eq!(buffer.to_vec().unwrap(), *expected, "seed {seed}");
        }
    }
}

#[test]
fn random_graphs_have_the_results_of_one_order() {
    random_graphs(&device(), 20);
}

/// Faults of a graph's launches come out once, and of the first.
fn graphs_report_faults(device: &Device) {
    let mut y = device.zeros::<u32>(3).unwrap();
    let graph = device.record_graph(|recorder| {
        increment(recorder, LaunchConfig::cover(3), &mut y)?;
        faulty(recorder, LaunchConfig::cover(5), &mut y)?;
        divide(recorder, 0, &mut y)
    });
    let graph = graph.unwrap();
    for _ in 0..2 {
        graph.launch().unwrap();
        let Err(Error::DevicePanic(panic)) = device.synchronize() else { panic!("no fault") };
        assert_eq!((panic.kernel, panic.count), ("faulty", 2 + 251 * u64::from(panic.count > 2)));
        device.synchronize().unwrap();
    }
    assert_eq!(y.to_vec().unwrap(), [7; 3]);
    graph.launch().unwrap();
    drop(graph);
    assert!(matches!(device.synchronize(), Err(Error::DevicePanic(_))));
}

#[test]
fn faults_of_graphs_come_out_of_waits() {
    graphs_report_faults(&device());
}

/// Lets two streams read a buffer, and a third one overwrite it.
fn streams_share_a_buffer(device: &Device) {
    let streams: Vec<_> = (0..3).map(|_| device.stream().unwrap()).collect();
    let mut x = device.upload(&[1u32; 8]).unwrap();
    let mut sums: Vec<_> = streams.iter().map(|stream| stream.zeros(8).unwrap()).collect();
    for round in 1..=3 {
        for (stream, sum) in streams.iter().zip(&mut sums).take(2) {
            add(stream, &x, sum).unwrap();
        }
        increment(&streams[2], LaunchConfig::cover(8), &mut x).unwrap();
        let expected = (1..=round).sum::<u32>();
        assert_eq!(sums[round as usize % 2].to_vec().unwrap(), [expected; 8]);
    }
    assert_eq!(x.to_vec().unwrap(), [4; 8]);
}

#[test]
fn readers_do_not_see_later_writes() {
    streams_share_a_buffer(&device());
}

/// Checks that copies and fills of rectangles wait for the work of other streams, and that work for
/// them.
fn rectangles_wait(device: &Device) {
    let other = device.stream().unwrap();
    let mut x = device.zeros::<u32>(12).unwrap();
    let mut y = device.zeros_2d::<u32>((3, 2)).unwrap();
    for round in 0..3 {
        let config = LaunchConfig::cover(12);
        x.fill(round).unwrap();
        increment(&other, config, &mut x).unwrap();
        let middle = x.as_rows(4).unwrap().rectangle(.., 1..3).unwrap().to_vec().unwrap();
        assert_eq!(middle, [round + 1; 6]);
        increment(&other, config, &mut x).unwrap();
        let mut rows = x.as_rows_mut(4).unwrap();
        rows.rectangle_mut(.., 1..3).unwrap().copy_from(&[1, 2, 3, 4, 5, 6]).unwrap();
        increment(&other, config, &mut x).unwrap();
        let rows = x.as_rows(4).unwrap();
        y.copy_from_device(&rows.rectangle(.., 2..).unwrap()).unwrap();
        increment(&other, config, &mut x).unwrap();
        x.as_rows_mut(4).unwrap().rectangle_mut(1.., ..1).unwrap().fill(9).unwrap();
        increment(&other, config, &mut x).unwrap();
        let a = round + 3;
        let clone = y.rectangle(1.., ..).unwrap().try_clone().unwrap();
        y.rectangle_mut(2.., ..).unwrap().fill(0).unwrap();
        assert_eq!(y.to_vec().unwrap(), [3, a, 5, a, 0, 0]);
        assert_eq!((clone.to_vec().unwrap(), clone.shape()), (vec![5, a, 7, a], (2, 2)));
        let (b, c) = (a + 2, 10);
        assert_eq!(x.to_vec().unwrap(), [b, 4, 5, b, c, 6, 7, b, c, 8, 9, b]);
    }
}

#[test]
fn copies_of_rectangles_have_the_results_of_one_order() {
    rectangles_wait(&device());
}

/// Checks that a copy of a buffer returns the fault of the launch that wrote it, on any stream.
fn faults_come_out_of_copies(device: &Device) {
    let stream = device.stream().unwrap();
    let mut y = device.zeros::<u32>(3).unwrap();
    faulty(&stream, LaunchConfig::cover(5), &mut y).unwrap();
    assert!(matches!(y.to_vec(), Err(Error::DevicePanic(_))));
    assert_eq!(y.to_vec().unwrap(), [7; 3]);
    stream.synchronize().unwrap();
    let mut host = device.pinned::<u32>(3).unwrap();
    divide(device, 0, &mut y).unwrap();
    y.copy_to_pinned(&mut host).unwrap();
    assert!(matches!(host.as_slice(), Err(Error::DevicePanic(_))));
    assert_eq!(host.as_slice().unwrap(), [7; 3]);
    faulty(&stream, LaunchConfig::cover(5), &mut y).unwrap();
    y.copy_to_pinned(&mut host).unwrap();
    assert!(matches!(host.as_slice(), Err(Error::DevicePanic(_))));
    // Of the stream of the memory, which no other stream has used so far.
    let mut z = device.zeros::<u32>(3).unwrap();
    faulty(device, LaunchConfig::cover(5), &mut z).unwrap();
    stream.copy_to_pinned(&z, &mut host).unwrap();
    assert!(matches!(host.as_slice(), Err(Error::DevicePanic(_))));
    assert_eq!(host.as_slice().unwrap(), [7; 3]);
}

#[test]
fn faults_of_other_streams_come_out_of_copies() {
    faults_come_out_of_copies(&device());
}

/// Waits for a device are waits for all of its streams, and report their faults; those for a stream
/// are for this one alone.
fn devices_wait_for_streams(device: &Device) {
    let streams = [device.stream().unwrap(), device.stream().unwrap()];
    // Of a stream as of the device.
    let inner = streams[0].stream().unwrap();
    let all = [&*streams[0], &streams[1], &inner];
    let mut buffers = all.map(|stream| stream.zeros::<u32>(3).unwrap());
    let mut launch_on_all = |threads: usize| {
        for (stream, y) in all.iter().zip(&mut buffers) {
            faulty(stream, LaunchConfig::grid(1).block(threads), y).unwrap();
        }
        all.map(|stream| stream.record_event().unwrap())
    };

    let events = launch_on_all(3);
    streams[1].synchronize().unwrap();
    assert!(events[1].is_reached().unwrap());
    device.synchronize().unwrap();
    assert!(events.iter().all(|event| event.is_reached().unwrap()));

    // The oldest stream's fault first, each once, and all streams are waited for at the first one.
    let events = launch_on_all(4);
    for _ in 0..2 {
        assert!(matches!(device.synchronize(), Err(Error::DevicePanic(_))));
        assert!(events.iter().all(|event| event.is_reached().unwrap()));
    }
    all[0].synchronize().unwrap();
    all[1].synchronize().unwrap();
    assert!(matches!(all[2].synchronize(), Err(Error::DevicePanic(_))));
    device.synchronize().unwrap();

    // A stream as a device waits for itself.
    let other = Device::from(device.stream().unwrap());
    launch_on_all(4);
    other.synchronize().unwrap();
    for _ in all {
        assert!(matches!(device.synchronize(), Err(Error::DevicePanic(_))));
    }
    device.synchronize().unwrap();
}

#[test]
fn waits_for_a_device_are_for_all_of_its_streams() {
    devices_wait_for_streams(&device());
}

/// A stream that is dropped leaves its fault to its device, and to no other device of the same GPU.
fn dropped_streams_report(device: &Device) {
    for stream in [device.stream().unwrap(), device.stream().unwrap()] {
        let mut y = stream.zeros::<u32>(3).unwrap();
        faulty(&stream, LaunchConfig::cover(5), &mut y).unwrap();
    }
    if let Some(ordinal) = device.ordinal() {
        Device::cuda(ordinal).unwrap().synchronize().unwrap();
    }
    for _ in 0..2 {
        assert!(matches!(device.synchronize(), Err(Error::DevicePanic(_))));
    }
    device.synchronize().unwrap();
}

#[test]
fn faults_of_dropped_streams_come_out_of_their_device() {
    dropped_streams_report(&device());
}

/// A fault comes out of the access of the elements to which its result was copied, and of no other.
fn faults_come_out_of_parts(device: &Device) {
    let streams = [device.stream().unwrap(), device.stream().unwrap()];
    let mut host = device.pinned::<u32>(6).unwrap();
    let copy_faulty_results = |host: &mut PinnedBuffer<u32>| {
        for (stream, start) in streams.iter().zip([0, 3]) {
            let mut y = stream.zeros::<u32>(3).unwrap();
            faulty(stream, LaunchConfig::cover(5), &mut y).unwrap();
            y.copy_to_pinned(&mut host.slice_mut(start..start + 3).unwrap()).unwrap();
        }
    };
    copy_faulty_results(&mut host);
    assert!(matches!(host.slice(3..4).unwrap().as_slice(), Err(Error::DevicePanic(_))));
    assert_eq!(host.slice(3..).unwrap().as_slice().unwrap(), [7; 3]);
    assert!(matches!(host.slice_mut(..2).unwrap().as_mut_slice(), Err(Error::DevicePanic(_))));
    assert_eq!(host.as_slice().unwrap(), [7; 6]);
    // An access of all elements has one fault to report, and the next one the other.
    copy_faulty_results(&mut host);
    for _ in 0..2 {
        assert!(matches!(host.as_slice(), Err(Error::DevicePanic(_))));
    }
    assert_eq!(host.as_slice().unwrap(), [7; 6]);
}

#[test]
fn faults_of_copies_come_out_of_their_elements() {
    faults_come_out_of_parts(&device());
}

/// Copies of parts wait for those of the same elements, and the host for no others.
fn parts_of_pinned_memory(device: &Device, is_lazy: bool) {
    let stream = device.stream().unwrap();
    let mut host = device.pinned::<u32>(8).unwrap();
    let mut x = device.zeros::<u32>(4).unwrap();
    let mut y = stream.zeros::<u32>(4).unwrap();
    for round in 0..4 {
        host.slice_mut(..4).unwrap().as_mut_slice().unwrap().fill(round);
        x.copy_from_pinned(&host.slice(..4).unwrap()).unwrap();
        increment(device, LaunchConfig::cover(4), &mut x).unwrap();
        // Overlaps the part that is read, and the one that is written below.
        x.copy_to_pinned(&mut host.slice_mut(2..6).unwrap()).unwrap();
        y.copy_from_pinned(&host.slice(1..5).unwrap()).unwrap();
        x.copy_to_pinned(&mut host.slice_mut(4..).unwrap()).unwrap();
        let copied = device.record_event().unwrap();
        // The host reads what no copy writes, without a wait.
        assert_eq!(host.slice(..2).unwrap().as_slice().unwrap(), [round; 2]);
        assert!(!is_lazy || !copied.is_reached().unwrap());
        assert_eq!(y.to_vec().unwrap(), [round, round + 1, round + 1, round + 1]);
        let all = host.as_mut_slice().unwrap();
        let next = round + 1;
        assert_eq!(*all, [round, round, next, next, next, next, next, next]);
    }
}

#[test]
fn parts_of_pinned_memory_have_the_results_of_one_order() {
    parts_of_pinned_memory(&device(), false);
}

/// Events order work, are reached, and have times between them.
fn events_work(device: &Device) {
    let other = device.stream().unwrap();
    let start = device.record_event().unwrap();
    let mut y = device.zeros::<u32>(4).unwrap();
    increment(device, LaunchConfig::cover(4), &mut y).unwrap();
    let end = device.record_event().unwrap();
    other.wait_for(&end).unwrap();
    let behind = other.record_event().unwrap();
    behind.synchronize().unwrap();
    assert!(end.is_reached().unwrap() && behind.is_reached().unwrap());
    assert!(end.elapsed_since(&start).unwrap() < Duration::from_secs(60));
    let took = device.time(|| increment(device, LaunchConfig::cover(4), &mut y)).unwrap();
    assert!(took < Duration::from_secs(60));
    assert!(matches!(device.time(|| divide(device, 0, &mut y)), Err(Error::DevicePanic(_))));
}

#[test]
fn events_are_points_in_the_work() {
    events_work(&device());
}

/// Callbacks are called in order and may panic, and a future is woken.
fn callbacks_work(device: &Device) {
    let called = Arc::new(AtomicU32::new(0));
    for bit in 0..3 {
        let called = Arc::clone(&called);
        let call = move || {
            called.fetch_add(1 << (8 * bit), Ordering::SeqCst);
        };
        device.call_when_finished(call).unwrap();
    }
    // A panic without a message, which the harness would take for a failure.
    device.call_when_finished(|| std::panic::resume_unwind(Box::new(()))).unwrap();
    let finished = device.finished().unwrap();
    block_on(finished).unwrap();
    assert_eq!(called.load(Ordering::SeqCst), 0x01_01_01);
    let mut y = device.zeros::<u32>(3).unwrap();
    faulty(device, LaunchConfig::cover(5), &mut y).unwrap();
    assert!(matches!(block_on(device.finished().unwrap()), Err(Error::DevicePanic(_))));
}

/// A future is ready after the work before it, and does not wait for work that is given later.
#[cfg(target_os = "linux")]
fn futures_do_not_wait(device: &Device) {
    let mut y = device.zeros::<u32>(4).unwrap();
    increment(device, LaunchConfig::cover(4), &mut y).unwrap();
    let mut finished = std::pin::pin!(device.finished().unwrap());
    let end = device.record_event().unwrap();
    increment(device, LaunchConfig::cover(4), &mut y).unwrap();
    let later = device.record_event().unwrap();
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(finished.as_mut().poll(&mut context).is_pending());
    end.synchronize().unwrap();
    assert!(matches!(finished.as_mut().poll(&mut context), std::task::Poll::Ready(Ok(()))));
    assert!(!later.is_reached().unwrap());
}

/// Runs a future on this thread.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Arc::new(Unpark(std::thread::current())).into();
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut std::task::Context::from_waker(&waker)) {
            std::task::Poll::Ready(value) => return value,
            std::task::Poll::Pending => std::thread::park_timeout(Duration::from_millis(10)),
        }
    }
}

#[test]
fn callbacks_are_called_when_work_is_done() {
    callbacks_work(&device());
}

#[test]
fn buffers_of_another_device_are_refused() {
    let (device, other) = (Device::cpu(), Device::cpu());
    let mut y = other.zeros(4).unwrap();
    let error = increment(&device, LaunchConfig::cover(4), &mut y).unwrap_err().to_string();
    let expected = "cannot launch `increment`: `y` is a buffer on cpu (SIMT interpreter), and the launch is \
                    on another device, cpu (SIMT interpreter)";
    assert_eq!(error, expected);
    let x = device.upload(&[1, 2, 3, 4]).unwrap();
    y.copy_from_device(&x).unwrap();
    assert_eq!(y.to_vec().unwrap(), [1, 2, 3, 4]);
}

#[cfg(target_os = "linux")]
mod lazy {
    //! With the driver that runs work as late as possible.
    use super::*;
    use crate::fake_driver::{driver_report, fake, in_process};

    macro_rules! with_the_lazy_driver {
        ($($name:ident: $body:expr;)*) => {
            with_drivers! { ["lazy", "lazy no_pools"]: $($name: $body;)* }
        };
    }

    macro_rules! with_drivers {
        ($words:tt: $($name:ident: $body:expr;)*) => {$(
            #[test]
            fn $name() {
                for words in $words {
                    let name = concat!("lazy::", stringify!($name));
                    let body = || {
                        let body: fn(&Device) = $body;
                        body(&Device::cuda(0).unwrap());
                    };
                    let output = in_process(name, fake(), &[("FAKE_CUDA", words)], body);
                    let Some(left) = driver_report(output) else { return };
                    assert!(left.contains("streams 0 events 0 memory 0 pinned 0 graphs 0 "), "{left}");
                }
            }
        )*};
    }

    with_the_lazy_driver! {
        random_programs_have_the_results_of_one_order: |device| random_programs(device, 100);
        readers_do_not_see_later_writes: streams_share_a_buffer;
        copies_of_rectangles_have_the_results_of_one_order: rectangles_wait;
        faults_of_other_streams_come_out_of_copies: faults_come_out_of_copies;
        waits_for_a_device_are_for_all_of_its_streams: devices_wait_for_streams;
        faults_of_dropped_streams_come_out_of_their_device: dropped_streams_report;
        faults_of_copies_come_out_of_their_elements: faults_come_out_of_parts;
        parts_of_pinned_memory_have_the_results_of_one_order: |device| parts_of_pinned_memory(device, true);
        events_are_points_in_the_work: events_work;
        futures_do_not_wait_for_later_work: futures_do_not_wait;
        faults_of_graphs_come_out_of_waits: graphs_report_faults;
    }

    with_drivers! {
        ["eager", "lazy", "lazy no_pools"]:
            a_soak_of_threads_returns_the_memory_of_the_device: |device| soak(device, 600);
    }

    // A driver older than CUDA 11.4 has no graphs.
    with_drivers! {
        ["lazy"]: random_graphs_have_the_results_of_one_order: |device| random_graphs(device, 100);
    }

    // A driver that works only when somebody waits for it calls nobody.
    with_drivers! {
        ["eager"]: callbacks_are_called_when_work_is_done: callbacks_work;
    }

    /// Copies between two GPUs wait for the work of both.
    fn copies_between_gpus(device: &Device) {
        let other = Device::cuda(1).unwrap();
        let mut x = device.zeros::<u32>(4).unwrap();
        let mut y = other.zeros(4).unwrap();
        for round in 1..=3 {
            increment(device, LaunchConfig::cover(4), &mut x).unwrap();
            y.copy_from_device(&x).unwrap();
            increment(device, LaunchConfig::cover(4), &mut x).unwrap();
            increment(&other, LaunchConfig::cover(4), &mut y).unwrap();
            assert_eq!(y.to_vec().unwrap(), [2 * round; 4]);
        }
        let z = Device::cpu().upload(&[9; 4]).unwrap();
        y.copy_from_device(&z).unwrap();
        assert_eq!(y.try_clone().unwrap().to_vec().unwrap(), [9; 4]);
    }

    with_the_lazy_driver! {
        copies_between_gpus_wait_for_both: copies_between_gpus;
    }
}
