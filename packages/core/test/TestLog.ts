/**
 * What a program says to the log, without what the test clock says on a busy machine: that nothing moved it on for a second, or
 * that what it woke still runs after one.
 */
import * as Logger from "effect/Logger"
import type { LogLevel } from "effect/LogLevel"

const isOfClock = (text: string) => /^A (?:test is using time|fiber woken by the test clock)/.test(text)

/** Tells each line to a function. */
export const layer = (say: (text: string, level: LogLevel) => void) =>
  Logger.layer([
    Logger.make(({ logLevel, message }) => {
      const text = [message].flat().map(String).join(" ")
      if (!isOfClock(text)) say(text, logLevel)
    })
  ])
