# Completions of playtest. Made by `npm run generate`; `playtest help completion` says how to install them.

_playtest_global='-g --game --profile --base-url --format --json --fields --jq --wide --plain --color --tz --timeout --max-wait --allow-http --debug -h --help'

_playtest_node() {
  children='' switches='' operands=() repeats=''
  case "$1" in
    '') children='games sessions insights builds testers experiments batches handles heatmap events gate report export ingest mcp api login logout profiles config doctor completion admin server help' ;;
    'games') children='list get prompts' ;;
    'games list')  ;;
    'games get') operands=('@games') ;;
    'games prompts') operands=('@games') ;;
    'sessions') children='list get' ;;
    'sessions list') switches='--build --env --status --source -q --query --from --to --limit --offset --all' ;;
    'sessions get') operands=('@sessions') ;;
    'insights') children='list' ;;
    'insights list') switches='--build --type --sentiment --from --to --limit --offset --all' ;;
    'builds') children='list get compare suggestions' ;;
    'builds list') switches='--env --from --to --sessions --all' ;;
    'builds get') switches='--env' operands=('@builds latest previous') ;;
    'builds compare') switches='--env --fail-on --out' operands=('@builds latest previous' '@builds latest previous') ;;
    'builds suggestions') switches='--env' operands=('@builds latest previous' '@builds latest previous') ;;
    'testers') children='get journey archetypes' ;;
    'testers get') switches='--env' operands=('') ;;
    'testers journey') switches='--env --out' operands=('') ;;
    'testers archetypes') switches='--env' ;;
    'experiments') children='list compare assign' ;;
    'experiments list')  ;;
    'experiments compare') switches='--out' operands=('@experiments') ;;
    'experiments assign') switches='--build' operands=('') ;;
    'batches') children='list get keys invites' ;;
    'batches list')  ;;
    'batches get') operands=('@batches') ;;
    'batches keys') operands=('@batches') ;;
    'batches invites') operands=('@batches') ;;
    'handles') children='list' ;;
    'handles list')  ;;
    'heatmap') switches='--build --env --room --palette --cells --top --image --diff --out --scale --map --map-bounds' ;;
    'events') switches='--build --env --from --to --top --by --out' ;;
    'gate') children='init save' switches='--env --fail-on --min-testers --max-increase --confidence --max-new --on-inconclusive --config --wait --report --suggestions' operands=('' '') ;;
    'gate init')  ;;
    'gate save') switches='--env --out' operands=('') ;;
    'report') switches='--env --config --out --format --exit-code' operands=('' '') ;;
    'export') switches='--by --from --to --env --games --all-games --out --format --gzip --since-last --state --lookback --dry-run --log-format --unpaced' operands=('events sessions insights handles batches keys experiments heatmaps') repeats=1 ;;
    'ingest') children='telemetry discord' ;;
    'ingest telemetry') switches='--restart' operands=('@files') repeats=1 ;;
    'ingest discord') switches='--channel --thread' ;;
    'mcp') children='install' switches='--allow-ingest --max-chars --deadline' ;;
    'mcp install') switches='--name --print --yes --with-key --allow-ingest' operands=('claude-desktop claude-code cursor vscode windsurf zed gemini') ;;
    'api') switches='-f --field --ingest-key' operands=('') ;;
    'login') switches='--ingest --keychain' ;;
    'logout')  ;;
    'profiles')  ;;
    'config') children='get set unset list path' ;;
    'config get') operands=('base-url game format tz timeout max-wait') ;;
    'config set') operands=('base-url game format tz timeout max-wait' '') ;;
    'config unset') operands=('base-url game format tz timeout max-wait') ;;
    'config list')  ;;
    'config path')  ;;
    'doctor')  ;;
    'completion') operands=('bash zsh fish powershell') ;;
    'admin') children='games accounts keys sessions audiences experiments digests forms batches handles event-config providers summaries' ;;
    'admin games') children='create list rename' ;;
    'admin games create') switches='--database --durability --now --account --name' operands=('') ;;
    'admin accounts') children='create list' ;;
    'admin accounts create') switches='--database --durability --now' operands=('') ;;
    'admin accounts list') switches='--database --durability --now' ;;
    'admin games list') switches='--database --durability --now --account' ;;
    'admin games rename') switches='--database --durability --now --account' operands=('' '') ;;
    'admin keys') children='create list rotate' ;;
    'admin keys create') switches='--database --durability --now --account --bind' ;;
    'admin keys list') switches='--database --durability --now --account' ;;
    'admin keys rotate') switches='--database --durability --now --account' ;;
    'admin sessions') children='add retry transcript' ;;
    'admin sessions add') switches='--database --durability --now --account --source --transcript --notes --title --build --platform --tester --recorded-at --env' ;;
    'admin sessions retry') switches='--database --durability --now --account' operands=('@sessions') ;;
    'admin sessions transcript') switches='--database --durability --now --account' operands=('@sessions' '@files') ;;
    'admin audiences') children='create list' ;;
    'admin audiences create') switches='--database --durability --now --account --build --build-prefix --platform --env --country' operands=('') ;;
    'admin audiences list') switches='--database --durability --now --account' ;;
    'admin experiments') children='create start stop resume winner allocate delete list' ;;
    'admin experiments create') switches='--database --durability --now --account --variant --audience' operands=('') ;;
    'admin experiments start') switches='--database --durability --now --account' operands=('@experiments') ;;
    'admin experiments stop') switches='--database --durability --now --account' operands=('@experiments') ;;
    'admin experiments resume') switches='--database --durability --now --account' operands=('@experiments') ;;
    'admin experiments winner') switches='--database --durability --now --account' operands=('@experiments' '') ;;
    'admin experiments allocate') switches='--database --durability --now --account' operands=('@experiments' '') repeats=1 ;;
    'admin experiments delete') switches='--database --durability --now --account' operands=('@experiments') ;;
    'admin experiments list') switches='--database --durability --now --account' ;;
    'admin digests') children='generate' ;;
    'admin digests generate') switches='--database --durability --now --account' operands=('@experiments') ;;
    'admin forms') children='create list set' ;;
    'admin forms create') switches='--database --durability --now --account --field --trigger --inactive' operands=('') ;;
    'admin forms list') switches='--database --durability --now --account' ;;
    'admin forms set') switches='--database --durability --now --account --active --name --trigger' operands=('') ;;
    'admin batches') children='create add-keys revoke-key redeem invite open-invite' ;;
    'admin batches create') switches='--database --durability --now --account --target --fulfillment --redemption --identity --expires --instructions --share' operands=('') ;;
    'admin batches add-keys') switches='--database --durability --now --account --file --generate' operands=('@batches') ;;
    'admin batches revoke-key') switches='--database --durability --now --account' operands=('@batches' '') ;;
    'admin batches redeem') switches='--database --durability --now --account --key --invite --email --handle --country --user-agent --ip' operands=('@batches') ;;
    'admin batches invite') switches='--database --durability --now --account --note' operands=('@batches' '') ;;
    'admin batches open-invite') switches='--database --durability --now --account' operands=('@batches' '') ;;
    'admin handles') children='create claim-token' ;;
    'admin handles create') switches='--database --durability --now --account --key' operands=('') ;;
    'admin handles claim-token') switches='--database --durability --now --account' operands=('') ;;
    'admin event-config') children='set list' ;;
    'admin event-config set') switches='--database --durability --now --account --sdk-ignore --link-to-summary --hide-from-ai --meaning' operands=('') ;;
    'admin event-config list') switches='--database --durability --now --account' ;;
    'admin providers') children='set list remove' ;;
    'admin providers set') switches='--database --durability --now --account --kind --url --model --deadline' ;;
    'admin providers list') switches='--database --durability --now --account' ;;
    'admin providers remove') switches='--database --durability --now --account' operands=('') ;;
    'admin summaries') children='generate' ;;
    'admin summaries generate') switches='--database --durability --now --account --build --device --all --env' ;;
    'server') children='start exec import export seed status reset' ;;
    'server start') switches='--database --durability --now --demo --create-game --seed --limits --metrics --log-format --log-level --port --host --allow-remote --host-name --trust-proxy --allow-ingest --new-keys --ready-file --drain-delay' ;;
    'server exec') switches='--database --durability --now --demo --create-game --seed --limits' operands=('@command') repeats=1 ;;
    'server import') switches='--database --durability --now --create-games' operands=('@files') repeats=1 ;;
    'server export') switches='--database --force' operands=('') ;;
    'server seed') switches='--database --durability --now' ;;
    'server status')  ;;
    'server reset') switches='--database --yes' ;;
    'help') children='exit-codes environment formatting filters' ;;
    *) return 1 ;;
  esac
}

