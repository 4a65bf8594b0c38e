# Sends playtest telemetry from Godot 4. Copy this file into your project and add it to the autoloads as "Playtest"
# (Project Settings > Globals > Autoload). It has no dependencies.
#
#   Playtest.init({"base_url": "http://127.0.0.1:4400", "key": "pt_ik_...", "game_version": "0.9.0"})
#   Playtest.start()
#   Playtest.track("player_death", {"room": "dock"})
#   Playtest.position(position.x, position.y, "dock")  # in _process; 2 positions per second are recorded
#   Playtest.end()
#
# Telemetry never disturbs the game: requests and files are small and wait for nothing, and memory and disk use are bounded.
# Events are queued in user://playtest, so that they survive a crash and time without a connection. docs/guide/send-telemetry.md
# describes what all clients have in common, and clients/README.md specifies it.
#
# In Godot, y of a 2D game and z of a 3D game grow downwards on a map, as heatmaps draw them.
extends Node

# Messages for developers: "info", "warn" or "error", and the text.
signal reported(level: String, message: String)

const MAX_EVENTS := 2000
# The service accepts 1 MiB, but the game waits while the system takes a request, so batches fit into its send buffer.
const MAX_BATCH_BYTES := 24 * 1024
const MAX_EVENT_BYTES := 256 * 1024
const MAX_RESPONSE_BYTES := 1024 * 1024
const MIN_GZIP_BYTES := 1024
const FIRST_FLUSH_SEC := 1.0
# The Date of an answer has whole seconds, and a slow answer says little about the time.
const MIN_CLOCK_OFFSET_MS := 2000
const TICK_SEC := 0.25
const EXIT_MS := 1000
const TIMEOUT_SEC := 20.0
# After as many failures that may be due to the content of an item, the next one is tried.
const MAX_ITEM_FAILURES := 3
# Answers of the service have fewer brackets, and parsers survive as many levels.
const MAX_NESTING := 5000
const MAX_DEPTH := 50
const MAX_BACKOFF_SEC := 60.0
const MAX_RETRY_AFTER_SEC := 600.0
const MAX_QUEUE_AGE_MS := 7 * 24 * 3600 * 1000
# The events that a frame prepares for the queue, so that a burst is spread over frames, and how many may wait for that.
const EVENTS_PER_FRAME := 25
const MAX_PENDING_FRAMES := 800
# What Godot writes, but JSON does not allow, besides control characters: an escape, and numbers that are not finite.
const NOT_JSON := ["\\v", ":nan", ":-nan", ":inf", ":-inf", ":1e99999", ":-1e99999"]
# The actors of a session whose positions are recorded.
const MAX_ACTORS := 64
# The upper bounds of the buckets of frame times, ms. The last bucket has none.
const FRAME_BOUNDS := [4, 6, 8, 10, 12, 14, 17, 20, 25, 34, 42, 50, 67, 100, 250]
const MAX_LOAD_MS := 10000000
# A load time that is reported directly before the position in the new room belongs to that room.
const LOAD_TO_ROOM_SEC := 1.0
# The decisions about sampled events that a session remembers.
const MAX_SAMPLED_NAMES := 10000
# What belongs to the player besides the queue.
const PLAYER_FILES := ["device", "config", "tester"]
const END_LINE := '{"sessionEnded":true}'
const OPEN := ".open"
# The options that the environment of the program overrides. CI runs builds with it.
const ENVIRONMENT := {
	"base_url": "PLAYTEST_BASE_URL", "key": "PLAYTEST_INGEST_KEY",
	"game_version": "PLAYTEST_BUILD", "environment": "PLAYTEST_ENVIRONMENT", "device_id": "PLAYTEST_DEVICE_ID",
}
const NO_CONSENT := "Nothing was sent, because the player has not agreed."

# The options with their defaults. `consent` applies until the player chooses: with false, nothing is sent before
# set_consent(true).
var options := {
	"base_url": "", "key": "", "game_id": "", "game_version": "", "platform": OS.get_name(),
	"environment": "production", "device_id": "", "tester_handle": "", "experiment_tags": {},
	"heartbeat_sec": 60.0, "positions_per_sec": 2.0, "flush_sec": 10.0, "max_queue_bytes": 16 * 1024 * 1024,
	"consent": true, "folder": "user://playtest",
}

var _is_ready := false
var _consent := false
var _stopped := ""
var _device := ""
var _session = null
var _last_session = null
var _batch = null
# Events that were recorded, but not prepared for the queue yet: [name, time, data, JSON of the data if it is not flat]. The older ones
# are in lists for one frame each.
var _pending := []
var _pending_frames := []
# Whether the session samples an event, by name. The first event of a name decides.
var _recorded := {}
# The names of the events that the config ignores.
var _ignored := {}
# Names as JSON, and whether they are ASCII.
var _quoted := {}
# What waits to be sent: {name, session (of this run), size, events, text (until it is on disk), is_refused, callback}.
var _items := []
var _in_flight = null
# The requests besides the queue: what they ask for, their callback and its arguments.
var _asks := {}
# What the service sets: {deviceId (of the variants), eventConfig, experiments}, the latter as they were answered.
var _config := {}
# The variants that the game has seen in this run: {variant, values}.
var _shown := {}
# The callbacks that wait for the config, and whether it is being read.
var _when_ready := []
var _is_reading := false
var _game_id := ""
# Whether the game calls frame(), and when the last frame was, µs.
var _counts_own_frames := false
var _last_frame := 0
var _session_ids := {}
var _next_item := 1
var _dropped := 0
# The name of the item whose content may be why requests fail, and the number of these failures in a row.
var _suspect := ""
var _suspect_failures := 0
var _failures := 0
var _retry_at := 0.0
var _flush_at := 0.0
var _last_tick := 0.0
var _last_report := ""
# The nodes that send requests leave the tree first.
var _is_leaving := false
var _has_warned_of_no_session := false
# Why the last value could not be written as JSON.
var _json_fault := ""
var _http: HTTPRequest
var _control_characters := []


# Prepares the client. Call it once, before all other functions.
func init(values: Dictionary) -> void:
	if _is_ready:
		return
	for option in values:
		if options.has(option):
			options[option] = values[option]
		else:
			_report("warn", 'The option "%s" does not exist.' % option)
	for option in ENVIRONMENT:
		if OS.get_environment(ENVIRONMENT[option]) != "":
			options[option] = OS.get_environment(ENVIRONMENT[option])
	_is_ready = true
	process_mode = Node.PROCESS_MODE_ALWAYS
	for code in range(1, 32):
		_control_characters.append(char(code))
	_http = _create_request()
	_http.request_completed.connect(_on_completed)
	_stopped = _find_options_fault()
	if _stopped != "":
		_report("error", _stopped)
	if options.heartbeat_sec < 30:
		_report("warn", "heartbeat_sec was raised to 30.")
	var error = DirAccess.make_dir_recursive_absolute(options.folder)
	if error != OK:
		_report("warn", "The queue is kept in memory, because the folder %s cannot be created (%d)." % [options.folder, error])
	var choice = _read_file("consent").strip_edges()
	_consent = choice == "yes" or (choice != "no" and options.consent)
	if choice != "no":
		_set_config(_parse(_read_file("config").to_utf8_buffer()))
		_adopt_queue()


