#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: gate.sh [BASE]
#
# Gates what is checked out against BASE, or else against the merge base with the main branch: for a
# hook, or for any service that runs a shell. Copy it into your repository and change PRODUCT.
#
# Ends as `bench check` does: 0 passed, 2 something got slower, 3 nothing was judged; the report is
# in gate.md, ready for a comment, and every figure in gate.csv.
set -eu

# Your executable: the one whose main calls Benchmarks.main.
PRODUCT=${PRODUCT:-mine}
# What matters to you; nothing stands for everything. Fewer workloads show smaller slow-downs.
WORKLOADS=${WORKLOADS:-}
# How long it measures.
BUDGET=${BUDGET:-2m}

swift build -c release --product "$PRODUCT"

# The base is built by the program itself, in a worktree that is gone afterwards.
status=0
# shellcheck disable=SC2086  # several workloads are several words
".build/release/$PRODUCT" check $WORKLOADS ${1:+--base "$1"} --quick --budget "$BUDGET" \
  --format markdown --output gate.csv --force ${GATE_OPTIONS:-} >gate.md || status=$?
cat gate.md
exit "$status"
