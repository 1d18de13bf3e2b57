//! Surfaces in kernels.
use crate::{Texel, device};

/// A surface of one dimension that a kernel reads.
///
/// A launch takes `&` [`SurfaceObject<T, 1>`](crate::SurfaceObject) for it:
///
/// ```
/// use warpwise::{Sampler, Surface1, Surface1Mut, prelude::*};
///
/// #[kernel]
/// fn double(x: Surface1<u32>, mut y: Surface1Mut<u32>) {
///     let i = global_idx_x();
///     if i < x.width() && i < y.width() {
///         y.write(i, 2 * x.read(i));
///     }
/// }
///
/// let device = Device::cpu();
/// let x = device.surface_1d(&[1u32, 2, 3], Sampler::POINT)?;
/// let mut y = device.surface_1d(&[0u32; 3], Sampler::POINT)?;
/// double::launch(&device, LaunchConfig::cover(3), &x, &mut y)?;
/// assert_eq!(y.to_vec()?, [2, 4, 6]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[device]
#[derive(Clone, Copy, Debug)]
pub struct Surface1<'a, T: Texel> {
    texels: &'a [T],
    width: usize,
}

#[device]
impl<T: Texel> Surface1<'_, T> {
    /// Returns the number of texels along x.
    ///
    /// The documentation of [`Surface1`] has an example.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the texel at coordinates: CUDA's `surf1Dread`. Coordinates outside the surface end
    /// the thread, as an index outside a slice does.
    ///
    /// The documentation of [`Surface1`] has an example.
    #[track_caller]
    pub fn read(&self, x: usize) -> T {
        assert!(x < self.width, "x is {x} in a surface of {} columns", self.width);
        self.texels[x]
    }

    /// Returns the texel at coordinates; `None` outside the surface.
    ///
    /// ```
    /// use warpwise::{Sampler, Surface1, prelude::*};
    ///
    /// /// The difference of each texel and the next one, which is 0 after the last one.
    /// #[kernel]
    /// fn differences(x: Surface1<i32>, y: &mut [i32]) {
    ///     let i = global_idx_x();
    ///     if i < x.width() && i < y.len() {
    ///         y[i] = x.get(i + 1).unwrap_or(0) - x.read(i);
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let x = device.surface_1d(&[1, 4, 9], Sampler::POINT)?;
    /// let mut y = device.zeros::<i32>(3)?;
    /// differences::launch(&device, LaunchConfig::cover(3), &x, &mut y)?;
    /// assert_eq!(y.to_vec()?, [3, 5, -9]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn get(&self, x: usize) -> Option<T> {
        if x < self.width { Some(self.texels[x]) } else { None }
    }
}

/// A surface of one dimension that a kernel writes.
///
/// A launch takes `&mut` [`SurfaceObject<T, 1>`](crate::SurfaceObject) for it. The kernel declares
/// the parameter `mut`. The documentation of [`Surface1`] has an example.
#[device]
#[derive(Debug)]
pub struct Surface1Mut<'a, T: Texel> {
    texels: &'a mut [T],
    width: usize,
}

