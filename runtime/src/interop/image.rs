//! Images of `image`.
use crate::{Buffer, Device, Element, Result, Slice, memory::check_lengths};
use image::{ImageBuffer, Pixel};
use std::ops::Deref;

impl Device {
    /// Creates a buffer with the samples of an image, row by row and pixel by pixel.
    ///
    /// ```
    /// use image::RgbaImage;
    /// use warpwise::{U8x4, prelude::*};
    ///
    /// #[kernel]
    /// fn invert(pixels: &mut [U8x4]) {
    ///     if let Some(pixel) = pixels.get_mut(global_idx_x()) {
    ///         *pixel = U8x4::new(255 - pixel.x, 255 - pixel.y, 255 - pixel.z, pixel.w);
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let image = RgbaImage::from_pixel(4, 3, image::Rgba([255, 200, 0, 255]));
    /// let mut pixels = device.upload_image(&image)?.into_vectors::<U8x4>()?;
    /// invert::launch(&device, LaunchConfig::cover(4 * 3), &mut pixels)?;
    /// let inverted: RgbaImage = pixels.as_lanes().to_image(4, 3)?;
    /// assert_eq!(inverted.get_pixel(3, 2).0, [0, 55, 255, 255]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of [`Self::upload`].
    pub fn upload_image<P: Pixel<Subpixel: Element>>(
        &self,
        image: &ImageBuffer<P, impl Deref<Target = [P::Subpixel]>>,
    ) -> Result<Buffer<P::Subpixel>> {
        self.upload(image.as_flat_samples().samples)
    }
}

impl<T: Element> Slice<T> {
    /// Waits for the work that writes the samples and copies them to an image.
    ///
    /// The documentation of [`Device::upload_image`] has an example.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch) unless the slice has as many
    /// samples as the image; those of [`Self::to_vec`].
    pub fn to_image<P: Pixel<Subpixel = T>>(
        &self,
        width: u32,
        height: u32,
    ) -> Result<ImageBuffer<P, Vec<T>>> {
        let samples = (width as usize).saturating_mul(height as usize);
        let samples = samples.saturating_mul(P::CHANNEL_COUNT.into());
        check_lengths(self.len(), samples)?;
        let image = ImageBuffer::from_raw(width, height, self.to_vec()?);
        Ok(image.expect("there are as many samples"))
    }
}
