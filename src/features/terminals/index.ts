/** A person's shells in the worktrees of tasks. */
import type { Feature } from "../../api/feature.ts"
import { terminalRoute } from "./terminal-route.ts"
import { Terminals } from "./terminals.ts"

export const terminals: Feature = {
  name: "terminals",
  create: ({ fleet, kernel: { owner, workspaces }, onBug }) => {
    const { db, home, stateDir } = fleet
    const all = new Terminals({ db, home, stateDir, owner, workspaces }, onBug)
    return {
      end: () => all.stop(),
      serve: (server, serving) => terminalRoute(server, { ...serving, terminals: all }),
    }
  },
}
