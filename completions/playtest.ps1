# Completions of playtest. Made by `npm run generate`; `playtest help completion` says how to install them.

$script:PlaytestGlobal = @('-g	game id or slug', '--game	game id or slug', '--profile	profile with settings and keys', '--base-url	URL of the service', '--format	output format: table, json, ndjson, csv, tsv or md (default: table)', '--json	shorthand for --format json', '--fields	fields to show, such as id,metadata.platform', '--jq	filter the JSON output with a jq expression', '--wide	show all columns', '--plain	omit borders, colors and spinners, for screen readers', '--color	use color: auto, always or never (default: auto)', '--tz	time zone for displayed and entered times (default: UTC)', '--timeout	idle timeout (default: 30s); a whole request may take 10 times as long', '--max-wait	maximum wait for the rate limit (default: 2m)', '--allow-http	allow unencrypted HTTP to remote hosts', '--debug	show requests and stack traces, with keys redacted', '-h	more of this command', '--help	more of this command')

$script:PlaytestNodes = @{
    '' = @{ Children = @('games	List and show games', 'sessions	List and show playtest sessions', 'insights	List insights from the session analysis', 'builds	List, show and compare builds', 'testers	Show testers, their journeys and archetypes', 'experiments	List experiments and compare their variants', 'batches	Show playtest batches, their keys and invites', 'handles	List tester handles', 'heatmap	Draw heatmaps of player positions by room', 'events	Count events by name or over time', 'gate	Fail CI when a build introduces friction', 'report	Write a report on the changes between two builds', 'export	Export datasets to files', 'ingest	Send telemetry and chat threads to the service', 'mcp	Serve the API to AI assistants (MCP)', 'api	Send a GET request to any API path', 'login	Log in to a service and store a key', 'logout	Remove stored keys', 'profiles	List profiles', 'config	Read and change settings', 'doctor	Check settings, keys and the service, and suggest fixes', 'completion	Print a shell completion script', 'admin	Administer the local service', 'server	Run and manage a service on this machine', 'help	More of a command or a topic'); Switches = @(); Operands = @(); Repeats = $false }
    'games' = @{ Children = @('list	List the account''s games, newest first', 'get	Show a game and its number of sessions, builds and testers', 'prompts	List a game''s feedback forms and their response counts'); Switches = @(); Operands = @(); Repeats = $false }
    'games list' = @{ Children = @(); Switches = @(); Operands = @(); Repeats = $false }
    'games get' = @{ Children = @(); Switches = @(); Operands = @('@games'); Repeats = $false }
    'games prompts' = @{ Children = @(); Switches = @(); Operands = @('@games'); Repeats = $false }
    'sessions' = @{ Children = @('list	List sessions, newest first', 'get	Show a session with its insights and their evidence'); Switches = @(); Operands = @(); Repeats = $false }
    'sessions list' = @{ Children = @(); Switches = @('--build	exact build version', '--env	environment', '--status	pending, transcribing, processing, analyzed, failed', '--source	manual, discord, unity-telemetry, unreal-telemetry, godot-telemetry, python-telemetry, typescript-telemetry, obs', '-q	search title, tester handle and transcript (case-insensitive)', '--query	search title, tester handle and transcript (case-insensitive)', '--from	recorded at or after', '--to	recorded at or before', '--limit	maximum number of results (default: 20)', '--offset	number of results to skip', '--all	return all results, page by page'); Operands = @(); Repeats = $false }
    'sessions get' = @{ Children = @(); Switches = @(); Operands = @('@sessions'); Repeats = $false }
    'insights' = @{ Children = @('list	List insights, newest first'); Switches = @(); Operands = @(); Repeats = $false }
    'insights list' = @{ Children = @(); Switches = @('--build	exact build version', '--type	stuck-point, confusion, positive-moment, negative-moment, feature-request, bug-report, difficulty-spike, pacing-issue, ui-friction, praise, session-summary', '--sentiment	positive, neutral, negative', '--from	found at or after', '--to	found at or before', '--limit	maximum number of results (default: 20)', '--offset	number of results to skip', '--all	return all results, page by page'); Operands = @(); Repeats = $false }
    'builds' = @{ Children = @('list	List a game''s builds, newest first', 'get	Show a build''s sessions, devices, play time and summary', 'compare	Compare friction between two builds', 'suggestions	Suggest what to change first in a build'); Switches = @(); Operands = @(); Repeats = $false }
    'builds list' = @{ Children = @(); Switches = @('--env	environment', '--from	sessions recorded at or after', '--to	sessions recorded at or before', '--sessions	number of sessions to read (default: 1000)', '--all	read all sessions'); Operands = @(); Repeats = $false }
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
    'heatmap' = @{ Children = @(); Switches = @('--build	exact build version', '--env	environment', '--room	show only this room', '--palette	color palette: viridis, cividis or magma (default: viridis)', '--cells	list the densest cells instead of drawing a heatmap', '--top	number of cells to list with --cells (default: 20)', '--image	draw an image in the terminal: auto or an image protocol', '--diff	draw the difference between --build and this build', '--out	write to this file (.svg, .png, .html, .json or .csv)', '--scale	scale factor for PNG files (default: 2)', '--map	level image to draw behind the cells of a room (PNG, JPEG or WebP)', '--map-bounds	world coordinates of the level image: xMin,yMin,xMax,yMax'); Operands = @(); Repeats = $false }
    'events' = @{ Children = @(); Switches = @('--build	exact build version', '--env	environment', '--from	sessions recorded at or after', '--to	sessions recorded at or before', '--top	number of event names to show (default: 20; maximum: 50)', '--by	count over time by hour, day or week', '--out	also write the chart to this SVG file'); Operands = @(); Repeats = $false }
    'gate' = @{ Children = @('init	Add default gate rules to playtest.config.json', 'save	Save a build as a baseline for later gates'); Switches = @('--env	environment for both builds, or `all` (default: production)', '--fail-on	changes that fail the gate: introduced, got_larger, carried_over; all others are turned off', '--min-testers	minimum number of testers per build (default: 5)', '--max-increase	maximum increase of a tag''s share, in percentage points (default: 10)', '--confidence	confidence required to count an increase (default: 0.95)', '--max-new	number of introduced tags that only warn (default: 0)', '--on-inconclusive	result if there is not enough data: fail (exit code 11), warn or pass (default: fail)', '--config	rules file to use instead of the nearest playtest.config.json', '--wait	wait up to this long for testers of b and for the analysis of its sessions', '--report	write a report: text, json, junit, md or github (repeatable)', '--suggestions	also show suggested changes; they do not affect the result'); Operands = @('', ''); Repeats = $false }
    'gate init' = @{ Children = @(); Switches = @(); Operands = @(); Repeats = $false }
    'gate save' = @{ Children = @(); Switches = @('--env	environment, or `all` (default: production)', '--out	file to write (required)'); Operands = @(''); Repeats = $false }
    'report' = @{ Children = @(); Switches = @('--env	environment for both builds, or `all` (default: production)', '--config	rules file to use instead of the nearest playtest.config.json', '--out	write to this .html, .md or .json file (default: standard output)', '--format	html, md or json (default: from the extension of --out, or md)', '--exit-code	exit with code 10 if the gate fails, or 11 if there is not enough data to decide'); Operands = @('', ''); Repeats = $false }
    'export' = @{ Children = @(); Switches = @('--by	partition by UTC hour, day or week (default: day)', '--from	recorded at or after; extended to whole partitions', '--to	recorded at or before; extended to whole partitions', '--env	environment (repeatable; default: all environments combined)', '--games	comma-separated list of games', '--all-games	export all games of the account', '--out	folder for partitions, file (.ndjson, .csv, .parquet, .gz), or - for standard output (default: -)', '--format	ndjson, csv or parquet (default: from the file extension)', '--gzip	compress ndjson and csv with gzip', '--since-last	continue after the data that earlier runs completed', '--state	state file for --since-last (default: .playtest-export.json in the folder)', '--lookback	re-export this much already exported data (default: 2d)', '--dry-run	print the planned files, requests and minutes without exporting', '--log-format	log format on standard error: text or json (default: text)', '--unpaced	send requests without delays, for a service without rate limits'); Operands = @('events sessions insights handles batches keys experiments heatmaps'); Repeats = $true }
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
    'admin games' = @{ Children = @('create	Make a game; one that exists stays as it is', 'list	List the games of an account, newest first', 'rename	Give a game another name; its slug and id stay'); Switches = @(); Operands = @(); Repeats = $false }
    'admin games create' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time', '--account	act in this account, by id or name; default the first', '--name	its name, the slug unless told'); Operands = @(''); Repeats = $false }
    'admin accounts' = @{ Children = @('create	Make an account with its keys, which are shown this once', 'list	List the accounts, oldest first'); Switches = @(); Operands = @(); Repeats = $false }
    'admin accounts create' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time'); Operands = @(''); Repeats = $false }
    'admin accounts list' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time'); Operands = @(); Repeats = $false }
    'admin games list' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time', '--account	act in this account, by id or name; default the first'); Operands = @(); Repeats = $false }
    'admin games rename' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time', '--account	act in this account, by id or name; default the first'); Operands = @('', ''); Repeats = $false }
    'admin keys' = @{ Children = @('create	Make an ingest key, shown this once; those there are stay', 'list	List the account''s keys by the first digits of their hashes, oldest first', 'rotate	Replace the account''s management key; the old one stops working at once'); Switches = @(); Operands = @(); Repeats = $false }
    'admin keys create' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time', '--account	act in this account, by id or name; default the first', '--bind	the only game it may send to, by slug or id'); Operands = @(); Repeats = $false }
    'admin keys list' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time', '--account	act in this account, by id or name; default the first'); Operands = @(); Repeats = $false }
    'admin keys rotate' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time', '--account	act in this account, by id or name; default the first'); Operands = @(); Repeats = $false }
    'admin sessions' = @{ Children = @('add	Add a session, such as a recording with its transcript, and analyse it', 'retry	Analyse a failed session once more', 'transcript	Give a recording that waits for it its transcript, and analyse it'); Switches = @(); Operands = @(); Repeats = $false }
    'admin sessions add' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time', '--account	act in this account, by id or name; default the first', '--source	where it comes from, default manual', '--transcript	what was said, from this file; - reads standard input', '--notes	what was seen, in place of a transcript', '--title	its title; default source and time', '--build	build version, default unknown', '--platform	platform, default unknown', '--tester	the tester''s handle', '--recorded-at	when it was played, default now', '--env	environment, default production'); Operands = @(); Repeats = $false }
    'admin sessions retry' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time', '--account	act in this account, by id or name; default the first'); Operands = @('@sessions'); Repeats = $false }
    'admin sessions transcript' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time', '--account	act in this account, by id or name; default the first'); Operands = @('@sessions', '@files'); Repeats = $false }
    'admin audiences' = @{ Children = @('create	Make an audience of a game', 'list	List a game''s audiences, newest first'); Switches = @(); Operands = @(); Repeats = $false }
    'admin audiences create' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time', '--account	act in this account, by id or name; default the first', '--build	players of this build; may be repeated', '--build-prefix	players of builds that begin so; may be repeated', '--platform	players on this platform; may be repeated', '--env	players in this environment; may be repeated', '--country	players in this country, such as DE; may be repeated'); Operands = @(''); Repeats = $false }
    'admin audiences list' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time', '--account	act in this account, by id or name; default the first'); Operands = @(); Repeats = $false }
    'admin experiments' = @{ Children = @('create	Make an experiment, as a draft', 'start	Start a draft: devices are assigned, and its allocations are locked', 'stop	Stop a running experiment: no device is assigned any more', 'resume	Let a stopped experiment run again; a winner it had is one no more', 'winner	Declare which variant won', 'allocate	Change the allocations of an experiment that does not run', 'delete	Delete an experiment: nothing tells of it any more', 'list	List a game''s experiments, newest first'); Switches = @(); Operands = @(); Repeats = $false }
    'admin experiments create' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time', '--account	act in this account, by id or name; default the first', '--variant	a variant; two or more', '--audience	who it is for, everybody unless told'); Operands = @(''); Repeats = $false }
    'admin experiments start' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time', '--account	act in this account, by id or name; default the first'); Operands = @('@experiments'); Repeats = $false }
    'admin experiments stop' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time', '--account	act in this account, by id or name; default the first'); Operands = @('@experiments'); Repeats = $false }
    'admin experiments resume' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time', '--account	act in this account, by id or name; default the first'); Operands = @('@experiments'); Repeats = $false }
    'admin experiments winner' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time', '--account	act in this account, by id or name; default the first'); Operands = @('@experiments', ''); Repeats = $false }
    'admin experiments allocate' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time', '--account	act in this account, by id or name; default the first'); Operands = @('@experiments', ''); Repeats = $true }
    'admin experiments delete' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time', '--account	act in this account, by id or name; default the first'); Operands = @('@experiments'); Repeats = $false }
    'admin experiments list' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time', '--account	act in this account, by id or name; default the first'); Operands = @(); Repeats = $false }
    'admin digests' = @{ Children = @('generate	Write an experiment''s digest from what its players did so far'); Switches = @(); Operands = @(); Repeats = $false }
    'admin digests generate' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time', '--account	act in this account, by id or name; default the first'); Operands = @('@experiments'); Repeats = $false }
    'admin forms' = @{ Children = @('create	Make a feedback form', 'list	List a game''s feedback forms, newest first', 'set	Change a feedback form; what is not named stays'); Switches = @(); Operands = @(); Repeats = $false }
    'admin forms create' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time', '--account	act in this account, by id or name; default the first', '--field	a question; may be repeated, in the order they are asked', '--trigger	when the game shows it, default session_end', '--inactive	do not ask it yet'); Operands = @(''); Repeats = $false }
    'admin forms list' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time', '--account	act in this account, by id or name; default the first'); Operands = @(); Repeats = $false }
    'admin forms set' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time', '--account	act in this account, by id or name; default the first', '--active	whether players are asked it', '--name	its name', '--trigger	when the game shows it'); Operands = @(''); Repeats = $false }
    'admin batches' = @{ Children = @('create	Make a playtest batch; `admin batches add-keys` fills it', 'add-keys	Add keys to a batch, shown this once: the service keeps their fingerprints alone', 'revoke-key	Revoke a key, redeemed or not', 'redeem	Redeem a key: the one named, the one of an invite, or the next available', 'invite	Invite a tester and reserve the batch''s next key for them', 'open-invite	Note that an invite was opened; the first time stays'); Switches = @(); Operands = @(); Repeats = $false }
    'admin batches create' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time', '--account	act in this account, by id or name; default the first', '--target	where the keys are for, default steam', '--fulfillment	where the keys come from, default uploaded', '--redemption	how testers redeem them, default link', '--identity	how testers are known, default email', '--expires	when keys that nobody redeemed expire; never unless told', '--instructions	Markdown for testers from this file; - reads standard input', '--share	give it a token that a page for everybody is shared by'); Operands = @(''); Repeats = $false }
    'admin batches add-keys' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time', '--account	act in this account, by id or name; default the first', '--file	a key a line from this file; - reads standard input', '--generate	make up so many keys'); Operands = @('@batches'); Repeats = $false }
    'admin batches revoke-key' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time', '--account	act in this account, by id or name; default the first'); Operands = @('@batches', ''); Repeats = $false }
    'admin batches redeem' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time', '--account	act in this account, by id or name; default the first', '--key	this key, by id or by itself', '--invite	the key reserved for this invite', '--email	who redeemed it; the invited address where there is an invite', '--handle	the tester''s handle, made where there is none', '--country	from where, ISO 3166 alpha-2', '--user-agent	with which browser', '--ip	from which address; kept, and never shown'); Operands = @('@batches'); Repeats = $false }
    'admin batches invite' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time', '--account	act in this account, by id or name; default the first', '--note	a personal note'); Operands = @('@batches', ''); Repeats = $false }
    'admin batches open-invite' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time', '--account	act in this account, by id or name; default the first'); Operands = @('@batches', ''); Repeats = $false }
    'admin handles' = @{ Children = @('create	Make a tester handle; one that exists stays as it is', 'claim-token	Give a tester handle a new claim token, shown this once'); Switches = @(); Operands = @(); Repeats = $false }
    'admin handles create' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time', '--account	act in this account, by id or name; default the first', '--key	the playtest key it came with'); Operands = @(''); Repeats = $false }
    'admin handles claim-token' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time', '--account	act in this account, by id or name; default the first'); Operands = @(''); Repeats = $false }
    'admin event-config' = @{ Children = @('set	Set what is done with an event; what is not named stays', 'list	List the events that a game has set something of, by name'); Switches = @(); Operands = @(); Repeats = $false }
    'admin event-config set' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time', '--account	act in this account, by id or name; default the first', '--sdk-ignore	SDKs do not send it', '--link-to-summary	the session summary links to it', '--hide-from-ai	no model is shown it', '--meaning	what it tells; none for the default'); Operands = @(''); Repeats = $false }
    'admin event-config list' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time', '--account	act in this account, by id or name; default the first'); Operands = @(); Repeats = $false }
    'admin providers' = @{ Children = @('set	Set the account''s own model, of any OpenAI-compatible service', 'list	List the account''s models; their keys are not shown', 'remove	Remove one of the account''s models, and its key'); Switches = @(); Operands = @(); Repeats = $false }
    'admin providers set' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time', '--account	act in this account, by id or name; default the first', '--kind	chat (the default) or embedding', '--url	base URL, such as https://api.openai.com/v1', '--model	the model''s id', '--deadline	how long one question may take in all, default 30s'); Operands = @(); Repeats = $false }
    'admin providers list' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time', '--account	act in this account, by id or name; default the first'); Operands = @(); Repeats = $false }
    'admin providers remove' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time', '--account	act in this account, by id or name; default the first'); Operands = @(''); Repeats = $false }
    'admin summaries' = @{ Children = @('generate	Write the summaries of builds and testers anew'); Switches = @(); Operands = @(); Repeats = $false }
    'admin summaries generate' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time', '--account	act in this account, by id or name; default the first', '--build	of this build', '--device	of this tester', '--all	of every build and tester of the environment', '--env	environment, default production'); Operands = @(); Repeats = $false }
    'server' = @{ Children = @('start	Serve the API on this machine until stopped', 'exec	Run a command against a service of its own, and exit with its exit code', 'import	Bring telemetry files, or a whole database, into the local one', 'export	Write the whole local database to one file, an archive', 'seed	Fill the local database with the demo studio''s play, and analyse it', 'status	List the servers that run on this machine', 'reset	Remove the local database and everything in it'); Switches = @(); Operands = @(); Repeats = $false }
    'server start' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time', '--demo	fill in the demo studio''s play', '--create-game	make sure this game exists; may be repeated', '--seed	ingest this telemetry file first; may be repeated', '--limits	rate limits, on unless told', '--metrics	serve metrics for Prometheus at /metrics, without a key', '--log-format	text or json, on standard error; json has a line a request', '--log-level	least level of lines of JSON, default info', '--port	port, default 4400; 0 for any that is free', '--host	address to listen on, default 127.0.0.1', '--allow-remote	listen beyond this machine', '--host-name	answer requests for this host too; may be repeated', '--trust-proxy	take client addresses from X-Forwarded-For', '--allow-ingest	offer assistants at /mcp the one tool that writes', '--new-keys	make new keys; the management key in use stops working', '--ready-file	write where it listens to this file once it does', '--drain-delay	serve on so long after a stop is asked for'); Operands = @(); Repeats = $false }
    'server exec' = @{ Children = @(); Switches = @('--database	database file, or :memory:; default in memory', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time', '--demo	fill in the demo studio''s play', '--create-game	make sure this game exists; may be repeated', '--seed	ingest this telemetry file first; may be repeated', '--limits	rate limits, on unless told'); Operands = @('@command'); Repeats = $true }
    'server import' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time', '--create-games	make games that do not exist'); Operands = @('@files'); Repeats = $true }
    'server export' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--force	replace the archive if it is there'); Operands = @(''); Repeats = $false }
    'server seed' = @{ Children = @(); Switches = @('--database	file, :memory: or postgres://…; default in the user''s state folder', '--durability	full survives power loss, normal a crash; default full', '--now	fix the service''s clock at this time'); Operands = @(); Repeats = $false }
    'server status' = @{ Children = @(); Switches = @(); Operands = @(); Repeats = $false }
    'server reset' = @{ Children = @(); Switches = @('--database	database file; default in the user''s state folder', '--yes	do not ask'); Operands = @(); Repeats = $false }
    'help' = @{ Children = @('exit-codes	What the exit codes of playtest mean', 'environment	The environment variables that playtest reads', 'formatting	How answers are written: formats, fields, jq, colours and times', 'filters	How lists are narrowed and paged, and how times and durations are typed'); Switches = @(); Operands = @(); Repeats = $false }
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