#[device]
impl<T: Texel> Surface1Mut<'_, T> {
    /// Returns the number of texels along x.
    ///
    /// The documentation of [`Surface1`] has an example.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the texel at coordinates: CUDA's `surf1Dread`. Coordinates outside the surface end
    /// the thread, as an index outside a slice does.
    ///
    /// The documentation of [`Self::get`] has an example.
    #[track_caller]
    pub fn read(&self, x: usize) -> T {
        assert!(x < self.width, "x is {x} in a surface of {} columns", self.width);
        self.texels[x]
    }

    /// Returns the texel at coordinates; `None` outside the surface.
    ///
    /// ```
    /// use warpwise::{Sampler, Surface1Mut, prelude::*};
    ///
    /// /// Exchanges the texels of each pair of neighbours. The last one may have no other.
    /// #[kernel]
    /// fn swap_pairs(mut x: Surface1Mut<i32>) {
    ///     let i = 2 * global_idx_x();
    ///     if let Some(second) = x.get(i + 1) {
    ///         let first = x.read(i);
    ///         x.write(i, second);
    ///         x.write(i + 1, first);
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut x = device.surface_1d(&[1, 2, 3, 4, 5], Sampler::POINT)?;
    /// swap_pairs::launch(&device, LaunchConfig::cover(3), &mut x)?;
    /// assert_eq!(x.to_vec()?, [2, 1, 4, 3, 5]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn get(&self, x: usize) -> Option<T> {
        if x < self.width { Some(self.texels[x]) } else { None }
    }

    /// Writes the texel at coordinates: CUDA's `surf1Dwrite`. Coordinates outside the surface end
    /// the thread, as an index outside a slice does.
    ///
    /// The documentation of [`Surface1`] has an example.
    #[track_caller]
    pub fn write(&mut self, x: usize, texel: T) {
        assert!(x < self.width, "x is {x} in a surface of {} columns", self.width);
        self.texels[x] = texel;
    }
}

/// A surface of two dimensions that a kernel reads.
///
/// A launch takes `&` [`SurfaceObject<T, 2>`](crate::SurfaceObject) for it:
///
/// ```
/// use warpwise::{Sampler, Surface2, Surface2Mut, U8x4, prelude::*};
///
/// /// Exchanges red and blue.
/// #[kernel]
/// fn swap_channels(image: Surface2<U8x4>, mut out: Surface2Mut<U8x4>) {
///     let (x, y) = (global_idx_x(), global_idx_y());
///     if x < out.width() && y < out.height() {
///         let texel = image.read(x, y);
///         out.write(x, y, U8x4::new(texel.z, texel.y, texel.x, texel.w));
///     }
/// }
///
/// let device = Device::cpu();
/// let image = device.surface_2d(&[U8x4::new(200, 30, 10, 255); 6], (2, 3), Sampler::POINT)?;
/// let mut out = device.surface_2d(&[U8x4::splat(0); 6], (2, 3), Sampler::POINT)?;
/// swap_channels::launch(&device, LaunchConfig::cover((3, 2)), &image, &mut out)?;
/// assert_eq!(out.to_vec()?, [U8x4::new(10, 30, 200, 255); 6]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[device]
#[derive(Clone, Copy, Debug)]
pub struct Surface2<'a, T: Texel> {
    texels: &'a [T],
    height: usize,
    width: usize,
    pitch: usize,
}

#[device]
impl<T: Texel> Surface2<'_, T> {
    /// Returns the number of texels along x.
    ///
    /// The documentation of [`Surface2`] has an example.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the number of texels along y.
    ///
    /// The documentation of [`Surface2`] has an example.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Returns the texel at coordinates: CUDA's `surf2Dread`. Coordinates outside the surface end
    /// the thread, as an index outside a slice does.
    ///
    /// The documentation of [`Surface2`] has an example.
    #[track_caller]
    pub fn read(&self, x: usize, y: usize) -> T {
        assert!(x < self.width, "x is {x} in a surface of {} columns", self.width);
        assert!(y < self.height, "y is {y} in a surface of {} rows", self.height);
        self.texels[y * self.pitch + x]
    }

    /// Returns the texel at coordinates; `None` outside the surface.
    ///
    /// ```
    /// use warpwise::{Sampler, Surface2, prelude::*};
    ///
    /// /// The sum of the neighbours to the right and below, where there are such.
    /// #[kernel]
    /// fn add_neighbours(image: Surface2<u32>, sums: &mut [u32]) {
    ///     let (x, y) = (global_idx_x(), global_idx_y());
    ///     if x < image.width() && y < image.height() {
    ///         let (right, below) = (image.get(x + 1, y), image.get(x, y + 1));
    ///         sums[y * image.width() + x] = right.unwrap_or(0) + below.unwrap_or(0);
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let image = device.surface_2d(&[1u32, 2, 3, 10, 20, 30], (2, 3), Sampler::POINT)?;
    /// let mut sums = device.zeros::<u32>(6)?;
    /// add_neighbours::launch(&device, LaunchConfig::cover((3, 2)), &image, &mut sums)?;
    /// assert_eq!(sums.to_vec()?, [12, 23, 30, 20, 30, 0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn get(&self, x: usize, y: usize) -> Option<T> {
        if x < self.width && y < self.height { Some(self.texels[y * self.pitch + x]) } else { None }
    }
}

