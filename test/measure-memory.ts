/** Measures the memory of this process. */
import { collectGarbage } from "./collect-garbage.ts";

/** Measures the bytes in use after garbage collection. */
export async function measureMemory(): Promise<number> {
  // The memory of buffers is freed with a delay.
  for (let n = 0; n < 2; n += 1) {
    await collectGarbage();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
