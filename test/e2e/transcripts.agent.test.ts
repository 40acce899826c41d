/** A conversation survives the loss of its program's own files, with the real programs. */
import { globSync, readdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TaskDocument } from "../../src/api/wire/tasks.ts"
import { Fleet } from "../support/fleet.ts"
import { SCRIPTED_AGENTS } from "../support/scripted-agents.ts"
import { waitFor } from "../support/wait-for.ts"

test.for(Object.entries(SCRIPTED_AGENTS))(
  "%s goes on with a conversation that its program has lost [16.11]",
  async ([, { isThere, start }], { skip }) => {
    if (!isThere) return skip("it was not fetched: `npm run test:agents` does that")
    await using fleet = new Fleet()
    await using agent = await start(fleet, (told, hasResults) => {
      const [word] = told.match(/WRITE \w+/g)?.slice(-1) ?? []
      return hasResults ? undefined : `echo x > ${word?.split(" ")[1]}.txt`
    })
    fleet.configure({ repo: { gate: false }, agents: { worker: { runtime: agent.runtime } } })
    const args = ["run", "Please WRITE first", "--agent", "worker"]
    const first = await fleet.json(TaskDocument, args)
    expect(first).toMatchObject({ state: "complete", landing: { outcome: "LANDED" } })
    await fleet.coppice("down")
    const kept = globSync(`state/coppice/*/transcripts/${first.sessionId}/**/*.jsonl`, {
      cwd: fleet.home.path,
    })
    rmSync(agent.folder, { recursive: true })

    await fleet.json(TaskDocument, ["resume", "-d", first.id, "Please WRITE second"])
    const again = await fleet.until(first.id, ({ usage }) => usage.turns >= 2)
    expect(again.sessionId).toBe(first.sessionId)
    expect(await fleet.until(first.id)).toMatchObject({ state: "complete" })
    for (const words of ["WRITE first", "first.txt", "WRITE second"])
      expect(agent.conversations().at(-1)).toContain(words)
    const { stdout: log } = await fleet.coppice("logs", first.id)
    expect(log).toContain("was put back")
    expect(log).not.toContain("a new one begins")
    expect(kept).toHaveLength(1)
    expect(statSync(join(fleet.home.path, kept[0]!)).mode & 0o777).toBe(0o600)

    // The copy goes with the last task that had the conversation.
    await fleet.json(TaskDocument, ["delete", first.id, "--yes"])
    const folder = join(fleet.home.path, kept[0]!.split("/").slice(0, 4).join("/"))
    await fleet.json(TaskDocument, ["run", "Please WRITE third", "--agent", "worker"])
    await waitFor("clean-up", () => !readdirSync(folder).includes(String(first.sessionId)))
  },
)
