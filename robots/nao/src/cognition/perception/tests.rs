//! Tests of the whole chain on simulated images, where the truth is known, and on recorded ones, in
//! which people have marked it.

mod recorded;
mod simulated;
