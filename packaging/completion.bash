# gst-stereomatching: completion for stereo-eval and the other programs
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Options and their choices come from `PROGRAM --options`, algorithms and
# properties from `PROGRAM --list`.

# _stereomatching_options PROGRAM [OPTION]: all options, or the choices of one.
_stereomatching_options() {
  "$1" --options 2> /dev/null |
    awk -F '\t' -v option="${2:-}" '$1 && !option {print $1} option && $1 == option {print $3}'
}

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
    --matcher) names=$(_stereomatching_algorithms stereo-eval | sed 's/^/stereo/') ;;
    --*) names=$(_stereomatching_options "$program" "$previous") ;;
  esac
  if [ -z "$names" ]; then
    case $current in
      -*) names=$(_stereomatching_options "$program") ;;
      */*) ;;
      *)
        names=$(_stereomatching_algorithms "$program")
        for word in "${COMP_WORDS[@]:1}"; do
          # an algorithm that was already given
          case " ${names//$'\n'/ } " in
            *" $word "*) names+=" $(_stereomatching_properties "$program" "$word")" ;;
          esac
        done ;;
    esac
  fi
  mapfile -t COMPREPLY < <(compgen -W "$names" -- "$current")
  case ${COMPREPLY[0]:-} in *=) compopt -o nospace 2> /dev/null ;; esac
}

complete -o default -F _stereomatching stereo-eval stereo-bench stereo-check stereo-view \
  stereo-tune stereo-batch stereo-calibrate