# Starts a session. A running session ends first. If the client stopped, it tries again.
func start() -> void:
	_stopped = _find_options_fault()
	if not _consent or _stopped != "":
		return
	for item in _items:
		item.is_refused = false
	if _session != null:
		end()
	var id = _random_id()
	var now = _now()
	var started_at = _unix_ms()
	var envelope = _envelope(id, started_at, options.environment)
	_session = {
		"id": id, "envelope": envelope, "header": _to_json(envelope),  "is_clock_known": false, "started_at": started_at, "started_tick": now, "next_event": 1, "last_heartbeat": now,
		"actors": {}, "first_actor": null, "room": "", "buckets": _new_buckets(), "has_frames": false, "memory": 0, "load_ms": -1,
		"loaded_at": -1000.0, "unfocused_since": -1.0, "unfocused_sec": 0.0,
	}
	_last_session = _session
	_recorded = {}
	_flush_at = now + FIRST_FLUSH_SEC
	track("session_start", _build())
	_read_config()


# Calls back when the event config and the variants of this session were read, or could not be read.
func when_ready(callback: Callable) -> void:
	if _is_reading:
		_when_ready.append(callback)
	elif callback.is_valid():
		callback.call()


# Records an event. The data is copied at once.
func track(event_name: String, data: Dictionary = {}) -> void:
	if _session == null:
		_warn_of_no_session(event_name)
		return
	if _ignored.has(event_name):
		return
	var is_recorded = _recorded.get(event_name)
	if is_recorded == null:
		is_recorded = _decide(event_name)
	if not is_recorded:
		return
	# The game may change nested data later, so it is written now. Everything else can wait for the next frames.
	for value in data.values():
		if typeof(value) > TYPE_STRING:
			_track_nested(event_name, data)
			return
	_pending.append([event_name, _now(), data.duplicate(), ""])
	if _pending.size() >= EVENTS_PER_FRAME:
		_end_pending_frame()


func _end_pending_frame() -> void:
	_pending_frames.append(_pending)
	_pending = []
	if _pending_frames.size() > MAX_PENDING_FRAMES:
		_prepare_events(_pending_frames.pop_front())


func _track_nested(event_name: String, data: Dictionary) -> void:
	var json := _to_json(data)
	if _json_fault == "":
		_pending.append([event_name, _now(), null, json])
		if _pending.size() >= EVENTS_PER_FRAME:
			_end_pending_frame()
	else:
		_drop(event_name, "its data cannot be written as JSON: " + _json_fault)


# Prepares events for the queue. Godot's own JSON is fast, but not always valid, so it is searched for what is not. This runs in every
# frame of a burst, so it calls few functions.
func _prepare_events(events: Array) -> void:
	var lines := []
	for event in events:
		lines.append(event[3] if event[2] == null else JSON.stringify(event[2]))
	var text: String = "".join(PackedStringArray(lines))
	var is_valid := _is_json(text)
	var is_ascii: bool = is_valid and text.to_utf8_buffer().size() == text.length()
	var started_at: int = _session.started_at
	var started_tick: float = _session.started_tick
	for index in range(events.size()):
		var event: Array = events[index]
		var json: String = lines[index] if is_valid or event[2] == null else _to_json(event[2])
		var name_json = _quoted.get(event[0])
		if name_json == null:
			name_json = _quote_name(event[0])
		var timestamp = started_at + int(round((event[1] - started_tick) * 1000))
		var line: String = '{"id":"' + str(_session.next_event) + '","name":' + name_json[0] + ',"timestamp":' + str(timestamp) + ',"data":' + json + "}"
		var size: int = line.length() if is_ascii and name_json[1] else line.to_utf8_buffer().size()
		if size > MAX_EVENT_BYTES:
			_drop(event[0], "it is larger than 256 KiB.")
			continue
		_session.next_event += 1
		if _batch == null or _batch.lines.size() > MAX_EVENTS or _batch.bytes + size >= MAX_BATCH_BYTES:
			_append(line, size + 1)
			continue
		_batch.lines.append(line)
		_batch.bytes += size + 1
		_batch.events += 1


func _quote_name(event_name: String) -> Array:
	if _quoted.size() > MAX_SAMPLED_NAMES:
		_quoted = {}
	_quoted[event_name] = [_quote(event_name), event_name.to_utf8_buffer().size() == event_name.length()]
	return _quoted[event_name]


# Prepares all events.
func _prepare_all() -> void:
	while _prepare_frame():
		pass


# Prepares the events of one frame. Returns false if there are none.
func _prepare_frame() -> bool:
	if not _pending_frames.is_empty():
		_prepare_events(_pending_frames.pop_front())
		return true
	var events = _pending
	_pending = []
	if not events.is_empty():
		_prepare_events(events)
	return not events.is_empty()


func _is_json(text: String) -> bool:
	for part in NOT_JSON:
		if part in text:
			return false
	return text.strip_escapes().length() == text.length()


# Whether the sample rate lets the session record an event. The first event of a name decides for its session.
func _decide(event_name: String) -> bool:
	var setting = _config.eventConfig.events.get(event_name) if _config.has("eventConfig") else null
	var rate = null if setting == null else setting.get("sampleRate")
	var is_recorded: bool = typeof(rate) != TYPE_FLOAT or _hash(_session.id + "/" + event_name) < rate
	if _recorded.size() < MAX_SAMPLED_NAMES:
		_recorded[event_name] = is_recorded
	return is_recorded


# The 32-bit FNV-1a hash of a text, at least 0 and below 1.
func _hash(text: String) -> float:
	var value := 0x811c9dc5
	for letter in text.to_utf8_buffer():
		value = ((value ^ letter) * 0x01000193) & 0xffffffff
	return value / 4294967296.0


func _drop(event_name: String, reason: String) -> void:
	_dropped += 1
	_report("error", 'Event "%s" was dropped because %s' % [event_name, reason])


func _warn_of_no_session(event_name: String) -> void:
	if _has_warned_of_no_session or not _consent or _stopped != "":
		return
	_has_warned_of_no_session = true
	_report("warn", 'Event "%s" was not recorded because no session is running. Call start() first.' % event_name)


# Records where the player is. Call it in every frame: only positions_per_sec are recorded for each player, and changes of the room.
# Name the player if several play on this device, and set z in a 3D game.
func position(x: float, y: float, room: String, player := "", z = null) -> void:
	if _session == null:
		return
	var now = _now()
	var actor = _session.actors.get(player)
	if actor != null and room == actor.last_room and now - actor.last_position < 1.0 / min(options.positions_per_sec, 10):
		return
	if not _is_finite(x) or not _is_finite(y) or not (z == null or _is_finite(z)) or room == "":
		_report("warn", 'A position was ignored: x %s, y %s, z %s, room "%s".' % [x, y, z, room])
		return
	if actor == null:
		if _session.actors.size() >= MAX_ACTORS:
			_report("warn", 'Positions of player "%s" are ignored: a session has at most %d.' % [player, MAX_ACTORS])
			return
		actor = {"last_room": "", "last_position": 0.0}
		_session.actors[player] = actor
	actor.last_room = room
	actor.last_position = now
	_enter_room(player, room)
	var data = {"x": x, "y": y, "room": room}
	if z != null:
		data["z"] = z
	if player != "":
		data["player"] = player
	track("player_pos", data)


func _is_finite(value: float) -> bool:
	return not is_nan(value) and not is_inf(value)


# Reports the performance in the room that the first actor leaves.
func _enter_room(player: String, room: String) -> void:
	if _session.first_actor == null:
		_session.first_actor = player
	if player != _session.first_actor or room == _session.room:
		return
	if _now() - _session.loaded_at >= LOAD_TO_ROOM_SEC:
		_report_frames()
	_session.loaded_at = -1000.0
	_session.room = room


