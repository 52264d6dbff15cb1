#!/usr/bin/env bash
# Makes .venv with the pinned versions. Brings what is missing on Debian, or says exactly how to bring it.
set -euo pipefail
cd "$(dirname "$0")/.."
PYTHON=${PYTHON:-python3}
PROBE=${PROBE:-1}

say() { printf 'waypost: %s\n' "$*"; }

if ! "$PYTHON" -c 'import sys; raise SystemExit(sys.version_info < (3, 11))' 2>/dev/null; then
    say "Python 3.11 or newer is needed (found: $("$PYTHON" --version 2>&1 || echo none)). Install it, or run: make PYTHON=/path/to/python3.11"
    exit 1
fi

if ! "$PYTHON" -c 'import venv, ensurepip' 2>/dev/null; then
    packaging/system.sh venv
fi
packaging/system.sh window

[ -x .venv/bin/python ] || "$PYTHON" -m venv .venv
say "installing pinned packages into .venv (once; a few minutes)"
extras=dev
[ "$PROBE" = 0 ] || extras=dev,probe
.venv/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[$extras]"
