/** `coppice ls --watch` in a real terminal. Python makes the terminal; without it, tests are skipped under a name that says so. */
import { test } from "vitest"
import { findProgram } from "../../src/kernel/process/find-program.ts"
import type { Fleet, FleetConfig } from "./fleet.ts"
import { LAUNCHER } from "./home.ts"
import { TestTerminal } from "./terminal.ts"

const hasPython = findProgram("python3", { path: "/usr/bin:/bin", cwd: "/" }) !== undefined
const onTerminal = (name: string) => (hasPython ? name : `${name} (skipped: no python3)`)

export const terminalTest = (name: string, run: () => Promise<void>): void =>
  test.skipIf(!hasPython)(onTerminal(name), run)

export const REVIEWED: FleetConfig = { repo: { gate: false }, sh: { landing: { mode: "approve" } } }
export const LS: readonly string[] = [process.execPath, LAUNCHER, "ls", "--watch"]

type BoardOptions = {
  readonly command?: readonly string[]
  readonly columns?: number
  readonly rows?: number
}

export const board = (fleet: Fleet, { command = LS, ...size }: BoardOptions = {}): TestTerminal =>
  new TestTerminal(command, { cwd: fleet.repo.path, env: fleet.env, ...size })
