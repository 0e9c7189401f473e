#!/usr/bin/env bash
# Install neotoma-hooks for the current user, show one whole turn through the installed hooks, register named agents.
#
#   ./install.sh [AGENT…]      install or upgrade in place; register the hooks with the agents named
#   ./install.sh --uninstall   take everything out again but the memory
set -euo pipefail

source_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
case $(uname -s) in
  Darwin)
    data_folder="$HOME/Library/Application Support/neotoma-hooks"
    state_folder=$data_folder
    ;;
  *)
    case ${XDG_DATA_HOME:-} in /*) data_folder="$XDG_DATA_HOME/neotoma-hooks" ;; *) data_folder="$HOME/.local/share/neotoma-hooks" ;; esac
    case ${XDG_STATE_HOME:-} in /*) state_folder="$XDG_STATE_HOME/neotoma-hooks" ;; *) state_folder="$HOME/.local/state/neotoma-hooks" ;; esac
    ;;
esac
environment="$data_folder/venv"
link="$HOME/.local/bin/neotoma-hooks"
program="$environment/bin/neotoma-hooks"

say() { printf '%s\n' "$*"; }
fail() { printf 'install.sh: %s\n' "$*" >&2; exit 1; }

usage() { sed -n '2,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }

uninstall() {
  if [ -x "$program" ]; then
    # Each registered agent's settings file goes back to what it was
    "$program" uninstall --all || fail "the hooks could not be taken out of every agent's settings (see above); nothing else was removed"
  fi
  if [ -L "$link" ] && [ "$(readlink "$link")" = "$program" ]; then rm "$link"; fi
  rm -rf "$environment"
  rmdir "$data_folder" 2>/dev/null || true
  say "neotoma-hooks is removed."
  if [ -e "$data_folder/memory.sqlite3" ]; then
    say "The memory stays at $data_folder/memory.sqlite3"
  else
    say "There is no memory of the embedded store in $data_folder."
  fi
  if [ "$state_folder" != "$data_folder" ] && [ -d "$state_folder" ]; then
    say "The hook log and what was not delivered yet stay in $state_folder"
  fi
}

find_python() {
  local candidate
  for candidate in "${PYTHON:-python3}" python3.14 python3.13 python3.12 python3.11 python3.10; do
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
      command -v "$candidate"
      return 0
    fi
  done
  return 1
}

# Make the environment, or keep the one that is there if it still works
make_environment() {
  local python=$1
  if "$environment/bin/python" -c 'import pip' 2>/dev/null; then return 0; fi
  rm -rf "$environment"
  mkdir -p "$data_folder"
  chmod 700 "$data_folder"
  if "$python" -c 'import ensurepip, venv' 2>/dev/null && "$python" -m venv "$environment"; then return 0; fi
  rm -rf "$environment"
  if command -v uv >/dev/null 2>&1; then
    uv venv --quiet --seed --python "$python" "$environment"
    return 0
  fi
  local version
  version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  if command -v apt-get >/dev/null 2>&1; then
    fail "this Python has no venv; install it with: sudo apt-get install python$version-venv   (or install uv), then run ./install.sh again"
  fi
  fail "this Python $version has no venv or ensurepip; install your system's package for it (often python3-venv), or uv, then run ./install.sh again"
}

install_package() {
  local is_new=1
  if [ -x "$program" ]; then is_new=; fi
  if "$environment/bin/python" -m pip install --quiet --disable-pip-version-check --upgrade "$source_folder"; then return 0; fi
  if [ -n "$is_new" ]; then rm -rf "$environment"; fi
  fail "pip could not get the packages that are needed (see above); it has to reach a package index, or find them where PIP_FIND_LINKS says"
}

# Nothing else tells a mistyped name before everything is done
check_names() {
  local known name
  known=$("$program" agents --json | "$environment/bin/python" -c '
import json, sys
print(" ".join(a["name"] for a in json.load(sys.stdin)))')
  for name in "$@"; do
    case " $known " in
      *" $name "*) ;;
      *) fail "there is no agent called $name; neotoma-hooks is installed, and registers with: $known" ;;
    esac
  done
}

link_program() {
  mkdir -p "$(dirname "$link")"
  if [ -e "$link" ] && [ ! -L "$link" ]; then fail "$link is there and is not ours; move it away, then run ./install.sh again"; fi
  ln -sfn "$program" "$link"
}

register() {
  if [ $# -gt 0 ]; then
    "$program" install "$@"
    return
  fi
  local found stale agent answer
  stale=$("$program" agents --json | "$environment/bin/python" -c '
import json, sys
print(" ".join(a["name"] for a in json.load(sys.stdin) if a["registered"] in ("stale", "double")))')
  # An upgrade may have moved what an earlier one registered
  if [ -n "$stale" ]; then "$program" install $stale; fi
  found=$("$program" agents --json | "$environment/bin/python" -c '
import json, sys
print(" ".join(a["name"] for a in json.load(sys.stdin) if a["found"] and a["registered"] == "no" and not a["plugins"]))')
  if [ -t 0 ] && [ -t 1 ]; then
    for agent in $found; do
      printf 'Register the hooks with %s? [y/N] ' "$agent"
      read -r answer || answer=
      case $answer in [yY]*) "$program" install "$agent" ;; esac
    done
  elif [ -n "$found" ]; then
    say "No agent was named, so none was registered. Found here: $found"
    say "Register one with: neotoma-hooks install ${found%% *}"
  else
    say "No agent was named, so none was registered. Register one with: neotoma-hooks install claude-code"
  fi
}

case ${1:-} in
  -h | --help) usage; exit 0 ;;
  --uninstall)
    [ $# -eq 1 ] || fail "--uninstall takes out everything and no further words; for one agent: neotoma-hooks uninstall AGENT"
    uninstall
    exit 0
    ;;
esac
for word in "$@"; do
  case $word in -*) say "install.sh: there is no option $word here" >&2; usage >&2; exit 2 ;; esac
done

python=$(find_python) || fail "Python 3.10 or newer is needed; install it, or name one with PYTHON=/path/to/python3 ./install.sh"
say "Installing neotoma-hooks into $environment"
make_environment "$python"
install_package
link_program
check_names "$@"
case ":$PATH:" in
  *":$(dirname "$link"):"*) ;;
  *) say "Note: $(dirname "$link") is not on your PATH, so call $link, or add the folder to PATH." ;;
esac
say ""
"$program" self-check
say ""
register "$@"
