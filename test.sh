#!/usr/bin/env bash
# Runs every test: the workspace's, and the model checks of all lock-free structures. `./test.sh`
set -euo pipefail
cd "$(dirname "$0")"

cargo test --workspace --quiet --no-fail-fast

# Every interleaving of the lock-free structures (loom); other tests do not run under the model checker.
export RUSTFLAGS="--cfg loom" CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/loom"
cargo test --release --quiet -p hemiola-realtime --lib wakeup
cargo test --release --quiet -p hemiola-trace --lib loom
cargo test --release --quiet -p hemiola-bus --lib loom
cargo test --release --quiet -p hemiola-runtime --lib loom
