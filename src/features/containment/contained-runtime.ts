/**
 * A runtime whose programs are contained: it says what the machine lacks, and opens no program in a
 * person's terminal.
 */

import { AppError } from "../../base/errors.ts"
import type { AgentConfig } from "../../config/config.ts"
import type { Runtime } from "../../kernel/runtime/runtime.ts"
import { probeContainer } from "./probe-container.ts"
import { probeSandbox } from "./probe-sandbox.ts"
import type { ContainerConfig, ContainmentConfig } from "./rules/containment.ts"
import { sandboxDemanded } from "./rules/demanded-sandbox.ts"
import { INSTALL_SANDBOX } from "./rules/sandbox-probe.ts"

type Of = Pick<AgentConfig, "name" | "containment" | "runtime" | "command" | "resume" | "env">

/** The process owner contains what it starts (containment.ts). */
export function containedRuntime(runtime: Runtime, agent: Of): Runtime {
  const { by, container } = agent.containment
  if (by === "none") return refusingDemands(runtime, agent)
  return {
    name: runtime.name,
    account: (env) => runtime.account(env),
    unavailable: async () => {
      const lacks =
        lacksOnPlatform(agent.containment) ??
        sandboxDemanded(agent, process.env) ??
        (container ? await lacksForContainer(container, agent) : await lacksForSandbox())
      if (lacks === undefined) {
        const isInImage = container && HAS_COMMAND.includes(agent.runtime)
        return isInImage ? undefined : await runtime.unavailable()
      }
      const message = `the agent ${agent.name} wants \`containment: ${by}\`, which is not possible here: ${lacks.why}`
      return { message, hints: lacks.hints }
    },
    // A contained program keeps its conversations in a HOME of their own.
    holder: (env) => `${runtime.holder(env)} ${by}`,
    interactive: () => ({
      kind: "none",
      reason: `its agent is contained (${by}), and its program would not be in your terminal`,
      hints: ["`coppice say <task>` speaks to it; `coppice open <task>` prints its worktree."],
    }),
    run: (session) => runtime.run(session),
  }
}

function refusingDemands(runtime: Runtime, agent: Of): Runtime {
  const demand = sandboxDemanded(agent, process.env)
  if (!demand) return runtime
  const message = `the agent ${agent.name} cannot work: ${demand.why}`
  return { ...runtime, unavailable: async () => ({ message, hints: demand.hints }) }
}

const USE_CONTAINER =
  "Use `container`: it works wherever Podman or Docker does. See docs/runtimes.md, Containment."

type Lacks = { readonly why: string; readonly hints: readonly string[] } | undefined

/** @param platform where the daemon runs. */
export function lacksOnPlatform(
  { by, network }: Pick<ContainmentConfig, "by" | "network">,
  platform: string = process.platform,
): Lacks {
  if (platform === "linux") return undefined
  if (by === "sandbox") return { why: "a sandbox needs Linux", hints: [USE_CONTAINER] }
  if (typeof network === "boolean") return undefined
  const hints = ["Set its `contained.network` to true or false, or run Coppice on Linux."]
  return { why: "a list of hosts in `contained.network` needs Linux", hints }
}

async function lacksForSandbox(): Promise<Lacks> {
  const why = await probeSandbox(process.env["PATH"])
  return why === undefined ? undefined : { why, hints: INSTALL_SANDBOX }
}

async function lacksForContainer(container: ContainerConfig, agent: Of): Promise<Lacks> {
  try {
    await probeContainer(container, namesOf(agent), process.env)
    return undefined
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { why: error.message, hints: error.hints }
  }
}

/** Runtimes whose programs are those of the image. */
const HAS_COMMAND: readonly string[] = ["command", "acp"]

/** The programs that the image must have. */
function namesOf({ runtime, command, resume }: Of): readonly string[] {
  if (!HAS_COMMAND.includes(runtime)) return []
  const programs = [command, resume].map((one) => (typeof one === "string" ? "sh" : one?.[0]))
  return programs.flatMap((name) => (name === undefined || name.includes("/") ? [] : [name]))
}
