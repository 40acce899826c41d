/** An agent has the target put under its work, with what it finds in its environment. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { RebasedDocument } from "../../src/api/wire/agent.ts"
import { Fleet } from "../support/fleet.ts"
import { LAUNCHER } from "../support/home.ts"

const COPPICE = `node ${LAUNCHER}`

test("W15: coppice agent rebase_to_main leaves a conflict to resolve, and both sides' work lands [9.3]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const id = await fleet.start(`
    echo ours > README.md; git commit -qam ours; echo left > left.txt
    while [ ! -f "$STEPS/go" ]; do sleep 0.05; done
    ${COPPICE} agent rebase_to_main --json > "$STEPS/first"; echo $? > "$STEPS/code"
    printf 'theirs\\nours\\n' > README.md
    git add README.md && GIT_EDITOR=true git rebase --continue
    ${COPPICE} agent rebase_to_main > "$STEPS/second"
    ${COPPICE} land 1 2> "$STEPS/land"; true`)
  await fleet.event(({ type }) => type === "turn.began")
  const target = fleet.repo.commit({ "README.md": "theirs\n", "main_new.txt": "n\n" }, "theirs")
  fleet.noted("go")
  const task = await fleet.until(id)
  const first = readFileSync(join(fleet.steps, "first"), "utf8")
  expect(RebasedDocument.parse(JSON.parse(first))).toMatchObject({
    kind: "conflict",
    target: "main",
    onto: target,
    paths: ["README.md"],
  })
  expect(fleet.noted("code")).toEqual(["1"])
  expect(fleet.noted("second")[0]).toContain("already contains all of main")
  expect(fleet.noted("land")[0]).toContain("Agents report and do not decide")
  expect(task).toMatchObject({ state: "complete", landing: { outcome: "LANDED", handbacks: 0 } })
  expect(fleet.repo.git("show", "main:README.md")).toBe("theirs\nours")
  expect(fleet.log().slice(0, 3)).toEqual([expect.stringMatching(/^agent: /), "ours", "theirs"])
  const outside = await fleet.coppice("agent", "rebase_to_main")
  expect(outside).toMatchObject({ code: 2, stdout: "" })
})
