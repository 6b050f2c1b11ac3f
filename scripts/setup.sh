# Sourced by the scripts beside it, with $here set to this folder's real path.
#
# `set_up EXTRA...` returns with a .venv that holds this checkout, the extras named, and the
# versions of constraints.txt. It says what it does on stderr; stdout is left to the program.
# `.venv/.ready` is written last, so an install that was interrupted has none and is redone.

set -eu
# What these name would run in the place of what .venv holds, also in the programs that pip starts.
unset PYTHONPATH PYTHONHOME PYTHONPLATLIBDIR PYTHONINSPECT
root=${here%/*}
venv=$root/.venv
ready=$venv/.ready

say() { printf '%s: %s\n' "${0##*/}" "$1" >&2; }
fail() { say "$1"; exit 1; }

set_up() {
    up_to_date "$@" && return
    find_python
    exec 9>>"$root/.venv.lock"
    lock
    up_to_date "$@" || install # another script may have done it while this one waited
    exec 9>&-
}

# Sets what .venv should be made for ($place, $pins, $extras: those installed before are kept)
# and, from .ready, what it was made for ($made_place, $made_pins, $made_extras).
up_to_date() {
    place=$(place)
    pins=$(cat "$root/pyproject.toml" "$root/scripts/constraints.txt" | cksum)
    made_place='' made_pins='' made_extras=''
    [ -r "$ready" ] && { IFS= read -r made_place; read -r made_pins; read -r made_extras; } <"$ready"
    extras=$made_extras
    for extra; do
        case ",$extras," in *",$extra,"*) ;; *) extras=${extras:+$extras,}$extra ;; esac
    done
    [ -x "$venv/bin/python" ] && [ "$place/$pins/$extras" = "$made_place/$made_pins/$made_extras" ]
}

# The checkout's path, which is written into .venv's programs, and the interpreter's, which
# changes with its version and costs less than asking it.
place() { echo "$root $(readlink -f "$venv/bin/python" 2>/dev/null)"; }

find_python() {
    for python in python3 python3.14 python3.13 python3.12 python3.11; do
        "$python" -I -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' \
            >/dev/null 2>&1 && return
    done
    fail "needs Python 3.11 or later with venv, and found none: install it, e.g. apt-get install python3 python3-venv"
}

# Holds descriptor 9 alone until it is closed: the kernel lets go if this script dies.
lock() {
    "$python" -I -c '
import fcntl, sys
try:
    fcntl.flock(9, fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError:
    print(sys.argv[1] + ": waiting for another script that is setting up .venv", file=sys.stderr)
    fcntl.flock(9, fcntl.LOCK_EX)
' "${0##*/}"
}

install() {
    rm -f "$ready"
    if [ "$place" = "$made_place" ]; then
        say "bringing .venv up to date"
    else
        say "setting up .venv, this once (about a minute)"
        "$python" -m venv --clear "$venv" >&2 || fail "$python could not make $venv (see above)"
    fi
    # The build backend is pinned as well; by which of the two variables depends on pip's age.
    (
        cd "$root"
        export PIP_CONSTRAINT=scripts/constraints.txt PIP_BUILD_CONSTRAINT=scripts/constraints.txt PIP_USER=0
        exec "$venv/bin/python" -I -m pip install -qq --no-input --disable-pip-version-check \
            -e ".${extras:+[$extras]}" >&2
    ) || fail "could not install what pyproject.toml asks for (see above): mend that and run this again"
    printf '%s\n' "$(place)" "$pins" "$extras" >"$ready.new"
    mv "$ready.new" "$ready"
}

# The browser that the slow tests drive: installed where that may be done, else said; its tests then skip.
want_browser() {
    for browser in chromium chromium-browser google-chrome; do
        command -v "$browser" >/dev/null && return
    done
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        say "installing Chromium, which the browser tests drive"
        { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; } >&2 && return
    fi
    say "no Chromium here, so the browser tests are skipped: install it, e.g. apt-get install chromium"
}

# Install the packages $missing in CI; elsewhere that is for the person to do, and the tests that miss one skip
# and say so. $1: what they are for; $2: what is not done without. RUNLEVEL keeps invoke-rc.d from starting them.
want() {
    [ -n "$missing" ] || return 0
    if [ -n "${CI:-}" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        say "installing$missing, which $1"
        # shellcheck disable=SC2086  # a list of names
        { apt-get update -qq && DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -y -qq \
            --no-install-recommends $missing >/dev/null; } >&2 && return
    fi
    say "without$missing $2; on Debian: apt-get install --no-install-recommends$missing"
}

# The proxies whose recipes stand in http.md, for the slow tests that run them.
want_proxies() {
    missing=''
    PATH=$PATH:/usr/sbin command -v nginx >/dev/null || missing="$missing nginx-light"
    command -v caddy >/dev/null || missing="$missing caddy"
    want "the slow tests put before a server" "some recipes of http.md are not run"
}

# The OpenID provider that the tests of sign-in start, in an environment of its own: it pins what we use as well.
want_provider() {
    provider=$root/.venv-openid
    [ -x "$provider/bin/canaille" ] && return
    say "setting up the OpenID provider of the tests, this once"
    "$python" -m venv --clear "$provider" >&2 &&
        "$provider/bin/python" -I -m pip install -qq --no-input --disable-pip-version-check \
            "canaille[oidc,front]==0.3.6" >&2 && return
    rm -rf "$provider"
    say "without the OpenID provider the tests of sign-in are skipped: look above for why"
}

# What a rehearsal by voice needs beside Chromium: Firefox, a sound server of the test's own, and a voice.
want_voice() {
    missing=''
    command -v firefox-esr >/dev/null || command -v firefox >/dev/null || missing="$missing firefox-esr"
    command -v pulseaudio >/dev/null || missing="$missing pulseaudio"
    command -v paplay >/dev/null || missing="$missing pulseaudio-utils"
    command -v espeak-ng >/dev/null || missing="$missing espeak-ng"
    want "rehearsals by voice use" "no rehearsal is spoken in Firefox"
}

# The programs below Greenroom that the fault tests use: strace for kills and faults at a call, Ceph for a
# real S3 server.
want_programs() {
    want_browser
    missing=''
    command -v strace >/dev/null || missing="$missing strace"
    command -v mkfs.ext4 >/dev/null || missing="$missing e2fsprogs"
    command -v radosgw >/dev/null || missing="$missing ceph-mon ceph-mgr ceph-osd radosgw ceph-common"
    want "the fault tests use" "some fault tests are skipped"
}
