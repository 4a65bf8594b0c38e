# Plays a scenario of test/clients/client-suite.ts with the client for Godot 3.
extends SceneTree

const HARD_TEXT := "Grüße \"quoted\" \\ back\nline\ttab 🎮"

var playtest: Node
var answered := false
var is_ready := false


func _initialize() -> void:
	var args := Array(OS.get_cmdline_args())
	# Arguments after the script: scenario, URL, key, folder, form.
	args = args.slice(args.size() - 5, args.size() - 1)
	var script := GDScript.new()
	script.source_code = 'extends "res://playtest.gd"\nvar speed := 1.0\nvar shift := 0\nfunc _now() -> float:\n\treturn OS.get_ticks_usec() / 1000000.0 * speed\nfunc _unix_ms() -> int:\n\treturn OS.get_system_time_msecs() + shift\n'
	script.reload()
	playtest = script.new()
	playtest.speed = 100.0 if args[0] in ["session", "hidden"] else 1.0
	root.add_child(playtest)
	playtest.init({
		"base_url": args[1], "key": args[2], "folder": args[3], "game_id": "maze" if OS.get_environment("NO_GAME") == "" else "", "game_version": "0.9.0",
		"platform": "test", "environment": "playtest", "heartbeat_sec": 30.0,
		"max_queue_bytes": 600000 if args[0] == "full" else 16000000,
		"consent": OS.get_environment("ASK_FIRST") == "",
	})
	# Only these frames would make the number of events differ from run to run.
	if not args[0] in ["automatic", "pause"]:
		playtest.frame(16)
	play(args[0], args[4])