/// A surface of two dimensions that a kernel writes.
///
/// A launch takes `&mut` [`SurfaceObject<T, 2>`](crate::SurfaceObject) for it. The kernel declares
/// the parameter `mut`. The documentation of [`Surface2`] has an example.
#[device]
#[derive(Debug)]
pub struct Surface2Mut<'a, T: Texel> {
    texels: &'a mut [T],
    height: usize,
    width: usize,
    pitch: usize,
}

#[device]
impl<T: Texel> Surface2Mut<'_, T> {
    /// Returns the number of texels along x.
    ///
    /// The documentation of [`Surface2`] has an example.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the number of texels along y.
    ///
    /// The documentation of [`Surface2`] has an example.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Returns the texel at coordinates: CUDA's `surf2Dread`. Coordinates outside the surface end
    /// the thread, as an index outside a slice does.
    ///
    /// The documentation of [`Self::get`] has an example.
    #[track_caller]
    pub fn read(&self, x: usize, y: usize) -> T {
        assert!(x < self.width, "x is {x} in a surface of {} columns", self.width);
        assert!(y < self.height, "y is {y} in a surface of {} rows", self.height);
        self.texels[y * self.pitch + x]
    }

    /// Returns the texel at coordinates; `None` outside the surface.
    ///
    /// ```
    /// use warpwise::{Sampler, Surface2Mut, prelude::*};
    ///
    /// /// Exchanges the rows of each pair of neighbours. The last one may have no other.
    /// #[kernel]
    /// fn swap_rows(mut image: Surface2Mut<u32>) {
    ///     let (x, y) = (global_idx_x(), 2 * global_idx_y());
    ///     if let Some(second) = image.get(x, y + 1) {
    ///         let first = image.read(x, y);
    ///         image.write(x, y, second);
    ///         image.write(x, y + 1, first);
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut image = device.surface_2d(&[1u32, 2, 3, 4, 5, 6], (3, 2), Sampler::POINT)?;
    /// swap_rows::launch(&device, LaunchConfig::cover((2, 2)), &mut image)?;
    /// assert_eq!(image.to_vec()?, [3, 4, 1, 2, 5, 6]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn get(&self, x: usize, y: usize) -> Option<T> {
        if x < self.width && y < self.height { Some(self.texels[y * self.pitch + x]) } else { None }
    }

    /// Writes the texel at coordinates: CUDA's `surf2Dwrite`. Coordinates outside the surface end
    /// the thread, as an index outside a slice does.
    ///
    /// The documentation of [`Surface2`] has an example.
    #[track_caller]
    pub fn write(&mut self, x: usize, y: usize, texel: T) {
        assert!(x < self.width, "x is {x} in a surface of {} columns", self.width);
        assert!(y < self.height, "y is {y} in a surface of {} rows", self.height);
        self.texels[y * self.pitch + x] = texel;
    }
}

/// A surface of three dimensions that a kernel reads.
///
/// A launch takes `&` [`SurfaceObject<T, 3>`](crate::SurfaceObject) for it:
///
/// ```
/// use warpwise::{Sampler, Surface3, Surface3Mut, prelude::*};
///
/// /// Exchanges x and z.
/// #[kernel]
/// fn swap_axes(a: Surface3<u8>, mut b: Surface3Mut<u8>) {
///     let (x, y, z) = (global_idx_x(), global_idx_y(), global_idx_z());
///     if x < b.width() && y < b.height() && z < b.depth() {
///         b.write(x, y, z, a.read(z, y, x));
///     }
/// }
///
/// let device = Device::cpu();
/// let a = device.surface_3d(&[1u8, 2, 3, 4, 5, 6, 7, 8], (2, 2, 2), Sampler::POINT)?;
/// let mut b = device.surface_3d(&[0u8; 8], (2, 2, 2), Sampler::POINT)?;
/// swap_axes::launch(&device, LaunchConfig::cover((2, 2, 2)), &a, &mut b)?;
/// assert_eq!(b.to_vec()?, [1, 5, 3, 7, 2, 6, 4, 8]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[device]
#[derive(Clone, Copy, Debug)]
pub struct Surface3<'a, T: Texel> {
    texels: &'a [T],
    depth: usize,
    height: usize,
    width: usize,
    rows: usize,
    pitch: usize,
}

