/** `init`: writes a first coppice.yml. */
import { refuseAgents } from "../../client/connect.ts"
import { findHome } from "../../client/home.ts"
import { initHome } from "../../client/init-home.ts"
import { approveConfig } from "../../client/trust/examine.ts"
import type { InitDocument } from "../../core/wire/documents.ts"
import type { Command } from "../command.ts"
import { noOperands } from "../operands.ts"

export const command: Command = {
  operands: "",
  options: {},
  details: "The file is optional: put only your overrides in it.",

  async run({ output, json, cwd, env, home }, positionals) {
    noOperands(positionals, "init")
    refuseAgents(env)
    const place = findHome(cwd, { home, env })
    const document: InitDocument = { path: initHome(place) }
    approveConfig(place, env)
    if (json) output.document(document)
    else output.line(`Wrote ${document.path}.`)
    return 0
  },
}
