//! Points in the work of a stream: [`Event`], and waits for them.
use crate::{Device, Error, Result, device::Engine, driver};
use std::{
    fmt,
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, Waker},
    time::{Duration, Instant},
};

/// A point in the work of a [`Device`] or [`Stream`](crate::Stream), from [`Device::record_event`].
///
/// ```
/// # use warpwise::Device;
/// let (device, other) = (Device::cpu(), Device::cpu());
/// let start = device.record_event()?;
/// let x = device.zeros::<f32>(1000)?;
/// let end = device.record_event()?;
/// end.synchronize()?;
/// assert!(end.is_reached()?);
/// println!("zeros took {:?}", end.elapsed_since(&start)?);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone)]
pub struct Event {
    engine: EventEngine,
}

#[derive(Clone)]
enum EventEngine {
    Cpu(Instant),
    Cuda(Arc<driver::Event>),
}

impl Event {
    /// Waits until the work before the event is done.
    ///
    /// [`Device::synchronize`] and copies to the host report faults of this work.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let device = Device::cpu();
    /// let x = device.zeros::<f32>(1000)?;
    /// let event = device.record_event()?;
    /// event.synchronize()?;
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// Errors of the driver.
    #[doc(alias = "cudaEventSynchronize")]
    pub fn synchronize(&self) -> Result<()> {
        match &self.engine {
            EventEngine::Cpu(_) => Ok(()),
            EventEngine::Cuda(event) => event.synchronize(),
        }
    }

    /// Returns true if the work before the event is done.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let device = Device::cpu();
    /// let x = device.zeros::<f32>(1000)?;
    /// let event = device.record_event()?;
    /// while !event.is_reached()? {
    ///     std::thread::yield_now();
    /// }
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// Errors of the driver.
    #[doc(alias = "cudaEventQuery")]
    pub fn is_reached(&self) -> Result<bool> {
        match &self.engine {
            EventEngine::Cpu(_) => Ok(true),
            EventEngine::Cuda(event) => event.is_reached(),
        }
    }

    /// Waits until both events are reached and returns the time between them, as the device
    /// measures it: with a resolution of about half a microsecond on a GPU. It is zero if this
    /// event came first.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let device = Device::cpu();
    /// let start = device.record_event()?;
    /// let x = device.zeros::<f32>(1000)?;
    /// let end = device.record_event()?;
    /// println!("{:?}", end.elapsed_since(&start)?);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::EventsOfTwoDevices`]; errors of the driver.
    #[doc(alias = "cudaEventElapsedTime")]
    pub fn elapsed_since(&self, start: &Self) -> Result<Duration> {
        match (&self.engine, &start.engine) {
            (EventEngine::Cpu(end), EventEngine::Cpu(start)) => {
                Ok(end.saturating_duration_since(*start))
            }
            (EventEngine::Cuda(end), EventEngine::Cuda(start)) if end.is_on_the_gpu_of(start) => {
                end.elapsed_since(start)
            }
            (EventEngine::Cuda(_), _) | (EventEngine::Cpu(_), EventEngine::Cuda(_)) => {
                Err(Error::EventsOfTwoDevices)
            }
        }
    }

    /// Makes later work of `device` wait for the event.
    pub(crate) fn make_wait(&self, device: &Device) -> Result<()> {
        match (&self.engine, &device.engine) {
            (EventEngine::Cpu(_), _) => Ok(()),
            (EventEngine::Cuda(event), Engine::Cpu(_)) => event.synchronize(),
            (EventEngine::Cuda(event), Engine::Cuda(stream)) => stream.wait_for(event),
        }
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.engine {
            EventEngine::Cpu(_) => "Event(cpu)",
            EventEngine::Cuda(_) => "Event(cuda)",
        })
    }
}

/// A future for the end of the work of a device, from [`Device::finished`].
#[must_use = "a future does nothing unless it is awaited"]
pub struct Finished {
    device: Device,
    state: Arc<Mutex<FinishedState>>,
}

#[derive(Default)]
struct FinishedState {
    /// Once the work is done, true, or false if the device was lost.
    has_succeeded: Option<bool>,
    waker: Option<Waker>,
}

impl Future for Finished {
    type Output = Result<()>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(has_succeeded) = state.has_succeeded else {
            state.waker = Some(context.waker().clone());
            return Poll::Pending;
        };
        drop(state);
        Poll::Ready(match &self.device.engine {
            // Later work does not matter, which `synchronize` would wait for.
            Engine::Cuda(stream) if has_succeeded => stream.report(),
            // Returns the error of a lost device at once.
            Engine::Cuda(_) | Engine::Cpu(_) => self.device.synchronize_stream(),
        })
    }
}

