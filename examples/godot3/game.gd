# Lava Walk: walk from the left to the door on the right, through three rooms with more and more lava.
extends Node2D

const ROOMS := ["meadow", "bridge", "furnace"]
const SIZE := Vector2(640, 360)
const TILE := 20.0
const SPEED := 140.0

var is_bot := "--bot" in OS.get_cmdline_args()
var play_sec := find_play_sec()
var room := 0
var deaths := 0
var player := Vector2()
var lava := {}
var course := Vector2.RIGHT
var course_until := 0.0
var time := 0.0


func _ready() -> void:
	randomize()
	Playtest.init({
		"base_url": OS.get_environment("PLAYTEST_BASE_URL"), "key": OS.get_environment("PLAYTEST_INGEST_KEY"),
		"game_id": "sample", "game_version": "0.1.0", "environment": "playtest", "positions_per_sec": 5.0,
	})
	Playtest.start()
	enter(0)


# How long to play, in seconds: --seconds=20. CI needs a game that ends.
func find_play_sec() -> float:
	for argument in OS.get_cmdline_args():
		if argument.begins_with("--seconds="):
			return float(argument.split("=")[1])
	return INF


# The tiles of a room that burn: more in later rooms, none at the start. The same in every play.
func enter(number: int) -> void:
	room = number
	player = Vector2(TILE, SIZE.y / 2)
	lava.clear()
	for column in range(4, int(SIZE.x / TILE) - 2):
		for row in range(int(SIZE.y / TILE)):
			if (column * 7 + row * row * 5 + number * 3) % 11 < number + 1:
				lava[Vector2(column, row)] = true
	Playtest.track("level_started", {"room": ROOMS[room]})


# What the player wants: the arrow keys, or in turns to the right and anywhere.
func find_direction() -> Vector2:
	if not is_bot:
		return Vector2(
			Input.get_action_strength("ui_right") - Input.get_action_strength("ui_left"),
			Input.get_action_strength("ui_down") - Input.get_action_strength("ui_up"))
	if time > course_until:
		course = Vector2(1.0 if randf() < 0.7 else -0.5, randf() * 2 - 1)
		course_until = time + 0.3
	return course


func _process(delta: float) -> void:
	time += delta
	player += find_direction() * SPEED * min(0.05, delta)
	player = Vector2(clamp(player.x, 0, SIZE.x), clamp(player.y, 0, SIZE.y - 1))
	Playtest.position(player.x, player.y, ROOMS[room])
	if lava.has((player / TILE).floor()):
		die()
	elif player.x >= SIZE.x - TILE:
		complete()
	if time > play_sec:
		finish("time")
	update()


func die() -> void:
	deaths += 1
	Playtest.track("player_death", {"room": ROOMS[room], "cause": "lava", "x": player.x, "y": player.y})
	player = Vector2(TILE, SIZE.y / 2)


func complete() -> void:
	Playtest.track("level_completed", {"room": ROOMS[room]})
	if room + 1 < ROOMS.size():
		enter(room + 1)
		return
	finish("finished")


func finish(reason: String) -> void:
	set_process(false)
	Playtest.end({"reason": reason, "deaths": deaths})
	# What is still queued is sent at the next start.
	yield(get_tree().create_timer(2), "timeout")
	get_tree().quit()


func _draw() -> void:
	draw_rect(Rect2(Vector2.ZERO, SIZE), Color("3b5d38"))
	for tile in lava:
		draw_rect(Rect2(tile * TILE, Vector2(TILE, TILE)), Color("d9542b"))
	draw_rect(Rect2(SIZE.x - TILE, 0, TILE, SIZE.y), Color("6fdc6f"))
	draw_rect(Rect2(player - Vector2(5, 5), Vector2(10, 10)), Color.white)
