/** Processor time: unlike elapsed time, it hardly depends on what else runs on the machine. */

/** The processor time that this process spends on some work, ms. */
export function measureCpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
