/** Kills the daemon between an effect of a pull request and its record: during a request or a push, or at any instant. */
import { existsSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import type { Dice } from "../../torture/dice.ts"
import { type PullWorld, unlessGone } from "./world.ts"

/** A request or a push comes within this time, or none does. */
const AWAITED_MS_MAX = 4_000
const POLL_MS = 10

/** Before or after the remote has moved its refs. */
const HOOKS = { before: "pre-receive", after: "post-receive" } as const
const MOMENTS = [
  "at any instant",
  "request: before",
  "request: after",
  "push: before",
  "push: after",
]

/** @returns the moment; undefined if no daemon was killed. */
export async function killDaemon(world: PullWorld, dice: Dice): Promise<string | undefined> {
  const { pid } = (await unlessGone(() => world.fleet.client.status())) ?? { pid: null }
  if (pid === null) return undefined
  const moment = dice.pick(MOMENTS) ?? ""
  if (moment === "at any instant") strike(pid)
  if (moment.startsWith("request")) atRequest(world, pid, moment.endsWith("before"))
  if (moment.startsWith("push")) atPush(world, pid, moment.endsWith("before") ? "before" : "after")
  const endMs = performance.now() + AWAITED_MS_MAX
  while (isThere(pid) && performance.now() < endMs) await delay(POLL_MS)
  world.server.heal()
  for (const hook of Object.values(HOOKS)) rmSync(armed(world, hook), { force: true })
  return isThere(pid) ? undefined : moment
}

/** The next request that changes something has no effect, or its answer is lost. */
function atRequest({ server }: PullWorld, pid: number, isBefore: boolean): void {
  const when = ({ method }: { readonly method: string }) => {
    if (method === "GET") return false
    strike(pid)
    return true
  }
  server.fail({ when, times: 1, how: isBefore ? "drop" : "lose" })
}

const armed = ({ origin }: PullWorld, hook: string) => join(origin, `kill-in-${hook}`)

function atPush(world: PullWorld, pid: number, when: keyof typeof HOOKS): void {
  const file = armed(world, HOOKS[when])
  const script = `#!/bin/sh\nif [ -e "${file}" ]; then kill -9 "$(cat "${file}")"; rm -f "${file}"; fi\nexit 0\n`
  writeFileSync(join(world.origin, "hooks", HOOKS[when]), script, { mode: 0o755 })
  if (!existsSync(file)) writeFileSync(file, String(pid))
}

function strike(pid: number): void {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // the process has ended
  }
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
