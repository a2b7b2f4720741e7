//! The modules of the vision cycle, each in a file of its own: from pixels to runs, regions, balls
//! and the track of one ball. They run when there is a new image.

mod ball_detector;
mod ball_tracker;
mod gaze_reader;
mod kalman_filter;
mod region_finder;
mod segmenter;

#[cfg(test)]
mod tests;