# Counts a frame of a game that has a loop of its own. From then on, the client no longer measures the frames of Godot.
func frame(ms: float) -> void:
	_counts_own_frames = true
	_add_frame(ms)


# Reports how long it took to load the room that the player is in, or enters now, in ms.
func loaded(ms: float) -> void:
	if _session == null or not (ms >= 0 and ms <= MAX_LOAD_MS):
		return
	_report_frames()
	_session.load_ms = int(round(ms))
	_session.loaded_at = _now()


func _new_buckets() -> Array:
	var buckets = []
	for _bucket in range(FRAME_BOUNDS.size() + 1):
		buckets.append(0)
	return buckets


func _add_frame(ms: float) -> void:
	if _session == null or _session.unfocused_since >= 0 or not ms >= 0:
		return
	# The first bound that is not less than the time.
	_session.buckets[FRAME_BOUNDS.bsearch(ms)] += 1
	_session.has_frames = true


# Counts the time since the last frame, unless the game was paused or without the focus in between.
func _measure_frame() -> void:
	var now = Time.get_ticks_usec()
	if _last_frame > 0 and not _counts_own_frames:
		_add_frame((now - _last_frame) / 1000.0)
	_last_frame = now if _session != null and _session.unfocused_since < 0 else 0


# Records the frames since the last report, if there are any.
func _report_frames() -> void:
	if not _session.has_frames:
		return
	var frames: Array = _session.buckets
	while frames.back() == 0:
		frames.pop_back()
	var data = {"frames": frames}
	if _session.room != "":
		data["room"] = _session.room
	if _session.memory >= 1048576:
		data["memoryMb"] = int(_session.memory / 1048576)
	if _session.load_ms >= 0:
		data["loadMs"] = _session.load_ms
	_session.buckets = _new_buckets()
	_session.has_frames = false
	_session.memory = 0
	_session.load_ms = -1
	track("performance", data)


# Reports that the game lost or gained the focus. Without it, time is not active and no heartbeats are recorded. The client
# calls it on its own.
func focus(has_focus: bool) -> void:
	if _session == null or has_focus == (_session.unfocused_since < 0):
		return
	# A pause may begin and end between two frames.
	_last_frame = 0
	if has_focus:
		_session.unfocused_sec += _now() - _session.unfocused_since
		_session.unfocused_since = -1.0
		track("focus_gained")
	else:
		_session.unfocused_since = _now()
		track("focus_lost")


# Ends the session. What cannot be sent now is sent after the next start.
func end(summary: Dictionary = {}) -> void:
	if _session == null:
		return
	_report_frames()
	# Only now, the number of dropped events is known.
	_prepare_all()
	var data = summary.duplicate()
	_add_durations(data)
	track("session_summary", data)
	_prepare_all()
	_append(END_LINE, END_LINE.length() + 1)
	_session = null
	flush()


# Sends what is queued, without waiting for the next interval.
func flush() -> void:
	if _is_ready:
		_prepare_all()
		_seal()
		_send_next()


# Sends a player's answers to a form, by field id. The callback gets {ok, queued, message}.
func feedback(form_id: String, answers: Dictionary, callback := Callable()) -> void:
	var responses = []
	for field_id in answers:
		var value = answers[field_id]
		if typeof(value) == TYPE_BOOL:
			value = "yes" if value else "no"
		responses.append({"fieldId": field_id, "value": str(value)})
	_submit("feedback", {"requestId": _random_id(), "formId": form_id, "responses": responses}, callback)


# Sends a bug report of the player. The severity is low, medium, high or critical.
func bug_report(title: String, description: String, severity := "medium", callback := Callable()) -> void:
	# Without consent, not even the id of the device may be created.
	if not _consent:
		_answer(callback, false, false, NO_CONSENT)
		return
	var context = {"environment": options.environment, "platform": options.platform}
	if options.game_version != "":
		context["buildVersion"] = options.game_version
	var body = {
		"title": title.substr(0, 200), "description": description.substr(0, 8000), "severity": severity,
		"idempotencyKey": _random_id(), "context": context,
		"playerId": options.tester_handle if options.tester_handle != "" else _device_id(),
	}
	if options.game_id != "":
		body["gameId"] = options.game_id
	_submit("bug", body, callback)


# The variant of this device in an experiment, by the id of the experiment; "" if it takes part in none, or if the variants are
# not known yet (when_ready). The session is counted for the variant, so call it where the game shows the difference.
func variant(experiment: String) -> String:
	if _shown.has(experiment):
		return _shown[experiment].variant
	if not _consent or not _config.has("experiments") or _config.deviceId != _device_id():
		return ""
	var name_of_variant = _config.experiments.experiments.get(experiment)
	if typeof(name_of_variant) != TYPE_STRING:
		return ""
	var all_values = _config.experiments.get("config")
	var values = all_values.get(experiment) if typeof(all_values) == TYPE_DICTIONARY else null
	_shown[experiment] = {"variant": name_of_variant, "values": values if typeof(values) == TYPE_DICTIONARY else {}}
	if _session != null:
		# What was recorded before has no part in the variant.
		_prepare_all()
		_seal()
		_session.envelope["experimentTags"] = _tags()
		_session.header = _to_json(_session.envelope)
	return name_of_variant


# The values of the variant that variant() returned.
func variant_values(experiment: String) -> Dictionary:
	return _shown[experiment].values.duplicate() if _shown.has(experiment) else {}


# The anonymous id of this device; "" without consent.
func device_id() -> String:
	return _device_id() if _consent else ""


# Replaces the id of this device, and stores it. The running session keeps its id.
func set_device_id(id: String) -> void:
	if not _consent or not id.length() in range(1, 129) or id == "." or id == "..":
		_report("warn", "The device id was not set, because " + ("it must have 1 to 128 characters." if _consent else "the player has not agreed."))
		return
	options.device_id = ""
	_device = id
	_shown.clear()
	_write_file("device", id)


# Links this device to the tester of a claim token (pt_tt_...). The callback gets {ok, queued, message, handle}.
func link_tester(token: String, callback := Callable()) -> void:
	_ask_tester("link", token.strip_edges(), callback)


# Reports the tester that this device is linked to: handle is "" if it is not linked.
func get_current_tester(callback: Callable) -> void:
	_ask_tester("tester", "", callback)


# Unlinks this device from its tester. The token is that of link_tester() by default.
func unlink_tester(token := "", callback := Callable()) -> void:
	var claim_token = token if token != "" else _read_file("tester").strip_edges()
	if claim_token == "":
		_answer(callback, false, false, "link_tester() was not called on this device. Pass the token.")
	else:
		_ask_tester("unlink", claim_token, callback)


func _ask_tester(kind: String, token: String, callback: Callable) -> void:
	var fault = _find_options_fault() if _consent else NO_CONSENT
	if fault != "":
		_answer(callback, false, false, fault)
		return
	var fields = {"deviceId": _device_id()}
	if options.game_id != "":
		fields["gameId"] = options.game_id
	var ask = {"kind": kind, "callback": callback, "token": token}
	if kind == "tester":
		_ask(ask, HTTPClient.METHOD_GET, "/api/telemetry/tester?" + _to_query(fields), "")
		return
	fields["claimToken"] = token
	_ask(ask, HTTPClient.METHOD_POST if kind == "link" else HTTPClient.METHOD_DELETE, "/api/telemetry/claim", _to_json(fields))


