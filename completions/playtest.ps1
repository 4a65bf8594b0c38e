# Completions of playtest. Made by `npm run generate`; `playtest help completion` says how to install them.

$script:PlaytestGlobal = @('-g	game id or slug', '--game	game id or slug', '--profile	profile with settings and keys', '--base-url	URL of the service', '--format	output format: table, json, ndjson, csv, tsv or md (default: table)', '--json	shorthand for --format json', '--fields	fields to show, such as id,metadata.platform', '--jq	filter the JSON output with a jq expression', '--wide	show all columns', '--plain	omit borders, colors and spinners, for screen readers', '--color	use color: auto, always or never (default: auto)', '--tz	time zone for displayed and entered times (default: UTC)', '--timeout	idle timeout (default: 30s); a whole request may take 10 times as long', '--max-wait	maximum wait for the rate limit (default: 2m)', '--allow-http	allow unencrypted HTTP to remote hosts', '--debug	show requests and stack traces, with keys redacted', '-h	more of this command', '--help	more of this command')

$script:PlaytestNodes = @{
    '' = @{ Children = @('games	List and show games', 'sessions	List and show playtest sessions', 'insights	List insights from the session analysis', 'builds	List, show and compare builds', 'testers	Show testers, their journeys and archetypes', 'experiments	List experiments and compare their variants', 'batches	Show playtest batches, their keys and invites', 'handles	List tester handles', 'heatmap	Draw heatmaps of player positions by room', 'events	Count events by name or over time', 'gate	Fail CI when a build introduces friction', 'report	Write a report on the changes between two builds', 'export	Export datasets to files', 'ingest	Send telemetry and chat threads to the service', 'mcp	Serve the API to AI assistants (MCP)', 'api	Send a GET request to any API path', 'login	Log in to a service and store a key', 'logout	Remove stored keys', 'profiles	List profiles', 'config	Read and change settings', 'doctor	Check settings, keys and the service, and suggest fixes', 'completion	Print a shell completion script', 'admin	Administer the local service', 'server	Run and manage a service on this machine', 'help	More of a command or a topic'); Switches = @(); Operands = @(); Repeats = $false }
    'games' = @{ Children = @('list	List the account''s games, newest first', 'get	Show a game and its number of sessions, builds and testers', 'prompts	List a game''s feedback forms and their response counts'); Switches = @(); Operands = @(); Repeats = $false }
    'games list' = @{ Children = @(); Switches = @(); Operands = @(); Repeats = $false }
    'games get' = @{ Children = @(); Switches = @(); Operands = @('@games'); Repeats = $false }
    'games prompts' = @{ Children = @(); Switches = @(); Operands = @('@games'); Repeats = $false }
    'sessions' = @{ Children = @('list	List sessions, newest first', 'get	Show a session with its insights and their evidence'); Switches = @(); Operands = @(); Repeats = $false }
    'sessions list' = @{ Children = @(); Switches = @('--build	exact build version', '--env	environment (default: all environments combined)', '--status	session status: pending, transcribing, processing, analyzed, failed', '--source	session source: manual, discord, unity-telemetry, unreal-telemetry, godot-telemetry, python-telemetry, typescript-telemetry, obs', '-q	search title, tester handle and transcript (case-insensitive)', '--query	search title, tester handle and transcript (case-insensitive)', '--from	recorded at or after', '--to	recorded at or before', '--limit	maximum number of results (default: 20)', '--offset	number of results to skip', '--all	return all results, page by page'); Operands = @(); Repeats = $false }
    'sessions get' = @{ Children = @(); Switches = @(); Operands = @('@sessions'); Repeats = $false }
    'insights' = @{ Children = @('list	List insights, newest first'); Switches = @(); Operands = @(); Repeats = $false }
    'insights list' = @{ Children = @(); Switches = @('--build	exact build version', '--type	insight type: stuck-point, confusion, positive-moment, negative-moment, feature-request, bug-report, difficulty-spike, pacing-issue, ui-friction, praise, session-summary', '--sentiment	sentiment: positive, neutral, negative', '--from	found at or after', '--to	found at or before', '--limit	maximum number of results (default: 20)', '--offset	number of results to skip', '--all	return all results, page by page'); Operands = @(); Repeats = $false }
    'builds' = @{ Children = @('list	List a game''s builds, newest first', 'get	Show a build''s sessions, devices, play time and summary', 'compare	Compare friction between two builds', 'suggestions	Suggest what to change first in a build'); Switches = @(); Operands = @(); Repeats = $false }
    'builds list' = @{ Children = @(); Switches = @('--env	environment (default: all environments combined)', '--from	sessions recorded at or after', '--to	sessions recorded at or before', '--sessions	number of sessions to read (default: 1000)', '--all	read all sessions'); Operands = @(); Repeats = $false }
    'builds get' = @{ Children = @(); Switches = @('--env	environment of the summary (default: production)'); Operands = @('@builds latest previous'); Repeats = $false }
    'builds compare' = @{ Children = @(); Switches = @('--env	environment for both builds, or `all` (default: production)', '--fail-on	exit with code 10 on any of these changes: resolved, got_smaller, carried_over, got_larger, introduced', '--out	also write the chart to this SVG file'); Operands = @('@builds latest previous', '@builds latest previous'); Repeats = $false }
    'builds suggestions' = @{ Children = @(); Switches = @('--env	environment (default: production)'); Operands = @('@builds latest previous', '@builds latest previous'); Repeats = $false }
    'testers' = @{ Children = @('get	Show a tester''s play time, sessions and summary', 'journey	Show a tester''s sessions, with highlights and problems in each session', 'archetypes	Group a game''s testers by the similarity of their summaries'); Switches = @(); Operands = @(); Repeats = $false }
    'testers get' = @{ Children = @(); Switches = @('--env	environment of the summary (default: production)'); Operands = @(''); Repeats = $false }
    'testers journey' = @{ Children = @(); Switches = @('--env	environment (default: all environments combined)', '--out	also write the chart to this SVG file'); Operands = @(''); Repeats = $false }
    'testers archetypes' = @{ Children = @(); Switches = @('--env	environment of the summaries (default: production)'); Operands = @(); Repeats = $false }
    'experiments' = @{ Children = @('list	List a game''s experiments, newest first', 'compare	Compare an experiment''s variants, with intervals and a verdict', 'assign	Show which variant of each running experiment a device gets'); Switches = @(); Operands = @(); Repeats = $false }
    'experiments list' = @{ Children = @(); Switches = @(); Operands = @(); Repeats = $false }
    'experiments compare' = @{ Children = @(); Switches = @('--out	also write the chart to this SVG file'); Operands = @('@experiments'); Repeats = $false }
    'experiments assign' = @{ Children = @(); Switches = @('--build	build version to use for audiences limited to builds'); Operands = @(''); Repeats = $false }
    'batches' = @{ Children = @('list	List a game''s playtest batches, newest first', 'get	Show a batch''s key distribution settings and tester instructions', 'keys	List a batch''s keys and redemptions, without the key values', 'invites	List a batch''s invites, most recently sent first'); Switches = @(); Operands = @(); Repeats = $false }
    'batches list' = @{ Children = @(); Switches = @(); Operands = @(); Repeats = $false }
    'batches get' = @{ Children = @(); Switches = @(); Operands = @('@batches'); Repeats = $false }
    'batches keys' = @{ Children = @(); Switches = @(); Operands = @('@batches'); Repeats = $false }
    'batches invites' = @{ Children = @(); Switches = @(); Operands = @('@batches'); Repeats = $false }
    'handles' = @{ Children = @('list	List a game''s tester handles, most recently seen first'); Switches = @(); Operands = @(); Repeats = $false }
    'handles list' = @{ Children = @(); Switches = @(); Operands = @(); Repeats = $false }
    'heatmap' = @{ Children = @(); Switches = @('--build	exact build version', '--env	environment (default: all environments combined)', '--room	show only this room', '--palette	color palette: viridis, cividis or magma (default: viridis)', '--cells	list the densest cells instead of drawing a heatmap', '--top	number of cells to list with --cells (default: 20)', '--image	draw an image in the terminal: auto, kitty, iterm2, sixel', '--diff	draw the difference between --build and this build', '--out	write to this file (.svg, .png, .html, .json or .csv)', '--scale	scale factor for PNG files (default: 2)', '--map	level image to draw behind the cells of a room (PNG, JPEG or WebP)', '--map-bounds	world coordinates of the level image: xMin,yMin,xMax,yMax'); Operands = @(); Repeats = $false }
    'events' = @{ Children = @(); Switches = @('--build	exact build version', '--env	environment (default: all environments combined)', '--from	sessions recorded at or after', '--to	sessions recorded at or before', '--top	number of event names to show (default: 20; maximum: 50)', '--by	count over time by hour, day or week', '--out	also write the chart to this SVG file'); Operands = @(); Repeats = $false }
    'gate' = @{ Children = @('init	Add default gate rules to playtest.config.json', 'save	Save a build as a baseline for later gates'); Switches = @('--env	environment for both builds, or `all` (default: production)', '--fail-on	changes that fail the gate: introduced, got_larger, carried_over; all others are turned off', '--min-testers	minimum number of testers per build (default: 5)', '--max-increase	maximum increase of a tag''s share, in percentage points (default: 10)', '--confidence	confidence required to count an increase (default: 0.95)', '--max-new	number of introduced tags that only warn (default: 0)', '--on-inconclusive	result if there is not enough data: fail (exit code 11), warn or pass (default: fail)', '--config	rules file to use instead of the nearest playtest.config.json', '--wait	wait up to this long for testers of b and for the analysis of its sessions', '--report	write a report: text, json, junit, md or github (repeatable)', '--suggestions	also show suggested changes; they do not affect the result'); Operands = @('', ''); Repeats = $false }
    'gate init' = @{ Children = @(); Switches = @(); Operands = @(); Repeats = $false }
    'gate save' = @{ Children = @(); Switches = @('--env	environment, or `all` (default: production)', '--out	file to write (required)'); Operands = @(''); Repeats = $false }
    'report' = @{ Children = @(); Switches = @('--env	environment for both builds, or `all` (default: production)', '--config	rules file to use instead of the nearest playtest.config.json', '--out	write to this .html, .md or .json file (default: standard output)', '--format	html, md or json (default: from the extension of --out, or md)', '--exit-code	exit with code 10 if the gate fails, or 11 if there is not enough data to decide'); Operands = @('', ''); Repeats = $false }
    'export' = @{ Children = @(); Switches = @('--by	partition by UTC hour, day or week (default: day)', '--from	recorded at or after; extended to whole partitions', '--to	recorded at or before; extended to whole partitions', '--env	environment (repeatable; default: all environments combined)', '--games	comma-separated list of games', '--all-games	export all games of the account', '--out	folder for partitions, file (.ndjson, .csv, .parquet, .gz), or - for standard output (default: -)', '--format	ndjson, csv or parquet (default: from the file extension; parquet in a folder, ndjson to standard output)', '--gzip	compress ndjson and csv with gzip', '--since-last	continue after the data that earlier runs completed', '--state	state file for --since-last (default: .playtest-export.json in the folder)', '--lookback	re-export this much already exported data (default: 2d)', '--dry-run	print the planned files, requests and minutes without exporting', '--log-format	log format on standard error: text or json (default: text)', '--unpaced	send requests without delays, for a service without rate limits'); Operands = @('events sessions insights handles batches keys experiments heatmaps'); Repeats = $true }
    'ingest' = @{ Children = @('telemetry	Send recorded telemetry from NDJSON files, plain or gzip', 'discord	Open a session for a chat thread, or extend the open one'); Switches = @(); Operands = @(); Repeats = $false }
    'ingest telemetry' = @{ Children = @(); Switches = @('--restart	send each file from the start, ignoring the progress of earlier runs'); Operands = @('@files'); Repeats = $true }
    'ingest discord' = @{ Children = @(); Switches = @('--channel	channel id (required)', '--thread	thread id (default: the channel itself)'); Operands = @(); Repeats = $false }
    'mcp' = @{ Children = @('install	Configure an assistant to start `playtest mcp`'); Switches = @('--allow-ingest	enable the one tool that writes data (sessions from chat threads)', '--max-chars	maximum characters per response (default: 24000)', '--deadline	maximum time per call, including rate limit waits (default: 50s)'); Operands = @(); Repeats = $false }
    'mcp install' = @{ Children = @(); Switches = @('--name	server name in the assistant''s settings (default: playtest)', '--print	print the entry without writing it', '--yes	write without confirmation', '--with-key	write the key into the file', '--allow-ingest	enable the one tool that writes data (sessions from chat threads)'); Operands = @('claude-desktop claude-code cursor vscode windsurf zed gemini'); Repeats = $false }
    'api' = @{ Children = @(); Switches = @('-f	query parameter (repeatable)', '--field	query parameter (repeatable)', '--ingest-key	use the ingest key instead of the management key'); Operands = @(''); Repeats = $false }
    'login' = @{ Children = @(); Switches = @('--ingest	store an ingest key, for `playtest ingest telemetry`', '--keychain	store the key in the system keychain instead of the config file'); Operands = @(); Repeats = $false }
    'logout' = @{ Children = @(); Switches = @(); Operands = @(); Repeats = $false }
    'profiles' = @{ Children = @(); Switches = @(); Operands = @(); Repeats = $false }
    'config' = @{ Children = @('get	Print a setting of the current profile', 'set	Change a setting of the current profile', 'unset	Remove a setting from the current profile', 'list	List the current settings and their sources', 'path	Print the path of the config file'); Switches = @(); Operands = @(); Repeats = $false }
    'config get' = @{ Children = @(); Switches = @(); Operands = @('base-url game format tz timeout max-wait'); Repeats = $false }
    'config set' = @{ Children = @(); Switches = @(); Operands = @('base-url game format tz timeout max-wait', ''); Repeats = $false }
    'config unset' = @{ Children = @(); Switches = @(); Operands = @('base-url game format tz timeout max-wait'); Repeats = $false }
    'config list' = @{ Children = @(); Switches = @(); Operands = @(); Repeats = $false }
    'config path' = @{ Children = @(); Switches = @(); Operands = @(); Repeats = $false }
    'doctor' = @{ Children = @(); Switches = @(); Operands = @(); Repeats = $false }
    'completion' = @{ Children = @(); Switches = @(); Operands = @('bash zsh fish powershell'); Repeats = $false }
    'admin' = @{ Children = @('games	Commands about games', 'accounts	Commands about accounts', 'keys	Commands about keys', 'sessions	Commands about sessions', 'audiences	Commands about audiences', 'experiments	Commands about experiments', 'digests	Commands about digests', 'forms	Commands about forms', 'batches	Commands about batches', 'handles	Commands about handles', 'event-config	Commands about event-config', 'providers	Commands about providers', 'summaries	Commands about summaries'); Switches = @(); Operands = @(); Repeats = $false }
    'admin games' = @{ Children = @('create	Create a game, or return the existing one', 'list	List an account''s games, newest first', 'rename	Rename a game. Its slug and id do not change'); Switches = @(); Operands = @(); Repeats = $false }
    'admin games create' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time', '--account	account id or name (default: the first account)', '--name	game name (default: the slug)'); Operands = @(''); Repeats = $false }
    'admin accounts' = @{ Children = @('create	Create an account and its keys (shown only once)', 'list	List accounts, oldest first'); Switches = @(); Operands = @(); Repeats = $false }
    'admin accounts create' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time'); Operands = @(''); Repeats = $false }
    'admin accounts list' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time'); Operands = @(); Repeats = $false }
    'admin games list' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time', '--account	account id or name (default: the first account)'); Operands = @(); Repeats = $false }
    'admin games rename' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time', '--account	account id or name (default: the first account)'); Operands = @('', ''); Repeats = $false }
    'admin keys' = @{ Children = @('create	Create an ingest key (shown only once). Existing keys remain valid.', 'list	List an account''s keys by hash prefix, oldest first', 'rotate	Replace an account''s management key'); Switches = @(); Operands = @(); Repeats = $false }
    'admin keys create' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time', '--account	account id or name (default: the first account)', '--bind	restrict the key to this game (slug or id)'); Operands = @(); Repeats = $false }
    'admin keys list' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time', '--account	account id or name (default: the first account)'); Operands = @(); Repeats = $false }
    'admin keys rotate' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time', '--account	account id or name (default: the first account)'); Operands = @(); Repeats = $false }
    'admin sessions' = @{ Children = @('add	Add and analyze a session, such as a recording with a transcript', 'retry	Retry the analysis of a failed session', 'transcript	Add the transcript of a recording and analyze it'); Switches = @(); Operands = @(); Repeats = $false }
    'admin sessions add' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time', '--account	account id or name (default: the first account)', '--source	source of the session (default: manual)', '--transcript	transcript file, or - for standard input', '--notes	notes, instead of a transcript', '--title	session title (default: source and time)', '--build	build version (default: unknown)', '--platform	platform (default: unknown)', '--tester	tester handle', '--recorded-at	when the session was recorded (default: now)', '--env	environment (default: production)'); Operands = @(); Repeats = $false }
    'admin sessions retry' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time', '--account	account id or name (default: the first account)'); Operands = @('@sessions'); Repeats = $false }
    'admin sessions transcript' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time', '--account	account id or name (default: the first account)'); Operands = @('@sessions', '@files'); Repeats = $false }
    'admin audiences' = @{ Children = @('create	Create an audience for a game', 'list	List a game''s audiences, newest first'); Switches = @(); Operands = @(); Repeats = $false }
    'admin audiences create' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time', '--account	account id or name (default: the first account)', '--build	players on this build (repeatable)', '--build-prefix	players on builds that start with this text (repeatable)', '--platform	players on this platform (repeatable)', '--env	players in this environment (repeatable)', '--country	players in this country, such as DE (repeatable)'); Operands = @(''); Repeats = $false }
    'admin audiences list' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time', '--account	account id or name (default: the first account)'); Operands = @(); Repeats = $false }
    'admin experiments' = @{ Children = @('create	Create an experiment as a draft', 'start	Start an experiment: assign devices and lock the allocations', 'stop	Stop an experiment. No more devices are assigned', 'resume	Resume a stopped experiment and clear its winner', 'winner	Declare the winning variant', 'allocate	Change the allocations of an experiment that is not running', 'delete	Delete an experiment. Its data is kept but no longer shown', 'list	List a game''s experiments, newest first'); Switches = @(); Operands = @(); Repeats = $false }
    'admin experiments create' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time', '--account	account id or name (default: the first account)', '--variant	variant (repeatable; at least two)', '--audience	audience of the experiment (default: all players)'); Operands = @(''); Repeats = $false }
    'admin experiments start' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time', '--account	account id or name (default: the first account)'); Operands = @('@experiments'); Repeats = $false }
    'admin experiments stop' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time', '--account	account id or name (default: the first account)'); Operands = @('@experiments'); Repeats = $false }
    'admin experiments resume' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time', '--account	account id or name (default: the first account)'); Operands = @('@experiments'); Repeats = $false }
    'admin experiments winner' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time', '--account	account id or name (default: the first account)'); Operands = @('@experiments', ''); Repeats = $false }
    'admin experiments allocate' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time', '--account	account id or name (default: the first account)'); Operands = @('@experiments', ''); Repeats = $true }
    'admin experiments delete' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time', '--account	account id or name (default: the first account)'); Operands = @('@experiments'); Repeats = $false }
    'admin experiments list' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time', '--account	account id or name (default: the first account)'); Operands = @(); Repeats = $false }
    'admin digests' = @{ Children = @('generate	Generate an experiment''s digest from its data so far'); Switches = @(); Operands = @(); Repeats = $false }
    'admin digests generate' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time', '--account	account id or name (default: the first account)'); Operands = @('@experiments'); Repeats = $false }
    'admin forms' = @{ Children = @('create	Create a feedback form', 'list	List a game''s feedback forms, newest first', 'set	Change a feedback form. Other settings are kept'); Switches = @(); Operands = @(); Repeats = $false }
    'admin forms create' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time', '--account	account id or name (default: the first account)', '--field	question (repeatable; questions are asked in this order)', '--trigger	when the game shows the form (default: session_end)', '--inactive	create the form without showing it to players yet'); Operands = @(''); Repeats = $false }
    'admin forms list' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time', '--account	account id or name (default: the first account)'); Operands = @(); Repeats = $false }
    'admin forms set' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time', '--account	account id or name (default: the first account)', '--active	whether players see the form', '--name	form name', '--trigger	when the game shows the form'); Operands = @(''); Repeats = $false }
    'admin batches' = @{ Children = @('create	Create a playtest batch', 'add-keys	Add keys to a batch (shown only once; the service stores only fingerprints)', 'revoke-key	Revoke a key, even if it was redeemed', 'redeem	Redeem a specific key, an invite''s key or the next available key', 'invite	Invite a tester and reserve the next key of the batch', 'open-invite	Record that an invite was opened; only the first time is stored'); Switches = @(); Operands = @(); Repeats = $false }
    'admin batches create' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time', '--account	account id or name (default: the first account)', '--target	platform the keys are for (default: steam)', '--fulfillment	source of the keys (default: uploaded)', '--redemption	how testers redeem keys (default: link)', '--identity	how testers are identified (default: email)', '--expires	when unredeemed keys expire (default: never)', '--instructions	Markdown file with instructions for testers, or - for standard input', '--share	create a share token for a public page'); Operands = @(''); Repeats = $false }
    'admin batches add-keys' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time', '--account	account id or name (default: the first account)', '--file	file with one key per line, or - for standard input', '--generate	number of keys to generate'); Operands = @('@batches'); Repeats = $false }
    'admin batches revoke-key' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time', '--account	account id or name (default: the first account)'); Operands = @('@batches', ''); Repeats = $false }
    'admin batches redeem' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time', '--account	account id or name (default: the first account)', '--key	key id or key value', '--invite	id of the invite whose reserved key is redeemed', '--email	email address of the tester (default: the invited address)', '--handle	tester handle, created if it does not exist', '--country	country of the tester (ISO 3166 alpha-2)', '--user-agent	browser user agent of the tester', '--ip	IP address of the tester; stored but never shown'); Operands = @('@batches'); Repeats = $false }
    'admin batches invite' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time', '--account	account id or name (default: the first account)', '--note	personal note'); Operands = @('@batches', ''); Repeats = $false }
    'admin batches open-invite' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time', '--account	account id or name (default: the first account)'); Operands = @('@batches', ''); Repeats = $false }
    'admin handles' = @{ Children = @('create	Create a tester handle, or return the existing one', 'claim-token	Create a claim token for a tester handle (shown only once)'); Switches = @(); Operands = @(); Repeats = $false }
    'admin handles create' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time', '--account	account id or name (default: the first account)', '--key	id of the playtest key that the tester received'); Operands = @(''); Repeats = $false }
    'admin handles claim-token' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time', '--account	account id or name (default: the first account)'); Operands = @(''); Repeats = $false }
    'admin event-config' = @{ Children = @('set	Change the settings of an event. Other settings are kept', 'list	List events with custom settings'); Switches = @(); Operands = @(); Repeats = $false }
    'admin event-config set' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time', '--account	account id or name (default: the first account)', '--sdk-ignore	whether SDKs skip the event', '--link-to-summary	whether the session summary links to the event', '--hide-from-ai	whether the event is hidden from AI models', '--meaning	meaning of the event, or none to use the default'); Operands = @(''); Repeats = $false }
    'admin event-config list' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time', '--account	account id or name (default: the first account)'); Operands = @(); Repeats = $false }
    'admin providers' = @{ Children = @('set	Set an account''s model, from any OpenAI-compatible service', 'list	List an account''s models, without their keys', 'remove	Remove a model of an account and its key'); Switches = @(); Operands = @(); Repeats = $false }
    'admin providers set' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time', '--account	account id or name (default: the first account)', '--kind	chat or embedding (default: chat)', '--url	base URL, such as https://api.openai.com/v1', '--model	model id', '--deadline	maximum total time per model request (default: 30s)'); Operands = @(); Repeats = $false }
    'admin providers list' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time', '--account	account id or name (default: the first account)'); Operands = @(); Repeats = $false }
    'admin providers remove' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time', '--account	account id or name (default: the first account)'); Operands = @(''); Repeats = $false }
    'admin summaries' = @{ Children = @('generate	Regenerate the summaries of builds and testers'); Switches = @(); Operands = @(); Repeats = $false }
    'admin summaries generate' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time', '--account	account id or name (default: the first account)', '--build	summarize this build', '--device	summarize the tester with this device id', '--all	summarize every build and tester of the environment', '--env	environment (default: production)'); Operands = @(); Repeats = $false }
    'server' = @{ Children = @('start	Start a server on this machine', 'exec	Run a command against a temporary service', 'import	Import telemetry files or an archive into the local database', 'export	Export the whole local database to an archive file', 'seed	Add the data of a demo studio to the local database', 'status	List the servers running on this machine', 'reset	Delete the local database and everything in it'); Switches = @(); Operands = @(); Repeats = $false }
    'server start' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time', '--demo	add the data of a demo studio', '--create-game	create this game if it does not exist (repeatable)', '--seed	import this telemetry file first (repeatable)', '--limits	rate limits (default: on)', '--metrics	serve Prometheus metrics at /metrics, without a key', '--log-format	log format on standard error: text or json, one line per request (default: text)', '--log-level	minimum level of JSON log lines (default: info)', '--port	port, or 0 for any free port (default: 4400)', '--host	address to listen on (default: 127.0.0.1)', '--allow-remote	allow connections from other machines', '--host-name	also accept requests for this host name (repeatable)', '--trust-proxy	read client addresses from X-Forwarded-For', '--allow-ingest	enable the one tool that writes data for assistants at /mcp', '--new-keys	create new keys; the current management key stops working', '--ready-file	write the server''s address to this file when it is ready', '--drain-delay	keep serving this long after shutdown is requested'); Operands = @(); Repeats = $false }
    'server exec' = @{ Children = @(); Switches = @('--database	database file or :memory: (default: :memory:)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time', '--demo	add the data of a demo studio', '--create-game	create this game if it does not exist (repeatable)', '--seed	import this telemetry file first (repeatable)', '--limits	rate limits (default: on)'); Operands = @('@command'); Repeats = $true }
    'server import' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time', '--create-games	create games that do not exist'); Operands = @('@files'); Repeats = $true }
    'server export' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--force	overwrite an existing archive'); Operands = @(''); Repeats = $false }
    'server seed' = @{ Children = @(); Switches = @('--database	database file, :memory: or postgres://… (default: a file in the user''s state folder)', '--durability	full survives a power loss, normal a crash (default: full)', '--now	set the service''s clock to this fixed time'); Operands = @(); Repeats = $false }
    'server status' = @{ Children = @(); Switches = @(); Operands = @(); Repeats = $false }
    'server reset' = @{ Children = @(); Switches = @('--database	database file (default: in the user''s state folder)', '--yes	delete without confirmation'); Operands = @(); Repeats = $false }
    'help' = @{ Children = @('exit-codes	Exit codes and their meaning', 'environment	Environment variables that playtest reads', 'formatting	Output formats, fields, jq, colors and times', 'filters	Filters, pagination, times and durations'); Switches = @(); Operands = @(); Repeats = $false }
}

