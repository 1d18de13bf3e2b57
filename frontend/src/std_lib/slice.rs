//! Methods of slices and arrays, as kernel code that is lowered with its callers.
impl<T> [T] {
    fn as_ref(&self) -> &[T] {
        self
    }
    fn as_mut(&mut self) -> &mut [T] {
        self
    }
    fn first(&self) -> Option<&T> {
        self.get(0)
    }
    fn first_mut(&mut self) -> Option<&mut T> {
        self.get_mut(0)
    }
    fn last(&self) -> Option<&T> {
        self.get(self.len().wrapping_sub(1))
    }
    fn last_mut(&mut self) -> Option<&mut T> {
        self.get_mut(self.len().wrapping_sub(1))
    }
    fn swap(&mut self, a: usize, b: usize) {
        let first = self[a];
        self[a] = self[b];
        self[b] = first;
    }
    fn fill(&mut self, value: T) {
        for item in self.iter_mut() {
            *item = value;
        }
    }
    fn fill_with<F: FnMut() -> T>(&mut self, mut f: F) {
        for item in self.iter_mut() {
            *item = f();
        }
    }
    fn contains(&self, value: &T) -> bool {
        for item in self.iter() {
            if *item == *value {
                return true;
            }
        }
        false
    }
    fn starts_with(&self, other: &[T]) -> bool {
        if other.len() > self.len() {
            return false;
        }
        for (a, b) in self.iter().zip(other.iter()) {
            if *a != *b {
                return false;
            }
        }
        true
    }
    fn reverse(&mut self) {
        let len = self.len();
        for i in 0..len / 2 {
            self.swap(i, len.wrapping_sub(1).wrapping_sub(i));
        }
    }
    fn split_at(&self, mid: usize) -> (&[T], &[T]) {
        (&self[..mid], &self[mid..])
    }
    fn split_at_mut(&mut self, mid: usize) -> (&mut [T], &mut [T]) {
        (&mut self[..mid], &mut self[mid..])
    }
    fn split_first(&self) -> Option<(&T, &[T])> {
        match self {
            [first, rest @ ..] => Some((first, rest)),
            _ => None,
        }
    }
    fn split_last(&self) -> Option<(&T, &[T])> {
        match self {
            [rest @ .., last] => Some((last, rest)),
            _ => None,
        }
    }
    fn eq(&self, other: &[T]) -> bool {
        if self.len() != other.len() {
            return false;
        }
        for (a, b) in self.iter().zip(other.iter()) {
            if *a != *b {
                return false;
            }
        }
        true
    }
    fn ne(&self, other: &[T]) -> bool {
        !self.eq(other)
    }
    fn partial_cmp(&self, other: &[T]) -> Option<Ordering> {
        for (a, b) in self.iter().zip(other.iter()) {
            let order = a.partial_cmp(b);
            if order != Some(Ordering::Equal) {
                return order;
            }
        }
        self.len().partial_cmp(&other.len())
    }
    fn cmp(&self, other: &[T]) -> Ordering {
        for (a, b) in self.iter().zip(other.iter()) {
            let order = a.cmp(b);
            if order.is_ne() {
                return order;
            }
        }
        self.len().cmp(&other.len())
    }
    fn lt(&self, other: &[T]) -> bool {
        matches!(self.partial_cmp(other), Some(Ordering::Less))
    }
    fn le(&self, other: &[T]) -> bool {
        matches!(self.partial_cmp(other), Some(Ordering::Less | Ordering::Equal))
    }
    fn gt(&self, other: &[T]) -> bool {
        matches!(self.partial_cmp(other), Some(Ordering::Greater))
    }
    fn ge(&self, other: &[T]) -> bool {
        matches!(self.partial_cmp(other), Some(Ordering::Greater | Ordering::Equal))
    }
    fn ends_with(&self, other: &[T]) -> bool {
        if other.len() > self.len() {
            return false;
        }
        self[self.len().wrapping_sub(other.len())..].eq(other)
    }
    fn strip_prefix(&self, prefix: &[T]) -> Option<&[T]> {
        if self.starts_with(prefix) { Some(&self[prefix.len()..]) } else { None }
    }
    fn strip_suffix(&self, suffix: &[T]) -> Option<&[T]> {
        if self.ends_with(suffix) {
            Some(&self[..self.len().wrapping_sub(suffix.len())])
        } else {
            None
        }
    }
    fn copy_from_slice(&mut self, other: &[T]) {
        if self.len() != other.len() {
            panic!("copy_from_slice: source slice length ({}) does not match destination slice length ({})", other.len(), self.len());
        }
        for (to, from) in self.iter_mut().zip(other.iter()) {
            *to = *from;
        }
    }
    fn copy_between(&mut self, start: usize, end: usize, to: usize) {
        let count = self[start..end].len();
        if to > self.len().wrapping_sub(count) {
            panic!("dest is out of bounds");
        }
        if to <= start {
            for i in 0..count {
                self[to.wrapping_add(i)] = self[start.wrapping_add(i)];
            }
        } else {
            for i in (0..count).rev() {
                self[to.wrapping_add(i)] = self[start.wrapping_add(i)];
            }
        }
    }
    fn copy_through(&mut self, start: usize, last: usize, to: usize) {
        let count = self[start..=last].len();
        self.copy_between(start, start.wrapping_add(count), to);
    }
    fn copy_from(&mut self, start: usize, to: usize) {
        self.copy_between(start, self.len(), to);
    }
    fn clone_from_slice(&mut self, other: &[T]) {
        if self.len() != other.len() {
            panic!("destination and source slices have different lengths");
        }
        for (to, from) in self.iter_mut().zip(other.iter()) {
            *to = from.clone();
        }
    }
    fn swap_with_slice(&mut self, other: &mut [T]) {
        if self.len() != other.len() {
            panic!("destination and source slices have different lengths");
        }
        for (a, b) in self.iter_mut().zip(other.iter_mut()) {
            let first = *a;
            *a = *b;
            *b = first;
        }
    }
    fn rotate_left(&mut self, mid: usize) {
        assert!(mid <= self.len());
        self[..mid].reverse();
        self[mid..].reverse();
        self.reverse();
    }
    fn rotate_right(&mut self, k: usize) {
        assert!(k <= self.len());
        self.rotate_left(self.len().wrapping_sub(k));
    }
    fn split_first_mut(&mut self) -> Option<(&mut T, &mut [T])> {
        match self {
            [first, rest @ ..] => Some((first, rest)),
            _ => None,
        }
    }
    fn split_last_mut(&mut self) -> Option<(&mut T, &mut [T])> {
        match self {
            [rest @ .., last] => Some((last, rest)),
            _ => None,
        }
    }
    fn binary_search(&self, value: &T) -> Result<usize, usize> {
        self.binary_search_by(|item| item.cmp(value))
    }
    fn binary_search_by<F: FnMut(&T) -> Ordering>(&self, mut f: F) -> Result<usize, usize> {
        let mut size = self.len();
        if size == 0 {
            return Err(0);
        }
        let mut base: usize = 0;
        while size > 1 {
            let half = size / 2;
            let mid = base.wrapping_add(half);
            base = if f(&self[mid]).is_gt() { base } else { mid };
            size = size.wrapping_sub(half);
        }
        let found = f(&self[base]);
        if found.is_eq() {
            Ok(base)
        } else {
            Err(if found.is_lt() { base.wrapping_add(1) } else { base })
        }
    }
    fn binary_search_by_key<B, F: FnMut(&T) -> B>(&self, key: &B, mut f: F) -> Result<usize, usize> {
        self.binary_search_by(|item| f(item).cmp(key))
    }
    fn partition_point<F: FnMut(&T) -> bool>(&self, mut f: F) -> usize {
        let found = self.binary_search_by(|item| if f(item) { Ordering::Less } else { Ordering::Greater });
        match found {
            Ok(index) => index,
            Err(index) => index,
        }
    }
    fn sort(&mut self) {
        self.sort_by(|a, b| a.cmp(b));
    }
    fn sort_unstable(&mut self) {
        self.sort_by(|a, b| a.cmp(b));
    }
    fn sort_by_key<K, F: FnMut(&T) -> K>(&mut self, mut f: F) {
        self.sort_by(|a, b| f(a).cmp(&f(b)));
    }
    fn sort_unstable_by_key<K, F: FnMut(&T) -> K>(&mut self, mut f: F) {
        self.sort_by(|a, b| f(a).cmp(&f(b)));
    }
    fn sort_unstable_by<F: FnMut(&T, &T) -> Ordering>(&mut self, mut f: F) {
        self.sort_by(|a, b| f(a, b));
    }
    fn sort_by<F: FnMut(&T, &T) -> Ordering>(&mut self, mut f: F) {
        for i in 1..self.len() {
            let item = self[i];
            let mut to = i;
            while to > 0 && f(&item, &self[to.wrapping_sub(1)]).is_lt() {
                self[to] = self[to.wrapping_sub(1)];
                to = to.wrapping_sub(1);
            }
            self[to] = item;
        }
    }
    fn is_sorted(&self) -> bool {
        self.is_sorted_by(|a, b| *a <= *b)
    }
    fn is_sorted_by<F: FnMut(&T, &T) -> bool>(&self, mut f: F) -> bool {
        for pair in self.windows(2) {
            if !f(&pair[0], &pair[1]) {
                return false;
            }
        }
        true
    }
    fn is_sorted_by_key<F: FnMut(&T) -> K, K>(&self, f: F) -> bool {
        self.iter().is_sorted_by_key(f)
    }
    fn get_between(&self, start: usize, end: usize) -> Option<&[T]> {
        if start <= end && end <= self.len() { Some(&self[start..end]) } else { None }
    }
    fn get_through(&self, start: usize, last: usize) -> Option<&[T]> {
        if start <= last.saturating_add(1) && last < self.len() { Some(&self[start..=last]) } else { None }
    }
    fn get_from(&self, start: usize) -> Option<&[T]> {
        if start <= self.len() { Some(&self[start..]) } else { None }
    }
    fn get_between_mut(&mut self, start: usize, end: usize) -> Option<&mut [T]> {
        if start <= end && end <= self.len() { Some(&mut self[start..end]) } else { None }
    }
    fn get_through_mut(&mut self, start: usize, last: usize) -> Option<&mut [T]> {
        if start <= last.saturating_add(1) && last < self.len() { Some(&mut self[start..=last]) } else { None }
    }
    fn get_from_mut(&mut self, start: usize) -> Option<&mut [T]> {
        if start <= self.len() { Some(&mut self[start..]) } else { None }
    }
    fn get_disjoint_mut<const N: usize>(
        &mut self,
        indices: [usize; N],
    ) -> Result<[&mut T; N], GetDisjointMutError> {
        for i in 0..N {
            if indices[i] >= self.len() {
                return Err(GetDisjointMutError::IndexOutOfBounds);
            }
            for j in 0..i {
                if indices[i] == indices[j] {
                    return Err(GetDisjointMutError::OverlappingIndices);
                }
            }
        }
        Ok(std::array::from_fn(|i| &mut self[indices[i]]))
    }
    fn split_at_checked(&self, mid: usize) -> Option<(&[T], &[T])> {
        if mid <= self.len() { Some((&self[..mid], &self[mid..])) } else { None }
    }
    fn first_chunk<const N: usize>(&self) -> Option<&[T; N]> {
        if self.len() < N { None } else { Some(self.elements()) }
    }
    fn first_chunk_mut<const N: usize>(&mut self) -> Option<&mut [T; N]> {
        if self.len() < N { None } else { Some(self.elements_mut()) }
    }
    fn last_chunk<const N: usize>(&self) -> Option<&[T; N]> {
        if self.len() < N { None } else { Some(self[self.len().wrapping_sub(N)..].elements()) }
    }
    fn last_chunk_mut<const N: usize>(&mut self) -> Option<&mut [T; N]> {
        if self.len() < N { None } else { Some(self[self.len().wrapping_sub(N)..].elements_mut()) }
    }
    fn split_first_chunk<const N: usize>(&self) -> Option<(&[T; N], &[T])> {
        if self.len() < N { None } else { Some((self.elements(), &self[N..])) }
    }
    fn split_first_chunk_mut<const N: usize>(&mut self) -> Option<(&mut [T; N], &mut [T])> {
        if self.len() < N { None } else { Some((self.elements_mut(), &mut self[N..])) }
    }
    fn split_last_chunk<const N: usize>(&self) -> Option<(&[T], &[T; N])> {
        let start = self.len().wrapping_sub(N);
        if self.len() < N { None } else { Some((&self[..start], self[start..].elements())) }
    }
    fn split_last_chunk_mut<const N: usize>(&mut self) -> Option<(&mut [T], &mut [T; N])> {
        let start = self.len().wrapping_sub(N);
        if self.len() < N { None } else { Some((&mut self[..start], self[start..].elements_mut())) }
    }
    fn as_array<const N: usize>(&self) -> Option<&[T; N]> {
        if self.len() == N { Some(self.elements()) } else { None }
    }
    fn as_mut_array<const N: usize>(&mut self) -> Option<&mut [T; N]> {
        if self.len() == N { Some(self.elements_mut()) } else { None }
    }
    fn try_into_array<const N: usize>(&self) -> Result<[T; N], TryFromSliceError> {
        if self.len() == N { Ok(*self.elements()) } else { Err(TryFromSliceError::TryFromSliceError(())) }
    }
    fn try_into_reference<const N: usize>(&self) -> Result<&[T; N], TryFromSliceError> {
        if self.len() == N { Ok(self.elements()) } else { Err(TryFromSliceError::TryFromSliceError(())) }
    }
    fn try_into_reference_mut<const N: usize>(&mut self) -> Result<&mut [T; N], TryFromSliceError> {
        if self.len() == N { Ok(self.elements_mut()) } else { Err(TryFromSliceError::TryFromSliceError(())) }
    }
    fn as_chunks<const N: usize>(&self) -> (&[[T; N]], &[T]) {
        let count = self.len() / N;
        (self.arrays(count), &self[count.wrapping_mul(N)..])
    }
    fn as_chunks_mut<const N: usize>(&mut self) -> (&mut [[T; N]], &mut [T]) {
        let count = self.len() / N;
        (self.arrays_mut(count), &mut self[count.wrapping_mul(N)..])
    }
    fn as_rchunks<const N: usize>(&self) -> (&[T], &[[T; N]]) {
        let (count, first) = (self.len() / N, self.len() % N);
        (&self[..first], self[first..].arrays(count))
    }
    fn as_rchunks_mut<const N: usize>(&mut self) -> (&mut [T], &mut [[T; N]]) {
        let (count, first) = (self.len() / N, self.len() % N);
        (&mut self[..first], self[first..].arrays_mut(count))
    }
    fn array_windows<const N: usize>(&self) -> impl Iterator<Item = &[T; N]> {
        self.windows(N).map(|window| window.elements())
    }
    fn split_at_mut_checked(&mut self, mid: usize) -> Option<(&mut [T], &mut [T])> {
        if mid <= self.len() { Some((&mut self[..mid], &mut self[mid..])) } else { None }
    }
}

