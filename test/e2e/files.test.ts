/** Files that go with a task: those that a person sends its agent, and those that its agent reports. */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { TaskDocument } from "../../src/api/wire/tasks.ts"
import { FilesDocument } from "../../src/features/files/wire.ts"
import { Fleet } from "../support/fleet.ts"
import { coppice } from "../support/home.ts"

const PNG = Buffer.from("89504e470d0a1a0a00", "hex")

const start = () => new Fleet({ repo: { gate: false } })

/** A file outside of the repository. */
function place(fleet: Fleet, name: string, bytes: string | Buffer): string {
  const path = join(fleet.repo.folder, name)
  writeFileSync(path, bytes)
  return path
}

const listed = async (fleet: Fleet, id: string) =>
  (await fleet.json(FilesDocument, ["show", id, "--files"])).files

test("files of `run` and `say` are kept, and the prompts name them [30.15]", async () => {
  await using fleet = start()
  const [shot, notes] = [place(fleet, "a shot.png", PNG), place(fleet, ".notes", "remember\n")]
  fleet.step(2, 'printf %s "$COPPICE_PROMPT" > "$STEPS/second"; echo 2 > two.txt; exit 0')
  const prompt = 'printf %s "$COPPICE_PROMPT" > "$STEPS/first"; echo 1 > one.txt; exit 0'
  const options = ["--land", "approve", "--attach", shot, "--attach", notes, "--title", "T"]
  const id = await fleet.start(prompt, ...options)
  await fleet.until(id, ({ state }) => state === "in_approval")
  const [one, two] = await listed(fleet, id)
  expect(one).toMatchObject({ name: "a shot.png", type: "image/png", bytes: 9, by: "person" })
  expect(two).toMatchObject({ name: ".notes", type: null })
  const first = readFileSync(join(fleet.steps, "first"), "utf8")
  for (const { path } of [one!, two!]) expect(first).toContain(`\n- ${path}`)
  expect(readFileSync(two!.path, "utf8")).toBe("remember\n")

  const said = await fleet.coppice("say", id, "See this.", "--attach", notes, "--detach")
  expect(said).toMatchObject({ code: 0 })
  await fleet.until(id, ({ usage, state }) => usage.turns === 2 && state === "in_approval")
  expect(readFileSync(join(fleet.steps, "second"), "utf8")).toContain(two!.path)
  expect(await listed(fleet, id)).toHaveLength(3)
  expect((await fleet.coppice("show", id)).stdout).toContain(one!.path)
  const file = await fleet.client.file(one!.id)
  expect(Buffer.from(file.data, "base64")).toEqual(PNG)

  expect(await fleet.coppice("delete", id, "--yes")).toMatchObject({ code: 0 })
  expect(existsSync(dirname(one!.path))).toBe(false)
})

test("`--attach -` of `run` and `say` sends stdin, an image by its first bytes [30.15, 30.18]", async () => {
  await using fleet = start()
  const from = (stdin: Buffer | string, ...args: string[]) =>
    coppice(fleet.repo.path, args, { env: fleet.env, stdin })
  fleet.step(2, "exit 0")
  const run = ["run", "echo 1 > one.txt; exit 0", "--land", "approve", "--attach", "-", "--detach"]
  expect(await from(PNG, ...run)).toMatchObject({ code: 0 })
  await fleet.until("1", ({ state }) => state === "in_approval")
  expect(await from("notes\n", "say", "1", "See.", "--attach", "-", "-d")).toMatchObject({
    code: 0,
  })
  const [image, notes] = await listed(fleet, "1")
  expect(image).toMatchObject({ name: "stdin.png", type: "image/png", bytes: 9 })
  expect(readFileSync(image!.path)).toEqual(PNG)
  expect(notes).toMatchObject({ name: "stdin", type: null, bytes: 6 })
  await fleet.until("1", ({ usage, state }) => usage.turns === 2 && state === "in_approval")
  const cases = [
    ["x", ["run", "-", "--attach", "-"], /both the text and a file.*\n.*as an argument/],
    ["x", ["say", "1", "-", "--attach", "-"], /both the text and a file/],
    ["x", ["run", "true", "--attach", "-", "--attach", "-"], /can be given once/],
    ["", ["run", "true", "--attach", "-"], /stdin is empty/],
    ["x", ["run", "--attach", "-"], /needs a prompt/],
    [Buffer.alloc(8 * 1024 * 1024 + 1), ["run", "true", "--attach", "-"], /larger than 8388608/],
  ] as const
  for (const [stdin, args, stderr] of cases)
    expect(await from(stdin, ...args)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(stderr),
    })
  expect((await fleet.client.list()).tasks).toHaveLength(1)
})

test("pipes, devices, folders, large files and many files are refused with one error [30.16]", async () => {
  await using fleet = start()
  const pipe = join(fleet.repo.folder, "pipe")
  execFileSync("mkfifo", [pipe])
  const large = place(fleet, "large", "")
  truncateSync(large, 9 * 1024 * 1024)
  const cases = [
    [pipe, /is not a file/],
    ["/dev/zero", /is not a file/],
    [fleet.repo.folder, /is not a file/],
    [join(fleet.repo.folder, "gone"), /no such file/],
    [large, /is larger than 8388608 bytes/],
  ] as const
  for (const [path, stderr] of cases)
    expect(await fleet.coppice("run", "true", "--attach", path)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(stderr),
    })
  const many = Array.from({ length: 11 }, () => ["--attach", large]).flat()
  expect((await fleet.coppice("run", "true", ...many)).stderr).toContain("at most 10 files")
  expect(await fleet.client.list()).toMatchObject({ tasks: [] })
  const files = [{ name: "x", data: "A".repeat(12 * 1024 * 1024) }]
  await expect(fleet.client.create({ prompt: "true", files })).rejects.toMatchObject({
    code: "request.invalid",
  })
})

test("an agent's files are kept with its task, and no link leads out of its worktree [30.17]", async () => {
  await using fleet = start()
  const secret = place(fleet, "secret", "secret\n")
  fleet.repo.commit({ "page.html": "<script>alert(1)</script>\n" }, "a page")
  symlinkSync(secret, join(fleet.repo.path, "link.txt"))
  fleet.repo.git("add", "link.txt")
  fleet.repo.git("commit", "--quiet", "--message", "a link")
  // The folder of the test is one for temporary files, so the agent gets another one.
  const prompt = [
    "export TMPDIR=/nowhere",
    'coppice agent progress "Look" --attach page.html',
    'coppice agent progress "Leak" --attach link.txt 2> "$STEPS/refused"',
    'echo "$?" > "$STEPS/code"',
  ].join("\n")
  const task = await fleet.json(TaskDocument, ["run", prompt])
  expect(task.state).toBe("complete")
  expect(await listed(fleet, task.id)).toMatchObject([
    { name: "page.html", type: null, by: "agent", bytes: 26 },
  ])
  expect(readFileSync(join(fleet.steps, "refused"), "utf8")).toContain(`it leads to ${secret}`)
  expect(readFileSync(join(fleet.steps, "code"), "utf8")).toBe("2\n")
})
