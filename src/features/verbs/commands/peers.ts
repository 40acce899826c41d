/** `agent peers [paths]`: lists other tasks that change these paths. */
import { sayVerb } from "../../../api/client/send-verb.ts"
import type { PeersDocument } from "../../../api/wire/agent.ts"
import type { Command } from "../../../surfaces/cli/command.ts"

export const command: Command = {
  operands: "[paths]",
  options: {},
  details:
    "For agents, in their own worktree. Without paths, uses those that the agent has changed.",

  async run({ output, json, env }, paths) {
    const found = await sayVerb(env, "peers", { paths: [...paths] })
    if (json) output.document(found)
    else output.lines(peerLines(found))
    return 0
  },
}

function peerLines({ peers }: PeersDocument): string[] {
  if (peers.length === 0) return ["No other task changes these paths."]
  return peers.flatMap(({ task, title, state, repo, paths, more }) => [
    `Task ${task} (${state}) in ${repo}: ${title}`,
    ...paths.map((path) => `  ${path}`),
    ...(more > 0 ? [`  … and ${more} more`] : []),
  ])
}