#[device]
impl<T: Texel> Surface3<'_, T> {
    /// Returns the number of texels along x.
    ///
    /// The documentation of [`Surface3`] has an example.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the number of texels along y.
    ///
    /// The documentation of [`Surface3`] has an example.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Returns the number of texels along z.
    ///
    /// The documentation of [`Surface3`] has an example.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Returns the texel at coordinates: CUDA's `surf3Dread`. Coordinates outside the surface end
    /// the thread, as an index outside a slice does.
    ///
    /// The documentation of [`Surface3`] has an example.
    #[track_caller]
    pub fn read(&self, x: usize, y: usize, z: usize) -> T {
        assert!(x < self.width, "x is {x} in a surface of {} columns", self.width);
        assert!(y < self.height, "y is {y} in a surface of {} rows", self.height);
        assert!(z < self.depth, "z is {z} in a surface of {} layers", self.depth);
        self.texels[(z * self.rows + y) * self.pitch + x]
    }

    /// Returns the texel at coordinates; `None` outside the surface.
    ///
    /// ```
    /// use warpwise::{Sampler, Surface3, prelude::*};
    ///
    /// /// The texels of the next layer, or 0.
    /// #[kernel]
    /// fn shift(volume: Surface3<u8>, shifted: &mut [u8]) {
    ///     let (x, y, z) = (global_idx_x(), global_idx_y(), global_idx_z());
    ///     if x < volume.width() && y < volume.height() && z < volume.depth() {
    ///         let place = (z * volume.height() + y) * volume.width() + x;
    ///         shifted[place] = volume.get(x, y, z + 1).unwrap_or(0);
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let volume = device.surface_3d(&[1u8, 2, 3, 4, 5, 6], (3, 1, 2), Sampler::POINT)?;
    /// let mut shifted = device.zeros::<u8>(6)?;
    /// shift::launch(&device, LaunchConfig::cover((2, 1, 3)), &volume, &mut shifted)?;
    /// assert_eq!(shifted.to_vec()?, [3, 4, 5, 6, 0, 0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn get(&self, x: usize, y: usize, z: usize) -> Option<T> {
        if x < self.width && y < self.height && z < self.depth {
            Some(self.texels[(z * self.rows + y) * self.pitch + x])
        } else {
            None
        }
    }
}

/// A surface of three dimensions that a kernel writes.
///
/// A launch takes `&mut` [`SurfaceObject<T, 3>`](crate::SurfaceObject) for it. The kernel declares
/// the parameter `mut`. The documentation of [`Surface3`] has an example.
#[device]
#[derive(Debug)]
pub struct Surface3Mut<'a, T: Texel> {
    texels: &'a mut [T],
    depth: usize,
    height: usize,
    width: usize,
    rows: usize,
    pitch: usize,
}

