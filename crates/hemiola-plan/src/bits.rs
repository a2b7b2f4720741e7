//! Sets of small integers as rows of 64-bit words: reachability in graphs of a few hundred tasks
//! costs microseconds.

/// A square matrix of bits; row `i` is the set of nodes to which `i` leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BitMatrix {
    words_per_row: usize,
    words: Vec<u64>,
}

impl BitMatrix {
    pub(crate) fn new(size: usize) -> Self {
        let words_per_row = size.div_ceil(64);
        Self { words_per_row, words: vec![0; size * words_per_row] }
    }

    /// Computes everything that is reachable along one or more edges (Warshall 1962, a word at a
    /// time: n^3 / 64 steps).
    pub(crate) fn closure(size: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut matrix = Self::new(size);
        for (from, to) in edges {
            matrix.insert(from, to);
        }
        for middle in 0..size {
            for row in 0..size {
                if row != middle && matrix.contains(row, middle) {
                    matrix.unite(row, middle);
                }
            }
        }
        matrix
    }

    pub(crate) fn insert(&mut self, row: usize, column: usize) {
        self.words[row * self.words_per_row + column / 64] |= 1 << (column % 64);
    }

    pub(crate) fn contains(&self, row: usize, column: usize) -> bool {
        self.words[row * self.words_per_row + column / 64] >> (column % 64) & 1 == 1
    }

    /// Adds all of row `source` to row `target`.
    pub(crate) fn unite(&mut self, target: usize, source: usize) {
        for word in 0..self.words_per_row {
            self.words[target * self.words_per_row + word] |= self.words[source * self.words_per_row + word];
        }
    }

    pub(crate) fn row(&self, row: usize) -> impl Iterator<Item = usize> + '_ {
        let words = &self.words[row * self.words_per_row..(row + 1) * self.words_per_row];
        words.iter().enumerate().flat_map(|(index, &word)| {
            std::iter::successors((word != 0).then_some(word), |rest| {
                let rest = rest & (rest - 1);
                (rest != 0).then_some(rest)
            })
            .map(move |rest| index * 64 + rest.trailing_zeros() as usize)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_give_back_what_was_inserted() {
        let mut matrix = BitMatrix::new(130);
        for column in [0, 63, 64, 129] {
            matrix.insert(129, column);
        }
        assert_eq!(matrix.row(129).collect::<Vec<_>>(), [0, 63, 64, 129]);
        assert_eq!(matrix.row(128).count(), 0);
    }

    #[test]
    fn closure_follows_paths_and_circles() {
        let closure = BitMatrix::closure(4, [(0, 1), (1, 2), (2, 1)]);
        assert_eq!(closure.row(0).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(closure.row(1).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(closure.row(3).count(), 0);
    }
}
