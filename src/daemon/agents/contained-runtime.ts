/**
 * A runtime whose programs are contained: it says what the machine lacks, and opens no program in a
 * person's terminal.
 */
import type { AgentConfig } from "../../core/config.ts"
import { INSTALL_SANDBOX } from "../../core/containment.ts"
import { probeSandbox } from "../../process/probe-sandbox.ts"
import type { Runtime } from "../../runtimes/runtime.ts"

/** The process owner contains what it starts (containment.ts). */
export function containedRuntime(
  runtime: Runtime,
  { name, containment: { by } }: Pick<AgentConfig, "name" | "containment">,
): Runtime {
  if (by === "none") return runtime
  return {
    name: runtime.name,
    account: (env) => runtime.account(env),
    unavailable: async () => {
      const why = await probeSandbox(process.env["PATH"])
      if (why === undefined) return await runtime.unavailable()
      const message = `the agent ${name} wants \`containment: ${by}\`, which is not possible here: ${why}`
      return { message, hints: INSTALL_SANDBOX }
    },
    // Its conversations are in a HOME of their own.
    holder: (env) => `${runtime.holder(env)} ${by}`,
    interactive: () => ({
      kind: "none",
      reason: `its agent is contained (${by}), and its program would not be in your terminal`,
      hints: ["`coppice say <task>` speaks to it; `coppice open <task>` prints its worktree."],
    }),
    run: (session) => runtime.run(session),
  }
}