$script:PlaytestValues = @{
    'sessions list|--build' = '@builds'
    'sessions list|--env' = ''
    'sessions list|-q' = ''
    'sessions list|--query' = ''
    'sessions list|--from' = ''
    'sessions list|--to' = ''
    'sessions list|--limit' = ''
    'sessions list|--offset' = ''
    'sessions list|--status' = 'pending transcribing processing analyzed failed'
    'sessions list|--source' = 'manual discord unity-telemetry unreal-telemetry godot-telemetry python-telemetry typescript-telemetry obs'
    'insights list|--build' = '@builds'
    'insights list|--type' = 'stuck-point confusion positive-moment negative-moment feature-request bug-report difficulty-spike pacing-issue ui-friction praise session-summary'
    'insights list|--sentiment' = 'positive neutral negative'
    'insights list|--from' = ''
    'insights list|--to' = ''
    'insights list|--limit' = ''
    'insights list|--offset' = ''
    'builds list|--env' = ''
    'builds list|--from' = ''
    'builds list|--to' = ''
    'builds list|--sessions' = ''
    'builds get|--env' = ''
    'builds compare|--env' = ''
    'builds compare|--out' = ''
    'builds compare|--fail-on' = ', resolved got_smaller carried_over got_larger introduced'
    'builds suggestions|--env' = ''
    'testers get|--env' = ''
    'testers journey|--env' = ''
    'testers journey|--out' = ''
    'testers archetypes|--env' = ''
    'experiments compare|--out' = ''
    'experiments assign|--build' = '@builds'
    'heatmap|--build' = '@builds'
    'heatmap|--env' = ''
    'heatmap|--room' = ''
    'heatmap|--top' = ''
    'heatmap|--diff' = ''
    'heatmap|--scale' = ''
    'heatmap|--map' = ''
    'heatmap|--map-bounds' = ''
    'heatmap|--palette' = 'viridis cividis magma'
    'heatmap|--image' = 'auto kitty iterm2 sixel'
    'heatmap|--out' = '@files'
    'events|--build' = '@builds'
    'events|--env' = ''
    'events|--from' = ''
    'events|--to' = ''
    'events|--top' = ''
    'events|--out' = ''
    'events|--by' = 'hour day week'
    'gate|--env' = ''
    'gate|--min-testers' = ''
    'gate|--max-increase' = ''
    'gate|--confidence' = ''
    'gate|--max-new' = ''
    'gate|--wait' = ''
    'gate|--report' = ''
    'gate|--fail-on' = ', introduced got_larger carried_over'
    'gate|--on-inconclusive' = 'fail warn pass'
    'gate|--config' = '@files'
    'gate save|--env' = ''
    'gate save|--out' = '@files'
    'report|--env' = ''
    'report|--config' = '@files'
    'report|--out' = '@files'
    'report|--format' = 'html md json'
    'export|--by' = 'hour day week'
    'export|--from' = ''
    'export|--to' = ''
    'export|--env' = ''
    'export|--games' = ''
    'export|--out' = ''
    'export|--lookback' = ''
    'export|--format' = 'ndjson csv parquet'
    'export|--state' = '@files'
    'export|--log-format' = 'text json'
    'ingest discord|--channel' = ''
    'ingest discord|--thread' = ''
    'mcp|--max-chars' = ''
    'mcp|--deadline' = ''
    'mcp install|--name' = ''
    'api|-f' = ''
    'api|--field' = ''
    'admin games create|--database' = '@files'
    'admin games create|--durability' = 'full normal'
    'admin games create|--now' = ''
    'admin games create|--account' = ''
    'admin games create|--name' = ''
    'admin accounts create|--database' = '@files'
    'admin accounts create|--durability' = 'full normal'
    'admin accounts create|--now' = ''
    'admin accounts list|--database' = '@files'
    'admin accounts list|--durability' = 'full normal'
    'admin accounts list|--now' = ''
    'admin games list|--database' = '@files'
    'admin games list|--durability' = 'full normal'
    'admin games list|--now' = ''
    'admin games list|--account' = ''
    'admin games rename|--database' = '@files'
    'admin games rename|--durability' = 'full normal'
    'admin games rename|--now' = ''
    'admin games rename|--account' = ''
    'admin keys create|--database' = '@files'
    'admin keys create|--durability' = 'full normal'
    'admin keys create|--now' = ''
    'admin keys create|--account' = ''
    'admin keys create|--bind' = '@games'
    'admin keys list|--database' = '@files'
    'admin keys list|--durability' = 'full normal'
    'admin keys list|--now' = ''
    'admin keys list|--account' = ''
    'admin keys rotate|--database' = '@files'
    'admin keys rotate|--durability' = 'full normal'
    'admin keys rotate|--now' = ''
    'admin keys rotate|--account' = ''
    'admin sessions add|--database' = '@files'
    'admin sessions add|--transcript' = '@files'
    'admin sessions add|--durability' = 'full normal'
    'admin sessions add|--now' = ''
    'admin sessions add|--account' = ''
    'admin sessions add|--notes' = ''
    'admin sessions add|--title' = ''
    'admin sessions add|--platform' = ''
    'admin sessions add|--tester' = ''
    'admin sessions add|--recorded-at' = ''
    'admin sessions add|--env' = ''
    'admin sessions add|--source' = 'manual discord unity-telemetry unreal-telemetry godot-telemetry python-telemetry typescript-telemetry obs'
    'admin sessions add|--build' = '@builds'
    'admin sessions retry|--database' = '@files'
    'admin sessions retry|--durability' = 'full normal'
    'admin sessions retry|--now' = ''
    'admin sessions retry|--account' = ''
    'admin sessions transcript|--database' = '@files'
    'admin sessions transcript|--durability' = 'full normal'
    'admin sessions transcript|--now' = ''
    'admin sessions transcript|--account' = ''
    'admin audiences create|--database' = '@files'
    'admin audiences create|--durability' = 'full normal'
    'admin audiences create|--now' = ''
    'admin audiences create|--account' = ''
    'admin audiences create|--build-prefix' = ''
    'admin audiences create|--platform' = ''
    'admin audiences create|--env' = ''
    'admin audiences create|--country' = ''
    'admin audiences create|--build' = '@builds'
    'admin audiences list|--database' = '@files'
    'admin audiences list|--durability' = 'full normal'
    'admin audiences list|--now' = ''
    'admin audiences list|--account' = ''
    'admin experiments create|--database' = '@files'
    'admin experiments create|--durability' = 'full normal'
    'admin experiments create|--now' = ''
    'admin experiments create|--account' = ''
    'admin experiments create|--variant' = ''
    'admin experiments create|--audience' = ''
    'admin experiments start|--database' = '@files'
    'admin experiments start|--durability' = 'full normal'
    'admin experiments start|--now' = ''
    'admin experiments start|--account' = ''
    'admin experiments stop|--database' = '@files'
    'admin experiments stop|--durability' = 'full normal'
    'admin experiments stop|--now' = ''
    'admin experiments stop|--account' = ''
    'admin experiments resume|--database' = '@files'
    'admin experiments resume|--durability' = 'full normal'
    'admin experiments resume|--now' = ''
    'admin experiments resume|--account' = ''
    'admin experiments winner|--database' = '@files'
    'admin experiments winner|--durability' = 'full normal'
    'admin experiments winner|--now' = ''
    'admin experiments winner|--account' = ''
    'admin experiments allocate|--database' = '@files'
    'admin experiments allocate|--durability' = 'full normal'
    'admin experiments allocate|--now' = ''
    'admin experiments allocate|--account' = ''
    'admin experiments delete|--database' = '@files'
    'admin experiments delete|--durability' = 'full normal'
    'admin experiments delete|--now' = ''
    'admin experiments delete|--account' = ''
    'admin experiments list|--database' = '@files'
    'admin experiments list|--durability' = 'full normal'
    'admin experiments list|--now' = ''
    'admin experiments list|--account' = ''
    'admin digests generate|--database' = '@files'
    'admin digests generate|--durability' = 'full normal'
    'admin digests generate|--now' = ''
    'admin digests generate|--account' = ''
    'admin forms create|--database' = '@files'
    'admin forms create|--durability' = 'full normal'
    'admin forms create|--now' = ''
    'admin forms create|--account' = ''
    'admin forms create|--field' = ''
    'admin forms create|--trigger' = ''
    'admin forms list|--database' = '@files'
    'admin forms list|--durability' = 'full normal'
    'admin forms list|--now' = ''
    'admin forms list|--account' = ''
    'admin forms set|--database' = '@files'
    'admin forms set|--durability' = 'full normal'
    'admin forms set|--now' = ''
    'admin forms set|--account' = ''
    'admin forms set|--name' = ''
    'admin forms set|--trigger' = ''
    'admin forms set|--active' = 'on off'
    'admin batches create|--database' = '@files'
    'admin batches create|--instructions' = '@files'
    'admin batches create|--durability' = 'full normal'
    'admin batches create|--now' = ''
    'admin batches create|--account' = ''
    'admin batches create|--target' = ''
    'admin batches create|--fulfillment' = ''
    'admin batches create|--redemption' = ''
    'admin batches create|--identity' = ''
    'admin batches create|--expires' = ''
    'admin batches add-keys|--database' = '@files'
    'admin batches add-keys|--file' = '@files'
    'admin batches add-keys|--durability' = 'full normal'
    'admin batches add-keys|--now' = ''
    'admin batches add-keys|--account' = ''
    'admin batches add-keys|--generate' = ''
    'admin batches revoke-key|--database' = '@files'
    'admin batches revoke-key|--durability' = 'full normal'
    'admin batches revoke-key|--now' = ''
    'admin batches revoke-key|--account' = ''
    'admin batches redeem|--database' = '@files'
    'admin batches redeem|--durability' = 'full normal'
    'admin batches redeem|--now' = ''
    'admin batches redeem|--account' = ''
    'admin batches redeem|--key' = ''
    'admin batches redeem|--invite' = ''
    'admin batches redeem|--email' = ''
    'admin batches redeem|--handle' = ''
    'admin batches redeem|--country' = ''
    'admin batches redeem|--user-agent' = ''
    'admin batches redeem|--ip' = ''
    'admin batches invite|--database' = '@files'
    'admin batches invite|--durability' = 'full normal'
    'admin batches invite|--now' = ''
    'admin batches invite|--account' = ''
    'admin batches invite|--note' = ''
    'admin batches open-invite|--database' = '@files'
    'admin batches open-invite|--durability' = 'full normal'
    'admin batches open-invite|--now' = ''
    'admin batches open-invite|--account' = ''
    'admin handles create|--database' = '@files'
    'admin handles create|--durability' = 'full normal'
    'admin handles create|--now' = ''
    'admin handles create|--account' = ''
    'admin handles create|--key' = ''
    'admin handles claim-token|--database' = '@files'
    'admin handles claim-token|--durability' = 'full normal'
    'admin handles claim-token|--now' = ''
    'admin handles claim-token|--account' = ''
    'admin event-config set|--database' = '@files'
    'admin event-config set|--durability' = 'full normal'
    'admin event-config set|--now' = ''
    'admin event-config set|--account' = ''
    'admin event-config set|--sdk-ignore' = 'on off'
    'admin event-config set|--link-to-summary' = 'on off'
    'admin event-config set|--hide-from-ai' = 'on off'
    'admin event-config set|--meaning' = 'failure success giving-up none'
    'admin event-config list|--database' = '@files'
    'admin event-config list|--durability' = 'full normal'
    'admin event-config list|--now' = ''
    'admin event-config list|--account' = ''
    'admin providers set|--database' = '@files'
    'admin providers set|--durability' = 'full normal'
    'admin providers set|--now' = ''
    'admin providers set|--account' = ''
    'admin providers set|--url' = ''
    'admin providers set|--model' = ''
    'admin providers set|--deadline' = ''
    'admin providers set|--kind' = 'chat embedding'
    'admin providers list|--database' = '@files'
    'admin providers list|--durability' = 'full normal'
    'admin providers list|--now' = ''
    'admin providers list|--account' = ''
    'admin providers remove|--database' = '@files'
    'admin providers remove|--durability' = 'full normal'
    'admin providers remove|--now' = ''
    'admin providers remove|--account' = ''
    'admin summaries generate|--database' = '@files'
    'admin summaries generate|--durability' = 'full normal'
    'admin summaries generate|--now' = ''
    'admin summaries generate|--account' = ''
    'admin summaries generate|--device' = ''
    'admin summaries generate|--env' = ''
    'admin summaries generate|--build' = '@builds'
    'server start|--database' = '@files'
    'server start|--seed' = '@files'
    'server start|--ready-file' = '@files'
    'server start|--durability' = 'full normal'
    'server start|--now' = ''
    'server start|--create-game' = ''
    'server start|--port' = ''
    'server start|--host' = ''
    'server start|--host-name' = ''
    'server start|--drain-delay' = ''
    'server start|--limits' = 'on off'
    'server start|--log-format' = 'text json'
    'server start|--log-level' = 'debug info warn error'
    'server exec|--database' = '@files'
    'server exec|--seed' = '@files'
    'server exec|--durability' = 'full normal'
    'server exec|--now' = ''
    'server exec|--create-game' = ''
    'server exec|--limits' = 'on off'
    'server import|--database' = '@files'
    'server import|--durability' = 'full normal'
    'server import|--now' = ''
    'server export|--database' = '@files'
    'server seed|--database' = '@files'
    'server seed|--durability' = 'full normal'
    'server seed|--now' = ''
    'server reset|--database' = '@files'
    '*|-g' = '@games'
    '*|--game' = '@games'
    '*|--profile' = '@profiles'
    '*|--base-url' = ''
    '*|--fields' = ''
    '*|--jq' = ''
    '*|--tz' = ''
    '*|--timeout' = ''
    '*|--max-wait' = ''
    '*|--format' = 'table json ndjson csv tsv md'
    '*|--color' = 'auto always never'
}

