/** `torture`: tests on a clone of a repository whether Coppice keeps its promises. */

import { refuseAgents } from "../../api/client/connect.ts"
import { fs } from "../../api/client/node-builtins.ts"
import { lookUpRepository } from "../../api/client/repository.ts"
import type { Command, Values } from "../../surfaces/cli/command.ts"
import { UsageError } from "../../surfaces/cli/errors.ts"
import { formatTable } from "../../surfaces/cli/format/table.ts"
import { noOperands, textValue } from "../../surfaces/cli/operands.ts"
import type { Output } from "../../surfaces/cli/output.ts"
import { TORTURE_FOCUSES, type TortureFocus } from "./focus.ts"
import type { TortureDocument } from "./wire.ts"

const MINUTES = 1
/** Longer than any person would wait. */
const MINUTES_MAX = 24 * 60
const SEED_MAX = 2 ** 31
const KILLS_MAX = 100_000

export const command: Command = {
  operands: "",
  options: {
    repo: { type: "string", value: "<path>", about: "Torture a clone of this repository" },
    seed: {
      type: "string",
      value: "<n>",
      about: "Repeat the random choices of an earlier torture",
    },
    minutes: { type: "string", value: "<n>", about: "How long to play (default 1)" },
    kills: { type: "string", value: "<n>", about: "Play until this many kills have happened" },
    focus: {
      type: "string",
      value: "<name>",
      about: `Make one situation frequent: ${TORTURE_FOCUSES.join(", ")}`,
    },
  },
  details:
    "Makes a clone that shares nothing with the repository, and plays there. Agents commit, leave files\n" +
    "behind and forge what they can; users work in their checkouts; daemons and git are killed. Then\n" +
    "plain git checks that nothing was lost, changed or landed untested. If a promise was broken, exits\n" +
    "1 and prints the command that repeats it. The repository itself is only read.",

  async run({ output, json, cwd, env, onInterrupt, runTorture }, positionals, values) {
    noOperands(positionals, "torture")
    refuseAgents(env)
    const stop = new AbortController()
    const forget = onInterrupt(() => stop.abort())
    try {
      const document = await runTorture({
        repo: repositoryAt(textValue(values, "repo") ?? cwd, cwd),
        seed: number(values, "seed", SEED_MAX) ?? Math.floor(Math.random() * SEED_MAX),
        seconds: 60 * (number(values, "minutes", MINUTES_MAX) ?? MINUTES),
        kills: number(values, "kills", KILLS_MAX),
        focus: focusOf(textValue(values, "focus")),
        signal: stop.signal,
        tell: (line) => output.note(line),
      })
      if (json) output.document(document)
      else output.lines(reportLines(output, document))
      return document.violations.length > 0 || document.interrupted ? 1 : 0
    } finally {
      forget()
    }
  },
}

function repositoryAt(path: string, cwd: string): string {
  const folder = process.getBuiltinModule("node:path").resolve(cwd, path)
  const found = fs.existsSync(folder) && lookUpRepository(fs.realpathSync(folder))
  if (!found) throw new UsageError(`${folder} is in no git repository.`)
  return found.repo
}

function number(values: Values, name: string, max: number): number | undefined {
  const text = textValue(values, name)
  if (text === undefined) return undefined
  const value = Number(text)
  if (!(value >= 0 && value <= max)) throw new UsageError(`--${name} must be 0 to ${max}.`)
  return value
}

function focusOf(text: string | undefined): TortureFocus | undefined {
  const focus = TORTURE_FOCUSES.find((name) => name === text)
  if (text !== undefined && !focus)
    throw new UsageError(`--focus must be one of: ${TORTURE_FOCUSES.join(", ")}.`)
  return focus
}

function reportLines(output: Output, document: TortureDocument): string[] {
  const { violations, interrupted, folder, repeat } = document
  const rows = (title: string, counts: Readonly<Record<string, number>>) => {
    const sorted = Object.entries(counts).sort(([a], [b]) => a.localeCompare(b))
    return [output.paint("bold", title), ...formatTable(sorted.map(([n, c]) => [`  ${c}`, n])), ""]
  }
  const verdict =
    violations.length > 0
      ? output.paint("red", `✗ ${violations.length} promises were broken`)
      : output.paint("green", "✓ every promise was kept")
  return [
    ...rows("Tasks", document.tasks),
    ...rows("The user", document.user),
    ...rows("Faults", document.faults),
    ...rows("Killed", document.kills),
    ...rows("Hostile", document.hostile),
    ...rows("Looked at", document.checked),
    ...violations.map(({ property, text }) => `${output.paint("red", `✗ ${property}`)}: ${text}`),
    interrupted ? "It was ended early: little was checked." : verdict,
    `  again: ${repeat}`,
    ...(folder ? [`  left to look into: ${folder}`] : []),
  ]
}
