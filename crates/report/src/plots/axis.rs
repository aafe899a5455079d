//! From numbers to places on a plot.

/// A scale with round marks.
pub(super) struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    step: f64,
}

impl Axis {
    /// That holds all of these, from one place to another.
    pub(super) fn new(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let (mut low, mut high) = values
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        if low >= high || !low.is_finite() || !high.is_finite() {
            (low, high) = (0.0, 1.0);
        }
        let step = round_step((high - low) / 5.0);
        Self { low: (low / step).floor() * step, high: (high / step).ceil() * step, from, to, step }
    }

    /// Where a number is.
    pub(super) fn at(&self, value: f64) -> f64 {
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// Round numbers, with where they are and what they are called.
    pub(super) fn marks(&self) -> impl Iterator<Item = (f64, String)> {
        let n = ((self.high - self.low) / self.step).round() as usize;
        (0..=n).map(|idx| {
            let value = self.low + idx as f64 * self.step;
            let decimals =
                if self.step < 1.0 { (1.0 - self.step.log10()).ceil().min(12.0) as usize } else { 0 };
            let text = format!("{value:.decimals$}");
            let text =
                if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
            // Nothing is called minus zero.
            (self.at(value), if text == "-0" { "0" } else { text }.to_owned())
        })
    }
}

/// The next larger of 1, 2, 5, 10, 20 …
fn round_step(least: f64) -> f64 {
    let mut step = 1e-12;
    for factor in [2.0, 2.5, 2.0].into_iter().cycle().take(3 * 36) {
        // Rounding on the way must not make it the next one.
        if step * (1.0 + 1e-9) >= least {
            break;
        }
        step *= factor;
    }
    // So that it is what it is called, without the rounding of the way there.
    format!("{step:.0e}").parse().unwrap_or(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round_and_marks_hold_everything() {
        for (least, step) in [(0.9, 1.0), (1.1, 2.0), (23.0, 50.0), (0.03, 0.05), (600.0, 1000.0)] {
            assert_eq!(round_step(least).to_string(), f64::to_string(&step));
        }
        let axis = Axis::new([-130.0, 210.0].into_iter(), 0.0, 100.0);
        let marks: Vec<String> = axis.marks().map(|(_, text)| text).collect();
        assert_eq!(marks, ["-200", "-100", "0", "100", "200", "300"]);
        let axis = Axis::new([0.0, 0.25].into_iter(), 0.0, 100.0);
        assert_eq!(
            axis.marks().map(|(_, text)| text).collect::<Vec<_>>(),
            ["0", "0.05", "0.1", "0.15", "0.2", "0.25"]
        );
        for values in [vec![], vec![f64::NAN], vec![3.0, 3.0], vec![f64::INFINITY, 0.0]] {
            assert!(
                Axis::new(values.into_iter(), 0.0, 10.0).marks().all(|(at, _)| (-0.01..=10.01).contains(&at))
            );
        }
    }
}
