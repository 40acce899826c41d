/**
 * The demo, `npm run demo`: agents work side by side on a repository, and Coppice lands their work.
 *
 * It needs no account and no network. `--keep` leaves the scratch folder. The last line says how it
 * went, and so does the exit code.
 */
import { setTimeout as delay } from "node:timers/promises"
import { ScratchHome } from "../test/support/home.ts"
import { Narrator } from "./narrator.ts"
import { tellStory } from "./story.ts"

const DEMO_MS_MAX = 3 * 60_000

const keep = process.argv.includes("--keep")
const narrator = new Narrator()
process.exit(await demo())

async function demo(): Promise<number> {
  await using home = new ScratchHome({ keep })
  const over = new AbortController()
  try {
    await Promise.race([tellStory(home, narrator, over.signal), timeLimit(), interruption()])
    console.log(`demo: 4 tasks landed, 1 handed back and resolved, in ${narrator.elapsed}`)
    return 0
  } catch (error) {
    console.log(`demo: failed after ${narrator.elapsed}: ${(error as Error).message}`)
    return 1
  } finally {
    over.abort() // ends what still watches
    if (keep) console.error(`demo: kept ${home.path}`)
  }
}

async function timeLimit(): Promise<never> {
  await delay(DEMO_MS_MAX)
  throw new Error(`it was not over after ${DEMO_MS_MAX / 60_000} minutes`)
}

function interruption(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
      process.once(signal, () => reject(new Error(`interrupted (${signal})`)))
  })
}
