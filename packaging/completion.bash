# gst-stereomatching: completion for stereo-eval, stereo-bench, stereo-view and stereo-tune
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Options, algorithms and properties are those that the programs name.

# _stereomatching_algorithms PROGRAM: the names that --list begins paragraphs with.
_stereomatching_algorithms() {
  "$1" --list 2> /dev/null | sed -n 's/^\([a-z][a-z0-9]*\): .*/\1/p'
}

# _stereomatching_properties PROGRAM ALGORITHM: "name=" of each in its paragraph.
_stereomatching_properties() {
  "$1" --list 2> /dev/null | sed -n "/^$2: /,/^[a-z]/s/^  \([a-z][a-z0-9-]*\)  .*/\1=/p" |
    sed '/^property=/d'
}

_stereomatching() {
  local program=$1 current=$2 previous=$3 word names=''

  COMPREPLY=()
  case $previous in
    --backend) names='cpu cuda auto' ;;
    --simd) names='auto none generic avx2 avx512' ;;
    --blending) names='distance nearest' ;;
    --format) names='GRAY8 RGB NV12' ;;
    --preset) names='papers video' ;;
    --matcher) names=$(_stereomatching_algorithms stereo-eval | sed 's/^/stereo/') ;;
    --address) names='127.0.0.1 0.0.0.0 ::' ;;
    --rank) names='bad-0.5 bad-1 bad-2 bad-4 d1 mean rms time density' ;;
  esac
  if [ -z "$names" ]; then
    case $current in
      -*) names=$("$program" --help 2> /dev/null | grep -oE -- '--[a-z][a-z-]*' | sort -u) ;;
      */*) ;;
      *)
        names=$(_stereomatching_algorithms "$program")
        for word in "${COMP_WORDS[@]:1}"; do
          # one that was named, or that the word before this one is
          case " ${names//$'\n'/ } " in
            *" $word "*) names+=" $(_stereomatching_properties "$program" "$word")" ;;
          esac
        done ;;
    esac
  fi
  mapfile -t COMPREPLY < <(compgen -W "$names" -- "$current")
  case ${COMPREPLY[0]:-} in *=) compopt -o nospace 2> /dev/null ;; esac
}

complete -o default -F _stereomatching stereo-eval stereo-bench stereo-view stereo-tune
