/**
 * Removes containers that outlived their program: after a `kill -9` of the daemon, or of an engine's
 * client.
 *
 * A daemon notes each engine before it starts a container there, and labels every container with its
 * state folder. So the next daemon finds exactly its own containers, even if the configuration has
 * changed.
 */
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { readPlainText, writeWhole } from "../../kernel/process/plain-file.ts"
import { askEngine, type Engine } from "./container-engine.ts"
import { ENGINES } from "./rules/engines.ts"

export const STATE_LABEL = "coppice.state"

/** After these, the container is left to the next start. */
const TRIES_MAX = 5
const TRY_AGAIN_MS = 200

type Used = Pick<Engine, "name" | "program">

/** Notes that this engine may have containers of this home. */
export function noteEngine(stateDir: string, { name, program }: Used): void {
  mkdirSync(folderOf(stateDir), { recursive: true, mode: 0o700 })
  writeWhole(join(folderOf(stateDir), name), program)
}

/** Ends and removes the containers of this home. Call it while none is started. */
export async function endLeftContainers(stateDir: string): Promise<void> {
  const folder = folderOf(stateDir)
  const noted = existsSync(folder) ? readdirSync(folder) : []
  for (const name of ENGINES.filter((one) => noted.includes(one))) {
    const engine = { name, program: readPlainText(join(folder, name)) || name }
    const filter = `label=${STATE_LABEL}=${stateDir}`
    const answer = await askEngine(engine.program, ["ps", "-aq", "--filter", filter], process.env)
    if ("refused" in answer) continue // the note stays, so the next start asks again
    const left = answer.said.split("\n").filter(Boolean)
    if (left.length === 0 || (await removeContainers(engine, left))) rmSync(join(folder, name))
  }
}

/** Ends and removes containers. @returns whether they are surely gone. */
export async function removeContainers(
  { name, program }: Used,
  containers: readonly string[],
): Promise<boolean> {
  const atOnce = name === "podman" ? ["--time", "0", "--ignore"] : []
  const command = ["rm", "--force", "--volumes", ...atOnce, ...containers]
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const answer = await askEngine(program, command, process.env)
    if ("said" in answer) return true
    await delay(TRY_AGAIN_MS) // the engine may be removing it, because its program has ended
  }
  return false
}

const folderOf = (stateDir: string): string => join(stateDir, "containers")
