# Collects the words up to the cursor. COMP_WORDS is not enough, because bash also splits words at = and :.
_playtest_words() {
  local line=$COMP_LINE token count
  line=${line:0:COMP_POINT}
  for token in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
    count=${#words[@]}
    if ((count > 0)) && [[ -n $line && $line != [[:space:]]* ]]; then
      token=${token:0:${#line}}
      words[count-1]+=$token
    else
      line=${line#"${line%%[![:space:]]*}"}
      token=${token:0:${#line}}
      words[count]=$token
    fi
    line=${line#"$token"}
    last=$token
  done
}

# Removes the quotes and backslashes of a word.
_playtest_plain() {
  local word=$1
  case $word in
    \'*) plain=${word#\'} plain=${plain%\'} ;;
    \"*) word=${word#\"} word=${word%\"}
      IFS= read plain <<<"$word" ;;
    *) IFS= read plain <<<"$word" ;;
  esac
}

# Offers a word if it starts with the typed text, with the same quotes as the typed word.
_playtest_add() {
  local text
  [[ $1 == "$typed"* ]] || return 0
  case $value in
    \'*) text=${1//\'/\'\\\'\'} ;;
    \"*)
      # Between double quotes, nothing prevents bash from expanding a history mark.
      [[ $1 == *'!'* ]] && return 0
      text=${1//\\/\\\\} text=${text//\"/\\\"} text=${text//\$/\\\$} text=${text//\`/\\\`} ;;
    *)
      printf -v text %q "$1"
      # Between escaped braces, a comma has no special meaning.
      text=${text//\\,/,}
      if [[ $value == *"$last" ]]; then
        local cut=${value%"$last"}
        [[ $text == "$cut"* ]] || return 0
        text=${text#"$cut"}
      else
        text=${last%"$value"}$text
      fi ;;
  esac
  COMPREPLY[${#COMPREPLY[@]}]=$text
}

# Offers the candidates of a spec, for the value typed so far.
_playtest_offer() {
  local plain typed part lead='' name
  value=$1
  [[ $last == [=:] ]] && last=''
  _playtest_plain "$value"
  typed=$plain
  for part in $spec; do
    case $part in
      ,) [[ $typed == *,* ]] && lead=${typed%,*}, ;;
      @files) compopt -o default 2>/dev/null ;;
      @command)
        compopt -o default 2>/dev/null
        ((position > 0)) || while IFS= read -r name; do _playtest_add "$name"; done <<<"$(compgen -c -- "$typed")" ;;
      @*)
        while IFS= read -r name; do
          [[ -z $name ]] || _playtest_add "$name"
        done <<<"$(command playtest __complete "${part#@}" -- "${before[@]}" 2>/dev/null </dev/null)" ;;
      *) _playtest_add "$lead$part" ;;
    esac
  done
}

_playtest() {
  local words=() before=() children switches operands=() repeats spec last='' value
  local IFS=$' \t\n' node='' position=0 expecting='' after_dashes='' is_help='' plain typed='' part next at
  COMPREPLY=()
  _playtest_words
  for ((at = 1; at < ${#words[@]} - 1; at += 1)); do
    _playtest_plain "${words[at]}"
    before[${#before[@]}]=$plain
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
      if ((position == 0)) && _playtest_node "$next"; then node=$next; else position=$((position + 1)); fi
    fi
  done
  value=${words[at]} spec=''
  if [[ -n $expecting ]]; then
    _playtest_value "$node" "$expecting"
    _playtest_offer "$value"
    return
  fi
  if [[ -z $after_dashes && $value == --*=* ]]; then
    _playtest_value "$node" "${value%%=*}" && _playtest_offer "${value#*=}"
    return
  fi
  _playtest_node "${node:-${is_help:+help}}"
  if [[ -n $is_help && -z $node ]]; then
    spec=$children
    _playtest_node ''
    spec="$children $spec"
  elif [[ -z $after_dashes && -z $is_help && $value == -* ]]; then
    spec="$switches $_playtest_global"
  elif [[ -n $children && $position -eq 0 ]]; then
    spec=$children
  elif [[ -z $is_help ]]; then
    [[ -n $repeats && $position -ge ${#operands[@]} ]] && position=$((${#operands[@]} - 1))
    spec=${operands[position]-}
  fi
  _playtest_offer "$value"
}

complete -o nosort -F _playtest playtest 2>/dev/null || complete -F _playtest playtest