func _end_tester(ask: Dictionary, outcome: Dictionary) -> void:
	if outcome.kind != "stored":
		_answer(ask.callback, false, false, outcome.message)
		return
	var handle = outcome.answer.get("handle")
	var name_of_tester: String = handle if typeof(handle) == TYPE_STRING else ""
	if ask.kind == "unlink":
		_remove_file("tester")
		_answer(ask.callback, true, false, "This device is no longer linked to %s." % name_of_tester)
		return
	if ask.kind == "link":
		_write_file("tester", ask.token)
	_answer(ask.callback, true, false, "This device is linked to %s." % ("no tester" if name_of_tester == "" else name_of_tester), name_of_tester)


# Reads what the service sets for this game and device. What cannot be read is unchanged.
func _read_config() -> void:
	_is_reading = true
	if options.game_id != "":
		_game_id = options.game_id
	if _game_id == "":
		_ask({"kind": "resolve"}, HTTPClient.METHOD_GET, "/api/telemetry/resolve", "")
	else:
		_ask({"kind": "events"}, HTTPClient.METHOD_GET, "/api/v1/games/%s/event-config" % _game_id.uri_encode(), "")


# Takes over an answer, and asks for the next one.
func _continue_reading(kind: String, answer: Dictionary, device_id: String) -> void:
	if kind == "resolve" and not answer.is_empty():
		_game_id = answer.gameId
		_read_config()
		return
	if kind != "experiments":
		if not answer.is_empty():
			_config["eventConfig"] = answer
			_set_config(_config)
		var fields = {"deviceId": _device_id()}
		if _game_id != "":
			fields["gameId"] = _game_id
		if options.game_version != "":
			fields["buildVersion"] = options.game_version.substr(0, 64)
		var ask = {"kind": "experiments", "device_id": fields.deviceId}
		_ask(ask, HTTPClient.METHOD_GET, "/api/telemetry/experiments?" + _to_query(fields), "")
		return
	if not answer.is_empty():
		_config["experiments"] = answer
		_config["deviceId"] = device_id
	if not _config.is_empty():
		_set_config(_config)
		_write_file("config", _to_json(_config))
	_end_reading()


func _end_reading() -> void:
	_is_reading = false
	var callbacks = _when_ready
	_when_ready = []
	for callback in callbacks:
		if callback.is_valid():
			callback.call()


# Leaves out what is no answer of the service.
func _set_config(config: Dictionary) -> void:
	_config = {}
	_ignored = {}
	var event_config = config.get("eventConfig")
	if typeof(event_config) == TYPE_DICTIONARY and typeof(event_config.get("events")) == TYPE_DICTIONARY:
		for event_name in event_config.events.keys():
			if typeof(event_config.events[event_name]) != TYPE_DICTIONARY:
				event_config.events.erase(event_name)
			elif event_config.events[event_name].get("sdkIgnore") == true:
				_ignored[event_name] = true
		_config["eventConfig"] = event_config
	var experiments = config.get("experiments")
	if typeof(experiments) == TYPE_DICTIONARY and typeof(experiments.get("experiments")) == TYPE_DICTIONARY:
		_config["experiments"] = experiments
		_config["deviceId"] = str(config.get("deviceId"))


func _to_query(fields: Dictionary) -> String:
	var parts = []
	for field in fields:
		parts.append(field + "=" + fields[field].uri_encode())
	return "&".join(PackedStringArray(parts))


# The experiments that the session is counted for.
func _tags() -> Dictionary:
	var tags: Dictionary = options.experiment_tags.duplicate()
	for experiment in _shown:
		tags[experiment] = _shown[experiment].variant
	return tags


# Records the choice of the player. False ends the session, sends nothing more and deletes the queue.
func set_consent(is_given: bool) -> void:
	_consent = is_given
	if is_given:
		_write_file("consent", "yes")
		return
	_session = null
	_last_session = null
	_pending = []
	_pending_frames = []
	_batch = null
	_in_flight = null
	_device = ""
	_config = {}
	_ignored = {}
	_shown.clear()
	if _http:
		_http.cancel_request()
	for http in _asks.keys():
		http.cancel_request()
		var ask = _forget_ask(http)
		if ask.has("callback"):
			_answer(ask.callback, false, false, NO_CONSENT)
	_end_reading()
	var items = _items
	_items = []
	for item in items:
		_resolve(item, false, false, NO_CONSENT)
	for file_name in _list_files():
		# The folder may contain other files of the game.
		if file_name in PLAYER_FILES or _is_queue_file(file_name):
			_remove_file(file_name)
	_write_file("consent", "no")


# Sends one event to the environment sdk-test. The callback gets {ok, queued, message} and learns whether the address and
# the key work.
func send_test_event(callback: Callable) -> void:
	var fault = _find_options_fault()
	if fault == "" and not _consent:
		fault = NO_CONSENT
	if fault != "":
		_answer(callback, false, false, fault)
		return
	var now = _unix_ms()
	var body = _envelope("test-" + _random_id(), now, "sdk-test")
	body["sessionEnded"] = true
	# Without a version, the test is no session of a build.
	body["sessionMetadata"] = {"platform": options.platform}
	body["events"] = [{"id": "1", "name": "sdk_test_event", "timestamp": now}]
	_ask({"kind": "accepted", "callback": callback}, HTTPClient.METHOD_POST, "/api/telemetry", _to_json(body))


# Bytes that wait to be sent, events that were dropped, and why nothing is sent until the next start() ("" if it is).
func status() -> Dictionary:
	_prepare_all()
	return {"queued_bytes": _queued_bytes(), "dropped_events": _dropped, "stopped": _stopped}


func _queued_bytes() -> int:
	var queued: int = 0 if _batch == null else _batch.bytes
	for item in _items:
		queued += item.size
	return queued


func _process(_delta: float) -> void:
	_measure_frame()
	_prepare_frame()
	var now = _now()
	if not _is_ready or now - _last_tick < TICK_SEC:
		return
	_last_tick = now
	if _session != null and _session.unfocused_since < 0 and now - _session.last_heartbeat >= max(options.heartbeat_sec, 30):
		_session.last_heartbeat = now
		var data = {}
		_add_durations(data)
		track("session_heartbeat", data)
		_report_frames()
	if _session != null and _session.has_frames:
		_session.memory = max(_session.memory, OS.get_static_memory_usage())
	if now >= _flush_at:
		_seal()
	else:
		_save()
	_send_next()


func _notification(what: int) -> void:
	if not _is_ready:
		return
	match what:
		NOTIFICATION_APPLICATION_FOCUS_IN:
			focus(true)
		NOTIFICATION_APPLICATION_FOCUS_OUT:
			focus(false)
			_prepare_all()
			_save()
		NOTIFICATION_APPLICATION_PAUSED:
			focus(false)
			flush()
		NOTIFICATION_APPLICATION_RESUMED:
			focus(true)
		NOTIFICATION_ENTER_TREE:
			_is_leaving = false
		NOTIFICATION_EXIT_TREE:
			_is_leaving = true
			end()
			flush()
			_send_at_exit()


# Seconds of a clock that never goes back.
func _now() -> float:
	return Time.get_ticks_msec() / 1000.0


# The clock of the device, which may be wrong and change in play.
func _unix_ms() -> int:
	return int(Time.get_unix_time_from_system() * 1000)


# The start of the session and a clock that never changes.
func _session_time(session: Dictionary, now: float) -> int:
	return session.started_at + int(round((now - session.started_tick) * 1000))


func _envelope(client_session_id: String, started_at: int, environment: String) -> Dictionary:
	var body = {
		"clientSessionId": client_session_id, "deviceId": _device_id(), "source": "godot-telemetry",
		"environment": environment, "startedAt": started_at, "sessionMetadata": _build(),
	}
	if options.game_id != "":
		body["gameId"] = options.game_id
	if options.tester_handle != "":
		body["testerHandle"] = options.tester_handle
	if not _tags().is_empty():
		body["experimentTags"] = _tags()
	return body


