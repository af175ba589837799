/** The most memory that this process has ever held. Free of Effect. */
import { readFileSync } from "node:fs"

/**
 * In bytes. Linux lets a child inherit the peak of its parent in `maxRSS`, so the kernel's own high-water mark is read where it is.
 */
export const read = (): number => {
  try {
    const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? []
    if (kilobytes !== undefined) return Number(kilobytes) * 1024
  } catch {
    // No Linux.
  }
  return process.resourceUsage().maxRSS * 1024
}