_playtest_value() {
  case "$1|$2" in
    'sessions list|--build') spec='@builds' ;;
    'sessions list|--env'|'sessions list|-q'|'sessions list|--query'|'sessions list|--from'|'sessions list|--to'|'sessions list|--limit'|'sessions list|--offset') spec='' ;;
    'sessions list|--status') spec='pending transcribing processing analyzed failed' ;;
    'sessions list|--source') spec='manual discord unity-telemetry unreal-telemetry godot-telemetry python-telemetry typescript-telemetry obs' ;;
    'insights list|--build') spec='@builds' ;;
    'insights list|--type') spec='stuck-point confusion positive-moment negative-moment feature-request bug-report difficulty-spike pacing-issue ui-friction praise session-summary' ;;
    'insights list|--sentiment') spec='positive neutral negative' ;;
    'insights list|--from'|'insights list|--to'|'insights list|--limit'|'insights list|--offset') spec='' ;;
    'builds list|--env'|'builds list|--from'|'builds list|--to'|'builds list|--sessions') spec='' ;;
    'builds get|--env') spec='' ;;
    'builds compare|--env'|'builds compare|--out') spec='' ;;
    'builds compare|--fail-on') spec=', resolved got_smaller carried_over got_larger introduced' ;;
    'builds suggestions|--env') spec='' ;;
    'testers get|--env') spec='' ;;
    'testers journey|--env'|'testers journey|--out') spec='' ;;
    'testers archetypes|--env') spec='' ;;
    'experiments compare|--out') spec='' ;;
    'experiments assign|--build') spec='@builds' ;;
    'heatmap|--build') spec='@builds' ;;
    'heatmap|--env'|'heatmap|--room'|'heatmap|--top'|'heatmap|--diff'|'heatmap|--scale'|'heatmap|--map'|'heatmap|--map-bounds') spec='' ;;
    'heatmap|--palette') spec='viridis cividis magma' ;;
    'heatmap|--image') spec='auto kitty iterm2 sixel' ;;
    'heatmap|--out') spec='@files' ;;
    'events|--build') spec='@builds' ;;
    'events|--env'|'events|--from'|'events|--to'|'events|--top'|'events|--out') spec='' ;;
    'events|--by') spec='hour day week' ;;
    'gate|--env'|'gate|--min-testers'|'gate|--max-increase'|'gate|--confidence'|'gate|--max-new'|'gate|--wait'|'gate|--report') spec='' ;;
    'gate|--fail-on') spec=', introduced got_larger carried_over' ;;
    'gate|--on-inconclusive') spec='fail warn pass' ;;
    'gate|--config') spec='@files' ;;
    'gate save|--env') spec='' ;;
    'gate save|--out') spec='@files' ;;
    'report|--env') spec='' ;;
    'report|--config'|'report|--out') spec='@files' ;;
    'report|--format') spec='html md json' ;;
    'export|--by') spec='hour day week' ;;
    'export|--from'|'export|--to'|'export|--env'|'export|--games'|'export|--out'|'export|--lookback') spec='' ;;
    'export|--format') spec='ndjson csv parquet' ;;
    'export|--state') spec='@files' ;;
    'export|--log-format') spec='text json' ;;
    'ingest discord|--channel'|'ingest discord|--thread') spec='' ;;
    'mcp|--max-chars'|'mcp|--deadline') spec='' ;;
    'mcp install|--name') spec='' ;;
    'api|-f'|'api|--field') spec='' ;;
    'admin games create|--database') spec='@files' ;;
    'admin games create|--durability') spec='full normal' ;;
    'admin games create|--now'|'admin games create|--account'|'admin games create|--name') spec='' ;;
    'admin accounts create|--database') spec='@files' ;;
    'admin accounts create|--durability') spec='full normal' ;;
    'admin accounts create|--now') spec='' ;;
    'admin accounts list|--database') spec='@files' ;;
    'admin accounts list|--durability') spec='full normal' ;;
    'admin accounts list|--now') spec='' ;;
    'admin games list|--database') spec='@files' ;;
    'admin games list|--durability') spec='full normal' ;;
    'admin games list|--now'|'admin games list|--account') spec='' ;;
    'admin games rename|--database') spec='@files' ;;
    'admin games rename|--durability') spec='full normal' ;;
    'admin games rename|--now'|'admin games rename|--account') spec='' ;;
    'admin keys create|--database') spec='@files' ;;
    'admin keys create|--durability') spec='full normal' ;;
    'admin keys create|--now'|'admin keys create|--account') spec='' ;;
    'admin keys create|--bind') spec='@games' ;;
    'admin keys list|--database') spec='@files' ;;
    'admin keys list|--durability') spec='full normal' ;;
    'admin keys list|--now'|'admin keys list|--account') spec='' ;;
    'admin keys rotate|--database') spec='@files' ;;
    'admin keys rotate|--durability') spec='full normal' ;;
    'admin keys rotate|--now'|'admin keys rotate|--account') spec='' ;;
    'admin sessions add|--database'|'admin sessions add|--transcript') spec='@files' ;;
    'admin sessions add|--durability') spec='full normal' ;;
    'admin sessions add|--now'|'admin sessions add|--account'|'admin sessions add|--notes'|'admin sessions add|--title'|'admin sessions add|--platform'|'admin sessions add|--tester'|'admin sessions add|--recorded-at'|'admin sessions add|--env') spec='' ;;
    'admin sessions add|--source') spec='manual discord unity-telemetry unreal-telemetry godot-telemetry python-telemetry typescript-telemetry obs' ;;
    'admin sessions add|--build') spec='@builds' ;;
    'admin sessions retry|--database') spec='@files' ;;
    'admin sessions retry|--durability') spec='full normal' ;;
    'admin sessions retry|--now'|'admin sessions retry|--account') spec='' ;;
    'admin sessions transcript|--database') spec='@files' ;;
    'admin sessions transcript|--durability') spec='full normal' ;;
    'admin sessions transcript|--now'|'admin sessions transcript|--account') spec='' ;;
    'admin audiences create|--database') spec='@files' ;;
    'admin audiences create|--durability') spec='full normal' ;;
    'admin audiences create|--now'|'admin audiences create|--account'|'admin audiences create|--build-prefix'|'admin audiences create|--platform'|'admin audiences create|--env'|'admin audiences create|--country') spec='' ;;
    'admin audiences create|--build') spec='@builds' ;;
    'admin audiences list|--database') spec='@files' ;;
    'admin audiences list|--durability') spec='full normal' ;;
    'admin audiences list|--now'|'admin audiences list|--account') spec='' ;;
    'admin experiments create|--database') spec='@files' ;;
    'admin experiments create|--durability') spec='full normal' ;;
    'admin experiments create|--now'|'admin experiments create|--account'|'admin experiments create|--variant'|'admin experiments create|--audience') spec='' ;;
    'admin experiments start|--database') spec='@files' ;;
    'admin experiments start|--durability') spec='full normal' ;;
    'admin experiments start|--now'|'admin experiments start|--account') spec='' ;;
    'admin experiments stop|--database') spec='@files' ;;
    'admin experiments stop|--durability') spec='full normal' ;;
    'admin experiments stop|--now'|'admin experiments stop|--account') spec='' ;;
    'admin experiments resume|--database') spec='@files' ;;
    'admin experiments resume|--durability') spec='full normal' ;;
    'admin experiments resume|--now'|'admin experiments resume|--account') spec='' ;;
    'admin experiments winner|--database') spec='@files' ;;
    'admin experiments winner|--durability') spec='full normal' ;;
    'admin experiments winner|--now'|'admin experiments winner|--account') spec='' ;;
    'admin experiments allocate|--database') spec='@files' ;;
    'admin experiments allocate|--durability') spec='full normal' ;;
    'admin experiments allocate|--now'|'admin experiments allocate|--account') spec='' ;;
    'admin experiments delete|--database') spec='@files' ;;
    'admin experiments delete|--durability') spec='full normal' ;;
    'admin experiments delete|--now'|'admin experiments delete|--account') spec='' ;;
    'admin experiments list|--database') spec='@files' ;;
    'admin experiments list|--durability') spec='full normal' ;;
    'admin experiments list|--now'|'admin experiments list|--account') spec='' ;;
    'admin digests generate|--database') spec='@files' ;;
    'admin digests generate|--durability') spec='full normal' ;;
    'admin digests generate|--now'|'admin digests generate|--account') spec='' ;;
    'admin forms create|--database') spec='@files' ;;
    'admin forms create|--durability') spec='full normal' ;;
    'admin forms create|--now'|'admin forms create|--account'|'admin forms create|--field'|'admin forms create|--trigger') spec='' ;;
    'admin forms list|--database') spec='@files' ;;
    'admin forms list|--durability') spec='full normal' ;;
    'admin forms list|--now'|'admin forms list|--account') spec='' ;;
    'admin forms set|--database') spec='@files' ;;
    'admin forms set|--durability') spec='full normal' ;;
    'admin forms set|--now'|'admin forms set|--account'|'admin forms set|--name'|'admin forms set|--trigger') spec='' ;;
    'admin forms set|--active') spec='on off' ;;
    'admin batches create|--database'|'admin batches create|--instructions') spec='@files' ;;
    'admin batches create|--durability') spec='full normal' ;;
    'admin batches create|--now'|'admin batches create|--account'|'admin batches create|--target'|'admin batches create|--fulfillment'|'admin batches create|--redemption'|'admin batches create|--identity'|'admin batches create|--expires') spec='' ;;
    'admin batches add-keys|--database'|'admin batches add-keys|--file') spec='@files' ;;
    'admin batches add-keys|--durability') spec='full normal' ;;
    'admin batches add-keys|--now'|'admin batches add-keys|--account'|'admin batches add-keys|--generate') spec='' ;;
    'admin batches revoke-key|--database') spec='@files' ;;
    'admin batches revoke-key|--durability') spec='full normal' ;;
    'admin batches revoke-key|--now'|'admin batches revoke-key|--account') spec='' ;;
    'admin batches redeem|--database') spec='@files' ;;
    'admin batches redeem|--durability') spec='full normal' ;;
    'admin batches redeem|--now'|'admin batches redeem|--account'|'admin batches redeem|--key'|'admin batches redeem|--invite'|'admin batches redeem|--email'|'admin batches redeem|--handle'|'admin batches redeem|--country'|'admin batches redeem|--user-agent'|'admin batches redeem|--ip') spec='' ;;
    'admin batches invite|--database') spec='@files' ;;
    'admin batches invite|--durability') spec='full normal' ;;
    'admin batches invite|--now'|'admin batches invite|--account'|'admin batches invite|--note') spec='' ;;
    'admin batches open-invite|--database') spec='@files' ;;
    'admin batches open-invite|--durability') spec='full normal' ;;
    'admin batches open-invite|--now'|'admin batches open-invite|--account') spec='' ;;
    'admin handles create|--database') spec='@files' ;;
    'admin handles create|--durability') spec='full normal' ;;
    'admin handles create|--now'|'admin handles create|--account'|'admin handles create|--key') spec='' ;;
    'admin handles claim-token|--database') spec='@files' ;;
    'admin handles claim-token|--durability') spec='full normal' ;;
    'admin handles claim-token|--now'|'admin handles claim-token|--account') spec='' ;;
    'admin event-config set|--database') spec='@files' ;;
    'admin event-config set|--durability') spec='full normal' ;;
    'admin event-config set|--now'|'admin event-config set|--account') spec='' ;;
    'admin event-config set|--sdk-ignore'|'admin event-config set|--link-to-summary'|'admin event-config set|--hide-from-ai') spec='on off' ;;
    'admin event-config set|--meaning') spec='failure success giving-up none' ;;
    'admin event-config list|--database') spec='@files' ;;
    'admin event-config list|--durability') spec='full normal' ;;
    'admin event-config list|--now'|'admin event-config list|--account') spec='' ;;
    'admin providers set|--database') spec='@files' ;;
    'admin providers set|--durability') spec='full normal' ;;
    'admin providers set|--now'|'admin providers set|--account'|'admin providers set|--url'|'admin providers set|--model'|'admin providers set|--deadline') spec='' ;;
    'admin providers set|--kind') spec='chat embedding' ;;
    'admin providers list|--database') spec='@files' ;;
    'admin providers list|--durability') spec='full normal' ;;
    'admin providers list|--now'|'admin providers list|--account') spec='' ;;
    'admin providers remove|--database') spec='@files' ;;
    'admin providers remove|--durability') spec='full normal' ;;
    'admin providers remove|--now'|'admin providers remove|--account') spec='' ;;
    'admin summaries generate|--database') spec='@files' ;;
    'admin summaries generate|--durability') spec='full normal' ;;
    'admin summaries generate|--now'|'admin summaries generate|--account'|'admin summaries generate|--device'|'admin summaries generate|--env') spec='' ;;
    'admin summaries generate|--build') spec='@builds' ;;
    'server start|--database'|'server start|--seed'|'server start|--ready-file') spec='@files' ;;
    'server start|--durability') spec='full normal' ;;
    'server start|--now'|'server start|--create-game'|'server start|--port'|'server start|--host'|'server start|--host-name'|'server start|--drain-delay') spec='' ;;
    'server start|--limits') spec='on off' ;;
    'server start|--log-format') spec='text json' ;;
    'server start|--log-level') spec='debug info warn error' ;;
    'server exec|--database'|'server exec|--seed') spec='@files' ;;
    'server exec|--durability') spec='full normal' ;;
    'server exec|--now'|'server exec|--create-game') spec='' ;;
    'server exec|--limits') spec='on off' ;;
    'server import|--database') spec='@files' ;;
    'server import|--durability') spec='full normal' ;;
    'server import|--now') spec='' ;;
    'server export|--database') spec='@files' ;;
    'server seed|--database') spec='@files' ;;
    'server seed|--durability') spec='full normal' ;;
    'server seed|--now') spec='' ;;
    'server reset|--database') spec='@files' ;;
    *'|-g'|*'|--game') spec='@games' ;;
    *'|--profile') spec='@profiles' ;;
    *'|--base-url'|*'|--fields'|*'|--jq'|*'|--tz'|*'|--timeout'|*'|--max-wait') spec='' ;;
    *'|--format') spec='table json ndjson csv tsv md' ;;
    *'|--color') spec='auto always never' ;;
    *) return 1 ;;
  esac
}

