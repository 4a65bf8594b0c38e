/** A worker whose tasks do what tests need: answer, fail, compute without end, fill the memory, or end. */
let setup;

const tasks = {
  echo: (input) => ({ output: { input, database: setup.database } }),
  fail: () => ({
    error: {
      name: "HttpError",
      message: "No such game",
      code: "not_found",
      issues: [],
      extra: { reason: "unknown_game" },
    },
  }),
  loop: () => {
    for (;;);
  },
  fill: () => {
    for (const kept = []; ; ) kept.push({ value: Math.random() });
  },
  exit: () => process.exit(3),
};

process.on("message", (message) => {
  if (!setup) {
    setup = message;
    return;
  }
  const result = tasks[message.task](message.input);
  process.send("output" in result ? { output: { ...result.output, now: message.now } } : result);
});