func play(scenario: String, form: String) -> void:
	match scenario:
		"session":
			playtest.start()
			playtest.track("player_death", {"room": "dock", "text": HARD_TEXT})
			playtest.track("player_death", {"room": "dock", "count": 2, "ratio": 0.5, "ok": true, "none": null, "list": [1, "a"]})
			for frame in range(100):
				playtest.position(1.5, -2, "dock" if frame < 50 else "pier")
			playtest.position(NAN, 0, "dock")
			playtest.focus(false)
			playtest.focus(false)
			yield(wait(0.1), "completed")
			playtest.focus(true)
			yield(wait(0.6), "completed")
			playtest.end({"score": 7})
			yield(wait_until_sent(), "completed")
		"crash":
			playtest.start()
			for index in range(100):
				playtest.track("step", {"index": index})
			yield(wait(1), "completed")
			print("recorded")
			yield(wait(60), "completed")
		"opt-out":
			playtest.start()
			playtest.track("step")
			playtest.set_consent(false)
			playtest.track("step")
			playtest.start()
			playtest.track("step")
			playtest.send_test_event(funcref(self, "print_result"))
			playtest.bug_report("Stuck", "In the dock", "high", funcref(self, "print_result"))
			playtest.end()
			yield(wait(1), "completed")
		"agree":
			playtest.set_consent(true)
			playtest.start()
			playtest.track("step")
			playtest.end()
			yield(wait_until_sent(), "completed")
		"change-mind":
			playtest.set_consent(false)
			playtest.set_consent(true)
			playtest.start()
			playtest.end()
			yield(wait_until_sent(), "completed")
		"withdraw":
			playtest.start()
			playtest.flush()
			playtest.send_test_event(funcref(self, "print_result"))
			yield(wait(3), "completed")
			playtest.set_consent(false)
			print("withdrawn")
			yield(wait(60), "completed")
		"relent":
			playtest.link_tester(form, funcref(self, "print_result"))
			yield(wait(1), "completed")
			playtest.set_consent(false)
			playtest.set_consent(true)
			yield(wait_until_answered(), "completed")
		"burst":
			playtest.start()
			var text := "xxxxxxxxxx".repeat(30)
			for index in range(4500):
				playtest.track("step", {"index": index, "text": text})
			playtest.track("huge", {"text": "xxxxxxxxxx".repeat(30000)})
			playtest.end()
			yield(wait_until_sent(), "completed")
		"full":
			playtest.start()
			for index in range(4500):
				playtest.track("step", {"index": index, "text": "xxxxxxxxxx".repeat(30)})
			playtest.end()
			yield(wait(1), "completed")
			print("dropped: ", playtest.status().dropped_events)
		"feedback":
			playtest.start()
			playtest.feedback(form, {"fun": 4, "again": true}, funcref(self, "print_result"))
			yield(wait_until_answered(), "completed")
			playtest.end()
			yield(wait_until_sent(), "completed")
		"bug":
			playtest.start()
			playtest.bug_report("Stuck in the dock", HARD_TEXT, "high", funcref(self, "print_result"))
			yield(wait_until_answered(), "completed")
		"flush":
			playtest.flush()
			yield(wait_until_sent(), "completed")
		"resume":
			playtest.start()
			playtest.track("step")
			playtest.flush()
			yield(wait_until_sent(), "completed")
			print("stopped: ", playtest.status().stopped)
			playtest.track("step")
			playtest.bug_report("Stuck", "In the dock", "high", funcref(self, "print_result"))
			yield(wait_until_answered(), "completed")
			playtest.end()
			playtest.start()
			playtest.track("step")
			playtest.end()
			yield(wait_until_sent(), "completed")
		"clock":
			playtest.shift = 7200000
			playtest.start()
			playtest.track("step")
			playtest.flush()
			yield(wait(0.5), "completed")
			playtest.send_test_event(funcref(self, "print_result"))
			yield(wait_until_answered(), "completed")
			playtest.shift = 0
			playtest.track("step")
			yield(wait(1.5), "completed")
			playtest.end()
			yield(wait_until_sent(), "completed")
		"hidden":
			playtest.start()
			playtest.focus(false)
			yield(wait(1), "completed")
			playtest.focus(true)
			playtest.end()
			yield(wait_until_sent(), "completed")
		"misuse":
			playtest.track("early")
			playtest.track("early")
			playtest.start()
			var data := {}
			data["left"] = data
			data["right"] = data
			playtest.track("loop", data)
			playtest.track("step")
			playtest.end()
			playtest.track("late")
			yield(wait_until_sent(), "completed")
		"config":
			playtest.start()
			playtest.track("noise")
			playtest.track("s0")
			yield(wait_until_ready(), "completed")
			playtest.track("noise")
			for index in range(40):
				playtest.track("s%d" % (index / 2))
			playtest.end()
			yield(wait_until_sent(), "completed")
		"variants":
			playtest.start()
			playtest.flush()
			yield(wait_until_sent(), "completed")
			yield(wait_until_ready(), "completed")
			print("variant: ", playtest.variant(form))
			print("speed: ", playtest.variant_values(form).speed)
			print("unknown: ", "none" if playtest.variant("exp_unknown") == "" else "some")
			playtest.end()
			yield(wait_until_sent(), "completed")
		"tester":
			playtest.get_current_tester(funcref(self, "print_result"))
			yield(wait_until_answered(), "completed")
			playtest.link_tester(form, funcref(self, "print_result"))
			yield(wait_until_answered(), "completed")
			playtest.get_current_tester(funcref(self, "print_result"))
			yield(wait_until_answered(), "completed")
			playtest.unlink_tester("", funcref(self, "print_result"))
			yield(wait_until_answered(), "completed")
			playtest.get_current_tester(funcref(self, "print_result"))
			yield(wait_until_answered(), "completed")
		"device":
			print("created: ", playtest.device_id())
			playtest.start()
			playtest.set_device_id("mira-pc")
			print("set: ", playtest.device_id())
			playtest.set_device_id("")
			playtest.end()
			yield(wait_until_sent(), "completed")
		"coop":
			playtest.start()
			for _frame in range(50):
				playtest.position(1.5, -2, "dock", "ann")
				playtest.position(3, 4, "pier", "ben", 5.5)
				playtest.position(6, 7, "dock")
				playtest.position(8, 9, "loft", "", 10)
			playtest.position(1, 2, "pier", "ann", NAN)
			for index in range(100):
				playtest.position(0, 0, "crowd", "p%d" % index)
			playtest.end()
			yield(wait_until_sent(), "completed")
		"frames":
			playtest.start()
			playtest.position(1, 2, "a room with a long name!")
			playtest.frame(5)
			for _index in range(3600):
				playtest.frame(16.7)
			playtest.frame(250)
			playtest.frame(251)
			playtest.frame(NAN)
			playtest.frame(-1)
			yield(wait(0.4), "completed")
			playtest.position(1, 2, "pier", "ben")
			playtest.position(1, 2, "pier")
			playtest.loaded(1234.4)
			playtest.frame(20)
			playtest.position(1, 2, "loft")
			playtest.frame(20)
			playtest.end()
			yield(wait_until_sent(), "completed")
		"automatic":
			playtest.start()
			yield(wait(1), "completed")
			playtest.end()
			yield(wait_until_sent(), "completed")
		"pause":
			playtest.start()
			yield(wait(0.3), "completed")
			playtest.focus(false)
			OS.delay_msec(1000)
			playtest.focus(true)
			yield(wait(0.3), "completed")
			playtest.end()
			yield(wait_until_sent(), "completed")
		"quit":
			playtest.start()
			playtest.track("step")
			yield(wait(0.3), "completed")
		"cost":
			yield(measure_cost(), "completed")
		"test-event":
			playtest.send_test_event(funcref(self, "print_result"))
			yield(wait_until_answered(), "completed")
	quit()


