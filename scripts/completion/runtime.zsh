# Offers what a spec names, for the value typed so far.
_playtest_offer() {
  local one
  local -a words_of_it names
  for one in ${=spec}; do
    case $one in
      (,) compset -P '*,' ;;
      (@files) _files ;;
      (@command) if (( position > 0 )); then _files; else _command_names -e; fi ;;
      (@*)
        names=("${(@f)$(command playtest __complete "${one#@}" -- "${before[@]}" 2>/dev/null </dev/null)}")
        names=("${(@)names:#}")
        compadd -V playtest-names -a names ;;
      (*) words_of_it+=("$one") ;;
    esac
  done
  (( $#words_of_it == 0 )) || compadd -a words_of_it
}

_playtest() {
  local node='' expecting='' spec='' plain next repeats='' behind='' helping=''
  local -a children switches operands before topics
  integer position=0
  before=("${(@Q)words[2,CURRENT-1]}")
  for plain in "${before[@]}"; do
    if [[ -n $expecting ]]; then
      expecting=''
    elif [[ -z $behind && $plain == -- ]]; then
      behind=1
    elif [[ -z $behind && $plain == -* ]]; then
      [[ $plain != *=* ]] && _playtest_value "$node" "$plain" && expecting=$plain
    elif [[ -z $node && -z $helping && $plain == help ]]; then
      helping=1
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
  if [[ -z $behind && $PREFIX == --*=* ]]; then
    _playtest_value "$node" "${PREFIX%%=*}" && compset -P 1 '*=' && _playtest_offer
    return
  fi
  _playtest_node "$node"
  if [[ -n $helping ]]; then
    if [[ -z $node ]]; then
      _playtest_node help
      topics=("${children[@]}")
      _playtest_node ''
      (( $#topics == 0 )) || _describe -t topics topic topics
    fi
    (( $#children == 0 )) || _describe -t commands command children
  elif [[ -z $behind && $PREFIX == -* ]]; then
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
