/** Variables by which an agent's program makes a sandbox of its own around what it runs. Pure. */
import type { AgentConfig } from "../../../config/config.ts"

type Demand = { readonly why: string; readonly hints: readonly string[] }
type Agent = Pick<AgentConfig, "runtime" | "command" | "env" | "containment">

/** `of` fits the program's runtime or command. */
const DEMANDS = [
  // This sandbox hides files of the worktree behind empty ones, and has them there at the end of a turn.
  {
    name: "CLAUDE_CODE_SUBPROCESS_ENV_SCRUB",
    of: /claude/,
    fails: "leaves empty files in the worktree, such as package.json, and they would land",
    isAlways: true,
  },
  {
    name: "GEMINI_SANDBOX",
    of: /gemini/,
    fails: "wants a sandbox of its own, and none can be made inside of Coppice's",
    isAlways: false,
  },
]
const OFF = /^(0|false|no|off)?$/i

/** The reason why this agent cannot work with its variables; undefined: there is none. */
export function sandboxDemanded(
  { runtime, command, env, containment }: Agent,
  ofDaemon: Readonly<Record<string, string | undefined>>,
): Demand | undefined {
  const program = [runtime, command].flat().join(" ")
  const isContained = containment.by !== "none"
  const demand = DEMANDS.find(
    ({ name, of, isAlways }) =>
      (isContained || isAlways) && of.test(program) && !OFF.test(env[name] ?? ofDaemon[name] ?? ""),
  )
  if (demand === undefined) return undefined
  const { name, fails } = demand
  const hints = [`\`env: { ${name}: "0" }\` of the agent switches it off.`]
  return { why: `with ${name} its program ${fails}`, hints }
}
