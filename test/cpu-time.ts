/** CPU time: unlike elapsed time, it hardly depends on other processes. */

/** Measures the CPU time that this process spends on `work`, ms. */
export function measureCpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
