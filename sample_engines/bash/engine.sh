#!/usr/bin/env bash
# A complete engine for Pletore in Bash alone: no other program is started.
#
# It plays a legal move at random. A point is row * size + column; the board holds 0 empty, 1 Black, 2 White.
set -u
columns=ABCDEFGHJKLMNOPQRSTUVWXYZ

begin() {
  points=$((size * size))
  board=()
  for ((point = 0; point < points; point++)); do board[point]=0; done
  own=1 turns=0 passes=0 over=0 forbidden=-1
  button=unused
  if (((size - komi) % 2 == 0)); then button=free; fi
}

# Sets `by` to the players who see point $1 along its row and along its column, as a mask.
look() {
  local point=$1 row=$(($1 / size)) seen across=0 along=0
  for ((seen = point - 1; seen >= row * size; seen--)); do
    if ((board[seen])); then across=${board[seen]}; break; fi
  done
  for ((seen = point + 1; seen < (row + 1) * size; seen++)); do
    if ((board[seen])); then ((across |= board[seen])); break; fi
  done
  for ((seen = point - size; seen >= 0; seen -= size)); do
    if ((board[seen])); then along=${board[seen]}; break; fi
  done
  for ((seen = point + size; seen < points; seen += size)); do
    if ((board[seen])); then ((along |= board[seen])); break; fi
  done
  by=$((across & along))
}

may_put() {
  (($1 != forbidden && board[$1] != own)) || return 1
  look "$1"
  if ((board[$1])); then ((by == own)); else ((by != 3 - own)); fi
}

settled() {
  local point
  for ((point = 0; point < points; point++)); do
    if ((board[point] == 0)); then
      look "$point"
      ((by == 1 || by == 2)) || return 1
    fi
  done
}

# Sets `word` to the name of point $1.
name_point() {
  word=${columns:$(($1 % size)):1}$(($1 / size + 1))
}

# Sets `move` to the point a word names, or leaves the word as it is; fails when it names none.
read_move() {
  local upper=${1^^} before
  case $upper in BUTTON | PASS) move=${upper,,}; return 0 ;; esac
  [[ $upper =~ ^([A-HJ-Z])([1-9]|1[0-9]|2[0-5])$ ]] || return 1
  before=${columns%%"${BASH_REMATCH[1]}"*}
  ((${#before} < size && BASH_REMATCH[2] <= size)) || return 1
  move=$(((BASH_REMATCH[2] - 1) * size + ${#before}))
}

is_legal() {
  ((over)) && return 1
  case $1 in
    button) [[ $button == free ]] ;;
    pass) [[ $button != free ]] && settled ;;
    *) may_put "$1" ;;
  esac
}

put() {
  forbidden=-1
  case $1 in
    button) button=$own passes=0 ;;
    pass) passes=$((passes + 1)) ;;
    *)
      board[$1]=$own passes=0
      # On even boards White's first stone may not stand opposite Black's.
      if ((turns == 0 && size % 2 == 0)); then forbidden=$((points - 1 - $1)); fi
      ;;
  esac
  if ((passes == 2)); then over=1; fi
  own=$((3 - own)) turns=$((turns + 1))
}

# Sets `move` to the first legal point from a random one on, the button or the pass now and then.
choose() {
  local start step
  if [[ $button == free ]] && ((RANDOM % (points + 1) == 0)); then move=button; return; fi
  start=$(((RANDOM * 32768 + RANDOM) % points))
  for ((step = 0; step < points; step++)); do
    move=$(((start + step) % points))
    if may_put "$move"; then return; fi
  done
  move=pass
  if [[ $button == free ]]; then move=button; fi
}

reply() { printf '%s%s %s\n\n' "$1" "$id" "${2-}"; }

colour() {
  case ${1-} in
    [bB]*) ((own == 1)) ;;
    [wW]*) ((own == 2)) ;;
    *) return 1 ;;
  esac
}

size=9 komi=0
begin
while read -r line; do
  line=${line%%#*}
  read -r -a words <<<"$line"
  id=''
  if [[ ${words[0]-} =~ ^[0-9]+$ ]]; then id=${words[0]} words=("${words[@]:1}"); fi
  first=${words[1]-} second=${words[2]-}
  case ${words[0]-} in
    '') ;;
    protocol_version) reply = 2 ;;
    name) reply = 'random in Bash' ;;
    version) reply = 1 ;;
    list_commands)
      reply = $'protocol_version\nname\nversion\nlist_commands\nquit\nboardsize\nkomi\nclear_board\nplay\ngenmove
arena-games\narena-game\narena-seed\ngogui-rules_legal_moves'
      ;;
    quit) reply =; break ;;
    arena-games) reply = pletore ;;
    arena-game) if [[ $first == pletore ]]; then size=9 komi=0; begin; reply =; else reply '?' 'unknown game'; fi ;;
    arena-seed) RANDOM=$((10#${first//[!0-9]/} % 32768)); reply = ;;
    boardsize)
      if [[ $first =~ ^([1-9]|1[0-9]|2[0-5])$ ]]; then size=$first; begin; reply =; else reply '?' 'unacceptable size'; fi
      ;;
    komi)
      if [[ $first =~ ^(-?)0*([0-9]{1,9})$ ]]; then
        komi=${BASH_REMATCH[1]}${BASH_REMATCH[2]}
        if ((turns == 0)); then begin; fi
        reply =
      else reply '?' 'komi must be a whole number'; fi
      ;;
    clear_board) begin; reply = ;;
    play)
      if ! colour "$first"; then reply '?' "it is the other side's turn"
      elif read_move "$second" && is_legal "$move"; then put "$move"; reply =
      else reply '?' 'illegal move'; fi
      ;;
    genmove)
      if ((over)) || ! colour "$first"; then reply '?' 'no move is due'
      else
        choose
        word=$move
        if [[ $move != [bp]* ]]; then name_point "$move"; fi
        put "$move"
        reply = "$word"
      fi
      ;;
    gogui-rules_legal_moves)
      list=''
      for ((point = 0; point < points && !over; point++)); do
        if may_put "$point"; then name_point "$point"; list+="$word "; fi
      done
      for word in button pass; do if is_legal "$word"; then list+="$word "; fi; done
      reply = "${list% }"
      ;;
    *) reply '?' 'unknown command' ;;
  esac
done
