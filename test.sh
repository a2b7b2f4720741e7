#!/usr/bin/env bash
# Runs every test: the workspace's, and the model checks of all lock-free structures. `./test.sh`
set -euo pipefail
cd "$(dirname "$0")"

cargo test --workspace --quiet --no-fail-fast

# Every interleaving of the lock-free structures (loom); other tests do not run under the model
# checker.
export RUSTFLAGS="--cfg loom" CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/loom"
# What link-time optimisation gains here is less than it costs.
export CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16
checked=(-p hemiola-realtime -p hemiola-trace -p hemiola-bus -p hemiola-runtime)
cargo test --release --quiet "${checked[@]}" --lib -- loom wakeup