func _build() -> Dictionary:
	var build = {"platform": options.platform}
	if options.game_version != "":
		build["gameVersion"] = options.game_version
	return build


func _device_id() -> String:
	if options.device_id != "":
		return options.device_id
	if _device == "":
		_device = _read_file("device").strip_edges()
	if _device == "":
		_device = "dev_" + _random_id()
		_write_file("device", _device)
	return _device


func _add_durations(data: Dictionary) -> void:
	var now = _now()
	var wall: float = now - _session.started_tick
	var unfocused: float = _session.unfocused_sec
	if _session.unfocused_since >= 0:
		unfocused += now - _session.unfocused_since
	data["wallSec"] = int(round(wall))
	data["activeSec"] = int(round(wall - unfocused))
	if _dropped > 0:
		data["droppedEvents"] = _dropped


func _append(line: String, size: int) -> void:
	if _batch != null:
		var is_full: bool = _batch.lines.size() > MAX_EVENTS or _batch.bytes + size > MAX_BATCH_BYTES
		# The line that ends the session is no event, so it fits into every batch.
		if (is_full and line != END_LINE) or _batch.session.id != _session.id:
			_seal()
	if _batch == null:
		var header: String = _session.header
		_batch = {
			"name": _next_name(_session) + ".events", "session": _session, "lines": [header],
			"saved": 0, "events": 0, "bytes": header.to_utf8_buffer().size() + 1,
		}
	_batch.lines.append(line)
	_batch.bytes += size
	if line != END_LINE:
		_batch.events += 1


# Names sort in the order in which items are sent.
func _next_name(session) -> String:
	var time: int = _unix_ms() if session == null else session.started_at
	var id: String = "none" if session == null else session.id
	_next_item += 1
	return "%014d-%s-%08d" % [time, id, _next_item]


# Writes the lines of the current batch that are not on disk yet.
func _save() -> void:
	if _batch == null or _batch.saved == _batch.lines.size():
		return
	# Another process of the game may have sent the open file already. Event ids make the repetition harmless.
	var is_saved: bool = _batch.saved > 0 and _append_file(_batch.name + OPEN, _join(_batch.lines.slice(_batch.saved)))
	if not is_saved:
		is_saved = _write_file(_batch.name + OPEN, _join(_batch.lines))
	# After a failure, the file may end anywhere, so that it is written again.
	_batch.saved = _batch.lines.size() if is_saved else 0
	_enforce_limit()


# Completes the current batch, so that it is sent.
func _seal() -> void:
	_flush_at = _now() + max(options.flush_sec, 1)
	if _batch == null:
		return
	_save()
	var item = {
		"name": _batch.name, "session": _batch.session, "size": _batch.bytes, "events": _batch.events,
		"text": _join(_batch.lines), "is_refused": false, "callback": Callable(),
	}
	var is_saved: bool = _batch.saved == _batch.lines.size()
	_batch = null
	_items.append(item)
	if is_saved and DirAccess.rename_absolute(_path(item.name + OPEN), _path(item.name)) == OK:
		item.text = ""
	elif _write_file(item.name, item.text):
		item.text = ""
		_remove_file(item.name + OPEN)
	_enforce_limit()


# Drops the oldest items while the queue is larger than its limit.
func _enforce_limit() -> void:
	var total := _queued_bytes()
	for item in _items.duplicate():
		if total <= options.max_queue_bytes:
			return
		if _in_flight != null and _in_flight.item == item:
			continue
		total -= item.size
		_dropped += item.events
		_report("warn", "The queue is full (%d bytes). The oldest events were dropped." % options.max_queue_bytes)
		_resolve(item, false, false, "Dropped because the queue is full.")
		_forget(item)


func _forget(item: Dictionary) -> void:
	_items.erase(item)
	_remove_file(item.name)
	# A part of what could not be written may be here.
	if item.text != "":
		_remove_file(item.name + OPEN)


# Whether a file has a name of _next_name().
func _is_queue_file(file_name: String) -> bool:
	var item_name := file_name.trim_suffix(OPEN)
	var parts := item_name.get_basename().split("-")
	if not item_name.get_extension() in ["events", "feedback", "bug"] or parts.size() != 3:
		return false
	return parts[0].length() == 14 and parts[0].is_valid_int() and parts[2].length() == 8 and parts[2].is_valid_int()


# Takes over what earlier runs did not send.
func _adopt_queue() -> void:
	var names = _list_files()
	names.sort()
	for file_name in names:
		var item_name = file_name.trim_suffix(OPEN)
		if not _is_queue_file(file_name):
			continue
		if _unix_ms() - int(file_name.substr(0, 14)) > MAX_QUEUE_AGE_MS:
			_report("warn", "Events that could not be sent for 7 days were deleted.")
			_remove_file(file_name)
			continue
		if item_name != file_name:
			DirAccess.rename_absolute(_path(file_name), _path(item_name))
		var size := FileAccess.get_file_as_bytes(_path(item_name)).size()
		_items.append({
			"name": item_name, "session": null, "size": size, "events": size / 120,
			"text": "", "is_refused": false, "callback": Callable(),
		})


func _submit(kind: String, body: Dictionary, callback: Callable) -> void:
	var owner_session = _session if _session != null else _last_session
	var fault = _find_options_fault() if _consent else NO_CONSENT
	if fault == "" and kind == "feedback" and owner_session == null:
		fault = "Feedback requires a session. Call start() first."
	if fault != "":
		_answer(callback, false, false, fault)
		return
	_prepare_all()
	_seal()
	var text = _join(["{}" if owner_session == null else owner_session.header, _to_json(body)])
	var item = {
		"name": _next_name(owner_session) + "." + kind, "session": owner_session, "size": text.to_utf8_buffer().size(), "events": 0, "text": text,
		"is_refused": false, "callback": callback,
	}
	_items.append(item)
	if _write_file(item.name, text):
		item.text = ""
	_enforce_limit()
	_send_next()


# Sends the first item of the queue. The answer sends the next one.
func _send_next() -> void:
	if _in_flight != null or not _consent or _is_leaving or not is_inside_tree():
		return
	if _stopped != "" or _now() < _retry_at:
		_answer_waiting()
		return
	var next = null
	for item in _items:
		if item.is_refused:
			continue
		if next != null:
			next = item
			break
		next = item
		if item.name != _suspect or _suspect_failures < MAX_ITEM_FAILURES:
			break
	if next != null:
		_send_item(next)


# Sends events for at most a second. Nothing polls the requests of a game that quits, so the client does it. What gets no answer is
# sent after the next start, without a message.
func _send_at_exit() -> void:
	_in_flight = null
	if not _consent or _stopped != "" or _now() < _retry_at or OS.has_feature("web"):
		return
	var client = HTTPClient.new()
	var until = Time.get_ticks_msec() + EXIT_MS
	for item in _items.duplicate():
		var lines = _read_lines(item)
		if item.is_refused or not item.name.ends_with(".events") or lines.size() < 2:
			continue
		var header: String = lines[0] if item.session == null else item.session.header
		lines = lines.slice(1)
		var is_end = lines.has(END_LINE)
		lines.erase(END_LINE)
		if not _send_blocking(client, _join_events(header, lines, is_end), until):
			break
		_forget(item)
	client.close()