impl [u8] {
    fn eq_ignore_ascii_case(&self, other: &[u8]) -> bool {
        self.len() == other.len() && self.iter().zip(other).all(|(a, b)| a.eq_ignore_ascii_case(b))
    }
    fn is_ascii(&self) -> bool {
        self.iter().all(|byte| byte.is_ascii())
    }
    fn make_ascii_lowercase(&mut self) {
        for byte in self.iter_mut() {
            *byte = byte.to_ascii_lowercase();
        }
    }
    fn make_ascii_uppercase(&mut self) {
        for byte in self.iter_mut() {
            *byte = byte.to_ascii_uppercase();
        }
    }
    fn trim_ascii_start(&self) -> &[u8] {
        let mut start = 0;
        while start < self.len() && self[start].is_ascii_whitespace() {
            start = start.wrapping_add(1);
        }
        &self[start..]
    }
    fn trim_ascii_end(&self) -> &[u8] {
        let mut end = self.len();
        while end > 0 && self[end.wrapping_sub(1)].is_ascii_whitespace() {
            end = end.wrapping_sub(1);
        }
        &self[..end]
    }
    fn trim_ascii(&self) -> &[u8] {
        self.trim_ascii_start().trim_ascii_end()
    }
}

impl<T, const N: usize> [[T; N]] {
    fn as_flattened(&self) -> &[T] {
        self.flat(self.len().wrapping_mul(N))
    }
    fn as_flattened_mut(&mut self) -> &mut [T] {
        self.flat_mut(self.len().wrapping_mul(N))
    }
}

