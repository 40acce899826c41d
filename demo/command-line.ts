/** Uses bin/coppice.js as a person and as a program would. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { coppice } from "../test/support/home.ts"

const BIN = join(import.meta.dirname, "../bin/coppice.js")

export type Place = {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** @returns the command's JSON document. @throws when it ends with anything but 0. */
export async function ask<Document>(place: Place, ...args: string[]): Promise<Document> {
  const { code, stdout, stderr } = await coppice(place.cwd, [...args, "--json"], {
    env: place.env,
    bin: BIN,
  })
  if (code === 0) return JSON.parse(stdout) as Document
  throw new Error(`coppice ${args[0]} ended with ${code}: ${stderr || stdout}`)
}

/** Hands out what the command prints, line by line. @throws when it ends with anything but 0. */
export async function watch(
  { cwd, env }: Place,
  args: readonly string[],
  { onLine, signal }: { onLine(line: string): void; signal: AbortSignal },
): Promise<void> {
  const stdio = ["ignore", "pipe", "inherit"] as const
  const child = spawn(process.execPath, [BIN, ...args], { cwd, env, signal, stdio: [...stdio] })
  const exit = once(child, "exit")
  createInterface({ input: child.stdout! }).on("line", onLine)
  const [code] = await exit
  if (code !== 0) throw new Error(`coppice ${args.join(" ")} ended with ${code}`)
}
