/**
 * The model of the demo: a script behind the Messages API. Everything else is real.
 *
 * It makes the conflict certain instead of likely. `accents` does not finish before the agent of
 * `separator` has started from the same commit, and `separator` does not finish before `accents`
 * has landed.
 */
import type { Ask } from "../test/support/messages-api-ask.ts"
import type { Reply } from "../test/support/messages-api-reply.ts"
import { DEMO_TASKS, type DemoTask, type DemoTaskName } from "./tasks.ts"

const WORKTREE = /^- Worktree: (.+) \(a git worktree/m

export class DemoModel {
  readonly #separatorStarted = Promise.withResolvers<void>()
  readonly #accentsLanded = Promise.withResolvers<void>()

  /** Call it when the task `accents` has landed. */
  accentsLanded(): void {
    this.#accentsLanded.resolve()
  }

  readonly answer = async (ask: Ask): Promise<Reply> => {
    const [name, task] = taskOf(ask)
    if (name === "separator") this.#separatorStarted.resolve()
    const isLast = ask.step === task.work.length - 1
    if (isLast && name === "accents") await this.#separatorStarted.promise
    if (isLast && name === "separator") await this.#accentsLanded.promise
    return reply(task, ask)
  }
}

/** The answer of the model when it need not wait. */
export function reply(task: DemoTask, ask: Ask): Reply {
  const root = WORKTREE.exec(ask.system)?.[1]
  if (root === undefined) return { text: "I do not know where my worktree is." }
  const working = task.work[ask.step]
  if (working) return working(root)
  const resolving = task.resolve[ask.step - task.work.length]
  const isTold = ask.conversation.includes("does not apply to main")
  return resolving && isTold ? resolving(root) : { text: "I do not know what else to do." }
}

function taskOf(ask: Ask): [DemoTaskName, DemoTask] {
  const tasks = Object.entries(DEMO_TASKS) as [DemoTaskName, DemoTask][]
  const found = tasks.find(([, task]) => ask.prompt.includes(task.prompt))
  if (!found) throw new Error(`a prompt that is not in the script: ${ask.prompt}`)
  return found
}