func _send_blocking(client: HTTPClient, body: String, until: int) -> bool:
	var url: String = options.base_url.trim_suffix("/")
	var parts = url.split("://")[1].split("/", true, 1)
	var host: String = parts[0]
	var port := 443 if url.begins_with("https://") else 80
	var colon := host.rfind(":")
	if colon > 0 and host.substr(colon + 1).is_valid_int():
		port = int(host.substr(colon + 1))
		host = host.substr(0, colon)
	var path = ("/" + parts[1] if parts.size() > 1 else "") + "/api/telemetry"
	var headers = _headers() + ["Content-Type: application/json"]
	if client.get_status() != HTTPClient.STATUS_CONNECTED and client.connect_to_host(host, port, TLSOptions.client() if url.begins_with("https://") else null) != OK:
		return false
	if _poll(client, [HTTPClient.STATUS_RESOLVING, HTTPClient.STATUS_CONNECTING], until) != HTTPClient.STATUS_CONNECTED:
		return false
	if client.request(HTTPClient.METHOD_POST, path, PackedStringArray(headers), body) != OK:
		return false
	var content := PackedByteArray()
	var status := _poll(client, [HTTPClient.STATUS_REQUESTING], until)
	if status != HTTPClient.STATUS_BODY:
		return false
	while status == HTTPClient.STATUS_BODY and content.size() <= MAX_RESPONSE_BYTES and Time.get_ticks_msec() < until:
		content.append_array(client.read_response_body_chunk())
		OS.delay_msec(1)
		client.poll()
		status = client.get_status()
	var outcome = _classify(HTTPRequest.RESULT_SUCCESS, client.get_response_code(), client.get_response_headers(), content, "accepted")
	return outcome.kind == "stored"


# Polls while the client has one of these states, and returns the next one.
func _poll(client: HTTPClient, states: Array, until: int) -> int:
	while client.get_status() in states and Time.get_ticks_msec() < until:
		client.poll()
		OS.delay_msec(1)
	return client.get_status()


# Skips an item until the next start() if only that one fails, such as for a firewall that reads the content.
func _judge_suspect(item: Dictionary, outcome: Dictionary) -> void:
	if outcome.get("may_concern_item", false):
		_suspect_failures = _suspect_failures + 1 if item.name == _suspect else 1
		_suspect = item.name
		return
	if outcome.kind == "stored" and item.name != _suspect and _suspect_failures >= MAX_ITEM_FAILURES:
		for other in _items:
			if other.name == _suspect:
				other.is_refused = true
				_report("warn", "A request that only fails with its content is skipped until the next start().")
	_suspect = ""
	_suspect_failures = 0


func _send_item(item: Dictionary, has_asked := false) -> void:
	var lines = _read_lines(item)
	_in_flight = {"item": item, "is_submission": false, "sent_at": _now()}
	if item.text == "" and not _can_read(item.name):
		_settle({"kind": "retry", "after_sec": 0.0, "may_concern_item": true, "message": "The file %s of the queue cannot be read." % item.name})
		return
	if lines.size() < 2:
		_settle({"kind": "lost"})
		return
	# Events are sent as they were recorded. Only the header can get the difference of the clocks.
	var header: String = lines[0] if item.session == null else item.session.header
	var session_id: String = _session_ids.get(_session_of(item), "")
	if item.name.ends_with(".events"):
		var events = lines.slice(1)
		var is_end = events.has(END_LINE)
		events.erase(END_LINE)
		_post_events(header, events, is_end)
	elif session_id == "" and header != "{}" and not has_asked:
		# The service needs its own id of the session. A batch without events finds or creates the session.
		_post_events(header, [], false)
	else:
		_in_flight.is_submission = true
		var body: String = lines[1]
		if session_id != "":
			body = body.substr(0, body.length() - 1) + ',"sessionId":' + _to_json(session_id) + "}"
		_post("/api/telemetry/bug-report" if item.name.ends_with(".bug") else "/api/telemetry/feedback", body)


func _session_of(item: Dictionary) -> String:
	return item.name.split("-")[1]


func _post_events(header: String, events: Array, is_end: bool) -> void:
	_post("/api/telemetry", _join_events(header, events, is_end))


func _join_events(header: String, events: Array, is_end: bool) -> String:
	var end = ',"sessionEnded":true}' if is_end else "}"
	var list = ",".join(PackedStringArray(events))
	return header.substr(0, header.length() - 1) + ',"events":[' + list + "]" + end


func _post(path: String, body: String) -> void:
	if _request(_http, HTTPClient.METHOD_POST, path, body) != OK:
		_on_completed(HTTPRequest.RESULT_CANT_CONNECT, 0, PackedStringArray(), PackedByteArray())


func _create_request() -> HTTPRequest:
	var http = HTTPRequest.new()
	http.timeout = TIMEOUT_SEC
	http.body_size_limit = MAX_RESPONSE_BYTES
	http.max_redirects = 0
	# With a thread, Godot waits for it when a request is cancelled or times out, and the thread waits for the answer: a
	# service that never answers would stop the game.
	http.use_threads = false
	add_child(http)
	return http


func _headers() -> Array:
	var headers = ["Authorization: Bearer " + options.key]
	# The body has the same values. In web pages, further headers would have to be allowed by the service.
	if not OS.has_feature("web"):
		headers.append("X-Playtest-SDK: godot")
		headers.append("X-Playtest-Environment: " + options.environment)
	return headers


func _request(http: HTTPRequest, method: int, path: String, body: String) -> int:
	var url: String = options.base_url.trim_suffix("/") + path
	var headers = _headers() if body != "" else ["Authorization: Bearer " + options.key]
	if body == "":
		return http.request(url, PackedStringArray(headers), method)
	headers.append("Content-Type: application/json")
	var content := body.to_utf8_buffer()
	if content.size() >= MIN_GZIP_BYTES:
		headers.append("Content-Encoding: gzip")
		content = content.compress(FileAccess.COMPRESSION_GZIP)
	return http.request_raw(url, PackedStringArray(headers), method, content)


func _on_completed(result: int, code: int, headers: PackedStringArray, body: PackedByteArray) -> void:
	if _in_flight == null:
		return
	var outcome = _classify(result, code, headers, body, "ok" if _in_flight.is_submission else "accepted")
	if outcome.kind != "retry":
		_compare_clocks(_find_header(headers, "date:"), _in_flight.sent_at, _now())
	var is_events: bool = _in_flight.item.name.ends_with(".events")
	if outcome.kind == "stored" and not _in_flight.is_submission:
		var session_id = outcome.answer.get("sessionId")
		if typeof(session_id) == TYPE_STRING:
			_session_ids[_session_of(_in_flight.item)] = session_id
		_report_rejected(outcome.answer)
		if not is_events:
			_send_item(_in_flight.item, true)
			return
	_settle(outcome)


# Adds the difference to the clock of the service to the requests of sessions that do not have it yet.
func _compare_clocks(date: String, sent_at: float, received_at: float) -> void:
	# Such as "Sun, 06 Nov 1994 08:49:37 GMT".
	var parts := date.replace(":", " ").split(" ", false)
	if parts.size() < 7 or (received_at - sent_at) * 1000 > MIN_CLOCK_OFFSET_MS:
		return
	var month := "JanFebMarAprMayJunJulAugSepOctNovDec".find(parts[2]) / 3 + 1
	var server_sec := Time.get_unix_time_from_datetime_dict({
		"year": int(parts[3]), "month": month, "day": int(parts[1]),
		"hour": int(parts[4]), "minute": int(parts[5]), "second": int(parts[6]),
	})
	var sessions := [_session, _last_session]
	for item in _items:
		sessions.append(item.session)
	for session in sessions:
		if session == null or session.is_clock_known:
			continue
		session.is_clock_known = true
		var offset: int = server_sec * 1000 + 500 - _session_time(session, (sent_at + received_at) / 2)
		if abs(offset) >= MIN_CLOCK_OFFSET_MS:
			session.envelope["clockOffsetMs"] = offset
			session.header = _to_json(session.envelope)


