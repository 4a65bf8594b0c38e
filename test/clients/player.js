/** Plays a scenario with the TypeScript client. Its types are stripped, as a bundler does it. */
import { Playtest } from "./playtest.js";

const [scenario, baseUrl, key, folder, form] = process.argv.slice(2);
// The clock of the client runs 100 times as fast, so that a heartbeat does not take half a minute.
const start = performance.now();
const real = performance.now.bind(performance);
const speed = ["session", "hidden"].includes(scenario) ? 100 : 1;
performance.now = () => start + (real() - start) * speed;
/** How far the clock of the device is wrong, ms. */
let shift = 0;
const realTime = Date.now.bind(Date);
Date.now = () => realTime() + shift;

const playtest = new Playtest({
  baseUrl,
  key,
  ...(process.env.NO_GAME ? {} : { gameId: "maze" }),
  gameVersion: "0.9.0",
  platform: "test",
  environment: "playtest",
  heartbeatSec: 30,
  maxQueueBytes: scenario === "full" ? 600_000 : 16_000_000,
  folder,
  ...(process.env.ASK_FIRST ? { consent: false } : {}),
});
const print = (result) => console.log(`result: ${JSON.stringify(result)}`);
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const waitUntilSent = async () => {
  for (
    let tries = 0;
    tries < 40 && playtest.status().queuedBytes > 0 && !playtest.status().stopped;
    tries += 1
  ) {
    await wait(250);
  }
};