impl fmt::Debug for Finished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Finished({})", self.device)
    }
}

impl Device {
    /// Records an event after the work given so far.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let device = Device::cpu();
    /// let x = device.zeros::<f32>(1000)?;
    /// device.record_event()?.synchronize()?;
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// Errors of the driver.
    #[doc(alias("cudaEventCreate", "cudaEventRecord"))]
    pub fn record_event(&self) -> Result<Event> {
        self.check_recorded("an event", "record it before or after the launch of the graph")?;
        let engine = match &self.engine {
            Engine::Cpu(_) => EventEngine::Cpu(Instant::now()),
            Engine::Cuda(stream) => EventEngine::Cuda(Arc::new(stream.record()?)),
        };
        Ok(Event { engine })
    }

    /// Measures the time that the device or stream takes for the work that `work` gives to it, from
    /// its beginning to its end. Waits for the end, and reports faults; work that `work` gives to
    /// other streams is not waited for.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let device = Device::cpu();
    /// let mut x = device.zeros::<f32>(1000)?;
    /// let took = device.time(|| x.fill(1.0))?;
    /// println!("{took:?}");
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of `work` and of [`Self::synchronize`].
    pub fn time(&self, work: impl FnOnce() -> Result<()>) -> Result<Duration> {
        let start = self.record_event()?;
        work()?;
        let end = self.record_event()?;
        self.synchronize_stream()?;
        end.elapsed_since(&start)
    }

    /// Returns a future that is ready when the work given so far to this device or stream is done:
    /// for programs that wait with `.await`. Other streams have futures of their own. It needs no particular executor, and yields the first fault that was not
    /// returned yet, as [`Self::synchronize`] does. If threads have faulted or printed, its last
    /// `poll` waits for the work that was given later, too.
    ///
    /// ```
    /// # use warpwise::{Device, Result};
    /// # use std::{future::Future, pin::pin, task::{Context, Poll, Waker}};
    /// async fn ones(device: &Device) -> Result<Vec<f32>> {
    ///     let x = device.uninit::<f32>(3)?.fill(1.0)?;
    ///     device.finished()?.await?;
    ///     x.to_vec()
    /// }
    /// # let device = Device::cpu();
    /// # let Poll::Ready(ones) = pin!(ones(&device)).poll(&mut Context::from_waker(Waker::noop())) else { panic!() };
    /// # assert_eq!(ones?, [1.0; 3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn finished(&self) -> Result<Finished> {
        let state = Arc::new(Mutex::new(FinishedState::default()));
        let reached = Arc::clone(&state);
        self.call_after_work(move |has_succeeded| {
            let mut state = reached.lock().unwrap_or_else(PoisonError::into_inner);
            state.has_succeeded = Some(has_succeeded);
            let waker = state.waker.take();
            drop(state);
            waker.into_iter().for_each(Waker::wake);
        })?;
        Ok(Finished { device: self.clone(), state })
    }

    /// Calls a function when the work given so far is done: on a thread of the driver, or, on the
    /// interpreter, before this returns. Work that is given later waits for its end. The function
    /// must not use any device, which would wait for itself; a panic in it is ignored. If the
    /// device is lost, it is dropped without a call.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let device = Device::cpu();
    /// let x = device.zeros::<f32>(1000)?;
    /// let (sender, receiver) = std::sync::mpsc::channel();
    /// device.call_when_finished(move || sender.send("done").unwrap())?;
    /// assert_eq!(receiver.recv(), Ok("done"));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// Errors of the driver.
    #[doc(alias("cudaLaunchHostFunc", "cudaStreamAddCallback"))]
    pub fn call_when_finished(&self, function: impl FnOnce() + Send + 'static) -> Result<()> {
        self.call_after_work(move |is_done| {
            if is_done {
                function();
            }
        })
    }

    /// Calls a function when the work given so far is done, with false if the device was lost.
    fn call_after_work(&self, function: impl FnOnce(bool) + Send + 'static) -> Result<()> {
        self.check_recorded("a callback", "give it to the device after the launch of the graph")?;
        match &self.engine {
            Engine::Cpu(_) => {
                // As on a GPU, where a panic must not unwind into the driver.
                let _ = catch_unwind(AssertUnwindSafe(|| function(true)));
                Ok(())
            }
            Engine::Cuda(stream) => stream.call(Box::new(function)),
        }
    }
}