func _find_header(headers: PackedStringArray, prefix: String) -> String:
	for header in headers:
		if header.to_lower().begins_with(prefix):
			return header.substr(prefix.length()).strip_edges()
	return ""


# Sends a request that is not part of the queue.
func _ask(ask: Dictionary, method: int, path: String, body: String) -> void:
	var http = _create_request()
	_asks[http] = ask
	http.request_completed.connect(_on_asked.bind(http))
	if not is_inside_tree() or _request(http, method, path, body) != OK:
		_on_asked(HTTPRequest.RESULT_CANT_CONNECT, 0, PackedStringArray(), PackedByteArray(), http)


func _on_asked(result: int, code: int, headers: PackedStringArray, body: PackedByteArray, http: HTTPRequest) -> void:
	if not _asks.has(http):
		return
	var ask = _forget_ask(http)
	var outcome = _classify(result, code, headers, body, ask.kind)
	match ask.kind:
		"accepted":
			_end_test(ask.callback, outcome)
		"link", "tester", "unlink":
			_end_tester(ask, outcome)
		_:
			var is_read: bool = outcome.kind == "stored" and code == 200
			_continue_reading(ask.kind, outcome.answer if is_read else {}, ask.get("device_id", ""))


func _forget_ask(http: HTTPRequest) -> Dictionary:
	var ask: Dictionary = _asks[http]
	_asks.erase(http)
	http.queue_free()
	return ask


func _end_test(callback: Callable, outcome: Dictionary) -> void:
	if outcome.kind != "stored":
		_answer(callback, false, false, outcome.message)
	elif outcome.answer.sessionId == null:
		_answer(callback, false, false, options.base_url + " refused the test event.")
	else:
		var message = "The address and the key work. %s stored the test event in session %s."
		_answer(callback, true, false, message % [options.base_url, outcome.answer.sessionId])


# Removes, keeps or retries the item after its request.
func _settle(outcome: Dictionary) -> void:
	var item: Dictionary = _in_flight.item
	_in_flight = null
	_judge_suspect(item, outcome)
	if outcome.kind == "retry":
		_failures += 1
		var backoff = min(pow(2, min(_failures - 1, 10)), MAX_BACKOFF_SEC) * randf_range(0.75, 1.25)
		_retry_at = _now() + max(min(outcome.after_sec, MAX_RETRY_AFTER_SEC), backoff)
		_report("warn", outcome.message + " The client will try again.")
		_answer_waiting()
		return
	if _failures > 0:
		_report("info", "The service answers again.")
	_failures = 0
	if outcome.kind == "refused":
		_refuse(item, outcome)
	else:
		var is_stored: bool = outcome.kind == "stored"
		_resolve(item, is_stored, false, "Stored." if is_stored else "The queued file was lost.")
		_forget(item)
	# Sending in the same call could nest as deeply as the queue is long.
	_send_next.call_deferred()


func _refuse(item: Dictionary, outcome: Dictionary) -> void:
	_report("error", outcome.message)
	_resolve(item, false, false, outcome.message)
	var is_events: bool = item.name.ends_with(".events")
	var concerns_item = [400, 409, 413, 415, 422].has(outcome.status)
	if is_events and concerns_item:
		item.is_refused = true
	elif concerns_item or (outcome.status == 404 and not is_events):
		_forget(item)
	else:
		# A wrong key or game affects every request. Events are still recorded, and the next start() tries again.
		_stopped = outcome.message
		_answer_waiting()


func _resolve(item: Dictionary, ok: bool, queued: bool, message: String) -> void:
	var callback = item.callback
	item.callback = Callable()
	_answer(callback, ok, queued, message)


# Reports to callers that their submission waits in the queue.
func _answer_waiting() -> void:
	for item in _items:
		if item.callback.is_valid():
			_resolve(item, false, true, _stopped if _stopped != "" else "Queued. " + _last_report)


func _answer(callback: Callable, ok: bool, queued: bool, message: String, handle := "") -> void:
	if callback.is_valid():
		callback.call({"ok": ok, "queued": queued, "message": message, "handle": handle})


func _classify(result: int, code: int, headers: PackedStringArray, body: PackedByteArray, expected: String) -> Dictionary:
	var base_url: String = options.base_url
	if code >= 300 and code < 400:
		return _foreign(code, "The address redirects. Use the final address.")
	if result != HTTPRequest.RESULT_SUCCESS:
		var reason = "error %d of HTTPRequest" % result
		match result:
			HTTPRequest.RESULT_CANT_CONNECT, HTTPRequest.RESULT_CONNECTION_ERROR, HTTPRequest.RESULT_NO_RESPONSE:
				reason = "the connection failed"
			HTTPRequest.RESULT_CANT_RESOLVE:
				reason = "the host is unknown"
			HTTPRequest.RESULT_TLS_HANDSHAKE_ERROR:
				reason = "the certificate is not valid"
			HTTPRequest.RESULT_TIMEOUT:
				reason = "no answer within %d s" % TIMEOUT_SEC
			HTTPRequest.RESULT_BODY_SIZE_LIMIT_EXCEEDED:
				reason = "the answer is too large"
		return {"kind": "retry", "after_sec": 0.0, "message": "No connection to %s: %s. Is the address right and the service running?" % [base_url, reason]}
	var answer = _parse(body)
	var is_success := code >= 200 and code < 300
	if is_success and _is_expected(answer, expected):
		return {"kind": "stored", "answer": answer}
	var words = str(code) + _describe_error(answer)
	if code == 408 or code == 425 or code == 429 or code >= 500:
		var after = float(_find_header(headers, "retry-after:"))
		return {"kind": "retry", "after_sec": max(after, 0.0), "message": "%s cannot take events now (%s)." % [base_url, words]}
	# The login page of a network and a proxy during a deployment answer with any status.
	if is_success or typeof(answer.get("error")) != TYPE_STRING:
		return _foreign(code, "Check the address.")
	return {"kind": "refused", "status": code, "message": "%s refused the request (%s). %s" % [base_url, words, _explain(code)]}


func _foreign(code: int, advice: String) -> Dictionary:
	var message = "%s answered with status %d, but not as a playtest service. %s" % [options.base_url, code, advice]
	return {"kind": "retry", "after_sec": 0.0, "may_concern_item": code >= 400, "message": message}


func _is_expected(answer: Dictionary, expected: String) -> bool:
	match expected:
		"accepted":
			return _is_receipt(answer)
		"ok":
			return _is_confirmation(answer)
		"resolve":
			return typeof(answer.get("gameId")) == TYPE_STRING
		"link", "unlink", "tester":
			return typeof(answer.get("handle")) == TYPE_STRING or (expected == "tester" and answer.get("linked") == false)
	return typeof(answer.get(expected)) == TYPE_DICTIONARY


func _is_receipt(answer: Dictionary) -> bool:
	# Without a session, the service refused all events of the request.
	var has_session: bool = answer.has("sessionId") and typeof(answer.sessionId) in [TYPE_STRING, TYPE_NIL]
	return has_session and _is_number(answer.get("accepted")) and _is_number(answer.get("duplicates"))


func _is_number(value) -> bool:
	return typeof(value) in [TYPE_INT, TYPE_FLOAT]


