/** `init`: writes a first coppice.yml. */
import { refuseAgents } from "../../api/client/connect.ts"
import { findHome } from "../../api/client/home.ts"
import type { InitDocument } from "../../api/wire/home.ts"
import { oneLine } from "../../base/text/one-line.ts"
import type { Command } from "../../surfaces/cli/command.ts"
import { formatTable } from "../../surfaces/cli/format/table.ts"
import { noOperands } from "../../surfaces/cli/operands.ts"
import { approveConfig } from "../trust/find-unapproved.ts"
import { findForInit, initHome } from "./init-home.ts"

export const command: Command = {
  operands: "",
  options: {},
  details: "Writes the target, set-up, gate and copied files that it detects. Asks nothing.",

  async run({ output, json, cwd, env, home }, positionals) {
    noOperands(positionals, "init")
    refuseAgents(env)
    const place = findHome(cwd, { home, env })
    const found = await findForInit(place, env)
    const { target = null, setup = null, gate = null, copy = [], setupFrom = null } = found
    const document: InitDocument = {
      path: initHome(place, found),
      target,
      setup,
      setupFrom,
      gate,
      copy: [...copy],
    }
    // A set-up from the repository's own files needs `coppice trust` first.
    const isApproved = setupFrom === null && approveConfig(place, env)
    if (json) output.document(document)
    else output.lines(summary(document, isApproved))
    return 0
  },
}

function summary(document: InitDocument, isApproved: boolean): string[] {
  const { path, target, setup, setupFrom, gate, copy } = document
  const rows = [
    ["target", target ?? "none: there is no commit yet"],
    ["setup", oneLine(setup ?? "none")],
    ["gate", gate ?? "none: nothing is tested"],
    ["copy", copy.join(", ") || "none"],
  ]
  const detected = formatTable(rows.map(([name, value]) => [`  ${name}`, value!]))
  const waits =
    setupFrom === null ? "Another configuration file counts too" : `Set-up from ${setupFrom}`
  const hint = `${waits}: \`coppice trust\` shows all of it and asks you.`
  return [`Wrote ${path}, with what was detected:`, ...detected, ...(isApproved ? [] : [hint])]
}