# Quotes a name so that PowerShell takes it as one text.
function script:Protect-PlaytestName([string] $Name) {
    if ($Name -match '^[A-Za-z0-9_][A-Za-z0-9_.:/+-]*$') { return $Name }
    return "'" + [System.Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($Name) + "'"
}

# One candidate: what is inserted, what is listed, and what is told of it.
function script:New-PlaytestResult([string] $Text, [string] $Shown, [string] $Kind, [string] $About) {
    if (-not $About) { $About = $Shown }
    [System.Management.Automation.CompletionResult]::new($Text, $Shown, $Kind, $About)
}

# Candidates that a spec names.
function script:Get-PlaytestValues([string] $Spec, [string] $Lead, [string] $Typed, [string[]] $Before) {
    foreach ($one in $Spec.Split(' ', [System.StringSplitOptions]::RemoveEmptyEntries)) {
        if ($one -eq ',') {
            $Lead += $Typed -replace '[^,]*$', ''
        } elseif ($one -eq '@files') {
            [System.Management.Automation.CompletionCompleters]::CompleteFilename($Typed) | ForEach-Object {
                New-PlaytestResult ($Lead + $_.CompletionText) $_.ListItemText 'ProviderItem' $_.ToolTip
            }
        } elseif ($one -eq '@command') {
            [System.Management.Automation.CompletionCompleters]::CompleteCommand($Typed)
        } elseif ($one.StartsWith('@')) {
            & playtest __complete $one.Substring(1) -- @Before 2>$null | ForEach-Object {
                if ($_.StartsWith($Typed.Trim("'"))) { New-PlaytestResult ($Lead + (Protect-PlaytestName $_)) $_ 'ParameterValue' '' }
            }
        } elseif (($Lead + $one).EndsWith($one) -and $one.StartsWith(($Typed -replace '^.*,', ''))) {
            New-PlaytestResult ($Lead + $one) $one 'ParameterValue' ''
        }
    }
}

Register-ArgumentCompleter -Native -CommandName playtest -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $before = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition -and $_.Extent.Text -ne '' } |
        ForEach-Object { if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text } })
    $node = ''
    $position = 0
    $expecting = ''
    $behind = $false
    $helping = $false
    foreach ($plain in $before) {
        $next = "$node $plain".Trim()
        if ($expecting) {
            $expecting = ''
        } elseif (-not $behind -and $plain -eq '--') {
            $behind = $true
        } elseif (-not $behind -and $plain.StartsWith('-')) {
            if ($script:PlaytestValues.ContainsKey("$node|$plain") -or $script:PlaytestValues.ContainsKey("*|$plain")) { $expecting = $plain }
        } elseif ($node -eq '' -and -not $helping -and $plain -eq 'help') {
            $helping = $true
        } elseif ($position -eq 0 -and $script:PlaytestNodes.ContainsKey($next)) {
            $node = $next
        } else {
            $position += 1
        }
    }
    $lead = ''
    $typed = $wordToComplete
    if (-not $expecting -and -not $behind -and $wordToComplete -match '^(--[^=]+)=(.*)$') {
        $expecting = $Matches[1]
        $lead = $Matches[1] + '='
        $typed = $Matches[2]
    }
    if ($expecting) {
        $spec = $script:PlaytestValues["$node|$expecting"]
        if ($null -eq $spec) { $spec = $script:PlaytestValues["*|$expecting"] }
        return Get-PlaytestValues "$spec" $lead $typed $before
    }
    $here = $script:PlaytestNodes[$node]
    $told = @()
    if ($helping) {
        if ($node -eq '') { $told += @($script:PlaytestNodes['help'].Children) }
        $told += @($here.Children)
    } elseif (-not $behind -and $wordToComplete.StartsWith('-')) {
        $told = @($here.Switches) + @($script:PlaytestGlobal)
    } elseif (@($here.Children).Count -gt 0 -and $position -eq 0) {
        $told = @($here.Children)
    } else {
        $operands = @($here.Operands)
        if ($here.Repeats -and $position -ge $operands.Count) { $position = $operands.Count - 1 }
        if ($position -lt $operands.Count) { return Get-PlaytestValues $operands[$position] '' $wordToComplete $before }
        return
    }
    foreach ($pair in $told) {
        $word, $about = $pair.Split("`t", 2)
        if ($word.StartsWith($wordToComplete)) { New-PlaytestResult $word $word 'ParameterValue' $about }
    }
}
