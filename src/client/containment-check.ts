/** Checks whether this machine can make a sandbox. */
import type { Env } from "../core/config/substitute.ts"
import type { AgentConfig } from "../core/config.ts"
import { INSTALL_SANDBOX, SANDBOX_PROBE } from "../core/containment.ts"
import { askProgram } from "./ask-program.ts"
import { type Check, failed, passed } from "./check.ts"

/** Fails only if an agent of the home has `containment: sandbox`. */
export async function checkContainment(agents: readonly AgentConfig[], env: Env): Promise<Check> {
  const answer = await askProgram(SANDBOX_PROBE, env)
  if ("said" in answer) return passed("sandbox", "`containment: sandbox` works here")
  const text = `\`containment: sandbox\` does not work here: ${answer.refused}`
  const hint = INSTALL_SANDBOX.join(" ")
  const isWanted = agents.some(({ containment }) => containment.by === "sandbox")
  return isWanted ? failed("sandbox", text, hint) : { ...passed("sandbox", text), hint }
}