impl<T> [T] {
    /// Returns the bounds of the chunk of this length with `number` elements between it and the
    /// end.
    fn piece_from_end(&self, size: usize, number: usize) -> (usize, usize) {
        let end = self.len().wrapping_sub(number.wrapping_mul(size));
        (end.saturating_sub(size), end)
    }
    fn rchunks(&self, size: usize) -> impl Iterator<Item = &[T]> {
        assert!(size != 0, "chunk size must be non-zero");
        (0..self.len().div_ceil(size)).map(move |number| {
            let (start, end) = self.piece_from_end(size, number);
            &self[start..end]
        })
    }
    fn rchunks_mut(&mut self, size: usize) -> impl Iterator<Item = &mut [T]> {
        assert!(size != 0, "chunk size must be non-zero");
        (0..self.len().div_ceil(size)).map(move |number| {
            let (start, end) = self.piece_from_end(size, number);
            &mut self[start..end]
        })
    }
    fn rchunks_exact(&self, size: usize) -> impl Iterator<Item = &[T]> {
        assert!(size != 0, "chunk size must be non-zero");
        (0..self.len() / size).map(move |number| {
            let (start, end) = self.piece_from_end(size, number);
            &self[start..end]
        })
    }
    fn rchunks_exact_mut(&mut self, size: usize) -> impl Iterator<Item = &mut [T]> {
        assert!(size != 0, "chunk size must be non-zero");
        (0..self.len() / size).map(move |number| {
            let (start, end) = self.piece_from_end(size, number);
            &mut self[start..end]
        })
    }
    /// Returns the end of the chunk that begins here: the first element that does not belong to the
    /// one before.
    fn end_of_run<F: FnMut(&T, &T) -> bool>(&self, start: usize, f: &mut F) -> usize {
        let mut end = start.wrapping_add(1);
        while end < self.len() && f(&self[end.wrapping_sub(1)], &self[end]) {
            end = end.wrapping_add(1);
        }
        end
    }
    fn chunk_by<F: FnMut(&T, &T) -> bool>(&self, mut f: F) -> impl Iterator<Item = &[T]> {
        (0u64..).scan(0usize, move |taken, _| {
            let start = *taken;
            (start < self.len()).then(|| {
                *taken = self.end_of_run(start, &mut f);
                &self[start..*taken]
            })
        })
    }
    fn chunk_by_mut<F: FnMut(&T, &T) -> bool>(
        &mut self,
        mut f: F,
    ) -> impl Iterator<Item = &mut [T]> {
        (0u64..).scan(0usize, move |taken, _| {
            let start = *taken;
            (start < self.len()).then(|| {
                *taken = self.end_of_run(start, &mut f);
                &mut self[start..*taken]
            })
        })
    }
    /// Returns the index of the first element from here on that ends a chunk; the length if there
    /// is none.
    fn find_end<F: FnMut(&T) -> bool>(&self, start: usize, f: &mut F) -> usize {
        let mut end = start;
        while end < self.len() && !f(&self[end]) {
            end = end.wrapping_add(1);
        }
        end
    }
    fn split<F: FnMut(&T) -> bool>(&self, mut f: F) -> impl Iterator<Item = &[T]> {
        (0u64..).scan(0usize, move |taken, _| {
            let start = *taken;
            (start <= self.len()).then(|| {
                let end = self.find_end(start, &mut f);
                *taken = end.wrapping_add(1);
                &self[start..end]
            })
        })
    }
    fn split_mut<F: FnMut(&T) -> bool>(&mut self, mut f: F) -> impl Iterator<Item = &mut [T]> {
        (0u64..).scan(0usize, move |taken, _| {
            let start = *taken;
            (start <= self.len()).then(|| {
                let end = self.find_end(start, &mut f);
                *taken = end.wrapping_add(1);
                &mut self[start..end]
            })
        })
    }
    fn split_inclusive<F: FnMut(&T) -> bool>(&self, mut f: F) -> impl Iterator<Item = &[T]> {
        (0u64..).scan(0usize, move |taken, _| {
            let start = *taken;
            (start < self.len()).then(|| {
                *taken = self.find_end(start, &mut f).wrapping_add(1).min(self.len());
                &self[start..*taken]
            })
        })
    }
    fn split_inclusive_mut<F: FnMut(&T) -> bool>(&mut self, mut f: F) -> impl Iterator<Item = &mut [T]> {
        (0u64..).scan(0usize, move |taken, _| {
            let start = *taken;
            (start < self.len()).then(|| {
                *taken = self.find_end(start, &mut f).wrapping_add(1).min(self.len());
                &mut self[start..*taken]
            })
        })
    }
    fn splitn<F: FnMut(&T) -> bool>(&self, n: usize, mut f: F) -> impl Iterator<Item = &[T]> {
        (0..n).scan(0usize, move |taken, split| {
            let start = *taken;
            (start <= self.len()).then(|| {
                let is_last = split.wrapping_add(1) == n;
                let end = if is_last { self.len() } else { self.find_end(start, &mut f) };
                *taken = end.wrapping_add(1);
                &self[start..end]
            })
        })
    }
    fn find_start<F: FnMut(&T) -> bool>(&self, end: usize, f: &mut F) -> usize {
        let mut start = end;
        while start > 0 && !f(&self[start.wrapping_sub(1)]) {
            start = start.wrapping_sub(1);
        }
        start
    }
    fn rsplit<F: FnMut(&T) -> bool>(&self, mut f: F) -> impl Iterator<Item = &[T]> {
        (0u64..).scan(Some(self.len()), move |rest, _| {
            let end = (*rest)?;
            let start = self.find_start(end, &mut f);
            *rest = start.checked_sub(1);
            Some(&self[start..end])
        })
    }
    fn rsplitn<F: FnMut(&T) -> bool>(&self, n: usize, mut f: F) -> impl Iterator<Item = &[T]> {
        (0..n).scan(Some(self.len()), move |rest, split| {
            let end = (*rest)?;
            let is_last = split.wrapping_add(1) == n;
            let start = if is_last { 0 } else { self.find_start(end, &mut f) };
            *rest = start.checked_sub(1);
            Some(&self[start..end])
        })
    }
}
