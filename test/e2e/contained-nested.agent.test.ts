/** A sandbox of an agent program's own, inside of Coppice's. */
import { expect, test } from "vitest"
import { probeSandbox } from "../../src/features/containment/probe-sandbox.ts"
import { Fleet } from "../support/fleet.ts"
import { MessagesApi } from "../support/messages-api.ts"
import { bash } from "../support/messages-api-reply.ts"

const NAME = "CLAUDE_CODE_SUBPROCESS_ENV_SCRUB"

test.skipIf((await probeSandbox(process.env["PATH"])) !== undefined)(
  "a task is refused if a variable makes its program leave files that would land, with what switches it off [43.43]",
  async () => {
    const replies = [
      { tools: [bash("echo a > a.txt && git add a.txt && git commit -qm work")] },
      { text: "Done." },
    ]
    await using api = await MessagesApi.start(() => replies.shift() ?? { text: "Done." })
    await using fleet = new Fleet()
    Object.assign(fleet.extra, api.env, { [NAME]: "1" }) // as in the user's shell
    const sandboxed = { runtime: "claude", containment: "sandbox" }
    const agents = {
      demanding: sandboxed,
      free: { runtime: "claude" },
      content: { ...sandboxed, env: { [NAME]: "0" } },
    }
    fleet.configure({ repo: { gate: false }, agents })
    for (const agent of ["demanding", "free"]) {
      const { code, stderr } = await fleet.coppice("run", "Do it.", "--agent", agent)
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining(`with ${NAME} its program leaves`),
      ])
      expect(stderr).toContain(`\`env: { ${NAME}: "0" }\` of the agent switches it off`)
    }

    const id = await fleet.start("Do it.", "--agent", "content")
    expect(await fleet.until(id)).toMatchObject({ state: "complete" })
    expect(fleet.log()[0]).toBe("work")
    expect(fleet.repo.git("ls-tree", "--name-only", "main")).toBe("README.md\na.txt\ncoppice.yml")
  },
)