#[device]
impl<T: Texel> Surface3Mut<'_, T> {
    /// Returns the number of texels along x.
    ///
    /// The documentation of [`Surface3`] has an example.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the number of texels along y.
    ///
    /// The documentation of [`Surface3`] has an example.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Returns the number of texels along z.
    ///
    /// The documentation of [`Surface3`] has an example.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Returns the texel at coordinates: CUDA's `surf3Dread`. Coordinates outside the surface end
    /// the thread, as an index outside a slice does.
    ///
    /// The documentation of [`Self::get`] has an example.
    #[track_caller]
    pub fn read(&self, x: usize, y: usize, z: usize) -> T {
        assert!(x < self.width, "x is {x} in a surface of {} columns", self.width);
        assert!(y < self.height, "y is {y} in a surface of {} rows", self.height);
        assert!(z < self.depth, "z is {z} in a surface of {} layers", self.depth);
        self.texels[(z * self.rows + y) * self.pitch + x]
    }

    /// Returns the texel at coordinates; `None` outside the surface.
    ///
    /// ```
    /// use warpwise::{Sampler, Surface3Mut, prelude::*};
    ///
    /// /// Exchanges the layers of each pair of neighbours. The last one may have no other.
    /// #[kernel]
    /// fn swap_layers(mut volume: Surface3Mut<u8>) {
    ///     let (x, y, z) = (global_idx_x(), global_idx_y(), 2 * global_idx_z());
    ///     if let Some(second) = volume.get(x, y, z + 1) {
    ///         let first = volume.read(x, y, z);
    ///         volume.write(x, y, z, second);
    ///         volume.write(x, y, z + 1, first);
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut volume = device.surface_3d(&[1u8, 2, 3, 4, 5, 6], (3, 1, 2), Sampler::POINT)?;
    /// swap_layers::launch(&device, LaunchConfig::cover((2, 1, 2)), &mut volume)?;
    /// assert_eq!(volume.to_vec()?, [3, 4, 1, 2, 5, 6]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn get(&self, x: usize, y: usize, z: usize) -> Option<T> {
        if x < self.width && y < self.height && z < self.depth {
            Some(self.texels[(z * self.rows + y) * self.pitch + x])
        } else {
            None
        }
    }

    /// Writes the texel at coordinates: CUDA's `surf3Dwrite`. Coordinates outside the surface end
    /// the thread, as an index outside a slice does.
    ///
    /// The documentation of [`Surface3`] has an example.
    #[track_caller]
    pub fn write(&mut self, x: usize, y: usize, z: usize, texel: T) {
        assert!(x < self.width, "x is {x} in a surface of {} columns", self.width);
        assert!(y < self.height, "y is {y} in a surface of {} rows", self.height);
        assert!(z < self.depth, "z is {z} in a surface of {} layers", self.depth);
        self.texels[(z * self.rows + y) * self.pitch + x] = texel;
    }
}

/// An array of surfaces of one dimension that a kernel reads.
///
/// A launch takes `&` [`SurfaceObject<T, 1, true>`](crate::SurfaceObject) for it:
///
/// ```
/// use warpwise::{LayeredSurface1, LayeredSurface1Mut, Sampler, prelude::*};
///
/// /// Copies the layers in the opposite order.
/// #[kernel]
/// fn reverse(a: LayeredSurface1<u16>, mut b: LayeredSurface1Mut<u16>) {
///     let (x, layer) = (global_idx_x(), global_idx_y());
///     if x < b.width() && layer < b.layers() {
///         b.write(layer, x, a.read(b.layers() - 1 - layer, x));
///     }
/// }
///
/// let device = Device::cpu();
/// let a = device.layered_surface_1d(&[1u16, 2, 3, 4], (2, 2), Sampler::POINT)?;
/// let mut b = device.layered_surface_1d(&[0u16; 4], (2, 2), Sampler::POINT)?;
/// reverse::launch(&device, LaunchConfig::cover((2, 2)), &a, &mut b)?;
/// assert_eq!(b.to_vec()?, [3, 4, 1, 2]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[device]
#[derive(Clone, Copy, Debug)]
pub struct LayeredSurface1<'a, T: Texel> {
    texels: &'a [T],
    layers: usize,
    width: usize,
    pitch: usize,
}

