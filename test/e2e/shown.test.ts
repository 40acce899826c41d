/** Words of agents and repositories, as every command prints them: nothing unseen gets through. */
import { globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { QuestionsDocument } from "../../src/api/wire/agent.ts"
import { Fleet } from "../support/fleet.ts"
import type { Outcome } from "../support/home.ts"

/** A colour, a cleared screen, the clipboard, C1, DEL, bidi, zero width, a tag, a line separator. */
const NASTY =
  "\x1b[8m\x1b[2J\x1b]52;c;eA==\x07\x9b1m\x7f\u202e\u2066\u200f\u061c\u200b\ufeff\u{e0041}\u2028"
/** As a title and a work item may hold it. */
const ON_A_LINE = NASTY.replace(/\p{Cc}/gu, "")
const UNSEEN = /(?![\t\n])[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029]/u

function expectSeen({ stdout, stderr }: Pick<Outcome, "stdout" | "stderr">, what: string): void {
  expect(
    UNSEEN.exec(stdout + stderr)?.[0]
      .codePointAt(0)
      ?.toString(16),
    what,
  ).toBeUndefined()
}

test("no command prints what a person cannot see, in words, JSON and errors [36.1]", async () => {
  await using fleet = new Fleet({
    repo: { gate: false },
    sh: { landing: { mode: "approve" }, env: { NASTY } },
  })
  const id = await fleet.start(
    'coppice agent progress "does"; echo "$NASTY"; printf "%s" "$NASTY" > "a$NASTY"; echo x > b',
    ...["--title", `t${ON_A_LINE}`, "--work-item", `w${ON_A_LINE}`],
  )
  await fleet.until(id, ({ state }) => state === "in_approval")
  const words = [
    ...[["ls"], ["show", id], ["why", id], ["logs", id], ["events"], ["diff", id, "--stat"]],
    ...[["queue"], ["status"], ["doctor"], ["gc", "--dry-run"], ["recover"], ["worktree", "list"]],
    ...[
      ["config", "check"],
      ["open", id],
      ["diff", id, "--name-only"],
      ["answer", "-d", id],
    ],
  ]
  const wrong = [
    ...[["show", `x${NASTY}`], ["run", "x", "--agent", NASTY], [`x${NASTY}`], ["ls", `--${NASTY}`]],
    ...[
      ["run", "x", "--repo", NASTY],
      ["approve", "-d", id, "--head", NASTY],
      ["land", NASTY],
    ],
    ...[
      ["undo", NASTY],
      ["answer", "-d", id, NASTY],
      ["recover", NASTY],
      ["worktree", "remove", NASTY],
    ],
  ]
  for (const command of [...words, ...wrong])
    for (const how of [[], ["--json"]])
      expectSeen(await fleet.coppice(...command, ...how), command.join(" "))
  await fleet.coppice("reject", "-d", id, NASTY)
  expectSeen(await fleet.coppice("events", "--json"), "the events")
  const logs = globSync(join(fleet.home.path, "**/daemon.log"))
  expect(logs).toHaveLength(1)
  expectSeen({ stdout: readFileSync(logs[0]!, "utf8"), stderr: "" }, "the daemon's log")
})

test("neither does a folder's name or a text of coppice.yml [36.1]", async () => {
  await using fleet = new Fleet()
  const folder = join(fleet.repo.folder, `f${NASTY}`)
  renameSync(fleet.repo.path, folder)
  mkdirSync(fleet.repo.path)
  const all = [["status"], ["doctor"], ["config", "check"], ["init"], ["ls"], ["run", "x"]]
  const files = [
    `version: 1\n"k\\x1b[2J\\u202e": 1\n`,
    `version: 1\nrepos: { "r\\u202e\\x9b": { path: "p\\u202e" } }\nagents: { a: { runtime: "x\\u202e" } }\n`,
    `version: 1\n\u202e: [\x7f\n`,
    "",
  ]
  for (const text of files) {
    writeFileSync(join(folder, "coppice.yml"), text)
    for (const command of all)
      for (const how of [[], ["--json"]]) {
        const args = [...command, ...how, "--home", folder]
        expectSeen(await fleet.coppice(...args), `${command.join(" ")} of ${JSON.stringify(text)}`)
      }
  }
})

test("a person sees the whole text that they answer, with its hidden characters [36.2]", async () => {
  await using fleet = new Fleet({ repo: { gate: false }, sh: { env: { NASTY } } })
  const id = await fleet.start(`
    coppice agent propose_task "Docs" "harmless
$(seq 1 2000)
rm -rf everything$NASTY."
    coppice agent ask "May I delete the PRODUCTION database? $NASTY tests"`)
  await fleet.event(({ data }) => data["kind"] === "question")
  for (const command of ["answer", "show"]) {
    const shown = await fleet.coppice(command, id)
    expectSeen(shown, command)
    expect(shown.stdout).toContain("harmless\n  | 1\n  | 2\n")
    expect(shown.stdout).toContain("2000\n  | rm -rf everything\\u{1b}[8m")
    expect(shown.stdout).toContain("PRODUCTION database? \\u{1b}[8m\\u{1b}[2J")
  }
  const asked = await fleet.json(QuestionsDocument, ["answer", "-d", id])
  expect(asked.questions[0]?.subject).toMatchObject({
    prompt: expect.stringContaining(`rm -rf everything${NASTY}.`),
  })
})
