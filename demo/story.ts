/**
 * The story of the demo: four tasks, three agents at once, one conflict.
 *
 * Coppice is used through its command line, as if a person had opened four terminals. The agents
 * are real Claude Code programs; only the model behind them is a script.
 */
import { existsSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import type { ScratchHome } from "../test/support/home.ts"
import { MessagesApi } from "../test/support/messages-api.ts"
import { ask, type Place, watch } from "./command-line.ts"
import { DemoModel } from "./model.ts"
import type { Narrator } from "./narrator.ts"
import { ScratchProject } from "./scratch-project.ts"
import { DEMO_TASKS, type DemoTaskName } from "./tasks.ts"
import { verify } from "./verify.ts"

const CONFIG = `version: 1
limits: { concurrent: 3 }
`
const NAMES = Object.keys(DEMO_TASKS) as DemoTaskName[]
/** The lines of progress that `coppice run` prints: they begin with a time, or are indented. */
const PROGRESS = /^(?:\d\d:\d\d:\d\d | {7})(.+)/

type Cast = {
  readonly place: Place
  readonly narrator: Narrator
  readonly model: DemoModel
  /** Ends the watching. */
  readonly signal: AbortSignal
}

/** @throws when anything is not as the demo claims. A daemon that is left is the home's to end. */
export async function tellStory(
  home: ScratchHome,
  narrator: Narrator,
  signal: AbortSignal,
): Promise<void> {
  const model = new DemoModel()
  await using api = await MessagesApi.start(model.answer)
  const env = environment(home, api)
  const project = new ScratchProject(join(home.path, "textkit"), env, { "coppice.yml": CONFIG })
  const place = { cwd: project.path, env }
  narrator.say(`a scratch repository: ${project.path}`)
  narrator.say("four tasks, three agents at once: Claude Code, with a script in the model's place")

  const ids = await runTasks({ place, narrator, model, signal })

  narrator.say("git log --oneline --graph main")
  console.log(project.run("git", "log", "--oneline", "--graph", "main"))
  await verify(place, project, ids)
  narrator.say("verified: main holds the four changes, and its tests pass")
  await ask(place, "down")
}

/** Only the SDK's own program, with a home of its own and a model on loopback. */
function environment(home: ScratchHome, api: MessagesApi): Record<string, string> {
  const PATH = [dirname(process.execPath), process.env["PATH"]].join(delimiter)
  const env = home.env({ PATH, TMPDIR: home.path, ...api.env })
  if (existsSync(env["COPPICE_CLAUDE"]!)) return env
  throw new Error("Claude Code is not there: `npm ci --include=optional` installs it")
}

/** @returns the tasks' ids, in the order of the names. @throws when one of them does not land. */
async function runTasks(cast: Cast): Promise<Map<DemoTaskName, string>> {
  await ask(cast.place, "up", "--detach")
  const ids = new Map<DemoTaskName, string>()
  let previous: Promise<unknown> = Promise.resolve()
  const runs = NAMES.map((name) => {
    const { promise: taken, resolve } = Promise.withResolvers<void>()
    const onTaken = (id: string) => {
      ids.set(name, id)
      resolve()
    }
    const run = previous.then(() => runTask(cast, name, onTaken))
    previous = Promise.race([taken, Promise.allSettled([run])])
    return run
  })
  await Promise.all(runs)
  return ids
}

async function runTask(
  { place, narrator, model, signal }: Cast,
  name: DemoTaskName,
  onTaken: (id: string) => void,
): Promise<void> {
  const { prompt } = DEMO_TASKS[name]
  narrator.task(name, `coppice run "${prompt}"`)
  const onLine = (line: string) => {
    const id = /^(\d+) {2}/.exec(line)?.[1]
    if (id) onTaken(id)
    const progress = PROGRESS.exec(line)?.[1]
    if (progress) narrator.task(name, progress.replaceAll(place.cwd, "textkit"))
  }
  await watch(place, ["run", prompt], { onLine, signal })
  if (name === "accents") model.accentsLanded()
}
