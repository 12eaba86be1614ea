//! Counts with their running sums, as a binary indexed tree (Fenwick): adding at the end, changing one and
//! finding by the sum all take a number of steps that grows with the logarithm of the length.

/// A list of counts.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// At index i (from 1) the sum of the counts that i's lowest bit spans, up to i.
    sums: Vec<u32>,
    total: u32,
}

impl Counts {
    /// The sum of all.
    pub(super) fn total(&self) -> u32 {
        self.total
    }

    /// Adds a count at the end.
    pub(super) fn push(&mut self, count: u32) {
        let place = self.sums.len() + 1;
        let from = place - lowest_bit(place);
        let mut sum = count;
        let mut below = place - 1;
        while below > from {
            sum += self.sums[below - 1];
            below -= lowest_bit(below);
        }
        self.sums.push(sum);
        self.total += count;
    }

    /// Makes a count larger.
    pub(super) fn add(&mut self, index: usize, more: u32) {
        self.change(index, |sum| sum.wrapping_add(more));
        self.total = self.total.wrapping_add(more);
    }

    /// Makes a count smaller.
    pub(super) fn subtract(&mut self, index: usize, less: u32) {
        self.change(index, |sum| sum.wrapping_sub(less));
        self.total = self.total.wrapping_sub(less);
    }

    /// The sum of the counts before an index.
    pub(super) fn before(&self, index: usize) -> u32 {
        let mut place = index.min(self.sums.len());
        let mut sum = 0;
        while place > 0 {
            sum += self.sums[place - 1];
            place -= lowest_bit(place);
        }
        sum
    }

    /// The index whose count holds the unit at `position` (from 0), and how many of its units lie before.
    pub(super) fn find(&self, position: u32) -> Option<(usize, u32)> {
        if position >= self.total {
            return None;
        }
        let mut index = 0;
        let mut rest = position;
        let mut step = self
            .sums
            .len()
            .checked_ilog2()
            .map_or(0, |log| 1_usize << log);
        while step > 0 {
            if let Some(sum) = self.sums.get(index + step - 1)
                && *sum <= rest
            {
                index += step;
                rest -= sum;
            }
            step /= 2;
        }
        Some((index, rest))
    }

    fn change(&mut self, index: usize, change: impl Fn(u32) -> u32) {
        let mut place = index + 1;
        while let Some(sum) = self.sums.get_mut(place - 1) {
            *sum = change(*sum);
            place += lowest_bit(place);
        }
    }
}

fn lowest_bit(place: usize) -> usize {
    place & place.wrapping_neg()
}
