#!/usr/bin/env bash
# System libraries Qt and the checks need. `system.sh window|test|venv`: installs what is missing as root (or with
# passwordless sudo) on Debian and Ubuntu; elsewhere says what to install and goes on where it can.
set -euo pipefail

say() { printf 'waypost: %s\n' "$*"; }

glib=libglib2.0-0
if apt-cache show libglib2.0-0t64 >/dev/null 2>&1; then glib=libglib2.0-0t64; fi
qt=(libgl1 libegl1 libfontconfig1 libdbus-1-3 libxkbcommon0 "$glib"
    libxcb-cursor0 libxkbcommon-x11-0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0)
case "${1:-window}" in
    window) wanted=("${qt[@]}") ;;
    test) wanted=("${qt[@]}" xvfb xauth poppler-utils g++) ;;
    venv) wanted=(python3-venv) ;;
    *) say "unknown set: $1"; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null 2>&1; then
    say "this is no Debian system; if the window does not open, install the equivalents of: ${wanted[*]}"
    exit 0
fi
missing=()
for package in "${wanted[@]}"; do
    status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing+=("$package")
done
[ "${#missing[@]}" -gt 0 ] || exit 0

run=()
if [ "$(id -u)" != 0 ]; then
    if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
        run=(sudo -n)
    else
        say "missing: ${missing[*]}. Install them with: sudo apt-get install ${missing[*]}"
        [ "${1:-window}" = window ] && exit 0
        exit 1
    fi
fi
say "installing ${missing[*]}"
"${run[@]}" apt-get update -qq
"${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
