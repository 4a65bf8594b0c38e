# Offers the candidates of a spec, for the value typed so far.
_playtest_offer() {
  local part
  local -a literals names
  for part in ${=spec}; do
    case $part in
      (,) compset -P '*,' ;;
      (@files) _files ;;
      (@command) if (( position > 0 )); then _files; else _command_names -e; fi ;;
      (@*)
        names=("${(@f)$(command playtest __complete "${part#@}" -- "${before[@]}" 2>/dev/null </dev/null)}")
        names=("${(@)names:#}")
        compadd -V playtest-names -a names ;;
      (*) literals+=("$part") ;;
    esac
  done
  (( $#literals == 0 )) || compadd -a literals
}

_playtest() {
  local node='' expecting='' spec='' plain next repeats='' after_dashes='' is_help=''
  local -a children switches operands before topics
  integer position=0
  before=("${(@Q)words[2,CURRENT-1]}")
  for plain in "${before[@]}"; do
    if [[ -n $expecting ]]; then
      expecting=''
    elif [[ -z $after_dashes && $plain == -- ]]; then
      after_dashes=1
    elif [[ -z $after_dashes && $plain == -* ]]; then
      [[ $plain != *=* ]] && _playtest_value "$node" "$plain" && expecting=$plain
    elif [[ -z $node && -z $is_help && $plain == help ]]; then
      is_help=1
    else
      next=${node:+$node }$plain
      if (( position == 0 )) && _playtest_node "$next"; then node=$next; else (( position += 1 )); fi
    fi
  done
  spec=''
  if [[ -n $expecting ]]; then
    _playtest_value "$node" "$expecting"
    _playtest_offer
    return
  fi
  if [[ -z $after_dashes && $PREFIX == --*=* ]]; then
    _playtest_value "$node" "${PREFIX%%=*}" && compset -P 1 '*=' && _playtest_offer
    return
  fi
  _playtest_node "$node"
  if [[ -n $is_help ]]; then
    if [[ -z $node ]]; then
      _playtest_node help
      topics=("${children[@]}")
      _playtest_node ''
      (( $#topics == 0 )) || _describe -t topics topic topics
    fi
    (( $#children == 0 )) || _describe -t commands command children
  elif [[ -z $after_dashes && $PREFIX == -* ]]; then
    switches+=("${_playtest_global[@]}")
    _describe -o -t flags flag switches
  elif (( $#children > 0 && position == 0 )); then
    _describe -t commands command children
  else
    [[ -n $repeats ]] && (( position >= $#operands )) && (( position = $#operands - 1 ))
    spec=${operands[position + 1]-}
    _playtest_offer
  fi
}

compdef _playtest playtest
[[ ${funcstack[1]-} == _playtest ]] && _playtest "$@"
