/** A thread whose tasks do what tests need: answer, fail, compute without end, or fill the memory. */
import { parentPort, workerData } from "node:worker_threads";

const tasks = {
  echo: (input) => ({ output: { input, database: workerData.database } }),
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
  "loop until canceled": () => {
    while (Atomics.load(workerData.canceled, 0) === 0);
    return { error: { message: "canceled" } };
  },
  fill: () => {
    for (const kept = []; ; ) kept.push({ value: Math.random() });
  },
  exit: () => process.exit(3),
};

parentPort.on("message", ({ task, input, now }) => {
  const result = tasks[task](input);
  parentPort.postMessage("output" in result ? { output: { ...result.output, now } } : result);
});