# The words up to the cursor, as the line has them: bash splits at = and : too.
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

# A word without its quotes and backslashes.
_playtest_plain() {
  local word=$1
  case $word in
    \'*) plain=${word#\'} plain=${plain%\'} ;;
    \"*) word=${word#\"} word=${word%\"}
      IFS= read plain <<<"$word" ;;
    *) IFS= read plain <<<"$word" ;;
  esac
}

# Offers a word where it begins with what is typed, quoted the way the typed word is.
_playtest_add() {
  local text
  [[ $1 == "$typed"* ]] || return 0
  case $value in
    \'*) text=${1//\'/\'\\\'\'} ;;
    \"*)
      # Between double quotes nothing keeps bash from expanding a history mark.
      [[ $1 == *'!'* ]] && return 0
      text=${1//\\/\\\\} text=${text//\"/\\\"} text=${text//\$/\\\$} text=${text//\`/\\\`} ;;
    *)
      printf -v text %q "$1"
      # Between escaped braces a comma means nothing.
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

# Offers what a spec names, for the value typed so far.
_playtest_offer() {
  local plain typed one lead='' name
  value=$1
  [[ $last == [=:] ]] && last=''
  _playtest_plain "$value"
  typed=$plain
  for one in $spec; do
    case $one in
      ,) [[ $typed == *,* ]] && lead=${typed%,*}, ;;
      @files) compopt -o default 2>/dev/null ;;
      @command)
        compopt -o default 2>/dev/null
        ((position > 0)) || while IFS= read -r name; do _playtest_add "$name"; done <<<"$(compgen -c -- "$typed")" ;;
      @*)
        while IFS= read -r name; do
          [[ -z $name ]] || _playtest_add "$name"
        done <<<"$(command playtest __complete "${one#@}" -- "${before[@]}" 2>/dev/null </dev/null)" ;;
      *) _playtest_add "$lead$one" ;;
    esac
  done
}

