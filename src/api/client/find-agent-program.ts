/** Finds the program of a known agent: the one that a variable names, else the one on the PATH. */

import type { KnownAgent } from "../../config/known-agents.ts"
import type { Env } from "../../config/substitute.ts"
import { findOnPath, isProgram } from "./find-on-path.ts"

export function findAgentProgram(
  { name, override = "" }: Pick<KnownAgent, "name" | "override">,
  env: Env,
): string | undefined {
  const program = env[override] || name
  if (program.includes("/")) return isProgram(program) ? program : undefined
  return findOnPath(program, env["PATH"])
}
