# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Shared by the scripts of this folder: source it, do not run it.
#   say TEXT            one line on standard error
#   die TEXT            "error: TEXT", exit 1
#   usage_of FILE       the comment block at the head of a script: its --help text
#   run_logged LABEL LOG COMMAND...   one progress line; output goes to LOG, its end is shown on failure
#   become_owner SCRIPT ARGS...       started by sudo in someone's tree: continue as that person
set -euo pipefail

TERN_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck disable=SC2034  # used by the scripts
TERN_LOGS=$TERN_ROOT/build/logs

# A line that is redrawn is for people at a terminal; everything else gets plain lines.
tern_tty=0
if [[ -t 2 && ${TERM:-dumb} != dumb && -z ${CI:-} ]]; then tern_tty=1; fi
c_bold='' c_red='' c_green='' c_dim='' c_off=''
if ((tern_tty)) && [[ -z ${NO_COLOR:-} ]]; then
  # shellcheck disable=SC2034
  c_bold=$'\033[1m' c_red=$'\033[31m' c_green=$'\033[32m' c_dim=$'\033[2m' c_off=$'\033[0m'
fi

say() { printf '%s\n' "$*" >&2; }
die() {
  say "${c_red}error:${c_off} $*"
  exit 1
}
usage_of() { sed -n '3,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$1"; }
usage_error() {
  say "${c_red}error:${c_off} $* (--help shows the options)"
  exit 2
}

# Under sudo, what is written in the tree belongs to the tree's owner.
tern_owner=''
if ((EUID == 0)) && [[ -n ${SUDO_USER:-} && ${SUDO_UID:-0} != 0 ]] &&
  [[ $(stat -c %u "$TERN_ROOT") == "$SUDO_UID" ]]; then
  tern_owner=$SUDO_USER
fi
as_owner() {
  if [[ -z $tern_owner ]]; then
    "$@"
  else
    runuser -u "$tern_owner" -- \
      env HOME="$(getent passwd "$tern_owner" | cut -d: -f6)" USER="$tern_owner" "$@"
  fi
}
become_owner() {
  if [[ -n $tern_owner ]]; then
    exec runuser -u "$tern_owner" -- \
      env HOME="$(getent passwd "$tern_owner" | cut -d: -f6)" USER="$tern_owner" "$@"
  fi
}

# 0.4 s, 12 s, 3 min 12 s
duration() {
  local us=$1
  local s=$((us / 1000000))
  if ((s < 10)); then
    printf '%d.%d s' "$s" $((us % 1000000 / 100000))
  elif ((s < 120)); then
    printf '%d s' "$s"
  else
    printf '%d min %d s' $((s / 60)) $((s % 60))
  fi
}
now_us() { printf '%s' "${EPOCHREALTIME/[.,]/}"; }

# Draws progress while a command runs: elapsed time and Ninja's [done/all] if the log has one.
watch_log() {
  local label=$1 log=$2 begin=$3 quiet=$4 frames='.oOo' n=0 tick=0.2 counter
  ((tern_tty)) || tick=1
  local next=$((begin + quiet))
  while :; do
    if (($(now_us) >= next)); then
      counter=$(tail -c 400 "$log" 2>/dev/null | tr '\r' '\n' | grep -aoE '^\[[0-9]+/[0-9]+\]' |
        tail -n 1) || counter=''
      if ((tern_tty)); then
        printf '\r\033[K%s %s %s%s %s%s' "${frames:n++%4:1}" "$label" "$c_dim" \
          "$(duration $(($(now_us) - begin)))" "$counter" "$c_off" >&2
      else
        if ((next == begin + quiet)); then
          printf '.. %s\n' "$label" >&2
        else
          printf '.. %s: %s %s\n' "$label" "$(duration $(($(now_us) - begin)))" "$counter" >&2
        fi
        # Every ten seconds, after two minutes every thirty.
        next=$(($(now_us) + ($(now_us) - begin < 120000000 ? 10000000 : 30000000)))
      fi
    fi
    sleep "$tick"
  done
}

tern_watcher=''
tern_interrupted=0
stop_watcher() {
  if [[ -n $tern_watcher ]]; then
    kill "$tern_watcher" 2>/dev/null || true
    wait "$tern_watcher" 2>/dev/null || true
    tern_watcher=''
    if ((tern_tty)); then printf '\r\033[K' >&2; fi
  fi
}
trap stop_watcher EXIT
trap 'tern_interrupted=1' INT

# RUN_QUIET_MS: say nothing at all about a command that succeeds sooner than that.
# RUN_TAIL: lines of the log shown after a failure. The command's status is returned.
run_logged() {
  local label=$1 log=$2 status=0 begin end quiet=$((${RUN_QUIET_MS:-0} * 1000))
  shift 2
  as_owner mkdir -p "${log%/*}"
  : >"$log" || die "cannot write $log"
  if [[ -n $tern_owner ]]; then chown "$tern_owner:" "$log"; fi
  begin=$(now_us)
  watch_log "$label" "$log" "$begin" "$quiet" &
  tern_watcher=$!
  "$@" >"$log" 2>&1 </dev/null || status=$?
  end=$(now_us)
  stop_watcher
  if ((tern_interrupted)); then
    say "interrupted: $label (log: $log)"
    exit 130
  fi
  if ((status != 0)); then
    say "${c_red}failed${c_off} $label after $(duration $((end - begin))); the end of the log:"
    tail -n "${RUN_TAIL:-30}" "$log" | sed 's/^/   /' >&2
    say "   whole log: $log"
  elif ((end - begin >= quiet)); then
    say "${c_green}ok${c_off} $label ${c_dim}$(duration $((end - begin)))${c_off}"
  fi
  return "$status"
}
