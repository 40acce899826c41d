/** `doctor`: checks what Coppice needs on this machine. */

import type { DoctorDocument } from "../../api/wire/home.ts"
import type { Command } from "../../surfaces/cli/command.ts"
import { formatTable } from "../../surfaces/cli/format/table.ts"
import { noOperands } from "../../surfaces/cli/operands.ts"
import type { Output } from "../../surfaces/cli/output.ts"
import { examine } from "./doctor.ts"

export const command: Command = {
  operands: "",
  options: {},
  details: "Starts no daemon and no agent. Exits 1 if something is missing.",

  async run({ output, json, cwd, env, home }, positionals) {
    noOperands(positionals, "doctor")
    const found = await examine(cwd, { home, env })
    if (json) output.document(found)
    else output.lines(checkLines(output, found))
    return found.ok ? 0 : 1
  },
}

function checkLines(output: Output, { checks }: DoctorDocument): string[] {
  const rows = checks.map((check) => [
    `${signOf(output, check)} ${check.name}`,
    check.text.split("\n").join("\n    "),
  ])
  return formatTable(rows).flatMap((line, at) => {
    const hint = checks[at]?.hint
    return hint ? [line, `    ${hint}`] : [line]
  })
}

/** A check that passes with a hint is a warning. */
function signOf(output: Output, { state, hint }: DoctorDocument["checks"][number]): string {
  if (state === "failed") return output.paint("red", "✗")
  return hint === null ? output.paint("green", "✓") : output.paint("yellow", "!")
}
