use proptest::prelude::*;

use super::*;

const CELLS: Cells = Cells { origin: [0.0, 0.0], resolution: 0.1, width: 24, height: 18 };

fn search(cells: &Cells, start: usize, goal: usize, factor: impl Fn(usize) -> Option<f64>) -> Option<Vec<usize>> {
    let mut path = Vec::new();
    AStar::default().search(cells, start, goal, factor, &mut path).then_some(path)
}

/// Returns the cost of a path, in steps to the side.
fn cost(cells: &Cells, path: &[usize], factor: impl Fn(usize) -> Option<f64>) -> f64 {
    let step = |pair: &[usize]| {
        let [[x, y], [next_x, next_y]] = [pair[0], pair[1]].map(|cell| cells.column_row(cell));
        let length = ((next_x - x) as f64).hypot((next_y - y) as f64);
        assert!(length > 0.0 && length < 1.5, "{pair:?} are no neighbours");
        length * factor(pair[1]).expect("a way leads through free cells only")
    };
    path.windows(2).map(step).sum()
}

/// Returns the costs from a cell to all others, by trying every step until nothing gets cheaper
/// (Bellman, Ford).
fn all_costs(start: usize, factor: impl Fn(usize) -> Option<f64>) -> Vec<f64> {
    let mut costs = vec![f64::INFINITY; CELLS.len()];
    costs[start] = 0.0;
    loop {
        let before = costs.clone();
        for cell in 0..CELLS.len() {
            let [column, row] = CELLS.column_row(cell);
            for ([across, along], _) in STEPS {
                let (Some(next), length) =
                    (CELLS.index([column + across, row + along]), (across as f64).hypot(along as f64))
                else {
                    continue;
                };
                if let Some(factor) = factor(next) {
                    costs[next] = costs[next].min(costs[cell] + length * factor);
                }
            }
        }
        if costs == before {
            return costs;
        }
    }
}

proptest! {
    /// Costs are rounded to whole numbers, that is, to ten thousandths of a step.
    #[test]
    fn the_way_is_the_cheapest_and_is_found_if_there_is_one(
        values in proptest::collection::vec(0..12_u8, CELLS.len()),
        start in 0..CELLS.len(),
        goal in 0..CELLS.len(),
    ) {
        // A third of the cells is blocked; others cost up to twice as much as usual.
        let factor = |cell: usize| (values[cell] < 8).then(|| 1.0 + f64::from(values[cell]) / 8.0);
        let expected = all_costs(start, factor)[goal];
        match search(&CELLS, start, goal, factor) {
            None => prop_assert!(expected.is_infinite(), "there is a way for {expected}"),
            Some(path) => {
                prop_assert_eq!((path.first(), path.last()), (Some(&start), Some(&goal)));
                prop_assert!((cost(&CELLS, &path, factor) - expected).abs() < 0.02);
            }
        }
    }

    /// On a grid of eight directions no path is more than 8.3 % longer than the straight line.
    #[test]
    fn around_the_end_of_a_wall_the_way_is_at_most_a_twelfth_longer_than_the_shortest(
        height in 5..60_i64, start_row in 0..60_i64, goal_row in 0..60_i64,
    ) {
        let cells = Cells { origin: [0.0, 0.0], resolution: 0.1, width: 81, height: 81 };
        let is_wall = |cell: usize| { let [column, row] = cells.column_row(cell); column == 40 && row < height };
        let factor = |cell: usize| (!is_wall(cell)).then_some(1.0);
        let (start, goal) = (cells.index([5, start_row]).unwrap(), cells.index([75, goal_row]).unwrap());
        let path = search(&cells, start, goal, factor).unwrap();
        // Straight, if the wall is not between the cells; otherwise through the cell above its end.
        let straight = |from: [i64; 2], to: [i64; 2]| ((to[0] - from[0]) as f64).hypot((to[1] - from[1]) as f64);
        let middle = (start_row + goal_row) as f64 / 2.0;
        let shortest = if middle >= height as f64 { straight([5, start_row], [75, goal_row]) } else {
            straight([5, start_row], [40, height]) + straight([40, height], [75, goal_row])
        };
        let length = cost(&cells, &path, factor);
        prop_assert!(length <= shortest * 1.083 + 0.01, "{length}, the shortest is {shortest}");
        prop_assert!(length >= shortest - 0.01, "{length}, the shortest is {shortest}");
    }
}

#[test]
fn who_stands_too_near_may_leave_and_nobody_may_come_near() {
    let cells = Cells { origin: [0.0, 0.0], resolution: 0.1, width: 30, height: 1 };
    let mut costs = vec![LETHAL; 30];
    costs[3..20].fill(0);
    let way = |start: usize, goal: usize| search(&cells, start, goal, factor(&cells, &costs, start, 3.0, 0.25));
    assert_eq!(way(1, 10).map(|path| path.len()), Some(10));
    assert_eq!(way(10, 1), None);
    assert_eq!(way(25, 10), None, "that is too far to leave");
}