const scenarios = {
  async session() {
    playtest.start();
    playtest.track("player_death", { room: "dock", text: 'Grüße "quoted" \\ back\nline\ttab 🎮' });
    playtest.track("player_death", {
      room: "dock",
      count: 2,
      ratio: 0.5,
      ok: true,
      none: null,
      list: [1, "a"],
    });
    for (let frame = 0; frame < 100; frame += 1) playtest.position(1.5, -2, frame < 50 ? "dock" : "pier");
    playtest.position(Number.NaN, 0, "dock");
    playtest.focus(false);
    playtest.focus(false);
    await wait(100);
    playtest.focus(true);
    await wait(600);
    await playtest.end({ score: 7 });
    await waitUntilSent();
  },
  async crash() {
    playtest.start();
    for (let index = 0; index < 100; index += 1) playtest.track("step", { index });
    await wait(1000);
    console.log("recorded");
    await wait(60_000);
  },
  async "opt-out"() {
    playtest.start();
    playtest.track("step");
    playtest.setConsent(false);
    playtest.track("step");
    playtest.start();
    playtest.track("step");
    print(await playtest.sendTestEvent());
    print(await playtest.bugReport("Stuck", "In the dock"));
    await playtest.end();
    await wait(500);
  },
  async agree() {
    playtest.setConsent(true);
    playtest.start();
    playtest.track("step");
    await playtest.end();
    await waitUntilSent();
  },
  async "change-mind"() {
    playtest.setConsent(false);
    playtest.setConsent(true);
    playtest.start();
    await playtest.end();
    await waitUntilSent();
  },
  async withdraw() {
    playtest.start();
    void playtest.flush();
    void playtest.sendTestEvent().then(print);
    await wait(3000);
    playtest.setConsent(false);
    console.log("withdrawn");
    await wait(60_000);
  },
  async relent() {
    const linked = playtest.linkTester(form);
    await wait(1000);
    playtest.setConsent(false);
    playtest.setConsent(true);
    print(await linked);
  },
  async burst() {
    playtest.start();
    for (let index = 0; index < 4500; index += 1) playtest.track("step", { index, text: "x".repeat(300) });
    playtest.track("huge", { text: "x".repeat(300_000) });
    await playtest.end();
    await waitUntilSent();
  },
  async full() {
    playtest.start();
    for (let index = 0; index < 4500; index += 1) playtest.track("step", { index, text: "x".repeat(300) });
    await playtest.end();
    await wait(1000);
    console.log(`dropped: ${playtest.status().droppedEvents}`);
  },
  async feedback() {
    playtest.start();
    print(await playtest.feedback(form, { fun: 4, again: true }));
    await playtest.end();
    await waitUntilSent();
  },
  async bug() {
    playtest.start();
    print(await playtest.bugReport("Stuck in the dock", 'Grüße "quoted" \\ back\nline\ttab 🎮', "high"));
  },
  async flush() {
    await playtest.flush();
    await waitUntilSent();
  },
  async resume() {
    playtest.start();
    playtest.track("step");
    await playtest.flush();
    await waitUntilSent();
    console.log(`stopped: ${playtest.status().stopped}`);
    playtest.track("step");
    print(await playtest.bugReport("Stuck", "In the dock"));
    await playtest.end();
    playtest.start();
    playtest.track("step");
    await playtest.end();
    await waitUntilSent();
  },
  async clock() {
    shift = 7_200_000;
    playtest.start();
    playtest.track("step");
    await playtest.flush();
    print(await playtest.sendTestEvent());
    shift = 0;
    playtest.track("step");
    await playtest.end();
    await waitUntilSent();
  },
  async hidden() {
    playtest.start();
    playtest.focus(false);
    await wait(1000);
    playtest.focus(true);
    await playtest.end();
    await waitUntilSent();
  },
  async misuse() {
    playtest.track("early");
    playtest.track("early");
    playtest.start();
    const data = {};
    data.left = data;
    data.right = data;
    playtest.track("loop", data);
    playtest.track("step");
    await playtest.end();
    playtest.track("late");
    await waitUntilSent();
  },
  async config() {
    playtest.start();
    playtest.track("noise");
    playtest.track("s0");
    await playtest.whenReady();
    playtest.track("noise");
    for (let index = 0; index < 20; index += 1) {
      playtest.track(`s${index}`);
      playtest.track(`s${index}`);
    }
    await playtest.end();
    await waitUntilSent();
  },
  async variants() {
    playtest.start();
    await playtest.flush();
    await playtest.whenReady();
    console.log(`variant: ${playtest.variant(form)}`);
    console.log(`speed: ${playtest.variantValues(form).speed}`);
    console.log(`unknown: ${playtest.variant("exp_unknown") ?? "none"}`);
    await playtest.end();
    await waitUntilSent();
  },
  async tester() {
    print(await playtest.getCurrentTester());
    print(await playtest.linkTester(form));
    print(await playtest.getCurrentTester());
    print(await playtest.unlinkTester());
    print(await playtest.getCurrentTester());
  },
  async device() {
    console.log(`created: ${playtest.deviceId()}`);
    playtest.start();
    playtest.setDeviceId("mira-pc");
    console.log(`set: ${playtest.deviceId()}`);
    playtest.setDeviceId("");
    await playtest.end();
    await waitUntilSent();
  },
  async coop() {
    playtest.start();
    for (let frame = 0; frame < 50; frame += 1) {
      playtest.position(1.5, -2, "dock", "ann");
      playtest.position(3, 4, "pier", "ben", 5.5);
      playtest.position(6, 7, "dock");
      playtest.position(8, 9, "loft", "", 10);
    }
    playtest.position(1, 2, "pier", "ann", Number.NaN);
    for (let index = 0; index < 100; index += 1) playtest.position(0, 0, "crowd", `p${index}`);
    await playtest.end();
    await waitUntilSent();
  },
  async frames() {
    playtest.start();
    playtest.position(1, 2, "a room with a long name!");
    playtest.frame(5);
    for (let index = 0; index < 3600; index += 1) playtest.frame(16.7);
    playtest.frame(250);
    playtest.frame(251);
    playtest.frame(Number.NaN);
    playtest.frame(-1);
    await wait(400);
    playtest.position(1, 2, "pier", "ben");
    playtest.position(1, 2, "pier");
    playtest.loaded(1234.4);
    playtest.frame(20);
    playtest.position(1, 2, "loft");
    playtest.frame(20);
    await playtest.end();
    await waitUntilSent();
  },
  async automatic() {
    playtest.start();
    await wait(1000);
    await playtest.end();
    await waitUntilSent();
  },
  async pause() {
    // Node draws no frames, so these stand in for those of a page, which has none while it is hidden.
    let isHidden = false;
    globalThis.document = { visibilityState: "visible" };
    globalThis.requestAnimationFrame = (draw) => {
      const timer = setInterval(() => {
        if (isHidden) return;
        clearInterval(timer);
        draw(performance.now());
      }, 16);
    };
    playtest.start();
    await wait(300);
    isHidden = true;
    playtest.focus(false);
    await wait(1000);
    playtest.focus(true);
    isHidden = false;
    await wait(300);
    await playtest.end();
    await waitUntilSent();
  },
  async cost() {
    const track = (index) => playtest.track("step", { index, room: "dock", health: 0.5 });
    const measureUs = (count, call) => {
      const began = real();
      for (let index = 0; index < count; index += 1) call(index);
      return ((real() - began) * 1000) / count;
    };
    playtest.start();
    await wait(1500);
    measureUs(1000, track);
    const trackUs = measureUs(1000, track);
    await wait(2000);
    playtest.position(1, 2, "dock");
    const positionUs = measureUs(10_000, () => playtest.position(1, 2, "dock"));
    // How much longer than the median 95 of 100 frames take, each of which tracks 100 events. The client works in later tasks too.
    const frames = [];
    for (let frame = 0; frame < 100; frame += 1) {
      const began = real();
      measureUs(100, track);
      await new Promise((resolve) => setImmediate(resolve));
      frames.push(real() - began);
      await wait(16);
    }
    frames.sort((a, b) => a - b);
    console.log(`cost: ${JSON.stringify({ trackUs, positionUs, frameMs: frames[95] - frames[50] })}`);
    await playtest.end();
    await waitUntilSent();
  },
  async "test-event"() {
    print(await playtest.sendTestEvent());
  },
};
await scenarios[scenario]();