# Prints what calls cost, and the time of the client in 95 of 100 frames after a burst, for bench/clients.ts.
func measure_cost() -> void:
	playtest.start()
	yield(wait(1.5), "completed")
	var started := OS.get_ticks_usec()
	for index in range(1000):
		playtest.track("step", {"index": index, "room": "dock", "health": 0.5})
	var track_us := (OS.get_ticks_usec() - started) / 1000.0
	yield(wait(2), "completed")
	playtest.position(1, 2, "dock")
	started = OS.get_ticks_usec()
	for _index in range(10000):
		playtest.position(1, 2, "dock")
	var position_us := (OS.get_ticks_usec() - started) / 10000.0
	for index in range(10000):
		playtest.track("step", {"index": index, "room": "dock", "health": 0.5})
	playtest.set_process(false)
	var frames := []
	for _frame in range(400):
		yield(self, "idle_frame")
		started = OS.get_ticks_usec()
		playtest._process(0.0)
		frames.append(OS.get_ticks_usec() - started)
	frames.sort()
	playtest.set_process(true)
	print('cost: {"trackUs":%f,"positionUs":%f,"frameMs":%f}' % [track_us, position_us, frames[380] / 1000.0])
	playtest.end()
	yield(wait_until_sent(), "completed")


# Waits by the clock, because a timer also counts the time of the frame in which it was created.
func wait(seconds: float) -> void:
	var until := OS.get_ticks_msec() + seconds * 1000
	while OS.get_ticks_msec() < until:
		yield(self, "idle_frame")


func print_result(result: Dictionary) -> void:
	var ok := "true" if result.ok else "false"
	var queued := "true" if result.queued else "false"
	var handle: String = "null" if result.handle == "" else '"%s"' % result.handle
	print('result: {"ok":%s,"queued":%s,"message":"%s","handle":%s}' % [ok, queued, result.message.replace('"', "'"), handle])
	answered = true


func wait_until_answered() -> void:
	yield(wait(0.1), "completed")
	for _try in range(100):
		if not answered:
			yield(wait(0.2), "completed")
	answered = false


func set_ready() -> void:
	is_ready = true


func wait_until_ready() -> void:
	playtest.when_ready(funcref(self, "set_ready"))
	for _try in range(100):
		if not is_ready:
			yield(wait(0.05), "completed")
	yield(wait(0.01), "completed")


func wait_until_sent() -> void:
	yield(wait(0.1), "completed")
	for _try in range(40):
		if playtest.status().queued_bytes > 0 and playtest.status().stopped == "":
			yield(wait(0.25), "completed")
