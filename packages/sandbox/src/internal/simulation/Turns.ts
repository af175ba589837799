/**
 * The scheduler of a simulated run: one list of all fibers that can go on, of which one is chosen each time, and interrupted after
 * as many operations as are chosen.
 */
import type * as Scheduler from "effect/Scheduler"
import type { Choices } from "./Choices.ts"

/** After how many operations a fiber lets others go on: as Effect has it, or after a few. Less than three would be no progress. */
const lengths = [Infinity, 3, 3, 4, 4, 5, 6, 8, 12, 25, 50, 150] as const

// Effect takes up to this many steps at once, without asking whether to let others go on; when it asks depends on all that the fiber
// has done before. A fiber at this count is asked again after its next step.
const atLastStep = 31

/** Makes the scheduler of one run. Tells, by `wake`, that there is something to do again. */
export const make = (choices: Choices, wake: () => void) => {
  // By priority, as Effect's own scheduler has them: a lower number first.
  const ready = new Map<number, Array<() => void>>()
  let length = lengths[0] as number
  let done = 0
  const scheduleTask = (task: () => void, priority: number) => {
    const tasks = ready.get(priority)
    if (tasks === undefined) ready.set(priority, [task])
    else tasks.push(task)
    wake()
  }
  const dispatcher: Scheduler.SchedulerDispatcher = { scheduleTask, flush: () => {} }
  const scheduler: Scheduler.Scheduler = {
    executionMode: "async",
    shouldYield: (fiber) => {
      if (length === Infinity) return fiber.currentOpCount >= 2048
      ;(fiber as { currentOpCount: number }).currentOpCount = atLastStep
      return ++done >= length
    },
    makeDispatcher: () => dispatcher
  }
  return {
    scheduler,
    /** Adds what is to be done in a turn of its own. */
    add: (task: () => void) => scheduleTask(task, 0),
    /** Lets one fiber go on; false where none can. */
    next: (): boolean => {
      const least = Math.min(...ready.keys())
      const tasks = ready.get(least)
      if (tasks === undefined) return false
      const [task] = tasks.splice(choices.below(tasks.length), 1)
      if (tasks.length === 0) ready.delete(least)
      done = 0
      length = lengths[choices.below(lengths.length)]!
      task?.()
      return true
    }
  }
}