#[device]
impl<T: Texel> LayeredSurface1<'_, T> {
    /// Returns the number of texels along x.
    ///
    /// The documentation of [`LayeredSurface1`] has an example.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the number of layers.
    ///
    /// The documentation of [`LayeredSurface1`] has an example.
    pub fn layers(&self) -> usize {
        self.layers
    }

    /// Returns the texel at coordinates: CUDA's `surf1DLayeredread`. Coordinates outside the
    /// surface end the thread, as an index outside a slice does.
    ///
    /// The documentation of [`LayeredSurface1`] has an example.
    #[track_caller]
    pub fn read(&self, layer: usize, x: usize) -> T {
        assert!(layer < self.layers, "layer is {layer} in a surface of {} layers", self.layers);
        assert!(x < self.width, "x is {x} in a surface of {} columns", self.width);
        self.texels[layer * self.pitch + x]
    }

    /// Returns the texel at coordinates; `None` outside the surface.
    ///
    /// ```
    /// use warpwise::{LayeredSurface1, Sampler, prelude::*};
    ///
    /// /// The differences of each layer and the next one, where there is one.
    /// #[kernel]
    /// fn differences(tables: LayeredSurface1<i16>, y: &mut [i16]) {
    ///     let (x, layer) = (global_idx_x(), global_idx_y());
    ///     if let Some(next) = tables.get(layer + 1, x) {
    ///         y[layer * tables.width() + x] = next - tables.read(layer, x);
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let tables = device.layered_surface_1d(&[1i16, 2, 10, 20], (2, 2), Sampler::POINT)?;
    /// let mut y = device.zeros::<i16>(4)?;
    /// differences::launch(&device, LaunchConfig::cover((2, 2)), &tables, &mut y)?;
    /// assert_eq!(y.to_vec()?, [9, 18, 0, 0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn get(&self, layer: usize, x: usize) -> Option<T> {
        if layer < self.layers && x < self.width {
            Some(self.texels[layer * self.pitch + x])
        } else {
            None
        }
    }
}

/// An array of surfaces of one dimension that a kernel writes.
///
/// A launch takes `&mut` [`SurfaceObject<T, 1, true>`](crate::SurfaceObject) for it. The kernel
/// declares the parameter `mut`. The documentation of [`LayeredSurface1`] has an example.
#[device]
#[derive(Debug)]
pub struct LayeredSurface1Mut<'a, T: Texel> {
    texels: &'a mut [T],
    layers: usize,
    width: usize,
    pitch: usize,
}

#[device]
impl<T: Texel> LayeredSurface1Mut<'_, T> {
    /// Returns the number of texels along x.
    ///
    /// The documentation of [`LayeredSurface1`] has an example.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the number of layers.
    ///
    /// The documentation of [`LayeredSurface1`] has an example.
    pub fn layers(&self) -> usize {
        self.layers
    }

    /// Returns the texel at coordinates: CUDA's `surf1DLayeredread`. Coordinates outside the
    /// surface end the thread, as an index outside a slice does.
    ///
    /// The documentation of [`Self::get`] has an example.
    #[track_caller]
    pub fn read(&self, layer: usize, x: usize) -> T {
        assert!(layer < self.layers, "layer is {layer} in a surface of {} layers", self.layers);
        assert!(x < self.width, "x is {x} in a surface of {} columns", self.width);
        self.texels[layer * self.pitch + x]
    }

    /// Returns the texel at coordinates; `None` outside the surface.
    ///
    /// ```
    /// use warpwise::{LayeredSurface1Mut, Sampler, prelude::*};
    ///
    /// /// Adds the first layer to each other one.
    /// #[kernel]
    /// fn add_first(mut tables: LayeredSurface1Mut<u16>) {
    ///     let (x, layer) = (global_idx_x(), 1 + global_idx_y());
    ///     if let Some(texel) = tables.get(layer, x) {
    ///         let sum = texel + tables.read(0, x);
    ///         tables.write(layer, x, sum);
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut tables = device.layered_surface_1d(&[1u16, 2, 10, 20], (2, 2), Sampler::POINT)?;
    /// add_first::launch(&device, LaunchConfig::cover((2, 2)), &mut tables)?;
    /// assert_eq!(tables.to_vec()?, [1, 2, 11, 22]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn get(&self, layer: usize, x: usize) -> Option<T> {
        if layer < self.layers && x < self.width {
            Some(self.texels[layer * self.pitch + x])
        } else {
            None
        }
    }

    /// Writes the texel at coordinates: CUDA's `surf1DLayeredwrite`. Coordinates outside the
    /// surface end the thread, as an index outside a slice does.
    ///
    /// The documentation of [`LayeredSurface1`] has an example.
    #[track_caller]
    pub fn write(&mut self, layer: usize, x: usize, texel: T) {
        assert!(layer < self.layers, "layer is {layer} in a surface of {} layers", self.layers);
        assert!(x < self.width, "x is {x} in a surface of {} columns", self.width);
        self.texels[layer * self.pitch + x] = texel;
    }
}

