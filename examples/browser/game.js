/** Lava Walk: walk from the left to the door on the right, through three rooms with more and more lava. */
import { Playtest } from "./playtest.js";

const ROOMS = ["meadow", "bridge", "furnace"];
const [WIDTH, HEIGHT, TILE, SPEED] = [640, 360, 20, 140];
const isBot = new URLSearchParams(location.search).has("bot");
const text = document.querySelector("#text");
const draw = document.querySelector("#game").getContext("2d");
const keys = new Set();
addEventListener("keydown", ({ key }) => keys.add(key));
addEventListener("keyup", ({ key }) => keys.delete(key));

const playtest = new Playtest({
  ...(await (await fetch("settings.json")).json()),
  ...{ gameId: "sample", gameVersion: "0.1.0", environment: "playtest", positionsPerSec: 5 },
});
playtest.start();

let room = 0;
let deaths = 0;
let player;
let lava;
let course;

/** The tiles of a room that burn: more in later rooms, none at the start. The same in every play. */
function createLava(number) {
  const tiles = [];
  for (let column = 4; column < WIDTH / TILE - 2; column += 1)
    for (let row = 0; row < HEIGHT / TILE; row += 1)
      if ((column * 7 + row * row * 5 + number * 3) % 11 < number + 1) tiles.push([column, row]);
  return tiles;
}

function enter(number) {
  room = number;
  player = { x: TILE, y: HEIGHT / 2 };
  lava = createLava(number);
  course = { x: 1, y: 0, until: 0 };
  playtest.track("level_started", { room: ROOMS[room] });
}

/** What the player wants: the arrow keys, or in turns to the right and anywhere. */
function findDirection(now) {
  const pressed = (more, less) => Number(keys.has(more)) - Number(keys.has(less));
  if (!isBot) return { x: pressed("ArrowRight", "ArrowLeft"), y: pressed("ArrowDown", "ArrowUp") };
  if (now > course.until)
    course = { x: Math.random() < 0.7 ? 1 : -0.5, y: Math.random() * 2 - 1, until: now + 300 };
  return course;
}

function move(now, seconds) {
  const direction = findDirection(now);
  player.x = Math.min(WIDTH, Math.max(0, player.x + direction.x * SPEED * seconds));
  player.y = Math.min(HEIGHT - 1, Math.max(0, player.y + direction.y * SPEED * seconds));
  playtest.position(player.x, player.y, ROOMS[room]);
  const [column, row] = [Math.floor(player.x / TILE), Math.floor(player.y / TILE)];
  if (lava.some(([x, y]) => x === column && y === row)) die();
  else if (player.x >= WIDTH - TILE) complete();
}

function die() {
  deaths += 1;
  playtest.track("player_death", { room: ROOMS[room], cause: "lava", x: player.x, y: player.y });
  text.textContent = `Burnt ${deaths} ${deaths === 1 ? "time" : "times"} in all.`;
  player = { x: TILE, y: HEIGHT / 2 };
}

function complete() {
  playtest.track("level_completed", { room: ROOMS[room] });
  if (room + 1 < ROOMS.length) return enter(room + 1);
  void playtest.end({ reason: "finished", deaths });
  text.textContent = `Done, with ${deaths} burns. Reload the page to play again.`;
  room = -1;
}

function paint() {
  draw.fillStyle = "#3b5d38";
  draw.fillRect(0, 0, WIDTH, HEIGHT);
  draw.fillStyle = "#d9542b";
  for (const [x, y] of lava) draw.fillRect(x * TILE, y * TILE, TILE, TILE);
  draw.fillStyle = "#6fdc6f";
  draw.fillRect(WIDTH - TILE, 0, TILE, HEIGHT);
  draw.fillStyle = "#fff";
  draw.fillRect(player.x - 5, player.y - 5, 10, 10);
}

let last = performance.now();
function frame(now) {
  move(now, Math.min(0.05, (now - last) / 1000));
  last = now;
  if (room < 0) return;
  paint();
  requestAnimationFrame(frame);
}
enter(0);
requestAnimationFrame(frame);