_playtest() {
  local words=() before=() children switches operands=() repeats spec last='' value
  local IFS=$' \t\n' node='' position=0 expecting='' behind='' helping='' plain typed='' one next at
  COMPREPLY=()
  _playtest_words
  for ((at = 1; at < ${#words[@]} - 1; at += 1)); do
    _playtest_plain "${words[at]}"
    before[${#before[@]}]=$plain
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
      if ((position == 0)) && _playtest_node "$next"; then node=$next; else position=$((position + 1)); fi
    fi
  done
  value=${words[at]} spec=''
  if [[ -n $expecting ]]; then
    _playtest_value "$node" "$expecting"
    _playtest_offer "$value"
    return
  fi
  if [[ -z $behind && $value == --*=* ]]; then
    _playtest_value "$node" "${value%%=*}" && _playtest_offer "${value#*=}"
    return
  fi
  _playtest_node "${node:-${helping:+help}}"
  if [[ -n $helping && -z $node ]]; then
    spec=$children
    _playtest_node ''
    spec="$children $spec"
  elif [[ -z $behind && -z $helping && $value == -* ]]; then
    spec="$switches $_playtest_global"
  elif [[ -n $children && $position -eq 0 ]]; then
    spec=$children
  elif [[ -z $helping ]]; then
    [[ -n $repeats && $position -ge ${#operands[@]} ]] && position=$((${#operands[@]} - 1))
    spec=${operands[position]-}
  fi
  _playtest_offer "$value"
}

complete -o nosort -F _playtest playtest 2>/dev/null || complete -F _playtest playtest