/// An array of surfaces of two dimensions that a kernel reads.
///
/// A launch takes `&` [`SurfaceObject<T, 2, true>`](crate::SurfaceObject) for it:
///
/// ```
/// use warpwise::{LayeredSurface2, LayeredSurface2Mut, Sampler, prelude::*};
///
/// /// The difference of each frame from the one before it.
/// #[kernel]
/// fn difference(frames: LayeredSurface2<f32>, mut out: LayeredSurface2Mut<f32>) {
///     let (x, y, layer) = (global_idx_x(), global_idx_y(), global_idx_z());
///     if x < out.width() && y < out.height() && layer < out.layers() {
///         let frame = frames.read(layer, x, y);
///         let before = if layer > 0 { frames.read(layer - 1, x, y) } else { frame };
///         out.write(layer, x, y, frame - before);
///     }
/// }
///
/// let device = Device::cpu();
/// let frames = device.layered_surface_2d(&[1.0f32, 2.0, 1.5, 2.0], (2, 1, 2), Sampler::POINT)?;
/// let mut out = device.layered_surface_2d(&[0.0f32; 4], (2, 1, 2), Sampler::POINT)?;
/// difference::launch(&device, LaunchConfig::cover((2, 1, 2)), &frames, &mut out)?;
/// assert_eq!(out.to_vec()?, [0.0, 0.0, 0.5, 0.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[device]
#[derive(Clone, Copy, Debug)]
pub struct LayeredSurface2<'a, T: Texel> {
    texels: &'a [T],
    layers: usize,
    height: usize,
    width: usize,
    rows: usize,
    pitch: usize,
}

#[device]
impl<T: Texel> LayeredSurface2<'_, T> {
    /// Returns the number of texels along x.
    ///
    /// The documentation of [`LayeredSurface2`] has an example.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the number of texels along y.
    ///
    /// The documentation of [`LayeredSurface2`] has an example.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Returns the number of layers.
    ///
    /// The documentation of [`LayeredSurface2`] has an example.
    pub fn layers(&self) -> usize {
        self.layers
    }

    /// Returns the texel at coordinates: CUDA's `surf2DLayeredread`. Coordinates outside the
    /// surface end the thread, as an index outside a slice does.
    ///
    /// The documentation of [`LayeredSurface2`] has an example.
    #[track_caller]
    pub fn read(&self, layer: usize, x: usize, y: usize) -> T {
        assert!(layer < self.layers, "layer is {layer} in a surface of {} layers", self.layers);
        assert!(x < self.width, "x is {x} in a surface of {} columns", self.width);
        assert!(y < self.height, "y is {y} in a surface of {} rows", self.height);
        self.texels[(layer * self.rows + y) * self.pitch + x]
    }

    /// Returns the texel at coordinates; `None` outside the surface.
    ///
    /// ```
    /// use warpwise::{LayeredSurface2, Sampler, prelude::*};
    ///
    /// /// The changes from each frame of a video to the next one, where there is one.
    /// #[kernel]
    /// fn changes(frames: LayeredSurface2<i16>, y: &mut [i16]) {
    ///     let (column, row, frame) = (global_idx_x(), global_idx_y(), global_idx_z());
    ///     if let Some(next) = frames.get(frame + 1, column, row) {
    ///         let place = (frame * frames.height() + row) * frames.width() + column;
    ///         y[place] = next - frames.read(frame, column, row);
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let frames = device.layered_surface_2d(&[1i16, 2, 10, 20], (2, 1, 2), Sampler::POINT)?;
    /// let mut y = device.zeros::<i16>(4)?;
    /// changes::launch(&device, LaunchConfig::cover((2, 1, 2)), &frames, &mut y)?;
    /// assert_eq!(y.to_vec()?, [9, 18, 0, 0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn get(&self, layer: usize, x: usize, y: usize) -> Option<T> {
        if layer < self.layers && x < self.width && y < self.height {
            Some(self.texels[(layer * self.rows + y) * self.pitch + x])
        } else {
            None
        }
    }
}

