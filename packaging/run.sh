#!/usr/bin/env bash
# Opens the window; without a display runs the main job on a sample and says where the proposal is.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || [ "$(uname)" != Linux ]; then
    exec .venv/bin/waypost
fi
mkdir -p out
echo "waypost: no display here, so the sample of a bank goes through the main job without a window"
.venv/bin/waypost report assets/samples/bank-documents.waypost --pdf out/proposal-ko.pdf --lang ko
.venv/bin/waypost report assets/samples/bank-documents.waypost --pdf out/proposal-en.pdf --lang en