func _is_confirmation(answer: Dictionary) -> bool:
	var is_ok: bool = typeof(answer.get("ok")) == TYPE_BOOL and answer.ok
	return is_ok and (typeof(answer.get("responseIds")) == TYPE_ARRAY or typeof(answer.get("bugReportId")) == TYPE_STRING)


func _explain(code: int) -> String:
	match code:
		401:
			return "Check the ingest key."
		403:
			return "Use an ingest key (pt_ik_...)."
		404:
			return "Check the game, the form and the address."
	return ""


# The words of the service, shortened because they are for a log.
func _describe_error(answer: Dictionary) -> String:
	var words = PackedStringArray()
	for field in ["error", "message", "reason"]:
		if typeof(answer.get(field)) == TYPE_STRING:
			words.append(answer[field])
	if answer.has("issues"):
		words.append(JSON.stringify(answer.issues))
	return "" if words.is_empty() else ": " + "; ".join(words).substr(0, 500)


func _report_rejected(answer: Dictionary) -> void:
	var rejected = answer.get("rejected")
	if typeof(rejected) == TYPE_ARRAY and not rejected.is_empty():
		_report("warn", "The service rejected %d events: %s" % [rejected.size(), JSON.stringify(rejected).substr(0, 500)])
	if answer.has("warnings"):
		_report("warn", JSON.stringify(answer.warnings).substr(0, 500))


func _parse(body: PackedByteArray) -> Dictionary:
	var text = body.get_string_from_utf8()
	# Godot's parser is recursive. Answers of the service are flat.
	# count() would take minutes for some texts.
	var brackets: int = text.split("[", true, MAX_NESTING).size() + text.split("{", true, MAX_NESTING).size()
	if not text.begins_with("{") or brackets > MAX_NESTING:
		return {}
	# The functions of an instance do not print errors.
	var json := JSON.new()
	return json.data if json.parse(text) == OK and typeof(json.data) == TYPE_DICTIONARY else {}


func _find_options_fault() -> String:
	var url: String = options.base_url
	if not (url.begins_with("http://") or url.begins_with("https://")) or url.split("//")[1] == "" or " " in url:
		return 'The address "%s" is not a URL. It must begin with http:// or https://.' % url
	if options.key == "" or not _consists_of(options.key, 0x21, 0x7e):
		return "The key is empty or contains characters that no key has."
	var environment: String = options.environment
	var is_slug = environment.length() in range(1, 65) and environment != "all"
	for letter in environment:
		is_slug = is_slug and letter in "abcdefghijklmnopqrstuvwxyz0123456789_-"
	if not is_slug:
		return 'The environment "%s" is not valid. Use up to 64 of a-z, 0-9, _ and -, but not "all".' % environment
	return ""


func _consists_of(text: String, first: int, last: int) -> bool:
	for index in range(text.length()):
		if text.unicode_at(index) < first or text.unicode_at(index) > last:
			return false
	return true


func _path(file_name: String) -> String:
	return options.folder.path_join(file_name)


func _list_files() -> Array:
	return Array(DirAccess.get_files_at(options.folder))


func _read_file(file_name: String) -> String:
	if not FileAccess.file_exists(_path(file_name)):
		return ""
	return FileAccess.get_file_as_bytes(_path(file_name)).get_string_from_utf8()


func _write_file(file_name: String, text: String) -> bool:
	var file := FileAccess.open(_path(file_name), FileAccess.WRITE)
	if file == null:
		_report("warn", "The queue cannot be written, so it is kept in memory (error %d)." % FileAccess.get_open_error())
		return false
	file.store_string(text)
	file.close()
	return _has_size(file_name, text.to_utf8_buffer().size())


# The functions that write do not report a full disk in all versions.
func _has_size(file_name: String, size: int) -> bool:
	var file := FileAccess.open(_path(file_name), FileAccess.READ)
	var is_complete := file != null and file.get_length() == size
	if not is_complete:
		_report("warn", "The queue cannot be written, so it is kept in memory.")
	return is_complete


# Whether a file can be read, or does not exist.
func _can_read(file_name: String) -> bool:
	return not FileAccess.file_exists(_path(file_name)) or FileAccess.open(_path(file_name), FileAccess.READ) != null


func _append_file(file_name: String, text: String) -> bool:
	if not FileAccess.file_exists(_path(file_name)):
		return false
	var file := FileAccess.open(_path(file_name), FileAccess.READ_WRITE)
	if file == null:
		return false
	var size := file.get_length() + text.to_utf8_buffer().size()
	file.seek_end()
	file.store_string(text)
	file.close()
	return _has_size(file_name, size)


func _remove_file(file_name: String) -> void:
	if FileAccess.file_exists(_path(file_name)):
		DirAccess.remove_absolute(_path(file_name))


func _read_lines(item: Dictionary) -> Array:
	var text: String = item.text if item.text != "" else _read_file(item.name)
	if item.session == null:
		return _whole_lines(text)
	# What this run has written is complete.
	var lines = Array(text.split("\n"))
	lines.pop_back()
	return lines


# Returns the complete lines. A crash can leave the last line unfinished.
func _whole_lines(text: String) -> Array:
	var lines = Array(text.split("\n"))
	lines.pop_back()
	var whole = []
	for line in lines:
		if line.begins_with("{") and line.ends_with("}"):
			whole.append(line)
	return whole


func _join(lines: Array) -> String:
	return "\n".join(PackedStringArray(lines)) + "\n"


# Godot's own JSON has no limits of depth, and writes NaN and control characters that other parsers refuse.
func _to_json(value, depth := 0) -> String:
	if depth == 0:
		_json_fault = ""
	elif depth > MAX_DEPTH:
		_json_fault = "it is nested too deeply, or contains itself."
	if _json_fault != "":
		return "null"
	match typeof(value):
		TYPE_NIL:
			return "null"
		TYPE_BOOL:
			return "true" if value else "false"
		TYPE_INT:
			return str(value)
		TYPE_FLOAT:
			return "null" if is_nan(value) or is_inf(value) else str(value)
		TYPE_DICTIONARY:
			var members = PackedStringArray()
			for key in value:
				members.append(_quote(str(key)) + ":" + _to_json(value[key], depth + 1))
			return "{" + ",".join(members) + "}"
		TYPE_ARRAY, TYPE_PACKED_INT32_ARRAY, TYPE_PACKED_INT64_ARRAY, TYPE_PACKED_FLOAT32_ARRAY, TYPE_PACKED_FLOAT64_ARRAY, TYPE_PACKED_STRING_ARRAY:
			var members = PackedStringArray()
			for member in value:
				members.append(_to_json(member, depth + 1))
			return "[" + ",".join(members) + "]"
		TYPE_VECTOR2, TYPE_VECTOR2I:
			return _to_json({"x": value.x, "y": value.y}, depth)
		TYPE_VECTOR3, TYPE_VECTOR3I:
			return _to_json({"x": value.x, "y": value.y, "z": value.z}, depth)
	return _quote(str(value))


func _quote(text: String) -> String:
	text = text.replace("\\", "\\\\").replace('"', '\\"')
	for character in _control_characters:
		if character in text:
			text = text.replace(character, "\\u%04x" % character.unicode_at(0))
	return '"' + text + '"'


func _random_id() -> String:
	return Crypto.new().generate_random_bytes(12).hex_encode()


# Reports a message to the developer, but not the same one twice in a row.
func _report(level: String, message: String) -> void:
	if message == _last_report:
		return
	_last_report = message
	reported.emit(level, message)
	if level == "info":
		print("[playtest] " + message)
	else:
		push_warning("[playtest] " + message)