/// An array of surfaces of two dimensions that a kernel writes.
///
/// A launch takes `&mut` [`SurfaceObject<T, 2, true>`](crate::SurfaceObject) for it. The kernel
/// declares the parameter `mut`. The documentation of [`LayeredSurface2`] has an example.
#[device]
#[derive(Debug)]
pub struct LayeredSurface2Mut<'a, T: Texel> {
    texels: &'a mut [T],
    layers: usize,
    height: usize,
    width: usize,
    rows: usize,
    pitch: usize,
}

#[device]
impl<T: Texel> LayeredSurface2Mut<'_, T> {
    /// Returns the number of texels along x.
    ///
    /// The documentation of [`LayeredSurface2`] has an example.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the number of texels along y.
    ///
    /// The documentation of [`LayeredSurface2`] has an example.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Returns the number of layers.
    ///
    /// The documentation of [`LayeredSurface2`] has an example.
    pub fn layers(&self) -> usize {
        self.layers
    }

    /// Returns the texel at coordinates: CUDA's `surf2DLayeredread`. Coordinates outside the
    /// surface end the thread, as an index outside a slice does.
    ///
    /// The documentation of [`Self::get`] has an example.
    #[track_caller]
    pub fn read(&self, layer: usize, x: usize, y: usize) -> T {
        assert!(layer < self.layers, "layer is {layer} in a surface of {} layers", self.layers);
        assert!(x < self.width, "x is {x} in a surface of {} columns", self.width);
        assert!(y < self.height, "y is {y} in a surface of {} rows", self.height);
        self.texels[(layer * self.rows + y) * self.pitch + x]
    }

    /// Returns the texel at coordinates; `None` outside the surface.
    ///
    /// ```
    /// use warpwise::{LayeredSurface2Mut, Sampler, prelude::*};
    ///
    /// /// Adds the first layer to each other one.
    /// #[kernel]
    /// fn add_first(mut images: LayeredSurface2Mut<u8>) {
    ///     let (x, y, layer) = (global_idx_x(), global_idx_y(), 1 + global_idx_z());
    ///     if let Some(texel) = images.get(layer, x, y) {
    ///         let sum = texel + images.read(0, x, y);
    ///         images.write(layer, x, y, sum);
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut images = device.layered_surface_2d(&[1u8, 2, 10, 20], (2, 1, 2), Sampler::POINT)?;
    /// add_first::launch(&device, LaunchConfig::cover((2, 1, 2)), &mut images)?;
    /// assert_eq!(images.to_vec()?, [1, 2, 11, 22]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn get(&self, layer: usize, x: usize, y: usize) -> Option<T> {
        if layer < self.layers && x < self.width && y < self.height {
            Some(self.texels[(layer * self.rows + y) * self.pitch + x])
        } else {
            None
        }
    }

    /// Writes the texel at coordinates: CUDA's `surf2DLayeredwrite`. Coordinates outside the
    /// surface end the thread, as an index outside a slice does.
    ///
    /// The documentation of [`LayeredSurface2`] has an example.
    #[track_caller]
    pub fn write(&mut self, layer: usize, x: usize, y: usize, texel: T) {
        assert!(layer < self.layers, "layer is {layer} in a surface of {} layers", self.layers);
        assert!(x < self.width, "x is {x} in a surface of {} columns", self.width);
        assert!(y < self.height, "y is {y} in a surface of {} rows", self.height);
        self.texels[(layer * self.rows + y) * self.pitch + x] = texel;
    }
}
