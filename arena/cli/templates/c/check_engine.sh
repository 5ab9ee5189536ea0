#!/usr/bin/env bash
# Checks of the engine: make check
set -eu
cd "$(dirname "$0")"
coproc ENGINE { ./engine; }
process=$ENGINE_PID
# Descriptors of its own: bash forgets those of a coprocess as soon as it ends, perhaps before its last answer is read.
exec {to_engine}>&"${ENGINE[1]}" {from_engine}<&"${ENGINE[0]}"

# Sends a command and sets `reply` to all lines of the answer.
ask() {
  local line
  printf '%s\n' "$1" >&"$to_engine"
  reply=''
  while IFS= read -r line <&"$from_engine" && [[ -n $line ]]; do reply+="$line "; done
}

fail() {
  echo "$1" >&2
  kill "$process"
  exit 1
}

ask list_commands
for name in boardsize komi clear_board play genmove quit; do
  [[ " ${reply#= } " == *" $name "* ]] || fail "$name is not listed"
done
for command in 'boardsize 26' 'play black Z99' 'genmove white' nonsense; do
  ask "$command"
  [[ $reply == '?'* ]] || fail "$command should be refused"
done
for game in pletore:5 pente:7 topolo:4; do
  for command in "arena-game ${game%:*}" "boardsize ${game#*:}" 'arena-limit playouts 1' clear_board; do
    ask "$command"
    [[ $reply == '='* ]] || fail "$command should be accepted"
  done
  for ((turn = 0; ; turn++)); do
    ((turn < 500)) || fail "the game of ${game%:*} did not end"
    ask gogui-rules_legal_moves
    legal=" ${reply#=} "
    [[ $legal == *[A-Za-z]* ]] || break
    if ((turn % 2)); then ask 'genmove white'; else ask 'genmove black'; fi
    read -r _ move _ <<<"$reply"
    [[ $legal == *" $move "* ]] || fail "$move is not legal"
  done
done
ask quit
echo 'all checks passed'
