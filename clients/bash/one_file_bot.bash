#!/usr/bin/env bash
# A whole bot for Sternhalma in Bash: copy this file, make `choose` better, and play.
#
#     bash one_file_bot.bash HOST PORT NAME
#
# A server that starts bots itself tells them the same in STERNHALMA_HOST, STERNHALMA_PORT,
# STERNHALMA_NAME, STERNHALMA_SLOT and STERNHALMA_TOKEN. The lines are explained in protocol.md.
# Exit status: 0 if the event ended, 1 with a sentence on stderr if anything else did.
#
# Bash and not awk: of the awks only gawk opens a connection, and it is on fewer machines. It takes
# Bash 4.4. Bash cannot switch Nagle's algorithm off, which holds nothing up here: every answer is
# one small packet.

set -u
export LC_ALL=C # bytes, which are quicker than characters
trap '' PIPE    # a closed connection is told by `say`, in words

seed= # of this game, as it was told

# Sets `chosen` to one of the legal moves, each as `d5-e5`. The arguments are the six words of the
# position, of which the second is the board; `moves` is the list, and `chance` a number from 0 to
# 2^62 that is the same whenever the same turn comes again.
choose() {
    chosen=${moves[chance % ${#moves[@]}]}
}

# Sets `chance`: FNV-1a over seed and ply, then the finish of splitmix64. `>>` keeps the sign here,
# and so the bits that come in from above are masked away.
take_chance() {
    local text="$seed $1" letter hash at
    ((hash = 0xcbf29ce484222325))
    for ((at = 0; at < ${#text}; at++)); do
        printf -v letter '%d' "'${text:at:1}"
        ((hash = (hash ^ letter) * 0x100000001b3))
    done
    ((hash = (hash ^ hash >> 30 & 0x3ffffffff) * 0xbf58476d1ce4e5b9))
    ((hash = (hash ^ hash >> 27 & 0x1fffffffff) * 0x94d049bb133111eb))
    ((chance = (hash ^ hash >> 31 & 0x1ffffffff) >> 2 & 0x3fffffffffffffff))
}

complain() {
    printf 'one_file_bot: %s\n' "$1" >&2
}

fail() {
    complain "$1"
    exit 1
}

# Send one line, which `printf` writes in one piece and at once.
say() {
    printf '%s\n' "$1" >&"$server" || fail 'cannot send'
}

# Sets `value` to that of the key $1= among the other arguments, empty without it.
value_of() {
    local key="$1=" word
    value=
    shift
    for word; do
        if [[ $word == "$key"* ]]; then
            value=${word#"$key"}
            return
        fi
    done
}

# turn GAME PLY MS and the six words of the position, then keys
take_turn() {
    value_of moves "${@:11}"
    IFS=, read -ra moves <<<"$value"
    ((${#moves[@]})) || fail 'expected the legal moves with the turn, got none'
    take_chance "$3"
    choose "${@:5:6}"
    say "move $2 $3 $chosen"
}

# Do what a line asks for. What a bot does not know it ignores.
hear() {
    local line=$1 words
    read -ra words <<<"$line"
    case ${words[0]-} in
    sternhalma) [[ ${words[1]-} != 1 ]] || say "$login" ;;
    game)
        value_of seed "${words[@]}"
        seed=$value
        ;;
    turn) take_turn "${words[@]}" ;;
    ping) say "pong ${words[1]-}" ;;
    error) complain "the server said: $line" ;; # what was sent cannot be played
    bye)
        [[ ${words[1]-} == event-over ]] && exit 0
        fail "the server said: $line"
        ;;
    esac
}

if (($# == 0)); then
    set -- "${STERNHALMA_HOST-}" "${STERNHALMA_PORT-}" "${STERNHALMA_NAME-}"
fi
if (($# != 3)) || [[ -z $1 || -z $2 || -z $3 ]]; then
    fail 'usage: one_file_bot.bash HOST PORT NAME'
fi
login="login $3 slot=${STERNHALMA_SLOT:-1} moves=yes${STERNHALMA_TOKEN:+ token=$STERNHALMA_TOKEN}"
exec {server}<>"/dev/tcp/$1/$2" || fail "cannot connect to $1 port $2"
while IFS= read -r line <&"$server"; do
    hear "${line%$'\r'}"
done
fail 'the connection ended without a goodbye'
